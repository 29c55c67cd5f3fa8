//! The envelope of every durable file (`docs/wire.md`): one line of JSON that knows what it is and whether it is whole.

use sha2::{Digest, Sha256};

const VERSION: u32 = 1;

/// The file's bytes for a body that is JSON text: envelope and line end around it.
pub fn seal(kind: &str, body: &str) -> Vec<u8> {
    let head = head(kind, &sha256_hex(body.as_bytes()));
    let mut file = Vec::with_capacity(head.len() + body.len() + 2);
    file.extend_from_slice(head.as_bytes());
    file.extend_from_slice(body.as_bytes());
    file.extend_from_slice(b"}\n");
    file
}

/// The body inside `file`, if it is an envelope of this kind and nothing of it is lost or changed.
///
/// A newer version opens too: its reader sees how far it knows the body.
pub fn open<'a>(kind: &str, file: &'a [u8]) -> Option<&'a [u8]> {
    let rest = file.strip_prefix(format!(r#"{{"kind":"{kind}","version":"#).as_bytes())?;
    let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    let (version, rest) = rest.split_at(digits);
    if version.is_empty() || version.starts_with(b"0") {
        return None;
    }
    let (hash, rest) = rest.strip_prefix(br#","sha256":""#)?.split_at_checked(64)?;
    let rest = rest.strip_prefix(br#"","body":"#)?;
    let body = rest
        .strip_suffix(b"\n")
        .unwrap_or(rest)
        .strip_suffix(b"}")?;
    (hash == sha256_hex(body).as_bytes()).then_some(body)
}

fn head(kind: &str, sha256: &str) -> String {
    format!(r#"{{"kind":"{kind}","version":{VERSION},"sha256":"{sha256}","body":"#)
}

/// Lower case hexadecimal.
pub fn sha256_hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        text.push(char::from(DIGITS[usize::from(byte >> 4)]));
        text.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_sealed_opens() {
        let file = seal("multusd.strict", r#"{"containerId":"abc"}"#);
        assert_eq!(
            open("multusd.strict", &file),
            Some(&br#"{"containerId":"abc"}"#[..])
        );
        assert_eq!(
            open("multusd.strict", file.trim_ascii_end()),
            open("multusd.strict", &file)
        );
    }

    #[test]
    fn another_kind_and_any_changed_byte_is_refused() {
        let file = seal("multusd.strict", r#"{"containerId":"abc"}"#);
        assert_eq!(open("multusd.ready", &file), None);
        for position in 0..file.len() - 1 {
            let mut changed = file.clone();
            // Not into another digit: a version is whatever its writer's was.
            changed[position] ^= 0x80;
            assert_eq!(open("multusd.strict", &changed), None, "byte {position}");
        }
        for length in 0..file.len() - 1 {
            assert_eq!(
                open("multusd.strict", &file[..length]),
                None,
                "length {length}"
            );
        }
    }

    #[test]
    fn a_newer_version_opens() {
        let newer = |version: &str| {
            String::from_utf8(seal("k", "{}"))
                .unwrap()
                .replace(r#""version":1"#, &format!(r#""version":{version}"#))
        };
        assert_eq!(open("k", newer("12").as_bytes()), Some(&b"{}"[..]));
        for version in ["", "0", "01", "-1", "\"1\""] {
            assert_eq!(open("k", newer(version).as_bytes()), None, "{version}");
        }
    }

    #[test]
    fn the_hash_is_the_known_one() {
        assert_eq!(
            sha256_hex(b"abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
