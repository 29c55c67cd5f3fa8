//! The shim's own keys of the configuration (contract "The shim").

use crate::document::Document;
use crate::policy::Policy;
use multus_common::cni_error::{CniError, code};
use multus_common::duration::parse_duration;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};
use std::time::Duration;

const SOCKET_NAME: &str = "multus.sock";
const DEFAULT_SOCKET_DIRECTORY: &str = "/run/multus/";
const DEFAULT_SPOOL_DIRECTORY: &str = "/var/lib/cni/multus/multusd/spool";

/// So that a deadline stays within what the wire's headers can say.
const LONGEST_TIME: Duration = Duration::from_secs(30 * 86_400);

#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    pub socket: PathBuf,
    pub policy: Policy,
    pub wait_for_daemon: Duration,
    pub add_timeout: Duration,
    pub del_timeout: Duration,
    pub del_decision_time: Duration,
    pub status_timeout: Duration,
    pub status_grace: Duration,
    pub spool_directory: PathBuf,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            socket: Path::new(DEFAULT_SOCKET_DIRECTORY).join(SOCKET_NAME),
            policy: Policy::default(),
            wait_for_daemon: Duration::from_secs(60),
            add_timeout: Duration::from_secs(180),
            del_timeout: Duration::from_secs(50),
            del_decision_time: Duration::from_secs(1),
            status_timeout: Duration::from_secs(4),
            status_grace: Duration::from_secs(30),
            spool_directory: PathBuf::from(DEFAULT_SPOOL_DIRECTORY),
        }
    }
}

/// A key whose value cannot be used; the default stands in for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub key: &'static str,
    pub expected: &'static str,
}

impl Problem {
    /// Names the key and what it must be, never what it is.
    pub fn text(&self) -> String {
        format!("{} must be {}", self.key, self.expected)
    }
}

/// Code 7 with every problem.
pub fn invalid_configuration(problems: &[Problem]) -> CniError {
    let texts: Vec<String> = problems.iter().map(Problem::text).collect();
    let text = format!("invalid network configuration: {}", texts.join("; "));
    CniError::new(code::INVALID_CONFIGURATION, text)
}

impl Settings {
    /// What the configuration says, defaults where it says nothing or something unusable, and what was unusable.
    pub fn read(document: &Document) -> (Self, Vec<Problem>) {
        let mut settings = Self::default();
        let mut problems = Vec::new();
        if let Some(directory) = directory(
            "daemonSocketDir",
            &document.daemon_socket_dir,
            &mut problems,
        ) {
            settings.socket = directory.join(SOCKET_NAME);
        }
        settings.policy = Policy::read(&document.del_error_policy, &mut problems);
        match &document.shim {
            Value::Null => {}
            Value::Object(members) => settings.read_shim(members, &mut problems),
            _ => problems.push(Problem {
                key: "shim",
                expected: "an object",
            }),
        }
        (settings, problems)
    }

    fn read_shim(&mut self, members: &Map<String, Value>, problems: &mut Vec<Problem>) {
        let times: [(&str, &'static str, &mut Duration, bool); 6] = [
            (
                "waitForDaemon",
                "shim.waitForDaemon",
                &mut self.wait_for_daemon,
                false,
            ),
            (
                "addTimeout",
                "shim.addTimeout",
                &mut self.add_timeout,
                false,
            ),
            (
                "delTimeout",
                "shim.delTimeout",
                &mut self.del_timeout,
                false,
            ),
            (
                "delDecisionTime",
                "shim.delDecisionTime",
                &mut self.del_decision_time,
                false,
            ),
            (
                "statusTimeout",
                "shim.statusTimeout",
                &mut self.status_timeout,
                false,
            ),
            (
                "statusGrace",
                "shim.statusGrace",
                &mut self.status_grace,
                true,
            ),
        ];
        for (name, key, time, may_be_zero) in times {
            if let Some(value) = duration(key, member(members, name), may_be_zero, problems) {
                *time = value;
            }
        }
        if let Some(path) = directory("shim.spoolDir", member(members, "spoolDir"), problems) {
            self.spool_directory = path;
        }
    }
}

/// Letter case does not count, as everywhere in this document; of several spellings the usual one wins.
pub fn member<'a>(members: &'a Map<String, Value>, name: &str) -> &'a Value {
    members
        .iter()
        .filter(|(key, value)| key.eq_ignore_ascii_case(name) && !value.is_null())
        .map(|(_, value)| value)
        .next_back()
        .unwrap_or(&Value::Null)
}

