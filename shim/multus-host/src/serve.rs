//! `multus-host serve`: one thread that waits for requests, programs, signals and time.

use crate::active::Channel;
use crate::answer::Answer;
use crate::frame::FrameReader;
use crate::leftovers::{self, Ended};
use crate::log;
use crate::outgoing::Outgoing;
use crate::pins::Pins;
use crate::programs::Programs;
use crate::questions::{self, Wanted};
use crate::record::Records;
use crate::request::{self, Envelope, Request};
use crate::sys;
use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::prctl::set_child_subreaper;
use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::unistd::setsid;
use serde_json::{Value, json};
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::os::fd::AsFd;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Both sides change it together when a message changes its meaning.
const PROTOCOL: u32 = 1;
const CHUNK: usize = 64 << 10;
/// How long what runs may take to die when this process has to end.
const LAST_WAIT: Duration = Duration::from_millis(500);

const ENDED: u8 = 0;
const CANNOT_GO_ON: u8 = 1;
const OUT_OF_STEP: u8 = 3;

/// Serves until stdin ends (0), a signal asks for the end (0), or a frame cannot be read (3). 1: cannot start or go on.
pub fn serve(runs_directory: &Path) -> ExitCode {
    match Host::prepare(runs_directory) {
        Ok(mut host) => ExitCode::from(host.serve()),
        Err(error) => {
            log::warn(&format!("cannot start: {error}"));
            ExitCode::from(CANNOT_GO_ON)
        }
    }
}

struct Host {
    input: File,
    output: File,
    signals: SignalFd,
    /// The network namespace to return to.
    home: File,
    ended: Vec<Ended>,
    reader: FrameReader,
    outgoing: Outgoing,
    programs: Programs,
    pins: Pins,
    chunk: Vec<u8>,
}

/// What became ready.
enum Source {
    Input,
    Output,
    Signals,
    Program(u64, Channel),
}

/// The exit code to end with.
struct Stop(u8);

impl Host {
    fn prepare(runs_directory: &Path) -> std::io::Result<Host> {
        sys::close_inherited();
        sys::reset_ignored_signals();
        sys::return_big_buffers();
        // A session of its own marks everything that it starts; it is the leader of one already where this fails.
        let _ = setsid();
        set_child_subreaper(true)?;
        let signals = watch_signals()?;
        let input = File::from(std::io::stdin().as_fd().try_clone_to_owned()?);
        let output = File::from(std::io::stdout().as_fd().try_clone_to_owned()?);
        for stream in [&input, &output] {
            fcntl(stream, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
        }
        let records = Records::open(runs_directory)?;
        let ended = leftovers::end(&records)?;
        Ok(Host {
            input,
            output,
            signals,
            home: File::open("/proc/self/ns/net")?,
            ended,
            reader: FrameReader::default(),
            outgoing: Outgoing::default(),
            programs: Programs::new(records),
            pins: Pins::default(),
            chunk: vec![0; CHUNK],
        })
    }

    fn serve(&mut self) -> u8 {
        let Stop(code) = loop {
            let handled = self.wait().and_then(|ready| {
                ready
                    .into_iter()
                    .try_for_each(|source| self.on_ready(source))
            });
            if let Err(stop) = handled {
                break stop;
            }
            self.programs.settle(|answer| self.outgoing.push(answer));
        };
        self.end_all();
        code
    }

    /// Waits for the next thing to do. Whatever became ready is told in order of the sources, signals last: a child's
    /// last words are read before its end.
    fn wait(&mut self) -> Result<Vec<Source>, Stop> {
        let expiry = self.pins.expire();
        let full = self.outgoing.is_full();
        let listen = if full {
            PollFlags::empty()
        } else {
            PollFlags::POLLIN
        };
        let send = if self.outgoing.is_empty() {
            PollFlags::empty()
        } else {
            PollFlags::POLLOUT
        };
        let mut sources = vec![Source::Input, Source::Output];
        let mut fds = vec![
            PollFd::new(self.input.as_fd(), listen),
            PollFd::new(self.output.as_fd(), send),
        ];
        for (id, channel, fd, flags) in self.programs.interests(!full) {
            sources.push(Source::Program(id, channel));
            fds.push(PollFd::new(fd, flags));
        }
        sources.push(Source::Signals);
        fds.push(PollFd::new(self.signals.as_fd(), PollFlags::POLLIN));
        let next = [self.programs.next_time(), expiry]
            .into_iter()
            .flatten()
            .min();
        match poll(&mut fds, timeout_until(next)) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(errno) => {
                log::warn(&format!("cannot wait: {}", errno.desc()));
                return Err(Stop(CANNOT_GO_ON));
            }
        }
        // Without room for more requests nothing is read, but a daemon that has gone is noticed all the same.
        let gone = PollFlags::POLLHUP | PollFlags::POLLERR;
        if full
            && fds[0]
                .revents()
                .is_some_and(|events| events.intersects(gone))
        {
            return Err(Stop(ENDED));
        }
        let ready: Vec<bool> = fds.iter().map(|fd| fd.any().unwrap_or(false)).collect();
        let told = sources.into_iter().zip(ready);
        Ok(told
            .filter_map(|(source, ready)| ready.then_some(source))
            .collect())
    }

