//! Status line and headers of a reply.

use super::{MOST_HEADERS, ReceiveFailure};
use httparse::{Header, ParserConfig, Response as Parsed, Status};

#[derive(Debug, PartialEq, Eq)]
pub enum Framing {
    Length(usize),
    Chunked,
    UntilClose,
}

#[derive(Debug)]
pub struct Head {
    pub status: u16,
    pub failure: Option<String>,
    pub keeps_alive: bool,
    pub framing: Framing,
}

/// Where the head in `bytes` ends, looking from `from` on: after an empty line.
pub fn end_of_head(bytes: &[u8], from: usize) -> Option<usize> {
    let from = from.saturating_sub(3);
    let position = bytes[from..]
        .windows(2)
        .enumerate()
        .find_map(|(at, pair)| match pair {
            b"\n\n" => Some(at + 2),
            b"\n\r" if bytes.get(from + at + 2) == Some(&b'\n') => Some(at + 3),
            _ => None,
        })?;
    Some(from + position)
}

/// # Errors
/// [`ReceiveFailure::Malformed`], and `TooLong` for a body that is announced longer than `longest_body`.
pub fn parse_head(bytes: &[u8], longest_body: usize) -> Result<Head, ReceiveFailure> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut parsed = Parsed::new(&mut headers);
    match ParserConfig::default().parse_response(&mut parsed, bytes) {
        Ok(Status::Complete(_)) => {}
        Ok(Status::Partial) | Err(_) => return Err(ReceiveFailure::Malformed("head")),
    }
    let (Some(status), Some(minor)) = (parsed.code, parsed.version) else {
        return Err(ReceiveFailure::Malformed("status line"));
    };
    let framing = framing(status, parsed.headers, longest_body)?;
    let closes = values(parsed.headers, "connection").any(|value| has_token(value, b"close"));
    Ok(Head {
        status,
        failure: values(parsed.headers, "x-multusd-failure")
            .next()
            .map(|value| String::from_utf8_lossy(value).into_owned()),
        keeps_alive: minor == 1 && !closes && framing != Framing::UntilClose,
        framing,
    })
}

/// RFC 9112 §6.3; two lengths that differ, or a length beside chunks, are refused instead of guessed.
fn framing(
    status: u16,
    headers: &[Header<'_>],
    longest_body: usize,
) -> Result<Framing, ReceiveFailure> {
    if status < 200 || status == 204 || status == 304 {
        return Ok(Framing::Length(0));
    }
    let mut length = None;
    for value in values(headers, "content-length") {
        let stated = parse_length(value).ok_or(ReceiveFailure::Malformed("content-length"))?;
        if length.is_some_and(|other| other != stated) {
            return Err(ReceiveFailure::Malformed("content-length"));
        }
        length = Some(stated);
    }
    let mut encodings = values(headers, "transfer-encoding");
    match (encodings.next(), encodings.next(), length) {
        (None, _, None) => Ok(Framing::UntilClose),
        (None, _, Some(length)) if length > longest_body => Err(ReceiveFailure::TooLong),
        (None, _, Some(length)) => Ok(Framing::Length(length)),
        (Some(value), None, None) if value.eq_ignore_ascii_case(b"chunked") => Ok(Framing::Chunked),
        _ => Err(ReceiveFailure::Malformed("transfer-encoding")),
    }
}

fn values<'a>(headers: &'a [Header<'a>], name: &'a str) -> impl Iterator<Item = &'a [u8]> {
    headers
        .iter()
        .filter(move |header| header.name.eq_ignore_ascii_case(name))
        .map(|header| header.value.trim_ascii())
}

fn has_token(value: &[u8], token: &[u8]) -> bool {
    value
        .split(|b| *b == b',')
        .any(|part| part.trim_ascii().eq_ignore_ascii_case(token))
}

/// Digits only: `parse` alone would take a sign.
fn parse_length(value: &[u8]) -> Option<usize> {
    let text = str::from_utf8(value).ok()?;
    if !text.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(head: &str) -> Result<Head, ReceiveFailure> {
        parse_head(head.as_bytes(), 1000)
    }

    #[test]
    fn the_end_is_an_empty_line_of_either_kind() {
        let head = b"HTTP/1.1 200 OK\r\na: b\r\n\r\nrest";
        assert_eq!(end_of_head(head, 0), Some(head.len() - 4));
        for from in 0..head.len() - 4 {
            assert_eq!(
                end_of_head(&head[..head.len() - 4], from),
                Some(head.len() - 4),
                "{from}"
            );
        }
        assert_eq!(end_of_head(b"HTTP/1.1 200 OK\n\n", 0), Some(17));
        assert_eq!(end_of_head(b"HTTP/1.1 200 OK\r\na: b\r\n", 0), None);
    }

    #[test]
    fn length_chunks_and_close_frame_a_body() {
        assert_eq!(
            parse("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n")
                .unwrap()
                .framing,
            Framing::Length(5)
        );
        assert_eq!(
            parse("HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n")
                .unwrap()
                .framing,
            Framing::Chunked
        );
        assert_eq!(
            parse("HTTP/1.1 200 OK\r\n\r\n").unwrap().framing,
            Framing::UntilClose
        );
        assert_eq!(
            parse("HTTP/1.1 204 No\r\n\r\n").unwrap().framing,
            Framing::Length(0)
        );
    }

    #[test]
    fn framing_that_can_be_read_in_two_ways_is_refused() {
        for headers in [
            "content-length: 5\r\ncontent-length: 6\r\n",
            "content-length: +5\r\n",
            "content-length: \r\n",
            "content-length: 5, 5\r\n",
            "content-length: 99999999999999999999999\r\n",
            "content-length: 5\r\ntransfer-encoding: chunked\r\n",
            "transfer-encoding: gzip, chunked\r\n",
            "transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n",
        ] {
            let head = format!("HTTP/1.1 200 OK\r\n{headers}\r\n");
            assert!(
                matches!(parse(&head), Err(ReceiveFailure::Malformed(_))),
                "{headers}"
            );
        }
        let long = parse("HTTP/1.1 200 OK\r\ncontent-length: 1001\r\n\r\n");
        assert_eq!(long.unwrap_err(), ReceiveFailure::TooLong);
    }

    #[test]
    fn a_connection_stays_only_where_both_sides_know_where_the_reply_ends() {
        assert!(
            parse("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")
                .unwrap()
                .keeps_alive
        );
        assert!(!parse("HTTP/1.1 200 OK\r\n\r\n").unwrap().keeps_alive);
        assert!(
            !parse("HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n")
                .unwrap()
                .keeps_alive
        );
        let closing = parse("HTTP/1.1 200 OK\r\ncontent-length: 0\r\nConnection: x, Close\r\n\r\n");
        assert!(!closing.unwrap().keeps_alive);
    }

    #[test]
    fn the_failure_class_is_handed_on() {
        let head =
            parse("HTTP/1.1 503 No\r\nX-Multusd-Failure:  not-ready \r\ncontent-length: 0\r\n\r\n")
                .unwrap();
        assert_eq!(
            (head.status, head.failure.as_deref()),
            (503, Some("not-ready"))
        );
    }
}
