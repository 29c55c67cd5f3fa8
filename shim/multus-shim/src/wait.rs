//! Waiting for a descriptor, interrupted or not, until an absolute deadline.

use multus_common::clock::Deadline;
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use std::os::fd::BorrowedFd;
use std::time::Duration;

/// Waits until one of `events`, an error or a hang-up is there. The caller's next system call tells which.
///
/// # Errors
/// `ETIMEDOUT` once the deadline has passed with nothing to do; else what `poll` says.
pub fn wait_for(
    descriptor: BorrowedFd<'_>,
    events: PollFlags,
    deadline: Deadline,
) -> Result<PollFlags, Errno> {
    loop {
        let mut descriptors = [PollFd::new(descriptor, events)];
        match poll(&mut descriptors, timeout_of(deadline.remaining())) {
            Ok(0) if deadline.has_passed() => return Err(Errno::ETIMEDOUT),
            // Stopped and continued (SIGSTOP, SIGCONT), or the time was longer than one poll can wait.
            Ok(0) | Err(Errno::EINTR) => {}
            Ok(_) => return Ok(descriptors[0].revents().unwrap_or(PollFlags::POLLERR)),
            Err(errno) => return Err(errno),
        }
    }
}

/// Rounded up: rounded down, the last part of a millisecond would be spent in a busy loop.
fn timeout_of(remaining: Duration) -> PollTimeout {
    let milliseconds = remaining.as_nanos().div_ceil(1_000_000);
    PollTimeout::try_from(milliseconds).unwrap_or(PollTimeout::MAX)
}
