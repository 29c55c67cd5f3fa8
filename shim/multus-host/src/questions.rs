//! Answers about a network namespace.

use crate::answer::Answer;
use crate::errno_text;
use crate::links;
use crate::namespace;
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

fn find<T>(path: &str, look: impl FnOnce(File) -> Result<T, Errno>) -> Result<Option<T>, Errno> {
    namespace::open(path)?.map(look).transpose()
}

fn not_found(id: u64) -> Answer {
    Answer::without_body(json!({"id": id, "found": false}))
}

fn refused(id: u64, errno: Errno) -> Answer {
    Answer::error(id, errno, &errno_text::text(errno))
}
