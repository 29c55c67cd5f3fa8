//! Frames on their way to the daemon.

use crate::answer::Answer;
use crate::frame;
use nix::errno::Errno;
use std::collections::VecDeque;
use std::io::{ErrorKind, Write};

/// Over this much unsent output nothing more is read, neither requests nor programs: a daemon that does not read
/// must not make this process grow.
const HIGH_WATER: usize = 32 << 20;
/// Frames up to this size go out as one piece: one system call here, one wake-up there.
const COALESCE: usize = 64 << 10;

#[derive(Default)]
pub struct Outgoing {
    pieces: VecDeque<Vec<u8>>,
    /// Bytes of the first piece that are out already.
    sent: usize,
    unsent: usize,
}

impl Outgoing {
    pub fn push(&mut self, answer: Answer) {
        let Answer { head, body } = answer;
        let body_length: usize = body.iter().map(Vec::len).sum();
        let Some(mut first) = frame::encode_head(head.to_string().as_bytes(), body_length) else {
            let id = head["id"].as_u64().unwrap_or_default();
            let what = "the answer is longer than a frame can be";
            return self.push(Answer::error(id, Errno::EMSGSIZE, what));
        };
        self.unsent += first.len() + body_length;
        if body_length <= COALESCE {
            body.iter().for_each(|piece| first.extend_from_slice(piece));
            self.pieces.push_back(first);
            return;
        }
        self.pieces.push_back(first);
        self.pieces
            .extend(body.into_iter().filter(|piece| !piece.is_empty()));
    }

    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    pub fn is_full(&self) -> bool {
        self.unsent > HIGH_WATER
    }

    /// Writes as much as `target` takes without waiting. An error means that nobody reads any more.
    pub fn flush(&mut self, target: &mut impl Write) -> std::io::Result<()> {
        while let Some(piece) = self.pieces.front() {
            match target.write(&piece[self.sent..]) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(count) => {
                    self.unsent -= count;
                    self.sent += count;
                    if self.sent == piece.len() {
                        self.pieces.pop_front();
                        self.sent = 0;
                    }
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn an_answer_over_the_bounds_becomes_an_error_of_the_same_id() {
        let mut outgoing = Outgoing::default();
        let head = json!({"id": 7, "text": "x".repeat(frame::MAX_HEAD)});
        outgoing.push(Answer::without_body(head));
        let mut bytes = Vec::new();
        outgoing.flush(&mut bytes).expect("a vector takes all");
        let mut reader = frame::FrameReader::default();
        reader.push(&bytes);
        let frame = reader.next_frame().expect("in bounds").expect("whole");
        let head: Value = serde_json::from_slice(&frame.head).expect("JSON");
        assert_eq!(head["id"], 7);
        assert_eq!(head["error"]["errno"], "EMSGSIZE");
    }

    #[test]
    fn is_full_once_more_waits_than_the_bound_and_free_again_when_it_is_out() {
        let mut outgoing = Outgoing::default();
        outgoing.push(Answer {
            head: json!({"id": 1}),
            body: vec![vec![0; 31 << 20]],
        });
        assert!(!outgoing.is_full());
        outgoing.push(Answer {
            head: json!({"id": 2}),
            body: vec![vec![0; 2 << 20]],
        });
        assert!(outgoing.is_full());
        outgoing
            .flush(&mut std::io::sink())
            .expect("a sink takes all");
        assert!(!outgoing.is_full() && outgoing.is_empty());
    }
}
