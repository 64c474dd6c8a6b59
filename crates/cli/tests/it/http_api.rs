//! What the worker answers is what the commands answer, on the same store; and asking changes nothing.

use crate::support::{
    Worker, ask, assert_absent, column, count, database, event, fields, file, harmless, prompt, query,
    remember, send, shown, until, without_nonce, world,
};
use backstory_server::ROUTES;
use backstory_testkit::TestEnv;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;

/// A world in which something happened: memories, a session with a turn, injections.
pub(crate) fn lived_in() -> TestEnv {
    let env = world();
    remember(&env, "We use SQLite because the hook must not wait");
    remember(&env, "The gateway times out after 30 seconds under load");
    remember(&env, "Releases are cut on Tuesdays and never on Fridays");
    let ran = json!({"tool_name": "Bash", "tool_use_id": "t1", "tool_input": {"command": "cargo test"}, "tool_response": {"stdout": "ok"}});
    let edited = json!({"tool_name": "Edit", "tool_use_id": "t2", "tool_response": {}, "tool_input": {
        "file_path": env.project().join("gateway.conf"), "old_string": "30", "new_string": "60",
    }});
    let closing = "Increased the gateway timeout to 60 seconds, because of load.";
    for (name, fields) in [
        ("SessionStart", json!({"source": "startup"})),
        (
            "UserPromptSubmit",
            json!({"prompt_id": "p1", "prompt": "Why does the gateway time out under load?"}),
        ),
        ("PostToolUse", ran),
        ("PostToolUse", edited),
        ("Stop", json!({"last_assistant_message": closing})),
        ("UserPromptSubmit", json!({"prompt_id": "p2", "prompt": "And when are releases cut?"})),
    ] {
        harmless(&event(&env, "s1", name, fields));
    }
    env
}

/// Asserts that an HTTP answer holds everything the command answers.
fn assert_holds(http: &Value, command: &Value) {
    match (http, command) {
        (Value::Object(http), Value::Object(command)) => {
            for (key, value) in command {
                assert_holds(http.get(key).unwrap_or_else(|| panic!("no `{key}`")), value);
            }
        }
        (Value::Array(http), Value::Array(command)) => {
            assert_eq!(http.len(), command.len(), "{http:?} {command:?}");
            http.iter().zip(command).for_each(|(http, command)| assert_holds(http, command));
        }
        _ => assert_eq!(http, command),
    }
}

#[test]
fn every_http_answer_equals_that_of_the_command() {
    let env = lived_in();
    let worker = Worker::start(&env, &[]);
    let same = |path: &str, command: &[&str]| assert_holds(&worker.get(path), &ask(&env, 0, command));
    same("/api/status", &["status", "--json"]);
    same("/api/projects", &["project", "list", "--json"]);
    same("/api/sessions", &["sessions", "--json"]);
    same(
        "/api/timeline?id=2&before=1&after=1",
        &["timeline", "2", "--before", "1", "--after", "1", "--json"],
    );
    same("/api/search?q=gateway+load&project=1", &["search", "gateway load", "--project", "1", "--json"]);
    same(
        "/api/search?q=gateway&project=project&explain=1&kind=note,decision&limit=2",
        &["search", "gateway", "--project", "1", "--explain", "--kind", "note,decision", "-n", "2", "--json"],
    );
    // A person reads in the viewer and on the screen: neither counts as use.
    let (status, batch) = worker.send("POST", "/api/memories/batch", &json!({"ids": [1, 2, 99]}));
    let shown = ask(&env, 1, &["show", "1", "2", "99", "--json"]);
    assert_eq!(status, 200);
    assert_eq!(batch, shown);
    let why = ask(&env, 0, &["why", "2", "--json"]);
    let one = worker.get("/api/memories/2");
    assert_holds(&one["injected"], &why["injected"]);
    assert_holds(&one["title"], &why["title"]);
    let context = worker.get(&format!("/api/context?project_path={}", env.project().display()));
    let previewed = ask(&env, 0, &["context", "--json"]);
    for key in ["sections", "budget", "memories", "moment"] {
        assert_holds(&context[key], &previewed[key]);
    }
    let text = |answer: &Value| without_nonce(answer["context"].as_str().unwrap());
    assert_eq!(text(&context), text(&previewed));
}

