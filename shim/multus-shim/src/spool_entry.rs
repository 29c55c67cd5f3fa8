//! A DEL as it lies in the spool (`docs/wire.md`): the whole request, and when and why it was left there.

use crate::environment::Environment;
use crate::request::env_and_config;
use multus_common::envelope::{open, seal};
use multus_common::json::quoted;
use serde_json::Value;

const KIND: &str = "multusd.spool";

/// Members in the order in which they are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpoolEntry {
    /// JSON text of an object of strings.
    pub env: String,
    /// JSON text: base64 of stdin, quoted.
    pub config: String,
    pub has_namespace: bool,
    pub boot_id: String,
    pub start_ns: u64,
    pub policy: &'static str,
    pub reason: &'static str,
}

impl SpoolEntry {
    pub fn of_call(environment: &Environment, stdin: &[u8]) -> Self {
        let (env, config) = env_and_config(environment, stdin);
        Self {
            env,
            config,
            has_namespace: !environment.get("CNI_NETNS").is_empty(),
            boot_id: String::new(),
            start_ns: 0,
            policy: "",
            reason: "",
        }
    }

    /// The file's bytes.
    pub fn sealed(&self) -> Vec<u8> {
        let body = format!(
            r#"{{"env":{},"config":{},"bootId":{},"startNs":"{}","policy":"{}","reason":"{}","shim":"{}"}}"#,
            self.env,
            self.config,
            quoted(&self.boot_id),
            self.start_ns,
            self.policy,
            self.reason,
            env!("CARGO_PKG_VERSION"),
        );
        seal(KIND, &body)
    }

    /// This call's entry where `earlier` already lies in the spool.
    ///
    /// The later call decides when: a sandbox that was made anew between the two is owed a DEL too, and an entry is only
    /// applied to what is older than it. But once the pod's namespace is gone a runtime repeats DEL without it and
    /// without prevResult, so an earlier call that still had them says more; within one boot its request is kept.
    pub fn after(mut self, earlier: Option<Earlier>) -> Self {
        let Some(earlier) = earlier.filter(|earlier| earlier.boot_id == self.boot_id) else {
            return self;
        };
        self.start_ns = self.start_ns.max(earlier.start_ns);
        if earlier.has_namespace && !self.has_namespace {
            self.env = earlier.env;
            self.config = earlier.config;
        }
        self
    }
}

/// What an entry that is already there says.
#[derive(Debug, PartialEq, Eq)]
pub struct Earlier {
    env: String,
    config: String,
    has_namespace: bool,
    boot_id: String,
    start_ns: u64,
}

impl Earlier {
    /// `None` for what is torn, foreign, or of another container or interface.
    pub fn read(file: &[u8], environment: &Environment) -> Option<Self> {
        let body: Value = serde_json::from_slice(open(KIND, file)?).ok()?;
        let env = body.get("env")?.as_object()?;
        let text = |name: &str| env.get(name).and_then(Value::as_str).unwrap_or("");
        let is_same = |name: &str| text(name) == environment.get(name);
        if !is_same("CNI_CONTAINERID")
            || !is_same("CNI_IFNAME")
            || !env.values().all(Value::is_string)
        {
            return None;
        }
        Some(Self {
            has_namespace: !text("CNI_NETNS").is_empty(),
            env: body.get("env")?.to_string(),
            config: quoted(body.get("config")?.as_str()?),
            boot_id: body.get("bootId")?.as_str()?.to_owned(),
            start_ns: body.get("startNs")?.as_str()?.parse().ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(namespace: bool, boot: &str, start_ns: u64) -> SpoolEntry {
        SpoolEntry {
            env: format!("{{\"n\":\"{start_ns}\"}}"),
            config: format!("\"{start_ns}\""),
            has_namespace: namespace,
            boot_id: boot.to_owned(),
            start_ns,
            policy: "deferred",
            reason: "daemon-absent",
        }
    }

    fn earlier(namespace: bool, boot: &str, start_ns: u64) -> Option<Earlier> {
        let SpoolEntry {
            env,
            config,
            has_namespace,
            boot_id,
            start_ns,
            ..
        } = entry(namespace, boot, start_ns);
        Some(Earlier {
            env,
            config,
            has_namespace,
            boot_id,
            start_ns,
        })
    }

    #[test]
    fn a_repeat_without_namespace_keeps_the_request_that_had_one_but_is_of_its_own_time() {
        let kept = entry(false, "b", 9).after(earlier(true, "b", 5));
        assert_eq!(
            (kept.env.as_str(), kept.config.as_str()),
            ("{\"n\":\"5\"}", "\"5\"")
        );
        assert_eq!(kept.start_ns, 9);
    }

    #[test]
    fn every_other_repeat_replaces_the_request() {
        assert_eq!(
            entry(true, "b", 9).after(earlier(true, "b", 5)),
            entry(true, "b", 9)
        );
        assert_eq!(
            entry(false, "b", 9).after(earlier(false, "b", 5)),
            entry(false, "b", 9)
        );
        assert_eq!(
            entry(false, "b", 9).after(earlier(true, "before", 5)),
            entry(false, "b", 9)
        );
        assert_eq!(entry(false, "b", 9).after(None), entry(false, "b", 9));
    }

    #[test]
    fn the_later_of_two_that_write_at_once_gives_the_time() {
        assert_eq!(entry(true, "b", 5).after(earlier(true, "b", 9)).start_ns, 9);
        assert_eq!(
            entry(true, "b", 5)
                .after(earlier(true, "before", 9))
                .start_ns,
            5
        );
    }
}
