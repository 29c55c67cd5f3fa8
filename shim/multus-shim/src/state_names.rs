//! Names of the files that belong to a container (`docs/wire.md`).

use multus_common::envelope::sha256_hex;

/// Room for what a temporary name adds, below the 255 bytes of a file system.
const LONGEST_NAME: usize = 200;

/// `identifier` and `suffix`; `@` and a hash of the identifier where that would be too long. No container ID has an `@`,
/// so the two forms never meet.
fn name_of(identifier: &str, suffix: &str) -> String {
    let name = format!("{identifier}{suffix}");
    if name.len() <= LONGEST_NAME {
        return name;
    }
    format!("@{}{suffix}", sha256_hex(identifier.as_bytes()))
}

/// A spooled DEL.
pub fn spool_entry(container_id: &str, interface_name: &str) -> String {
    name_of(&format!("{container_id}@{interface_name}"), ".json")
}

/// One of the container's networks is strict.
pub fn strict_marker(container_id: &str) -> String {
    name_of(container_id, "")
}

/// The first refusal of the container's DEL.
pub fn refusal(container_id: &str) -> String {
    strict_marker(container_id) + "@refused"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_usual_name_can_be_read() {
        assert_eq!(spool_entry("abc", "eth0"), "abc@eth0.json");
        assert_eq!(strict_marker("abc"), "abc");
        assert_eq!(refusal("abc"), "abc@refused");
    }

    #[test]
    fn one_that_is_too_long_becomes_a_hash() {
        let longest = "a".repeat(LONGEST_NAME - "@eth0.json".len());
        assert_eq!(
            spool_entry(&longest, "eth0"),
            format!("{longest}@eth0.json")
        );
        let longer = format!("{longest}a");
        let hash = sha256_hex(format!("{longer}@eth0").as_bytes());
        assert_eq!(spool_entry(&longer, "eth0"), format!("@{hash}.json"));
        let container = "a".repeat(LONGEST_NAME + 1);
        assert_eq!(
            refusal(&container),
            format!("@{}@refused", sha256_hex(container.as_bytes()))
        );
    }
}
