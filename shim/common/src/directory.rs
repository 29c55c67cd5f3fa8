//! A directory of durable files, held by its descriptor: what is checked is what is then written to.

use nix::dir::Dir;
use nix::errno::Errno;
use nix::fcntl::{OFlag, openat, renameat};
use nix::sys::stat::Mode;
use nix::unistd::{UnlinkatFlags, geteuid, unlinkat};
use std::fs::{DirBuilder, File, Metadata};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::Path;

/// Tries at a temporary name before giving up: names are taken only by the leftovers of a killed process that had our pid.
const TEMPORARY_NAMES: u32 = 64;

/// An open directory.
pub struct Directory {
    handle: File,
}

impl Directory {
    /// # Errors
    /// `NotFound` where nothing is there, `NotADirectory` where something else is.
    pub fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
        let handle = openat(nix::fcntl::AT_FDCWD, path, flags, Mode::empty())?;
        Ok(Self {
            handle: File::from(handle),
        })
    }

    /// Opens it; makes it and the parents that are missing, each 0700 and durable.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn open_or_create(path: &Path) -> io::Result<Self> {
        match Self::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                create_durably(path)?;
                Self::open(path)
            }
            other => other,
        }
    }

    /// Nobody but root and ourselves may own it or write to it: its entries make root delete things.
    ///
    /// # Errors
    /// `PermissionDenied` with the reason.
    pub fn require_private(&self) -> io::Result<()> {
        match exposure(&self.handle.metadata()?) {
            None => Ok(()),
            Some(reason) => Err(io::Error::new(io::ErrorKind::PermissionDenied, reason)),
        }
    }

    /// Once this returns, a crash or power cut leaves `name` whole with these bytes. Before that, and where it fails,
    /// the old file is there or none, never half a one. Mode 0600.
    ///
    /// # Errors
    /// Those of the file system; `IsADirectory` where a directory has the name.
    pub fn write(&self, name: &str, contents: &[u8]) -> io::Result<()> {
        let (temporary, file) = self.create_temporary(name)?;
        let written = fill(file, contents).and_then(|()| {
            renameat(&self.handle, temporary.as_str(), &self.handle, name).map_err(io::Error::from)
        });
        if let Err(error) = written {
            // The first error is the one to tell; a temporary that stays is passed over by every reader.
            let _ = unlinkat(&self.handle, temporary.as_str(), UnlinkatFlags::NoRemoveDir);
            return Err(error);
        }
        self.handle.sync_all()
    }

    fn create_temporary(&self, name: &str) -> io::Result<(String, File)> {
        let flags =
            OFlag::O_WRONLY | OFlag::O_CREAT | OFlag::O_EXCL | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
        let mode = Mode::S_IRUSR | Mode::S_IWUSR;
        for n in 0..TEMPORARY_NAMES {
            let temporary = format!(".{name}.{}.{n}.tmp", std::process::id());
            match openat(&self.handle, temporary.as_str(), flags, mode) {
                Ok(descriptor) => return Ok((temporary, File::from(descriptor))),
                Err(Errno::EEXIST) => {}
                Err(errno) => return Err(errno.into()),
            }
        }
        Err(Errno::EEXIST.into())
    }

    /// The bytes of a regular file, `None` where nothing is there.
    ///
    /// # Errors
    /// Those of the file system; `InvalidData` for what is no regular file or longer than `limit`.
    pub fn read(&self, name: &str, limit: u64) -> io::Result<Option<Vec<u8>>> {
        // O_NONBLOCK: a FIFO in a file's place must not hold us.
        let flags = OFlag::O_RDONLY | OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK | OFlag::O_CLOEXEC;
        let file = match openat(&self.handle, name, flags, Mode::empty()) {
            Ok(descriptor) => File::from(descriptor),
            Err(Errno::ENOENT) => return Ok(None),
            Err(errno) => return Err(errno.into()),
        };
        if !file.metadata()?.is_file() {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "not a regular file",
            ));
        }
        let mut contents = Vec::new();
        file.take(limit + 1).read_to_end(&mut contents)?;
        if contents.len() as u64 > limit {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "longer than it can be",
            ));
        }
        Ok(Some(contents))
    }

    /// How many entries do not begin with a dot; those that do are files in the making.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn count_entries(&self) -> io::Result<usize> {
        let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
        let mut entries = Dir::openat(&self.handle, ".", flags, Mode::empty())?;
        let mut count = 0;
        for entry in entries.iter() {
            if !entry?.file_name().to_bytes().starts_with(b".") {
                count += 1;
            }
        }
        Ok(count)
    }
}

