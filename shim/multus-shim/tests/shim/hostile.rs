//! Whatever comes in: exit 0 or 1, stdout empty or one JSON object, in bounded time, and never a signal.

use crate::support::fake_daemon::{FakeDaemon, Reply, healthy, reply};
use crate::support::scratch::Scratch;
use crate::support::shim::{Outcome, Shim};
use serde_json::Value;
use std::os::unix::process::ExitStatusExt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// xorshift64: the same bytes in every run, so that what fails can be run again.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).unwrap()
    }

    fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.next() as u8).collect()
    }

    /// A few bytes changed, left out, repeated or put in; or the rest cut off.
    fn mutate(&mut self, mut bytes: Vec<u8>) -> Vec<u8> {
        for _ in 0..=self.below(4) {
            let at = self.below(bytes.len().max(1));
            match self.below(6) {
                0 => bytes.truncate(at),
                1 if !bytes.is_empty() => bytes[at] = self.next() as u8,
                2 if !bytes.is_empty() => bytes[at] ^= 1 << self.below(8),
                3 if !bytes.is_empty() => drop(bytes.remove(at)),
                4 => bytes
                    .splice(at..at, b"\r\n0{}[]\":,".iter().copied())
                    .for_each(drop),
                _ => {
                    let again = bytes[at..].to_vec();
                    bytes.extend(again);
                }
            }
        }
        bytes
    }
}

#[track_caller]
fn assert_well_behaved(outcome: &Outcome, input: &[u8]) {
    let shown = String::from_utf8_lossy(input);
    assert_eq!(
        outcome.output.status.signal(),
        None,
        "{shown}\n{}",
        outcome.stderr()
    );
    let code = outcome.output.status.code().unwrap();
    let value: Option<Value> = match outcome.output.stdout.as_slice() {
        b"" => None,
        bytes => {
            Some(serde_json::from_slice(bytes).unwrap_or_else(|_| panic!("no JSON for {shown}")))
        }
    };
    match (code, value) {
        (0, None) => {}
        (0, Some(value)) => assert!(value.is_object(), "{shown}"),
        (1, Some(value)) => assert!(
            value["code"].is_u64() && value["msg"].is_string(),
            "{shown}"
        ),
        other => panic!("{other:?} for {shown}"),
    }
    assert!(
        outcome.took < Duration::from_secs(4),
        "took {:?} for {shown}",
        outcome.took
    );
}

/// A daemon whose next replies the test chooses; the same for the probe where it says so.
fn obeying(scratch: &Scratch, probe_too: bool) -> (FakeDaemon, Arc<Mutex<Vec<u8>>>) {
    let next = Arc::new(Mutex::new(Vec::new()));
    let answer = next.clone();
    let daemon = FakeDaemon::start(&scratch.socket(), move |request| {
        if request.is_probe() && !probe_too {
            return healthy();
        }
        Reply::SendAndClose(answer.lock().unwrap().clone())
    });
    (daemon, next)
}

fn whole_replies() -> Vec<Vec<u8>> {
    vec![
        reply(200, "", r#"{"cniVersion":"1.0.0","ips":[{"address":"10.0.0.2/24"}]}"#),
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n8\r\n{\"a\":\"b\"\r\n1\r\n}\r\n0\r\n\r\n".to_vec(),
        reply(
            502,
            "x-multusd-failure: delegate-failed\r\n",
            r#"{"cniVersion":"1.0.0","code":42,"msg":"not found","details":"x"}"#,
        ),
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n{}".to_vec(),
    ]
}

#[test]
fn mutated_replies() {
    let mut noise = Noise(0x5eed);
    let times = r#""addTimeout":"1s","delTimeout":"1s","statusTimeout":"300ms","waitForDaemon":"150ms","delDecisionTime":"150ms""#;
    for probe_too in [false, true] {
        let scratch = Scratch::new();
        let (_daemon, next) = obeying(&scratch, probe_too);
        let rounds = if probe_too { 8 } else { 120 };
        for round in 0..rounds {
            let whole = whole_replies();
            let bytes = match round % 8 {
                0 => {
                    let length = noise.below(600);
                    noise.bytes(length)
                }
                _ => noise.mutate(whole[round % whole.len()].clone()),
            };
            *next.lock().unwrap() = bytes.clone();
            for command in ["ADD", "DEL", "CHECK", "STATUS"] {
                let outcome = Shim::new(command, &scratch.config("1.1.0", "", times)).run();
                assert_well_behaved(&outcome, &bytes);
            }
        }
    }
}

#[test]
fn mutated_configurations() {
    let mut noise = Noise(0xc0ffee);
    let scratch = Scratch::new();
    let (_daemon, next) = obeying(&scratch, false);
    *next.lock().unwrap() = whole_replies().remove(0);
    // Only STATUS: whatever becomes of the paths, it writes nothing and waits for a second at most.
    let text = scratch.config(
        "1.1.0",
        r#""delErrorPolicy":{"mode":"strict","escalate":{"age":"1m"}}"#,
        r#""addTimeout":"1m30s""#,
    );
    for round in 0..250 {
        let bytes = match round % 10 {
            0 => noise.bytes(round),
            _ => noise.mutate(text.clone().into_bytes()),
        };
        let outcome = Shim::new("STATUS", "").stdin(bytes.clone()).run();
        assert_well_behaved(&outcome, &bytes);
    }
}

#[test]
fn mutated_environments() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let mut noise = Noise(0xfeed);
    let scratch = Scratch::new();
    let (_daemon, next) = obeying(&scratch, false);
    *next.lock().unwrap() = whole_replies().remove(0);
    for _ in 0..150 {
        let mut shim = Shim::usual("ADD", &scratch);
        for (name, value) in [
            ("CNI_CONTAINERID", "2f1a9c"),
            ("CNI_IFNAME", "eth0"),
            ("CNI_ARGS", "A=b;C=d"),
        ] {
            let mut bytes = noise.mutate(value.as_bytes().to_vec());
            bytes.retain(|byte| *byte != 0);
            shim = shim.env(name, OsStr::from_bytes(&bytes));
        }
        assert_well_behaved(&shim.run(), b"environment");
    }
}
