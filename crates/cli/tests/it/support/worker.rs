//! A worker that runs in a world.

use super::until;
use backstory_testkit::TestEnv;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

/// A worker of a world. It is killed when the test is done with it, however that ends.
pub(crate) struct Worker {
    child: Child,
    world: String,
    /// How it is reached, as it wrote to `worker.json`.
    pub(crate) note: Value,
    /// The cookie of the user's login, made when the first request needs it.
    cookie: OnceLock<String>,
}

impl Worker {
    /// Starts a worker and waits until it answers.
    pub(crate) fn start(env: &TestEnv, flags: &[&str]) -> Worker {
        let mut command = env.command([&["serve"], flags].concat());
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the worker");
        Worker::adopt(env, child)
    }

    /// Takes charge of a worker that was started, and waits until it answers.
    pub(crate) fn adopt(env: &TestEnv, child: Child) -> Worker {
        let world = env.world().to_string_lossy().into_owned();
        let mut worker = Worker { child, world, note: Value::Null, cookie: OnceLock::new() };
        let is_there = until(|| {
            worker.note = note(env);
            worker.note["pid"] == worker.child.id() && worker.status("/api/health") == 200
        });
        assert!(is_there, "the worker answers");
        worker
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.note["socket"].as_str().expect("a socket").into()
    }

    /// Sends a request over the socket, and returns the status and the body.
    pub(crate) fn request(&self, method: &str, path: &str, body: &str) -> (u16, String) {
        let socket = self.note["socket"].as_str().unwrap_or_default();
        let reply = backstory_server::ask(Path::new(socket), method, path, body, Duration::from_secs(30));
        reply.map_or((0, String::new()), |(status, body)| {
            (status, String::from_utf8_lossy(&body).into_owned())
        })
    }

    /// Gets what must be there, with temporary paths replaced by `[WORLD]`.
    pub(crate) fn get(&self, path: &str) -> Value {
        let (status, body) = self.request("GET", path, "");
        assert_eq!(status, 200, "{path}: {body}");
        let body = body.replace(&self.world, "[WORLD]");
        serde_json::from_str(&body).unwrap_or_else(|error| panic!("{path}: {error} in {body}"))
    }

    /// Returns the status of a `GET`.
    pub(crate) fn status(&self, path: &str) -> u16 {
        self.request("GET", path, "").0
    }

    /// Sends a change as the user, who is logged in, and returns the status and the answer. What only the socket takes goes there.
    pub(crate) fn send(&self, method: &str, path: &str, body: &Value) -> (u16, Value) {
        if path.starts_with("/api/worker") || (method, path) == ("POST", "/api/context") {
            return self.send_as_agent(method, path, body);
        }
        let cookie = format!("Cookie: {}\r\n", self.cookie.get_or_init(|| self.log_in()));
        let answer = self.loopback(method, path, &cookie, &body.to_string());
        let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        let body = answer.split_once("\r\n\r\n").expect("a head").1;
        (status, serde_json::from_str(body).unwrap_or_else(|error| panic!("{path}: {error} in {answer}")))
    }

    /// Sends a change over the socket, as any program of the user can, an agent's shell too.
    pub(crate) fn send_as_agent(&self, method: &str, path: &str, body: &Value) -> (u16, Value) {
        let (status, answer) = self.request(method, path, &body.to_string());
        (status, serde_json::from_str(&answer).unwrap_or_else(|error| panic!("{path}: {error} in {answer}")))
    }

    /// Sends a request over loopback, and returns the answer as it came.
    pub(crate) fn loopback(&self, method: &str, path: &str, headers: &str, body: &str) -> String {
        let port = self.note["port"].as_u64().and_then(|port| u16::try_from(port).ok()).expect("a port");
        let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("the worker's port");
        let length = body.len();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{headers}Content-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes()).expect("a request");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        answer
    }

    /// Logs in with a fresh link, and returns the cookie.
    fn log_in(&self) -> String {
        let (_, link) = self.send_as_agent("POST", "/api/worker/login-key", &json!({}));
        let key = link["url"].as_str().and_then(|url| url.split_once("#key=")).expect("a link").1;
        let answer = self.loopback("POST", "/api/login", "", &json!({ "key": key }).to_string());
        let cookie = answer.lines().find_map(|line| line.strip_prefix("set-cookie: ")).expect("a cookie");
        cookie.split(';').next().unwrap_or_default().to_owned()
    }

    /// Kills it.
    pub(crate) fn kill(mut self) {
        self.child.kill().expect("a worker that lives");
    }

    /// Waits until it has ended, and returns its exit code.
    pub(crate) fn ended(mut self) -> Option<i32> {
        self.child.wait().expect("the end of the worker").code()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Returns the `worker.json` of a world, or null.
pub(crate) fn note(env: &TestEnv) -> Value {
    let text = std::fs::read_to_string(env.home().join("worker.json")).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}
