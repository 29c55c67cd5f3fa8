//! One file for each run while it lasts, so that what outlives this process can be found and ended.

use crate::process_table;
use nix::unistd::{Pid, getsid};
use serde_json::{Value, json};
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// More than a record with the longest owner, each character escaped.
const MAX_RECORD: u64 = 64 << 10;

/// A process that cannot be mistaken for another of the same boot and process ID namespace.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProcessKey {
    pub pid: Pid,
    pub start: u64,
}

/// Where process IDs mean something: they are given anew after a boot and in another process ID namespace.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    boot_id: String,
    pid_namespace: String,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    pub place: Place,
    pub host: ProcessKey,
    /// Session of the host, and so of everything that did not make one for itself.
    pub session: Pid,
    /// The leader; its ID is the group's.
    pub leader: ProcessKey,
    pub owner: String,
}

impl Place {
    pub fn here() -> std::io::Result<Place> {
        let boot_id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id")?;
        let pid_namespace = std::fs::read_link("/proc/self/ns/pid")?;
        Ok(Place {
            boot_id: boot_id.trim().to_owned(),
            pid_namespace: pid_namespace.to_string_lossy().into_owned(),
        })
    }
}

impl Record {
    fn encode(&self) -> String {
        let record = json!({
            "bootId": self.place.boot_id, "pidNamespace": self.place.pid_namespace,
            "host": self.host.pid.as_raw(), "hostStart": self.host.start, "session": self.session.as_raw(),
            "group": self.leader.pid.as_raw(), "start": self.leader.start, "owner": self.owner,
        });
        record.to_string()
    }

    fn decode(bytes: &[u8]) -> Option<Record> {
        let value: Value = serde_json::from_slice(bytes).ok()?;
        let text = |key: &str| value.get(key)?.as_str().map(str::to_owned);
        let number = |key: &str| value.get(key)?.as_u64();
        // 0 and 1 would make a kill reach everybody.
        let id = |key: &str| {
            number(key)
                .and_then(|n| i32::try_from(n).ok())
                .filter(|n| *n > 1)
        };
        Some(Record {
            place: Place {
                boot_id: text("bootId")?,
                pid_namespace: text("pidNamespace")?,
            },
            host: ProcessKey {
                pid: Pid::from_raw(id("host")?),
                start: number("hostStart")?,
            },
            session: Pid::from_raw(i32::try_from(number("session")?).ok()?),
            leader: ProcessKey {
                pid: Pid::from_raw(id("group")?),
                start: number("start")?,
            },
            owner: text("owner")?,
        })
    }
}

/// The directory of records and what all records of this process have in common.
pub struct Records {
    directory: PathBuf,
    place: Place,
    host: ProcessKey,
    session: Pid,
}

impl Records {
    /// Makes the directory where it is missing.
    pub fn open(directory: &Path) -> std::io::Result<Records> {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(directory)?;
        let own = process_table::find(Pid::this()).ok_or(std::io::ErrorKind::NotFound)?;
        Ok(Records {
            directory: directory.to_owned(),
            place: Place::here()?,
            host: ProcessKey {
                pid: own.pid,
                start: own.start,
            },
            session: getsid(None)?,
        })
    }

    pub fn place(&self) -> &Place {
        &self.place
    }

    /// Not synced and not renamed: a record matters only within this boot, and a torn one only means that the host
    /// died before it opened the child's gate.
    pub fn write(&self, leader: Pid, owner: &str) -> std::io::Result<()> {
        let process = process_table::find(leader).ok_or(std::io::ErrorKind::NotFound)?;
        let record = Record {
            place: self.place.clone(),
            host: self.host,
            session: self.session,
            leader: ProcessKey {
                pid: leader,
                start: process.start,
            },
            owner: owner.to_owned(),
        };
        let file = self.file(leader);
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true).mode(0o600);
        options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
        options.open(file)?.write_all(record.encode().as_bytes())
    }

    pub fn remove(&self, leader: Pid) {
        // One that is not there or cannot be removed is found out of date by the next host.
        let _ = std::fs::remove_file(self.file(leader));
    }

    /// Every record that can be read. What cannot be is removed: the host died before the child's gate was open.
    pub fn load(&self) -> std::io::Result<Vec<Record>> {
        let mut records = Vec::new();
        for entry in std::fs::read_dir(&self.directory)? {
            let file = entry?.path();
            let named_by_pid = file
                .file_name()
                .and_then(|name| name.to_str()?.parse::<i32>().ok());
            match (
                named_by_pid,
                read_bounded(&file).as_deref().and_then(Record::decode),
            ) {
                (Some(pid), Some(record)) if record.leader.pid.as_raw() == pid => {
                    records.push(record)
                }
                (Some(_), _) => drop(std::fs::remove_file(&file)),
                (None, _) => {}
            }
        }
        Ok(records)
    }

    fn file(&self, leader: Pid) -> PathBuf {
        self.directory.join(leader.to_string())
    }
}

fn read_bounded(file: &Path) -> Option<Vec<u8>> {
    let mut options = OpenOptions::new();
    let opened: File = options
        .read(true)
        .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK)
        .open(file)
        .ok()?;
    if !opened.metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    opened.take(MAX_RECORD).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> Record {
        let key = |pid, start| ProcessKey {
            pid: Pid::from_raw(pid),
            start,
        };
        Record {
            place: Place::here().expect("/proc is there"),
            host: key(50, 900),
            session: Pid::from_raw(50),
            leader: key(100, 1000),
            owner: "c\"1\u{0}".to_owned(),
        }
    }

    #[test]
    fn is_read_as_it_was_written() {
        assert_eq!(Record::decode(record().encode().as_bytes()), Some(record()));
    }

    #[test]
    fn one_that_would_make_a_kill_reach_everybody_is_none() {
        for group in ["0", "1", "-1", "-7", "4294967297", "1.5", "\"100\"", "null"] {
            let changed = record()
                .encode()
                .replace("\"group\":100", &format!("\"group\":{group}"));
            assert_eq!(Record::decode(changed.as_bytes()), None, "{group}");
        }
    }
}
