//! How long ADD, CHECK and GC wait, for what, and what they say when it was too long.

use crate::support::eventually;
use crate::support::fake_daemon::{FakeDaemon, Reply, healthy, ok, reply};
use crate::support::scratch::Scratch;
use crate::support::shim::{Outcome, Shim};
use std::os::unix::net::UnixListener;
use std::time::Duration;

fn waits(command: &str, scratch: &Scratch, times: &str) -> Outcome {
    Shim::new(command, &scratch.config("1.1.0", "", times)).run()
}

#[track_caller]
fn assert_took(outcome: &Outcome, from: f64, to: f64) {
    let seconds = outcome.took.as_secs_f64();
    assert!((from..to).contains(&seconds), "took {seconds} s");
}

#[test]
fn a_daemon_that_comes_in_time_gets_the_request() {
    let scratch = Scratch::new();
    let running = Shim::usual("ADD", &scratch).start();
    std::thread::sleep(Duration::from_millis(300));
    let daemon = FakeDaemon::answering(&scratch.socket(), |_| ok("{\"a\":1}"));
    let outcome = running.wait();
    assert_eq!(outcome.stdout(), "{\"a\":1}");
    assert_eq!(daemon.calls().len(), 1);
    assert_took(&outcome, 0.3, 2.0);
}

