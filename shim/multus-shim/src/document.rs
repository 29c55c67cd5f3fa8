//! The network configuration on stdin: only the keys that the shim itself needs are looked at, the rest is passed on
//! unread and byte for byte.

use multus_common::cni_error::{CniError, code};
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;
use serde_json::error::Category;
use std::fmt;

/// `Null` where a key is absent or null.
#[derive(Debug, Default, PartialEq)]
pub struct Document {
    pub cni_version: Value,
    pub name: Value,
    pub daemon_socket_dir: Value,
    pub del_error_policy: Value,
    pub shim: Value,
}

impl Document {
    /// As Go's encoding/json reads it: letter case of keys does not count, the last of two wins, null changes nothing,
    /// and the text `null` is an empty object.
    ///
    /// # Errors
    /// Code 6. The text tells where it went wrong and nothing of what stands there: it may be a secret.
    pub fn parse(stdin: &[u8]) -> Result<Self, CniError> {
        serde_json::from_slice(stdin).map_err(|error| {
            let reason = match error.classify() {
                Category::Eof => String::from("unexpected end of JSON input"),
                Category::Data => String::from("not a JSON object"),
                Category::Syntax | Category::Io => {
                    format!(
                        "no valid JSON at line {} column {}",
                        error.line(),
                        error.column()
                    )
                }
            };
            CniError::new(
                code::DECODING_FAILURE,
                format!("error unmarshall network config: {reason}"),
            )
        })
    }

    fn slot(&mut self, key: &str) -> Option<&mut Value> {
        let slots: [(&str, &mut Value); 5] = [
            ("cniVersion", &mut self.cni_version),
            ("name", &mut self.name),
            ("daemonSocketDir", &mut self.daemon_socket_dir),
            ("delErrorPolicy", &mut self.del_error_policy),
            ("shim", &mut self.shim),
        ];
        slots
            .into_iter()
            .find_map(|(known, slot)| known.eq_ignore_ascii_case(key).then_some(slot))
    }
}

impl<'de> Deserialize<'de> for Document {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(DocumentVisitor)
    }
}

struct DocumentVisitor;

impl<'de> Visitor<'de> for DocumentVisitor {
    type Value = Document;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a network configuration")
    }

    fn visit_unit<E>(self) -> Result<Document, E> {
        Ok(Document::default())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Document, A::Error> {
        let mut document = Document::default();
        while let Some(key) = members.next_key::<String>()? {
            let Some(slot) = document.slot(&key) else {
                members.next_value::<IgnoredAny>()?;
                continue;
            };
            let value: Value = members.next_value()?;
            if !value.is_null() {
                *slot = value;
            }
        }
        Ok(document)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_matched_as_go_does() {
        let document = Document::parse(
            br#"{"Name":"a","NAME":"b","name":null,"CNIversion":"1.0.0","x":[{}]}"#,
        )
        .unwrap();
        assert_eq!(document.name, "b");
        assert_eq!(document.cni_version, "1.0.0");
        assert_eq!(Document::parse(b" null ").unwrap(), Document::default());
    }

    #[test]
    fn an_error_tells_where_but_never_what() {
        for text in [
            r#"{"token":"secret""#,
            r#"{"token":"secret",}"#,
            r#"["secret"]"#,
            r#""secret""#,
            r#"{"name":"secret"} secret"#,
            "",
            "{",
            "secret",
            "42",
        ] {
            let error = Document::parse(text.as_bytes()).unwrap_err();
            assert_eq!(error.code, 6, "{text}");
            assert!(!error.msg.contains("secret"), "{}", error.msg);
        }
    }

    #[test]
    fn depth_is_bounded_only_where_values_are_kept() {
        let deep = "[".repeat(100_000) + &"]".repeat(100_000);
        assert!(Document::parse(format!(r#"{{"x":{deep},"name":"a"}}"#).as_bytes()).is_ok());
        assert_eq!(
            Document::parse(format!(r#"{{"name":{deep}}}"#).as_bytes())
                .unwrap_err()
                .code,
            6
        );
    }
}
