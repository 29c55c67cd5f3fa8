//! What the daemon asks for, checked.

use serde_json::{Map, Value};
use std::time::Duration;

/// Longer than any container ID; an owner is written to a file for each run.
const MAX_OWNER: usize = 4096;

#[derive(Debug, PartialEq)]
pub enum Request {
    Run(RunRequest),
    Cancel {
        target: u64,
    },
    Identity {
        path: String,
    },
    Links {
        path: String,
    },
    /// Hold the namespace at `path` open under `key`, with its links down.
    Pin {
        path: String,
        key: String,
        /// Whose namespace it must be.
        cookie: String,
    },
    Unpin {
        key: String,
    },
    Hello,
}

#[derive(Debug, PartialEq)]
pub struct RunRequest {
    pub path: String,
    pub environment: Vec<String>,
    pub root: Option<String>,
    pub timeout: Duration,
    pub owner: String,
}

/// A request that can be answered: the rest may be wrong, then it says what.
#[derive(Debug, PartialEq)]
pub struct Envelope {
    pub id: u64,
    pub request: Result<Request, String>,
}

/// `None` for a head that nothing can be answered to: no JSON object, or one without an `id`.
pub fn parse(head: &[u8]) -> Option<Envelope> {
    let head: Map<String, Value> = serde_json::from_slice(head).ok()?;
    let id = head.get("id")?.as_u64()?;
    Some(Envelope {
        id,
        request: parse_operation(&head),
    })
}

fn parse_operation(head: &Map<String, Value>) -> Result<Request, String> {
    match text(head, "op")?.as_str() {
        "run" => parse_run(head).map(Request::Run),
        "cancel" => Ok(Request::Cancel {
            target: number(head, "target")?,
        }),
        "identity" => Ok(Request::Identity {
            path: text(head, "path")?,
        }),
        "links" => Ok(Request::Links {
            path: text(head, "path")?,
        }),
        "pin" => Ok(Request::Pin {
            path: text(head, "path")?,
            key: text(head, "key")?,
            cookie: text(head, "cookie")?,
        }),
        "unpin" => Ok(Request::Unpin {
            key: text(head, "key")?,
        }),
        "hello" => Ok(Request::Hello),
        _ => Err("unknown operation".to_owned()),
    }
}

fn parse_run(head: &Map<String, Value>) -> Result<RunRequest, String> {
    let environment = head
        .get("env")
        .and_then(Value::as_array)
        .and_then(|list| {
            list.iter()
                .map(|item| item.as_str().map(str::to_owned))
                .collect()
        })
        .ok_or("env must be a list of strings")?;
    let root = match head.get("root") {
        None => None,
        Some(_) => Some(text(head, "root")?),
    };
    let owner = text(head, "owner")?;
    if owner.len() > MAX_OWNER {
        return Err("owner is too long".to_owned());
    }
    Ok(RunRequest {
        path: text(head, "path")?,
        environment,
        root,
        timeout: Duration::from_millis(number(head, "timeoutMs")?),
        owner,
    })
}

fn text(head: &Map<String, Value>, key: &str) -> Result<String, String> {
    let value = head.get(key).and_then(Value::as_str);
    value
        .map(str::to_owned)
        .ok_or_else(|| format!("{key} must be a string"))
}

fn number(head: &Map<String, Value>, key: &str) -> Result<u64, String> {
    let value = head.get(key).and_then(Value::as_u64);
    value.ok_or_else(|| format!("{key} must be a whole number, not negative"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_without_a_usable_id_cannot_be_answered() {
        for head in [
            "",
            "[]",
            "{}",
            "{\"id\":-1}",
            "{\"id\":\"1\"}",
            "{\"id\":1} x",
            "\u{0}",
        ] {
            assert_eq!(parse(head.as_bytes()), None, "{head}");
        }
    }

    #[test]
    fn a_wrong_request_with_an_id_says_which_key_is_wrong() {
        let wrong = |head: &str| {
            parse(head.as_bytes())
                .expect("has an id")
                .request
                .unwrap_err()
        };
        assert_eq!(wrong("{\"id\":1}"), "op must be a string");
        assert_eq!(wrong("{\"id\":1,\"op\":\"dance\"}"), "unknown operation");
        assert_eq!(
            wrong("{\"id\":1,\"op\":\"run\",\"env\":[1]}"),
            "env must be a list of strings"
        );
        assert!(wrong("{\"id\":1,\"op\":\"cancel\",\"target\":1.5}").starts_with("target"));
    }
}
