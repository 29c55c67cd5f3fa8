//! `multus-host serve`: one thread that waits for requests, programs, signals and time.

use crate::errno_text;
use crate::exec::NotStarted;
use crate::frame::FrameReader;
use crate::leftovers::{self, Ended};
use crate::links;
use crate::log;
use crate::namespace;
use crate::outgoing::Outgoing;
use crate::record::Records;
use crate::request::{self, Envelope, Request, RunRequest};
use crate::run::{self, Channel, Run};
use crate::sys;
use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::prctl::set_child_subreaper;
use nix::sys::signal::{SigSet, Signal, killpg};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::unistd::{Pid, setsid};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::os::fd::AsFd;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Both sides change it together when a message changes its meaning.
const PROTOCOL: u32 = 1;
const MAX_RUNS: usize = 1024;
const SCRATCH: usize = 64 << 10;
/// How long what runs may take to die when this process has to end.
const LAST_WAIT: Duration = Duration::from_millis(500);

const ENDED: u8 = 0;
const CANNOT_START: u8 = 1;
const OUT_OF_STEP: u8 = 3;

/// Serves until stdin ends (0), a signal asks for the end (0), or a frame cannot be read (3). 1: could not start.
pub fn serve(runs_directory: &Path) -> ExitCode {
    match Host::prepare(runs_directory) {
        Ok(mut host) => ExitCode::from(host.serve()),
        Err(error) => {
            log::warn(&format!("cannot start: {error}"));
            ExitCode::from(CANNOT_START)
        }
    }
}

struct Host {
    input: File,
    output: File,
    signals: SignalFd,
    /// The network namespace to return to.
    home: File,
    records: Records,
    ended: Vec<Ended>,
    reader: FrameReader,
    outgoing: Outgoing,
    runs: BTreeMap<u64, Run>,
    /// Leaders that are not reaped yet, and whose run they are or were.
    leaders: HashMap<Pid, u64>,
    scratch: Vec<u8>,
}

/// What became ready.
enum Source {
    Input,
    Output,
    Signals,
    Run(u64, Channel),
}

