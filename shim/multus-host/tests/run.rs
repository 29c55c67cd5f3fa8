//! What becomes of a program: every way in which it can end, and what it was given.

mod support;

use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::{Duration, Instant};
use support::{Host, Outcome, Scratch, eventually, is_alive, run_request, signal};

fn start() -> (Scratch, Host) {
    let scratch = Scratch::new();
    let host = Host::start(&scratch.file("runs"));
    (scratch, host)
}

fn probe() -> PathBuf {
    let tests = std::env::current_exe().expect("this test has a path");
    tests
        .ancestors()
        .nth(2)
        .expect("target directory")
        .join("examples/probe")
}

#[test]
fn a_program_gets_its_path_its_environment_and_nothing_else() {
    let (_scratch, mut host) = start();
    let mut request = run_request(1, &probe());
    request["env"] = json!(["CNI_COMMAND=ADD", "CNI_ARGS=a=b;c=d"]);
    let (head, body) = host.ask(request, b"");
    assert_eq!(head["ended"], "exited");
    assert_eq!(head["exitCode"], 0);
    let seen: Value = serde_json::from_slice(&body).expect("JSON");
    assert_eq!(seen["arguments"], json!([probe()]));
    assert_eq!(
        seen["environment"],
        json!(["CNI_COMMAND=ADD", "CNI_ARGS=a=b;c=d"])
    );
    assert_eq!(seen["workingDirectory"], "/");
    assert_eq!(seen["descriptors"], 3);
    assert_eq!(seen["blockedSignals"], "0000000000000000");
    // SIGPIPE alone, by the probe's own runtime.
    assert_eq!(seen["ignoredSignals"], "0000000000001000");
    assert_eq!(seen["group"], seen["pid"].to_string());
}

#[test]
fn exit_code_output_time_and_memory_are_reported() {
    let (scratch, mut host) = start();
    let script = scratch.script("fails", "cat; echo oops >&2; exit 7");
    let outcome = host.run(&script, b"{\"a\":1}");
    assert_eq!(outcome.head["ended"], "exited");
    assert_eq!(outcome.head["exitCode"], 7);
    assert_eq!(outcome.stdout(), b"{\"a\":1}");
    assert_eq!(outcome.stderr(), b"oops\n");
    assert_eq!(outcome.head["stdoutTruncated"], false);
    assert!(outcome.head["wallMs"].as_f64().expect("number") > 0.0);
    assert!(outcome.head["maxRssKib"].as_u64().expect("number") > 100);
}

#[test]
fn stdin_larger_than_any_pipe_arrives_whole() {
    let (scratch, mut host) = start();
    let script = scratch.script("echo", "exec cat");
    let sent: Vec<u8> = (0..5 << 20).map(|i: u32| i.to_le_bytes()[1]).collect();
    let outcome = host.run(&script, &sent);
    assert_eq!(outcome.head["exitCode"], 0);
    assert!(outcome.stdout() == sent);
}

#[test]
fn a_program_that_never_reads_its_stdin_is_no_failure() {
    let (scratch, mut host) = start();
    let script = scratch.script("deaf", "exit 0");
    let outcome = host.run(&script, &vec![b'x'; 5 << 20]);
    assert_eq!(outcome.head["ended"], "exited");
    assert_eq!(outcome.head["exitCode"], 0);
}

#[test]
fn stdout_is_cut_at_8_mib_and_the_rest_is_drained() {
    let (scratch, mut host) = start();
    let script = scratch.script("flood", "head -c 104857600 /dev/zero; echo done >&2");
    let outcome = host.run(&script, b"");
    assert_eq!(outcome.head["exitCode"], 0);
    assert_eq!(outcome.stdout().len(), 8 << 20);
    assert_eq!(outcome.head["stdoutTruncated"], true);
    assert_eq!(outcome.stderr(), b"done\n");
}

