//! The same query by every interface: command, MCP, HTTP, hook. None leads into another project or to another file, and each
//! answers every input. R29, S12, S14.

use crate::mcp::call;
use crate::support::{Worker, bar, done, done_in, hook, import, injected, lines, prompt, run, size, world};
use backstory_testkit::corpora::{extra_bytes, extra_files, hostile_names, naughty_strings, traversal_texts};
use backstory_testkit::{Corpus, TestEnv};
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::time::Duration;

/// Calls tools in one conversation, and returns each answer as it was printed, read strictly from its bytes.
fn call_all(env: &TestEnv, calls: &[(&str, Value)]) -> Vec<String> {
    let input: String =
        calls.iter().map(|(tool, arguments)| format!("{}\n", call(tool, arguments.clone()))).collect();
    let mut server = run(env, ["mcp"]).start_open();
    let mut pipe = server.stdin.take().unwrap();
    let saying = std::thread::spawn(move || pipe.write_all(input.as_bytes()).unwrap());
    let output = server.wait_with_output().unwrap();
    saying.join().unwrap();
    let lines: Vec<&[u8]> =
        output.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).collect();
    assert_eq!((lines.len(), output.status.code()), (calls.len(), Some(0)));
    let strictly =
        |line: &&[u8]| serde_json::from_slice::<Value>(line).map(|value| value.to_string()).unwrap();
    lines.iter().map(strictly).collect()
}

/// Sends a request to a worker, and returns the status and the bytes of its answer.
fn fetch(worker: &Worker, method: &str, path: &str, body: &str) -> (u16, Vec<u8>) {
    backstory_server::ask(&worker.socket(), method, path, body, Duration::from_secs(30)).unwrap_or_default()
}