/// Why to end.
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
            records,
            ended,
            reader: FrameReader::default(),
            outgoing: Outgoing::default(),
            runs: BTreeMap::new(),
            leaders: HashMap::new(),
            scratch: vec![0; SCRATCH],
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
            self.settle();
        };
        self.end_all();
        code
    }

    /// Waits for the next thing to do. Whatever became ready is told in order of the sources, signals last: a child's
    /// last words are read before its end.
    fn wait(&mut self) -> Result<Vec<Source>, Stop> {
        let next_time = self.runs.values().map(Run::next_time).min();
        let full = self.outgoing.is_full();
        let mut sources = vec![Source::Input, Source::Output];
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
        let mut fds = vec![
            PollFd::new(self.input.as_fd(), listen),
            PollFd::new(self.output.as_fd(), send),
        ];
        for (id, run) in &self.runs {
            for (channel, fd, flags) in run.interests(!full) {
                sources.push(Source::Run(*id, channel));
                fds.push(PollFd::new(fd, flags));
            }
        }
        sources.push(Source::Signals);
        fds.push(PollFd::new(self.signals.as_fd(), PollFlags::POLLIN));
        match poll(&mut fds, timeout_until(next_time)) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(errno) => {
                log::warn(&format!("cannot wait: {}", errno.desc()));
                return Err(Stop(CANNOT_START));
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
        let ready = fds
            .iter()
            .map(|fd| fd.any().unwrap_or(false))
            .collect::<Vec<_>>();
        Ok(sources
            .into_iter()
            .zip(ready)
            .filter_map(|(source, ready)| ready.then_some(source))
            .collect())
    }

    fn on_ready(&mut self, source: Source) -> Result<(), Stop> {
        match source {
            Source::Input => self.read_requests(),
            Source::Output => self.flush(),
            Source::Signals => self.on_signals(),
            Source::Run(id, channel) => {
                if let Some(run) = self.runs.get_mut(&id) {
                    run.on_ready(channel, &mut self.scratch);
                }
                Ok(())
            }
        }
    }

    /// What time brings, and answers that are ready.
    fn settle(&mut self) {
        for (id, run) in &mut self.runs {
            run.on_time(&self.records);
            self.leaders
                .extend(run.leader().map(|leader| (leader, *id)));
        }
        let outgoing = &mut self.outgoing;
        self.runs.retain(|_, run| match run.take_finished() {
            Some(finished) => {
                outgoing.push(&finished.head, finished.parts);
                false
            }
            None => true,
        });
    }

    fn read_requests(&mut self) -> Result<(), Stop> {
        match self.input.read(&mut self.scratch) {
            Ok(0) => return Err(Stop(ENDED)),
            Ok(count) => self.reader.push(&self.scratch[..count]),
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
            Ok(Request::Run(run)) => return self.on_run(id, &run, body),
            Ok(Request::Cancel { target }) => {
                let run = self.runs.get_mut(&target);
                let found = run.is_some();
                run.into_iter().for_each(Run::cancel);
                json!({"id": id, "found": found})
            }
            Ok(Request::Identity { path }) => self.identify(id, &path),
            Ok(Request::Links { path }) => self.list_links(id, &path),
            Ok(Request::Hello) => self.greet(id),
            Err(message) => error_answer(id, Errno::EINVAL, &message),
        };
        self.outgoing.push(&answer, Vec::new());
    }

    fn on_run(&mut self, id: u64, request: &RunRequest, stdin: Vec<u8>) {
        if self.runs.contains_key(&id) {
            let answer = error_answer(id, Errno::EINVAL, "id is in use");
            return self.outgoing.push(&answer, Vec::new());
        }
        if self.runs.len() >= MAX_RUNS {
            let refused = NotStarted {
                reason: "out-of-resources",
                errno: Errno::EAGAIN,
                message: format!("fork/exec {}: too many programs run already", request.path),
            };
            let finished = run::not_started(id, &refused);
            return self.outgoing.push(&finished.head, finished.parts);
        }
        let run = Run::start(id, request, stdin, &self.records);
        // At once: its end may be among the signals that are handled next.
        self.leaders.extend(run.leader().map(|leader| (leader, id)));
        self.runs.insert(id, run);
    }

    fn identify(&self, id: u64, path: &str) -> Value {
        let identity = namespace::open(path).and_then(|found| {
            found
                .map(|open| namespace::identify(&open, &self.home))
                .transpose()
        });
        match identity {
            Ok(None) => json!({"id": id, "found": false}),
            Ok(Some(identity)) => {
                let mut answer = json!({
                    "id": id, "found": true, "device": identity.device, "inode": identity.inode,
                });
                if let Some(cookie) = identity.cookie {
                    answer["cookie"] = cookie.into();
                }
                answer
            }
            Err(errno) => namespace_error(id, errno),
        }
    }

    fn list_links(&self, id: u64, path: &str) -> Value {
        let links = namespace::open(path)
            .and_then(|found| found.map(|open| links::list(&open, &self.home)).transpose());
        match links {
            Ok(None) => json!({"id": id, "found": false}),
            Ok(Some(links)) => json!({"id": id, "found": true, "links": links}),
            Err(errno) => namespace_error(id, errno),
        }
    }

    fn greet(&self, id: u64) -> Value {
        let ended: Vec<Value> = self
            .ended
            .iter()
            .map(|ended| json!({"owner": ended.owner, "group": ended.group.as_raw()}))
            .collect();
        let version = env!("CARGO_PKG_VERSION");
        json!({"id": id, "version": version, "protocol": PROTOCOL, "ended": ended})
    }

    fn flush(&mut self) -> Result<(), Stop> {
        // Nobody reads any more: the daemon has gone.
        self.outgoing
            .flush(&mut self.output)
            .map_err(|_| Stop(ENDED))
    }

    fn on_signals(&mut self) -> Result<(), Stop> {
        while let Ok(Some(signal)) = self.signals.read_signal() {
            if signal.ssi_signo != Signal::SIGCHLD as u32 {
                return Err(Stop(ENDED));
            }
        }
        self.reap();
        Ok(())
    }

    /// Lets every ended child go: leaders of runs, and orphans that this process adopted.
    fn reap(&mut self) {
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

    /// Ends everything that runs, with its group, and waits a little for its end.
    fn end_all(&mut self) {
        for leader in self.leaders.keys() {
            let _ = killpg(*leader, Signal::SIGKILL);
        }
        let deadline = Instant::now() + LAST_WAIT;
        while !self.leaders.is_empty() && Instant::now() < deadline {
            let mut fds = [PollFd::new(self.signals.as_fd(), PollFlags::POLLIN)];
            let _ = poll(&mut fds, timeout_until(Some(deadline)));
            while let Ok(Some(_)) = self.signals.read_signal() {}
            self.reap();
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

fn error_answer(id: u64, errno: Errno, message: &str) -> Value {
    json!({"id": id, "error": {"errno": errno_text::name(errno), "message": message}})
}

fn namespace_error(id: u64, errno: Errno) -> Value {
    error_answer(id, errno, &errno_text::text(errno))
}

fn out_of_step(what: &str) -> Stop {
    log::warn(&format!("out of step with the daemon: {what}"));
    Stop(OUT_OF_STEP)
}