#[test]
fn of_stderr_the_last_64_kib_are_kept() {
    let (scratch, mut host) = start();
    let script = scratch.script(
        "grumble",
        "head -c 20971520 /dev/zero >&2; echo why >&2; exit 3",
    );
    let outcome = host.run(&script, b"");
    assert_eq!(outcome.head["exitCode"], 3);
    assert_eq!(outcome.stderr().len(), 64 << 10);
    assert!(outcome.stderr().ends_with(b"\0why\n"));
}

#[test]
fn what_is_left_of_its_group_ends_with_it() {
    let (scratch, mut host) = start();
    let pid_file = scratch.file("grandchild");
    let body = format!("sleep 1000 & echo $! > {}; echo early", pid_file.display());
    let began = Instant::now();
    let outcome = host.run(&scratch.script("parent", &body), b"");
    assert_eq!(outcome.head["ended"], "exited");
    assert_eq!(outcome.stdout(), b"early\n");
    assert!(began.elapsed() < Duration::from_secs(5));
    let grandchild = scratch.pid("grandchild");
    eventually("the grandchild is gone", || !is_alive(grandchild));
}

#[test]
fn whoever_left_the_group_holds_the_answer_up_for_a_moment_only() {
    let (scratch, mut host) = start();
    let pid_file = scratch.file("daemon");
    let body = format!(
        "setsid sh -c 'echo $$ > {}; exec sleep 1000' & echo early; \
        until [ -s {0} ]; do :; done",
        pid_file.display()
    );
    let outcome = host.run(&scratch.script("daemonize", &body), b"");
    assert_eq!(outcome.head["ended"], "exited");
    assert_eq!(outcome.stdout(), b"early\n");
    let daemon = scratch.pid("daemon");
    assert!(is_alive(daemon));
    signal(daemon, "KILL");
    // The host adopted it and lets it go: not even a zombie stays.
    eventually("it is reaped", || {
        !PathBuf::from(format!("/proc/{daemon}")).exists()
    });
}

#[test]
fn a_signal_is_named() {
    let (scratch, mut host) = start();
    let outcome = host.run(&scratch.script("dies", "echo partial; kill -SEGV $$"), b"");
    assert_eq!(outcome.head["ended"], "killed");
    assert_eq!(outcome.head["signal"], "SIGSEGV");
    assert_eq!(outcome.stdout(), b"partial\n");
    let outcome = host.run(&scratch.script("dies-rt", "kill -40 $$"), b"");
    assert_eq!(outcome.head["signal"], "SIG40");
    let outcome = host.run(&scratch.script("pipe", "kill -PIPE $$; echo survived"), b"");
    assert_eq!(outcome.head["signal"], "SIGPIPE");
}

fn not_started(outcome: &Outcome, reason: &str, errno: &str, message: &str) {
    assert_eq!(outcome.head["ended"], "not-started");
    assert_eq!(outcome.head["reason"], reason);
    assert_eq!(outcome.head["errno"], errno);
    assert_eq!(outcome.head["message"], message);
}

#[test]
fn a_program_that_cannot_start_says_why() {
    let (scratch, mut host) = start();
    let message = |file: &PathBuf, text: &str| format!("fork/exec {}: {text}", file.display());

    let missing = scratch.file("missing");
    let text = message(&missing, "no such file or directory");
    not_started(&host.run(&missing, b""), "not-found", "ENOENT", &text);

    let plain = scratch.write("plain", "#!/bin/sh\n", 0o644);
    let text = message(&plain, "permission denied");
    not_started(&host.run(&plain, b""), "not-executable", "EACCES", &text);

    let text = message(&scratch.0, "permission denied");
    not_started(
        &host.run(&scratch.0, b""),
        "not-executable",
        "EACCES",
        &text,
    );

    let below_a_file = plain.join("x");
    let text = message(&below_a_file, "not a directory");
    not_started(&host.run(&below_a_file, b""), "not-found", "ENOTDIR", &text);

    let no_shebang = scratch.write("no-shebang", "echo hello\n", 0o755);
    let text = message(&no_shebang, "exec format error");
    not_started(&host.run(&no_shebang, b""), "exec-format", "ENOEXEC", &text);

    let empty = scratch.write("empty", "", 0o755);
    let text = message(&empty, "exec format error");
    not_started(&host.run(&empty, b""), "exec-format", "ENOEXEC", &text);

    let lost = scratch.write("lost", "#!/nowhere/interpreter\n", 0o755);
    let text = message(&lost, "no such file or directory");
    not_started(
        &host.run(&lost, b""),
        "missing-interpreter",
        "ENOENT",
        &text,
    );
}

