//! What the worker answers is what the commands answer, on the same store; and asking changes nothing.

use crate::support::{Worker, ask, count, database, hear, prompt, remember, until, world};
use backstory_server::ROUTES;
use backstory_testkit::TestEnv;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;

/// A world in which something happened: memories, a session with a turn, injections.
pub(crate) fn lived_in() -> TestEnv {
    let env = world();
    remember(&env, "We use SQLite because the hook must not wait");
    remember(&env, "The gateway times out after 30 seconds under load");
    remember(&env, "Releases are cut on Tuesdays and never on Fridays");
    let event = |name: &str, more: Value| {
        let mut payload = json!({"session_id": "s1", "hook_event_name": name, "cwd": env.project()});
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        hear(&env, payload.to_string());
    };
    event("SessionStart", json!({"source": "startup"}));
    event(
        "UserPromptSubmit",
        json!({"prompt_id": "p1", "prompt": "Why does the gateway time out under load?"}),
    );
    event(
        "PostToolUse",
        json!({"tool_name": "Bash", "tool_input": {"command": "cargo test"}, "tool_response": {"stdout": "ok"}, "tool_use_id": "t1"}),
    );
    event(
        "Stop",
        json!({"last_assistant_message": "We decided to raise the gateway timeout to 60 seconds because of load."}),
    );
    event("UserPromptSubmit", json!({"prompt_id": "p2", "prompt": "And when are releases cut?"}));
    env
}

/// Says that everything one door tells, the other tells too, word for word.
fn tells(http: &Value, command: &Value) {
    match (http, command) {
        (Value::Object(http), Value::Object(command)) => {
            command
                .iter()
                .for_each(|(key, value)| tells(http.get(key).unwrap_or_else(|| panic!("no `{key}`")), value));
        }
        (Value::Array(http), Value::Array(command)) => {
            assert_eq!(http.len(), command.len(), "{http:?} {command:?}");
            http.iter().zip(command).for_each(|(http, command)| tells(http, command));
        }
        _ => assert_eq!(http, command),
    }
}

#[test]
fn every_question_has_the_answer_of_the_command() {
    let env = lived_in();
    let worker = Worker::start(&env, &[]);
    let same = |path: &str, command: &[&str]| tells(&worker.get(path), &ask(&env, 0, command));
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
    let (status, mut batch) = worker.send("POST", "/api/memories/batch", &json!({"ids": [1, 2, 99]}));
    let mut shown = ask(&env, 1, &["show", "1", "2", "99", "--json"]);
    assert_eq!(status, 200);
    // Asking for one is using it, and the command came second.
    let memories = shown["memories"].as_array_mut().unwrap().iter_mut();
    for (over_http, shown) in batch["memories"].as_array_mut().unwrap().iter_mut().zip(memories) {
        assert_eq!(over_http["times_used"].as_u64().unwrap() + 1, shown["times_used"].as_u64().unwrap());
        for key in ["times_used", "last_used_at"] {
            [&mut *over_http, &mut *shown].into_iter().for_each(|memory| memory[key] = Value::Null);
        }
    }
    assert_eq!(batch, shown);
    let why = ask(&env, 0, &["why", "2", "--json"]);
    let one = worker.get("/api/memories/2");
    tells(&one["injected"], &why["injected"]);
    tells(&one["title"], &why["title"]);
    let context = worker.get(&format!("/api/context?project_path={}", env.project().display()));
    let told = ask(&env, 0, &["context", "--json"]);
    for key in ["sections", "budget", "memories", "moment"] {
        tells(&context[key], &told[key]);
    }
    // The name of the fence is drawn anew each time.
    let steady = |of: &Value| {
        let text = of["context"].as_str().unwrap();
        text.replace(&text["<backstory-".len().."<backstory-".len() + 8], "[NONCE]")
    };
    assert_eq!(steady(&context), steady(&told));
}

