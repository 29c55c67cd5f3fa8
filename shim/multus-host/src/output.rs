//! What a program prints, kept within bounds.

use std::collections::VecDeque;

pub const MAX_STDOUT: usize = 8 << 20;
pub const MAX_STDERR: usize = 64 << 10;

/// The beginning of a stream: a result that is cut off at its end is recognised as such.
#[derive(Default)]
pub struct Head {
    kept: Vec<u8>,
    pub truncated: bool,
}

impl Head {
    pub fn push(&mut self, bytes: &[u8]) {
        let room = MAX_STDOUT - self.kept.len();
        self.truncated |= bytes.len() > room;
        self.kept.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.kept)
    }
}

/// The end of a stream: where a log says why it failed.
#[derive(Default)]
pub struct Tail {
    kept: VecDeque<u8>,
}

impl Tail {
    pub fn push(&mut self, bytes: &[u8]) {
        let bytes = &bytes[bytes.len().saturating_sub(MAX_STDERR)..];
        let over = (self.kept.len() + bytes.len()).saturating_sub(MAX_STDERR);
        self.kept.drain(..over);
        self.kept.extend(bytes);
    }

    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.kept).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_keeps_the_first_bytes_and_says_when_more_came() {
        let mut head = Head::default();
        head.push(&vec![1; MAX_STDOUT]);
        assert!(!head.truncated);
        head.push(&[]);
        assert!(!head.truncated);
        head.push(&[2]);
        assert!(head.truncated);
        assert_eq!(head.take().len(), MAX_STDOUT);
    }

    #[test]
    fn a_tail_keeps_the_last_bytes_in_order() {
        let mut tail = Tail::default();
        tail.push(&vec![0; MAX_STDERR]);
        tail.push(b"end");
        let kept = tail.take();
        assert_eq!(kept.len(), MAX_STDERR);
        assert!(kept.ends_with(b"\0end"));
        tail.push(&[b"x".repeat(MAX_STDERR), b"yz".to_vec()].concat());
        assert!(tail.take().ends_with(b"xyz"));
    }
}