/// `None` where there is none, and where it is wrong (then noted).
pub fn duration(
    key: &'static str,
    value: &Value,
    may_be_zero: bool,
    problems: &mut Vec<Problem>,
) -> Option<Duration> {
    if value.is_null() {
        return None;
    }
    let time = value
        .as_str()
        .and_then(parse_duration)
        .filter(|time| *time <= LONGEST_TIME);
    match time {
        Some(time) if may_be_zero || !time.is_zero() => Some(time),
        Some(_) => {
            problems.push(Problem {
                key,
                expected: "longer than zero",
            });
            None
        }
        None => {
            problems.push(Problem {
                key,
                expected: "a duration such as \"90s\" or \"1m30s\", at most 30d",
            });
            None
        }
    }
}

/// An empty text counts as absent.
fn directory(key: &'static str, value: &Value, problems: &mut Vec<Problem>) -> Option<PathBuf> {
    if value.is_null() || value.as_str() == Some("") {
        return None;
    }
    let path = value.as_str().map(Path::new);
    let usable =
        path.filter(|path| path.is_absolute() && path.file_name().is_some() && !holds_nul(path));
    if usable.is_none() {
        problems.push(Problem {
            key,
            expected: "the absolute path of a directory",
        });
    }
    usable.map(Path::to_owned)
}

fn holds_nul(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().contains(&0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Settings, Vec<&'static str>) {
        let (settings, problems) = Settings::read(&Document::parse(text.as_bytes()).unwrap());
        (
            settings,
            problems.iter().map(|problem| problem.key).collect(),
        )
    }

    #[test]
    fn what_is_not_said_has_the_default_of_the_contract() {
        let (settings, problems) = read("{}");
        assert_eq!(settings, Settings::default());
        assert_eq!(settings.socket, Path::new("/run/multus/multus.sock"));
        assert!(problems.is_empty());
    }

    #[test]
    fn every_key_is_read() {
        let (settings, problems) = read(
            r#"{"daemonSocketDir":"/a/b","shim":{"waitForDaemon":"1s","addTimeout":"2s","delTimeout":"3s",
                "delDecisionTime":"400ms","statusTimeout":"5s","statusGrace":"0s","spoolDir":"/s/spool","other":1}}"#,
        );
        assert_eq!(problems, Vec::<&str>::new());
        let seconds = Duration::from_secs;
        let expected = Settings {
            socket: PathBuf::from("/a/b/multus.sock"),
            policy: Policy::default(),
            wait_for_daemon: seconds(1),
            add_timeout: seconds(2),
            del_timeout: seconds(3),
            del_decision_time: Duration::from_millis(400),
            status_timeout: seconds(5),
            status_grace: Duration::ZERO,
            spool_directory: PathBuf::from("/s/spool"),
        };
        assert_eq!(settings, expected);
    }

    #[test]
    fn every_unusable_key_is_named_and_has_its_default() {
        let (settings, problems) = read(
            r#"{"daemonSocketDir":7,"delErrorPolicy":"loose","shim":{"waitForDaemon":5,"addTimeout":"0s",
                "delTimeout":"x","delDecisionTime":[],"statusTimeout":"-1s","statusGrace":{},"spoolDir":"rel"}}"#,
        );
        assert_eq!(settings, Settings::default());
        assert_eq!(problems.len(), 9);
        assert_eq!(read(r#"{"shim":[]}"#).1, ["shim"]);
        assert_eq!(read(r#"{"shim":{"spoolDir":"/"}}"#).1, ["shim.spoolDir"]);
        assert_eq!(
            read(r#"{"daemonSocketDir":"/a\u0000b"}"#).1,
            ["daemonSocketDir"]
        );
        assert_eq!(
            read(r#"{"shim":{"addTimeout":"31d"}}"#).1,
            ["shim.addTimeout"]
        );
    }
}
