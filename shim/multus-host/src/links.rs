//! All links of a network namespace.

use crate::log;
use crate::namespace::{SocketKind, socket_inside};
use crate::netlink;
use nix::errno::Errno;
use nix::sys::socket::{AddressFamily, SockProtocol, SockType};
use serde_json::{Value, json};
use std::fs::File;

const RTM_NEWLINK: u16 = 16;
const RTM_GETLINK: u16 = 18;
/// `struct ifinfomsg`: index at 4, flags at 8.
const IFINFOMSG: usize = 16;
const IFLA_ADDRESS: u16 = 1;
const IFLA_IFNAME: u16 = 3;
const IFLA_MTU: u16 = 4;
const IFF_UP: u32 = 1;
/// A dump that was interrupted by changes is asked for again this often.
const ATTEMPTS: usize = 5;

/// In the kernel's order. `EINTR` if the links kept changing while they were read.
pub fn list(namespace: &File, home: &File) -> Result<Vec<Value>, Errno> {
    let route = SocketKind {
        family: AddressFamily::Netlink,
        kind: SockType::Raw,
        protocol: Some(SockProtocol::NetlinkRoute),
    };
    let mut last = Errno::EINTR;
    for _ in 0..ATTEMPTS {
        let socket = socket_inside(namespace, home, &route)?;
        let mut links = Vec::new();
        let mut take = |payload: &[u8]| links.extend(describe(payload));
        match netlink::dump(
            &socket,
            RTM_GETLINK,
            &[0; IFINFOMSG],
            RTM_NEWLINK,
            &mut take,
        ) {
            Ok(()) => return Ok(links),
            Err(Errno::EINTR) => last = Errno::EINTR,
            Err(errno) => return Err(errno),
        }
    }
    Err(last)
}

/// Sets every link down but the loopback. A link that refuses is left as it is.
pub fn take_down(namespace: &File, home: &File) -> Result<(), Errno> {
    let route = SocketKind {
        family: AddressFamily::Netlink,
        kind: SockType::Raw,
        protocol: Some(SockProtocol::NetlinkRoute),
    };
    let up = list(namespace, home)?;
    for link in up
        .iter()
        .filter(|link| link["up"] == true && link["name"] != "lo")
    {
        let index = link["index"]
            .as_u64()
            .and_then(|index| u32::try_from(index).ok());
        let mut header = [0; IFINFOMSG];
        header[4..8].copy_from_slice(&index.unwrap_or_default().to_ne_bytes());
        // Flags stay 0 and the mask names the one to change.
        header[12..16].copy_from_slice(&IFF_UP.to_ne_bytes());
        let socket = socket_inside(namespace, home, &route)?;
        if let Err(errno) = netlink::change(&socket, RTM_NEWLINK, &header) {
            log::warn(&format!(
                "a link of a held namespace stays up: {}",
                errno.desc()
            ));
        }
    }
    Ok(())
}

fn describe(payload: &[u8]) -> Option<Value> {
    let index = netlink::read_u32(payload, 4)?;
    let flags = netlink::read_u32(payload, 8)?;
    let (mut name, mut mac, mut mtu) = (String::new(), String::new(), 0);
    for (kind, value) in netlink::attributes(payload, IFINFOMSG) {
        match kind {
            IFLA_IFNAME => {
                name = String::from_utf8_lossy(value)
                    .trim_end_matches('\0')
                    .to_owned()
            }
            IFLA_ADDRESS => mac = hexadecimal(value),
            IFLA_MTU => mtu = netlink::read_u32(value, 0)?,
            _ => {}
        }
    }
    Some(json!({"name": name, "index": index, "mac": mac, "mtu": mtu, "up": flags & IFF_UP != 0}))
}

/// `0a:58:…`, however long: InfiniBand has 20 bytes, a tunnel none.
fn hexadecimal(address: &[u8]) -> String {
    let bytes: Vec<String> = address.iter().map(|byte| format!("{byte:02x}")).collect();
    bytes.join(":")
}
