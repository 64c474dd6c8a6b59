//! Live events: whoever listens is told, and the worker can still end.

use crate::support::{serve, until};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::sync::atomic::Ordering;

#[test]
fn a_listener_hears_what_is_new_and_is_let_go_at_the_end() {
    let worker = serve();
    worker.answers.newest.store(7, Ordering::SeqCst);
    let mut stream = UnixStream::connect(&worker.note.socket).unwrap();
    stream.write_all(b"GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    assert!(lines.next().unwrap().starts_with("HTTP/1.1 200"));
    assert!(lines.any(|line| line == ": here"), "a first word at once");
    worker.answers.newest.store(8, Ordering::SeqCst);
    // It may have looked for the first time before or after that: then the next is the news.
    let told = std::thread::spawn(move || {
        let name = lines.find(|line| line.starts_with("event: "));
        let data = lines.find(|line| line.starts_with("data: "));
        (name, data, lines.count())
    });
    let mut newest = 8;
    assert!(until(|| {
        newest += 1;
        worker.answers.newest.store(newest, Ordering::SeqCst);
        std::thread::park_timeout(std::time::Duration::from_millis(50));
        newest > 30
    }));
    drop(worker);
    let (name, data, _rest) = told.join().unwrap();
    assert_eq!(name.as_deref(), Some("event: memory"));
    let data = data.unwrap();
    let id: i64 = data.trim_start_matches("data: {\"id\": ").trim_end_matches('}').parse().unwrap();
    assert!((8..=31).contains(&id), "{data}");
}
