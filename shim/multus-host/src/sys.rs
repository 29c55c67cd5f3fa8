//! The only module with `unsafe`: system calls that no crate wraps the way this program needs them.
//!
//! Every function is safe to call. What makes each block sound stands beside it; two facts hold for all of them:
//! the process has one thread, and descriptors passed in are borrowed from owners that outlive the call.
#![allow(unsafe_code)]

use nix::errno::Errno;
use nix::unistd::Pid;
use std::ffi::{CStr, CString, c_int, c_void};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};

/// Where a child failed on its way to its program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stage {
    Descriptors,
    Root,
    Execute,
}

/// A child's last words: sent over its gate when it could not become its program.
#[derive(Debug, PartialEq)]
pub struct StartReport {
    pub stage: Stage,
    pub errno: Errno,
    /// The file is there, as seen from inside the root: what is missing is its interpreter.
    pub file_is_there: bool,
}

const REPORT_BYTES: usize = 6;

impl StartReport {
    /// Reads what the child has written; anything else is no report.
    pub fn decode(bytes: &[u8]) -> Option<StartReport> {
        let [stage, there, number @ ..] = <&[u8; REPORT_BYTES]>::try_from(bytes).ok()?;
        let stage = match stage {
            0 => Stage::Descriptors,
            1 => Stage::Root,
            2 => Stage::Execute,
            _ => return None,
        };
        Some(StartReport {
            stage,
            errno: Errno::from_raw(i32::from_ne_bytes(*number)),
            file_is_there: *there == 1,
        })
    }
}

/// What a child needs, made before the fork: between fork and exec nothing may allocate.
pub struct ChildPlan<'a> {
    pub path: &'a CStr,
    pub environment: &'a [CString],
    pub root: Option<&'a CStr>,
    pub stdin: BorrowedFd<'a>,
    pub stdout: BorrowedFd<'a>,
    pub stderr: BorrowedFd<'a>,
    /// The child waits here for one byte before it goes on, and ends if the other side is closed instead.
    pub gate: BorrowedFd<'a>,
}

/// Forks a child that becomes the plan's program once its gate is opened.
///
/// A real fork, not a vfork: a vforked child holds its parent up until the program is loaded, which a file on a dead
/// network file system can make for ever, and it hands the parent's peak memory on as the program's own.
pub fn fork_child(plan: &ChildPlan<'_>) -> Result<Pid, Errno> {
    let argv = [plan.path.as_ptr(), std::ptr::null()];
    let mut envp: Vec<*const libc::c_char> = plan.environment.iter().map(|e| e.as_ptr()).collect();
    envp.push(std::ptr::null());
    // SAFETY: one thread, so no lock is held by a thread that the child does not have; the child only makes
    // system calls on memory prepared above and never returns.
    match Errno::result(unsafe { libc::fork() })? {
        0 => unsafe { become_program(plan, &argv, &envp) },
        pid => Ok(Pid::from_raw(pid)),
    }
}

