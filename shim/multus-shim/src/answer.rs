//! What the process says and how it ends: one result or one error object on stdout, nothing else ever.

use crate::command::Command;
use crate::daemon::{self, Search};
use crate::delete::delete;
use crate::environment::Environment;
use crate::invocation::{Invocation, describe_sandbox};
use crate::namespace;
use crate::reply::{error_of_failure, judge};
use crate::status::status;
use crate::streams;
use crate::wording::keep_out_of_success;
use multus_common::cni_error::CniError;
use std::process::ExitCode;
use std::time::Duration;

/// A daemon that accepts a connection and does not answer is left after this; another one may have taken its place.
const PROBE_LIMIT: Duration = Duration::from_secs(2);

pub struct Answer {
    stdout: Vec<u8>,
    log: Option<String>,
    exit: ExitCode,
}

impl Answer {
    pub fn success(stdout: Vec<u8>) -> Self {
        Self {
            stdout,
            log: None,
            exit: ExitCode::SUCCESS,
        }
    }

    /// `subject` is what the log line begins with: the command and whom it is about.
    pub fn refusal(error: CniError, cni_version: &str, subject: &str) -> Self {
        let details = error.details.as_deref().unwrap_or("");
        let separator = if details.is_empty() { "" } else { "; " };
        let log = format!(
            "{subject} failed with code {}: {}{separator}{details}",
            error.code, error.msg
        );
        Self {
            stdout: (error.to_json(cni_version) + "\n").into_bytes(),
            log: Some(log),
            exit: ExitCode::FAILURE,
        }
    }

    /// Writes it and gives the exit status, which is a success only if the runtime has got what it was for.
    pub fn deliver(self) -> ExitCode {
        let written = streams::write_stdout(&self.stdout);
        if let Some(log) = &self.log {
            streams::log(log);
        }
        match written {
            Ok(()) => self.exit,
            Err(errno) => {
                streams::log(&format!(
                    "the answer could not be written to stdout: {}",
                    errno.desc()
                ));
                ExitCode::FAILURE
            }
        }
    }
}

/// Carries out one command of the runtime.
pub fn serve(command: Command, environment: Environment, start_ns: u64) -> Answer {
    let subject = format!("{} {}", command.word(), describe_sandbox(&environment));
    let refuse = |error: CniError, cni_version: &str| {
        let error = if command == Command::Delete {
            keep_out_of_success(error)
        } else {
            error
        };
        Answer::refusal(error, cni_version, subject.trim_end())
    };
    match Invocation::read(command, environment, start_ns) {
        Err(unusable) => refuse(unusable.error, unusable.cni_version),
        Ok(invocation) => match carry_out(&invocation) {
            Ok(stdout) => Answer::success(stdout),
            Err(error) => refuse(error, invocation.cni_version),
        },
    }
}

fn carry_out(invocation: &Invocation) -> Result<Vec<u8>, CniError> {
    match invocation.command {
        Command::Add => {
            namespace::require_foreign(&invocation.environment)?;
            ask_and_wait(invocation)
        }
        Command::Check | Command::CollectGarbage => ask_and_wait(invocation),
        Command::Delete => {
            delete(invocation)?;
            // As the skeleton, after the deletion: refused before, it would be owed for ever.
            namespace::require_foreign(&invocation.environment)?;
            Ok(Vec::new())
        }
        Command::Status => status(invocation).map(|()| Vec::new()),
    }
}

fn ask_and_wait(invocation: &Invocation) -> Result<Vec<u8>, CniError> {
    let search = Search {
        limit: invocation.settings.wait_for_daemon,
        probe_limit: PROBE_LIMIT,
        keeps_looking: &|_| true,
    };
    match daemon::ask(invocation, &search) {
        Ok(response) => judge(invocation.command, response),
        Err(failure) => Err(error_of_failure(&failure)),
    }
}