#[test]
fn a_paged_list_misses_nothing() {
    let env = lived_in();
    let worker = Worker::start(&env, &[]);
    for (path, key) in [("/api/memories", "memories"), ("/api/injections", "injections")] {
        let whole = worker.get(path);
        let (mut paged, mut next) = (Vec::new(), String::new());
        loop {
            let page = worker.get(&format!("{path}?limit=1{next}"));
            paged.extend(page[key].as_array().unwrap().iter().map(|row| row["id"].clone()));
            match page["next"].as_i64() {
                Some(id) => next = format!("&before={id}"),
                None => break,
            }
        }
        assert!(paged.len() > 1, "{path}");
        assert_eq!(json!(paged), column(&whole[key], "id"), "{path}");
    }
    let of_session =
        worker.get("/api/memories?session=1&kind=decision,change,summary,discovery,handoff,learning");
    assert!(of_session["memories"].as_array().unwrap().iter().all(|row| row["session"] == 1));
    assert_eq!(worker.get("/api/memories?since=2026-06-01")["memories"], json!([]));
    assert_eq!(worker.status("/api/memories?project=nowhere"), 404);
    assert_eq!(worker.status("/api/memories?kind=nonsense"), 400);
    assert_eq!(worker.status("/api/memories?limit=many"), 400);
    for path in ["memories", "search", "timeline", "sessions", "injections"] {
        assert_eq!(worker.status(&format!("/api/{path}?limit=0")), 400, "{path}");
    }
}

