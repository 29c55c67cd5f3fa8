//! What a runtime and a person see of the program before any daemon is asked.

use crate::support::fake_daemon::{FakeDaemon, ok};
use crate::support::scratch::Scratch;
use crate::support::shim::Shim;
use std::process::Stdio;

const ALL_VERSIONS: [&str; 7] = [
    "0.1.0", "0.2.0", "0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0",
];

/// A whole configuration that leads to no daemon.
pub fn config(cni_version: &str) -> String {
    format!(r#"{{"cniVersion":"{cni_version}","name":"multus","daemonSocketDir":"/nonexistent"}}"#)
}

#[test]
fn without_a_command_it_says_what_it_is_on_stderr_and_succeeds() {
    for shim in [Shim::new("", "").without("CNI_COMMAND"), Shim::new("", "")] {
        let outcome = shim.run();
        outcome.assert_silent_success();
        assert!(outcome.stderr().contains("multusd"));
        for version in ALL_VERSIONS {
            assert!(outcome.stderr().contains(version), "{version}");
        }
    }
}

#[test]
fn its_own_version_is_one_line_on_stdout() {
    for flag in ["--version", "-version", "-v", "--v"] {
        let output = Shim::new("ADD", "").command().arg(flag).output().unwrap();
        assert_eq!(
            output.stdout,
            concat!("multus-shim: version:", env!("CARGO_PKG_VERSION"), "\n").as_bytes()
        );
        assert_eq!(output.status.code(), Some(0));
    }
}

#[test]
fn an_unknown_argument_is_a_usage_error() {
    let output = Shim::new("ADD", "")
        .command()
        .arg("--nope")
        .output()
        .unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
}

#[test]
fn version_answers_with_neither_daemon_nor_stdin() {
    let mut child = Shim::new("VERSION", "")
        .without("CNI_PATH")
        .command()
        .spawn()
        .unwrap();
    let held_open = child.stdin.take();
    let output = child.wait_with_output().unwrap();
    drop(held_open);

    assert_eq!(output.status.code(), Some(0));
    assert_eq!(output.stderr, b"");
    let expected = r#"{"cniVersion":"1.1.0","supportedVersions":["0.1.0","0.2.0","0.3.0","0.3.1","0.4.0","1.0.0","1.1.0"]}"#;
    assert_eq!(output.stdout, format!("{expected}\n").as_bytes());
}

#[test]
fn an_unknown_command_is_code_4() {
    for word in ["FOO", "add", "ADD ", "DEL\n"] {
        Shim::new(word, &config("1.0.0"))
            .run()
            .assert_error(4, &["unknown CNI_COMMAND: "]);
    }
}

#[test]
fn every_missing_variable_is_named_in_one_message() {
    let table = [
        ("ADD", "CNI_CONTAINERID,CNI_NETNS,CNI_IFNAME,CNI_PATH"),
        ("CHECK", "CNI_CONTAINERID,CNI_NETNS,CNI_IFNAME,CNI_PATH"),
        ("DEL", "CNI_CONTAINERID,CNI_IFNAME,CNI_PATH"),
        ("GC", "CNI_PATH"),
        ("STATUS", "CNI_PATH"),
    ];
    for (command, names) in table {
        let mut absent = Shim::new(command, &config("1.1.0"));
        let mut empty = absent.clone();
        for name in [
            "CNI_CONTAINERID",
            "CNI_NETNS",
            "CNI_IFNAME",
            "CNI_PATH",
            "CNI_ARGS",
        ] {
            absent = absent.without(name);
            empty = empty.env(name, "");
        }
        let message = format!("\"required env variables [{names}] missing\"");
        absent.run().assert_error(4, &[&message]);
        empty.run().assert_error(4, &[&message]);
    }
    Shim::new("ADD", &config("1.1.0"))
        .without("CNI_NETNS")
        .run()
        .assert_error(4, &["[CNI_NETNS]"]);
}

#[test]
fn container_and_interface_are_checked_for_the_commands_that_name_one() {
    let table: [(&str, &str, &str); 9] = [
        (
            "CNI_CONTAINERID",
            "../x",
            "invalid characters in containerID",
        ),
        (
            "CNI_CONTAINERID",
            "a\n",
            "invalid characters in containerID",
        ),
        ("CNI_CONTAINERID", "-a", "invalid characters in containerID"),
        (
            "CNI_IFNAME",
            "abcdefghijklmnop",
            "interface name is too long",
        ),
        ("CNI_IFNAME", "..", "interface name is . or .."),
        ("CNI_IFNAME", "a/b", "/ or : or whitespace"),
        ("CNI_IFNAME", "a:b", "/ or : or whitespace"),
        ("CNI_IFNAME", "a\u{85}b", "/ or : or whitespace"),
        ("CNI_IFNAME", "a\u{3000}b", "/ or : or whitespace"),
    ];
    for (name, value, words) in table {
        for command in ["ADD", "DEL", "CHECK"] {
            Shim::new(command, &config("1.0.0"))
                .env(name, value)
                .run()
                .assert_error(4, &[words]);
        }
    }
}

#[test]
fn a_name_that_is_no_text_cannot_become_a_file_or_a_message() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let shim = Shim::new("ADD", &config("1.0.0")).env("CNI_IFNAME", OsStr::from_bytes(b"eth\xff"));
    shim.run().assert_error(4, &["UTF-8"]);
}

#[test]
fn a_result_that_nobody_reads_is_no_success_and_no_signal() {
    let scratch = Scratch::new();
    let _daemon = FakeDaemon::answering(&scratch.socket(), |_| ok("{}"));
    let mut command = Shim::usual("ADD", &scratch).command();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    command.stdout(Stdio::from(writer));
    let mut child = command.spawn().unwrap();
    let stdin = scratch.config("1.0.0", "", "");
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), stdin.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stderr).unwrap().contains("stdout"));
}

#[test]
fn the_pods_namespace_must_not_be_the_plugins_own() {
    let scratch = Scratch::new();
    let daemon = FakeDaemon::answering(&scratch.socket(), |_| ok("{}"));
    let in_own =
        |command: &str| Shim::usual(command, &scratch).env("CNI_NETNS", "/proc/self/ns/net");

    in_own("ADD").run().assert_error(8, &["CNI_NETNS"]);
    assert_eq!(
        daemon.calls().len(),
        0,
        "refused before anything is attached"
    );
    in_own("DEL").run().assert_error(8, &["CNI_NETNS"]);
    assert_eq!(daemon.calls().len(), 1, "told after the deletion");

    for word in ["1", "true", "TRUE"] {
        let outcome = in_own("ADD").env("CNI_NETNS_OVERRIDE", word).run();
        assert_eq!(outcome.stdout(), "{}");
    }
}