#[test]
fn no_daemon_is_told_with_socket_reason_and_time() {
    for command in ["ADD", "CHECK", "GC"] {
        let scratch = Scratch::new();
        let outcome = waits(command, &scratch, r#""waitForDaemon":"400ms""#);
        let socket = scratch.socket();
        outcome.assert_error(
            11,
            &[socket.to_str().unwrap(), "no such socket", "within 400ms"],
        );
        assert_took(&outcome, 0.3, 2.0);
    }
}

#[test]
fn each_reason_has_its_own_words() {
    let times = r#""waitForDaemon":"300ms""#;
    let scratch = Scratch::new();
    drop(UnixListener::bind(scratch.socket()).unwrap());
    waits("ADD", &scratch, times).assert_error(11, &["refused"]);

    let scratch = Scratch::new();
    let _accepts_and_is_silent = UnixListener::bind(scratch.socket()).unwrap();
    waits("ADD", &scratch, times).assert_error(11, &["no answer to the health probe"]);

    let scratch = Scratch::new();
    let _daemon = FakeDaemon::start(&scratch.socket(), |_| Reply::Send(reply(503, "", "{}")));
    waits("ADD", &scratch, times).assert_error(11, &["health probe", "503"]);

    let scratch = Scratch::new();
    let _daemon = FakeDaemon::start(&scratch.socket(), |_| {
        Reply::SendAndClose(b"SSH-2.0-x\r\n\r\n".to_vec())
    });
    waits("ADD", &scratch, times).assert_error(11, &["health probe", "no HTTP"]);

    let scratch = Scratch::new();
    let _daemon = FakeDaemon::start(&scratch.socket(), |_| Reply::Close);
    waits("ADD", &scratch, times).assert_error(11, &["closed at the health probe"]);

    let long = "x".repeat(120);
    let text = format!(r#"{{"name":"a","daemonSocketDir":"/{long}","shim":{{{times}}}}}"#);
    Shim::new("ADD", &text).run().assert_error(11, &[&long]);
}

#[test]
fn a_daemon_that_is_not_healthy_yet_is_waited_for() {
    let scratch = Scratch::new();
    let looks = std::sync::atomic::AtomicUsize::new(0);
    let _daemon = FakeDaemon::start(&scratch.socket(), move |request| {
        match (
            request.is_probe(),
            looks.fetch_add(1, std::sync::atomic::Ordering::SeqCst),
        ) {
            (true, 0) => Reply::Send(reply(503, "", "{}")),
            (true, 1) => Reply::Close,
            (true, 2) => Reply::Send(b"junk\r\n\r\n".to_vec()),
            (true, _) => healthy(),
            _ => ok("{}"),
        }
    });
    assert_eq!(Shim::usual("ADD", &scratch).run().stdout(), "{}");
}

#[test]
fn the_successor_of_a_frozen_daemon_is_found() {
    let scratch = Scratch::new();
    let frozen = scratch.path().join("run/old.sock");
    let _frozen = UnixListener::bind(&frozen).unwrap();
    std::fs::rename(&frozen, scratch.socket()).unwrap();
    let running = Shim::usual("ADD", &scratch).start();
    let fresh = scratch.path().join("run/new.sock");
    let daemon = FakeDaemon::answering(&fresh, |_| ok("{}"));
    std::thread::sleep(Duration::from_millis(200));
    std::fs::rename(&fresh, scratch.socket()).unwrap();
    let outcome = running.wait();
    assert_eq!(outcome.stdout(), "{}");
    assert_eq!(daemon.calls().len(), 1);
    assert_took(&outcome, 0.2, 4.0);
}

#[test]
fn a_listener_whose_queue_is_full_is_tried_until_the_time_is_over() {
    let scratch = Scratch::new();
    let listener = UnixListener::bind(scratch.socket()).unwrap();
    // As std does not let us choose the length of the queue.
    nix::sys::socket::listen(&listener, nix::sys::socket::Backlog::new(0).unwrap()).unwrap();
    let _fills_it = std::os::unix::net::UnixStream::connect(scratch.socket()).unwrap();
    let outcome = waits("ADD", &scratch, r#""waitForDaemon":"300ms""#);
    outcome.assert_error(11, &["queue of connections is full"]);
    assert_took(&outcome, 0.3, 2.0);
}

#[test]
fn the_whole_add_is_bounded_whatever_the_daemon_does() {
    let times = r#""addTimeout":"500ms""#;
    let answers: [fn() -> Reply; 4] = [
        || Reply::Silence,
        || {
            Reply::Flood(
                b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n",
                b"1\r\n \r\n",
            )
        },
        || {
            Reply::Drip(
                reply(200, "", &" ".repeat(10_000)),
                Duration::from_millis(5),
            )
        },
        || {
            Reply::Drip(
                b"HTTP/1.1 100 C\r\n\r\n".repeat(1000),
                Duration::from_millis(5),
            )
        },
    ];
    for answer in answers {
        let scratch = Scratch::new();
        let _daemon = FakeDaemon::answering(&scratch.socket(), move |_| answer());
        for command in ["ADD", "CHECK", "GC"] {
            let outcome = waits(command, &scratch, times);
            outcome.assert_error(11, &["did not reply within 500ms"]);
            assert_took(&outcome, 0.5, 2.0);
        }
    }
}

#[test]
fn waiting_for_a_daemon_is_part_of_the_whole_time() {
    let scratch = Scratch::new();
    let outcome = waits(
        "ADD",
        &scratch,
        r#""addTimeout":"300ms","waitForDaemon":"20s""#,
    );
    outcome.assert_error(11, &["within 300ms"]);
    assert_took(&outcome, 0.2, 2.0);
}

#[test]
fn a_health_probe_that_drips_does_not_hold_the_command() {
    let scratch = Scratch::new();
    let _daemon = FakeDaemon::start(&scratch.socket(), |_| {
        Reply::Drip(
            reply(200, "", &" ".repeat(10_000)),
            Duration::from_millis(5),
        )
    });
    let outcome = waits("ADD", &scratch, r#""waitForDaemon":"400ms""#);
    outcome.assert_error(11, &["no answer to the health probe"]);
    assert_took(&outcome, 0.3, 2.0);
}

#[test]
fn a_storm_of_requests_is_served_by_one_listener() {
    let scratch = Scratch::new();
    let daemon = FakeDaemon::answering(&scratch.socket(), |_| ok("{}"));
    let running: Vec<_> = (0..100)
        .map(|n| {
            Shim::usual("ADD", &scratch)
                .env("CNI_CONTAINERID", format!("c{n}"))
                .start()
        })
        .collect();
    for shim in running {
        assert_eq!(shim.wait().stdout(), "{}");
    }
    eventually("all were heard", || daemon.calls().len() == 100);
}
