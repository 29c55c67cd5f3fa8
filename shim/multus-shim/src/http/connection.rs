//! One connection to the daemon's socket. Nothing blocks beyond the deadline of the call.

use super::body::ChunkDecoder;
use super::head::{Framing, Head, end_of_head, parse_head};
use super::{LONGEST_HEAD, ReceiveFailure, Response};
use crate::wait::wait_for;
use multus_common::clock::Deadline;
use nix::errno::Errno;
use nix::poll::PollFlags;
use nix::sys::socket::{
    AddressFamily, MsgFlags, SockFlag, SockType, UnixAddr, connect, recv, send, socket,
};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::Path;
use std::time::Duration;

/// A listener whose queue is full has no event to wait for.
const QUEUE_PAUSE: Duration = Duration::from_millis(5);
const PIECE: usize = 16 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectFailure {
    /// The listener's queue stayed full.
    QueueFull,
    Refused(Errno),
}

/// Why an exchange gave no reply, and whether the daemon can have begun to work on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExchangeFailure {
    pub reason: ReceiveFailure,
    /// Not a byte of the request was accepted.
    pub is_untouched: bool,
}

pub type Exchange = Result<Response, ExchangeFailure>;

pub struct Connection {
    socket: OwnedFd,
    /// What came and belongs to no reply yet.
    received: Vec<u8>,
    /// A byte came since the latest request.
    reply_has_begun: bool,
}

/// How far a request got.
enum Sent {
    /// All of it, or as much as the daemon wanted: its reply has begun.
    Answerable,
    Broken {
        accepted: usize,
    },
    TimedOut {
        accepted: usize,
    },
}

impl Connection {
    /// # Errors
    /// Where nobody listens; a full queue is waited for until `deadline`.
    pub fn open(path: &Path, deadline: Deadline) -> Result<Self, ConnectFailure> {
        let address = UnixAddr::new(path).map_err(ConnectFailure::Refused)?;
        let flags = SockFlag::SOCK_CLOEXEC | SockFlag::SOCK_NONBLOCK;
        let socket = socket(AddressFamily::Unix, SockType::Stream, flags, None)
            .map_err(ConnectFailure::Refused)?;
        loop {
            match connect(socket.as_raw_fd(), &address) {
                Ok(()) => {
                    return Ok(Self {
                        socket,
                        received: Vec::new(),
                        reply_has_begun: false,
                    });
                }
                Err(Errno::EINTR) => {}
                // Of a Unix socket this is the full queue, never a connection in progress.
                Err(Errno::EAGAIN) if deadline.has_passed() => {
                    return Err(ConnectFailure::QueueFull);
                }
                Err(Errno::EAGAIN) => std::thread::sleep(QUEUE_PAUSE.min(deadline.remaining())),
                Err(errno) => return Err(ConnectFailure::Refused(errno)),
            }
        }
    }

    /// Sends a whole request and takes the reply to it.
    ///
    /// # Errors
    /// Where no whole reply came in time.
    pub fn exchange(
        &mut self,
        request: &[u8],
        longest_body: usize,
        deadline: Deadline,
    ) -> Exchange {
        self.reply_has_begun = false;
        let failed = |reason, is_untouched| ExchangeFailure {
            reason,
            is_untouched,
        };
        let is_untouched = match self.send(request, deadline) {
            Sent::Answerable => false,
            // A daemon may refuse a request that it has only begun to read, and close: its reply is still there to read.
            Sent::Broken { accepted } => accepted == 0,
            Sent::TimedOut { accepted } => {
                return Err(failed(ReceiveFailure::TimedOut, accepted == 0));
            }
        };
        self.receive(longest_body, deadline)
            .map_err(|reason| failed(reason, is_untouched))
    }

    fn send(&self, request: &[u8], deadline: Deadline) -> Sent {
        let mut accepted = 0;
        while accepted < request.len() {
            match send(
                self.socket.as_raw_fd(),
                &request[accepted..],
                MsgFlags::MSG_NOSIGNAL,
            ) {
                Ok(length) => accepted += length,
                Err(Errno::EINTR) => {}
                Err(Errno::EAGAIN) => {
                    match wait_for(
                        self.socket.as_fd(),
                        PollFlags::POLLOUT | PollFlags::POLLIN,
                        deadline,
                    ) {
                        // Answered before it has read everything: it will read no more.
                        Ok(events) if !events.contains(PollFlags::POLLOUT) => {
                            return Sent::Answerable;
                        }
                        Ok(_) => {}
                        Err(Errno::ETIMEDOUT) => return Sent::TimedOut { accepted },
                        Err(_) => return Sent::Broken { accepted },
                    }
                }
                Err(_) => return Sent::Broken { accepted },
            }
        }
        Sent::Answerable
    }

