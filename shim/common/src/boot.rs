//! Which boot of the machine this is.

use std::io;

const BOOT_ID_FILE: &str = "/proc/sys/kernel/random/boot_id";

/// The kernel's boot id, a UUID in lower case.
///
/// Times of [`crate::clock`] can be compared only within one boot.
///
/// # Errors
/// Where `/proc` cannot be read, or holds something else.
pub fn read_boot_id() -> io::Result<String> {
    let text = std::fs::read_to_string(BOOT_ID_FILE)?;
    let id = text.trim_end();
    if !is_boot_id(id) {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "the kernel's boot id is no UUID",
        ));
    }
    Ok(id.to_owned())
}

fn is_boot_id(text: &str) -> bool {
    text.len() == 36
        && text
            .bytes()
            .all(|b| b == b'-' || b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_running_kernel_has_one_and_it_does_not_change() {
        assert_eq!(read_boot_id().unwrap(), read_boot_id().unwrap());
    }

    #[test]
    fn only_a_uuid_in_lower_case_counts() {
        assert!(is_boot_id("0b1f3a52-6f0e-4b6e-9d0c-2a7e5c1d4f88"));
        assert!(!is_boot_id("0B1F3A52-6F0E-4B6E-9D0C-2A7E5C1D4F88"));
        assert!(!is_boot_id(""));
    }
}
