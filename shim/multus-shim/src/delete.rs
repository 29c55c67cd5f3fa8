//! DEL: never a silent success. Either the daemon decided, or the spool has it on disk, or the runtime is told to come
//! again (`docs/shim.md` has the table).

use crate::daemon::{self, Search};
use crate::http::Response;
use crate::invocation::Invocation;
use crate::policy::Mode;
use crate::reply::{decides_delete, error_of, judge};
use crate::spool;
use crate::streams;
use crate::strict;
use multus_common::cni_error::{CniError, code};
use multus_common::duration::format_duration;

/// Why no daemon decided.
struct Undecided {
    /// The `reason` of a spool entry.
    reason: &'static str,
    text: String,
}

/// # Errors
/// The daemon's decision; code 11 for a DEL that the policy refuses while no daemon decides; code 5 where it should be
/// spooled and cannot be.
pub fn delete(invocation: &Invocation) -> Result<(), CniError> {
    let limit = invocation.settings.del_decision_time;
    let search = Search {
        limit,
        probe_limit: limit,
        keeps_looking: &|_| true,
    };
    match daemon::ask(invocation, &search) {
        Ok(response) if decides_delete(&response) => judge(invocation.command, response).map(drop),
        Ok(response) => settle(invocation, &undecided_reply(&response)),
        Err(failure) => settle(
            invocation,
            &Undecided {
                reason: failure.reason(),
                text: failure.text(),
            },
        ),
    }
}

fn undecided_reply(response: &Response) -> Undecided {
    if response.status == 200 {
        return Undecided {
            reason: "reply-unreadable",
            text: String::from("multusd replied with success and failure at once"),
        };
    }
    Undecided {
        reason: "daemon-declined",
        text: error_of(response).msg,
    }
}

fn settle(invocation: &Invocation, undecided: &Undecided) -> Result<(), CniError> {
    let policy = invocation.settings.policy;
    let is_marked = strict::is_marked(invocation);
    if !is_marked && policy.mode != Mode::Strict {
        return spool(invocation, policy.mode, undecided);
    }
    match strict::has_escalated(invocation, policy.escalate_age) {
        Ok(true) => spool(invocation, Mode::Strict, undecided),
        Ok(false) => Err(refusal(invocation, undecided, is_marked)),
        Err(error) => {
            let text = format!("the time of this refusal could not be written down: {error}");
            Err(refusal(invocation, undecided, is_marked).with_details(text))
        }
    }
}

fn refusal(invocation: &Invocation, undecided: &Undecided, is_marked: bool) -> CniError {
    let source = if is_marked {
        "one of its networks"
    } else {
        "the multus configuration"
    };
    let age = format_duration(invocation.settings.policy.escalate_age);
    let text = format!(
        "deletion refused: {}; the policy of {source} is strict, so it has to be called again; \
         {age} after the first refusal it is left to multusd",
        undecided.text
    );
    CniError::new(code::TRY_AGAIN_LATER, text)
}

fn spool(invocation: &Invocation, mode: Mode, undecided: &Undecided) -> Result<(), CniError> {
    let directory = invocation.settings.spool_directory.display();
    match spool::put(invocation, mode, undecided.reason) {
        Ok(()) => {
            streams::log(&format!(
                "DEL {} spooled in {directory} (policy {}): {}",
                invocation.sandbox(),
                mode.word(),
                undecided.text
            ));
            Ok(())
        }
        Err(error) => {
            let text = format!(
                "deletion not taken: {}; and the spool {directory} cannot take it: {error}; \
                 it has to be called again",
                undecided.text
            );
            Err(CniError::new(code::IO_FAILURE, text))
        }
    }
}