#[test]
fn a_list_goes_on_where_it_stopped_and_misses_nothing() {
    let env = lived_in();
    let worker = Worker::start(&env, &[]);
    for (path, key) in [("/api/memories", "memories"), ("/api/injections", "injections")] {
        let whole = worker.get(path);
        let ids = |page: &Value| -> Vec<i64> {
            page[key].as_array().unwrap().iter().map(|row| row["id"].as_i64().unwrap()).collect()
        };
        let (mut paged, mut next) = (Vec::new(), String::new());
        loop {
            let page = worker.get(&format!("{path}?limit=1{next}"));
            paged.extend(ids(&page));
            match page["next"].as_i64() {
                Some(id) => next = format!("&before={id}"),
                None => break,
            }
        }
        assert_eq!(paged, ids(&whole), "{path}");
        assert!(paged.len() > 1, "{path}");
    }
    let of_session =
        worker.get("/api/memories?session=1&kind=decision,change,summary,discovery,handoff,learning");
    assert!(of_session["memories"].as_array().unwrap().iter().all(|row| row["session"] == 1));
    assert_eq!(worker.get("/api/memories?since=2026-06-01")["memories"], json!([]));
    assert_eq!(worker.asks("GET", "/api/memories?project=nowhere", "").0, 404);
    assert_eq!(worker.asks("GET", "/api/memories?kind=nonsense", "").0, 400);
    assert_eq!(worker.asks("GET", "/api/memories?limit=many", "").0, 400);
    for path in ["memories", "search", "timeline", "sessions", "injections"] {
        assert_eq!(worker.asks("GET", &format!("/api/{path}?limit=0"), "").0, 400, "{path}");
    }
}

#[test]
fn a_session_is_told_turn_by_turn_and_an_injection_word_for_word() {
    let env = lived_in();
    let worker = Worker::start(&env, &[]);
    let replay = worker.get("/api/sessions/1");
    let turns = replay["turns"].as_array().unwrap();
    let prompts: Vec<&Value> = turns.iter().map(|turn| &turn["prompt"]).collect();
    assert_eq!(
        prompts,
        [
            &Value::Null,
            &json!("Why does the gateway time out under load?"),
            &json!("And when are releases cut?")
        ]
    );
    assert_eq!(turns[1]["events"][0]["what"], "ran");
    assert!(turns[1]["closing"].as_str().unwrap().starts_with("We decided to raise"));
    assert!(!turns[1]["memories"].as_array().unwrap().is_empty(), "{replay}");
    assert_eq!(replay["session"]["prompt"], "Why does the gateway time out under load?");
    let given = worker.get("/api/injections");
    let first = given["injections"].as_array().unwrap().last().unwrap().clone();
    assert_eq!((&first["moment"], &first["host"]), (&json!("session_start"), &json!("claude-code")));
    let one = worker.get(&format!("/api/injections/{}", first["id"]));
    let text = one["text"].as_str().unwrap();
    let memories = one["memories"].as_array().unwrap();
    assert!(!memories.is_empty() && first["injected"] == memories.len());
    assert!(memories.iter().any(|memory| text.contains(memory["title"].as_str().unwrap())), "{one}");
    assert_eq!(worker.asks("GET", "/api/injections/9999", "").0, 404);
    let overview = worker.get("/api/projects/1");
    assert_eq!(overview["activity"].as_array().unwrap().len(), 90);
    let today = overview["activity"].as_array().unwrap().last().unwrap();
    assert_eq!((&today["day"], today["events"].as_u64()), (&json!("2026-05-01"), Some(5)));
    assert!(overview["injected"].as_array().unwrap().last().unwrap()["tokens"].as_u64() > Some(0));
    let hooks = worker.get("/api/hooks");
    assert_eq!(hooks["hosts"][0]["host"], "claude-code");
    assert_eq!(hooks["hosts"][0]["failing"], false);
    let stats = worker.get("/api/stats");
    assert_eq!(stats["memories"], worker.get("/api/status")["memories"]);
}

#[test]
fn a_host_fails_when_it_is_not_understood_and_not_when_nothing_is_to_be_kept() {
    let env = lived_in();
    let worker = Worker::start(&env, &[]);
    let is_failing = || worker.get("/api/hooks")["hosts"][0]["failing"].clone();
    crate::support::file(&env, ".backstory.toml", "[capture]\nenabled = false\n");
    hear(&env, prompt("s2", "How long until the gateway times out under load?"));
    let last = worker.get("/api/hooks")["receipts"][0]["outcome"].to_string();
    assert!(last.starts_with("\"not kept, gave"), "{last}");
    assert_eq!(is_failing(), false);
    crate::support::file(&env, ".backstory.toml", "");
    for text in ["one", "two", "three", "four", "five"] {
        hear(&env, prompt("s3", text).replace("\"prompt\"", "\"promptV2\""));
    }
    assert_eq!(is_failing(), true);
}

