//! `multus-host lock`: takes a lock for whoever handed descriptor 3 down. The lock belongs to the open file that
//! both share, so it stays when this process has gone.

use crate::sys;
use nix::errno::Errno;
use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::Signal;
use std::process::ExitCode;
use std::time::{Duration, Instant};

const INHERITED: i32 = 3;

/// Exit code 0: locked; 1: still held by another after `wait`; 2: no such descriptor.
pub fn lock(wait: Duration) -> ExitCode {
    // Who waits for a lock on behalf of a dead daemon would keep it from the next one.
    if set_pdeathsig(Signal::SIGKILL).is_err() {
        return ExitCode::from(2);
    }
    match take(wait) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Errno::EWOULDBLOCK) => ExitCode::from(1),
        Err(errno) => {
            eprintln!(
                "multus-host: cannot lock descriptor {INHERITED}: {}",
                errno.desc()
            );
            ExitCode::from(2)
        }
    }
}

fn take(wait: Duration) -> Result<(), Errno> {
    match sys::flock_inherited(INHERITED, false) {
        Err(Errno::EWOULDBLOCK) if !wait.is_zero() => {}
        other => return other,
    }
    let deadline = Instant::now() + wait;
    sys::interrupt_after(wait)?;
    loop {
        match sys::flock_inherited(INHERITED, true) {
            Err(Errno::EINTR) if Instant::now() >= deadline => return Err(Errno::EWOULDBLOCK),
            Err(Errno::EINTR) => {}
            other => return other,
        }
    }
}
