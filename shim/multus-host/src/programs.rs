//! All runs of this host, and the processes behind them.

use crate::active::Channel;
use crate::answer::Answer;
use crate::exec::NotStarted;
use crate::record::Records;
use crate::request::RunRequest;
use crate::run::Run;
use crate::sys;
use nix::errno::Errno;
use nix::poll::PollFlags;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use std::collections::{BTreeMap, HashMap};
use std::os::fd::BorrowedFd;
use std::time::Instant;

const MAX_RUNS: usize = 1024;
const SCRATCH: usize = 64 << 10;

pub struct Programs {
    records: Records,
    runs: BTreeMap<u64, Run>,
    /// Leaders that are not reaped yet, and whose run they are or were.
    leaders: HashMap<Pid, u64>,
    scratch: Vec<u8>,
}

impl Programs {
    pub fn new(records: Records) -> Programs {
        Programs {
            records,
            runs: BTreeMap::new(),
            leaders: HashMap::new(),
            scratch: vec![0; SCRATCH],
        }
    }

    /// An answer at once if it cannot be started; else it comes when the program has ended.
    pub fn start(&mut self, id: u64, request: &RunRequest, stdin: Vec<u8>) -> Option<Answer> {
        if self.runs.contains_key(&id) {
            return Some(Answer::error(id, Errno::EINVAL, "id is in use"));
        }
        if self.runs.len() >= MAX_RUNS {
            let refusal = NotStarted {
                reason: "out-of-resources",
                errno: Errno::EAGAIN,
                message: format!("fork/exec {}: too many programs run already", request.path),
            };
            return Some(Answer::not_started(id, &refusal));
        }
        match Run::start(id, request, stdin, &self.records) {
            Err(refusal) => Some(Answer::not_started(id, &refusal)),
            Ok(run) => {
                // At once: its end may be among the signals that are handled next.
                self.leaders.extend(run.leader().map(|leader| (leader, id)));
                self.runs.insert(id, run);
                None
            }
        }
    }

    /// False if there is no such run, or no more.
    pub fn cancel(&mut self, id: u64) -> bool {
        let run = self.runs.get_mut(&id);
        let found = run.is_some();
        run.into_iter().for_each(Run::cancel);
        found
    }

    /// What to wait for, by run. `reading`: whether there is room for more output.
    pub fn interests(
        &self,
        reading: bool,
    ) -> impl Iterator<Item = (u64, Channel, BorrowedFd<'_>, PollFlags)> {
        self.runs.iter().flat_map(move |(id, run)| {
            let of_run = run.interests(reading);
            of_run
                .into_iter()
                .map(|(channel, fd, flags)| (*id, channel, fd, flags))
        })
    }

    pub fn on_ready(&mut self, id: u64, channel: Channel) {
        if let Some(run) = self.runs.get_mut(&id) {
            run.on_ready(channel, &mut self.scratch);
        }
    }

    /// When `settle` has something to do, if nothing happens before.
    pub fn next_time(&self) -> Option<Instant> {
        self.runs.values().map(Run::next_time).min()
    }

    /// What time brings; then hands out the answers that are ready.
    pub fn settle(&mut self, mut take: impl FnMut(Answer)) {
        for (id, run) in &mut self.runs {
            run.on_time(&self.records);
            self.leaders
                .extend(run.leader().map(|leader| (leader, *id)));
        }
        self.runs.retain(|_, run| match run.take_answer() {
            Some(answer) => {
                take(answer);
                false
            }
            None => true,
        });
    }

    /// Lets every ended child go: leaders of runs, and orphans that this process adopted.
    pub fn reap(&mut self) {
        while let Some(pid) = sys::find_ended_child() {
            let leader = self.leaders.remove(&pid);
            if leader.is_some() {
                // While the leader is a zombie its number is its group's and nobody else's.
                let _ = killpg(pid, Signal::SIGKILL);
            }
            let Some((ending, max_rss_kib)) = sys::reap(pid) else {
                return;
            };
            let Some(id) = leader else { continue };
            self.records.remove(pid);
            if let Some(run) = self.runs.get_mut(&id) {
                run.on_end(pid, ending, max_rss_kib, &mut self.scratch);
            }
        }
    }

    /// SIGKILL to every group.
    pub fn kill_all(&self) {
        for leader in self.leaders.keys() {
            let _ = killpg(*leader, Signal::SIGKILL);
        }
    }

    pub fn have_ended(&self) -> bool {
        self.leaders.is_empty()
    }
}
