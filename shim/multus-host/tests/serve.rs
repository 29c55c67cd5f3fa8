//! The host itself: its protocol, its end, and what it finds from one before it.

mod support;

use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;
use support::{HOST, Host, Scratch, eventually, is_alive, run_request, signal};

/// Starts a run whose leader and grandchild write their process IDs, and waits for both.
fn start_family(scratch: &Scratch, host: &mut Host) -> (u32, u32) {
    let (leader, grandchild) = (scratch.file("leader"), scratch.file("grandchild"));
    let body = format!(
        "echo $$ > {}; sleep 1000 & echo $! > {}; wait",
        leader.display(),
        grandchild.display()
    );
    host.send(&run_request(1, &scratch.script("family", &body)), b"");
    (scratch.pid("leader"), scratch.pid("grandchild"))
}

fn records(runs: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(runs).expect("runs directory");
    entries
        .map(|entry| {
            entry
                .expect("entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect()
}

fn hello(host: &mut Host) -> Value {
    host.ask(json!({"id": 99, "op": "hello"}), b"").0
}

#[test]
fn tells_version_and_protocol() {
    let scratch = Scratch::new();
    let mut host = Host::start(&scratch.file("deep/runs"));
    let answer = hello(&mut host);
    assert_eq!(answer["protocol"], 1);
    assert_eq!(answer["ended"], json!([]));
    let printed = Command::new(HOST)
        .arg("--version")
        .output()
        .expect("run")
        .stdout;
    let version = answer["version"].as_str().expect("text");
    assert_eq!(
        String::from_utf8_lossy(&printed),
        format!("multus-host {version}\n")
    );
}

#[test]
fn a_wrong_request_gets_an_error_and_the_next_is_served() {
    let scratch = Scratch::new();
    let mut host = Host::start(&scratch.file("runs"));
    let (head, _) = host.ask(json!({"id": 5, "op": "dance"}), b"body that nobody wants");
    assert_eq!(head["error"]["errno"], "EINVAL");
    let (head, _) = host.ask(json!({"id": 6, "op": "identity", "path": "/a\u{0}b"}), b"");
    assert_eq!(head["error"]["errno"], "EINVAL");
    assert_eq!(hello(&mut host)["id"], 99);
}

#[test]
fn an_id_that_is_in_use_is_refused() {
    let scratch = Scratch::new();
    let mut host = Host::start(&scratch.file("runs"));
    let (leader, _) = start_family(&scratch, &mut host);
    let (head, _) = host.ask(run_request(1, Path::new("/bin/true")), b"");
    assert_eq!(head["error"]["errno"], "EINVAL");
    assert!(is_alive(leader));
}

#[test]
fn ends_with_code_3_when_it_is_out_of_step() {
    for bytes in [
        &b"\0\0\0\x02\0\0\0\0[]"[..],
        b"\xff\xff\xff\xff\0\0\0\0",
        b"\0\0\0\x02\xff\0\0\0{}",
    ] {
        let scratch = Scratch::new();
        let mut host = Host::start(&scratch.file("runs"));
        let (leader, grandchild) = start_family(&scratch, &mut host);
        host.send_raw(bytes);
        assert_eq!(host.wait().code(), Some(3));
        eventually("all is ended", || {
            !is_alive(leader) && !is_alive(grandchild)
        });
    }
}

#[test]
fn the_end_of_stdin_ends_everything() {
    let scratch = Scratch::new();
    let mut host = Host::start(&scratch.file("runs"));
    let (leader, grandchild) = start_family(&scratch, &mut host);
    assert_eq!(records(&scratch.file("runs")), [leader.to_string()]);
    host.close();
    assert_eq!(host.wait().code(), Some(0));
    eventually("all is ended", || {
        !is_alive(leader) && !is_alive(grandchild)
    });
    assert_eq!(records(&scratch.file("runs")), [""; 0]);
}

#[test]
fn a_termination_signal_ends_everything() {
    let scratch = Scratch::new();
    let mut host = Host::start(&scratch.file("runs"));
    let (leader, grandchild) = start_family(&scratch, &mut host);
    host.signal("TERM");
    assert_eq!(host.wait().code(), Some(0));
    eventually("all is ended", || {
        !is_alive(leader) && !is_alive(grandchild)
    });
}

#[test]
fn what_outlives_a_killed_host_is_ended_by_the_next() {
    let scratch = Scratch::new();
    let runs = scratch.file("runs");
    let mut first = Host::start(&runs);
    let (leader, grandchild) = start_family(&scratch, &mut first);
    first.signal("KILL");
    first.wait();
    eventually("the leader dies with its host", || !is_alive(leader));
    assert!(
        is_alive(grandchild),
        "only the leader has a parent-death signal"
    );

    let mut second = Host::start(&runs);
    assert_eq!(
        hello(&mut second)["ended"],
        json!([{"owner": "container-1", "group": leader}])
    );
    assert!(!is_alive(grandchild), "ended before the answer");
    assert_eq!(records(&runs), [""; 0]);
}

#[test]
fn a_frozen_host_of_before_does_not_hold_up_the_next() {
    let scratch = Scratch::new();
    let runs = scratch.file("runs");
    let mut first = Host::start(&runs);
    let (leader, grandchild) = start_family(&scratch, &mut first);
    first.signal("STOP");
    let mut second = Host::start(&runs);
    hello(&mut second);
    assert!(!is_alive(leader) && !is_alive(grandchild));
    first.wait();
}

#[test]
fn a_number_that_was_given_to_somebody_else_is_left_alone() {
    let scratch = Scratch::new();
    let runs = scratch.file("runs");
    let mut first = Host::start(&runs);
    let (leader, grandchild) = start_family(&scratch, &mut first);
    let record = std::fs::read_to_string(runs.join(leader.to_string())).expect("record");
    first.signal("KILL");
    first.wait();
    // As if the numbers had come round: who holds them now began before the recorded run, or in another session.
    let mut value: Value = serde_json::from_str(&record).expect("JSON");
    let mut other_session = value.clone();
    value["start"] = (value["start"].as_u64().expect("ticks") + 1_000_000).into();
    other_session["session"] = 1.into();
    for changed in [value, other_session] {
        std::fs::write(runs.join(leader.to_string()), changed.to_string()).expect("write");
        let mut next = Host::start(&runs);
        assert_eq!(hello(&mut next)["ended"], json!([]));
        assert!(is_alive(grandchild));
        assert_eq!(records(&runs), [""; 0]);
    }
    signal(grandchild, "KILL");
}

#[test]
fn records_of_another_boot_or_torn_ones_are_cleared_away() {
    let scratch = Scratch::new();
    let runs = scratch.file("runs");
    let mut first = Host::start(&runs);
    let (leader, grandchild) = start_family(&scratch, &mut first);
    let record = std::fs::read_to_string(runs.join(leader.to_string())).expect("record");
    first.signal("KILL");
    first.wait();
    let mut other_boot: Value = serde_json::from_str(&record).expect("JSON");
    other_boot["bootId"] = "11111111-2222-3333-4444-555555555555".into();
    let name = leader.to_string();
    for content in [
        "",
        "{\"boot",
        "null",
        &record[..record.len() / 2],
        &other_boot.to_string(),
    ] {
        std::fs::write(runs.join(&name), content).expect("write");
        // A record under another run's name proves nothing about that run.
        std::fs::write(runs.join("77777777"), &record).expect("write");
        std::fs::write(runs.join("README"), "not a record").expect("write");
        let mut next = Host::start(&runs);
        assert_eq!(hello(&mut next)["ended"], json!([]), "{content}");
        assert!(is_alive(grandchild));
        assert_eq!(records(&runs), ["README"]);
    }
    signal(grandchild, "KILL");
}

#[test]
fn a_directory_that_cannot_be_made_refuses_the_start() {
    let scratch = Scratch::new();
    let file = scratch.write("file", "", 0o600);
    let mut host = Host::start(&file.join("runs"));
    assert_eq!(host.wait().code(), Some(1));
}

#[test]
fn whoever_calls_it_wrong_gets_the_usage_and_code_2() {
    for arguments in [
        &[][..],
        &["serve"],
        &["lock", "--wait-ms", "soon"],
        &["dance"],
    ] {
        let output = Command::new(HOST).args(arguments).output().expect("run");
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).starts_with("usage: multus-host"));
    }
}

/// A network namespace with a link that is up; removed at the end.
struct Namespace(String);

impl Namespace {
    fn new() -> Namespace {
        let name = format!("mhpin{}", std::process::id());
        ip(&["netns", "add", &name]);
        ip(&[
            "-n", &name, "link", "add", "held0", "type", "veth", "peer", "name", "held1",
        ]);
        ip(&["-n", &name, "link", "set", "held0", "up"]);
        Namespace(name)
    }

    fn path(&self) -> String {
        format!("/run/netns/{}", self.0)
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        let _ = Command::new("ip").args(["netns", "del", &self.0]).output();
    }
}

fn ip(arguments: &[&str]) {
    let done = Command::new("ip")
        .args(arguments)
        .status()
        .expect("ip runs");
    assert!(done.success(), "ip {arguments:?}");
}

#[test]
fn a_pinned_namespace_outlives_its_path_with_its_links_down() {
    let scratch = Scratch::new();
    let mut host = Host::start(&scratch.file("runs"));
    let namespace = Namespace::new();
    let path = namespace.path();
    let (identity, _) = host.ask(json!({"id": 1, "op": "identity", "path": path}), b"");
    let cookie = &identity["cookie"];
    let other = json!({"id": 2, "op": "pin", "path": path, "key": "d1", "cookie": "1"});
    assert_eq!(host.ask(other, b"").0["found"], false);
    let own = json!({"id": 3, "op": "pin", "path": path, "key": "d1", "cookie": cookie});
    let (pinned, _) = host.ask(own, b"");
    assert_eq!(pinned["found"], true, "{pinned}");
    drop(namespace);
    let held = json!({"id": 4, "op": "identity", "path": pinned["path"]});
    assert_eq!(host.ask(held, b"").0["cookie"], *cookie);
    let (answer, _) = host.ask(json!({"id": 5, "op": "links", "path": pinned["path"]}), b"");
    let links = answer["links"].as_array().expect("links");
    let held = links.iter().find(|link| link["name"] == "held0");
    assert_eq!(held.expect("still there")["up"], false);
    let unpin = json!({"id": 6, "op": "unpin", "key": "d1"});
    assert_eq!(host.ask(unpin.clone(), b"").0["found"], true);
    assert_eq!(host.ask(unpin, b"").0["found"], false);
}