fn exposure(metadata: &Metadata) -> Option<&'static str> {
    let owner = metadata.uid();
    if owner != 0 && owner != geteuid().as_raw() {
        return Some("owned by another user than root");
    }
    (metadata.mode() & 0o022 != 0).then_some("writable by group or others")
}

fn fill(mut file: File, contents: &[u8]) -> io::Result<()> {
    file.write_all(contents)?;
    file.sync_all()
}

/// A new directory is durable only once its parent is on disk: without that a power cut takes its files too.
fn create_durably(path: &Path) -> io::Result<()> {
    let parent = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    let Some(parent) = parent else {
        return Err(io::Error::from(io::ErrorKind::NotFound));
    };
    let parent = Directory::open_or_create(parent)?;
    match DirBuilder::new().mode(0o700).create(path) {
        Ok(()) => {}
        // Another process was faster.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(error),
    }
    parent.handle.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::path::PathBuf;

    struct Scratch(PathBuf);

    impl Scratch {
        fn new(test: &str) -> Self {
            let path =
                std::env::temp_dir().join(format!("multus-common-{test}-{}", std::process::id()));
            fs::create_dir_all(&path).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
            Self(path)
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn missing_parents_are_made_for_us_alone() {
        let scratch = Scratch::new("parents");
        let deep = scratch.0.join("a/b/spool");

        Directory::open_or_create(&deep)
            .unwrap()
            .require_private()
            .unwrap();

        for made in [scratch.0.join("a"), scratch.0.join("a/b"), deep] {
            assert_eq!(fs::metadata(made).unwrap().mode() & 0o777, 0o700);
        }
    }

    #[test]
    fn a_write_replaces_the_file_and_leaves_nothing_else() {
        let scratch = Scratch::new("replace");
        let directory = Directory::open(&scratch.0).unwrap();

        directory.write("x.json", b"old and longer").unwrap();
        directory.write("x.json", b"new").unwrap();

        assert_eq!(directory.read("x.json", 100).unwrap().unwrap(), b"new");
        assert_eq!(fs::read_dir(&scratch.0).unwrap().count(), 1);
        assert_eq!(
            fs::metadata(scratch.0.join("x.json")).unwrap().mode() & 0o777,
            0o600
        );
    }

    #[test]
    fn a_write_that_fails_leaves_no_temporary_file() {
        let scratch = Scratch::new("fails");
        fs::create_dir(scratch.0.join("x.json")).unwrap();
        let directory = Directory::open(&scratch.0).unwrap();

        assert!(directory.write("x.json", b"new").is_err());

        assert_eq!(fs::read_dir(&scratch.0).unwrap().count(), 1);
    }

    #[test]
    fn the_leftover_of_a_killed_process_with_our_pid_is_no_obstacle() {
        let scratch = Scratch::new("leftover");
        fs::write(
            scratch.0.join(format!(".x.{}.0.tmp", std::process::id())),
            b"half",
        )
        .unwrap();
        let directory = Directory::open(&scratch.0).unwrap();

        directory.write("x", b"whole").unwrap();

        assert_eq!(directory.read("x", 100).unwrap().unwrap(), b"whole");
        assert_eq!(directory.count_entries().unwrap(), 1);
    }

    #[test]
    fn only_bounded_regular_files_are_read() {
        let scratch = Scratch::new("read");
        let directory = Directory::open(&scratch.0).unwrap();
        fs::write(scratch.0.join("long"), b"12345").unwrap();
        fs::create_dir(scratch.0.join("folder")).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", scratch.0.join("link")).unwrap();

        assert!(directory.read("missing", 4).unwrap().is_none());
        assert!(directory.read("long", 4).is_err());
        assert!(directory.read("folder", 4).is_err());
        assert!(directory.read("link", 1 << 20).is_err());
    }

    #[test]
    fn a_directory_that_others_can_write_to_is_not_private() {
        let scratch = Scratch::new("exposed");
        for mode in [0o770, 0o707, 0o777, 0o1777] {
            fs::set_permissions(&scratch.0, fs::Permissions::from_mode(mode)).unwrap();
            let error = Directory::open(&scratch.0)
                .unwrap()
                .require_private()
                .unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::PermissionDenied, "{mode:o}");
        }
    }
}
