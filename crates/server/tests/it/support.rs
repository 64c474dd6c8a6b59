//! A worker with made-up answers, and ways to speak with it byte for byte.

use backstory_server::{
    ApiError, ApiHandler, ApiOperation, ApiReply, ApiRequest, Claim, Endpoint, Limits, ReadOperation, Worker,
    WorkerDir, WorkerExit, WorkerOptions, claim, stop,
};
use backstory_store::NewestIds;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// What stands in every answer that tells something.
pub(crate) const RECORDED: &str = "something recorded";

/// Answers that are made up.
#[derive(Default)]
pub(crate) struct ScriptedApi {
    pub(crate) newest: AtomicI64,
    pub(crate) requests: Mutex<Vec<ApiRequest>>,
    /// A question about hooks waits until something comes from here.
    pub(crate) held: Mutex<Option<Receiver<()>>>,
}

impl ScriptedApi {
    fn answer(&self, request: &ApiRequest) -> Result<ApiReply, ApiError> {
        self.requests.lock().unwrap().push(request.clone());
        match request.operation {
            ApiOperation::Read(ReadOperation::Hooks) => {
                if let Some(held) = self.held.lock().unwrap().take() {
                    // Ends too when the test lets go of its end.
                    held.recv().unwrap_or_default();
                }
                Ok(ApiReply::Text(RECORDED.to_owned()))
            }
            ApiOperation::Read(ReadOperation::Stats) => panic!("made up"),
            ApiOperation::Read(ReadOperation::Memory) => {
                Err(ApiError::new(404, "no_such_memory", "there is no such memory").hint("look"))
            }
            _ => Ok(ApiReply::Json(format!("{{\"text\":\"{RECORDED}\"}}").into_bytes())),
        }
    }

    /// Returns the handler of a worker that answers by this script.
    pub(crate) fn handler(self: &Arc<ScriptedApi>) -> ApiHandler {
        let (answering, watching) = (Arc::clone(self), Arc::clone(self));
        ApiHandler::from_functions(move |request| answering.answer(request), move || watching.newest())
    }

    fn newest(&self) -> Option<NewestIds> {
        let memory = self.newest.load(Ordering::SeqCst);
        Some(NewestIds { memory, ..NewestIds::default() })
    }
}

/// A worker that serves in this process.
pub(crate) struct Served {
    pub(crate) endpoint: Endpoint,
    pub(crate) api: Arc<ScriptedApi>,
    pub(crate) dir: WorkerDir,
    /// Its home and its runtime directory.
    pub(crate) world: Arc<TempDir>,
    serving: Option<JoinHandle<WorkerExit>>,
}

pub(crate) fn worker_options() -> WorkerOptions {
    // Every test is a stranger many times over.
    let limits = Limits { strangers_per_second: 10_000, ..Limits::default() };
    WorkerOptions { version: "1.0.0".to_owned(), port: 0, idle: None, limits }
}

pub(crate) fn serve() -> Served {
    serve_by(&worker_options())
}

pub(crate) fn serve_by(worker_options: &WorkerOptions) -> Served {
    serve_in(Arc::new(tempfile::tempdir().unwrap()), worker_options)
}

pub(crate) fn serve_in(world: Arc<TempDir>, worker_options: &WorkerOptions) -> Served {
    let dir = worker_dir_in(&world);
    let Claim::Ours(lock) = claim(&dir, &worker_options.version).unwrap() else {
        panic!("another worker serves")
    };
    let api = Arc::new(ScriptedApi::default());
    let worker = Worker::open(dir.clone(), lock, worker_options, api.handler()).unwrap();
    let endpoint = worker.endpoint().clone();
    let serving = std::thread::spawn(move || worker.serve().unwrap());
    Served { endpoint, api, dir, world, serving: Some(serving) }
}

pub(crate) fn worker_dir_in(world: &TempDir) -> WorkerDir {
    let (home, runtime) = (world.path().join("home"), world.path().join("run"));
    std::fs::create_dir_all(&home).unwrap();
    std::fs::create_dir_all(&runtime).unwrap();
    WorkerDir::for_home(&home, Some(&runtime))
}

impl Served {
    /// Waits until it has ended by itself, and returns why.
    pub(crate) fn ended(&mut self) -> WorkerExit {
        self.serving.take().unwrap().join().unwrap()
    }

    /// Sends bytes over loopback and returns everything that comes back.
    pub(crate) fn send(&self, request: &str) -> HttpReply {
        let mut stream = TcpStream::connect(("127.0.0.1", self.endpoint.port)).unwrap();
        exchange(&mut stream, request)
    }

    /// Asks over loopback as somebody who is known.
    pub(crate) fn ask(&self, method: &str, path: &str, headers: &str, body: &str) -> HttpReply {
        let Endpoint { port, token, .. } = &self.endpoint;
        let length = body.len();
        self.send(&format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n{headers}\
             Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        ))
    }

    /// Asks over the socket.
    pub(crate) fn ask_socket(&self, method: &str, path: &str, headers: &str, body: &str) -> HttpReply {
        ask_socket(&self.endpoint.socket, method, path, headers, body)
    }

    /// Makes the worker hold every question about hooks until the end that is returned is dropped.
    pub(crate) fn hold(&self) -> Sender<()> {
        let (hold, held) = channel();
        *self.api.held.lock().unwrap() = Some(held);
        hold
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        if let Some(serving) = self.serving.take() {
            drop(stop(&self.dir));
            drop(serving.join());
        }
    }
}

/// What came back.
#[derive(Clone, Debug)]
pub(crate) struct HttpReply {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl HttpReply {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    pub(crate) fn code(&self) -> String {
        let body: serde_json::Value = serde_json::from_str(&self.body).unwrap_or_default();
        body["error"]["code"].as_str().unwrap_or_default().to_owned()
    }
}

pub(crate) fn ask_socket(socket: &Path, method: &str, path: &str, headers: &str, body: &str) -> HttpReply {
    let mut stream = UnixStream::connect(socket).unwrap();
    let length = body.len();
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    );
    exchange(&mut stream, &request)
}

fn exchange(stream: &mut (impl Read + Write), request: &str) -> HttpReply {
    stream.write_all(request.as_bytes()).unwrap();
    let mut bytes = Vec::new();
    // Who is refused before all was sent may see the connection reset; what came before that counts.
    drop(stream.read_to_end(&mut bytes));
    parse_reply(&String::from_utf8_lossy(&bytes))
}

fn parse_reply(text: &str) -> HttpReply {
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text, ""));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    HttpReply { status, head: head.to_owned(), body: body.to_owned() }
}

/// Waits until something holds, for as long as a test may take.
pub(crate) fn until(mut holds: impl FnMut() -> bool) -> bool {
    let patience = Instant::now() + Duration::from_secs(20);
    while Instant::now() < patience {
        if holds() {
            return true;
        }
        std::thread::yield_now();
    }
    false
}
