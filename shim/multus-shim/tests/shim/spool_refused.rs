//! A spool that cannot take a DEL: an error, never a silent success. Needs root for foreign owners and mounts.

use crate::spool::unheard;
use crate::support::scratch::Scratch;
use crate::support::shim::{Outcome, Shim};
use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, symlink};

#[track_caller]
fn assert_refused(outcome: &Outcome, words: &[&str]) {
    outcome.assert_error(5, words);
    outcome.assert_error(5, &["the spool", "it has to be called again"]);
}

#[test]
fn a_file_in_its_place() {
    let scratch = Scratch::new();
    scratch.make(&scratch.state());
    fs::write(scratch.spool(), "").unwrap();
    assert_refused(&unheard(&scratch).run(), &["Not a directory"]);

    let scratch = Scratch::new();
    fs::write(scratch.state(), "").unwrap();
    assert_refused(&unheard(&scratch).run(), &["Not a directory"]);
}

#[test]
fn a_directory_that_others_can_write_to() {
    for mode in [0o770, 0o702, 0o1777] {
        let scratch = Scratch::new();
        scratch.make(&scratch.spool());
        fs::set_permissions(scratch.spool(), fs::Permissions::from_mode(mode)).unwrap();
        assert_refused(&unheard(&scratch).run(), &["writable by group or others"]);
        assert!(scratch.spooled().is_empty());
    }
}

#[test]
fn a_directory_of_another_user() {
    let scratch = Scratch::new();
    scratch.make(&scratch.spool());
    chown(scratch.spool(), Some(1), None).unwrap();
    assert_refused(
        &unheard(&scratch).run(),
        &["owned by another user than root"],
    );
    assert!(scratch.spooled().is_empty());
}

#[test]
fn a_directory_under_the_entrys_name() {
    let scratch = Scratch::new();
    scratch.make(&scratch.spool().join("2f1a9c@eth0.json"));
    assert_refused(&unheard(&scratch).run(), &["directory"]);
    assert_eq!(
        scratch.spooled(),
        ["2f1a9c@eth0.json"],
        "no file in the making is left"
    );
}

#[test]
fn a_link_that_leads_nowhere() {
    let scratch = Scratch::new();
    scratch.make(&scratch.state());
    symlink(scratch.path().join("nowhere"), scratch.spool()).unwrap();
    assert_refused(&unheard(&scratch).run(), &[]);
}

#[test]
fn ten_thousand_entries() {
    let scratch = Scratch::in_memory();
    scratch.make(&scratch.spool());
    for n in 0..9_999 {
        fs::write(scratch.spool().join(format!("c{n}@eth0.json")), "").unwrap();
    }
    fs::write(scratch.spool().join(".c@eth0.json.1.0.tmp"), "").unwrap();

    unheard(&scratch).run().assert_silent_success();
    assert_refused(
        &unheard(&scratch).env("CNI_IFNAME", "eth1").run(),
        &["full (10000 entries)"],
    );
    unheard(&scratch).run().assert_silent_success();
    assert_eq!(scratch.spooled().len(), 10_001);
}

/// In a mount namespace of its own, after `mount`.
fn behind_mount(shim: Shim, scratch: &Scratch, mount: &str) -> Outcome {
    let state = scratch.state();
    let script = format!("cd {} && {mount} && exec \"$0\"", state.display());
    shim.inside(&["unshare", "--mount", "sh", "-c", &script])
        .run()
}

#[test]
fn a_read_only_file_system() {
    let scratch = Scratch::new();
    scratch.make(&scratch.spool());
    let mount = "mount --bind . . && mount -o remount,ro,bind .";
    assert_refused(
        &behind_mount(unheard(&scratch), &scratch, mount),
        &["Read-only file system"],
    );
    assert!(scratch.spooled().is_empty());
}

#[test]
fn a_full_file_system() {
    let scratch = Scratch::new();
    scratch.make(&scratch.state());
    let mount = "mount -t tmpfs -o size=16k,mode=700 none . && cd . && head -c 65536 /dev/zero > fill 2> /dev/null; true";
    let long = scratch.config(
        "1.0.0",
        &format!(r#""long":"{}""#, "x".repeat(64 * 1024)),
        r#""delDecisionTime":"20ms""#,
    );
    let outcome = behind_mount(unheard(&scratch).stdin(long), &scratch, mount);
    assert_refused(&outcome, &["No space left on device"]);
}
