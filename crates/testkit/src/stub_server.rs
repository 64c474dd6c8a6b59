//! An HTTP server on loopback for one test, with scripted replies.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

/// One request.
#[derive(Clone, Debug)]
pub struct StubRequest {
    /// The first line and the headers.
    pub head: String,
    /// The body.
    pub body: String,
}

/// A scripted reply.
#[derive(Clone, Debug)]
pub enum StubReply {
    /// A status and a body.
    Response(u16, String),
    /// No reply: the connection stays open until the server is dropped.
    Silence,
}

type ReplyScript = Box<dyn Fn(&StubRequest) -> StubReply + Send>;

/// A server on loopback.
#[derive(Debug)]
pub struct StubServer {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<StubRequest>>>,
    serving: Option<JoinHandle<()>>,
}

impl StubServer {
    /// Starts a server.
    ///
    /// # Panics
    ///
    /// When there is no port to listen on.
    #[must_use]
    pub fn start(reply: impl Fn(&StubRequest) -> StubReply + Send + 'static) -> StubServer {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port on loopback");
        let address = listener.local_addr().expect("its own address");
        let requests = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&requests);
        let serving = std::thread::spawn(move || serve(&listener, &log, &(Box::new(reply) as ReplyScript)));
        StubServer { address, requests, serving: Some(serving) }
    }

    /// Returns its address.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the requests so far.
    ///
    /// # Panics
    ///
    /// When answering panicked.
    #[must_use]
    pub fn requests(&self) -> Vec<StubRequest> {
        self.requests.lock().expect("nobody panicked").clone()
    }
}

impl Drop for StubServer {
    fn drop(&mut self) {
        // An empty connection ends the loop of `serve`.
        drop(TcpStream::connect(self.address));
        if let Some(serving) = self.serving.take() {
            drop(serving.join());
        }
    }
}

fn serve(listener: &TcpListener, log: &Mutex<Vec<StubRequest>>, reply: &ReplyScript) {
    let mut left_open = Vec::new();
    for stream in listener.incoming().flatten() {
        let Some(request) = read_request(&stream) else { return };
        let answer = reply(&request);
        log.lock().expect("nobody panicked").push(request);
        match answer {
            StubReply::Silence => left_open.push(stream),
            StubReply::Response(status, body) => {
                let head =
                    format!("HTTP/1.1 {status} Stub\r\nconnection: close\r\ncontent-length: {}", body.len());
                // The client may hang up early.
                drop((&stream).write_all(format!("{head}\r\n\r\n{body}").as_bytes()));
            }
        }
    }
}

fn read_request(stream: &TcpStream) -> Option<StubRequest> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
    });
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    Some(StubRequest { head, body: String::from_utf8_lossy(&body).into_owned() })
}
