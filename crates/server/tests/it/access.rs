//! Access control: who may send which request (S09).

use crate::support::{HttpReply, RECORDED, serve, serve_by, worker_options};
use backstory_server::{ApiOperation, Limits, WorkerOptions, WriteOperation};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::time::Duration;

const JSON: &str = "Content-Type: application/json\r\n";

/// Logs in with a fresh link and returns the cookie.
fn cookie(worker: &crate::support::Served) -> String {
    let sent = worker.ask_socket("POST", "/api/worker/login-key", JSON, "{}");
    let url =
        serde_json::from_str::<serde_json::Value>(&sent.body).unwrap()["url"].as_str().unwrap().to_owned();
    let key = url.split_once("#key=").unwrap().1.to_owned();
    let port = worker.endpoint.port;
    let log_in = |key: &str| {
        let body = format!("{{\"key\":\"{key}\"}}");
        worker.send(&format!(
            "POST /api/login HTTP/1.1\r\nHost: localhost:{port}\r\n{JSON}Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        ))
    };
    let reply = log_in(&key);
    assert_eq!(reply.status, 204, "{reply:?}");
    let cookie = reply.header("set-cookie").unwrap();
    assert!(
        cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict") && !cookie.contains("Domain"),
        "{cookie}"
    );
    let again = log_in(&key);
    assert_eq!((again.status, again.code().as_str()), (401, "key_used_or_old"), "a link works once");
    cookie.split(';').next().unwrap().to_owned()
}

/// S09.
#[test]
fn every_mix_of_host_origin_token_and_method_is_answered_as_it_must() {
    let worker = serve();
    let port = worker.endpoint.port;
    let other = port.wrapping_add(1);
    let cookie = cookie(&worker);
    let hosts: Vec<(String, bool)> = [
        (format!("Host: 127.0.0.1:{port}\r\n"), true),
        (format!("Host: localhost:{port}\r\n"), true),
        (format!("Host: [::1]:{port}\r\n"), true),
        (format!("Host: 127.0.0.1:{other}\r\n"), false),
        ("Host: 127.0.0.1\r\n".to_owned(), false),
        (format!("Host: attacker.example:{port}\r\n"), false),
        (format!("Host: 127.0.0.1.attacker.example:{port}\r\n"), false),
        (format!("Host: 127.0.0.1:{port}\r\nHost: attacker.example\r\n"), false),
        (String::new(), false),
    ]
    .into();
    let origins = [
        (String::new(), true),
        (format!("Origin: http://127.0.0.1:{port}\r\n"), true),
        (format!("Origin: http://127.0.0.1:{port}\r\nSec-Fetch-Site: same-origin\r\n"), true),
        ("Sec-Fetch-Site: none\r\n".to_owned(), true),
        (format!("Origin: http://127.0.0.1:{other}\r\n"), false),
        (format!("Origin: https://127.0.0.1:{port}\r\n"), false),
        ("Origin: null\r\n".to_owned(), false),
        ("Origin: http://attacker.example\r\n".to_owned(), false),
        ("Sec-Fetch-Site: cross-site\r\n".to_owned(), false),
        ("Sec-Fetch-Site: same-site\r\n".to_owned(), false),
    ];
    let tokens = [
        (String::new(), false),
        ("Authorization: Bearer 0000\r\n".to_owned(), false),
        (format!("Authorization: Basic {}\r\n", worker.endpoint.token), false),
        (format!("Cookie: backstory_{port}=0000\r\n"), false),
        (format!("Authorization: Bearer {}\r\n", worker.endpoint.token), true),
        (format!("Cookie: other=1; {cookie}\r\n"), true),
    ];
    let methods =
        [("GET", "/api/status", 200), ("POST", "/api/memories", 200), ("OPTIONS", "/api/status", 405)];
    let mut count = 0;
    for (host, host_fits) in &hosts {
        for (origin, origin_fits) in &origins {
            for (token, is_known) in &tokens {
                for (method, path, answer) in methods {
                    let request = format!(
                        "{method} {path} HTTP/1.1\r\n{host}{origin}{token}{JSON}Content-Length: 2\r\nConnection: close\r\n\r\n{{}}"
                    );
                    let reply = worker.send(&request);
                    let expected = match (host_fits, origin_fits, is_known) {
                        (false, _, _) => 421,
                        (_, false, _) => 403,
                        (_, _, false) => 401,
                        _ => answer,
                    };
                    // Two Host lines, or none, are no HTTP at all to begin with.
                    let is_malformed = host.is_empty() || host.matches("Host").count() > 1;
                    let fits = reply.status == expected || is_malformed && reply.status == 400;
                    assert!(fits, "{request}\n{reply:?}\nexpected {expected}");
                    assert_eq!(reply.body.contains(RECORDED), expected == 200, "{request}\n{reply:?}");
                    assert!(!reply.head.to_lowercase().contains("access-control"), "{reply:?}");
                    count += 1;
                }
            }
        }
    }
    assert!(count >= 60, "{count}");
    backstory_testkit::bar(
        "S09",
        format_args!("{count} requests answered as they must, 0 answered without a token"),
    );
}

fn has_the_headers_of_a_page(reply: &HttpReply) {
    let policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; \
                  frame-ancestors 'none'; base-uri 'none'; form-action 'self'";
    let sent = reply.header("content-security-policy").unwrap();
    assert!(sent.starts_with(policy), "{sent}");
    assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(reply.header("referrer-policy"), Some("no-referrer"));
}

#[test]
fn a_page_needs_no_token_and_every_answer_has_the_headers_that_hold_a_browser() {
    let worker = serve();
    let port = worker.endpoint.port;
    let get = |path: &str| {
        worker.send(&format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n"))
    };
    let page = get("/");
    assert_eq!((page.status, page.header("content-type")), (200, Some("text/html; charset=utf-8")));
    let health = get("/api/health");
    assert_eq!((health.status, health.body.as_str()), (200, r#"{"ok":true}"#));
    for (path, status) in
        [("/", 200), ("/api/health", 200), ("/api/status", 401), ("/assets/../Cargo.toml", 401)]
    {
        let reply = get(path);
        assert_eq!(reply.status, status, "{path}: {reply:?}");
        has_the_headers_of_a_page(&reply);
    }
    // What is asked of another server, through us, is not answered either.
    let elsewhere = worker.send(&format!(
        "GET http://attacker.example/api/health HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n"
    ));
    assert_eq!(elsewhere.status, 421);
}

#[test]
fn a_write_is_json_and_not_too_large() {
    let worker = serve();
    for kind in ["", "Content-Type: text/plain\r\n", "Content-Type: application/x-www-form-urlencoded\r\n"] {
        for (method, path) in
            [("POST", "/api/memories"), ("PATCH", "/api/memories/1"), ("DELETE", "/api/memories/1")]
        {
            let reply = worker.ask(method, path, kind, "{}");
            assert_eq!((reply.status, reply.code().as_str()), (415, "not_json"), "{method} {kind}");
        }
    }
    let broken = worker.ask("POST", "/api/memories", JSON, "{\"text\": ");
    assert_eq!((broken.status, broken.code().as_str()), (400, "bad_json"));
    let fits = format!("\"{}\"", "x".repeat(256 * 1024 - 2));
    assert_eq!(worker.ask("POST", "/api/memories", JSON, &fits).status, 200);
    let too_large = worker.ask("POST", "/api/memories", JSON, &format!("{fits} "));
    assert_eq!((too_large.status, too_large.code().as_str()), (413, "too_large"));
    let requests = worker.api.requests.lock().unwrap();
    assert_eq!(requests.len(), 1, "only what is well formed is asked");
}

#[test]
fn an_error_before_the_body_was_read_still_arrives() {
    let worker = serve();
    let body = "x".repeat(100_000);
    for path in ["/api/memories", "/api/nowhere"] {
        for method in ["GET", "POST"] {
            let request = format!(
                "{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                body.len()
            );
            let mut stream = UnixStream::connect(&worker.endpoint.socket).unwrap();
            stream.write_all(request.as_bytes()).unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).unwrap_or_else(|error| panic!("{method} {path}: {error}"));
            assert!(answer.starts_with("HTTP/1.1 ") && answer.ends_with('}'), "{answer}");
        }
    }
}

#[test]
fn too_many_requests_get_429() {
    let limits = Limits { requests_per_second: 3, strangers_per_second: 2, ..Limits::default() };
    let worker = serve_by(&WorkerOptions { limits, ..worker_options() });
    let known: Vec<u16> = (0..30).map(|_| worker.ask("GET", "/api/status", "", "").status).collect();
    assert!(known.contains(&200) && known.contains(&429), "{known:?}");
    let port = worker.endpoint.port;
    let stranger = format!("GET /api/status HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n");
    let strangers: Vec<u16> = (0..30).map(|_| worker.send(&stranger).status).collect();
    assert!(strangers.contains(&401) && strangers.contains(&429), "{strangers:?}");
}

#[test]
fn what_takes_too_long_is_said_and_nothing_else_waits_for_it() {
    let limits = Limits { deadline: std::time::Duration::from_millis(200), ..Limits::default() };
    let worker = serve_by(&WorkerOptions { limits, ..worker_options() });
    let hold = worker.hold();
    let slow = worker.ask("GET", "/api/hooks", "", "");
    assert_eq!((slow.status, slow.code().as_str()), (503, "out_of_time"));
    drop(hold);
}

#[test]
fn what_is_worked_on_takes_a_place_also_when_nobody_waits_for_it_any_more() {
    let limits = Limits { at_once: 1, deadline: std::time::Duration::from_millis(200), ..Limits::default() };
    let worker = serve_by(&WorkerOptions { limits, ..worker_options() });
    let hold = worker.hold();
    assert_eq!(worker.ask("GET", "/api/hooks", "", "").code(), "out_of_time");
    assert_eq!(worker.ask("GET", "/api/status", "", "").code(), "busy");
    drop(hold);
    assert!(crate::support::until(|| worker.ask("GET", "/api/status", "", "").status == 200));
}

#[test]
fn a_request_that_makes_us_stumble_ends_no_other() {
    let worker = serve();
    let failed = worker.ask("GET", "/api/stats", "", "");
    assert_eq!((failed.status, failed.code().as_str()), (500, "internal_error"));
    assert_eq!(worker.ask("GET", "/api/status", "", "").status, 200);
    let refused = worker.ask("GET", "/api/memories/9", "", "");
    assert_eq!((refused.status, refused.code().as_str()), (404, "no_such_memory"));
}

#[test]
fn too_much_at_once_is_refused_and_not_queued_for_ever() {
    let limits = Limits { at_once: 1, ..Limits::default() };
    let worker = serve_by(&WorkerOptions { limits, ..worker_options() });
    let hold = worker.hold();
    std::thread::scope(|scope| {
        let first = scope.spawn(|| worker.ask("GET", "/api/hooks", "", "").status);
        assert!(crate::support::until(|| !worker.api.requests.lock().unwrap().is_empty()));
        let second = worker.ask("GET", "/api/status", "", "");
        assert_eq!((second.status, second.code().as_str()), (503, "busy"));
        drop(hold);
        assert_eq!(first.join().unwrap(), 200);
    });
}

#[test]
fn the_socket_needs_no_token_and_has_routes_that_loopback_has_not() {
    let worker = serve();
    let over_socket = worker.ask_socket("GET", "/api/context?project_path=%2Fa+b", "", "");
    assert_eq!(over_socket.status, 200);
    let injected = worker.ask_socket("POST", "/api/context", JSON, r#"{"project_path":"/a"}"#);
    assert_eq!(injected.status, 200);
    let requests = worker.api.requests.lock().unwrap().clone();
    assert_eq!(requests[0].query.get("project_path"), Some("/a b"));
    assert_eq!(requests[1].operation, ApiOperation::Write(WriteOperation::InjectContext));
    for (method, path) in [
        ("GET", "/api/worker"),
        ("POST", "/api/worker/login-key"),
        ("POST", "/api/worker/stop"),
        ("POST", "/api/context"),
    ] {
        let refused = worker.ask(method, path, JSON, "{}");
        assert_eq!((refused.status, refused.code().as_str()), (404, "unknown_path"), "{path}");
    }
}

/// A login page is a file, so that the viewer it leads to is loaded from another origin; nothing else may be.
#[test]
fn another_page_leads_to_the_viewer_and_to_nothing_else() {
    let worker = serve();
    let port = worker.endpoint.port;
    let status = |path: &str, mode: &str, dest: &str| {
        let fetched =
            format!("Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: {mode}\r\nSec-Fetch-Dest: {dest}\r\n");
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{fetched}Connection: close\r\n\r\n");
        worker.send(&request).status
    };
    assert_eq!(status("/", "navigate", "document"), 200);
    assert_eq!(status("/", "navigate", "iframe"), 403);
    assert_eq!(status("/", "no-cors", "script"), 403);
    assert_eq!(status("/api/status", "navigate", "document"), 403);
}

#[test]
fn connections_that_say_nothing_keep_nobody_out() {
    let worker = serve();
    let connect = || TcpStream::connect(("127.0.0.1", worker.endpoint.port)).unwrap();
    // Half of a head, and then nothing more.
    let mut silent: Vec<TcpStream> = (0..300).map(|_| connect()).collect();
    for stream in &mut silent {
        // The oldest may be closed already.
        stream.write_all(b"GET / HTTP/1.1\r\n").unwrap_or_default();
    }
    assert_eq!(worker.ask("GET", "/api/status", "", "").status, 200);
    // Those that were closed were the oldest, and the newest stays.
    let mut oldest = silent.swap_remove(0);
    oldest.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    assert!(oldest.read(&mut [0; 16]).is_ok_and(|read| read == 0) || oldest.write_all(b"x").is_err());
    let mut newest = silent.swap_remove(0);
    newest
        .write_all(
            format!("Host: 127.0.0.1:{}\r\nConnection: close\r\n\r\n", worker.endpoint.port).as_bytes(),
        )
        .unwrap();
    let mut answer = String::new();
    newest.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    backstory_testkit::held("A08", 19, 1, "silent connections keep nobody out");
}
