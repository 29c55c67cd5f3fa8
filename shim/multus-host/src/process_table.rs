//! `/proc/<pid>/stat`, as far as it tells whether a process is the one that is meant.

use nix::unistd::Pid;
use std::fs::File;
use std::io::Read;

/// One process. `start` is in clock ticks since boot: with the ID it names a process for good.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Process {
    pub pid: Pid,
    pub group: Pid,
    pub session: Pid,
    pub start: u64,
    /// It has ended and only waits for its parent.
    pub zombie: bool,
}

/// `None` if there is no such process.
pub fn find(pid: Pid) -> Option<Process> {
    // One line that the kernel hands out whole; asked for at each start of a program, so in as few calls as can be.
    let mut line = [0; 1024];
    let mut file = File::open(format!("/proc/{pid}/stat")).ok()?;
    let count = file.read(&mut line).ok()?;
    parse(&line[..count])
}

/// All processes; those that come or go meanwhile may be missing.
pub fn list() -> std::io::Result<Vec<Process>> {
    let pids = std::fs::read_dir("/proc")?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .map(Pid::from_raw);
    Ok(pids.filter_map(find).collect())
}

fn parse(stat: &[u8]) -> Option<Process> {
    let stat = String::from_utf8_lossy(stat);
    let pid = stat.split(' ').next()?.parse().ok()?;
    // The second field is the program's own choice and may hold anything, parentheses too.
    let rest = stat.get(stat.rfind(") ")? + 2..)?;
    let fields: Vec<&str> = rest.split(' ').collect();
    let id =
        |index: usize| -> Option<Pid> { Some(Pid::from_raw(fields.get(index)?.parse().ok()?)) };
    Some(Process {
        pid: Pid::from_raw(pid),
        group: id(2)?,
        session: id(3)?,
        start: fields.get(19)?.parse().ok()?,
        zombie: matches!(*fields.first()?, "Z" | "X" | "x"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_calls_itself_what_it_likes_confuses_nobody() {
        let line =
            b"77 (a) R 1 (b) S 3 44 55 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 123456 1000 10\n";
        let process = parse(line).expect("a stat line");
        assert_eq!(process.group, Pid::from_raw(44));
        assert_eq!(process.session, Pid::from_raw(55));
        assert_eq!(process.start, 123_456);
        assert!(!process.zombie);
    }

    #[test]
    fn finds_itself_in_the_list() {
        let own = find(Pid::this()).expect("this process is there");
        assert!(list().expect("/proc is there").contains(&own));
    }
}
