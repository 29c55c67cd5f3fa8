//! A program that runs: its pipes, how it is ended, and what is reported of it.

use crate::answer::Answer;
use crate::exec::{Child, GateNews, read_gate};
use crate::output::{Head, Tail};
use crate::sys::{Ending, StartReport};
use nix::errno::Errno;
use nix::poll::PollFlags;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::{Pid, read, write};
use serde_json::json;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

/// How long the pipes are waited for once the program has ended: who left its group may hold them for ever.
const DRAIN: Duration = Duration::from_millis(250);
/// How long a killed program may take to end; one in an uninterruptible sleep takes for ever.
const DEATH: Duration = Duration::from_secs(2);

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Channel {
    Gate,
    Stdin,
    Stdout,
    Stderr,
}

/// Why a program was ended by us.
#[derive(Clone, Copy, PartialEq)]
pub enum Verdict {
    TimedOut,
    Cancelled,
}

pub struct Active {
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

impl Active {
    /// A child whose gate is open.
    pub fn new(child: Child) -> Active {
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

    /// Leader of the group, until it is reaped.
    pub fn leader(&self) -> Option<Pid> {
        self.end.is_none().then_some(self.pid)
    }

    /// Why it was killed, if it was.
    pub fn verdict(&self) -> Option<Verdict> {
        self.verdict.map(|(verdict, _)| verdict)
    }

    /// What to wait for. `reading`: whether there is room for more output.
    pub fn interests(&self, reading: bool) -> Vec<(Channel, BorrowedFd<'_>, PollFlags)> {
        let wanted = [
            (Channel::Gate, &self.gate, PollFlags::POLLIN, true),
            (Channel::Stdin, &self.stdin, PollFlags::POLLOUT, true),
            (Channel::Stdout, &self.stdout, PollFlags::POLLIN, reading),
            (Channel::Stderr, &self.stderr, PollFlags::POLLIN, reading),
        ];
        wanted
            .into_iter()
            .filter(|(.., wanted)| *wanted)
            .filter_map(|(channel, fd, flags, _)| Some((channel, fd.as_ref()?.as_fd(), flags)))
            .collect()
    }

    /// The child's last words, if it could not become its program.
    pub fn read_gate(&mut self) -> Option<StartReport> {
        match read_gate(self.gate.as_ref()?) {
            GateNews::Nothing => None,
            GateNews::Passed => {
                self.gate = None;
                None
            }
            GateNews::Failed(report) => Some(report),
        }
    }

    /// As much as the pipe takes; its end of file is the end of `all`. A program need not read it.
    pub fn write_stdin(&mut self, all: &[u8]) {
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

    pub fn read_stdout(&mut self, scratch: &mut [u8]) {
        read_once(&mut self.stdout, scratch, |bytes| self.head.push(bytes));
    }

    pub fn read_stderr(&mut self, scratch: &mut [u8]) {
        read_once(&mut self.stderr, scratch, |bytes| self.tail.push(bytes));
    }

    /// SIGKILL to the whole group, once.
    pub fn kill(&mut self, verdict: Verdict) {
        if self.end.is_none() && self.verdict.is_none() {
            // The leader is not reaped yet, so the number is still its group's.
            let _ = killpg(self.pid, Signal::SIGKILL);
            self.verdict = Some((verdict, Instant::now()));
        }
    }

    /// The leader has ended and been reaped. Takes what the program itself left in the pipes; bounded, for others may
    /// still write.
    pub fn end(&mut self, ending: Ending, max_rss_kib: i64, scratch: &mut [u8]) {
        const LARGEST_PIPE: usize = 1 << 20;
        self.stdin = None;
        self.gate = None;
        self.end = Some(End {
            ending,
            max_rss_kib,
            at: Instant::now(),
        });
        for _ in 0..=LARGEST_PIPE / scratch.len() {
            self.read_stdout(scratch);
            self.read_stderr(scratch);
        }
    }

    /// When patience with the pipes of an ended program, or with the end of a killed one, is over.
    pub fn give_up_time(&self) -> Option<Instant> {
        match (&self.end, self.verdict) {
            (Some(end), _) => Some(end.at + DRAIN),
            (None, Some((_, since))) => Some(since + DEATH),
            (None, None) => None,
        }
    }

    pub fn is_drained(&self) -> bool {
        self.end.is_some() && self.stdout.is_none() && self.stderr.is_none()
    }

    /// What is known now; the output goes with it.
    pub fn report(&mut self, id: u64) -> Answer {
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
        Answer {
            head,
            body: vec![stdout, stderr],
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

/// `SIGKILL`; a real-time signal has no name and is `SIG<number>`.
fn signal_name(number: i32) -> String {
    Signal::try_from(number).map_or_else(
        |_| format!("SIG{number}"),
        |signal| signal.as_str().to_owned(),
    )
}
