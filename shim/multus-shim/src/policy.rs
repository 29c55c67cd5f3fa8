//! What becomes of a DEL that no daemon took (contract "DEL error policy"), as far as the shim needs to know it.

use crate::settings::{Problem, duration, member};
use serde_json::Value;
use std::borrow::Cow;
use std::time::Duration;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Strict,
    Lenient,
    Deferred,
}

impl Mode {
    pub fn word(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Lenient => "lenient",
            Self::Deferred => "deferred",
        }
    }

    fn from_word(word: &str) -> Option<Self> {
        [Self::Strict, Self::Lenient, Self::Deferred]
            .into_iter()
            .find(|mode| mode.word() == word)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    pub mode: Mode,
    /// How long a strict DEL is refused before it is spooled like any other.
    pub escalate_age: Duration,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            mode: Mode::Deferred,
            escalate_age: Duration::from_secs(600),
        }
    }
}

impl Policy {
    /// From `delErrorPolicy` in its string or its object form, the latter also as JSON text, as the daemon takes it. The
    /// daemon reads the keys that are passed over here.
    pub fn read(value: &Value, problems: &mut Vec<Problem>) -> Self {
        let value = from_text(value);
        match value.as_ref() {
            Value::Null => Self::default(),
            Value::Object(members) => Self {
                mode: read_mode("delErrorPolicy.mode", member(members, "mode"), problems),
                escalate_age: read_age(member(members, "escalate"), problems),
            },
            other => Self {
                mode: read_mode("delErrorPolicy", other, problems),
                ..Self::default()
            },
        }
    }
}

fn from_text(value: &Value) -> Cow<'_, Value> {
    match value.as_str().map(str::trim) {
        Some(text) if text.starts_with(['{', '"']) => {
            serde_json::from_str(text).map_or(Cow::Borrowed(value), Cow::Owned)
        }
        _ => Cow::Borrowed(value),
    }
}

fn read_mode(key: &'static str, value: &Value, problems: &mut Vec<Problem>) -> Mode {
    if value.is_null() {
        return Policy::default().mode;
    }
    value
        .as_str()
        .map(str::trim)
        .and_then(Mode::from_word)
        .unwrap_or_else(|| {
            problems.push(Problem {
                key,
                expected: "\"strict\", \"lenient\" or \"deferred\"",
            });
            Policy::default().mode
        })
}

fn read_age(escalate: &Value, problems: &mut Vec<Problem>) -> Duration {
    let age = match escalate {
        Value::Null => None,
        Value::Object(members) => duration(
            "delErrorPolicy.escalate.age",
            member(members, "age"),
            false,
            problems,
        ),
        _ => {
            problems.push(Problem {
                key: "delErrorPolicy.escalate",
                expected: "an object",
            });
            None
        }
    };
    age.unwrap_or(Policy::default().escalate_age)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(value: Value) -> (Policy, usize) {
        let mut problems = Vec::new();
        (Policy::read(&value, &mut problems), problems.len())
    }

    #[test]
    fn both_forms_are_read() {
        assert_eq!(read(json!("strict")).0.mode, Mode::Strict);
        assert_eq!(
            read(json!({"mode": "lenient", "ignore": ["gone"]})),
            (
                Policy {
                    mode: Mode::Lenient,
                    ..Policy::default()
                },
                0
            )
        );
        let (policy, _) = read(json!({"mode": "strict", "escalate": {"age": "3m", "attempts": 2}}));
        assert_eq!(policy.escalate_age, Duration::from_secs(180));
        assert_eq!(read(Value::Null), (Policy::default(), 0));
        assert_eq!(read(json!({})), (Policy::default(), 0));
        assert_eq!(read(json!(" strict ")).0.mode, Mode::Strict);
        assert_eq!(read(json!("{\"mode\":\"strict\"}")).0.mode, Mode::Strict);
    }

    #[test]
    fn what_cannot_be_used_is_a_problem_and_the_default() {
        for value in [
            json!("Strict"),
            json!("{strict}"),
            json!("{\"mode\":1}"),
            json!(1),
            json!([]),
            json!({"mode": 1}),
            json!({"escalate": "10m"}),
            json!({"escalate": {"age": 600}}),
            json!({"escalate": {"age": "0s"}}),
        ] {
            assert_eq!(read(value.clone()), (Policy::default(), 1), "{value}");
        }
    }
}
