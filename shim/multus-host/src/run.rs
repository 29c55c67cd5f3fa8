//! One run from request to answer: waits for a file that is being written, runs, drains, reports.

use crate::active::{Active, Channel, Verdict};
use crate::answer::Answer;
use crate::errno_text;
use crate::exec::{NotStarted, Program};
use crate::log;
use crate::record::Records;
use crate::request::RunRequest;
use crate::sys::{Ending, StartReport};
use nix::errno::Errno;
use nix::poll::PollFlags;
use nix::unistd::Pid;
use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};

/// Waits before a file that is open for writing is tried again.
const TEXT_BUSY_WAITS_MS: [u64; 6] = [20, 50, 100, 200, 400, 800];
/// Stands for "no limit": beyond any uptime, and addable to any instant.
const LONGEST: Duration = Duration::from_secs(10 * 365 * 24 * 3600);

pub struct Run {
    id: u64,
    program: Program,
    owner: String,
    stdin: Vec<u8>,
    deadline: Instant,
    attempts: usize,
    state: State,
}

enum State {
    /// The next attempt is due then: somebody had the file open for writing.
    Waiting(Instant),
    Active(Box<Active>),
    /// `None`: the answer was taken.
    Done(Option<Answer>),
}

impl Run {
    /// Makes the first attempt. Refuses what cannot be passed to exec.
    pub fn start(
        id: u64,
        request: &RunRequest,
        stdin: Vec<u8>,
        records: &Records,
    ) -> Result<Run, NotStarted> {
        let now = Instant::now();
        let mut run = Run {
            id,
            program: Program::new(request)?,
            owner: request.owner.clone(),
            stdin,
            deadline: now + request.timeout.min(LONGEST),
            attempts: 0,
            state: State::Waiting(now),
        };
        run.attempt(records);
        Ok(run)
    }

    /// The leader of the group that runs or has yet to be reaped.
    pub fn leader(&self) -> Option<Pid> {
        match &self.state {
            State::Active(active) => active.leader(),
            _ => None,
        }
    }

    fn attempt(&mut self, records: &Records) {
        self.attempts += 1;
        let child = match self.program.fork() {
            Ok(child) => child,
            Err(failure) => return self.finish(Answer::not_started(self.id, &failure)),
        };
        // On record before it can start anything. Without a record (disk full) it runs all the same: a DEL must not
        // fail for want of it, and the leader itself dies with this process anyhow.
        if let Err(error) = records.write(child.pid, &self.owner) {
            log::warn(&format!(
                "run is not on record: {}",
                errno_text::of(&error).desc()
            ));
        }
        child.open_gate();
        let mut active = Active::new(child);
        active.write_stdin(&self.stdin);
        self.state = State::Active(Box::new(active));
    }

    fn finish(&mut self, answer: Answer) {
        self.state = State::Done(Some(answer));
    }

    /// What to wait for. `reading`: whether there is room for more output.
    pub fn interests(&self, reading: bool) -> Vec<(Channel, BorrowedFd<'_>, PollFlags)> {
        match &self.state {
            State::Active(active) => active.interests(reading),
            _ => Vec::new(),
        }
    }

    pub fn on_ready(&mut self, channel: Channel, scratch: &mut [u8]) {
        let State::Active(active) = &mut self.state else {
            return;
        };
        match channel {
            Channel::Stdin => active.write_stdin(&self.stdin),
            Channel::Stdout => active.read_stdout(scratch),
            Channel::Stderr => active.read_stderr(scratch),
            Channel::Gate => {
                if let Some(report) = active.read_gate() {
                    let verdict = active.verdict();
                    self.on_start_failure(&report, verdict);
                }
            }
        }
    }

    fn on_start_failure(&mut self, report: &StartReport, verdict: Option<Verdict>) {
        let wait_ms = TEXT_BUSY_WAITS_MS.get(self.attempts - 1);
        match (report.errno, verdict, wait_ms) {
            (Errno::ETXTBSY, Some(Verdict::Cancelled), _) => {
                self.finish(Answer::cancelled(self.id))
            }
            (Errno::ETXTBSY, None, Some(wait_ms)) => {
                let until = Instant::now() + Duration::from_millis(*wait_ms);
                // A wait that would outlast the run's time is cut short: its end is known.
                self.state = State::Waiting(until.min(self.deadline));
            }
            _ => {
                let failure = self.program.explain_report(report);
                self.finish(Answer::not_started(self.id, &failure));
            }
        }
    }

    /// Its leader has ended and been reaped, and what was left of its group has been killed.
    pub fn on_end(&mut self, pid: Pid, ending: Ending, max_rss_kib: i64, scratch: &mut [u8]) {
        if self.leader() != Some(pid) {
            return;
        }
        // A child that could not become its program told so before it ended.
        self.on_ready(Channel::Gate, scratch);
        if let State::Active(active) = &mut self.state {
            active.end(ending, max_rss_kib, scratch);
        }
    }

    /// Ends it early; its answer follows when it has ended.
    pub fn cancel(&mut self) {
        match &mut self.state {
            State::Active(active) => active.kill(Verdict::Cancelled),
            State::Waiting(_) => self.finish(Answer::cancelled(self.id)),
            State::Done(_) => {}
        }
    }

    /// When `on_time` has something to do.
    pub fn next_time(&self) -> Instant {
        match &self.state {
            State::Waiting(until) => *until,
            State::Active(active) => active.give_up_time().unwrap_or(self.deadline),
            State::Done(_) => self.deadline,
        }
    }

    pub fn on_time(&mut self, records: &Records) {
        let now = Instant::now();
        if now < self.next_time() {
            return;
        }
        match &mut self.state {
            State::Waiting(_) if now < self.deadline => self.attempt(records),
            State::Waiting(_) => {
                self.finish(Answer::not_started(self.id, &self.program.text_busy()));
            }
            State::Active(active) if active.give_up_time().is_none() => {
                active.kill(Verdict::TimedOut)
            }
            State::Active(active) => {
                if let Some(leader) = active.leader() {
                    log::warn(&format!("process {leader} was killed and does not end"));
                }
                let answer = active.report(self.id);
                self.finish(answer);
            }
            State::Done(_) => {}
        }
    }

    /// The answer, once there is one; the run is then over.
    pub fn take_answer(&mut self) -> Option<Answer> {
        match &mut self.state {
            State::Done(answer) => answer.take(),
            State::Active(active) if active.is_drained() => Some(active.report(self.id)),
            _ => None,
        }
    }
}
