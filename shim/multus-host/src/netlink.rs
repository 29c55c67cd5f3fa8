//! Just enough of netlink to ask for one dump and take it apart.

use nix::errno::Errno;
use nix::sys::socket::{MsgFlags, recv, send, setsockopt, sockopt::ReceiveTimeout};
use nix::sys::time::{TimeVal, TimeValLike};
use std::os::fd::{AsRawFd, OwnedFd};

const HEADER: usize = 16;
/// The kernel fills up to this much where the reader offers it.
const BUFFER: usize = 32 << 10;
const NLMSG_ERROR: u16 = 2;
const NLMSG_DONE: u16 = 3;
const NLM_F_DUMP_INTR: u16 = 0x10;

/// Asks for a dump of all objects and hands the payload of each answer of type `answer` to `take`.
/// `EINTR` if the objects changed meanwhile: what was taken may then have gaps.
pub fn dump(
    socket: &OwnedFd,
    request: u16,
    family_header: &[u8],
    answer: u16,
    take: &mut impl FnMut(&[u8]),
) -> Result<(), Errno> {
    // The kernel answers at once; this only keeps a broken one from holding the loop.
    setsockopt(socket, ReceiveTimeout, &TimeVal::seconds(2))?;
    send(
        socket.as_raw_fd(),
        &message(request, family_header),
        MsgFlags::empty(),
    )?;
    let mut buffer = vec![0; BUFFER];
    let mut interrupted = false;
    loop {
        let count = recv(socket.as_raw_fd(), &mut buffer, MsgFlags::MSG_TRUNC)?;
        let received = buffer.get(..count).ok_or(Errno::EMSGSIZE)?;
        for part in parts(received, HEADER, |header| read_u32(header, 0)) {
            let kind = read_u16(part, 4).ok_or(Errno::EBADMSG)?;
            interrupted |= read_u16(part, 6).ok_or(Errno::EBADMSG)? & NLM_F_DUMP_INTR != 0;
            match kind {
                NLMSG_DONE if interrupted => return Err(Errno::EINTR),
                NLMSG_DONE => return Ok(()),
                NLMSG_ERROR => return Err(error_of(part)),
                kind if kind == answer => take(&part[HEADER..]),
                _ => {}
            }
        }
    }
}

/// Asks for one change and waits for the kernel's word on it.
pub fn change(socket: &OwnedFd, request: u16, family_header: &[u8]) -> Result<(), Errno> {
    const NLM_F_ACK: u16 = 4;
    setsockopt(socket, ReceiveTimeout, &TimeVal::seconds(2))?;
    let bytes = message_with(request, NLM_F_ACK, family_header);
    send(socket.as_raw_fd(), &bytes, MsgFlags::empty())?;
    let mut buffer = vec![0; BUFFER];
    let count = recv(socket.as_raw_fd(), &mut buffer, MsgFlags::MSG_TRUNC)?;
    let received = buffer.get(..count).ok_or(Errno::EMSGSIZE)?;
    match read_u32(received, HEADER) {
        Some(0) => Ok(()),
        Some(_) => Err(error_of(received)),
        None => Err(Errno::EBADMSG),
    }
}

/// Attributes after the family header: type and value.
pub fn attributes(payload: &[u8], family_header: usize) -> impl Iterator<Item = (u16, &[u8])> {
    let bytes = payload.get(family_header..).unwrap_or_default();
    parts(bytes, 4, |header| read_u16(header, 0).map(u32::from))
        .filter_map(|part| Some((read_u16(part, 2)?, part.get(4..)?)))
}

pub fn read_u32(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn read_u16(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_ne_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn error_of(part: &[u8]) -> Errno {
    let number = read_u32(part, HEADER).map_or(0, u32::cast_signed);
    Errno::from_raw(number.saturating_neg())
}

fn message(kind: u16, family_header: &[u8]) -> Vec<u8> {
    const NLM_F_DUMP: u16 = 0x300;
    message_with(kind, NLM_F_DUMP, family_header)
}

fn message_with(kind: u16, flags: u16, family_header: &[u8]) -> Vec<u8> {
    const NLM_F_REQUEST: u16 = 1;
    let length = u32::try_from(HEADER + family_header.len()).unwrap_or(u32::MAX);
    let mut bytes = Vec::with_capacity(HEADER + family_header.len());
    bytes.extend_from_slice(&length.to_ne_bytes());
    bytes.extend_from_slice(&kind.to_ne_bytes());
    bytes.extend_from_slice(&(NLM_F_REQUEST | flags).to_ne_bytes());
    bytes.extend_from_slice(&[0; 8]);
    bytes.extend_from_slice(family_header);
    bytes
}

/// Cuts a run of length-prefixed parts, each padded to four bytes. Stops at one whose length cannot be.
fn parts(
    mut bytes: &[u8],
    header: usize,
    length_of: impl Fn(&[u8]) -> Option<u32>,
) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let length = usize::try_from(length_of(bytes)?).ok()?;
        let part = bytes.get(..length).filter(|_| length >= header)?;
        bytes = bytes.get(length.next_multiple_of(4)..).unwrap_or_default();
        Some(part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_attributes_apart_and_stops_at_a_length_that_cannot_be() {
        let mut bytes = vec![0; 16];
        bytes.extend_from_slice(&[7, 0, 3, 0, b'l', b'o', 0, 0]);
        bytes.extend_from_slice(&[8, 0, 4, 0, 1, 2, 3, 4]);
        bytes.extend_from_slice(&[3, 0, 9, 0]);
        let found: Vec<_> = attributes(&bytes, 16).collect();
        assert_eq!(found, [(3, &b"lo\0"[..]), (4, &[1, 2, 3, 4][..])]);
        assert_eq!(attributes(&[1, 2], 16).count(), 0);
    }
}