/// Writes every byte of a text so that it can stand in a path.
fn in_a_path(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

/// R29.
#[test]
fn naughty_strings_get_valid_json_from_mcp_and_http() {
    let extra =
        extra_bytes("blns.json.gz").map(|bytes| serde_json::from_slice::<Vec<String>>(&bytes).unwrap());
    let strings: Vec<String> = naughty_strings().into_iter().chain(extra.unwrap_or_default()).collect();
    let env = world();
    let memories: Vec<Value> = strings
        .iter()
        .enumerate()
        .map(|(number, text)| json!({"uid": format!("u{number}"), "title": format!("Number {number}"), "body": text}))
        .collect();
    import(&env, &memories);
    let queries: Vec<&String> = strings.iter().step_by(size(10, 1)).collect();
    let calls: Vec<(&str, Value)> = queries
        .iter()
        .flat_map(|text| {
            [("search", json!({"query": text})), ("search", json!({"query": "number", "file": text}))]
        })
        .chain((1..=strings.len()).step_by(size(10, 1)).map(|id| ("get", json!({"ids": [id]}))))
        .collect();
    call_all(&env, &calls);
    let worker = Worker::start(&env, &[]);
    let mut answers = calls.len();
    for path in queries
        .iter()
        .map(|text| format!("/api/search?q={}", in_a_path(text)))
        .chain((1..=strings.len()).step_by(size(10, 1)).map(|id| format!("/api/memories/{id}")))
    {
        let (status, body) = fetch(&worker, "GET", &path, "");
        assert_eq!(status, 200, "{path}: {}", String::from_utf8_lossy(&body));
        serde_json::from_slice::<Value>(&body).unwrap_or_else(|error| panic!("{path}: {error}"));
        answers += 1;
    }
    bar("R29", format_args!("{answers} answers of MCP and HTTP are valid JSON"));
}

/// What only memories of one project hold.
const MARKS: [&str; 2] = ["kingfisher", "cormorant"];

/// Makes two projects that speak of the same things, each with a word of its own in every memory.
fn two_projects(env: &TestEnv) -> Corpus {
    let mut corpus = Corpus::new(12);
    for (folder, mark) in ["project", "other"].into_iter().zip(MARKS) {
        let memories: Vec<Value> = (0..60)
            .map(|_| {
                let memory = corpus.memory();
                json!({"title": format!("{mark}: {}", memory.title), "body": format!("{} {mark}", memory.body),
                    "kind": memory.kind, "files": [memory.file]})
            })
            .collect();
        let path = lines(env, &memories);
        done_in(env, folder, &["import", &path]);
    }
    corpus
}

/// S12.
#[test]
fn no_query_reaches_another_project_by_any_interface() {
    let env = world();
    let mut corpus = two_projects(&env);
    let questions: Vec<String> = (0..size(25, 1000))
        .map(|number| match number % 4 {
            0 => MARKS[1].to_owned(),
            1 => format!("{} {}", MARKS[1], corpus.question()),
            _ => corpus.question(),
        })
        .collect();
    let mut found = [0; 4];
    let mut look = |interface: usize, question: &str, answer: &str| {
        // An answer may repeat the question; only what is found counts.
        let answer = answer.replace(question, "");
        assert!(!answer.contains(MARKS[1]), "interface {interface}: {question}: {answer}");
        found[interface] += usize::from(answer.contains(MARKS[0]));
    };
    let calls: Vec<(&str, Value)> =
        questions.iter().map(|question| ("search", json!({"query": question, "limit": 50}))).collect();
    for (question, answer) in questions.iter().zip(call_all(&env, &calls)) {
        look(0, question, &answer);
    }
    let worker = Worker::start(&env, &[]);
    for (number, question) in questions.iter().enumerate() {
        let path = match number % 3 {
            0 => format!("/api/search?project=1&limit=50&q={}", in_a_path(question)),
            1 => format!(
                "/api/context?project_path={}&prompt={}",
                in_a_path(&env.project().to_string_lossy()),
                in_a_path(question)
            ),
            _ => format!(
                "/api/memories?project=1&limit=50&kind={}",
                ["decision", "failure", "note"][number % 9 / 3]
            ),
        };
        let (status, answer) = worker.request("GET", &path, "");
        assert_eq!(status, 200, "{path}: {answer}");
        look(1, question, &answer);
    }
    drop(worker);
    for (number, question) in questions.iter().enumerate() {
        look(2, question, &env.run(["search", "--json", "--limit", "50", "--", question]).stdout);
        // A session of its own each time: a session gets a memory once.
        look(3, question, &injected(&hook(&env, prompt(&format!("s{number}"), question))));
    }
    assert!(found.iter().all(|found| *found > 0), "every interface finds its own: {found:?}");
    bar(
        "S12",
        format_args!(
            "0 rows of the other project for {} questions at each of MCP, HTTP, command, hook; own found {found:?} times",
            questions.len()
        ),
    );
}

/// Texts that name a file: our own, those of the extra corpus, and some that lead to files which really are there.
fn traversals(env: &TestEnv) -> Vec<String> {
    let files = extra_files("xss-dev.tar.gz").unwrap_or_default();
    let mut texts = traversal_texts();
    for file in files.iter().filter(|file| file.name.contains("directory_traversal")) {
        texts.extend(String::from_utf8_lossy(&file.bytes).lines().map(str::to_owned));
    }
    texts.extend(hostile_names().iter().map(|name| String::from_utf8_lossy(name).into_owned()));
    let outside = env.world().join("outside.txt").to_string_lossy().into_owned();
    texts.extend([
        format!("file://{outside}"),
        format!("../outside.txt\0{outside}"),
        format!("{}{outside}", "../".repeat(20)),
        outside,
        "../outside.txt".to_owned(),
        "/etc/passwd".to_owned(),
        "file:///etc/passwd".to_owned(),
        format!("{}etc/passwd", "../".repeat(20)),
        "/proc/self/environ".to_owned(),
    ]);
    texts
}

/// S14.
#[test]
fn no_argument_of_mcp_or_http_reaches_another_file() {
    let env = world();
    done(&env, &["remember", "Something to be found"]);
    fs::write(env.world().join("outside.txt"), "words from outside the data directory").unwrap();
    let texts = traversals(&env);
    let texts: Vec<&String> = texts.iter().step_by(size(7, 1)).collect();
    let worker = Worker::start(&env, &[]);
    let theirs = env.files_of_others();
    let calls: Vec<(&str, Value)> = texts.iter().flat_map(|text| tool_calls(text)).collect();
    let mut answers = call_all(&env, &calls);
    for text in &texts {
        for (method, path, body) in requests(text) {
            let (_, answer) = fetch(&worker, method, &path, &body);
            answers.push(String::from_utf8_lossy(&answer).into_owned());
        }
    }
    for answer in &answers {
        for outside in ["words from outside", "root:x:0", "BACKSTORY_NOW_MS="] {
            assert!(!answer.contains(outside), "{answer}");
        }
    }
    assert_eq!(env.files_of_others(), theirs, "and no file was made elsewhere");
    bar("S14", format_args!("{} texts in {} arguments: 0 bytes from outside", texts.len(), answers.len()));
}

/// A text as each argument of each tool.
fn tool_calls(text: &str) -> Vec<(&'static str, Value)> {
    let one = |tool, argument: &str| (tool, json!({argument: text}));
    let mut calls: Vec<(&str, Value)> =
        ["query", "kind", "since", "until", "file", "limit", "offset", "project", "all_projects", "compact"]
            .map(|argument| one("search", argument))
            .into();
    calls.extend(["id", "before", "after"].map(|argument| one("timeline", argument)));
    calls.extend([one("get", "ids"), one("get", "offset"), ("get", json!({"ids": [text]}))]);
    calls.extend(["title", "body", "kind", "importance"].map(|argument| one("remember", argument)));
    calls.push(("remember", json!({"title": "A note with files", "files": [text], "concepts": [text]})));
    calls.push(("forget", json!({"ids": [text]})));
    calls
}

/// A text as each argument of each path, and as a path.
fn requests(text: &str) -> Vec<(&'static str, String, String)> {
    let value = in_a_path(text);
    let get = |path: String| ("GET", path, String::new());
    let mut requests = vec![get(format!("/{value}")), get(format!("/assets/{value}"))];
    // Also as it is, where a request can hold it.
    if text.bytes().all(|byte| byte.is_ascii_graphic()) {
        requests.extend([get(format!("/{text}")), get(format!("/api/memories/{text}"))]);
    }
    for list in ["memories", "projects", "sessions", "injections"] {
        requests.push(get(format!("/api/{list}/{value}")));
        for argument in ["project", "kind", "since", "until", "session", "before", "limit", "moment"] {
            requests.push(get(format!("/api/{list}?{argument}={value}")));
        }
    }
    for argument in
        ["q", "project", "kind", "since", "until", "file", "limit", "offset", "superseded", "explain"]
    {
        requests.push(get(format!("/api/search?{argument}={value}")));
    }
    for argument in ["project_path", "prompt"] {
        requests.push(get(format!("/api/context?{argument}={value}")));
    }
    requests.push(get(format!("/api/context/inject?projects={value}")));
    requests.push(get(format!("/api/timeline?id={value}&before={value}&after={value}")));
    let body = |fields: Value| fields.to_string();
    requests.push((
        "POST",
        "/api/memories".to_owned(),
        body(json!({"text": text, "project": text, "title": text, "kind": text})),
    ));
    let in_context = json!({"project_path": text, "host": text, "session_id": text, "prompt": text});
    requests.push(("POST", "/api/context".to_owned(), body(in_context)));
    requests.push(("PATCH", "/api/memories/1".to_owned(), body(json!({"title": text, "body": text}))));
    requests.push(("POST", "/api/memories/batch".to_owned(), body(json!({"ids": [text]}))));
    requests.push(("POST", "/api/login".to_owned(), body(json!({"key": text}))));
    requests
}