/// SAFETY: only for the child of `fork_child`; `argv` and `envp` end with a null pointer.
unsafe fn become_program(
    plan: &ChildPlan<'_>,
    argv: &[*const libc::c_char],
    envp: &[*const libc::c_char],
) -> ! {
    const GATE: RawFd = 3;
    unsafe {
        let mut gate = plan.gate.as_raw_fd();
        for (target, source) in [&plan.stdin, &plan.stdout, &plan.stderr].iter().enumerate() {
            if libc::dup2(source.as_raw_fd(), target as c_int) < 0 {
                give_up(gate, Stage::Descriptors, plan.path);
            }
        }
        if gate != GATE {
            if libc::dup3(gate, GATE, libc::O_CLOEXEC) < 0 {
                give_up(gate, Stage::Descriptors, plan.path);
            }
            gate = GATE;
        }
        // All are close-on-exec anyhow (all there is on kernels before 5.9); but until then this child would hold
        // pipes of other runs, and one that hangs in exec would keep their ends of file away from them.
        libc::syscall(libc::SYS_close_range, GATE + 1, c_int::MAX, 0);
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0);
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &none, std::ptr::null_mut());
        // The parent opens the gate when the run is on record. If it died before the line above took effect,
        // this end of file is how the child learns it.
        let mut opened = 0u8;
        if libc::read(gate, (&raw mut opened).cast::<c_void>(), 1) != 1 {
            libc::_exit(127);
        }
        if let Some(root) = plan.root
            && libc::chroot(root.as_ptr()) < 0
        {
            give_up(gate, Stage::Root, plan.path);
        }
        if libc::chdir(c"/".as_ptr()) < 0 {
            give_up(gate, Stage::Root, plan.path);
        }
        libc::execve(plan.path.as_ptr(), argv.as_ptr(), envp.as_ptr());
        give_up(gate, Stage::Execute, plan.path)
    }
}

/// SAFETY: only between fork and exec.
unsafe fn give_up(gate: RawFd, stage: Stage, path: &CStr) -> ! {
    let number = Errno::last_raw().to_ne_bytes();
    unsafe {
        let there = stage == Stage::Execute && libc::access(path.as_ptr(), libc::F_OK) == 0;
        let [a, b, c, d] = number;
        let report: [u8; REPORT_BYTES] = [stage as u8, u8::from(there), a, b, c, d];
        libc::write(gate, report.as_ptr().cast::<c_void>(), REPORT_BYTES);
        libc::_exit(127)
    }
}

/// How a child ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ending {
    Exited(i32),
    Killed(i32),
}

/// A child that has ended and is still a zombie: its process ID, and so its group's, cannot be given away yet.
pub fn find_ended_child() -> Option<Pid> {
    // SAFETY: all zeroes is a valid siginfo_t, and waitid writes no more than one.
    let pid = unsafe {
        let mut found: libc::siginfo_t = std::mem::zeroed();
        let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
        if libc::waitid(libc::P_ALL, 0, &mut found, options) != 0 {
            return None;
        }
        found.si_pid()
    };
    (pid != 0).then(|| Pid::from_raw(pid))
}

/// Lets a zombie go: how it ended and its peak resident size in KiB. `None` if it is no ended child of ours.
pub fn reap(child: Pid) -> Option<(Ending, i64)> {
    let mut status = 0;
    // SAFETY: all zeroes is a valid rusage, and wait4 writes no more than one.
    let (pid, usage) = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        let pid = libc::wait4(child.as_raw(), &mut status, libc::WNOHANG, &mut usage);
        (pid, usage)
    };
    if pid != child.as_raw() {
        return None;
    }
    let ending = if libc::WIFSIGNALED(status) {
        Ending::Killed(libc::WTERMSIG(status))
    } else {
        Ending::Exited(libc::WEXITSTATUS(status))
    };
    Some((ending, usage.ru_maxrss))
}

/// A handle on a process that becomes readable when it ends (Linux 5.3).
pub fn open_pidfd(pid: Pid) -> Result<OwnedFd, Errno> {
    // SAFETY: a successful call returns a new descriptor that nobody else owns.
    unsafe {
        let fd = Errno::result(libc::syscall(libc::SYS_pidfd_open, pid.as_raw(), 0))?;
        Ok(OwnedFd::from_raw_fd(fd as RawFd))
    }
}

/// `CLONE_NEWNET` and the like: of which type the namespace is that `fd` refers to.
pub fn namespace_type(fd: BorrowedFd<'_>) -> Result<c_int, Errno> {
    const NS_GET_NSTYPE: libc::c_ulong = 0xb703;
    // SAFETY: this request takes no argument.
    Errno::result(unsafe { libc::ioctl(fd.as_raw_fd(), NS_GET_NSTYPE as libc::Ioctl) })
}

