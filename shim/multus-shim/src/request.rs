//! The request as it goes over the wire (`docs/wire.md`).

use crate::environment::Environment;
use crate::invocation::Invocation;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use multus_common::boot::read_boot_id;
use multus_common::json::{object_of_strings, quoted};
use std::fs::metadata;
use std::os::unix::fs::MetadataExt;

const NEGOTIATED: &str = "application/vnd.multusd.v1+json";

/// Both messages of a call; they are written once, so that what is sent again is the same.
pub struct Request {
    /// `GET /healthz`; the connection stays open.
    pub probe: Vec<u8>,
    /// `POST /cni`; the daemon closes the connection after its reply.
    pub call: Vec<u8>,
}

impl Request {
    pub fn of(invocation: &Invocation) -> Self {
        let headers = headers(invocation);
        let body = body(&invocation.environment, &invocation.stdin);
        let probe = format!("GET /healthz HTTP/1.1\r\nhost: multusd\r\n{headers}\r\n");
        let head = format!(
            "POST /cni HTTP/1.1\r\nhost: multusd\r\nconnection: close\r\ncontent-type: application/json\r\n\
             content-length: {}\r\n{headers}\r\n",
            body.len()
        );
        let mut call = Vec::with_capacity(head.len() + body.len());
        call.extend_from_slice(head.as_bytes());
        call.extend_from_slice(body.as_bytes());
        Self {
            probe: probe.into_bytes(),
            call,
        }
    }
}

fn headers(invocation: &Invocation) -> String {
    let mut text = format!("accept: {NEGOTIATED}\r\n");
    // Without it the daemon takes neither time for its own clock's.
    if let Ok(boot) = read_boot_id() {
        text += &format!("x-multusd-boot: {boot}\r\n");
    }
    text += &format!("x-multusd-start: {}\r\n", invocation.start_ns);
    text += &format!("x-multusd-deadline: {}\r\n", invocation.deadline.at_ns());
    if let Ok(spool) = metadata(&invocation.settings.spool_directory)
        && spool.is_dir()
    {
        text += &format!("x-multusd-spool: {}:{}\r\n", spool.dev(), spool.ino());
    }
    text += concat!("x-multusd-shim: ", env!("CARGO_PKG_VERSION"), "\r\n");
    text
}

fn body(environment: &Environment, stdin: &[u8]) -> String {
    let mut text = String::from("{\"env\":");
    text += &object_of_strings(environment.members());
    text += ",\"config\":\"";
    STANDARD.encode_string(stdin, &mut text);
    text += "\"}";
    text
}

/// The members `env` and `config` of a spool entry, which are those of the request.
pub fn env_and_config(environment: &Environment, stdin: &[u8]) -> (String, String) {
    (
        object_of_strings(environment.members()),
        quoted(&STANDARD.encode(stdin)),
    )
}
