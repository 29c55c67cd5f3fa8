//! What goes over the socket, against the samples that the daemon's tests read too (`docs/wire.md`).

use crate::support::fake_daemon::{FakeDaemon, ok};
use crate::support::scratch::Scratch;
use crate::support::shim::Shim;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use multus_common::boot::read_boot_id;
use multus_common::clock::now_ns;
use serde_json::Value;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

pub fn sample(name: &str) -> String {
    let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../test/fixtures/wire");
    fs::read_to_string(directory.join(name)).unwrap()
}

/// A call whose variables are those of the samples.
pub fn sample_call(command: &str, stdin: &str) -> Shim {
    let body: Value = serde_json::from_str(&sample("request-body.json")).unwrap();
    let shim = Shim::new(command, stdin);
    body["env"]
        .as_object()
        .unwrap()
        .iter()
        .fold(shim, |shim, (name, value)| {
            let value = if name == "CNI_COMMAND" {
                command
            } else {
                value.as_str().unwrap()
            };
            shim.env(name, value)
        })
}

#[test]
fn the_body_is_the_sample_but_for_the_configuration() {
    let scratch = Scratch::new();
    let daemon = FakeDaemon::answering(&scratch.socket(), |_| ok("{}"));
    let stdin = scratch.config(
        "1.0.0",
        r#""big":12345678901234567890,"text":"é \u00e9 \"/<""#,
        "",
    ) + " \n";

    assert_eq!(sample_call("ADD", &stdin).run().stdout(), "{}");

    let ours = STANDARD.encode(&stdin);
    let theirs = STANDARD.encode(sample("configuration.json"));
    let body = String::from_utf8(daemon.calls()[0].body.clone()).unwrap();
    assert_eq!(body.replace(&ours, &theirs), sample("request-body.json"));
}

#[test]
fn both_requests_have_the_sampled_headers_with_the_values_of_this_call() {
    let scratch = Scratch::new();
    scratch.make(&scratch.spool());
    let daemon = FakeDaemon::answering(&scratch.socket(), |_| ok("{}"));
    let before = now_ns();
    Shim::new("ADD", &scratch.config("1.0.0", "", r#""addTimeout":"90s""#)).run();
    let after = now_ns();

    let [probe, call] = <[_; 2]>::try_from(daemon.requests()).unwrap();
    let sampled: Value = serde_json::from_str(&sample("request-headers.json")).unwrap();
    let mut sampled_names: Vec<&String> = sampled.as_object().unwrap().keys().collect();
    sampled_names.sort();
    let mut names: Vec<&str> = call
        .head
        .lines()
        .skip(1)
        .filter_map(|line| Some(line.split_once(':')?.0))
        .collect();
    names.sort_unstable();
    assert_eq!(names, sampled_names);

    let spool = fs::metadata(scratch.spool()).unwrap();
    for request in [&probe, &call] {
        let number = |name: &str| request.header(name).unwrap().parse::<u64>().unwrap();
        assert_eq!(request.header("accept"), sampled["accept"].as_str());
        assert_eq!(
            request.header("x-multusd-boot").unwrap(),
            read_boot_id().unwrap()
        );
        assert_eq!(
            request.header("x-multusd-shim"),
            Some(env!("CARGO_PKG_VERSION"))
        );
        assert_eq!(
            request.header("x-multusd-spool").unwrap(),
            format!("{}:{}", spool.dev(), spool.ino())
        );
        assert!((before..after).contains(&number("x-multusd-start")));
        assert_eq!(
            number("x-multusd-deadline"),
            number("x-multusd-start") + 90_000_000_000
        );
    }
    assert!(probe.head.starts_with("GET /healthz HTTP/1.1\r\n"));
    assert!(call.head.starts_with("POST /cni HTTP/1.1\r\n"));
    assert_eq!(call.header("content-type"), Some("application/json"));
}

#[test]
fn where_no_spool_directory_is_none_is_named() {
    let scratch = Scratch::new();
    let daemon = FakeDaemon::answering(&scratch.socket(), |_| ok("{}"));
    Shim::usual("ADD", &scratch).run();
    assert_eq!(daemon.calls()[0].header("x-multusd-spool"), None);
}

#[test]
fn nothing_of_the_environment_but_cni_variables_is_sent() {
    let scratch = Scratch::new();
    let daemon = FakeDaemon::answering(&scratch.socket(), |_| ok("{}"));
    let shim = Shim::usual("ADD", &scratch)
        .env("AWS_SECRET", "hushhush")
        .env("XCNI_A", "hushhush")
        .env("CNI_EXTRA", "sent");
    shim.run();

    let body = String::from_utf8(daemon.calls()[0].body.clone()).unwrap();
    assert!(!body.contains("hushhush"));
    assert!(body.contains(r#""CNI_EXTRA":"sent""#));
}

#[test]
fn each_command_has_its_own_time() {
    let scratch = Scratch::new();
    let daemon = FakeDaemon::answering(&scratch.socket(), |_| ok("{}"));
    let seconds = |command: &str| {
        Shim::usual(command, &scratch).run();
        let call = daemon.calls().pop().unwrap();
        let number = |name: &str| call.header(name).unwrap().parse::<u64>().unwrap();
        (number("x-multusd-deadline") - number("x-multusd-start")) / 1_000_000_000
    };
    assert_eq!(
        ["ADD", "CHECK", "GC", "DEL", "STATUS"].map(seconds),
        [180, 180, 180, 50, 4]
    );
}
