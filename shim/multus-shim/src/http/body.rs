//! The chunked form of a body, decoded as it comes (RFC 9112 §7.1).

use super::ReceiveFailure;

const LONGEST_LINE: usize = 1024;
const MALFORMED: ReceiveFailure = ReceiveFailure::Malformed("chunk");

#[derive(Debug, Clone, Copy)]
enum Expecting {
    SizeLine,
    Data(usize),
    LineEnd,
    Trailer,
}

/// Takes the wire's bytes in pieces of any size and keeps the body's.
pub struct ChunkDecoder {
    expecting: Expecting,
    body: Vec<u8>,
    longest_body: usize,
    trailer_length: usize,
}

impl ChunkDecoder {
    pub fn new(longest_body: usize) -> Self {
        Self {
            expecting: Expecting::SizeLine,
            body: Vec::new(),
            longest_body,
            trailer_length: 0,
        }
    }

    /// Takes as much of `bytes` as can be understood now. `true` once the body is whole.
    ///
    /// # Errors
    /// What is no chunk, and a body that grows over its bound.
    pub fn take(&mut self, bytes: &[u8]) -> Result<(usize, bool), ReceiveFailure> {
        let mut taken = 0;
        loop {
            let rest = &bytes[taken..];
            match self.expecting {
                Expecting::Data(left) => {
                    let length = left.min(rest.len());
                    self.body.extend_from_slice(&rest[..length]);
                    taken += length;
                    if length < left {
                        self.expecting = Expecting::Data(left - length);
                        return Ok((taken, false));
                    }
                    self.expecting = Expecting::LineEnd;
                }
                Expecting::SizeLine | Expecting::LineEnd | Expecting::Trailer => {
                    let Some((line, length)) = split_line(rest)? else {
                        return Ok((taken, false));
                    };
                    taken += length;
                    if self.take_line(line, length)? {
                        return Ok((taken, true));
                    }
                }
            }
        }
    }

    pub fn into_body(self) -> Vec<u8> {
        self.body
    }

    fn take_line(&mut self, line: &[u8], length: usize) -> Result<bool, ReceiveFailure> {
        match self.expecting {
            Expecting::SizeLine => {
                let size = parse_size(line)?;
                if size > self.longest_body - self.body.len() {
                    return Err(ReceiveFailure::TooLong);
                }
                self.expecting = if size == 0 {
                    Expecting::Trailer
                } else {
                    Expecting::Data(size)
                };
            }
            Expecting::Trailer => {
                self.trailer_length += length;
                if self.trailer_length > super::LONGEST_HEAD {
                    return Err(ReceiveFailure::TooLong);
                }
                return Ok(line.is_empty());
            }
            _ if line.is_empty() => self.expecting = Expecting::SizeLine,
            _ => return Err(MALFORMED),
        }
        Ok(false)
    }
}

/// The first line without its end, and its length with it; `None` while it has none yet.
fn split_line(bytes: &[u8]) -> Result<Option<(&[u8], usize)>, ReceiveFailure> {
    match bytes.iter().take(LONGEST_LINE).position(|b| *b == b'\n') {
        Some(end) => {
            let line = &bytes[..end];
            Ok(Some((line.strip_suffix(b"\r").unwrap_or(line), end + 1)))
        }
        None if bytes.len() >= LONGEST_LINE => Err(MALFORMED),
        None => Ok(None),
    }
}

fn parse_size(line: &[u8]) -> Result<usize, ReceiveFailure> {
    let digits = line
        .split(|b| *b == b';')
        .next()
        .unwrap_or(line)
        .trim_ascii();
    let text = str::from_utf8(digits).map_err(|_| MALFORMED)?;
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Err(MALFORMED);
    }
    usize::from_str_radix(text, 16).map_err(|_| ReceiveFailure::TooLong)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(
        wire: &[u8],
        piece: usize,
        longest: usize,
    ) -> Result<Option<Vec<u8>>, ReceiveFailure> {
        let mut decoder = ChunkDecoder::new(longest);
        let mut waiting = Vec::new();
        for part in wire.chunks(piece) {
            waiting.extend_from_slice(part);
            let (taken, whole) = decoder.take(&waiting)?;
            waiting.drain(..taken);
            if whole {
                return Ok(Some(decoder.into_body()));
            }
        }
        Ok(None)
    }

    #[test]
    fn pieces_of_any_size_give_the_same_body() {
        let wire = b"5;x=\"y\"\r\nhello\r\n1\r\n \r\n00A\r\n0123456789\r\n0\r\nt: v\r\n\r\n";
        for piece in 1..wire.len() + 1 {
            assert_eq!(
                decode(wire, piece, 100).unwrap().unwrap(),
                b"hello 0123456789"
            );
        }
    }

    #[test]
    fn a_body_that_is_cut_off_is_never_whole() {
        let wire = b"5\r\nhello\r\n0\r\n\r\n";
        for length in 0..wire.len() {
            assert_eq!(decode(&wire[..length], 7, 100), Ok(None), "{length}");
        }
    }

    #[test]
    fn size_and_lines_are_bounded() {
        assert_eq!(
            decode(b"5\r\nhello\r\n6\r\n", 1, 10),
            Err(ReceiveFailure::TooLong)
        );
        assert_eq!(
            decode(b"ffffffffffffffffff\r\n", 1, 10),
            Err(ReceiveFailure::TooLong)
        );
        assert_eq!(decode("1".repeat(2000).as_bytes(), 1, 10), Err(MALFORMED));
        let trailer = format!("0\r\n{}", "t: v\r\n".repeat(20_000));
        assert_eq!(
            decode(trailer.as_bytes(), 1000, 10),
            Err(ReceiveFailure::TooLong)
        );
    }

    #[test]
    fn what_is_no_chunk_is_refused() {
        for wire in [
            "x\r\n",
            "\r\n",
            "-1\r\n",
            "5\r\nhelloo\r\n",
            "0x5\r\n",
            "5 5\r\n",
        ] {
            assert_eq!(decode(wire.as_bytes(), 1, 100), Err(MALFORMED), "{wire:?}");
        }
    }
}
