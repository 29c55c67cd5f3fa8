//! The reference skeleton's guard against a pod namespace that is the plugin's own.

use crate::environment::Environment;
use multus_common::cni_error::{CniError, code};
use std::fs::metadata;
use std::os::unix::fs::MetadataExt;

const OWN: &str = "/proc/self/ns/net";

/// The skeleton looks after the plugin ran; before an ADD nothing has to be undone, and stdout stays one object.
///
/// # Errors
/// Code 8 where CNI_NETNS is the namespace of this process. A path that cannot be looked at passes, as does anything
/// with CNI_NETNS_OVERRIDE.
pub fn require_foreign(environment: &Environment) -> Result<(), CniError> {
    let path = environment.get("CNI_NETNS");
    if path.is_empty() || is_overridden(environment.get("CNI_NETNS_OVERRIDE")) {
        return Ok(());
    }
    let (Ok(theirs), Ok(own)) = (metadata(path), metadata(OWN)) else {
        return Ok(());
    };
    if (theirs.dev(), theirs.ino()) != (own.dev(), own.ino()) {
        return Ok(());
    }
    let text = "CNI_NETNS is the network namespace that the plugin itself runs in";
    Err(CniError::new(code::INVALID_NAMESPACE, text))
}

fn is_overridden(value: &str) -> bool {
    value == "1" || value.eq_ignore_ascii_case("true")
}
