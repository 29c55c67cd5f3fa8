//! Error numbers in the two forms that the daemon shows: the constant's name and the text that Go prints for it.

use nix::errno::Errno;

/// `ENOENT`; `EUNKNOWN` for a number that has no name.
pub fn name(errno: Errno) -> String {
    match errno {
        Errno::UnknownErrno => "EUNKNOWN".to_owned(),
        known => format!("{known:?}"),
    }
}

/// Go's wording, so that texts which people know from libcni stay greppable: `no such file or directory`.
pub fn text(errno: Errno) -> String {
    let whole = std::io::Error::from(errno).to_string();
    let words = whole.split(" (os error").next().unwrap_or(&whole);
    words.to_lowercase()
}

/// The number behind an I/O error. Those that std makes up itself have none: NUL in a path is `EINVAL`, others `EIO`.
pub fn of(error: &std::io::Error) -> Errno {
    match error.raw_os_error() {
        Some(number) => Errno::from_raw(number),
        None if error.kind() == std::io::ErrorKind::InvalidInput => Errno::EINVAL,
        None => Errno::EIO,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speaks_as_go_does() {
        assert_eq!(text(Errno::ENOEXEC), "exec format error");
        assert_eq!(text(Errno::ETXTBSY), "text file busy");
        assert_eq!(name(Errno::EACCES), "EACCES");
    }
}
