//! `CLOCK_MONOTONIC` in nanoseconds: the only clock that orders anything here.
//!
//! `std::time::Instant` reads the same clock but hides its value, which has to travel to the daemon and into files.

use nix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// Nanoseconds since an arbitrary point of this boot; suspended time does not count.
pub fn now_ns() -> u64 {
    // The clock exists on every Linux; a kernel that refuses it could not run std either.
    let now = clock_gettime(ClockId::CLOCK_MONOTONIC).unwrap_or_else(|_| std::process::abort());
    let seconds = u64::try_from(now.tv_sec()).unwrap_or(0);
    let nanoseconds = u64::try_from(now.tv_nsec()).unwrap_or(0);
    seconds * 1_000_000_000 + nanoseconds
}

/// A point in time by which something must be over, however often the waiting is interrupted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Deadline {
    at_ns: u64,
}

impl Deadline {
    /// `after` the time `start_ns` of [`now_ns`]; saturates.
    pub fn at(start_ns: u64, after: Duration) -> Self {
        let nanoseconds = u64::try_from(after.as_nanos()).unwrap_or(u64::MAX);
        Self {
            at_ns: start_ns.saturating_add(nanoseconds),
        }
    }

    /// `after` now.
    pub fn within(after: Duration) -> Self {
        Self::at(now_ns(), after)
    }

    /// On the clock of [`now_ns`].
    pub fn at_ns(self) -> u64 {
        self.at_ns
    }

    /// Zero once it has passed.
    pub fn remaining(self) -> Duration {
        Duration::from_nanos(self.at_ns.saturating_sub(now_ns()))
    }

    pub fn has_passed(self) -> bool {
        self.remaining().is_zero()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deadline_never_overflows_and_passes() {
        assert_eq!(Deadline::at(5, Duration::MAX).at_ns(), u64::MAX);
        assert!(Deadline::at(now_ns(), Duration::ZERO).has_passed());
        assert!(!Deadline::within(Duration::from_secs(60)).has_passed());
    }
}