    fn receive(
        &mut self,
        longest_body: usize,
        deadline: Deadline,
    ) -> Result<Response, ReceiveFailure> {
        let head = self.receive_final_head(longest_body, deadline)?;
        let body = match head.framing {
            Framing::Length(length) => self.receive_length(length, deadline)?,
            Framing::Chunked => self.receive_chunks(longest_body, deadline)?,
            Framing::UntilClose => self.receive_rest(longest_body, deadline)?,
        };
        Ok(Response {
            status: head.status,
            failure: head.failure,
            // Bytes that nobody asked for: the two sides no longer agree where a message begins.
            keeps_alive: head.keeps_alive && self.received.is_empty(),
            body,
        })
    }

    /// Passes over interim replies (1xx); all heads together are bounded.
    fn receive_final_head(
        &mut self,
        longest_body: usize,
        deadline: Deadline,
    ) -> Result<Head, ReceiveFailure> {
        let mut passed = 0;
        loop {
            let end = self.receive_head_bytes(LONGEST_HEAD - passed, deadline)?;
            let head = parse_head(&self.received[..end], longest_body)?;
            self.received.drain(..end);
            passed += end;
            match head.status {
                101 => return Err(ReceiveFailure::Malformed("status")),
                100..200 => {}
                _ => return Ok(head),
            }
        }
    }

    fn receive_head_bytes(
        &mut self,
        longest: usize,
        deadline: Deadline,
    ) -> Result<usize, ReceiveFailure> {
        let mut looked_at = 0;
        loop {
            match end_of_head(&self.received, looked_at) {
                Some(end) if end <= longest => return Ok(end),
                None if self.received.len() <= longest => {}
                _ => return Err(ReceiveFailure::TooLong),
            }
            looked_at = self.received.len();
            self.require_more(deadline)?;
        }
    }

    fn receive_length(
        &mut self,
        length: usize,
        deadline: Deadline,
    ) -> Result<Vec<u8>, ReceiveFailure> {
        while self.received.len() < length {
            self.require_more(deadline)?;
        }
        let rest = self.received.split_off(length);
        Ok(std::mem::replace(&mut self.received, rest))
    }

    fn receive_chunks(
        &mut self,
        longest_body: usize,
        deadline: Deadline,
    ) -> Result<Vec<u8>, ReceiveFailure> {
        let mut decoder = ChunkDecoder::new(longest_body);
        loop {
            let (taken, is_whole) = decoder.take(&self.received)?;
            self.received.drain(..taken);
            if is_whole {
                return Ok(decoder.into_body());
            }
            self.require_more(deadline)?;
        }
    }

    fn receive_rest(
        &mut self,
        longest_body: usize,
        deadline: Deadline,
    ) -> Result<Vec<u8>, ReceiveFailure> {
        loop {
            if self.received.len() > longest_body {
                return Err(ReceiveFailure::TooLong);
            }
            if self.fill(deadline)? == 0 {
                return Ok(std::mem::take(&mut self.received));
            }
        }
    }

    fn require_more(&mut self, deadline: Deadline) -> Result<(), ReceiveFailure> {
        match self.fill(deadline) {
            Ok(0) => Err(self.closed()),
            Ok(_) => Ok(()),
            Err(failure) => Err(failure),
        }
    }

    /// Takes what is there, at least a byte; 0 where the daemon has closed its side.
    fn fill(&mut self, deadline: Deadline) -> Result<usize, ReceiveFailure> {
        let mut piece = [0_u8; PIECE];
        loop {
            // Also a sender that never pauses has to be done by then.
            if deadline.has_passed() {
                return Err(ReceiveFailure::TimedOut);
            }
            match recv(self.socket.as_raw_fd(), &mut piece, MsgFlags::empty()) {
                Ok(length) => {
                    self.received.extend_from_slice(&piece[..length]);
                    self.reply_has_begun |= length > 0;
                    return Ok(length);
                }
                Err(Errno::EINTR) => {}
                Err(Errno::EAGAIN) => {
                    match wait_for(self.socket.as_fd(), PollFlags::POLLIN, deadline) {
                        Ok(_) => {}
                        Err(Errno::ETIMEDOUT) => return Err(ReceiveFailure::TimedOut),
                        Err(_) => return Err(self.closed()),
                    }
                }
                Err(_) => return Err(self.closed()),
            }
        }
    }

    fn closed(&self) -> ReceiveFailure {
        ReceiveFailure::Closed {
            begun: self.reply_has_begun,
        }
    }
}
