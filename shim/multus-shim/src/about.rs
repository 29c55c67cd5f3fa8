//! What the program says of itself when no runtime calls it.

use crate::streams;
use crate::versions;
use std::ffi::OsString;
use std::process::ExitCode;

const USAGE: &str = "usage: multus-shim [--version]; as a CNI plugin it takes no arguments\n";

/// The answer to arguments; `None` where there are none and the environment says what to do.
///
/// As Go's flag package: one or two dashes, exit 2 for what is unknown.
pub fn answer_arguments(mut arguments: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    let first = arguments.next()?;
    match first.to_str() {
        Some("--version" | "-version" | "--v" | "-v") => {
            let line = format!("multus-shim: version:{}\n", env!("CARGO_PKG_VERSION"));
            Some(match streams::write_stdout(line.as_bytes()) {
                Ok(()) => ExitCode::SUCCESS,
                Err(_) => ExitCode::FAILURE,
            })
        }
        _ => {
            streams::write_stderr(USAGE.as_bytes());
            Some(ExitCode::from(2))
        }
    }
}

/// Without CNI_COMMAND a person runs it: two lines on stderr, nothing on stdout, exit 0 as the reference skeleton.
pub fn explain() -> ExitCode {
    let text = format!(
        "multus-shim {}: CNI plugin that hands each request to multusd, which attaches a pod to several networks\n\
         CNI protocol versions supported: {}\n",
        env!("CARGO_PKG_VERSION"),
        versions::SUPPORTED.join(", ")
    );
    streams::write_stderr(text.as_bytes());
    ExitCode::SUCCESS
}
