//! Small pieces of JSON text, for messages whose order of keys is part of their format.

/// `text` as a JSON string, quotes included.
pub fn quoted(text: &str) -> String {
    // Serializing a string into memory has no way to fail.
    serde_json::to_string(text).unwrap_or_else(|_| String::from("\"\""))
}

/// An object of strings in the given order.
pub fn object_of_strings<'a>(members: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let mut text = String::from("{");
    for (key, value) in members {
        if text.len() > 1 {
            text.push(',');
        }
        text += &quoted(key);
        text.push(':');
        text += &quoted(value);
    }
    text.push('}');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_keep_their_order_and_control_characters_are_escaped() {
        assert_eq!(
            object_of_strings([("b", "1\n"), ("a", "\"\u{1}")]),
            r#"{"b":"1\n","a":"\"\u0001"}"#
        );
        assert_eq!(object_of_strings([]), "{}");
    }
}
