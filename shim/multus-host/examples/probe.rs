//! A static program that the tests let `multus-host` run: says what it was given. Not part of the product.

use serde_json::json;
use std::path::PathBuf;

fn main() {
    let names = |directory: &str| -> Vec<String> {
        let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
        let mut names: Vec<String> = entries
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    };
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let field = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(name));
        line.and_then(|line| line.split_whitespace().nth(1))
            .map(str::to_owned)
    };
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let targets: Vec<PathBuf> = names("/proc/self/fd")
        .iter()
        .filter_map(|fd| std::fs::read_link(format!("/proc/self/fd/{fd}")).ok())
        .collect();
    let answer = json!({
        "arguments": std::env::args().collect::<Vec<_>>(),
        "environment": std::env::vars().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>(),
        "workingDirectory": std::env::current_dir().ok(),
        "rootEntries": names("/"),
        // Without the directory that was open while they were listed.
        "descriptors": targets.len(),
        "pid": std::process::id(),
        "group": stat.split(' ').nth(4),
        "blockedSignals": field("SigBlk:"),
        "ignoredSignals": field("SigIgn:"),
    });
    println!("{answer}");
}
