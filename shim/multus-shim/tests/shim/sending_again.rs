//! When a request is sent a second time: only where the first cannot have begun to work, or where twice is once.

use crate::support::fake_daemon::{FakeDaemon, Reply, healthy, ok, reply};
use crate::support::scratch::Scratch;
use crate::support::shim::Shim;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Closes the connection of the first call without a reply.
fn losing_the_first(scratch: &Scratch) -> FakeDaemon {
    let calls = AtomicUsize::new(0);
    FakeDaemon::answering(&scratch.socket(), move |_| {
        if calls.fetch_add(1, Ordering::SeqCst) == 0 {
            Reply::Close
        } else {
            ok("{}")
        }
    })
}

#[test]
fn an_add_that_the_daemon_may_have_received_is_never_sent_again() {
    let scratch = Scratch::new();
    let daemon = losing_the_first(&scratch);
    Shim::usual("ADD", &scratch)
        .run()
        .assert_error(11, &["closed the connection"]);
    assert_eq!(daemon.calls().len(), 1);
}

#[test]
fn the_others_are_sent_again_once() {
    for command in ["DEL", "CHECK", "GC", "STATUS"] {
        let scratch = Scratch::new();
        let daemon = losing_the_first(&scratch);
        Shim::usual(command, &scratch).run().assert_silent_success();
        assert_eq!(daemon.calls().len(), 2, "{command}");
    }
    let scratch = Scratch::new();
    let daemon = FakeDaemon::answering(&scratch.socket(), |_| Reply::Close);
    Shim::usual("CHECK", &scratch).run().assert_error(11, &[]);
    assert_eq!(daemon.calls().len(), 2);
}

#[test]
fn what_was_answered_in_part_is_not_sent_again() {
    let scratch = Scratch::new();
    let daemon = FakeDaemon::answering(&scratch.socket(), |_| {
        Reply::SendAndClose(b"HTTP/1.1 200".to_vec())
    });
    Shim::usual("CHECK", &scratch)
        .run()
        .assert_error(11, &["closed the connection"]);
    assert_eq!(daemon.calls().len(), 1);
}

#[test]
fn an_add_of_which_no_byte_was_taken_is_sent_on_a_new_connection() {
    let scratch = Scratch::new();
    let probes = AtomicUsize::new(0);
    let daemon = FakeDaemon::start(&scratch.socket(), move |request| {
        match (request.is_probe(), probes.fetch_add(1, Ordering::SeqCst)) {
            (true, 0) => Reply::CloseForRequestsAndSend(reply(200, "", "{}")),
            (true, _) => healthy(),
            _ => ok("{\"a\":1}"),
        }
    });
    assert_eq!(Shim::usual("ADD", &scratch).run().stdout(), "{\"a\":1}");
    assert_eq!(daemon.calls().len(), 1);
}

#[test]
fn a_daemon_that_closes_after_the_probe_gets_the_call_on_a_new_connection() {
    for answer in [
        &b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}"[..],
        b"HTTP/1.1 200 OK\r\n\r\n{}",
        b"HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\n{}",
    ] {
        let scratch = Scratch::new();
        let _daemon = FakeDaemon::start(&scratch.socket(), move |request| {
            if request.is_probe() {
                Reply::SendAndClose(answer.to_vec())
            } else {
                ok("{\"a\":1}")
            }
        });
        assert_eq!(Shim::usual("ADD", &scratch).run().stdout(), "{\"a\":1}");
    }
}
