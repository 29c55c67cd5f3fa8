//! A daemon over a real socket that answers as a test tells it to.

use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

#[derive(Debug, Clone)]
pub struct Request {
    pub head: String,
    pub body: Vec<u8>,
}

impl Request {
    pub fn is_probe(&self) -> bool {
        self.head.starts_with("GET /healthz ")
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (found, value) = line.split_once(':')?;
            found.eq_ignore_ascii_case(name).then_some(value.trim())
        })
    }
}

/// What is done about one request.
pub enum Reply {
    /// These bytes; the connection stays.
    Send(Vec<u8>),
    /// These bytes, and the end of the connection.
    SendAndClose(Vec<u8>),
    /// Takes no byte of what comes after, then sends these.
    CloseForRequestsAndSend(Vec<u8>),
    /// A byte at a time.
    Drip(Vec<u8>, Duration),
    /// The first once, the second again and again without a pause.
    Flood(&'static [u8], &'static [u8]),
    /// The end of the connection.
    Close,
    /// Nothing, for as long as the caller stays.
    Silence,
}

type Handler = Arc<dyn Fn(&Request) -> Reply + Send + Sync>;

pub struct FakeDaemon {
    socket: PathBuf,
    is_stopping: Arc<AtomicBool>,
    seen: Seen,
    acceptor: Option<JoinHandle<()>>,
}

#[derive(Clone, Default)]
struct Seen {
    requests: Arc<Mutex<Vec<Request>>>,
    hang_ups: Arc<AtomicUsize>,
}

impl FakeDaemon {
    /// Asks `handler` about every request, health probes too.
    pub fn start(
        socket: &Path,
        handler: impl Fn(&Request) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let listener = UnixListener::bind(socket).unwrap();
        let seen = Seen::default();
        let is_stopping = Arc::new(AtomicBool::new(false));
        let acceptor = {
            let (seen, is_stopping) = (seen.clone(), is_stopping.clone());
            let handler: Handler = Arc::new(handler);
            std::thread::spawn(move || accept(&listener, &handler, &seen, &is_stopping))
        };
        Self {
            socket: socket.to_owned(),
            is_stopping,
            seen,
            acceptor: Some(acceptor),
        }
    }

    /// Healthy, and answers every call with `reply`.
    pub fn answering(
        socket: &Path,
        reply: impl Fn(&Request) -> Reply + Send + Sync + 'static,
    ) -> Self {
        Self::start(socket, move |request| {
            if request.is_probe() {
                healthy()
            } else {
                reply(request)
            }
        })
    }

    /// Health probes not counted.
    pub fn calls(&self) -> Vec<Request> {
        let requests = self.seen.requests.lock().unwrap();
        requests
            .iter()
            .filter(|request| !request.is_probe())
            .cloned()
            .collect()
    }

    pub fn requests(&self) -> Vec<Request> {
        self.seen.requests.lock().unwrap().clone()
    }

    /// How many callers left while they were answered with silence.
    pub fn hang_ups(&self) -> usize {
        self.seen.hang_ups.load(Ordering::SeqCst)
    }
}

impl Drop for FakeDaemon {
    fn drop(&mut self) {
        self.is_stopping.store(true, Ordering::SeqCst);
        // Wakes the acceptor, where the socket is still its own.
        let _ = UnixStream::connect(&self.socket);
        let _ = std::fs::remove_file(&self.socket);
        // One whose socket was given to a successor stays until the test program ends.
        drop(self.acceptor.take());
    }
}

pub fn reply(status: u16, headers: &str, body: &str) -> Vec<u8> {
    format!(
        "HTTP/1.1 {status} Text\r\ncontent-length: {}\r\n{headers}\r\n{body}",
        body.len()
    )
    .into_bytes()
}

pub fn ok(body: &str) -> Reply {
    Reply::Send(reply(200, "", body))
}

pub fn healthy() -> Reply {
    ok("{}")
}

/// As the daemon tells a failure.
pub fn failure(status: u16, class: &str, body: &str) -> Reply {
    Reply::Send(reply(
        status,
        &format!("x-multusd-failure: {class}\r\n"),
        body,
    ))
}

fn accept(listener: &UnixListener, handler: &Handler, seen: &Seen, is_stopping: &AtomicBool) {
    for stream in listener.incoming() {
        if is_stopping.load(Ordering::SeqCst) {
            return;
        }
        let (handler, seen, stream) = (handler.clone(), seen.clone(), stream.unwrap());
        std::thread::spawn(move || serve(stream, &handler, &seen));
    }
}

fn serve(mut stream: UnixStream, handler: &Handler, seen: &Seen) -> Option<()> {
    let mut received = Vec::new();
    loop {
        let request = read_request(&mut stream, &mut received)?;
        seen.requests.lock().unwrap().push(request.clone());
        match handler(&request) {
            Reply::Send(bytes) => stream.write_all(&bytes).ok()?,
            Reply::SendAndClose(bytes) => return stream.write_all(&bytes).ok(),
            Reply::CloseForRequestsAndSend(bytes) => {
                stream.shutdown(Shutdown::Read).ok()?;
                return stream.write_all(&bytes).ok();
            }
            Reply::Drip(bytes, pause) => {
                for byte in bytes {
                    stream.write_all(&[byte]).ok()?;
                    std::thread::sleep(pause);
                }
            }
            Reply::Flood(first, again) => {
                stream.write_all(first).ok()?;
                let many = again.repeat(65_536 / again.len());
                loop {
                    stream.write_all(&many).ok()?;
                }
            }
            Reply::Close => return None,
            Reply::Silence => {
                let _ = stream.read_to_end(&mut Vec::new());
                seen.hang_ups.fetch_add(1, Ordering::SeqCst);
                return None;
            }
        }
    }
}

fn read_request(stream: &mut UnixStream, received: &mut Vec<u8>) -> Option<Request> {
    let end = loop {
        if let Some(at) = received.windows(4).position(|four| four == b"\r\n\r\n") {
            break at + 4;
        }
        read_more(stream, received)?;
    };
    let head = String::from_utf8(received[..end].to_vec()).unwrap();
    let mut request = Request {
        head,
        body: Vec::new(),
    };
    let length: usize = request
        .header("content-length")
        .unwrap_or("0")
        .parse()
        .unwrap();
    while received.len() < end + length {
        read_more(stream, received)?;
    }
    request.body = received[end..end + length].to_vec();
    received.drain(..end + length);
    Some(request)
}

fn read_more(stream: &mut UnixStream, received: &mut Vec<u8>) -> Option<()> {
    let mut piece = [0_u8; 65536];
    let length = stream.read(&mut piece).ok().filter(|length| *length > 0)?;
    received.extend_from_slice(&piece[..length]);
    Some(())
}
