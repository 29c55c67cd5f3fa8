//! STATUS: the daemon's word while it answers, its last readiness for a while when it does not.

use crate::support::fake_daemon::{FakeDaemon, Reply, failure, ok, reply};
use crate::support::scratch::Scratch;
use crate::support::shim::{Outcome, Shim};
use crate::wire::sample;
use multus_common::boot::read_boot_id;
use multus_common::clock::now_ns;
use multus_common::envelope::seal;
use std::fs;
use std::os::unix::net::UnixListener;
use std::time::Duration;

const SECOND: u64 = 1_000_000_000;

fn was_ready(scratch: &Scratch, boot: &str, at_ns: u64) {
    scratch.make(&scratch.state());
    let body = format!(r#"{{"bootId":"{boot}","atNs":"{at_ns}"}}"#);
    fs::write(scratch.state().join("ready"), seal("multusd.ready", &body)).unwrap();
}

fn was_ready_before(scratch: &Scratch, seconds: u64) {
    was_ready(
        scratch,
        &read_boot_id().unwrap(),
        now_ns() - seconds * SECOND,
    );
}

fn status(scratch: &Scratch) -> Outcome {
    Shim::new(
        "STATUS",
        &scratch.config("1.1.0", "", r#""statusTimeout":"700ms""#),
    )
    .run()
}

#[test]
fn the_daemons_error_is_printed_with_its_code_whenever_it_was_ready() {
    for (code, class) in [(50, "not-ready"), (51, "not-ready"), (11, "internal")] {
        let scratch = Scratch::new();
        was_ready_before(&scratch, 1);
        let body = format!(r#"{{"code":{code},"msg":"primary network is absent"}}"#);
        let _daemon = FakeDaemon::answering(&scratch.socket(), move |_| failure(503, class, &body));
        status(&scratch).assert_error(code, &["primary network is absent"]);
    }
}

#[test]
fn a_daemon_that_was_ready_lately_is_a_success_while_it_does_not_answer() {
    let absent = Scratch::new();
    let silent = Scratch::new();
    let _silent = UnixListener::bind(silent.socket()).unwrap();
    let holding = Scratch::new();
    let _holding = FakeDaemon::answering(&holding.socket(), |_| Reply::Silence);
    let junk = Scratch::new();
    let _junk = FakeDaemon::answering(&junk.socket(), |_| Reply::Send(reply(500, "", "junk")));
    for scratch in [&absent, &silent, &holding, &junk] {
        was_ready_before(scratch, 20);
        let outcome = status(scratch);
        outcome.assert_silent_success();
        assert!(
            outcome.took < Duration::from_millis(1500),
            "{:?}",
            outcome.took
        );

        was_ready_before(scratch, 31);
        let outcome = status(scratch);
        outcome.assert_error(50, &["multusd"]);
        assert!(
            outcome.took < Duration::from_millis(1500),
            "{:?}",
            outcome.took
        );
    }
}

#[test]
fn within_the_grace_an_absent_daemon_is_not_waited_for() {
    let scratch = Scratch::new();
    was_ready_before(&scratch, 1);
    let outcome = Shim::usual("STATUS", &scratch).run();
    outcome.assert_silent_success();
    assert!(
        outcome.took < Duration::from_millis(900),
        "{:?}",
        outcome.took
    );
}

#[test]
fn without_grace_it_is_looked_for_but_not_as_long_as_for_an_add() {
    let scratch = Scratch::new();
    let running = Shim::usual("STATUS", &scratch).start();
    std::thread::sleep(Duration::from_millis(200));
    let _daemon = FakeDaemon::answering(&scratch.socket(), |_| ok(""));
    running.wait().assert_silent_success();

    let scratch = Scratch::new();
    let outcome = Shim::usual("STATUS", &scratch).run();
    outcome.assert_error(50, &["no such socket"]);
    assert!(
        outcome.took < Duration::from_secs(2),
        "containerd holds a lock: {:?}",
        outcome.took
    );
}

#[test]
fn the_grace_can_be_set() {
    let scratch = Scratch::new();
    was_ready_before(&scratch, 20);
    let with = |grace: &str| {
        let grace = format!(r#""statusTimeout":"300ms","statusGrace":"{grace}""#);
        Shim::new("STATUS", &scratch.config("1.1.0", "", &grace)).run()
    };
    with("21m").assert_silent_success();
    with("10s").assert_error(50, &[]);
    with("0s").assert_error(50, &[]);
}

#[test]
fn a_stamp_of_another_boot_or_of_no_time_is_none() {
    let scratch = Scratch::new();
    was_ready(&scratch, "0b1f3a52-6f0e-4b6e-9d0c-2a7e5c1d4f88", now_ns());
    status(&scratch).assert_error(50, &[]);
    was_ready(&scratch, &read_boot_id().unwrap(), now_ns() + 60 * SECOND);
    status(&scratch).assert_error(50, &[]);
    for torn in ["", "\0\0\0\0", "{}", &sample("ready.json")] {
        fs::write(scratch.state().join("ready"), torn).unwrap();
        status(&scratch).assert_error(50, &[]);
    }
}

#[test]
fn the_sampled_stamp_is_understood() {
    let scratch = Scratch::new();
    scratch.make(&scratch.state());
    let body = sample("ready.json");
    let start = body.find("{\"bootId\"").unwrap();
    let ours = body[start..body.len() - 2]
        .replace(
            "0b1f3a52-6f0e-4b6e-9d0c-2a7e5c1d4f88",
            &read_boot_id().unwrap(),
        )
        .replace("18446744073709551615", &now_ns().to_string());
    fs::write(scratch.state().join("ready"), seal("multusd.ready", &ours)).unwrap();
    status(&scratch).assert_silent_success();
}