#[test]
fn a_session_is_shown_by_turns_and_an_injection_as_text() {
    let env = lived_in();
    let worker = Worker::start(&env, &[]);
    let replay = worker.get("/api/sessions/1");
    let turns = &replay["turns"];
    let prompts = json!([null, "Why does the gateway time out under load?", "And when are releases cut?"]);
    assert_eq!(column(turns, "prompt"), prompts);
    assert_eq!(turns[1]["events"][0]["what"], "ran");
    assert!(turns[1]["closing"].as_str().unwrap().starts_with("Increased the gateway"));
    assert!(!turns[1]["memories"].as_array().unwrap().is_empty(), "{replay}");
    assert_eq!(replay["session"]["prompt"], "Why does the gateway time out under load?");
    let injections = worker.get("/api/injections");
    let first = injections["injections"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(fields(&first, ["moment", "host"]), json!(["session_start", "claude-code"]));
    let one = worker.get(&format!("/api/injections/{}", first["id"]));
    let text = one["text"].as_str().unwrap();
    let memories = one["memories"].as_array().unwrap();
    assert!(!memories.is_empty() && first["injected"] == memories.len());
    assert!(memories.iter().any(|memory| text.contains(memory["title"].as_str().unwrap())), "{one}");
    assert_eq!(worker.status("/api/injections/9999"), 404);
    let overview = worker.get("/api/projects/1");
    assert_eq!(overview["activity"].as_array().unwrap().len(), 90);
    let today = overview["activity"].as_array().unwrap().last().unwrap();
    assert_eq!((&today["day"], today["events"].as_u64()), (&json!("2026-05-01"), Some(6)));
    assert!(overview["injected"].as_array().unwrap().last().unwrap()["tokens"].as_u64() > Some(0));
    let hooks = worker.get("/api/hooks");
    assert_eq!(hooks["hosts"][0]["host"], "claude-code");
    assert_eq!(hooks["hosts"][0]["failing"], false);
    let stats = worker.get("/api/stats");
    assert_eq!(stats["memories"], worker.get("/api/status")["memories"]);
}

#[test]
fn a_host_is_failing_when_it_is_not_understood_and_not_when_capture_is_off() {
    let env = lived_in();
    let worker = Worker::start(&env, &[]);
    let is_failing = || worker.get("/api/hooks")["hosts"][0]["failing"].clone();
    file(&env, ".backstory.toml", "[capture]\nenabled = false\n");
    send(&env, prompt("s2", "How long until the gateway times out under load?"));
    let last = worker.get("/api/hooks")["receipts"][0]["outcome"].to_string();
    assert!(last.starts_with("\"not kept, gave"), "{last}");
    assert_eq!(is_failing(), false);
    file(&env, ".backstory.toml", "");
    for text in ["one", "two", "three", "four", "five"] {
        send(&env, prompt("s3", text).replace("\"prompt\"", "\"promptV2\""));
    }
    assert_eq!(is_failing(), true);
}

/// What a `GET` needs beside its path, so that it answers in full.
fn query_of(path: &str, project: &str) -> String {
    match path {
        "/api/search" => "?q=gateway&explain=1".to_owned(),
        "/api/missing" => "?q=gateway".to_owned(),
        "/api/timeline" => "?id=1".to_owned(),
        "/api/context" => format!("?project_path={project}&session_id=s1&host=claude-code"),
        "/api/context/inject" => "?projects=project,1".to_owned(),
        _ => String::new(),
    }
}

#[test]
fn no_get_changes_anything() {
    let env = lived_in();
    let worker = Worker::start(&env, &[]);
    let db = database(&env);
    let version = || db.pragma_query_value(None, "data_version", |row| row.get::<_, i64>(0)).unwrap();
    let rows = || {
        ["injections", "injection_texts", "impressions", "memories", "events"]
            .map(|table| query::<i64>(&env, &format!("SELECT count(*) FROM {table}")))
    };
    // The first request opens the store; what that does (the spool, the schema) is not the request's doing.
    worker.get("/api/status");
    let before = (version(), rows());
    let project = env.project().display().to_string();
    // The stream of events does not end; listening to it is a test of its own.
    let gets = ROUTES.iter().filter(|route| route.method == "GET" && route.path != "/api/events");
    let mut driven = 0;
    for route in gets {
        let path = format!("{}{}", route.path.replace("{id}", "1"), query_of(route.path, &project));
        let (status, reply) = worker.request("GET", &path, "");
        assert_eq!(status, 200, "{path}: {reply}");
        assert_eq!((version(), rows()), before, "{path} has written");
        driven += 1;
    }
    assert!(driven >= 16, "{driven}");
}

#[test]
fn http_writes_memories_as_the_command_does() {
    let env = lived_in();
    let worker = Worker::start(&env, &[]);
    let secret = format!("ghp_{}", "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY1zA2");
    let text = json!({"text": format!("The token is {secret} for the mirror"), "project": "project", "kind": "note", "pin": true});
    let (status, written) = worker.send("POST", "/api/memories", &text);
    assert_eq!((status, &written["ok"]), (200, &json!(true)), "{written}");
    assert_absent(&env, secret);
    let id = written["id"].as_i64().unwrap();
    let one = shown(&env, &id.to_string());
    assert_eq!(fields(&one, ["pinned", "provenance", "kind"]), json!([true, "user", "note"]));
    let (status, again) = worker.send("POST", "/api/memories", &text);
    assert_eq!((status, &again["error"]["code"]), (409, &json!("near_duplicate")));
    assert_eq!(again["error"]["existing_id"], id);
    // What means something on a command line means nothing here.
    let odd = "{\"title\": \"taken apart\"}";
    let (_, written) = worker.send("POST", "/api/memories", &json!({"text": odd, "project": 1}));
    assert_eq!(worker.get(&format!("/api/memories/{}", written["id"]))["body"], odd);
    assert_eq!(worker.send("POST", "/api/memories", &json!({"text": "-", "project": 1})).0, 409);
    let (status, _) =
        worker.send("PATCH", &format!("/api/memories/{id}"), &json!({"title": "The mirror's token"}));
    assert_eq!(status, 200);
    let revised = worker.get(&format!("/api/memories/{id}"));
    assert_eq!((&revised["title"], &revised["body"]), (&json!("The mirror's token"), &one["body"]));
    assert_eq!(revised["revisions"].as_array().unwrap().len(), 1);
    let (_, pinned) = worker.send("POST", &format!("/api/memories/{id}/pin"), &json!({"pinned": false}));
    assert_eq!(pinned, json!({"ok": true, "id": id, "pinned": false}));
    let (_, newer) = worker.send(
        "POST",
        &format!("/api/memories/{id}/supersede"),
        &json!({"text": "The mirror needs no token any more"}),
    );
    assert_eq!(worker.get(&format!("/api/memories/{id}"))["superseded_by"], newer["id"]);
    let (status, forgotten) = worker.send("DELETE", &format!("/api/memories/{id}"), &json!({}));
    assert_eq!((status, &forgotten["forgotten"]), (200, &json!([id])));
    assert_eq!(worker.status(&format!("/api/memories/{id}")), 404);
    let (status, back) = worker.send("POST", "/api/memories", &text);
    assert_eq!((status, &back["error"]["code"]), (409, &json!("forgotten")));
    for (body, code) in [
        (json!({}), 400),
        (json!({"text": 5}), 400),
        (json!({"text": "x"}), 400),
        (json!({"text": "x", "project": "nowhere"}), 404),
    ] {
        assert_eq!(worker.send("POST", "/api/memories", &body).0, code, "{body}");
    }
}

/// Byte for byte what `curl --unix-socket` sends.
///
/// S4.1, S4.24, S4.42: the JSON of `GET /api/context` over the socket, a missing `project_path`, an unknown project.
#[test]
fn context_is_previewed_by_get_and_recorded_by_post() {
    let env = lived_in();
    let worker = Worker::start(&env, &[]);
    let curl = |target: &str| {
        let mut stream = UnixStream::connect(worker.socket()).unwrap();
        let request = format!(
            "GET {target} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: curl/8\r\nAccept: */*\r\nX-Backstory-Host: claude-code\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut reply = String::new();
        stream.read_to_string(&mut reply).unwrap();
        let (head, body) = reply.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().to_owned(), serde_json::from_str::<Value>(body).unwrap())
    };
    let project = env.project().display().to_string();
    send(&env, prompt("s2", "something else entirely"));
    let before = count(&env, "injections");
    let (status, preview) = curl(&format!("/api/context?project_path={project}&session_id=s2"));
    assert_eq!(status, "200");
    assert!(preview["context"].as_str().unwrap().contains("SQLite"), "{preview}");
    assert!(
        preview["tokens"].as_u64() > Some(0)
            && preview["build_ms"].is_number()
            && preview["sections"].is_array()
    );
    let (status, missing) = curl("/api/context?session_id=s1");
    assert_eq!((status.as_str(), &missing["error"]["code"]), ("400", &json!("project_path_missing")));
    let (status, nothing) = curl("/api/context?project_path=/nowhere");
    assert_eq!((status.as_str(), &nothing["context"]), ("200", &json!("")));
    let inject = |session: &str| {
        let body = json!({"project_path": project, "host": "claude-code", "session_id": session});
        worker.send("POST", "/api/context", &body)
    };
    let (status, unknown) = inject("nobody");
    assert_eq!((status, &unknown["error"]["code"]), (404, &json!("no_such_session")));
    assert_eq!(worker.send("POST", "/api/context", &json!({"project_path": project})).0, 400);
    assert_eq!(count(&env, "injections"), before, "a preview and an error record nothing");
    let (status, injected) = inject("s2");
    assert!(status == 200 && injected["tokens"].as_u64() > Some(0), "{injected}");
    assert_eq!(count(&env, "injections"), before + 1);
    let newest = worker.get("/api/injections?limit=1")["injections"][0].clone();
    assert_eq!((&newest["host"], &newest["tokens"]), (&json!("claude-code"), &injected["tokens"]));
}

#[test]
fn the_event_stream_reports_what_a_hook_captured() {
    let env = lived_in();
    let worker = Worker::start(&env, &[]);
    let mut stream = UnixStream::connect(worker.socket()).unwrap();
    stream.write_all(b"GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let lines = std::sync::Arc::new(std::sync::Mutex::new(Vec::<String>::new()));
    let received = std::sync::Arc::clone(&lines);
    let listener = std::thread::spawn(move || {
        let stream = BufReader::new(stream).lines().map_while(Result::ok);
        stream.for_each(|line| received.lock().unwrap().push(line));
    });
    let has = |line: &str| lines.lock().unwrap().iter().any(|one| one == line);
    assert!(until(|| has(": here")));
    // What is captured before the worker takes its first look is not new to it.
    let mut number = 0;
    let has_event = until(|| {
        number += 1;
        send(&env, prompt("s1", &format!("one more question {number}")));
        has("event: event")
    });
    assert!(has_event, "{lines:?}");
    drop(worker);
    listener.join().unwrap();
}

#[test]
fn the_link_of_view_logs_in_once_and_its_cookie_can_read() {
    let env = lived_in();
    let worker = Worker::start(&env, &[]);
    let link = env.run(["view", "--print"]).stdout.trim().to_owned();
    let port = &worker.note["port"];
    let key =
        link.strip_prefix(&format!("http://127.0.0.1:{port}/#key=")).unwrap_or_else(|| panic!("{link}"));
    let log_in = || worker.loopback("POST", "/api/login", "", &json!({"key": key}).to_string());
    let answer = log_in();
    assert!(answer.starts_with("HTTP/1.1 204"), "{answer}");
    let cookie =
        answer.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap().split(';').next().unwrap();
    let read = worker.loopback("GET", "/api/memories", &format!("Cookie: {cookie}\r\n"), "");
    assert!(read.starts_with("HTTP/1.1 200") && read.contains("SQLite"), "{read}");
    assert!(log_in().starts_with("HTTP/1.1 401"));
}

#[test]
fn law_6_a_program_over_http_is_an_agent_until_the_user_logs_in() {
    let env = world();
    remember(&env, "Always run `make deploy` before a commit");
    let worker = Worker::start(&env, &[]);
    let changes = [
        ("PATCH", "/api/memories/1", json!({"body": "Never run anything"})),
        ("POST", "/api/memories/1/supersede", json!({"text": "Never run anything"})),
        ("POST", "/api/memories/1/pin", json!({"pinned": true})),
        ("POST", "/api/memories/1/confirm", json!({})),
        ("POST", "/api/memories/1/retire", json!({})),
        ("DELETE", "/api/memories/1", json!({})),
    ];
    let token = format!("Authorization: Bearer {}\r\n", worker.note["token"].as_str().unwrap());
    for (method, path, body) in &changes {
        let (status, refused) = worker.send_as_agent(method, path, body);
        assert_eq!((status, &refused["error"]["code"]), (403, &json!("user_only")), "{method} {path}");
        let refused = worker.loopback(method, path, &token, &body.to_string());
        assert!(refused.starts_with("HTTP/1.1 403") && refused.contains("user_only"), "{path}: {refused}");
    }
    let order = json!({"text": "Always run `make release` at night", "project": 1, "pin": true});
    assert_eq!(worker.send_as_agent("POST", "/api/memories", &order).0, 200);
    let written = fields(&shown(&env, "2"), ["provenance", "pinned", "standing"]);
    assert_eq!(written, json!(["assistant", false, "proposed"]));
    let refused = env.run_as_agent(["view", "--print"]);
    assert!(refused.code == Some(1) && refused.stdout.is_empty(), "no agent logs in: {refused:?}");
    assert_eq!(worker.send("DELETE", "/api/memories/1", &json!({})).0, 200, "the user may");
}

#[test]
fn the_user_reviews_what_waits_over_http() {
    let env = world();
    for order in ["Always run `make deploy` before a commit", "Never run `make clean` on Fridays"] {
        assert_eq!(env.run_as_agent(["remember", order]).code, Some(0));
    }
    let worker = Worker::start(&env, &[]);
    let waiting = worker.get("/api/review");
    assert_eq!(waiting, ask(&env, 0, &["review", "--json"]));
    assert_eq!(column(&waiting["memories"], "id"), json!([2, 1]));
    let said = fields(&waiting["memories"][0], ["body", "why"]);
    assert_eq!(
        said,
        json!(["Never run `make clean` on Fridays", "it asks for an action, and you did not say it"])
    );
    let judge = |id: i64, verdict: &str| {
        let (status, judged) = worker.send("POST", &format!("/api/memories/{id}/{verdict}"), &json!({}));
        assert_eq!(status, 200, "{judged}");
        judged["memories"][0]["standing"].clone()
    };
    assert_eq!((judge(1, "confirm"), judge(2, "retire")), (json!("confirmed"), json!("retired")));
    assert_eq!(worker.get("/api/review")["memories"], json!([]));
    assert_eq!(worker.get("/api/memories/1")["why"], "you said so");
}
