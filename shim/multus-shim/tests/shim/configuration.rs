//! The configuration on stdin: what is wrong with it, and what is bounded.

use crate::command_line::config;
use crate::support::fake_daemon::{FakeDaemon, ok};
use crate::support::scratch::Scratch;
use crate::support::shim::Shim;

#[test]
fn a_configuration_that_cannot_be_used_has_the_code_of_its_fault() {
    let table = [
        ("", 6, "unexpected end of JSON input"),
        ("{", 6, "unexpected end of JSON input"),
        ("hello", 6, "error unmarshall network config"),
        ("[]", 6, "not a JSON object"),
        (r#"{"name":"a"} x"#, 6, "no valid JSON"),
        (r#"{"name":7}"#, 6, "name must be a string"),
        (
            r#"{"name":"a","cniVersion":1}"#,
            6,
            "cniVersion must be a string",
        ),
        ("{}", 7, "missing network name"),
        ("null", 7, "missing network name"),
        (r#"{"name":""}"#, 7, "missing network name"),
        (
            r#"{"name":"a b"}"#,
            7,
            "invalid characters found in network name",
        ),
        (
            r#"{"name":"a","cniVersion":"9.9.9"}"#,
            1,
            "incompatible CNI versions",
        ),
        (
            r#"{"name":"a","cniVersion":"1.1"}"#,
            1,
            "incompatible CNI versions",
        ),
    ];
    for (text, code, words) in table {
        for command in ["ADD", "DEL", "CHECK", "GC", "STATUS"] {
            Shim::new(command, text).run().assert_error(code, &[words]);
        }
    }
}

#[test]
fn a_version_that_has_not_the_command_is_code_1() {
    for (command, version) in [
        ("CHECK", "0.3.1"),
        ("CHECK", ""),
        ("GC", "1.0.0"),
        ("STATUS", "1.0.0"),
    ] {
        let words = format!("config version does not allow {command}");
        Shim::new(command, &config(version))
            .run()
            .assert_error(1, &[&words]);
    }
}

#[test]
fn an_error_is_told_in_the_callers_version() {
    for version in ["0.3.1", "0.4.0", "1.0.0", "1.1.0"] {
        let outcome = Shim::new("ADD", &config(version))
            .env("CNI_IFNAME", "a/b")
            .run();
        assert_eq!(outcome.error()["cniVersion"], version);
    }
    assert_eq!(
        Shim::new("ADD", &config("7")).run().error()["cniVersion"],
        "1.1.0"
    );
}

#[test]
fn a_key_of_the_shim_with_a_wrong_value_is_named_without_its_value() {
    let scratch = Scratch::new();
    let text = scratch.config(
        "1.1.0",
        r#""delErrorPolicy":"hushhush""#,
        r#""addTimeout":"hushhush""#,
    );
    for command in ["ADD", "CHECK", "GC", "STATUS"] {
        let outcome = Shim::new(command, &text).run();
        outcome.assert_error(7, &["delErrorPolicy must be", "shim.addTimeout must be"]);
        assert!(!format!("{outcome:?}").contains("hushhush"));
    }
}

#[test]
fn a_delete_goes_on_with_the_default_for_a_key_that_is_wrong() {
    let scratch = Scratch::new();
    let _daemon = FakeDaemon::answering(&scratch.socket(), |_| ok(""));
    let text = scratch.config(
        "1.0.0",
        r#""delErrorPolicy":7"#,
        r#""delTimeout":[],"delDecisionTime":"1 year""#,
    );
    let outcome = Shim::new("DEL", &text).run();
    outcome.assert_silent_success();
    assert_eq!(outcome.stderr().lines().count(), 3, "{}", outcome.stderr());
}

#[test]
fn stdin_is_bounded() {
    let long = [config("1.0.0").into_bytes(), vec![b' '; 17 * 1024 * 1024]].concat();
    Shim::new("ADD", "")
        .stdin(long)
        .run()
        .assert_error(6, &["longer than 16 MiB"]);
}

#[test]
fn a_stdin_that_is_never_closed_ends_with_the_commands_time() {
    let mut child = Shim::new("STATUS", "").command().spawn().unwrap();
    let held_open = child.stdin.take();
    let started = std::time::Instant::now();
    let output = child.wait_with_output().unwrap();
    drop(held_open);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        String::from_utf8(output.stdout)
            .unwrap()
            .contains("not closed within 4s")
    );
    assert!((4.0..6.0).contains(&started.elapsed().as_secs_f64()));
}