#[test]
fn an_elf_file_without_its_loader_is_a_missing_interpreter() {
    let (scratch, mut host) = start();
    // A dynamic program whose loader's path leads nowhere.
    let mut program = std::fs::read("/bin/sh").expect("a shell is there");
    let loader = b"/lib64/ld-linux-x86-64.so.2";
    let Some(at) = program
        .windows(loader.len())
        .position(|window| window == loader)
    else {
        return eprintln!("skipped: /bin/sh does not name the usual loader");
    };
    program[at..at + 4].copy_from_slice(b"/non");
    let file = scratch.script("orphan", "");
    std::fs::write(&file, program).expect("write");
    let outcome = host.run(&file, b"");
    assert_eq!(outcome.head["reason"], "missing-interpreter");
}

#[test]
fn what_cannot_be_passed_to_exec_is_refused() {
    let (_scratch, mut host) = start();
    let outcome = host.run(&PathBuf::from("bin/true"), b"");
    not_started(
        &outcome,
        "other",
        "EINVAL",
        "fork/exec bin/true: path is not absolute",
    );
    let mut request = run_request(1, &PathBuf::from("/bin/true"));
    request["env"] = json!(["A=b\u{0}c"]);
    let (head, _) = host.ask(request, b"");
    assert_eq!(
        head["message"],
        "fork/exec /bin/true: environment variable contains NUL"
    );
    let mut request = run_request(1, &PathBuf::from("/bin/true"));
    request["env"] = json!([format!("A={}", "x".repeat(200 << 10))]);
    let (head, _) = host.ask(request, b"");
    assert_eq!(head["errno"], "E2BIG");
}

#[test]
fn a_file_that_is_being_written_is_tried_again() {
    let (scratch, mut host) = start();
    let script = scratch.script("busy", "echo ready");
    let writer = std::fs::OpenOptions::new()
        .append(true)
        .open(&script)
        .expect("open");
    host.send(&run_request(1, &script), b"");
    // Long enough that several attempts have failed.
    std::thread::sleep(Duration::from_millis(150));
    drop(writer);
    let (head, body) = host.receive(1);
    assert_eq!(head["ended"], "exited");
    assert_eq!(body, b"ready\n");
}

#[test]
fn a_file_that_stays_open_for_writing_is_text_busy_within_the_time_limit() {
    let (scratch, mut host) = start();
    let script = scratch.script("busy", "echo ready");
    let _writer = std::fs::OpenOptions::new()
        .append(true)
        .open(&script)
        .expect("open");
    let text = format!("fork/exec {}: text file busy", script.display());

    let began = Instant::now();
    not_started(&host.run(&script, b""), "text-busy", "ETXTBSY", &text);
    assert!(
        began.elapsed() >= Duration::from_millis(1570),
        "all waits are used"
    );

    let mut short = run_request(2, &script);
    short["timeoutMs"] = 100.into();
    let began = Instant::now();
    let (head, _) = host.ask(short, b"");
    assert_eq!(head["reason"], "text-busy");
    assert!(began.elapsed() < Duration::from_millis(1000));

    host.send(&run_request(3, &script), b"");
    let (head, _) = host.ask(json!({"id": 4, "op": "cancel", "target": 3}), b"");
    assert_eq!(head["found"], true);
    assert_eq!(host.receive(3).0["ended"], "cancelled");
}

