//! One line a failure on stderr.

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use std::io::Write;
use std::os::fd::AsFd;

/// A pipe takes a write of this size whole or not at all (`PIPE_BUF`).
const MAX_LINE: usize = 4096;

/// Drops the line rather than wait for a daemon that does not read: nothing but requests may hold up the loop.
pub fn warn(message: &str) {
    let stderr = std::io::stderr();
    let mut target = [PollFd::new(stderr.as_fd(), PollFlags::POLLOUT)];
    if !matches!(poll(&mut target, PollTimeout::ZERO), Ok(1)) {
        return;
    }
    let mut line = format!("multus-host: {}", message.replace('\n', " ")).into_bytes();
    line.truncate(MAX_LINE - 1);
    line.push(b'\n');
    // Whoever took stderr away took away the only place to complain to.
    let _ = (&stderr).write_all(&line);
}
