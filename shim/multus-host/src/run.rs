//! One run from request to answer: waits for a file that is being written, runs, drains, reports.

use crate::errno_text;
use crate::exec::{Child, GateNews, NotStarted, Program, read_gate};
use crate::log;
use crate::output::{Head, Tail};
use crate::record::Records;
use crate::request::RunRequest;
use crate::sys::Ending;
use nix::errno::Errno;
use nix::poll::PollFlags;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::{Pid, read, write};
use serde_json::{Value, json};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

/// Waits before a file that is open for writing is tried again.
const TEXT_BUSY_WAITS_MS: [u64; 6] = [20, 50, 100, 200, 400, 800];
/// How long the pipes are waited for once the program has ended: who left its group may hold them for ever.
const DRAIN: Duration = Duration::from_millis(250);
/// How long a killed program may take to end; one in an uninterruptible sleep takes for ever.
const DEATH: Duration = Duration::from_secs(2);
/// Stands for "no limit": beyond any uptime, and addable to any instant.
const LONGEST: Duration = Duration::from_secs(10 * 365 * 24 * 3600);

/// An answer: head and the parts of its body.
pub struct Finished {
    pub head: Value,
    pub parts: Vec<Vec<u8>>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Channel {
    Gate,
    Stdin,
    Stdout,
    Stderr,
}

#[derive(Clone, Copy, PartialEq)]
enum Verdict {
    TimedOut,
    Cancelled,
}

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
    /// The file is open for writing by somebody.
    TextBusy {
        until: Instant,
    },
    Active(Box<Active>),
    Done(Finished),
}

struct Active {
    pid: Pid,
    began: Instant,
    gate: Option<OwnedFd>,
    stdin: Option<OwnedFd>,
    written: usize,
    stdout: Option<OwnedFd>,
    stderr: Option<OwnedFd>,
    head: Head,
    tail: Tail,
    verdict: Option<(Verdict, Instant)>,
    end: Option<End>,
}

struct End {
    ending: Ending,
    max_rss_kib: i64,
    at: Instant,
}

impl Run {
    /// Makes the run and its first attempt.
    pub fn start(id: u64, request: &RunRequest, stdin: Vec<u8>, records: &Records) -> Run {
        let now = Instant::now();
        let deadline = now + request.timeout.min(LONGEST);
        let owner = request.owner.clone();
        match Program::new(request) {
            Ok(program) => {
                let state = State::TextBusy { until: now };
                let mut run = Run {
                    id,
                    program,
                    owner,
                    stdin,
                    deadline,
                    attempts: 0,
                    state,
                };
                run.attempt(records);
                run
            }
            Err(refused) => Run {
                id,
                program: Program::default(),
                owner,
                stdin,
                deadline,
                attempts: 0,
                state: State::Done(not_started(id, &refused)),
            },
        }
    }

    /// The leader of the group that runs or has yet to be reaped.
    pub fn leader(&self) -> Option<Pid> {
        match &self.state {
            State::Active(active) if active.end.is_none() => Some(active.pid),
            _ => None,
        }
    }

