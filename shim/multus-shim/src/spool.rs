//! Where a DEL goes that no daemon took.

use crate::invocation::Invocation;
use crate::policy::Mode;
use crate::spool_entry::{Earlier, SpoolEntry};
use crate::state_names;
use multus_common::boot::read_boot_id;
use multus_common::directory::Directory;
use std::io;

/// More than a node has sandboxes; a spool that is never read must not fill its disk.
const MOST_ENTRIES: usize = 10_000;

/// stdin in base64, and the environment.
const LONGEST_ENTRY: u64 = 32 * 1024 * 1024;

/// Once this returns the whole request is on disk, in one file per container and interface.
///
/// # Errors
/// Where it cannot be written; the caller must not report a success then.
pub fn put(invocation: &Invocation, mode: Mode, reason: &'static str) -> io::Result<()> {
    let environment = &invocation.environment;
    let directory = Directory::open_or_create(&invocation.settings.spool_directory)?;
    directory.require_private()?;
    let name = state_names::spool_entry(environment.container_id(), environment.interface_name());
    let existing = read_existing(&directory, &name);
    if existing.is_none() && directory.count_entries()? >= MOST_ENTRIES {
        let text = format!("it is full ({MOST_ENTRIES} entries)");
        return Err(io::Error::other(text));
    }
    let entry = SpoolEntry {
        boot_id: read_boot_id()?,
        start_ns: invocation.start_ns,
        policy: mode.word(),
        reason,
        ..SpoolEntry::of_call(environment, &invocation.stdin)
    };
    let earlier = existing.and_then(|file| Earlier::read(&file, environment));
    directory.write(&name, &entry.after(earlier).sealed())
}

/// What cannot be read holds nothing that could be kept, and is replaced; but it does stand there, so no entry is added.
fn read_existing(directory: &Directory, name: &str) -> Option<Vec<u8>> {
    directory
        .read(name, LONGEST_ENTRY)
        .unwrap_or_else(|_| Some(Vec::new()))
}
