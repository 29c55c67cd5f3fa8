//! Who decides a DEL: the daemon, or the policy where no daemon does.

use crate::support::fake_daemon::{FakeDaemon, Reply, failure, healthy, ok, reply};
use crate::support::scratch::Scratch;
use crate::support::shim::{Outcome, Shim};
use multus_common::envelope::open;
use serde_json::Value;
use std::os::unix::net::UnixListener;
use std::time::Duration;

const ERROR: &str = r#"{"cniVersion":"1.1.0","code":42,"msg":"network b: failed"}"#;
const SPOOLED: [&str; 1] = ["2f1a9c@eth0.json"];

fn hurried(scratch: &Scratch, policy: &str) -> Shim {
    let policy = format!(r#""delErrorPolicy":"{policy}""#);
    Shim::new(
        "DEL",
        &scratch.config(
            "1.0.0",
            &policy,
            r#""delTimeout":"900ms","delDecisionTime":"500ms""#,
        ),
    )
}

fn delete(scratch: &Scratch, policy: &str) -> Outcome {
    hurried(scratch, policy).run()
}

/// `policy` and `reason` of the only spool entry.
fn entry(scratch: &Scratch) -> (String, String) {
    let file = std::fs::read(scratch.spool().join(SPOOLED[0])).unwrap();
    let body: Value = serde_json::from_slice(open("multusd.spool", &file).unwrap()).unwrap();
    let text = |key: &str| body[key].as_str().unwrap().to_owned();
    (text("policy"), text("reason"))
}

#[test]
fn a_success_of_the_daemon_is_one() {
    for policy in ["strict", "lenient", "deferred"] {
        let scratch = Scratch::new();
        let _daemon = FakeDaemon::answering(&scratch.socket(), |_| ok(""));
        let outcome = delete(&scratch, policy);
        outcome.assert_silent_success();
        assert_eq!(outcome.stderr(), "");
        assert!(!scratch.state().exists());
    }
}

#[test]
fn a_named_failure_of_the_daemon_is_the_answer_whatever_the_policy_says() {
    for class in [
        "delegate-failed",
        "deadline-exceeded",
        "storage-failed",
        "malformed-request",
        "a-later-one",
    ] {
        let scratch = Scratch::new();
        let _daemon = FakeDaemon::answering(&scratch.socket(), move |_| failure(502, class, ERROR));
        delete(&scratch, "deferred").assert_error(42, &["network b: failed"]);
        assert!(!scratch.state().exists());
    }
}

#[test]
fn words_that_a_runtime_takes_for_success_reach_it_in_no_way() {
    let body = r#"{"code":7,"msg":"Link Not Found","details":"open /x: no\u0020such file or directory; NOT FOUND"}"#;
    let scratch = Scratch::new();
    let _daemon = FakeDaemon::answering(&scratch.socket(), move |_| {
        failure(502, "delegate-failed", body)
    });
    let outcome = delete(&scratch, "strict");
    outcome.assert_error(
        7,
        &["Link missing", "file or directory is missing; missing"],
    );
    assert_no_success_words(&outcome);

    let scratch = Scratch::new();
    std::fs::write(scratch.state(), "a file").unwrap();
    assert_no_success_words(&delete(&scratch, "deferred"));
    let text = r#"{"name":"a","delErrorPolicy":"strict","daemonSocketDir":"/a not found/no such file or directory/x",
        "shim":{"delDecisionTime":"1ms","spoolDir":"/proc/1/no such file or directory"}}"#;
    assert_no_success_words(&Shim::new("DEL", text).run());
}

fn assert_no_success_words(outcome: &Outcome) {
    outcome.error();
    let all = format!("{}{}", outcome.stdout(), outcome.stderr()).to_lowercase();
    assert!(
        !all.contains("not found") && !all.contains("no such file or directory"),
        "{all}"
    );
}

type Answer = fn() -> Reply;

