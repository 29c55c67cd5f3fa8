//! Answers about a network namespace.

use crate::answer::Answer;
use crate::errno_text;
use crate::links;
use crate::namespace;
use crate::pins::Pins;
use nix::errno::Errno;
use serde_json::json;
use std::fs::File;

/// `home` is the namespace to return to.
pub fn identify(id: u64, path: &str, home: &File) -> Answer {
    let look = |namespace: File| namespace::identify(&namespace, home);
    match find(path, look) {
        Ok(Some(identity)) => {
            let (device, inode) = (identity.device, identity.inode);
            let mut head = json!({"id": id, "found": true, "device": device, "inode": inode});
            if let Some(cookie) = identity.cookie {
                head["cookie"] = cookie.into();
            }
            Answer::without_body(head)
        }
        Ok(None) => not_found(id),
        Err(errno) => refused(id, errno),
    }
}

/// `home` is the namespace to return to.
pub fn list_links(id: u64, path: &str, home: &File) -> Answer {
    match find(path, |namespace| links::list(&namespace, home)) {
        Ok(Some(links)) => Answer::without_body(json!({"id": id, "found": true, "links": links})),
        Ok(None) => not_found(id),
        Err(errno) => refused(id, errno),
    }
}

/// Which namespace to hold, and for whom. A path may have been given to another one by now.
pub struct Wanted<'a> {
    pub path: &'a str,
    pub key: &'a str,
    pub cookie: &'a str,
}

/// Holds the namespace open and takes its links down, so that a pod's addresses answer nobody any more.
pub fn pin(id: u64, wanted: &Wanted, home: &File, pins: &mut Pins) -> Answer {
    let held = find(wanted.path, |namespace| {
        let cookie = namespace::identify(&namespace, home)?.cookie;
        if cookie.as_deref() != Some(wanted.cookie) {
            return Ok(None);
        }
        let kept = namespace
            .try_clone()
            .map_err(|error| errno_text::of(&error))?;
        let held = pins.hold(wanted.key, kept);
        if held.is_some() {
            links::take_down(&namespace, home)?;
        }
        Ok(Some(held))
    });
    match held.map(Option::flatten) {
        Ok(Some(Some(path))) => {
            Answer::without_body(json!({"id": id, "found": true, "path": path}))
        }
        Ok(Some(None)) => refused(id, Errno::ENFILE),
        Ok(None) => not_found(id),
        Err(errno) => refused(id, errno),
    }
}

fn find<T>(path: &str, look: impl FnOnce(File) -> Result<T, Errno>) -> Result<Option<T>, Errno> {
    namespace::open(path)?.map(look).transpose()
}

fn not_found(id: u64) -> Answer {
    Answer::without_body(json!({"id": id, "found": false}))
}

fn refused(id: u64, errno: Errno) -> Answer {
    Answer::error(id, errno, &errno_text::text(errno))
}
