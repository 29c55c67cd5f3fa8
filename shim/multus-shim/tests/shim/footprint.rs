//! What one call costs a node: of the program as it ships, with the release profile.

use crate::support::eventually;
use crate::support::fake_daemon::{FakeDaemon, ok};
use crate::support::scratch::Scratch;
use crate::support::shim::Shim;
use nix::sys::ptrace;
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::Pid;
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

/// Built as the product is, so that nothing is built twice.
fn shipped() -> PathBuf {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM
        .get_or_init(|| {
            let output = Command::new(env!("CARGO"))
                .args([
                    "build",
                    "--release",
                    "--locked",
                    "--bins",
                    "--quiet",
                    "--message-format=json",
                ])
                .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
                .output()
                .unwrap();
            assert!(
                output.status.success(),
                "{}",
                String::from_utf8_lossy(&output.stderr)
            );
            let messages = String::from_utf8(output.stdout).unwrap();
            messages
                .lines()
                .filter_map(|line| serde_json::from_str::<Value>(line).ok())
                .filter(|message| message["target"]["name"] == "multus-shim")
                .find_map(|message| message["executable"].as_str().map(PathBuf::from))
                .expect("cargo names the program")
        })
        .clone()
}

/// The peak of a process that is about to end, in KiB, and how many threads it had when it did: seen at its very exit,
/// because the peak that `wait4` tells includes the caller's memory before exec.
fn peak_kib_and_threads(shim: &Shim, stdin: &str) -> (u64, u64) {
    let mut child = shim.command().spawn().unwrap();
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap());
    // It waits for its stdin, so nothing is over before the tracer is there.
    eventually("the program", || command_name(child.id()) == "multus-shim");
    ptrace::seize(pid, ptrace::Options::PTRACE_O_TRACEEXIT).unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(stdin.as_bytes())
        .unwrap();
    loop {
        match waitpid(pid, None).unwrap() {
            WaitStatus::PtraceEvent(..) => break,
            WaitStatus::Stopped(_, signal) => ptrace::cont(pid, signal).unwrap(),
            other => panic!("{other:?}"),
        }
    }
    let seen = (
        status_field(child.id(), "VmHWM:"),
        status_field(child.id(), "Threads:"),
    );
    ptrace::detach(pid, None).unwrap();
    child.wait().unwrap();
    seen
}

fn command_name(pid: u32) -> String {
    fs::read_to_string(format!("/proc/{pid}/comm"))
        .unwrap_or_default()
        .trim_end()
        .to_owned()
}

fn status_field(pid: u32, name: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with(name)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn the_program_is_static_and_under_a_megabyte_and_a_half() {
    let program = shipped();
    let bytes = fs::read(&program).unwrap();
    assert!(bytes.len() < 1_500_000, "{} bytes", bytes.len());

    let ldd = Command::new("ldd").arg(&program).output().unwrap();
    let said = String::from_utf8([ldd.stdout, ldd.stderr].concat()).unwrap();
    assert!(
        said.contains("statically linked") || said.contains("not a dynamic executable"),
        "{said}"
    );
}

#[test]
fn a_call_is_one_thread_and_less_than_two_megabytes() {
    let scratch = Scratch::new();
    let _daemon = FakeDaemon::answering(&scratch.socket(), |_| {
        ok(r#"{"cniVersion":"1.1.0","ips":[]}"#)
    });
    let usual = scratch.config(
        "1.1.0",
        &format!(r#""args":"{}""#, "x".repeat(8 * 1024)),
        "",
    );
    for command in ["ADD", "DEL", "CHECK", "GC", "STATUS"] {
        let (peak_kib, threads) =
            peak_kib_and_threads(&Shim::new(command, "").program(shipped()), &usual);
        assert!(peak_kib < 2048, "{command}: {peak_kib} KiB");
        assert_eq!(threads, 1);
    }
}

#[test]
fn a_delete_that_is_spooled_stays_as_small() {
    let scratch = Scratch::new();
    scratch.make(&scratch.spool());
    for n in 0..1_000 {
        fs::write(scratch.spool().join(format!("c{n}@eth0.json")), "").unwrap();
    }
    let usual = scratch.config("1.1.0", "", r#""delDecisionTime":"20ms""#);
    for _first_and_repeated in 0..2 {
        let (peak_kib, threads) =
            peak_kib_and_threads(&Shim::new("DEL", "").program(shipped()), &usual);
        assert!(peak_kib < 2048, "{peak_kib} KiB");
        assert_eq!(threads, 1);
    }
    assert_eq!(scratch.spooled().len(), 1_001);
}
