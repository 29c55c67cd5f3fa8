//! Real signals: to a daemon that is a process of its own, and to the shim.

use crate::support::eventually;
use crate::support::fake_daemon::{FakeDaemon, Reply, ok};
use crate::support::scratch::Scratch;
use crate::support::shim::Shim;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

fn signal(child: &Child, signal: Signal) {
    kill(Pid::from_raw(i32::try_from(child.id()).unwrap()), signal).unwrap();
}

/// A daemon process that listens when this returns; killed with the value.
struct DaemonProcess(Child);

impl DaemonProcess {
    fn start(scratch: &Scratch) -> Self {
        // Examples lie beside the directory of the test programs.
        let program = std::env::current_exe().unwrap();
        let program = program
            .parent()
            .unwrap()
            .with_file_name("examples")
            .join("fake_daemon");
        let mut child = Command::new(program)
            .arg(scratch.socket())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child
            .stdout
            .as_mut()
            .unwrap()
            .read_exact(&mut [0; 9])
            .unwrap();
        Self(child)
    }
}

impl Drop for DaemonProcess {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_delete_decides_in_time_about_a_daemon_that_is_stopped_or_killed() {
    let scratch = Scratch::new();
    let mut daemon = DaemonProcess::start(&scratch);
    let shim = Shim::usual("DEL", &scratch);
    shim.run().assert_silent_success();
    assert!(scratch.spooled().is_empty());

    signal(&daemon.0, Signal::SIGSTOP);
    let outcome = shim.run();
    outcome.assert_silent_success();
    assert!(
        outcome.took < Duration::from_millis(1500),
        "{:?}",
        outcome.took
    );
    assert_eq!(scratch.spooled(), ["2f1a9c@eth0.json"]);

    signal(&daemon.0, Signal::SIGKILL);
    daemon.0.wait().unwrap();
    let outcome = shim.run();
    outcome.assert_silent_success();
    assert!(
        outcome.took < Duration::from_millis(1500),
        "{:?}",
        outcome.took
    );
    assert_eq!(scratch.spooled(), ["2f1a9c@eth0.json"]);
}

#[test]
fn a_daemon_that_goes_on_within_the_time_serves_what_waited() {
    let scratch = Scratch::new();
    let daemon = DaemonProcess::start(&scratch);
    signal(&daemon.0, Signal::SIGSTOP);
    let running = Shim::usual("CHECK", &scratch).start();
    std::thread::sleep(Duration::from_millis(200));
    signal(&daemon.0, Signal::SIGCONT);
    running.wait().assert_silent_success();
}

#[test]
fn a_shim_that_is_killed_hangs_up() {
    let scratch = Scratch::new();
    let daemon = FakeDaemon::answering(&scratch.socket(), |_| Reply::Silence);
    let mut running = Shim::usual("ADD", &scratch).start();
    eventually("the request", || daemon.calls().len() == 1);
    assert_eq!(daemon.hang_ups(), 0);
    running.child.kill().unwrap();
    running.child.wait().unwrap();
    eventually("the hang-up", || daemon.hang_ups() == 1);
}

#[test]
fn stopping_and_continuing_the_shim_interrupts_nothing() {
    let scratch = Scratch::new();
    let running = Shim::usual("ADD", &scratch).start();
    for _ in 0..20 {
        signal(&running.child, Signal::SIGSTOP);
        signal(&running.child, Signal::SIGCONT);
        std::thread::sleep(Duration::from_millis(2));
    }
    let daemon = FakeDaemon::answering(&scratch.socket(), |_| {
        std::thread::sleep(Duration::from_millis(300));
        ok("{}")
    });
    eventually("the request", || daemon.calls().len() == 1);
    for _ in 0..20 {
        signal(&running.child, Signal::SIGSTOP);
        signal(&running.child, Signal::SIGCONT);
        std::thread::sleep(Duration::from_millis(2));
    }
    assert_eq!(running.wait().stdout(), "{}");
}
