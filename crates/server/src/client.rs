//! Asking a worker, from another process: one request over its socket, one answer, no runtime.

use crate::WorkerDir;
use backstory_platform::{connect_without_waiting, listening_process_id};
use serde::Deserialize;
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;
use std::time::Duration;

/// A worker that answered.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub struct RunningWorker {
    /// The process.
    pub pid: u32,
    /// Which build it is.
    pub version: String,
    /// The port on loopback.
    pub port: u16,
}

/// What is known of the worker of a home.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkerState {
    /// There is none.
    Absent,
    /// It answers.
    Running(RunningWorker),
    /// It holds the lock and does not answer: it is starting, or it hangs. With the id of the process that listens, as the kernel
    /// reports it.
    Unresponsive(Option<u32>),
}

/// Looks for the worker of a home, and distinguishes one that hangs from none.
#[must_use]
pub fn find(dir: &WorkerDir, patience: Duration) -> WorkerState {
    match running(dir, patience) {
        Some(running) => WorkerState::Running(running),
        None if dir.is_claimed() => WorkerState::Unresponsive(listener(dir)),
        None => WorkerState::Absent,
    }
}

/// Returns the process that listens at the socket of a home, whether or not it ever answers.
pub(crate) fn listener(dir: &WorkerDir) -> Option<u32> {
    listening_process_id(&dir.read_endpoint()?.socket)
}

/// Returns the worker of a home, if one answers within that time. What a file says counts for nothing.
#[must_use]
pub fn running(dir: &WorkerDir, patience: Duration) -> Option<RunningWorker> {
    let endpoint = dir.read_endpoint()?;
    let (status, body) = ask(&endpoint.socket, "GET", "/api/worker", "", patience).ok()?;
    (status == 200).then(|| serde_json::from_slice(&body).ok())?
}

/// Asks over a socket, and returns the status and the body. `patience` is how long each step may take.
pub fn ask(
    socket: &Path,
    method: &str,
    path: &str,
    body: &str,
    patience: Duration,
) -> io::Result<(u16, Vec<u8>)> {
    let mut stream = connect_without_waiting(socket)?;
    stream.set_read_timeout(Some(patience))?;
    stream.set_write_timeout(Some(patience))?;
    let length = body.len();
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    parse(&answer).ok_or_else(|| ErrorKind::InvalidData.into())
}

fn parse(answer: &[u8]) -> Option<(u16, Vec<u8>)> {
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n")?;
    let head = std::str::from_utf8(answer.get(..end)?).ok()?;
    let status = head.strip_prefix("HTTP/1.1 ")?.get(..3)?.parse().ok()?;
    Some((status, answer.get(end + 4..)?.to_owned()))
}
