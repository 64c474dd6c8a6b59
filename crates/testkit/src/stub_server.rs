//! A server of one machine and one test: it hears HTTP on loopback and answers as it is told.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

/// One request as it arrived.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The first line and the headers.
    pub head: String,
    /// The body.
    pub body: String,
}

/// How the server answers.
#[derive(Clone, Debug)]
pub enum Reply {
    /// With a status and a body.
    Says(u16, String),
    /// Not at all: the connection stays open until the server is gone.
    Nothing,
}

type Answering = Box<dyn Fn(&Asked) -> Reply + Send>;

/// A server on loopback.
#[derive(Debug)]
pub struct StubServer {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
    serving: Option<JoinHandle<()>>,
}

impl StubServer {
    /// Starts a server.
    ///
    /// # Panics
    ///
    /// When there is no port to listen on.
    #[must_use]
    pub fn answering(answer: impl Fn(&Asked) -> Reply + Send + 'static) -> StubServer {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port on loopback");
        let address = listener.local_addr().expect("its own address");
        let asked = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&asked);
        let serving = std::thread::spawn(move || serve(&listener, &heard, &(Box::new(answer) as Answering)));
        StubServer { address, asked, serving: Some(serving) }
    }

    /// Returns its address.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns what it was asked so far.
    ///
    /// # Panics
    ///
    /// When answering panicked.
    #[must_use]
    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().expect("nobody panicked").clone()
    }
}

impl Drop for StubServer {
    fn drop(&mut self) {
        // A connection that says nothing is how it is told to end.
        drop(TcpStream::connect(self.address));
        if let Some(serving) = self.serving.take() {
            drop(serving.join());
        }
    }
}

fn serve(listener: &TcpListener, heard: &Mutex<Vec<Asked>>, answer: &Answering) {
    let mut left_open = Vec::new();
    for stream in listener.incoming().flatten() {
        let Some(asked) = hear(&stream) else { return };
        let reply = answer(&asked);
        heard.lock().expect("nobody panicked").push(asked);
        match reply {
            Reply::Nothing => left_open.push(stream),
            Reply::Says(status, body) => {
                let head =
                    format!("HTTP/1.1 {status} Stub\r\nconnection: close\r\ncontent-length: {}", body.len());
                // Whoever has heard enough may hang up.
                drop((&stream).write_all(format!("{head}\r\n\r\n{body}").as_bytes()));
            }
        }
    }
}

fn hear(stream: &TcpStream) -> Option<Asked> {
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
    Some(Asked { head, body: String::from_utf8_lossy(&body).into_owned() })
}
