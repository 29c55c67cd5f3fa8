//! Strict without a daemon: refused, but not for ever.

use crate::support::eventually;
use crate::support::fake_daemon::{FakeDaemon, ok};
use crate::support::scratch::{Scratch, names};
use crate::support::shim::{CONTAINER, Outcome, Shim};
use crate::wire::sample;
use multus_common::boot::read_boot_id;
use multus_common::clock::now_ns;
use multus_common::envelope::{open, seal};
use serde_json::Value;
use std::fs;
use std::time::Duration;

const STAMP: &str = "2f1a9c@refused";
const STRICT: &str = r#""delErrorPolicy":"strict""#;

fn unheard(scratch: &Scratch, policy: &str) -> Outcome {
    Shim::new(
        "DEL",
        &scratch.config("1.0.0", policy, r#""delDecisionTime":"20ms""#),
    )
    .run()
}

fn mark(scratch: &Scratch, contents: &str) {
    scratch.make(&scratch.strict());
    fs::write(scratch.strict().join(CONTAINER), contents).unwrap();
}

fn stamp(scratch: &Scratch, boot: &str, at_ns: u64) {
    scratch.make(&scratch.strict());
    let body = format!(r#"{{"bootId":"{boot}","atNs":"{at_ns}"}}"#);
    fs::write(scratch.strict().join(STAMP), seal("multusd.refusal", &body)).unwrap();
}

fn policy_in_spool(scratch: &Scratch) -> String {
    let file = fs::read(scratch.spool().join("2f1a9c@eth0.json")).unwrap();
    let body: Value = serde_json::from_slice(open("multusd.spool", &file).unwrap()).unwrap();
    body["policy"].as_str().unwrap().to_owned()
}

#[test]
fn a_refusal_is_told_and_its_time_written_down() {
    let scratch = Scratch::new();
    let before = now_ns();
    let outcome = unheard(&scratch, STRICT);
    let words = [
        "no such socket",
        "the multus configuration is strict",
        "10m after the first refusal",
    ];
    outcome.assert_error(11, &words);

    let file = fs::read(scratch.strict().join(STAMP)).unwrap();
    let body = str::from_utf8(open("multusd.refusal", &file).unwrap()).unwrap();
    let parsed: Value = serde_json::from_str(body).unwrap();
    let at_ns: u64 = parsed["atNs"].as_str().unwrap().parse().unwrap();
    assert!((before..now_ns()).contains(&at_ns));
    let sampled = body.replace(&at_ns.to_string(), "4712000000456").replace(
        &read_boot_id().unwrap(),
        "0b1f3a52-6f0e-4b6e-9d0c-2a7e5c1d4f88",
    );
    assert_eq!(
        seal("multusd.refusal", &sampled),
        sample("refusal.json").as_bytes()
    );
    assert!(scratch.spooled().is_empty());
    assert_eq!(names(&scratch.strict()), [STAMP]);
}

#[test]
fn a_refusal_that_is_repeated_is_the_same_byte_for_byte_and_counts_from_the_first() {
    let scratch = Scratch::new();
    let first = unheard(&scratch, STRICT);
    let stamped = fs::read(scratch.strict().join(STAMP)).unwrap();
    for _ in 0..3 {
        assert_eq!(unheard(&scratch, STRICT).stdout(), first.stdout());
    }
    assert_eq!(fs::read(scratch.strict().join(STAMP)).unwrap(), stamped);
}

#[test]
fn the_daemons_marker_makes_any_policy_strict_whatever_is_in_it() {
    for contents in [sample("strict-marker.json").as_str(), "", "torn"] {
        for policy in [
            "",
            r#""delErrorPolicy":"lenient""#,
            r#""delErrorPolicy":{"mode":"deferred"}"#,
        ] {
            let scratch = Scratch::new();
            mark(&scratch, contents);
            unheard(&scratch, policy).assert_error(11, &["one of its networks is strict"]);
            assert!(scratch.spooled().is_empty());
        }
    }
}

#[test]
fn the_marker_of_another_container_is_none() {
    let scratch = Scratch::new();
    mark(&scratch, "");
    let shim = Shim::new(
        "DEL",
        &scratch.config("1.0.0", "", r#""delDecisionTime":"20ms""#),
    );
    shim.env("CNI_CONTAINERID", "2f1a9")
        .run()
        .assert_silent_success();
}

#[test]
fn after_the_age_of_escalation_it_is_spooled() {
    let scratch = Scratch::new();
    let policy = r#""delErrorPolicy":{"mode":"strict","escalate":{"age":"300ms"}}"#;
    unheard(&scratch, policy).assert_error(11, &["300ms after the first refusal"]);
    eventually("the escalation", || {
        unheard(&scratch, policy).output.status.success()
    });
    assert_eq!(policy_in_spool(&scratch), "strict");
}

#[test]
fn the_age_is_measured_with_the_monotonic_clock_of_this_boot() {
    let minute = 60_000_000_000;
    let boot = read_boot_id().unwrap();
    let scratch = Scratch::new();
    stamp(&scratch, &boot, now_ns() - minute);
    let young = r#""delErrorPolicy":{"mode":"strict","escalate":{"age":"2m"}}"#;
    unheard(&scratch, young).assert_error(11, &[]);
    let old = r#""delErrorPolicy":{"mode":"strict","escalate":{"age":"59s"}}"#;
    unheard(&scratch, old).assert_silent_success();

    let scratch = Scratch::new();
    stamp(&scratch, "0b1f3a52-6f0e-4b6e-9d0c-2a7e5c1d4f88", u64::MAX);
    unheard(&scratch, STRICT).assert_silent_success();
    assert_eq!(policy_in_spool(&scratch), "strict");
}

#[test]
fn a_stamp_that_says_nothing_begins_anew() {
    let scratch = Scratch::new();
    let boot = read_boot_id().unwrap();
    stamp(&scratch, &boot, now_ns() + 3_600_000_000_000);
    unheard(&scratch, STRICT).assert_error(11, &[]);
    for torn in ["", "{}", &sample("refusal.json")[..50]] {
        fs::write(scratch.strict().join(STAMP), torn).unwrap();
        unheard(&scratch, STRICT).assert_error(11, &[]);
        assert!(
            open(
                "multusd.refusal",
                &fs::read(scratch.strict().join(STAMP)).unwrap()
            )
            .is_some()
        );
    }
}

#[test]
fn a_stamp_that_cannot_be_written_is_told() {
    let scratch = Scratch::new();
    scratch.make(&scratch.state());
    fs::write(scratch.strict(), "a file").unwrap();
    unheard(&scratch, STRICT).assert_error(11, &["could not be written down"]);
}

#[test]
fn a_live_daemon_decides_also_under_strict() {
    let scratch = Scratch::new();
    mark(&scratch, "");
    let _daemon = FakeDaemon::answering(&scratch.socket(), |_| ok(""));
    let outcome = Shim::new("DEL", &scratch.config("1.0.0", STRICT, "")).run();
    outcome.assert_silent_success();
    assert!(outcome.took < Duration::from_secs(5));
    assert_eq!(names(&scratch.strict()), [CONTAINER]);
}
