//! `self update --check` tells what the newest release is, asks nobody else, and changes nothing.

use crate::support::{answer, ask, exits, program, rendered, world};
use backstory_testkit::{StubReply, StubServer};
use insta::assert_snapshot;
use std::fs;

fn server(status: u16, body: &str) -> StubServer {
    let body = body.to_owned();
    StubServer::start(move |_| StubReply::Response(status, body.clone()))
}

#[test]
fn a_newer_release_is_named_and_nothing_is_installed() {
    let env = world();
    let server = server(200, r#"{"version": 1, "newest": "99.0.1"}"#);
    let before = fs::metadata(program()).unwrap().modified().unwrap();
    let outcome = env.run(["self", "update", "--check", "--from", &server.url()]);
    assert_snapshot!(rendered(&outcome).replace(&server.url(), "[URL]"), @r"
        exit 0
        --- out
        99.0.1 is out; this is 0.1.0
        get it the way you installed this one; releases are at [URL]
        ");
    let reply = ask(&env, 0, &["self", "update", "--check", "--json", "--from", &server.url()]);
    assert_eq!((reply["newest"].as_str(), reply["is_newer"].as_bool()), (Some("99.0.1"), Some(true)));
    let requests = server.requests();
    assert_eq!(requests.len(), 2);
    for request in requests {
        assert!(request.head.starts_with("GET /latest.json HTTP/1.1\r\n"), "{}", request.head);
        assert!(request.body.is_empty() && !request.head.contains("0.1.0"), "{}", request.head);
    }
    assert_eq!(fs::metadata(program()).unwrap().modified().unwrap(), before);
    assert!(env.files_of_others().is_empty() && !env.home().exists(), "no store is made for it");
}

#[test]
fn the_newest_release_says_so_and_a_bad_answer_is_an_error() {
    let env = world();
    for newest in ["0.1.0", "0.0.9", "0.1.0-rc.1"] {
        let server = server(200, &format!(r#"{{"newest": "{newest}"}}"#));
        let reply = answer(&env.run(["self", "update", "--check", "--json", "--from", &server.url()]));
        assert_eq!(reply["is_newer"], false, "{newest}");
    }
    for (status, body) in [(404, ""), (200, "{}"), (200, "<html>"), (200, r#"{"newest": "1.0\u001b[31m"}"#)] {
        let server = server(status, body);
        exits(
            &env,
            1,
            &["self", "update", "--check", "--from", &server.url()],
            "cannot ask what the newest release is",
        );
    }
}

#[test]
fn no_server_gets_a_request_unless_the_user_wants_one_and_only_over_https() {
    let env = world();
    exits(&env, 2, &["self", "update"], "--check");
    exits(&env, 1, &["self", "update", "--check"], "does not know where releases are");
    exits(&env, 1, &["self", "update", "--check", "--from", "http://releases.invalid"], "cannot ask");
}