/// What a `GET` needs beside its path, so that it answers in full.
fn query_of(path: &str, project: &str) -> String {
    match path {
        "/api/search" => "?q=gateway&explain=1".to_owned(),
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
        ["injections", "injection_texts", "impressions", "memories", "events"].map(|table| {
            let count = format!("SELECT count(*) FROM {table}");
            db.query_row(&count, [], |row| row.get::<_, i64>(0)).unwrap()
        })
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
        let (status, reply) = worker.asks("GET", &path, "");
        assert_eq!(status, 200, "{path}: {reply}");
        assert_eq!((version(), rows()), before, "{path} has written");
        driven += 1;
    }
    assert!(driven >= 16, "{driven}");
}

#[test]
fn what_is_written_over_http_is_written_as_the_command_writes_it() {
    let env = lived_in();
    let worker = Worker::start(&env, &[]);
    let secret = format!("ghp_{}", "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY1zA2");
    let text = json!({"text": format!("The token is {secret} for the mirror"), "project": "project", "kind": "note", "pin": true});
    let (status, written) = worker.send("POST", "/api/memories", &text);
    assert_eq!((status, &written["ok"]), (200, &json!(true)), "{written}");
    assert_eq!(env.files_holding(secret.as_bytes()), Vec::<std::path::PathBuf>::new());
    let id = written["id"].as_i64().unwrap();
    let one = ask(&env, 0, &["show", &id.to_string(), "--json"])["memories"][0].clone();
    assert_eq!(
        (&one["pinned"], &one["provenance"], &one["kind"]),
        (&json!(true), &json!("user"), &json!("note"))
    );
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
    assert_eq!(worker.asks("GET", &format!("/api/memories/{id}"), "").0, 404);
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
    hear(&env, prompt("s2", "something else entirely"));
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
fn whoever_listens_hears_what_a_hook_captured() {
    let env = lived_in();
    let worker = Worker::start(&env, &[]);
    let mut stream = UnixStream::connect(worker.socket()).unwrap();
    stream.write_all(b"GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let heard = std::sync::Arc::new(std::sync::Mutex::new(Vec::<String>::new()));
    let listening = std::sync::Arc::clone(&heard);
    let listener = std::thread::spawn(move || {
        BufReader::new(stream)
            .lines()
            .map_while(Result::ok)
            .for_each(|line| listening.lock().unwrap().push(line));
    });
    let said = |line: &str| heard.lock().unwrap().iter().any(|heard| heard == line);
    assert!(until(|| said(": here")));
    let mut number = 0;
    assert!(
        until(|| {
            number += 1;
            hear(&env, prompt("s1", &format!("one more question {number}")));
            said("event: event")
        }),
        "{heard:?}"
    );
    drop(worker);
    listener.join().unwrap();
}

#[test]
fn the_link_of_view_logs_in_once_and_the_cookie_reads() {
    let env = lived_in();
    let worker = Worker::start(&env, &[]);
    let link = env.run(["view", "--print"]).stdout.trim().to_owned();
    let port = worker.note["port"].as_u64().unwrap();
    let key =
        link.strip_prefix(&format!("http://127.0.0.1:{port}/#key=")).unwrap_or_else(|| panic!("{link}"));
    let send = |request: String| {
        let mut stream = TcpStream::connect(("127.0.0.1", u16::try_from(port).unwrap())).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    };
    let body = json!({"key": key}).to_string();
    let log_in = format!(
        "POST /api/login HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    let answer = send(log_in.clone());
    assert!(answer.starts_with("HTTP/1.1 204"), "{answer}");
    let cookie =
        answer.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap().split(';').next().unwrap();
    let read = send(format!(
        "GET /api/memories HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n"
    ));
    assert!(read.starts_with("HTTP/1.1 200") && read.contains("SQLite"), "{read}");
    assert!(send(log_in).starts_with("HTTP/1.1 401"));
}
