//! Runs the built program as a container runtime does.

use super::scratch::Scratch;
use serde_json::Value;
use std::ffi::{OsStr, OsString};
use std::io::{ErrorKind, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

pub const CONTAINER: &str = "2f1a9c";
pub const INTERFACE: &str = "eth0";

#[derive(Clone)]
pub struct Shim {
    program: PathBuf,
    wrapper: Vec<OsString>,
    environment: Vec<(OsString, OsString)>,
    stdin: Vec<u8>,
}

pub struct Running {
    pub child: Child,
    started: Instant,
}

#[derive(Debug)]
pub struct Outcome {
    pub output: Output,
    pub took: Duration,
}

impl Shim {
    /// A usual call of `command` whose configuration is `config`.
    pub fn new(command: &str, config: &str) -> Self {
        let shim = Self {
            program: PathBuf::from(env!("CARGO_BIN_EXE_multus-shim")),
            wrapper: Vec::new(),
            environment: Vec::new(),
            stdin: config.as_bytes().to_vec(),
        };
        shim.env("CNI_COMMAND", command)
            .env("CNI_CONTAINERID", CONTAINER)
            .env("CNI_NETNS", "/var/run/netns/shim-test-none")
            .env("CNI_IFNAME", INTERFACE)
            .env("CNI_PATH", "/opt/cni/bin")
            .env(
                "CNI_ARGS",
                "IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=web",
            )
    }

    /// A call in this scratch directory, without anything special.
    pub fn usual(command: &str, scratch: &Scratch) -> Self {
        Self::new(command, &scratch.config("1.1.0", "", ""))
    }

    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self = self.without(name);
        self.environment
            .push((name.into(), value.as_ref().to_owned()));
        self
    }

    pub fn without(mut self, name: &str) -> Self {
        self.environment.retain(|(known, _)| known != name);
        self
    }

    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = bytes.into();
        self
    }

    pub fn program(mut self, program: impl Into<PathBuf>) -> Self {
        self.program = program.into();
        self
    }

    /// Runs `words` with the program and its arguments behind them.
    pub fn inside(mut self, words: &[&str]) -> Self {
        self.wrapper = words.iter().map(OsString::from).collect();
        self
    }

    pub fn command(&self) -> Command {
        let mut words = self.wrapper.clone();
        words.push(self.program.clone().into_os_string());
        let mut command = Command::new(&words[0]);
        command
            .args(&words[1..])
            .env_clear()
            .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
            .envs(self.environment.clone())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Started, with its whole stdin written and closed.
    pub fn start(&self) -> Running {
        let started = Instant::now();
        let mut child = self.command().spawn().unwrap();
        // A program that refuses before it has read everything is right to do so.
        match child.stdin.take().unwrap().write_all(&self.stdin) {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => panic!("{error}"),
            _ => {}
        }
        Running { child, started }
    }

    pub fn run(&self) -> Outcome {
        self.start().wait()
    }
}

impl Running {
    pub fn wait(self) -> Outcome {
        let output = self.child.wait_with_output().unwrap();
        Outcome {
            output,
            took: self.started.elapsed(),
        }
    }
}

impl Outcome {
    pub fn stdout(&self) -> &str {
        str::from_utf8(&self.output.stdout).unwrap()
    }

    pub fn stderr(&self) -> &str {
        str::from_utf8(&self.output.stderr).unwrap()
    }

    /// Exit 0 and not a byte on stdout.
    #[track_caller]
    pub fn assert_silent_success(&self) {
        assert_eq!(self.stdout(), "");
        assert_eq!(self.output.status.code(), Some(0), "{}", self.stderr());
    }

    /// Exit 1, one error object on stdout, one line on stderr. Gives the object.
    #[track_caller]
    pub fn error(&self) -> Value {
        assert_eq!(self.output.status.signal(), None, "{}", self.stderr());
        assert_eq!(
            self.output.status.code(),
            Some(1),
            "{}{}",
            self.stdout(),
            self.stderr()
        );
        let error: Value =
            serde_json::from_slice(&self.output.stdout).expect("one JSON value on stdout");
        let mut keys: Vec<&str> = error
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        keys.retain(|key| *key != "details");
        assert_eq!(keys, ["cniVersion", "code", "msg"]);
        assert!(error["code"].is_u64() && !error["msg"].as_str().unwrap().is_empty());
        error
    }

    #[track_caller]
    pub fn assert_error(&self, code: u64, words: &[&str]) {
        let error = self.error();
        assert_eq!(error["code"], code, "{error}");
        let text = format!("{}; {}", error["msg"], error["details"]);
        for word in words {
            assert!(text.contains(word), "{word:?} is not in {text}");
        }
        assert_eq!(self.stderr().lines().count(), 1, "{}", self.stderr());
    }
}
