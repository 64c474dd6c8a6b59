//! Live events: whoever listens is sent, and the worker can still end.

use crate::support::{serve, until};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::sync::atomic::Ordering;

#[test]
fn a_listener_gets_what_is_written_and_is_closed_at_the_end() {
    let worker = serve();
    worker.api.newest.store(7, Ordering::SeqCst);
    let mut stream = UnixStream::connect(&worker.endpoint.socket).unwrap();
    stream.write_all(b"GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    assert!(lines.next().unwrap().starts_with("HTTP/1.1 200"));
    assert!(lines.any(|line| line == ": here"), "a first word at once");
    worker.api.newest.store(8, Ordering::SeqCst);
    // It may have looked for the first time before or after that: then the next is the news.
    let sent = std::thread::spawn(move || {
        let name = lines.find(|line| line.starts_with("event: "));
        let data = lines.find(|line| line.starts_with("data: "));
        (name, data, lines.count())
    });
    let mut newest = 8;
    assert!(until(|| {
        newest += 1;
        worker.api.newest.store(newest, Ordering::SeqCst);
        std::thread::park_timeout(std::time::Duration::from_millis(50));
        newest > 30
    }));
    drop(worker);
    let (name, data, _rest) = sent.join().unwrap();
    assert_eq!(name.as_deref(), Some("event: memory"));
    let data = data.unwrap();
    let id: i64 = data.trim_start_matches("data: {\"id\": ").trim_end_matches('}').parse().unwrap();
    assert!((8..=31).contains(&id), "{data}");
}
