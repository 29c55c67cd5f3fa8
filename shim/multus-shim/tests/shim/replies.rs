//! What is made of a daemon's reply.

use crate::support::fake_daemon::{FakeDaemon, Reply, failure, ok, reply};
use crate::support::scratch::Scratch;
use crate::support::shim::{Outcome, Shim};
use std::time::Duration;

fn add_with(answer: impl Fn() -> Reply + Send + Sync + 'static) -> Outcome {
    let scratch = Scratch::new();
    let _daemon = FakeDaemon::answering(&scratch.socket(), move |_| answer());
    Shim::new("ADD", &scratch.config("1.0.0", "", r#""addTimeout":"2s""#)).run()
}

fn raw(bytes: &'static [u8]) -> Outcome {
    add_with(move || Reply::SendAndClose(bytes.to_vec()))
}

#[test]
fn a_result_is_printed_byte_for_byte() {
    let result = "{\"cniVersion\":\"1.0.0\",\r\n \"big\":12345678901234567890,\"é\":\"\\u00e9\"}\n";
    let outcome = add_with(move || ok(result));
    assert_eq!((outcome.stdout(), outcome.stderr()), (result, ""));
    assert_eq!(outcome.output.status.code(), Some(0));
}

#[test]
fn a_result_of_megabytes_arrives_whole() {
    let result = format!(r#"{{"a":"{}"}}"#, "x".repeat(15 * 1024 * 1024));
    let sent = result.clone();
    let outcome = add_with(move || ok(&sent));
    assert!(outcome.stdout() == result);
}

#[test]
fn every_framing_of_http_gives_the_same_result() {
    for bytes in [
        &b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\n{\"a\r\n4;x=y\r\n\":1}\r\n0\r\nt: v\r\n\r\n"[..],
        b"HTTP/1.1 200 OK\r\n\r\n{\"a\":1}",
        b"HTTP/1.0 200 OK\r\n\r\n{\"a\":1}",
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Wait\r\nx: y\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n{\"a\":1}",
    ] {
        assert_eq!(raw(bytes).stdout(), "{\"a\":1}", "{}", String::from_utf8_lossy(bytes));
    }
}

#[test]
fn a_reply_may_come_a_byte_at_a_time() {
    let outcome = add_with(|| Reply::Drip(reply(200, "", "{\"a\":1}"), Duration::from_millis(1)));
    assert_eq!(outcome.stdout(), "{\"a\":1}");
}

#[test]
fn the_daemons_error_keeps_its_code_text_and_details() {
    let body = r#"{"cniVersion":"1.1.0","code":42,"msg":"network b: not found","details":"x\ny","more":1}"#;
    let outcome = add_with(move || failure(502, "delegate-failed", body));
    let expected =
        r#"{"cniVersion":"1.0.0","code":42,"msg":"network b: not found","details":"x\ny"}"#;
    assert_eq!(outcome.stdout().trim_end(), expected);
    outcome.assert_error(42, &[]);
    assert!(
        outcome
            .stderr()
            .contains("ADD 2f1a9c/eth0 failed with code 42: network b: not found; x y")
    );
}

#[test]
fn a_status_without_an_error_object_is_an_error() {
    for (status, code) in [
        (500, 999),
        (404, 999),
        (302, 999),
        (204, 999),
        (503, 11),
        (429, 11),
        (504, 11),
    ] {
        let outcome = add_with(move || Reply::Send(reply(status, "", "<html>oops</html>")));
        outcome.assert_error(code, &[&format!("HTTP status {status}")]);
        assert!(
            !outcome.stdout().contains("oops"),
            "what it said is not repeated"
        );
    }
}

#[test]
fn what_is_no_result_is_never_printed() {
    for body in [
        "",
        "null",
        "[]",
        "{",
        "{}{}",
        "\"x\"",
        "{\"Result\":{\"cniVersion\":\"1.1.0\"}}",
    ] {
        add_with(move || ok(body)).assert_error(6, &["multus"]);
    }
    raw(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{\"a\":\"\xff\"}")
        .assert_error(6, &["UTF-8"]);
}

#[test]
fn a_reply_that_is_cut_off_is_an_error_to_try_again() {
    let cut = [
        &b"HTTP/1.1 200 OK\r\ncontent-length: 8\r\n\r\n{\"a\":1}"[..],
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n7\r\n{\"a\":1}\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-len",
        b"",
    ];
    for bytes in cut {
        raw(bytes).assert_error(11, &["closed the connection"]);
    }
}

#[test]
fn what_is_no_http_is_an_error() {
    for bytes in [
        &b"{\"cniVersion\":\"1.0.0\"}\n\n"[..],
        b"HTTP/1.1 2 OK\r\n\r\n",
        b"HTTP/2 200 OK\r\n\r\n",
        b"HTTP/1.1 101 Switching\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
        b"\0\0\0\0\n\n",
    ] {
        raw(bytes).assert_error(6, &["no HTTP reply"]);
    }
}

#[test]
fn a_reply_is_bounded_in_every_dimension() {
    raw(b"HTTP/1.1 200 OK\r\ncontent-length: 16777217\r\n\r\n")
        .assert_error(6, &["longer than 16 MiB"]);
    raw(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1000001\r\n")
        .assert_error(6, &["longer"]);
    let endless = add_with(|| {
        let head = b"HTTP/1.1 200 OK\r\n\r\n{\"a\":\"";
        Reply::SendAndClose([&head[..], &vec![b'x'; 17 * 1024 * 1024]].concat())
    });
    endless.assert_error(6, &["longer"]);
    let head = add_with(|| {
        Reply::SendAndClose(
            format!("HTTP/1.1 200 OK\r\n{}", "a: b\r\n".repeat(20_000)).into_bytes(),
        )
    });
    head.assert_error(6, &["longer"]);
    let interim =
        add_with(|| Reply::SendAndClose("HTTP/1.1 102 Wait\r\n\r\n".repeat(10_000).into_bytes()));
    interim.assert_error(6, &["longer"]);
}

#[test]
fn an_error_of_megabytes_is_cut() {
    let outcome = add_with(|| {
        let body = format!(r#"{{"code":7,"msg":"{}"}}"#, "é".repeat(1024 * 1024));
        failure(422, "invalid-configuration", &body)
    });
    outcome.assert_error(7, &["(cut)"]);
    assert!(outcome.output.stdout.len() < 64 * 1024);
    assert!(outcome.output.stderr.len() < 8 * 1024);
}

#[test]
fn a_refusal_that_comes_before_the_request_was_read_is_still_heard() {
    let scratch = Scratch::new();
    let error = r#"{"code":4,"msg":"too large"}"#;
    let _daemon = FakeDaemon::answering(&scratch.socket(), |_| ok("{}"));
    // The fake reads whole requests, so the listener of this test does not.
    std::fs::remove_file(scratch.socket()).unwrap();
    let listener = std::os::unix::net::UnixListener::bind(scratch.socket()).unwrap();
    let server = std::thread::spawn(move || {
        use std::io::{Read, Write};
        let mut probed = listener.accept().unwrap().0;
        let _ = probed.read(&mut [0; 65536]).unwrap();
        probed.write_all(&reply(200, "", "{}")).unwrap();
        let _ = probed.read(&mut [0; 1024]).unwrap();
        probed.write_all(&reply(413, "", error)).unwrap();
        // Held open and not read on: only the reply says that it is over.
        let _ = probed.set_read_timeout(Some(Duration::from_secs(20)));
        std::thread::sleep(Duration::from_millis(500));
    });
    let long = scratch.config(
        "1.0.0",
        &format!(r#""long":"{}""#, "x".repeat(4 * 1024 * 1024)),
        "",
    );
    Shim::new("ADD", &long)
        .run()
        .assert_error(4, &["too large"]);
    server.join().unwrap();
}

#[test]
fn the_commands_without_a_result_print_nothing() {
    let scratch = Scratch::new();
    let daemon = FakeDaemon::answering(&scratch.socket(), |_| ok("{\"ignored\":1}"));
    for command in ["CHECK", "GC", "STATUS", "DEL"] {
        let outcome = Shim::usual(command, &scratch).run();
        outcome.assert_silent_success();
        assert_eq!(outcome.stderr(), "");
    }
    assert_eq!(daemon.calls().len(), 4);
}

#[test]
fn no_error_ever_repeats_the_configuration() {
    let scratch = Scratch::new();
    let text = scratch.config(
        "1.1.0",
        r#""token":"hushhush""#,
        r#""waitForDaemon":"100ms","delDecisionTime":"100ms""#,
    );
    for command in ["ADD", "CHECK", "GC", "STATUS", "DEL"] {
        assert!(
            !format!("{:?}", Shim::new(command, &text).run()).contains("hushhush"),
            "{command}"
        );
    }
}
