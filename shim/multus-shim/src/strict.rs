//! What keeps a DEL strict while no daemon is there, and for how long: two small files per container beside the spool.

use crate::invocation::Invocation;
use crate::stamp::{Age, LONGEST_STAMP, Stamp};
use crate::state_names;
use multus_common::directory::Directory;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

const REFUSAL: &str = "multusd.refusal";

/// Whether the daemon left the marker that one of this container's networks is strict.
///
/// It counts by being there, whatever is in it. A directory that cannot be looked into counts as holding it: a wrong
/// refusal is repeated, a wrong success is final.
pub fn is_marked(invocation: &Invocation) -> bool {
    let marker = state_names::strict_marker(invocation.environment.container_id());
    match directory_of(invocation).join(marker).symlink_metadata() {
        Ok(_) => true,
        Err(error) => !matches!(
            error.kind(),
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
        ),
    }
}

/// Whether this container's DEL was refused for the first time longer ago than `age`. If it never was, this is the first
/// time, and is written down.
///
/// # Errors
/// Where that could not be written: the container would then be refused for ever, which has to be told.
pub fn has_escalated(invocation: &Invocation, age: Duration) -> io::Result<bool> {
    let directory = Directory::open_or_create(&directory_of(invocation))?;
    directory.require_private()?;
    let name = state_names::refusal(invocation.environment.container_id());
    let now = Stamp::now()?;
    // A stamp that cannot be read says nothing of the time: counting starts again.
    let file = directory.read(&name, LONGEST_STAMP).unwrap_or_default();
    let first = file.and_then(|file| Stamp::read(REFUSAL, &file));
    match first.and_then(|first| first.age_at(&now)) {
        // Nothing that ran in another boot is left running.
        Some(Age::OfAnotherBoot) => Ok(true),
        Some(Age::OfThisBoot(elapsed)) => Ok(elapsed > age),
        None => {
            directory.write(&name, &now.sealed(REFUSAL))?;
            Ok(false)
        }
    }
}

fn directory_of(invocation: &Invocation) -> PathBuf {
    // By name, not through `..`: the spool itself may not exist yet, and may be a link to elsewhere.
    invocation.settings.spool_directory.with_file_name("strict")
}
