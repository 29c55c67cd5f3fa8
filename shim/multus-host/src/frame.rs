//! The frame of `docs/multus-host.md`: two lengths, a JSON head, raw bytes.

pub const MAX_HEAD: usize = 1 << 20;
pub const MAX_BODY: usize = 32 << 20;
const PREFIX: usize = 8;

#[derive(Debug, PartialEq)]
pub struct Frame {
    pub head: Vec<u8>,
    pub body: Vec<u8>,
}

/// The two sides do not agree where a frame begins: nothing that follows can be trusted.
#[derive(Debug, PartialEq)]
pub struct LengthOverBound;

/// Puts frames together from whatever pieces arrive. Grows with what came, never with what a length promises.
#[derive(Default)]
pub struct FrameReader {
    buffer: Vec<u8>,
}

impl FrameReader {
    pub fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// The next whole frame, `None` until one is there.
    pub fn next_frame(&mut self) -> Result<Option<Frame>, LengthOverBound> {
        let Some(prefix) = self.buffer.first_chunk::<PREFIX>() else {
            return Ok(None);
        };
        let head_length = length(&prefix[..4]);
        let body_length = length(&prefix[4..]);
        if head_length > MAX_HEAD || body_length > MAX_BODY {
            return Err(LengthOverBound);
        }
        let end = PREFIX + head_length + body_length;
        if self.buffer.len() < end {
            return Ok(None);
        }
        let rest = self.buffer.split_off(end);
        let mut whole = std::mem::replace(&mut self.buffer, rest);
        let body = whole.split_off(PREFIX + head_length);
        whole.drain(..PREFIX);
        Ok(Some(Frame { head: whole, body }))
    }
}

/// Lengths and head of a frame whose body has `body_length` bytes; `None` where a bound would be broken.
pub fn encode_head(head: &[u8], body_length: usize) -> Option<Vec<u8>> {
    if head.len() > MAX_HEAD || body_length > MAX_BODY {
        return None;
    }
    let mut bytes = Vec::with_capacity(PREFIX + head.len());
    bytes.extend_from_slice(&u32::try_from(head.len()).ok()?.to_be_bytes());
    bytes.extend_from_slice(&u32::try_from(body_length).ok()?.to_be_bytes());
    bytes.extend_from_slice(head);
    Some(bytes)
}

fn length(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .fold(0, |sum, byte| (sum << 8) | usize::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(head: &[u8], body: &[u8]) -> Vec<u8> {
        let mut bytes = encode_head(head, body.len()).expect("in bounds");
        bytes.extend_from_slice(body);
        bytes
    }

    #[test]
    fn finds_frames_in_any_cut_of_the_stream() {
        let stream = [encoded(b"{}", b"abc"), encoded(b"{\"a\":1}", b"")].concat();
        for cut in 1..stream.len() {
            let mut reader = FrameReader::default();
            let mut found = Vec::new();
            for piece in stream.chunks(cut) {
                reader.push(piece);
                while let Some(frame) = reader.next_frame().expect("in bounds") {
                    found.push(frame);
                }
            }
            assert_eq!(found.len(), 2, "cut {cut}");
            assert_eq!(found[0].body, b"abc");
            assert_eq!(found[1].head, b"{\"a\":1}");
        }
    }

    #[test]
    fn refuses_a_length_over_its_bound_before_any_byte_of_it_came() {
        let mut reader = FrameReader::default();
        reader.push(&[0, 0x10, 0, 1, 0, 0, 0, 0]);
        assert_eq!(reader.next_frame(), Err(LengthOverBound));
        let mut reader = FrameReader::default();
        reader.push(&[0, 0, 0, 2, 2, 0, 0, 1]);
        assert_eq!(reader.next_frame(), Err(LengthOverBound));
    }
}
