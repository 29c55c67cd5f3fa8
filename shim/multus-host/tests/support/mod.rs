//! A daemon in miniature: starts `multus-host serve` and speaks frames with it.
#![allow(dead_code)]

use serde_json::{Value, json};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

pub const PATIENCE: Duration = Duration::from_secs(20);
pub const HOST: &str = env!("CARGO_BIN_EXE_multus-host");

/// A directory that goes away with its owner.
pub struct Scratch(pub PathBuf);

impl Scratch {
    pub fn new() -> Scratch {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("multus-host-test-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).expect("temporary directory");
        Scratch(path)
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// A file of that content and mode, whole when this returns.
    pub fn write(&self, name: &str, content: &str, mode: u32) -> PathBuf {
        let file = self.file(name);
        std::fs::write(&file, content).expect("write");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).expect("chmod");
        file
    }

    pub fn script(&self, name: &str, body: &str) -> PathBuf {
        self.write(name, &format!("#!/bin/sh\n{body}\n"), 0o755)
    }

    /// The process ID that a script has put into a file, once it is there.
    pub fn pid(&self, name: &str) -> u32 {
        let mut pid = 0;
        eventually("a process ID is written", || {
            let text = std::fs::read_to_string(self.file(name)).unwrap_or_default();
            pid = text.trim().parse().unwrap_or(0);
            pid != 0 && text.ends_with('\n')
        });
        pid
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub struct Host {
    pub process: Child,
    stdin: Option<ChildStdin>,
    frames: Receiver<(Value, Vec<u8>)>,
    /// Frames that came while another was waited for.
    early: Vec<(Value, Vec<u8>)>,
    pause: Option<std::process::ChildStdout>,
}

impl Host {
    pub fn start(runs: &Path) -> Host {
        let mut host = Host::start_without_reading(runs);
        host.read_from_now_on();
        host
    }

    pub fn start_without_reading(runs: &Path) -> Host {
        let mut command = Command::new(HOST);
        command.args(["serve", "--runs"]).arg(runs);
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("spawn");
        let stdin = process.stdin.take();
        let pause = process.stdout.take();
        let (_, frames) = channel();
        Host {
            process,
            stdin,
            frames,
            early: Vec::new(),
            pause,
        }
    }

    pub fn read_from_now_on(&mut self) {
        let Some(mut stdout) = self.pause.take() else {
            return;
        };
        let (sender, frames) = channel();
        self.frames = frames;
        std::thread::spawn(move || {
            while let Ok(frame) = read_frame(&mut stdout) {
                if sender.send(frame).is_err() {
                    return;
                }
            }
        });
    }

    pub fn send(&mut self, head: &Value, body: &[u8]) {
        let head = head.to_string();
        let mut frame = Vec::new();
        frame.extend_from_slice(&u32::try_from(head.len()).expect("short").to_be_bytes());
        frame.extend_from_slice(&u32::try_from(body.len()).expect("short").to_be_bytes());
        frame.extend_from_slice(head.as_bytes());
        frame.extend_from_slice(body);
        self.send_raw(&frame);
    }

    pub fn send_raw(&mut self, bytes: &[u8]) {
        self.stdin
            .as_mut()
            .expect("open")
            .write_all(bytes)
            .expect("host reads");
    }

    /// The frame with that ID.
    pub fn receive(&mut self, id: u64) -> (Value, Vec<u8>) {
        if let Some(at) = self.early.iter().position(|(head, _)| head["id"] == id) {
            return self.early.remove(at);
        }
        loop {
            let frame = self
                .frames
                .recv_timeout(PATIENCE)
                .expect("an answer in time");
            if frame.0["id"] == id {
                return frame;
            }
            self.early.push(frame);
        }
    }

    pub fn ask(&mut self, head: Value, body: &[u8]) -> (Value, Vec<u8>) {
        self.send(&head, body);
        self.receive(head["id"].as_u64().expect("id"))
    }

    pub fn run(&mut self, path: &Path, stdin: &[u8]) -> Outcome {
        let (head, body) = self.ask(run_request(1, path), stdin);
        Outcome { head, body }
    }

    pub fn close(&mut self) {
        self.stdin = None;
    }

    pub fn wait(&mut self) -> ExitStatus {
        let mut status = None;
        eventually("the host ends", || {
            status = self.process.try_wait().expect("wait");
            status.is_some()
        });
        status.expect("it has ended")
    }

    pub fn signal(&self, name: &str) {
        signal(self.process.id(), name);
    }
}

/// Lets the host end what it runs; only one that does not is killed.
impl Drop for Host {
    fn drop(&mut self) {
        self.stdin = None;
        let deadline = Instant::now() + Duration::from_secs(2);
        while Instant::now() < deadline && matches!(self.process.try_wait(), Ok(None)) {
            std::thread::sleep(Duration::from_millis(2));
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

pub struct Outcome {
    pub head: Value,
    body: Vec<u8>,
}

impl Outcome {
    pub fn stdout(&self) -> &[u8] {
        &self.body[..self.length("stdoutLength")]
    }

    pub fn stderr(&self) -> &[u8] {
        let start = self.length("stdoutLength");
        assert_eq!(self.body.len(), start + self.length("stderrLength"));
        &self.body[start..]
    }

    fn length(&self, key: &str) -> usize {
        usize::try_from(self.head[key].as_u64().expect("a length")).expect("small")
    }
}

pub fn run_request(id: u64, path: &Path) -> Value {
    json!({"id": id, "op": "run", "path": path, "env": [], "timeoutMs": 15_000, "owner": "container-1"})
}

fn read_frame(from: &mut impl Read) -> std::io::Result<(Value, Vec<u8>)> {
    let mut lengths = [0; 8];
    from.read_exact(&mut lengths)?;
    let length =
        |at: usize| u32::from_be_bytes(lengths[at..at + 4].try_into().expect("four")) as usize;
    let mut head = vec![0; length(0)];
    from.read_exact(&mut head)?;
    let mut body = vec![0; length(4)];
    from.read_exact(&mut body)?;
    let head = serde_json::from_slice(&head).map_err(|_| ErrorKind::InvalidData)?;
    Ok((head, body))
}

pub fn signal(pid: u32, name: &str) {
    let status = Command::new("kill")
        .args(["-s", name, &pid.to_string()])
        .status()
        .expect("kill");
    assert!(status.success(), "kill -s {name} {pid}");
}

/// Neither there nor a zombie.
pub fn is_alive(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    !stat.is_empty() && !stat.contains(") Z ")
}

pub fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !condition() {
        assert!(Instant::now() < deadline, "not in time: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
