//! What a reply of the daemon means.

use crate::command::Command;
use crate::daemon_failure::DaemonFailure;
use crate::http::Response;
use multus_common::cni_error::{CniError, code};
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use std::fmt;

/// Failure classes that say nothing about the request itself: on DEL as good as no daemon (`docs/wire.md`).
const UNDECIDED_CLASSES: [&str; 3] = ["not-ready", "too-busy", "internal"];

/// What is printed for a reply: the result of an ADD, byte for byte; nothing for every other success.
///
/// # Errors
/// The daemon's own error; or one of ours where the reply is neither.
pub fn judge(command: Command, response: Response) -> Result<Vec<u8>, CniError> {
    if response.status != 200 {
        return Err(error_of(&response));
    }
    if command != Command::Add {
        return Ok(Vec::new());
    }
    require_result(&response.body)?;
    Ok(response.body)
}

/// The error that a reply with another status than 200 holds, or one that says that it holds none.
pub fn error_of(response: &Response) -> CniError {
    CniError::from_json(&response.body).unwrap_or_else(|| {
        let text = format!(
            "multusd replied with HTTP status {} and no CNI error",
            response.status
        );
        CniError::new(code_of_status(response.status), text)
    })
}

/// Of a request that got no reply at all.
pub fn error_of_failure(failure: &DaemonFailure) -> CniError {
    let code = if failure.is_transient() {
        code::TRY_AGAIN_LATER
    } else {
        code::DECODING_FAILURE
    };
    CniError::new(code, failure.text())
}

/// Whether this failure of a DEL is the daemon's decision, or leaves it to the policy.
pub fn decides_delete(response: &Response) -> bool {
    let Some(class) = &response.failure else {
        return response.status == 200;
    };
    response.status != 200
        && !UNDECIDED_CLASSES.contains(&class.as_str())
        && CniError::from_json(&response.body).is_some()
}

fn code_of_status(status: u16) -> u32 {
    match status {
        429 | 502..=504 => code::TRY_AGAIN_LATER,
        _ => code::INTERNAL,
    }
}

fn require_result(body: &[u8]) -> Result<(), CniError> {
    let undecodable = |text: &str| Err(CniError::new(code::DECODING_FAILURE, text));
    // The parser does not look into texts that it passes over.
    if str::from_utf8(body).is_err() {
        return undecodable("the reply of multusd is not UTF-8");
    }
    match serde_json::from_slice::<Shape>(body) {
        Err(_) => undecodable("the reply of multusd is no JSON object"),
        // A daemon that does not know our form: what it says is a success without any interface or address.
        Ok(shape) if shape.is_wrapped => undecodable(
            "the reply is in the form of upstream multus: the socket is not served by multusd",
        ),
        Ok(_) => Ok(()),
    }
}

/// Of a JSON object only what is needed to know that it is a result; memory does not grow with it.
struct Shape {
    /// `{"Result": …}`, upstream's form.
    is_wrapped: bool,
}

impl<'de> Deserialize<'de> for Shape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ShapeVisitor)
    }
}

struct ShapeVisitor;

impl<'de> Visitor<'de> for ShapeVisitor {
    type Value = Shape;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a CNI result")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Shape, A::Error> {
        let mut is_wrapped = false;
        while let Some(key) = members.next_key::<String>()? {
            is_wrapped |= key == "Result";
            members.next_value::<IgnoredAny>()?;
        }
        Ok(Shape { is_wrapped })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response(status: u16, failure: Option<&str>, body: &str) -> Response {
        Response {
            status,
            failure: failure.map(String::from),
            keeps_alive: false,
            body: body.as_bytes().to_vec(),
        }
    }

    const ERROR: &str = r#"{"cniVersion":"1.0.0","code":42,"msg":"no"}"#;

    #[test]
    fn a_result_is_handed_on_byte_for_byte() {
        let body = " {\"cniVersion\":\"1.0.0\",\n \"big\":12345678901234567890}\n";
        assert_eq!(
            judge(Command::Add, response(200, None, body)).unwrap(),
            body.as_bytes()
        );
    }

    #[test]
    fn an_add_without_a_result_is_no_success() {
        for body in [
            "",
            "null",
            "[]",
            "1",
            "{",
            "{}x",
            r#"{"Result":{"ips":[]}}"#,
            "{\"a\":\"\u{1}\"}",
        ] {
            assert_eq!(
                judge(Command::Add, response(200, None, body))
                    .unwrap_err()
                    .code,
                6,
                "{body:?}"
            );
        }
        let mut latin = response(200, None, "");
        latin.body = b"{\"a\":\"\xe9\"}".to_vec();
        assert_eq!(judge(Command::Add, latin).unwrap_err().code, 6);
    }

    #[test]
    fn the_other_commands_print_nothing() {
        for command in [
            Command::Delete,
            Command::Check,
            Command::CollectGarbage,
            Command::Status,
        ] {
            assert_eq!(
                judge(command, response(200, None, "anything")),
                Ok(Vec::new())
            );
        }
    }

    #[test]
    fn an_error_of_the_daemon_keeps_code_text_and_details() {
        let error = judge(
            Command::Check,
            response(502, Some("delegate-failed"), ERROR),
        )
        .unwrap_err();
        assert_eq!((error.code, error.msg.as_str()), (42, "no"));
        assert_eq!(
            judge(Command::Check, response(503, None, "busy"))
                .unwrap_err()
                .code,
            11
        );
        assert_eq!(
            judge(Command::Check, response(418, None, "tea"))
                .unwrap_err()
                .code,
            999
        );
    }

    #[test]
    fn only_a_named_failure_of_the_request_itself_decides_a_delete() {
        assert!(decides_delete(&response(200, None, "")));
        assert!(decides_delete(&response(
            502,
            Some("delegate-failed"),
            ERROR
        )));
        assert!(decides_delete(&response(
            504,
            Some("deadline-exceeded"),
            ERROR
        )));
        assert!(!decides_delete(&response(502, None, ERROR)));
        assert!(!decides_delete(&response(
            502,
            Some("delegate-failed"),
            "junk"
        )));
        assert!(!decides_delete(&response(200, Some("internal"), ERROR)));
        for class in ["not-ready", "too-busy", "internal"] {
            assert!(
                !decides_delete(&response(500, Some(class), ERROR)),
                "{class}"
            );
        }
    }
}
