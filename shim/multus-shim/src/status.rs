//! STATUS: not ready for causes of this node only, and not at once when the daemon is away (contract "STATUS").

use crate::daemon::{self, Search};
use crate::daemon_failure::ProbeFailure;
use crate::http::Response;
use crate::invocation::Invocation;
use crate::reply::{error_of, judge};
use crate::stamp::{Age, LONGEST_STAMP, Stamp};
use crate::streams;
use multus_common::cni_error::{CniError, code};
use multus_common::directory::Directory;
use std::time::Duration;

const READY: &str = "multusd.ready";

/// containerd holds a lock while it waits for STATUS, so a daemon that is away is not waited for longer.
const SEARCH_LIMIT: Duration = Duration::from_secs(1);

/// # Errors
/// The daemon's own; else code 50 where the daemon does not answer and was not ready within the grace either.
pub fn status(invocation: &Invocation) -> Result<(), CniError> {
    let keeps_looking =
        |failure: ProbeFailure| !(failure.is_absence() && was_ready_lately(invocation));
    let search = Search {
        limit: SEARCH_LIMIT,
        probe_limit: SEARCH_LIMIT,
        keeps_looking: &keeps_looking,
    };
    let unanswered = match daemon::ask(invocation, &search) {
        Ok(response) if is_answer(&response) => {
            return judge(invocation.command, response).map(drop);
        }
        Ok(response) => error_of(&response).msg,
        Err(failure) => failure.text(),
    };
    if was_ready_lately(invocation) {
        streams::log(&format!(
            "STATUS is a success within its grace: {unanswered}"
        ));
        return Ok(());
    }
    Err(CniError::new(code::NOT_AVAILABLE, unanswered))
}

fn is_answer(response: &Response) -> bool {
    response.status == 200 || CniError::from_json(&response.body).is_some()
}

/// By the daemon's stamp. One that cannot be read (it is renewed without fsync) is none.
fn was_ready_lately(invocation: &Invocation) -> bool {
    let age = || {
        let directory = Directory::open(invocation.settings.spool_directory.parent()?).ok()?;
        let file = directory.read("ready", LONGEST_STAMP).ok()??;
        Stamp::read(READY, &file)?.age_at(&Stamp::now().ok()?)
    };
    matches!(age(), Some(Age::OfThisBoot(elapsed)) if elapsed < invocation.settings.status_grace)
}
