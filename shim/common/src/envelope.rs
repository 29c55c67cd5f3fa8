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

/// The body inside `file`, if it is an envelope of this kind and version and nothing of it is lost or changed.
pub fn open<'a>(kind: &str, file: &'a [u8]) -> Option<&'a [u8]> {
    // Writers keep the order of keys, so the head is as long as any other of its kind.
    let length = head(kind, &"0".repeat(64)).len();
    let (found, rest) = file.split_at_checked(length)?;
    let rest = rest.strip_suffix(b"\n").unwrap_or(rest);
    let body = rest.strip_suffix(b"}")?;
    (found == head(kind, &sha256_hex(body)).as_bytes()).then_some(body)
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
            changed[position] ^= 1;
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
    fn the_hash_is_the_known_one() {
        assert_eq!(
            sha256_hex(b"abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
