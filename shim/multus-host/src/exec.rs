//! Starting one program, and telling why it did not start.

use crate::errno_text;
use crate::request::RunRequest;
use crate::sys::{self, ChildPlan, Stage, StartReport};
use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::sys::socket::{AddressFamily, MsgFlags, SockFlag, SockType, recv, send, socketpair};
use nix::unistd::{Pid, pipe2, setpgid};
use std::ffi::CString;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

/// A program in the form that exec takes, made once for all attempts.
pub struct Program {
    path: CString,
    environment: Vec<CString>,
    root: Option<CString>,
}

/// The program never ran.
#[derive(Debug, PartialEq)]
pub struct NotStarted {
    pub reason: &'static str,
    pub errno: Errno,
    pub message: String,
}

/// A child that waits at its gate; its pipes are ours and do not block.
pub struct Child {
    pub pid: Pid,
    pub stdin: OwnedFd,
    pub stdout: OwnedFd,
    pub stderr: OwnedFd,
    pub gate: OwnedFd,
}

/// What the gate tells.
pub enum GateNews {
    Nothing,
    /// Closed by exec, or by the child's death before it: its exit status tells which.
    Passed,
    Failed(StartReport),
}

impl Program {
    pub fn new(request: &RunRequest) -> Result<Program, NotStarted> {
        let refuse = |what: &str| NotStarted {
            reason: "other",
            errno: Errno::EINVAL,
            message: format!(
                "fork/exec {}: {what}",
                request.path.replace('\0', "\u{fffd}")
            ),
        };
        let c_string = |text: &str, what: &str| {
            CString::new(text).map_err(|_| refuse(&format!("{what} contains NUL")))
        };
        if !request.path.starts_with('/') {
            return Err(refuse("path is not absolute"));
        }
        Ok(Program {
            path: c_string(&request.path, "path")?,
            environment: request
                .environment
                .iter()
                .map(|variable| c_string(variable, "environment variable"))
                .collect::<Result<_, _>>()?,
            root: request
                .root
                .as_deref()
                .map(|root| c_string(root, "root"))
                .transpose()?,
        })
    }

    /// Forks a child in a process group of its own. It becomes the program when its gate is opened.
    pub fn fork(&self) -> Result<Child, NotStarted> {
        self.try_fork()
            .map_err(|errno| self.explain(errno, "fork/exec", &self.path, classify(errno)))
    }

    fn try_fork(&self) -> Result<Child, Errno> {
        let (child_stdin, stdin) = pipe2(OFlag::O_CLOEXEC)?;
        let (stdout, child_stdout) = pipe2(OFlag::O_CLOEXEC)?;
        let (stderr, child_stderr) = pipe2(OFlag::O_CLOEXEC)?;
        // Packets, so that a report is read whole or not at all.
        let (gate, child_gate) = socketpair(
            AddressFamily::Unix,
            SockType::SeqPacket,
            None,
            SockFlag::SOCK_CLOEXEC,
        )?;
        for ours in [&stdin, &stdout, &stderr] {
            fcntl(ours, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
        }
        let pid = sys::fork_child(&ChildPlan {
            path: &self.path,
            environment: &self.environment,
            root: self.root.as_deref(),
            stdin: child_stdin.as_fd(),
            stdout: child_stdout.as_fd(),
            stderr: child_stderr.as_fd(),
            gate: child_gate.as_fd(),
        })?;
        // Before the gate opens, so that there is no moment in which the program runs in our own group. It can only
        // fail for a child that is dead already.
        let _ = setpgid(pid, pid);
        Ok(Child {
            pid,
            stdin,
            stdout,
            stderr,
            gate,
        })
    }

    /// The file was open for writing until the run's time was over.
    pub fn text_busy(&self) -> NotStarted {
        self.explain(Errno::ETXTBSY, "fork/exec", &self.path, "text-busy")
    }

    /// Puts a child's report into words.
    pub fn explain_report(&self, report: &StartReport) -> NotStarted {
        match (report.stage, &self.root) {
            (Stage::Root, Some(root)) => self.explain(report.errno, "chroot", root, "other"),
            (Stage::Execute, _) if report.errno == Errno::ENOENT && report.file_is_there => {
                self.explain(report.errno, "fork/exec", &self.path, "missing-interpreter")
            }
            _ => self.explain(
                report.errno,
                "fork/exec",
                &self.path,
                classify(report.errno),
            ),
        }
    }

    fn explain(
        &self,
        errno: Errno,
        call: &str,
        path: &CString,
        reason: &'static str,
    ) -> NotStarted {
        let text = errno_text::text(errno);
        let message = format!("{call} {}: {text}", path.to_string_lossy());
        NotStarted {
            reason,
            errno,
            message,
        }
    }
}

impl Child {
    /// Lets the child become its program. A child that is dead already tells so by its exit.
    pub fn open_gate(&self) {
        let _ = send(self.gate.as_raw_fd(), &[1], MsgFlags::MSG_NOSIGNAL);
    }
}

/// Never waits.
pub fn read_gate(gate: &OwnedFd) -> GateNews {
    let mut bytes = [0; 64];
    match recv(gate.as_raw_fd(), &mut bytes, MsgFlags::MSG_DONTWAIT) {
        Err(Errno::EAGAIN | Errno::EINTR) => GateNews::Nothing,
        Ok(count) => {
            StartReport::decode(&bytes[..count]).map_or(GateNews::Passed, GateNews::Failed)
        }
        Err(_) => GateNews::Passed,
    }
}

fn classify(errno: Errno) -> &'static str {
    match errno {
        Errno::ENOENT | Errno::ENOTDIR => "not-found",
        Errno::EACCES => "not-executable",
        Errno::ENOEXEC | Errno::ELIBBAD => "exec-format",
        Errno::ETXTBSY => "text-busy",
        Errno::EAGAIN | Errno::ENOMEM | Errno::EMFILE | Errno::ENFILE => "out-of-resources",
        _ => "other",
    }
}
