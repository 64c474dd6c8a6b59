//! `mcp` and what must not hurt it: lines that are no messages, hosts that are killed, many servers at once.

use crate::mcp::{replies, request, talk};
use crate::support::{Times, bar, lock, remember, run, world};
use backstory_testkit::TestEnv;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Sends bytes to a server, and returns its replies.
fn send_bytes(env: &TestEnv, bytes: &[u8]) -> Vec<Value> {
    replies(&env.run_with(["mcp"], bytes))
}

#[test]
fn a_line_that_is_no_message_is_refused_and_the_next_is_answered() {
    let env = world();
    let ping = b"\n{\"jsonrpc\":\"2.0\",\"id\":\"after\",\"method\":\"ping\"}\n";
    let deep = |opening: &str| opening.repeat(100_000).into_bytes();
    let long = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{}\"}}", "x".repeat(10 << 20));
    let cases: Vec<(Vec<u8>, Option<i64>)> = vec![
        (b"not json".to_vec(), Some(-32700)),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"met".to_vec(), Some(-32700)),
        (b"\xff\xfe\x00 \xc3(".to_vec(), Some(-32700)),
        (deep("["), Some(-32700)),
        (deep("{\"a\":"), Some(-32700)),
        (long.into_bytes(), Some(-32600)),
        (b"42".to_vec(), Some(-32600)),
        (b"\"text\"".to_vec(), Some(-32600)),
        (b"{}".to_vec(), Some(-32600)),
        (b"[]".to_vec(), Some(-32600)),
        (br#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#.to_vec(), Some(-32600)),
        (br#"{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}"#.to_vec(), Some(-32600)),
        (br#"{"jsonrpc":"2.0","id":[1],"method":"ping"}"#.to_vec(), Some(-32600)),
        (br#"{"jsonrpc":"2.0","id":true,"method":"ping"}"#.to_vec(), Some(-32600)),
        (br#"{"jsonrpc":"2.0","id":1,"method":7}"#.to_vec(), Some(-32600)),
        (br#"{"jsonrpc":"2.0","id":1,"method":"no/such"}"#.to_vec(), Some(-32601)),
        (br#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#.to_vec(), Some(-32602)),
        (br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[1]}"#.to_vec(), Some(-32602)),
        (br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rm"}}"#.to_vec(), Some(-32602)),
        (
            br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":"x"}}"#
                .to_vec(),
            Some(-32602),
        ),
        (b"".to_vec(), None),
        (b"  \t \r".to_vec(), None),
        (br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}"#.to_vec(), None),
        (br#"{"jsonrpc":"2.0","method":"no/such/notification"}"#.to_vec(), None),
        (br#"{"jsonrpc":"2.0","id":"who asked","result":{"roots":[{"uri":"file:///"}]}}"#.to_vec(), None),
        (br#"{"jsonrpc":"2.0","id":"backstory-roots","error":{"code":1,"message":"no"}}"#.to_vec(), None),
    ];
    for (line, code) in cases {
        let shown = String::from_utf8_lossy(line.get(..60).unwrap_or(&line)).into_owned();
        let replies = send_bytes(&env, &[line.as_slice(), ping].concat());
        let (after, before) = replies.split_last().unwrap();
        assert_eq!(after, &json!({"jsonrpc": "2.0", "id": "after", "result": {}}), "{shown}");
        let codes: Vec<i64> = before.iter().filter_map(|reply| reply["error"]["code"].as_i64()).collect();
        assert_eq!(codes, code.into_iter().collect::<Vec<_>>(), "{shown}: {before:?}");
    }
}

#[test]
fn malformed_messages_are_read_leniently() {
    let env = world();
    let is_ping = |line: &[u8], id: Value| {
        let reply = json!({"jsonrpc": "2.0", "id": id, "result": {}});
        assert_eq!(send_bytes(&env, line), [reply], "{}", String::from_utf8_lossy(line));
    };
    is_ping(b"\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r\n", json!(1));
    is_ping(b"{\"id\":\"no version, no newline\",\"method\":\"ping\"}", json!("no version, no newline"));
    is_ping("{\"id\":\"é\u{202e}\",\"method\":\"ping\"}\n".as_bytes(), json!("é\u{202e}"));
    is_ping(b"{\"id\":\"\xff\",\"method\":\"ping\"}\n", json!("\u{fffd}"));
    is_ping(b"{\"id\":-9007199254740993,\"method\":\"ping\"}\n", json!(-9_007_199_254_740_993_i64));
    is_ping(b"{\"id\":1.5,\"method\":\"ping\",\"params\":null}\n", json!(1.5));
}

#[test]
fn batches_are_answered_where_the_protocol_version_has_them() {
    let env = world();
    let batch = json!([request(1, "ping", json!({})), {"jsonrpc": "2.0", "method": "notifications/x"}, 7, request(2, "nope", json!({}))]);
    let replies_to = |version: &str, batch: &Value| {
        let hello = request("hello", "initialize", json!({"protocolVersion": version}));
        talk(&env, &[], &[hello, batch.clone()])[1].clone()
    };
    for version in ["2024-11-05", "2025-03-26"] {
        let reply = replies_to(version, &batch);
        let ids: Vec<&Value> = reply.as_array().unwrap().iter().map(|reply| &reply["id"]).collect();
        assert_eq!(ids, [&json!(1), &Value::Null, &json!(2)], "{reply}");
        let many = Value::Array((0..65).map(|id| request(id, "ping", json!({}))).collect());
        assert_eq!(replies_to(version, &many)["error"]["code"], -32600);
    }
    for version in ["2025-06-18", "2025-11-25"] {
        assert_eq!(replies_to(version, &batch)["error"]["code"], -32600);
    }
}

/// A server started by a host of its own; the test holds the pipe, as another child of a killed host would.
struct Hosted {
    host: Child,
    pipe: Option<ChildStdin>,
    ended: Receiver<()>,
}

fn hosted(env: &TestEnv) -> Hosted {
    // Something to do afterwards keeps the shell from becoming the server itself.
    let mut host = run(env, ["mcp"]).through("/bin/sh", &["-c", "\"$0\" \"$@\"; :"]).start_open();
    let mut pipe = host.stdin.take().unwrap();
    writeln!(pipe, "{}", request(1, "tools/call", json!({"name": "search", "arguments": {"query": "tabs"}})))
        .unwrap();
    let mut out = BufReader::new(host.stdout.take().unwrap());
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    assert!(line.contains("#1 "), "{line}");
    let (sender, ended) = channel();
    std::thread::spawn(move || {
        // The stream ends when the last process that could write to it has ended.
        std::io::copy(&mut out, &mut std::io::sink()).unwrap();
        sender.send(()).unwrap();
    });
    Hosted { host, pipe: Some(pipe), ended }
}

/// R20: standard input ends, or the host is killed and its pipe stays open.
#[test]
fn r20_twenty_servers_leave_no_process_behind() {
    let env = world();
    remember(&env, "We use tabs");
    let mut servers: Vec<Hosted> = (0..20).map(|_| hosted(&env)).collect();
    assert!(env.processes().len() >= 40, "the hosts and their servers run");
    let begun = Instant::now();
    for (number, server) in servers.iter_mut().enumerate() {
        if number % 2 == 0 {
            server.host.kill().unwrap();
        } else {
            server.pipe = None;
        }
    }
    for (number, server) in servers.iter_mut().enumerate() {
        let ended = server.ended.recv_timeout(Duration::from_secs(30));
        assert_eq!(ended, Ok(()), "server {number} still runs");
        server.host.wait().unwrap();
    }
    assert_eq!(env.processes(), Vec::<std::path::PathBuf>::new());
    bar("R20", format_args!("0 processes left of {} servers and their hosts", servers.len()));
    let mut ended = Times::default();
    ended.add(begun.elapsed());
    ended.report("R20", "all gone");
}

/// No lock is held between requests: while a server waits, everyone else can write.
#[test]
fn a_waiting_server_holds_no_lock() {
    let env = world();
    remember(&env, "We use tabs");
    let server = hosted(&env);
    drop(lock(&env));
    remember(&env, "And spaces in Makefiles, sometimes");
    drop(server.pipe);
    assert_eq!(server.ended.recv_timeout(Duration::from_secs(30)), Ok(()));
    let mut host = server.host;
    host.wait().unwrap();
}
