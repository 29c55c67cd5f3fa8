//! Namespaces that are held open for deletions that are still owed.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::time::{Duration, Instant};

/// More are not held: a namespace costs the kernel memory, and its devices are nobody's meanwhile.
const MOST: usize = 64;
const LONGEST: Duration = Duration::from_secs(3600);

struct Pin {
    key: String,
    /// Kept for its descriptor alone.
    _namespace: File,
    since: Instant,
}

#[derive(Default)]
pub struct Pins {
    held: Vec<Pin>,
}

impl Pins {
    /// Where others of the same process ID namespace find it; `None` if too many are held already.
    pub fn hold(&mut self, key: &str, namespace: File) -> Option<String> {
        self.held
            .retain(|pin| pin.key != key && pin.since.elapsed() < LONGEST);
        if self.held.len() >= MOST {
            return None;
        }
        let descriptor = namespace.as_raw_fd();
        self.held.push(Pin {
            key: key.to_owned(),
            _namespace: namespace,
            since: Instant::now(),
        });
        Some(format!("/proc/{}/fd/{descriptor}", std::process::id()))
    }

    /// False if it was not held, or not any more.
    pub fn release(&mut self, key: &str) -> bool {
        let before = self.held.len();
        self.held
            .retain(|pin| pin.key != key && pin.since.elapsed() < LONGEST);
        self.held.len() < before
    }

    /// Lets go of what has been held long enough; when the next has, if any is left.
    pub fn expire(&mut self) -> Option<Instant> {
        self.held.retain(|pin| pin.since.elapsed() < LONGEST);
        self.held.iter().map(|pin| pin.since + LONGEST).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn any() -> File {
        File::open("/dev/null").expect("open")
    }

    #[test]
    fn holds_a_bounded_number_and_one_for_each_key() {
        let mut pins = Pins::default();
        for number in 0..MOST {
            assert!(pins.hold(&number.to_string(), any()).is_some());
        }
        assert_eq!(pins.hold("one more", any()), None);
        assert!(pins.hold("0", any()).is_some(), "replaces its own");
        assert!(pins.release("1"));
        assert!(!pins.release("1"));
        assert!(pins.hold("one more", any()).is_some());
    }

    #[test]
    fn names_a_path_that_leads_to_what_is_held() {
        let mut pins = Pins::default();
        let path = pins.hold("a", any()).expect("held");
        assert_eq!(
            std::fs::read_link(&path).expect("link").to_str(),
            Some("/dev/null")
        );
        assert!(pins.expire().is_some());
    }
}
