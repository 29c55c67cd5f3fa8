//! What lies in the spool after a DEL that no daemon took.

use crate::support::scratch::Scratch;
use crate::support::shim::{CONTAINER, Shim};
use crate::wire::{sample, sample_call};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use multus_common::boot::read_boot_id;
use multus_common::clock::now_ns;
use multus_common::envelope::{open, seal, sha256_hex};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::MetadataExt;

const ENTRY: &str = "2f1a9c@eth0.json";
const NETNS: &str = "/var/run/netns/cni-8c1f";

/// A DEL that no daemon takes, decided about soon.
pub fn unheard(scratch: &Scratch) -> Shim {
    Shim::new(
        "DEL",
        &scratch.config("1.0.0", "", r#""delDecisionTime":"20ms""#),
    )
    .env("CNI_NETNS", NETNS)
}

fn body(scratch: &Scratch) -> Value {
    let file = fs::read(scratch.spool().join(ENTRY)).unwrap();
    serde_json::from_slice(open("multusd.spool", &file).expect("a whole envelope")).unwrap()
}

fn start_ns(scratch: &Scratch) -> u64 {
    body(scratch)["startNs"].as_str().unwrap().parse().unwrap()
}

#[test]
fn an_entry_is_the_sample_but_for_configuration_boot_and_time() {
    let scratch = Scratch::new();
    let stdin = scratch.config("1.0.0", "", r#""delDecisionTime":"20ms""#);
    let before = now_ns();
    sample_call("DEL", &stdin).run().assert_silent_success();
    let started = start_ns(&scratch);
    assert!((before..now_ns()).contains(&started));

    let file = fs::read(scratch.spool().join(ENTRY)).unwrap();
    let written = String::from_utf8(open("multusd.spool", &file).unwrap().to_vec()).unwrap();
    let sampled = written
        .replace(
            &STANDARD.encode(&stdin),
            &STANDARD.encode(sample("configuration.json")),
        )
        .replace(
            &read_boot_id().unwrap(),
            "0b1f3a52-6f0e-4b6e-9d0c-2a7e5c1d4f88",
        )
        .replace(&started.to_string(), "4711000000123")
        .replace(
            &format!(r#""shim":"{}""#, env!("CARGO_PKG_VERSION")),
            r#""shim":"0.1.0""#,
        );
    assert_eq!(
        String::from_utf8(seal("multusd.spool", &sampled)).unwrap(),
        sample("spool-entry.json")
    );
}

#[test]
fn a_missing_directory_is_made_for_root_alone() {
    let scratch = Scratch::new();
    unheard(&scratch).run().assert_silent_success();
    for directory in [scratch.state(), scratch.spool()] {
        assert_eq!(fs::metadata(directory).unwrap().mode() & 0o7777, 0o700);
    }
    assert_eq!(
        fs::metadata(scratch.spool().join(ENTRY)).unwrap().mode() & 0o7777,
        0o600
    );
    assert_eq!(scratch.spooled(), [ENTRY], "no file in the making is left");
}

#[test]
fn a_repeat_adds_no_file_and_is_of_its_own_time() {
    let scratch = Scratch::new();
    unheard(&scratch).run();
    let first = start_ns(&scratch);
    unheard(&scratch).run().assert_silent_success();
    assert_eq!(scratch.spooled(), [ENTRY]);
    assert!(start_ns(&scratch) > first);
}

#[test]
fn another_interface_or_container_is_another_file() {
    let scratch = Scratch::new();
    unheard(&scratch).run();
    unheard(&scratch).env("CNI_IFNAME", "eth1").run();
    unheard(&scratch).env("CNI_CONTAINERID", "ffff").run();
    assert_eq!(
        scratch.spooled(),
        [ENTRY, "2f1a9c@eth1.json", "ffff@eth0.json"]
    );
}

#[test]
fn a_repeat_without_namespace_and_prev_result_does_not_lose_them() {
    let scratch = Scratch::new();
    let with_result = scratch.config(
        "1.0.0",
        r#""prevResult":{"ips":[]}"#,
        r#""delDecisionTime":"20ms""#,
    );
    unheard(&scratch).stdin(with_result.clone()).run();
    let first = start_ns(&scratch);

    unheard(&scratch)
        .env("CNI_NETNS", "")
        .run()
        .assert_silent_success();

    let kept = body(&scratch);
    assert_eq!(kept["env"]["CNI_NETNS"], NETNS);
    assert_eq!(kept["config"], STANDARD.encode(with_result));
    assert!(
        start_ns(&scratch) > first,
        "or a sandbox made anew in between would keep what it has"
    );
}

#[test]
fn a_repeat_with_a_namespace_is_the_one_that_counts() {
    let scratch = Scratch::new();
    unheard(&scratch).env("CNI_NETNS", "").run();
    unheard(&scratch)
        .env("CNI_NETNS", "/var/run/netns/other")
        .run();
    assert_eq!(body(&scratch)["env"]["CNI_NETNS"], "/var/run/netns/other");
}

#[test]
fn what_is_torn_foreign_or_of_another_boot_is_replaced() {
    let scratch = Scratch::new();
    scratch.make(&scratch.spool());
    let sampled = sample("spool-entry.json");
    let other_container = sampled.replace("2f1a9c", "000000");
    for earlier in ["", &sampled[..100], "{}", &sampled, &other_container] {
        fs::write(scratch.spool().join(ENTRY), earlier).unwrap();
        unheard(&scratch)
            .env("CNI_NETNS", "")
            .run()
            .assert_silent_success();
        let body = body(&scratch);
        assert_eq!(body["env"]["CNI_NETNS"], "");
        assert_eq!(body["bootId"].as_str().unwrap(), read_boot_id().unwrap());
    }
}

#[test]
fn a_long_container_id_gets_a_hashed_name() {
    let scratch = Scratch::new();
    let container = "a".repeat(300);
    unheard(&scratch)
        .env("CNI_CONTAINERID", &container)
        .run()
        .assert_silent_success();
    let hash = sha256_hex(format!("{container}@eth0").as_bytes());
    assert_eq!(scratch.spooled(), [format!("@{hash}.json")]);
}

#[test]
fn many_at_once_leave_one_whole_file_for_each() {
    let scratch = Scratch::new();
    let running: Vec<_> = (0..60)
        .map(|n| {
            unheard(&scratch)
                .env("CNI_CONTAINERID", format!("c{}", n % 12))
                .start()
        })
        .collect();
    for shim in running {
        shim.wait().assert_silent_success();
    }
    let names = scratch.spooled();
    assert_eq!(names.len(), 12, "{names:?}");
    for name in names {
        let file = fs::read(scratch.spool().join(name)).unwrap();
        assert!(open("multusd.spool", &file).is_some());
    }
}

#[test]
fn a_large_configuration_is_spooled_whole() {
    let scratch = Scratch::new();
    let stdin = scratch.config(
        "1.0.0",
        &format!(r#""long":"{}""#, "x".repeat(2 << 20)),
        r#""delDecisionTime":"20ms""#,
    );
    unheard(&scratch)
        .stdin(stdin.clone())
        .run()
        .assert_silent_success();
    unheard(&scratch)
        .env("CNI_NETNS", "")
        .run()
        .assert_silent_success();
    assert_eq!(body(&scratch)["config"], STANDARD.encode(stdin));
    assert_eq!(body(&scratch)["env"]["CNI_CONTAINERID"], CONTAINER);
}
