//! The tests' daemon as a process of its own, for those that stop or kill it: healthy, and every call is a success.
//!
//! `fake_daemon SOCKET`; says "listening" on stdout and ends with its stdin.

#[allow(dead_code)]
#[path = "../tests/shim/support/fake_daemon.rs"]
mod fake_daemon;

use std::io::Read;
use std::path::PathBuf;

fn main() {
    let socket = PathBuf::from(
        std::env::args_os()
            .nth(1)
            .expect("usage: fake_daemon SOCKET"),
    );
    let _daemon = fake_daemon::FakeDaemon::answering(&socket, |_| fake_daemon::ok(""));
    println!("listening");
    let _ = std::io::stdin().read_to_end(&mut Vec::new());
}