/// What a daemon, or its absence, can do to a DEL without deciding it, and the reason that is written down.
fn undecided() -> Vec<(&'static str, Option<Answer>)> {
    vec![
        ("daemon-absent", None),
        ("daemon-declined", Some(|| failure(503, "not-ready", ERROR))),
        ("daemon-declined", Some(|| failure(429, "too-busy", ERROR))),
        ("daemon-declined", Some(|| failure(500, "internal", ERROR))),
        (
            "daemon-declined",
            Some(|| Reply::Send(reply(500, "", ERROR))),
        ),
        (
            "daemon-declined",
            Some(|| Reply::Send(reply(404, "", "gone"))),
        ),
        (
            "daemon-declined",
            Some(|| failure(502, "delegate-failed", "junk")),
        ),
        ("daemon-declined", Some(|| Reply::Send(reply(204, "", "")))),
        ("reply-unreadable", Some(|| failure(200, "internal", ""))),
        (
            "reply-unreadable",
            Some(|| Reply::SendAndClose(b"junk\r\n\r\n".to_vec())),
        ),
        (
            "reply-unreadable",
            Some(|| {
                Reply::SendAndClose(b"HTTP/1.1 200 OK\r\ncontent-length: 99999999\r\n\r\n".to_vec())
            }),
        ),
        ("connection-lost", Some(|| Reply::Close)),
        (
            "connection-lost",
            Some(|| Reply::SendAndClose(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n".to_vec())),
        ),
        ("daemon-late", Some(|| Reply::Silence)),
        (
            "daemon-late",
            Some(|| Reply::Drip(reply(200, "", "{}"), Duration::from_millis(100))),
        ),
    ]
}

/// Every case at once, each with its own daemon, under `policy`.
fn delete_undecided(policy: &str) -> Vec<(&'static str, Scratch, Outcome)> {
    let running: Vec<_> = undecided()
        .into_iter()
        .map(|(reason, answer)| {
            let scratch = Scratch::new();
            let daemon =
                answer.map(|answer| FakeDaemon::answering(&scratch.socket(), move |_| answer()));
            let running = hurried(&scratch, policy).start();
            (reason, scratch, daemon, running)
        })
        .collect();
    running
        .into_iter()
        .map(|(reason, scratch, _daemon, running)| (reason, scratch, running.wait()))
        .collect()
}

#[test]
fn whatever_does_not_decide_is_spooled_under_deferred_and_lenient() {
    for policy in ["deferred", "lenient"] {
        for (reason, scratch, outcome) in delete_undecided(policy) {
            outcome.assert_silent_success();
            assert_eq!(outcome.stderr().lines().count(), 1);
            assert_eq!(scratch.spooled(), SPOOLED);
            assert_eq!(entry(&scratch), (policy.to_owned(), reason.to_owned()));
        }
    }
}

#[test]
fn whatever_does_not_decide_is_refused_under_strict() {
    for (_, scratch, outcome) in delete_undecided("strict") {
        outcome.assert_error(11, &["strict"]);
        assert!(scratch.spooled().is_empty());
    }
}

#[test]
fn a_daemon_that_is_not_there_is_decided_about_within_a_second_and_a_half() {
    let absent = Scratch::new();
    let refusing = Scratch::new();
    drop(UnixListener::bind(refusing.socket()).unwrap());
    let silent = Scratch::new();
    let _silent = UnixListener::bind(silent.socket()).unwrap();
    let unhealthy = Scratch::new();
    let _unhealthy = FakeDaemon::start(&unhealthy.socket(), |_| Reply::Send(reply(503, "", "")));
    let dripping = Scratch::new();
    let _dripping = FakeDaemon::start(&dripping.socket(), |_| {
        Reply::Drip(reply(200, "", &" ".repeat(1000)), Duration::from_millis(20))
    });

    // With the times of the contract.
    let running = [
        (absent, "daemon-absent"),
        (refusing, "daemon-absent"),
        (silent, "daemon-silent"),
        (unhealthy, "daemon-declined"),
        (dripping, "daemon-silent"),
    ]
    .map(|(scratch, reason)| (Shim::usual("DEL", &scratch).start(), scratch, reason));
    for (running, scratch, reason) in running {
        let outcome = running.wait();
        outcome.assert_silent_success();
        assert!(
            outcome.took < Duration::from_millis(1500),
            "{reason}: {:?}",
            outcome.took
        );
        assert_eq!(entry(&scratch), ("deferred".to_owned(), reason.to_owned()));
    }
}

#[test]
fn a_daemon_that_comes_within_the_decision_time_takes_it() {
    let scratch = Scratch::new();
    let running = Shim::usual("DEL", &scratch).start();
    std::thread::sleep(Duration::from_millis(200));
    let daemon = FakeDaemon::answering(&scratch.socket(), |_| ok(""));
    running.wait().assert_silent_success();
    assert_eq!(daemon.calls().len(), 1);
    assert!(scratch.spooled().is_empty());
}

#[test]
fn a_daemon_that_is_alive_has_the_whole_time_of_a_delete() {
    let scratch = Scratch::new();
    let _daemon = FakeDaemon::start(&scratch.socket(), |request| {
        if request.is_probe() {
            return healthy();
        }
        std::thread::sleep(Duration::from_millis(1600));
        ok("")
    });
    let outcome = Shim::usual("DEL", &scratch).run();
    outcome.assert_silent_success();
    assert!(outcome.took > Duration::from_millis(1600));
    assert!(scratch.spooled().is_empty());
}
