//! What goes back to the daemon.

use crate::errno_text;
use crate::exec::NotStarted;
use nix::errno::Errno;
use serde_json::{Value, json};

/// A head, and the pieces that one after the other are the body.
pub struct Answer {
    pub head: Value,
    pub body: Vec<Vec<u8>>,
}

impl Answer {
    pub fn without_body(head: Value) -> Answer {
        Answer {
            head,
            body: Vec::new(),
        }
    }

    /// The request cannot be served.
    pub fn error(id: u64, errno: Errno, message: &str) -> Answer {
        let error = json!({"errno": errno_text::name(errno), "message": message});
        Answer::without_body(json!({"id": id, "error": error}))
    }

    /// The program never ran.
    pub fn not_started(id: u64, failure: &NotStarted) -> Answer {
        Answer::without_body(json!({
            "id": id, "ended": "not-started", "reason": failure.reason,
            "errno": errno_text::name(failure.errno), "message": failure.message,
        }))
    }

    /// The run was called off before the program ran.
    pub fn cancelled(id: u64) -> Answer {
        Answer::without_body(json!({
            "id": id, "ended": "cancelled", "stdoutLength": 0, "stderrLength": 0,
            "stdoutTruncated": false, "maxRssKib": 0, "wallMs": 0,
        }))
    }
}
