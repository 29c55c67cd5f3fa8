//! Finding the daemon and asking it.

use crate::command::Command;
use crate::daemon_failure::{Cause, DaemonFailure, ProbeFailure};
use crate::http::{Connection, ExchangeFailure, ReceiveFailure, Response};
use crate::invocation::Invocation;
use crate::request::Request;
use multus_common::clock::Deadline;
use std::time::Duration;

const LONGEST_REPLY: usize = 16 * 1024 * 1024;
const LONGEST_PROBE_REPLY: usize = 64 * 1024;

/// Between two looks for a daemon that is not there; spread by pid, so that a node's waiting shims do not come at once.
const SHORTEST_PAUSE_MS: u64 = 50;
const PAUSE_SPREAD_MS: u64 = 50;

/// A look that has less time than this would only say that it had no time, and hide what the one before it found.
const SHORTEST_LOOK: Duration = Duration::from_millis(50);

/// How long to look for a daemon, and when to give up earlier.
pub struct Search<'a> {
    pub limit: Duration,
    /// For one probe: a daemon that is stopped accepts connections and never answers, and its successor has another socket.
    pub probe_limit: Duration,
    pub keeps_looking: &'a dyn Fn(ProbeFailure) -> bool,
}

/// Asks the daemon and takes its reply, whatever it says.
///
/// The request is sent once. It is sent again, once, where the connection that answered the probe was closed before any
/// reply: an idempotent one, or one of which the daemon has not got a byte. An ADD that it may have received is not.
///
/// # Errors
/// Where no daemon was found, or no whole HTTP reply came before the deadline.
pub fn ask(invocation: &Invocation, search: &Search<'_>) -> Result<Response, DaemonFailure> {
    let request = Request::of(invocation);
    let mut connection = find(invocation, &request, search)?;
    let first = connection.exchange(&request.call, LONGEST_REPLY, invocation.deadline);
    let outcome = match first {
        Err(failure) if may_be_sent_again(failure, invocation.command) => {
            send_again(invocation, &request, failure)
        }
        other => other,
    };
    outcome.map_err(|failure| failed(invocation, cause_of(failure, invocation.time_limit())))
}

fn find(
    invocation: &Invocation,
    request: &Request,
    search: &Search<'_>,
) -> Result<Connection, DaemonFailure> {
    // What was spent on stdin is no time that the daemon had; the whole command is over at its deadline all the same.
    let until = Deadline::within(search.limit).min(invocation.deadline);
    loop {
        let probe_until = Deadline::within(search.probe_limit).min(until);
        let last = match probe(invocation, request, probe_until) {
            Ok(connection) => return Ok(connection),
            Err(failure) => failure,
        };
        let pause = pause().min(until.remaining().saturating_sub(SHORTEST_LOOK));
        if pause.is_zero() || !(search.keeps_looking)(last) {
            let limit = search.limit.min(invocation.time_limit());
            return Err(failed(invocation, Cause::Unreachable { limit, last }));
        }
        std::thread::sleep(pause);
    }
}

fn probe(
    invocation: &Invocation,
    request: &Request,
    until: Deadline,
) -> Result<Connection, ProbeFailure> {
    let socket = &invocation.settings.socket;
    let mut connection = Connection::open(socket, until).map_err(ProbeFailure::Connect)?;
    let response = connection
        .exchange(&request.probe, LONGEST_PROBE_REPLY, until)
        .map_err(|failure| ProbeFailure::Receive(failure.reason))?;
    if response.status != 200 {
        return Err(ProbeFailure::Unhealthy {
            status: response.status,
        });
    }
    if response.keeps_alive {
        return Ok(connection);
    }
    Connection::open(socket, until).map_err(ProbeFailure::Connect)
}

fn may_be_sent_again(failure: ExchangeFailure, command: Command) -> bool {
    failure.reason == ReceiveFailure::Closed { begun: false }
        && (failure.is_untouched || command.is_idempotent())
}

fn send_again(
    invocation: &Invocation,
    request: &Request,
    first: ExchangeFailure,
) -> Result<Response, ExchangeFailure> {
    match Connection::open(&invocation.settings.socket, invocation.deadline) {
        Ok(mut connection) => {
            connection.exchange(&request.call, LONGEST_REPLY, invocation.deadline)
        }
        // The daemon has gone: the lost connection is what there is to tell.
        Err(_) => Err(first),
    }
}

fn pause() -> Duration {
    Duration::from_millis(SHORTEST_PAUSE_MS + u64::from(std::process::id()) % PAUSE_SPREAD_MS)
}

fn cause_of(failure: ExchangeFailure, limit: Duration) -> Cause {
    match failure.reason {
        ReceiveFailure::Closed { .. } => Cause::ConnectionLost,
        ReceiveFailure::TimedOut => Cause::Late { limit },
        ReceiveFailure::TooLong => Cause::ReplyTooLong,
        ReceiveFailure::Malformed(part) => Cause::ReplyMalformed(part),
    }
}

fn failed(invocation: &Invocation, cause: Cause) -> DaemonFailure {
    DaemonFailure {
        socket: invocation.settings.socket.clone(),
        cause,
    }
}
