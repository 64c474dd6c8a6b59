//! A worker with made-up answers, and ways to speak with it byte for byte.

use backstory_server::{
    Answer, Answers, Asked, Claim, Limits, Newest, Note, Place, Refusal, Route, Terms, WorkerExit,
};
use backstory_server::{Worker, claim, stop};
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
pub(crate) const TOLD: &str = "what is told";

/// Answers that are made up.
#[derive(Default)]
pub(crate) struct GeneratedMemory {
    pub(crate) newest: AtomicI64,
    pub(crate) asked: Mutex<Vec<Asked>>,
    /// A question about hooks waits until something comes from here.
    pub(crate) held: Mutex<Option<Receiver<()>>>,
}

impl Answers for GeneratedMemory {
    fn answer(&self, asked: &Asked) -> Result<Answer, Refusal> {
        self.asked.lock().unwrap().push(asked.clone());
        match asked.route {
            Route::Hooks => {
                if let Some(held) = self.held.lock().unwrap().take() {
                    // Ends too when the test lets go of its end.
                    held.recv().unwrap_or_default();
                }
                Ok(Answer::Text(TOLD.to_owned()))
            }
            Route::Stats => panic!("made up"),
            Route::Memory => Err(Refusal::new(404, "no_such_memory", "there is no such memory").hint("look")),
            _ => Ok(Answer::Json(format!("{{\"told\":\"{TOLD}\"}}").into_bytes())),
        }
    }

    fn newest(&self) -> Option<Newest> {
        let memory = self.newest.load(Ordering::SeqCst);
        Some(Newest { memory, ..Newest::default() })
    }
}

/// A worker that serves in this process.
pub(crate) struct Served {
    pub(crate) note: Note,
    pub(crate) answers: Arc<GeneratedMemory>,
    pub(crate) place: Place,
    /// Its home and its runtime directory.
    pub(crate) world: Arc<TempDir>,
    serving: Option<JoinHandle<WorkerExit>>,
}

pub(crate) fn terms() -> Terms {
    // Every test is a stranger many times over.
    let limits = Limits { strangers_per_second: 10_000, ..Limits::default() };
    Terms { version: "1.0.0".to_owned(), port: 0, idle: None, limits }
}

pub(crate) fn serve() -> Served {
    serve_by(&terms())
}

pub(crate) fn serve_by(terms: &Terms) -> Served {
    serve_in(Arc::new(tempfile::tempdir().unwrap()), terms)
}

pub(crate) fn serve_in(world: Arc<TempDir>, terms: &Terms) -> Served {
    let place = place_in(&world);
    let Claim::Ours(lock) = claim(&place, &terms.version).unwrap() else { panic!("another worker serves") };
    let answers = Arc::new(GeneratedMemory::default());
    let worker = Worker::open(place.clone(), lock, terms, Arc::clone(&answers) as Arc<dyn Answers>).unwrap();
    let note = worker.note().clone();
    let serving = std::thread::spawn(move || worker.serve().unwrap());
    Served { note, answers, place, world, serving: Some(serving) }
}

pub(crate) fn place_in(world: &TempDir) -> Place {
    let (home, runtime) = (world.path().join("home"), world.path().join("run"));
    std::fs::create_dir_all(&home).unwrap();
    std::fs::create_dir_all(&runtime).unwrap();
    Place::of(&home, Some(&runtime))
}

impl Served {
    /// Waits until it has ended by itself, and returns why.
    pub(crate) fn ended(&mut self) -> WorkerExit {
        self.serving.take().unwrap().join().unwrap()
    }

    /// Sends bytes over loopback and returns everything that comes back.
    pub(crate) fn send(&self, request: &str) -> Heard {
        let mut stream = TcpStream::connect(("127.0.0.1", self.note.port)).unwrap();
        exchange(&mut stream, request)
    }

    /// Asks over loopback as somebody who is known.
    pub(crate) fn ask(&self, method: &str, path: &str, headers: &str, body: &str) -> Heard {
        let Note { port, token, .. } = &self.note;
        let length = body.len();
        self.send(&format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n{headers}\
             Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        ))
    }

    /// Asks over the socket.
    pub(crate) fn ask_socket(&self, method: &str, path: &str, headers: &str, body: &str) -> Heard {
        ask_socket(&self.note.socket, method, path, headers, body)
    }

    /// Makes the worker hold every question about hooks until the end that is returned is dropped.
    pub(crate) fn hold(&self) -> Sender<()> {
        let (hold, held) = channel();
        *self.answers.held.lock().unwrap() = Some(held);
        hold
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        if let Some(serving) = self.serving.take() {
            drop(stop(&self.place));
            drop(serving.join());
        }
    }
}

/// What came back.
#[derive(Clone, Debug)]
pub(crate) struct Heard {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Heard {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    pub(crate) fn code(&self) -> String {
        let body: serde_json::Value = serde_json::from_str(&self.body).unwrap_or_default();
        body["error"]["code"].as_str().unwrap_or_default().to_owned()
    }
}

pub(crate) fn ask_socket(socket: &Path, method: &str, path: &str, headers: &str, body: &str) -> Heard {
    let mut stream = UnixStream::connect(socket).unwrap();
    let length = body.len();
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    );
    exchange(&mut stream, &request)
}

fn exchange(stream: &mut (impl Read + Write), request: &str) -> Heard {
    stream.write_all(request.as_bytes()).unwrap();
    let mut bytes = Vec::new();
    // Who is refused before all was sent may see the connection reset; what came before that counts.
    drop(stream.read_to_end(&mut bytes));
    heard(&String::from_utf8_lossy(&bytes))
}

fn heard(text: &str) -> Heard {
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text, ""));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    Heard { status, head: head.to_owned(), body: body.to_owned() }
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
