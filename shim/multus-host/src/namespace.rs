//! Looking into a network namespace without staying there.

use crate::errno_text;
use crate::log;
use crate::sys;
use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::sched::{CloneFlags, setns};
use nix::sys::socket::{AddressFamily, SockFlag, SockProtocol, SockType, socket};
use nix::sys::statfs::{NSFS_MAGIC, fstatfs};
use std::fs::{File, OpenOptions};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};

/// What makes a namespace the same one, all decimal.
pub struct Identity {
    /// Absent on kernels before 5.14.
    pub cookie: Option<String>,
    pub device: String,
    pub inode: String,
}

/// Which socket to make inside a namespace.
pub struct SocketKind {
    pub family: AddressFamily,
    pub kind: SockType,
    pub protocol: Option<SockProtocol>,
}

/// The namespace at `path`; `None` if nothing is there or it is no network namespace.
///
/// Looks before it opens: opening a FIFO waits for ever, opening a device may do anything.
pub fn open(path: &str) -> Result<Option<File>, Errno> {
    let flags = (OFlag::O_PATH | OFlag::O_CLOEXEC).bits();
    let looked_at = match OpenOptions::new().read(true).custom_flags(flags).open(path) {
        Ok(file) => file,
        Err(error) => {
            return match errno_text::of(&error) {
                Errno::ENOENT | Errno::ENOTDIR | Errno::ELOOP | Errno::ENAMETOOLONG => Ok(None),
                other => Err(other),
            };
        }
    };
    if fstatfs(&looked_at)?.filesystem_type() != NSFS_MAGIC {
        return Ok(None);
    }
    // The same inode, whatever `path` names by now.
    let again = format!("/proc/self/fd/{}", looked_at.as_raw_fd());
    let namespace = File::open(again).map_err(|error| errno_text::of(&error))?;
    let is_network = sys::namespace_type(namespace.as_fd())? == CloneFlags::CLONE_NEWNET.bits();
    Ok(is_network.then_some(namespace))
}

pub fn identify(namespace: &File, home: &File) -> Result<Identity, Errno> {
    let probe = SocketKind {
        family: AddressFamily::Unix,
        kind: SockType::Datagram,
        protocol: None,
    };
    let cookie = match sys::namespace_cookie(socket_inside(namespace, home, &probe)?.as_fd()) {
        Ok(cookie) => Some(cookie.to_string()),
        Err(Errno::ENOPROTOOPT) => None,
        Err(errno) => return Err(errno),
    };
    let metadata = namespace
        .metadata()
        .map_err(|error| errno_text::of(&error))?;
    Ok(Identity {
        cookie,
        device: metadata.dev().to_string(),
        inode: metadata.ino().to_string(),
    })
}

/// A socket of that namespace. It stays there wherever its owner is, so the visit is as short as can be.
pub fn socket_inside(namespace: &File, home: &File, kind: &SocketKind) -> Result<OwnedFd, Errno> {
    setns(namespace, CloneFlags::CLONE_NEWNET)?;
    let made = socket(
        kind.family,
        kind.kind,
        SockFlag::SOCK_CLOEXEC,
        kind.protocol,
    );
    if let Err(errno) = setns(home, CloneFlags::CLONE_NEWNET) {
        // Every program started from here on would run in a pod's namespace.
        log::warn(&format!(
            "cannot return to the host's network namespace: {}",
            errno.desc()
        ));
        std::process::abort();
    }
    made
}
