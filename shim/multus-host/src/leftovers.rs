//! Ends what an earlier host left running, before anybody works on the same sandbox again.

use crate::log;
use crate::process_table::{self, Process};
use crate::record::{ProcessKey, Record, Records};
use crate::sys;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

/// How long an earlier host has to end by itself, and then how long what it ran has to be gone.
const PATIENCE: Duration = Duration::from_secs(1);
/// Looks again this often, for processes that were just being forked and for kernels without pidfd.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

pub struct Ended {
    pub owner: String,
    pub group: Pid,
}

/// Ends the group of every record of this boot and process ID namespace; returns those that still ran.
pub fn end(records: &Records) -> std::io::Result<Vec<Ended>> {
    let (ours, elsewhere): (Vec<_>, Vec<_>) = records
        .load()?
        .into_iter()
        .partition(|record| record.place == *records.place());
    for record in elsewhere {
        records.remove(record.leader.pid);
    }
    if ours.is_empty() {
        return Ok(Vec::new());
    }
    end_hosts(&ours)?;
    end_groups(records, ours)
}

/// A host that still lives is about to end, for its daemon has gone, or hangs: no two work on one directory. After
/// its time it is ended, so that a frozen one holds nobody up.
fn end_hosts(records: &[Record]) -> std::io::Result<()> {
    let mut hosts: Vec<ProcessKey> = records.iter().map(|record| record.host).collect();
    hosts.sort_by_key(|host| host.pid.as_raw());
    hosts.dedup();
    hosts.retain(|host| host.pid != Pid::this());
    let alive = |hosts: &[ProcessKey]| -> Vec<Process> {
        let found = hosts.iter().filter_map(|host| same_process(*host));
        found.filter(|process| !process.zombie).collect()
    };
    wait_for_end(|| Ok(alive(&hosts)))?;
    for process in alive(&hosts) {
        log::warn("an earlier multus-host did not end and has been killed");
        let _ = kill(process.pid, Signal::SIGKILL);
    }
    wait_for_end(|| Ok(alive(&hosts)))
}

fn end_groups(records: &Records, mut left: Vec<Record>) -> std::io::Result<Vec<Ended>> {
    let mut ended: Vec<Ended> = Vec::new();
    wait_for_end(|| {
        let table = process_table::list()?;
        let mut members = Vec::new();
        left.retain(|record| {
            let found = members_of(record, &table);
            if found.is_empty() {
                records.remove(record.leader.pid);
                return false;
            }
            // At once after the look: the number cannot have been given away as long as a member lives.
            let _ = killpg(record.leader.pid, Signal::SIGKILL);
            if !ended.iter().any(|known| known.group == record.leader.pid) {
                ended.push(Ended {
                    owner: record.owner.clone(),
                    group: record.leader.pid,
                });
            }
            members.extend(found);
            true
        });
        Ok(members)
    })?;
    for record in left {
        let group = record.leader.pid;
        ended.retain(|known| known.group != group);
        log::warn(&format!(
            "process group {group} of an earlier run cannot be ended"
        ));
    }
    Ok(ended)
}

/// Those that belong to the run and to nobody who was given its number since.
fn members_of(record: &Record, table: &[Process]) -> Vec<Process> {
    let group = record.leader.pid;
    let holder = table.iter().find(|process| process.pid == group);
    // While a member of the old group lives, the kernel gives its number to no new process.
    if holder.is_some_and(|process| process.start != record.leader.start) {
        return Vec::new();
    }
    let belongs = |process: &&Process| {
        process.group == group
            && process.session == record.session
            && process.start >= record.leader.start
            && !process.zombie
    };
    table.iter().filter(belongs).copied().collect()
}

fn same_process(key: ProcessKey) -> Option<Process> {
    process_table::find(key.pid).filter(|process| process.start == key.start)
}

/// Waits until `look` finds nobody, at most `PATIENCE`.
fn wait_for_end(mut look: impl FnMut() -> std::io::Result<Vec<Process>>) -> std::io::Result<()> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let alive = look()?;
        let left = deadline.saturating_duration_since(Instant::now());
        if alive.is_empty() || left.is_zero() {
            return Ok(());
        }
        let handles: Vec<OwnedFd> = alive
            .iter()
            .filter_map(|process| sys::open_pidfd(process.pid).ok())
            .collect();
        let mut ends: Vec<PollFd> = handles
            .iter()
            .map(|handle| PollFd::new(handle.as_fd(), PollFlags::POLLIN))
            .collect();
        let timeout = PollTimeout::try_from(left.min(LOOK_AGAIN)).unwrap_or(PollTimeout::ZERO);
        // An interrupted wait only looks again sooner.
        let _ = poll(&mut ends, timeout);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Place;

    fn process(pid: i32, group: i32, session: i32, start: u64) -> Process {
        let id = Pid::from_raw;
        Process {
            pid: id(pid),
            group: id(group),
            session: id(session),
            start,
            zombie: false,
        }
    }

    fn record() -> Record {
        let key = |pid, start| ProcessKey {
            pid: Pid::from_raw(pid),
            start,
        };
        Record {
            place: Place::here().expect("/proc is there"),
            host: key(50, 900),
            session: Pid::from_raw(50),
            leader: key(100, 1000),
            owner: "c1".to_owned(),
        }
    }

    #[test]
    fn finds_leader_and_members_and_members_without_leader() {
        let table = [
            process(100, 100, 50, 1000),
            process(101, 100, 50, 1001),
            process(7, 7, 7, 1),
        ];
        assert_eq!(members_of(&record(), &table), table[..2]);
        assert_eq!(members_of(&record(), &table[1..]), table[1..2]);
    }

    #[test]
    fn leaves_alone_whoever_was_given_the_number_since() {
        let reused = [process(100, 100, 50, 1001), process(101, 100, 50, 1002)];
        assert_eq!(members_of(&record(), &reused), []);
        let same_session_elsewhere = [process(101, 100, 51, 1002)];
        assert_eq!(members_of(&record(), &same_session_elsewhere), []);
        let older_than_the_run = [process(101, 100, 50, 999)];
        assert_eq!(members_of(&record(), &older_than_the_run), []);
    }
}