    fn attempt(&mut self, records: &Records) {
        self.attempts += 1;
        let child = match self.program.fork() {
            Ok(child) => child,
            Err(failure) => {
                self.state = State::Done(not_started(self.id, &failure));
                return;
            }
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

    /// What to wait for. `reading`: whether there is room for more output.
    pub fn interests(&self, reading: bool) -> Vec<(Channel, BorrowedFd<'_>, PollFlags)> {
        let State::Active(active) = &self.state else {
            return Vec::new();
        };
        let wanted = [
            (Channel::Gate, &active.gate, PollFlags::POLLIN, true),
            (Channel::Stdin, &active.stdin, PollFlags::POLLOUT, true),
            (Channel::Stdout, &active.stdout, PollFlags::POLLIN, reading),
            (Channel::Stderr, &active.stderr, PollFlags::POLLIN, reading),
        ];
        wanted
            .into_iter()
            .filter(|(.., wanted)| *wanted)
            .filter_map(|(channel, fd, flags, _)| Some((channel, fd.as_ref()?.as_fd(), flags)))
            .collect()
    }

    pub fn on_ready(&mut self, channel: Channel, scratch: &mut [u8]) {
        let State::Active(active) = &mut self.state else {
            return;
        };
        match channel {
            Channel::Gate => self.on_gate(),
            Channel::Stdin => active.write_stdin(&self.stdin),
            Channel::Stdout => active.read_stdout(scratch),
            Channel::Stderr => active.read_stderr(scratch),
        }
    }

    fn on_gate(&mut self) {
        let State::Active(active) = &mut self.state else {
            return;
        };
        match active.gate.as_ref().map_or(GateNews::Passed, read_gate) {
            GateNews::Nothing => {}
            GateNews::Passed => active.gate = None,
            GateNews::Failed(report) => {
                let verdict = active.verdict;
                let failure = self.program.explain_report(&report);
                self.on_not_started(failure, verdict.is_some());
            }
        }
    }

    fn on_not_started(&mut self, failure: NotStarted, unwanted: bool) {
        let now = Instant::now();
        self.state = match TEXT_BUSY_WAITS_MS.get(self.attempts - 1) {
            Some(wait_ms) if failure.errno == Errno::ETXTBSY && !unwanted => {
                let until = now + Duration::from_millis(*wait_ms);
                // A wait that would outlast the run's time ends in the same answer, only later.
                State::TextBusy {
                    until: until.min(self.deadline),
                }
            }
            _ => State::Done(not_started(self.id, &failure)),
        };
    }

    /// Its leader has ended and been reaped, and what was left of its group has been killed.
    pub fn on_end(&mut self, pid: Pid, ending: Ending, max_rss_kib: i64, scratch: &mut [u8]) {
        if self.leader() != Some(pid) {
            return;
        }
        // A child that could not become its program told so before it ended.
        self.on_gate();
        let State::Active(active) = &mut self.state else {
            return;
        };
        active.stdin = None;
        active.gate = None;
        active.end = Some(End {
            ending,
            max_rss_kib,
            at: Instant::now(),
        });
        active.read_what_is_there(scratch);
    }

    /// Ends it early; its answer follows when it has ended.
    pub fn cancel(&mut self) {
        match &mut self.state {
            State::Active(active) => active.kill(Verdict::Cancelled),
            State::TextBusy { .. } => {
                let head = json!({
                    "id": self.id, "ended": "cancelled", "stdoutLength": 0, "stderrLength": 0,
                    "stdoutTruncated": false, "maxRssKib": 0, "wallMs": 0,
                });
                self.state = State::Done(Finished {
                    head,
                    parts: Vec::new(),
                });
            }
            State::Done(_) => {}
        }
    }

    /// When `on_time` has something to do.
    pub fn next_time(&self) -> Instant {
        match &self.state {
            State::TextBusy { until } => *until,
            State::Active(active) => match (&active.end, active.verdict) {
                (Some(end), _) => end.at + DRAIN,
                (None, Some((_, since))) => since + DEATH,
                (None, None) => self.deadline,
            },
            State::Done(_) => Instant::now(),
        }
    }

    pub fn on_time(&mut self, records: &Records) {
        let now = Instant::now();
        if now < self.next_time() {
            return;
        }
        match &mut self.state {
            State::TextBusy { .. } if now < self.deadline => self.attempt(records),
            State::TextBusy { .. } => {
                self.state = State::Done(not_started(self.id, &self.program.text_busy()));
            }
            State::Active(active) if active.end.is_none() && active.verdict.is_none() => {
                active.kill(Verdict::TimedOut);
            }
            State::Active(active) => {
                if active.end.is_none() {
                    log::warn(&format!(
                        "process {} was killed and does not end",
                        active.pid
                    ));
                }
                active.stdout = None;
                active.stderr = None;
                let finished = active.report(self.id);
                self.state = State::Done(finished);
            }
            State::Done(_) => {}
        }
    }

    /// The answer, once there is one; the run is then over.
    pub fn take_finished(&mut self) -> Option<Finished> {
        let empty = Finished {
            head: Value::Null,
            parts: Vec::new(),
        };
        match &mut self.state {
            State::Done(finished) => Some(std::mem::replace(finished, empty)),
            State::Active(active) if active.is_drained() => Some(active.report(self.id)),
            _ => None,
        }
    }
}

impl Active {
    fn new(child: Child) -> Active {
        Active {
            pid: child.pid,
            began: Instant::now(),
            gate: Some(child.gate),
            stdin: Some(child.stdin),
            written: 0,
            stdout: Some(child.stdout),
            stderr: Some(child.stderr),
            head: Head::default(),
            tail: Tail::default(),
            verdict: None,
            end: None,
        }
    }

    fn kill(&mut self, verdict: Verdict) {
        if self.end.is_none() && self.verdict.is_none() {
            // The leader is not reaped yet, so the number is still its group's.
            let _ = killpg(self.pid, Signal::SIGKILL);
            self.verdict = Some((verdict, Instant::now()));
        }
    }

    fn is_drained(&self) -> bool {
        self.end.is_some() && self.stdout.is_none() && self.stderr.is_none()
    }

    /// As much as the pipe takes; its end of file is the end of `all`. A program need not read it.
    fn write_stdin(&mut self, all: &[u8]) {
        while let Some(pipe) = &self.stdin {
            if self.written == all.len() {
                self.stdin = None;
                return;
            }
            match write(pipe, &all[self.written..]) {
                Ok(count) => self.written += count,
                Err(Errno::EAGAIN) => return,
                Err(Errno::EINTR) => {}
                Err(_) => self.stdin = None,
            }
        }
    }

    fn read_stdout(&mut self, scratch: &mut [u8]) {
        read_once(&mut self.stdout, scratch, |bytes| self.head.push(bytes));
    }

    fn read_stderr(&mut self, scratch: &mut [u8]) {
        read_once(&mut self.stderr, scratch, |bytes| self.tail.push(bytes));
    }

    /// Empties both pipes of what the program itself left in them; bounded, for others may still write.
    fn read_what_is_there(&mut self, scratch: &mut [u8]) {
        const LARGEST_PIPE: usize = 1 << 20;
        for _ in 0..=LARGEST_PIPE / scratch.len() {
            self.read_stdout(scratch);
            self.read_stderr(scratch);
        }
    }

    fn report(&mut self, id: u64) -> Finished {
        let (stdout, stderr) = (self.head.take(), self.tail.take());
        let at = self.end.as_ref().map_or_else(Instant::now, |end| end.at);
        let wall_ms = at.duration_since(self.began).as_micros() as f64 / 1000.0;
        let mut head = json!({
            "id": id, "ended": "exited", "stdoutLength": stdout.len(), "stderrLength": stderr.len(),
            "stdoutTruncated": self.head.truncated, "wallMs": wall_ms,
            "maxRssKib": self.end.as_ref().map_or(0, |end| end.max_rss_kib),
        });
        match (self.verdict, self.end.as_ref().map(|end| end.ending)) {
            (Some((Verdict::TimedOut, _)), _) => head["ended"] = "timed-out".into(),
            (Some((Verdict::Cancelled, _)), _) => head["ended"] = "cancelled".into(),
            (None, Some(Ending::Killed(signal))) => {
                head["ended"] = "killed".into();
                head["signal"] = signal_name(signal).into();
            }
            (None, Some(Ending::Exited(code))) => head["exitCode"] = code.into(),
            (None, None) => {}
        }
        Finished {
            head,
            parts: vec![stdout, stderr],
        }
    }
}

fn read_once(pipe: &mut Option<OwnedFd>, scratch: &mut [u8], take: impl FnOnce(&[u8])) {
    let Some(open) = pipe else { return };
    match read(open, scratch) {
        Err(Errno::EAGAIN | Errno::EINTR) => {}
        Ok(0) | Err(_) => *pipe = None,
        Ok(count) => take(&scratch[..count]),
    }
}

/// The answer for a program that never ran.
pub fn not_started(id: u64, failure: &NotStarted) -> Finished {
    let head = json!({
        "id": id, "ended": "not-started", "reason": failure.reason,
        "errno": errno_text::name(failure.errno), "message": failure.message,
    });
    Finished {
        head,
        parts: Vec::new(),
    }
}

/// `SIGKILL`; a real-time signal has no name and is `SIG<number>`.
fn signal_name(number: i32) -> String {
    Signal::try_from(number).map_or_else(
        |_| format!("SIG{number}"),
        |signal| signal.as_str().to_owned(),
    )
}
