//! The daemon's native arm: what Node cannot do to processes, namespaces and descriptors. Protocol: `docs/multus-host.md`.

mod active;
mod answer;
mod errno_text;
mod exec;
mod frame;
mod leftovers;
mod links;
mod lock;
mod log;
mod namespace;
mod netlink;
mod outgoing;
mod output;
mod pins;
mod process_table;
mod programs;
mod questions;
mod record;
mod request;
mod run;
mod serve;
mod sys;

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

const USAGE: &str = "usage: multus-host serve --runs DIR | lock [--wait-ms N] | --version";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args_os()
        .skip(1)
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["serve", "--runs", directory] => serve::serve(Path::new(directory)),
        ["lock"] => lock::lock(Duration::ZERO),
        ["lock", "--wait-ms", wait] => match wait.parse::<u32>() {
            Ok(wait_ms) => lock::lock(Duration::from_millis(wait_ms.into())),
            Err(_) => usage(),
        },
        ["--version"] => {
            println!("multus-host {}", env!("CARGO_PKG_VERSION"));
            ExitCode::SUCCESS
        }
        _ => usage(),
    }
}

fn usage() -> ExitCode {
    eprintln!("{USAGE}");
    ExitCode::from(2)
}
