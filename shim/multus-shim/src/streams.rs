//! stdin, stdout and stderr: read and written only as far as they are ready, so that a caller that forgot one of them
//! cannot hold the process.

use crate::wait::wait_for;
use multus_common::clock::Deadline;
use multus_common::cni_error::{CniError, code};
use multus_common::duration::format_duration;
use nix::errno::Errno;
use nix::poll::PollFlags;
use nix::unistd::{read, write};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

const LONGEST_INPUT: usize = 16 * 1024 * 1024;
const LONGEST_LOG_LINE: usize = 4 * 1024;

/// A pipe that polls as writable takes this much without blocking (PIPE_BUF).
const PIECE: usize = 4096;

/// The runtime reads what it started a process for; this bounds one that does not.
const OUTPUT_TIME: Duration = Duration::from_secs(10);
const LOG_TIME: Duration = Duration::from_millis(200);

/// All of stdin.
///
/// # Errors
/// Code 5 where it cannot be read or is not closed in time, 6 where it is longer than 16 MiB.
pub fn read_stdin(limit: Duration, deadline: Deadline) -> Result<Vec<u8>, CniError> {
    let stdin = std::io::stdin();
    let mut input = Vec::new();
    let mut piece = [0_u8; 16 * 1024];
    loop {
        match wait_for(stdin.as_fd(), PollFlags::POLLIN, deadline)
            .and_then(|_| read(stdin.as_fd(), &mut piece))
        {
            Ok(0) => return Ok(input),
            Ok(length) if input.len() + length > LONGEST_INPUT => {
                return Err(CniError::new(
                    code::DECODING_FAILURE,
                    "standard input is longer than 16 MiB",
                ));
            }
            Ok(length) => input.extend_from_slice(&piece[..length]),
            Err(Errno::EINTR | Errno::EAGAIN) => {}
            Err(Errno::ETIMEDOUT) => {
                let text = format!(
                    "standard input was not closed within {}",
                    format_duration(limit)
                );
                return Err(CniError::new(code::IO_FAILURE, text));
            }
            Err(errno) => {
                let text = format!("standard input cannot be read: {}", errno.desc());
                return Err(CniError::new(code::IO_FAILURE, text));
            }
        }
    }
}

/// # Errors
/// Where not all of it could be written: the caller has gone, or does not read.
pub fn write_stdout(bytes: &[u8]) -> Result<(), Errno> {
    write_all(
        std::io::stdout().as_fd(),
        bytes,
        Deadline::within(OUTPUT_TIME),
    )
}

/// As far as anybody reads it: a log that cannot be written is no reason to do anything else.
pub fn write_stderr(bytes: &[u8]) {
    let _ = write_all(std::io::stderr().as_fd(), bytes, Deadline::within(LOG_TIME));
}

/// One line on stderr. Control characters become spaces, so that a line stays a line whatever is quoted in it.
pub fn log(text: &str) {
    let cut = text.floor_char_boundary(LONGEST_LOG_LINE);
    let mut line = String::from("multus-shim: ");
    line.extend(
        text[..cut]
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c }),
    );
    line.push('\n');
    write_stderr(line.as_bytes());
}

fn write_all(
    descriptor: BorrowedFd<'_>,
    mut bytes: &[u8],
    deadline: Deadline,
) -> Result<(), Errno> {
    while !bytes.is_empty() {
        let piece = &bytes[..bytes.len().min(PIECE)];
        match wait_for(descriptor, PollFlags::POLLOUT, deadline)
            .and_then(|_| write(descriptor, piece))
        {
            Ok(length) => bytes = &bytes[length..],
            Err(Errno::EINTR | Errno::EAGAIN) => {}
            Err(errno) => return Err(errno),
        }
    }
    Ok(())
}
