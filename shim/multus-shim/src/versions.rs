//! The versions of the CNI specification that are spoken.

use multus_common::cni_error::{CniError, code};

/// In ascending order: position compares.
pub const SUPPORTED: [&str; 7] = [
    "0.1.0", "0.2.0", "0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0",
];

/// Of what is printed before the caller's version is known.
pub const CURRENT: &str = "1.1.0";

/// What a configuration without `cniVersion` means.
pub const UNSTATED: &str = "0.1.0";

/// The answer to VERSION: one line of JSON.
pub fn version_line() -> String {
    let list: Vec<String> = SUPPORTED
        .iter()
        .map(|version| format!("\"{version}\""))
        .collect();
    format!(
        "{{\"cniVersion\":\"{CURRENT}\",\"supportedVersions\":[{}]}}\n",
        list.join(",")
    )
}

/// The supported version that is written so.
///
/// # Errors
/// Code 1, as the reference skeleton words it.
pub fn require_supported(version: &str) -> Result<&'static str, CniError> {
    SUPPORTED
        .into_iter()
        .find(|supported| *supported == version)
        .ok_or_else(|| {
            let list: Vec<String> = SUPPORTED
                .iter()
                .map(|version| format!("\"{version}\""))
                .collect();
            CniError::new(code::INCOMPATIBLE_VERSION, "incompatible CNI versions").with_details(
                format!(
                    "config is {version:?}, plugin supports [{}]",
                    list.join(" ")
                ),
            )
        })
}

/// Both of [`SUPPORTED`].
pub fn is_at_least(version: &str, least: &str) -> bool {
    let position = |wanted: &str| SUPPORTED.iter().position(|supported| *supported == wanted);
    position(version) >= position(least)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_compare_by_age() {
        assert!(is_at_least("0.4.0", "0.4.0"));
        assert!(is_at_least("1.1.0", "0.4.0"));
        assert!(!is_at_least("0.3.1", "0.4.0"));
        assert!(!is_at_least("1.0.0", "1.1.0"));
    }

    #[test]
    fn only_the_exact_spelling_is_supported() {
        assert_eq!(require_supported("1.0.0"), Ok("1.0.0"));
        for version in ["", "1.0", "01.0.0", "1.2.0", "v1.0.0", "1.0.0 "] {
            assert_eq!(require_supported(version).unwrap_err().code, 1, "{version}");
        }
    }
}
