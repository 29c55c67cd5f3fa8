//! `multus-shim`: the CNI plugin that the container runtime runs for every sandbox. It hands the request to multusd over
//! a Unix socket and prints the answer; a DEL that no daemon takes is settled here by policy (`docs/shim.md`).
//!
//! One thread, no allocation that grows with anything but the request, and every wait is bounded by an absolute deadline.

#![forbid(unsafe_code)]

mod about;
mod answer;
mod command;
mod daemon;
mod daemon_failure;
mod delete;
mod document;
mod environment;
mod http;
mod invocation;
mod namespace;
mod policy;
mod reply;
mod request;
mod settings;
mod spool;
mod spool_entry;
mod stamp;
mod state_names;
mod status;
mod streams;
mod strict;
mod versions;
mod wait;
mod wording;

use answer::Answer;
use command::Command;
use environment::Environment;
use multus_common::clock;
use multus_common::cni_error::{CniError, code};
use std::process::ExitCode;

fn main() -> ExitCode {
    // First of all: it is the generation of what an ADD makes, and everything is timed from here.
    let start_ns = clock::now_ns();
    if let Some(exit) = about::answer_arguments(std::env::args_os().skip(1)) {
        return exit;
    }
    let environment = Environment::of_process();
    let word = environment.get("CNI_COMMAND").to_owned();
    if word.is_empty() {
        return about::explain();
    }
    match Command::from_word(&word) {
        Some(command) => answer::serve(command, environment, start_ns).deliver(),
        None if word == "VERSION" => {
            Answer::success(versions::version_line().into_bytes()).deliver()
        }
        None => Answer::refusal(
            CniError::new(
                code::INVALID_ENVIRONMENT,
                format!("unknown CNI_COMMAND: {word}"),
            ),
            versions::CURRENT,
            &word,
        )
        .deliver(),
    }
}