#[test]
fn out_of_time_the_whole_group_ends() {
    let (scratch, mut host) = start();
    let pid_file = scratch.file("grandchild");
    let body = format!(
        "sleep 1000 & echo $! > {}; echo begun; wait",
        pid_file.display()
    );
    let mut request = run_request(1, &scratch.script("sleeper", &body));
    request["timeoutMs"] = 300.into();
    let (head, body) = host.ask(request, b"");
    assert_eq!(head["ended"], "timed-out");
    assert_eq!(body, b"begun\n");
    assert!(head.get("exitCode").is_none());
    let grandchild = scratch.pid("grandchild");
    eventually("the grandchild is gone", || !is_alive(grandchild));
}

#[test]
fn cancelled_the_whole_group_ends() {
    let (scratch, mut host) = start();
    let pid_file = scratch.file("grandchild");
    let body = format!("sleep 1000 & echo $! > {}; wait", pid_file.display());
    host.send(&run_request(1, &scratch.script("sleeper", &body)), b"");
    let grandchild = scratch.pid("grandchild");
    assert_eq!(
        host.ask(json!({"id": 2, "op": "cancel", "target": 1}), b"")
            .0["found"],
        true
    );
    assert_eq!(host.receive(1).0["ended"], "cancelled");
    eventually("the grandchild is gone", || !is_alive(grandchild));
    assert_eq!(
        host.ask(json!({"id": 3, "op": "cancel", "target": 1}), b"")
            .0["found"],
        false
    );
}

#[test]
fn sixty_four_at_once_do_not_wait_for_each_other() {
    let (scratch, mut host) = start();
    let script = scratch.script("nap", "cat; exec sleep 1");
    let began = Instant::now();
    for id in 0..64 {
        host.send(&run_request(id, &script), id.to_string().as_bytes());
    }
    for id in 0..64 {
        let (head, body) = host.receive(id);
        assert_eq!(head["exitCode"], 0);
        assert_eq!(body, id.to_string().as_bytes());
    }
    assert!(
        began.elapsed() < Duration::from_secs(15),
        "64 s one after the other"
    );
}

/// Sends runs that print 8 MiB each to a host that nobody reads from, until one cannot get its output out.
fn fill(scratch: &Scratch, host: &mut Host) -> u64 {
    const ENOUGH: u64 = 12;
    for id in 1..ENOUGH {
        let marker = scratch.file(&format!("done-{id}"));
        let body = format!("head -c 8388608 /dev/zero && : > {}", marker.display());
        let script = scratch.script(&format!("big-{id}"), &body);
        host.send(&run_request(id, &script), b"");
        let deadline = Instant::now() + Duration::from_secs(1);
        while !marker.exists() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(5));
        }
        if !marker.exists() {
            return id;
        }
    }
    panic!("the host goes on reading, whatever waits to be sent");
}

#[test]
fn a_daemon_that_does_not_read_does_not_make_the_host_grow() {
    let scratch = Scratch::new();
    let mut host = Host::start_without_reading(&scratch.file("runs"));
    let sent = fill(&scratch, &mut host);

    let status = format!("/proc/{}/status", host.process.id());
    let status = std::fs::read_to_string(status).expect("alive");
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM:"))
        .expect("a peak");
    let peak_kib: u64 = line
        .split_whitespace()
        .nth(1)
        .expect("number")
        .parse()
        .expect("number");
    assert!(peak_kib < 100 << 10, "{line}");

    host.read_from_now_on();
    for id in 1..=sent {
        assert_eq!(host.receive(id).0["stdoutLength"], 8 << 20);
    }
}

#[test]
fn a_daemon_that_dies_without_having_read_ends_everything() {
    let scratch = Scratch::new();
    let mut host = Host::start_without_reading(&scratch.file("runs"));
    fill(&scratch, &mut host);
    host.close();
    assert_eq!(host.wait().code(), Some(0));
    let left = std::fs::read_dir(scratch.file("runs"))
        .expect("runs directory")
        .count();
    assert_eq!(left, 0, "no program is left");
}
