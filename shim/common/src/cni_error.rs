//! The error object of the CNI specification.

use crate::json::quoted;
use serde_json::Value;

/// Codes of the specification, SPEC.md "Error"; 999 is the reference skeleton's for what has no code.
pub mod code {
    pub const INCOMPATIBLE_VERSION: u32 = 1;
    pub const INVALID_ENVIRONMENT: u32 = 4;
    pub const IO_FAILURE: u32 = 5;
    pub const DECODING_FAILURE: u32 = 6;
    pub const INVALID_CONFIGURATION: u32 = 7;
    pub const INVALID_NAMESPACE: u32 = 8;
    pub const TRY_AGAIN_LATER: u32 = 11;
    pub const NOT_AVAILABLE: u32 = 50;
    pub const INTERNAL: u32 = 999;
}

/// A pod's event and the runtime's log carry the text: beyond this nobody reads it.
const LONGEST_TEXT: usize = 32 * 1024;

/// What a plugin prints when it fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CniError {
    pub code: u32,
    pub msg: String,
    pub details: Option<String>,
}

impl CniError {
    pub fn new(code: u32, msg: impl Into<String>) -> Self {
        Self {
            code,
            msg: msg.into(),
            details: None,
        }
    }

    #[must_use]
    pub fn with_details(mut self, details: impl Into<String>) -> Self {
        self.details = Some(details.into());
        self
    }

    /// The error that `body` holds: a JSON object with a code from 0 to [`u32::MAX`] and a text `msg` that is not
    /// empty. Texts are cut at 32 KiB. Details that are no text are kept as JSON. Code 0, which says nothing, becomes 999.
    pub fn from_json(body: &[u8]) -> Option<Self> {
        let Ok(Value::Object(members)) = serde_json::from_slice(body) else {
            return None;
        };
        let code = match u32::try_from(members.get("code")?.as_u64()?).ok()? {
            0 => code::INTERNAL,
            stated => stated,
        };
        let msg = members
            .get("msg")?
            .as_str()
            .filter(|text| !text.is_empty())?;
        let details = match members.get("details") {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => Some(text.clone()),
            Some(other) => Some(other.to_string()),
        };
        Some(Self {
            code,
            msg: shortened(msg.to_owned()),
            details: details.filter(|text| !text.is_empty()).map(shortened),
        })
    }

    /// One line of JSON without line end; `cni_version` is the caller's.
    pub fn to_json(&self, cni_version: &str) -> String {
        let mut text = format!(
            r#"{{"cniVersion":{},"code":{},"msg":{}"#,
            quoted(cni_version),
            self.code,
            quoted(&self.msg)
        );
        if let Some(details) = &self.details {
            text += r#","details":"#;
            text += &quoted(details);
        }
        text.push('}');
        text
    }
}

fn shortened(mut text: String) -> String {
    if text.len() > LONGEST_TEXT {
        text.truncate(text.floor_char_boundary(LONGEST_TEXT));
        text += " … (cut)";
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_object_is_read_and_printed_alike() {
        let error =
            CniError::from_json(br#"{"code":42,"msg":"a \"b\"","details":"c\n","more":[1]}"#)
                .unwrap();
        assert_eq!(
            error.to_json("1.0.0"),
            r#"{"cniVersion":"1.0.0","code":42,"msg":"a \"b\"","details":"c\n"}"#
        );
    }

    #[test]
    fn code_0_becomes_the_code_of_the_unknown() {
        assert_eq!(
            CniError::from_json(br#"{"code":0,"msg":"a"}"#)
                .unwrap()
                .code,
            999
        );
    }

    #[test]
    fn what_is_no_error_object_is_none() {
        for body in [
            "",
            "{}",
            "null",
            "[]",
            "\"x\"",
            r#"{"code":1}"#,
            r#"{"code":1,"msg":""}"#,
            r#"{"code":-1,"msg":"a"}"#,
            r#"{"code":1.5,"msg":"a"}"#,
            r#"{"code":"1","msg":"a"}"#,
            r#"{"code":4294967296,"msg":"a"}"#,
            r#"{"code":1,"msg":"a"} x"#,
            "{\"code\":1,\"msg\":\"\u{1}\"}",
        ] {
            assert_eq!(CniError::from_json(body.as_bytes()), None, "{body}");
        }
        assert_eq!(CniError::from_json(b"{\"code\":1,\"msg\":\"\xff\"}"), None);
        assert_eq!(CniError::from_json("[".repeat(100_000).as_bytes()), None);
    }

    #[test]
    fn a_text_is_cut_between_characters() {
        let body = format!(r#"{{"code":1,"msg":"a{}"}}"#, "é".repeat(40_000));
        let error = CniError::from_json(body.as_bytes()).unwrap();
        assert!(error.msg.len() < LONGEST_TEXT + 20);
        assert!(error.msg.ends_with("é … (cut)"));
    }
}
