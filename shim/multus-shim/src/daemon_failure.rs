//! Why the daemon gave no usable reply: for the person who reads the pod's event, and as a word for spool and log.

use crate::http::{ConnectFailure, ReceiveFailure};
use multus_common::duration::format_duration;
use nix::errno::Errno;
use std::path::PathBuf;
use std::time::Duration;

/// No attempt number and no measured time is part of a text: a DEL that fails again has to read the same, so that the
/// kubelet's event counts up instead of multiplying.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DaemonFailure {
    pub socket: PathBuf,
    pub cause: Cause,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cause {
    /// No daemon that answers its health probe, for as long as `limit`.
    Unreachable {
        limit: Duration,
        last: ProbeFailure,
    },
    /// It closed the connection instead of answering.
    ConnectionLost,
    /// No whole reply by the end of the command's time.
    Late {
        limit: Duration,
    },
    ReplyTooLong,
    ReplyMalformed(&'static str),
}

/// What one look for the daemon found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProbeFailure {
    Connect(ConnectFailure),
    Receive(ReceiveFailure),
    Unhealthy { status: u16 },
}

impl ProbeFailure {
    /// Nobody listens, as opposed to somebody who does not answer.
    pub fn is_absence(self) -> bool {
        matches!(self, Self::Connect(ConnectFailure::Refused(_)))
    }

    fn text(self) -> String {
        match self {
            Self::Connect(ConnectFailure::Refused(Errno::ENOENT)) => {
                String::from("there is no such socket")
            }
            Self::Connect(ConnectFailure::Refused(Errno::ECONNREFUSED)) => {
                String::from("connection refused, nobody listens")
            }
            Self::Connect(ConnectFailure::Refused(errno)) => {
                format!("cannot connect, {}", errno.desc())
            }
            Self::Connect(ConnectFailure::QueueFull) => {
                String::from("its queue of connections is full")
            }
            Self::Receive(ReceiveFailure::TimedOut) => {
                String::from("no answer to the health probe")
            }
            Self::Receive(ReceiveFailure::Closed { .. }) => {
                String::from("connection closed at the health probe")
            }
            Self::Receive(ReceiveFailure::TooLong | ReceiveFailure::Malformed(_)) => {
                String::from("the answer to the health probe is no HTTP reply")
            }
            Self::Unhealthy { status } => {
                format!("health probe answered with HTTP status {status}")
            }
        }
    }
}

impl DaemonFailure {
    /// What was expected of whom, and what happened.
    pub fn text(&self) -> String {
        let socket = self.socket.display();
        match &self.cause {
            Cause::Unreachable { limit, last } => format!(
                "no multusd at {socket} within {}: {}",
                format_duration(*limit),
                last.text()
            ),
            Cause::ConnectionLost => {
                format!("multusd at {socket} closed the connection before its reply was whole")
            }
            Cause::Late { limit } => {
                format!(
                    "multusd at {socket} did not reply within {}",
                    format_duration(*limit)
                )
            }
            Cause::ReplyTooLong => {
                format!("the reply of multusd at {socket} is longer than 16 MiB")
            }
            Cause::ReplyMalformed(part) => {
                format!("the reply of multusd at {socket} is no HTTP reply ({part})")
            }
        }
    }

    /// The `reason` of a spool entry (`docs/wire.md`).
    pub fn reason(&self) -> &'static str {
        match self.cause {
            Cause::Unreachable { last, .. } if last.is_absence() => "daemon-absent",
            Cause::Unreachable {
                last: ProbeFailure::Unhealthy { .. },
                ..
            } => "daemon-declined",
            Cause::Unreachable { .. } => "daemon-silent",
            Cause::ConnectionLost => "connection-lost",
            Cause::Late { .. } => "daemon-late",
            Cause::ReplyTooLong | Cause::ReplyMalformed(_) => "reply-unreadable",
        }
    }

    /// Whether trying again later can help, or the reply itself is wrong.
    pub fn is_transient(&self) -> bool {
        !matches!(self.cause, Cause::ReplyTooLong | Cause::ReplyMalformed(_))
    }
}
