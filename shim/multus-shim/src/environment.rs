//! The runtime's `CNI_*` variables: all that is read, and all that is sent.

use crate::command::Command;
use multus_common::cni_error::{CniError, code};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

const PREFIX: &str = "CNI_";

/// IFNAMSIZ without the NUL.
const LONGEST_INTERFACE_NAME: usize = 15;

pub struct Environment {
    /// In byte order of their names, so that the same call always sends the same bytes.
    variables: Vec<Variable>,
}

struct Variable {
    name: String,
    value: String,
    is_utf8: bool,
}

impl Environment {
    /// Only names that begin with `CNI_`: what else the runtime has in its environment is nobody's business. Bytes that
    /// are no UTF-8 become U+FFFD, as in upstream's JSON.
    pub fn of_process() -> Self {
        let mut variables: Vec<Variable> = std::env::vars_os()
            .filter(|(name, _)| name.as_bytes().starts_with(PREFIX.as_bytes()))
            .map(|(name, value)| Variable {
                name: lossy(&name),
                is_utf8: value.to_str().is_some(),
                value: lossy(&value),
            })
            .collect();
        // Stable, so that of a name that is there twice the first stays, as getenv(3) would have it.
        variables.sort_by(|left, right| left.name.cmp(&right.name));
        variables.dedup_by(|later, first| later.name == first.name);
        Self { variables }
    }

    /// Empty where it is not set: the specification makes no difference.
    pub fn get(&self, name: &str) -> &str {
        self.find(name).map_or("", |variable| &variable.value)
    }

    pub fn container_id(&self) -> &str {
        self.get("CNI_CONTAINERID")
    }

    pub fn interface_name(&self) -> &str {
        self.get("CNI_IFNAME")
    }

    /// Names and values in a stable order.
    pub fn members(&self) -> impl Iterator<Item = (&str, &str)> {
        self.variables
            .iter()
            .map(|variable| (variable.name.as_str(), variable.value.as_str()))
    }

    /// # Errors
    /// Code 4 that names every variable that `command` needs and that is empty or absent.
    pub fn require_variables(&self, command: Command) -> Result<(), CniError> {
        let missing: Vec<&str> = command
            .required_variables()
            .iter()
            .copied()
            .filter(|name| self.get(name).is_empty())
            .collect();
        if missing.is_empty() {
            return Ok(());
        }
        let text = format!("required env variables [{}] missing", missing.join(","));
        Err(CniError::new(code::INVALID_ENVIRONMENT, text))
    }

    /// # Errors
    /// Code 4 where the container ID or the interface name is none.
    pub fn require_formats(&self, command: Command) -> Result<(), CniError> {
        if !command.is_of_sandbox() {
            return Ok(());
        }
        if !is_identifier(self.container_id()) {
            return Err(
                invalid("invalid characters in containerID").with_details(self.container_id())
            );
        }
        if self
            .find("CNI_IFNAME")
            .is_some_and(|variable| !variable.is_utf8)
        {
            return Err(invalid("interface name is not UTF-8"));
        }
        match interface_name_fault(self.interface_name()) {
            None => Ok(()),
            Some(fault) => Err(fault),
        }
    }

    fn find(&self, name: &str) -> Option<&Variable> {
        self.variables.iter().find(|variable| variable.name == name)
    }
}

fn lossy(text: &OsStr) -> String {
    text.to_string_lossy().into_owned()
}

fn invalid(text: &str) -> CniError {
    CniError::new(code::INVALID_ENVIRONMENT, text)
}

/// `^[a-zA-Z0-9][a-zA-Z0-9_.\-]*$`: container IDs and network names (libcni `utils.ValidateContainerID`).
pub fn is_identifier(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes
        .next()
        .is_some_and(|first| first.is_ascii_alphanumeric())
        && bytes.all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-'))
}

/// libcni `utils.ValidateInterfaceName`. `char::is_whitespace` is Unicode White_Space, as Go's `unicode.IsSpace`.
fn interface_name_fault(name: &str) -> Option<CniError> {
    if name.len() > LONGEST_INTERFACE_NAME {
        let details = "interface name should be less than 16 characters";
        return Some(invalid("interface name is too long").with_details(details));
    }
    if name == "." || name == ".." {
        return Some(invalid("interface name is . or .."));
    }
    name.chars()
        .any(|c| c == '/' || c == ':' || c.is_whitespace())
        .then(|| invalid("interface name contains / or : or whitespace characters"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn container_ids_are_letters_digits_and_three_marks() {
        for id in ["a", "0", "A_b.c-d", &"f".repeat(1000)] {
            assert!(is_identifier(id), "{id}");
        }
        for id in [
            "", ".a", "-a", "_a", "a/b", "../a", "a@b", "a b", "a\n", "é",
        ] {
            assert!(!is_identifier(id), "{id:?}");
        }
    }

    #[test]
    fn interface_names_are_measured_in_bytes() {
        assert!(interface_name_fault("abcdefghijklmno").is_none());
        assert!(interface_name_fault("abcdefghijklmnop").is_some());
        assert!(interface_name_fault("ééééééé").is_none());
        assert!(interface_name_fault("éééééééé").is_some());
    }

    #[test]
    fn white_space_is_what_unicode_calls_so() {
        for c in [
            '\t', '\n', '\r', ' ', '\u{85}', '\u{a0}', '\u{1680}', '\u{2000}', '\u{200a}',
            '\u{2028}', '\u{2029}', '\u{202f}', '\u{205f}', '\u{3000}', '/', ':',
        ] {
            assert!(interface_name_fault(&format!("a{c}b")).is_some(), "{c:?}");
        }
        for name in ["...", "a@b", "a%d", "a\u{200b}b", "a\u{feff}b"] {
            assert!(interface_name_fault(name).is_none(), "{name:?}");
        }
        assert!(interface_name_fault(".").is_some());
        assert!(interface_name_fault("..").is_some());
    }
}