    fn on_ready(&mut self, source: Source) -> Result<(), Stop> {
        match source {
            Source::Input => self.read_requests(),
            // Nobody reads any more: the daemon has gone.
            Source::Output => self
                .outgoing
                .flush(&mut self.output)
                .map_err(|_| Stop(ENDED)),
            Source::Signals => self.on_signals(),
            Source::Program(id, channel) => {
                self.programs.on_ready(id, channel);
                Ok(())
            }
        }
    }

    fn read_requests(&mut self) -> Result<(), Stop> {
        match self.input.read(&mut self.chunk) {
            Ok(0) => return Err(Stop(ENDED)),
            Ok(count) => self.reader.push(&self.chunk[..count]),
            Err(error) => match error.kind() {
                ErrorKind::WouldBlock | ErrorKind::Interrupted => return Ok(()),
                // A socket whose other end died with something unread.
                _ => return Err(Stop(ENDED)),
            },
        }
        loop {
            match self.reader.next_frame() {
                Ok(None) => return Ok(()),
                Ok(Some(frame)) => match request::parse(&frame.head) {
                    Some(envelope) => self.on_request(envelope, frame.body),
                    None => return Err(out_of_step("a head cannot be read")),
                },
                Err(_) => return Err(out_of_step("a frame is longer than frames can be")),
            }
        }
    }

    fn on_request(&mut self, Envelope { id, request }: Envelope, body: Vec<u8>) {
        let answer = match request {
            Ok(Request::Run(run)) => self.programs.start(id, &run, body),
            Ok(Request::Cancel { target }) => {
                let found = self.programs.cancel(target);
                Some(Answer::without_body(json!({"id": id, "found": found})))
            }
            Ok(Request::Identity { path }) => Some(questions::identify(id, &path, &self.home)),
            Ok(Request::Links { path }) => Some(questions::list_links(id, &path, &self.home)),
            Ok(Request::Pin { path, key, cookie }) => {
                let wanted = Wanted {
                    path: &path,
                    key: &key,
                    cookie: &cookie,
                };
                Some(questions::pin(id, &wanted, &self.home, &mut self.pins))
            }
            Ok(Request::Unpin { key }) => {
                let found = self.pins.release(&key);
                Some(Answer::without_body(json!({"id": id, "found": found})))
            }
            Ok(Request::Hello) => Some(self.greet(id)),
            Err(message) => Some(Answer::error(id, Errno::EINVAL, &message)),
        };
        answer
            .into_iter()
            .for_each(|answer| self.outgoing.push(answer));
    }

    fn greet(&self, id: u64) -> Answer {
        let ended: Vec<Value> = self
            .ended
            .iter()
            .map(|ended| json!({"owner": ended.owner, "group": ended.group.as_raw()}))
            .collect();
        let version = env!("CARGO_PKG_VERSION");
        Answer::without_body(
            json!({"id": id, "version": version, "protocol": PROTOCOL, "ended": ended}),
        )
    }

    fn on_signals(&mut self) -> Result<(), Stop> {
        while let Ok(Some(signal)) = self.signals.read_signal() {
            if signal.ssi_signo != Signal::SIGCHLD as u32 {
                return Err(Stop(ENDED));
            }
        }
        self.programs.reap();
        Ok(())
    }

    /// Ends everything that runs, with its group, and waits a little for its end.
    fn end_all(&mut self) {
        self.programs.kill_all();
        let deadline = Instant::now() + LAST_WAIT;
        while !self.programs.have_ended() && Instant::now() < deadline {
            let mut fds = [PollFd::new(self.signals.as_fd(), PollFlags::POLLIN)];
            let _ = poll(&mut fds, timeout_until(Some(deadline)));
            while let Ok(Some(_)) = self.signals.read_signal() {}
            self.programs.reap();
        }
    }
}

fn watch_signals() -> nix::Result<SignalFd> {
    let mut watched = SigSet::empty();
    for signal in [
        Signal::SIGCHLD,
        Signal::SIGTERM,
        Signal::SIGINT,
        Signal::SIGHUP,
    ] {
        watched.add(signal);
    }
    let mut blocked = watched;
    // Blocked, not ignored: a write to a closed pipe is an error here and still a signal in the programs.
    blocked.add(Signal::SIGPIPE);
    blocked.thread_block()?;
    SignalFd::with_flags(&watched, SfdFlags::SFD_NONBLOCK | SfdFlags::SFD_CLOEXEC)
}

/// Rounded up, so that the time has come when the wait is over.
fn timeout_until(instant: Option<Instant>) -> PollTimeout {
    let Some(instant) = instant else {
        return PollTimeout::NONE;
    };
    let left = instant.saturating_duration_since(Instant::now());
    if left.is_zero() {
        return PollTimeout::ZERO;
    }
    PollTimeout::try_from(left + Duration::from_millis(1)).unwrap_or(PollTimeout::MAX)
}

fn out_of_step(what: &str) -> Stop {
    log::warn(&format!("out of step with the daemon: {what}"));
    Stop(OUT_OF_STEP)
}
