//! A directory of a test with a socket directory and a state directory in it; removed with it.

use std::fs;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

static NEXT: AtomicU32 = AtomicU32::new(0);

pub struct Scratch {
    path: PathBuf,
}

impl Scratch {
    pub fn new() -> Self {
        Self::below(&std::env::temp_dir())
    }

    /// Where ten thousand files cost nothing.
    pub fn in_memory() -> Self {
        let memory = Path::new("/dev/shm");
        if memory.is_dir() {
            Self::below(memory)
        } else {
            Self::new()
        }
    }

    fn below(parent: &Path) -> Self {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = parent.join(format!("shim-test-{}-{number}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::DirBuilder::new().mode(0o700).create(&path).unwrap();
        fs::create_dir(path.join("run")).unwrap();
        Self { path }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn socket(&self) -> PathBuf {
        self.path.join("run/multus.sock")
    }

    /// The state directory: not made yet.
    pub fn state(&self) -> PathBuf {
        self.path.join("state")
    }

    pub fn spool(&self) -> PathBuf {
        self.state().join("spool")
    }

    pub fn strict(&self) -> PathBuf {
        self.state().join("strict")
    }

    /// A directory below, for us alone.
    pub fn make(&self, directory: &Path) {
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(directory)
            .unwrap();
        fs::set_permissions(directory, fs::Permissions::from_mode(0o700)).unwrap();
    }

    /// A configuration that leads here, with further members.
    pub fn config(&self, cni_version: &str, members: &str, shim_members: &str) -> String {
        let comma = |text: &str| if text.is_empty() { "" } else { "," };
        format!(
            r#"{{"cniVersion":"{cni_version}","name":"multus","type":"multus-shim","daemonSocketDir":"{}"{}{members},"shim":{{"spoolDir":"{}"{}{shim_members}}}}}"#,
            self.path.join("run").display(),
            comma(members),
            self.spool().display(),
            comma(shim_members),
        )
    }

    /// Names in the spool, files in the making included.
    pub fn spooled(&self) -> Vec<String> {
        names(&self.spool())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// Names in a directory, sorted; none where it does not exist.
pub fn names(directory: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(directory) else {
        return Vec::new();
    };
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}