/// What no other network namespace of this boot has or will have (Linux 5.14): `ENOPROTOOPT` before.
pub fn namespace_cookie(socket: BorrowedFd<'_>) -> Result<u64, Errno> {
    const SO_NETNS_COOKIE: c_int = 71;
    let mut cookie = 0u64;
    let mut length = size_of::<u64>() as libc::socklen_t;
    // SAFETY: `length` is the size of what `cookie` points to.
    Errno::result(unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            SO_NETNS_COOKIE,
            (&raw mut cookie).cast::<c_void>(),
            &mut length,
        )
    })?;
    Ok(cookie)
}

/// Closes what the caller left open beside 0, 1 and 2. Only before anything else has been opened.
pub fn close_inherited() {
    const FIRST: RawFd = 3;
    // SAFETY: nothing in this process owns a descriptor yet.
    unsafe {
        if libc::syscall(libc::SYS_close_range, FIRST, c_int::MAX, 0) == 0 {
            return;
        }
        let limit = libc::sysconf(libc::_SC_OPEN_MAX).clamp(0, 1 << 16) as RawFd;
        for fd in FIRST..limit {
            libc::close(fd);
        }
    }
}

/// Gives every ignored signal its default action: what is ignored here would be ignored in every program.
pub fn reset_ignored_signals() {
    const HIGHEST: c_int = 64;
    /// Room for the kernel's `struct sigaction`: handler first, zero is the default action without flags and mask.
    /// Not by way of libc, which keeps 32 and 33 for itself and does not let them be reset.
    type KernelAction = [usize; 8];
    const SET_BYTES: usize = 8;
    for signal in 1..=HIGHEST {
        let mut action: KernelAction = [0; 8];
        // SAFETY: the kernel reads and writes at most what `KernelAction` has room for.
        unsafe {
            let none = std::ptr::null::<KernelAction>();
            libc::syscall(libc::SYS_rt_sigaction, signal, none, &mut action, SET_BYTES);
            if action[0] == libc::SIG_IGN {
                let default: KernelAction = [0; 8];
                let none = std::ptr::null_mut::<KernelAction>();
                libc::syscall(libc::SYS_rt_sigaction, signal, &default, none, SET_BYTES);
            }
        }
    }
}

/// Lets big buffers go back to the kernel when they are freed, always: by default glibc learns to keep them.
pub fn return_big_buffers() {
    // SAFETY: sets a number in the allocator; one thread.
    unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, 256 << 10) };
}

/// Makes system calls end with `EINTR` once `after` has passed, and every 20 ms from then on, so that a call that
/// begins late is not missed.
pub fn interrupt_after(after: std::time::Duration) -> Result<(), Errno> {
    extern "C" fn nothing(_signal: c_int) {}
    let interval = libc::timeval {
        tv_sec: 0,
        tv_usec: 20_000,
    };
    let timer = libc::itimerval {
        it_value: libc::timeval {
            tv_sec: after.as_secs() as libc::time_t,
            tv_usec: libc::suseconds_t::from(after.subsec_micros()).max(1),
        },
        it_interval: interval,
    };
    // SAFETY: the handler does nothing; without SA_RESTART a blocking call returns.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = nothing as extern "C" fn(c_int) as usize;
        Errno::result(libc::sigaction(
            libc::SIGALRM,
            &action,
            std::ptr::null_mut(),
        ))?;
        Errno::result(libc::setitimer(
            libc::ITIMER_REAL,
            &timer,
            std::ptr::null_mut(),
        ))?;
    }
    Ok(())
}

/// `flock(2)` on a descriptor that this process inherited by number.
pub fn flock_inherited(fd: RawFd, wait: bool) -> Result<(), Errno> {
    let how = libc::LOCK_EX | if wait { 0 } else { libc::LOCK_NB };
    // SAFETY: takes a number; one that is not open is EBADF.
    Errno::result(unsafe { libc::flock(fd, how) }).map(drop)
}
