//! As much of an HTTP/1.1 client as one request over a Unix socket needs: strict, bounded in every dimension.

mod body;
mod connection;
mod head;

pub use connection::{ConnectFailure, Connection, ExchangeFailure};

/// More than any sane server sends.
const LONGEST_HEAD: usize = 64 * 1024;
const MOST_HEADERS: usize = 64;

/// A whole reply.
#[derive(Debug)]
pub struct Response {
    pub status: u16,
    /// The header `x-multusd-failure`.
    pub failure: Option<String>,
    /// Another request may follow on this connection.
    pub keeps_alive: bool,
    pub body: Vec<u8>,
}

/// Why a reply did not come, or not whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReceiveFailure {
    /// Closed or reset; `begun` if a byte of the reply had come.
    Closed {
        begun: bool,
    },
    TimedOut,
    TooLong,
    /// What came is no HTTP/1.1 reply; says which part.
    Malformed(&'static str),
}
