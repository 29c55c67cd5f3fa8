//! What the tests stand on: the built program, a daemon that says what a test wants, and directories that go again.

pub mod fake_daemon;
pub mod scratch;
pub mod shim;

use std::time::{Duration, Instant};

/// Waits for a condition, not for a time; the bound only ends a test that has failed.
pub fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(
            started.elapsed() < Duration::from_secs(20),
            "never came: {what}"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
}
