//! A point of the monotonic clock in a small file: of the daemon's readiness, of the first refusal of a DEL.

use multus_common::boot::read_boot_id;
use multus_common::clock::now_ns;
use multus_common::envelope::{open, seal};
use multus_common::json::object_of_strings;
use serde_json::Value;
use std::io;
use std::time::Duration;

/// No stamp file is longer.
pub const LONGEST_STAMP: u64 = 4096;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp {
    boot_id: String,
    at_ns: u64,
}

/// How long ago a stamp was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Age {
    OfThisBoot(Duration),
    /// Older than anything of this boot.
    OfAnotherBoot,
}

impl Stamp {
    /// # Errors
    /// Where the boot id cannot be read.
    pub fn now() -> io::Result<Self> {
        Ok(Self {
            boot_id: read_boot_id()?,
            at_ns: now_ns(),
        })
    }

    /// `None` where `file` is no whole stamp of this kind.
    pub fn read(kind: &str, file: &[u8]) -> Option<Self> {
        let body: Value = serde_json::from_slice(open(kind, file)?).ok()?;
        Some(Self {
            boot_id: body.get("bootId")?.as_str()?.to_owned(),
            at_ns: body.get("atNs")?.as_str()?.parse().ok()?,
        })
    }

    /// The file's bytes.
    pub fn sealed(&self, kind: &str) -> Vec<u8> {
        let at_ns = self.at_ns.to_string();
        let body = object_of_strings([("bootId", self.boot_id.as_str()), ("atNs", at_ns.as_str())]);
        seal(kind, &body)
    }

    /// `None` for a stamp that lies ahead of `now`: nobody can have made it.
    pub fn age_at(&self, now: &Self) -> Option<Age> {
        if self.boot_id != now.boot_id {
            return Some(Age::OfAnotherBoot);
        }
        let elapsed_ns = now.at_ns.checked_sub(self.at_ns)?;
        Some(Age::OfThisBoot(Duration::from_nanos(elapsed_ns)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp(boot: &str, at_ns: u64) -> Stamp {
        Stamp {
            boot_id: boot.to_owned(),
            at_ns,
        }
    }

    #[test]
    fn a_stamp_is_read_as_it_was_written() {
        let written = stamp("b", u64::MAX);
        assert_eq!(Stamp::read("k", &written.sealed("k")), Some(written));
        for body in [
            r#"{"bootId":"b","atNs":1}"#,
            r#"{"bootId":"b"}"#,
            r#"{"bootId":"b","atNs":"-1"}"#,
            "[]",
        ] {
            assert_eq!(Stamp::read("k", &seal("k", body)), None, "{body}");
        }
    }

    #[test]
    fn age_counts_within_a_boot_only() {
        let age = |earlier: Stamp| earlier.age_at(&stamp("b", 10));
        assert_eq!(
            age(stamp("b", 4)),
            Some(Age::OfThisBoot(Duration::from_nanos(6)))
        );
        assert_eq!(age(stamp("a", 999)), Some(Age::OfAnotherBoot));
        assert_eq!(age(stamp("b", 11)), None);
    }
}
