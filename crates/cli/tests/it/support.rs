//! What every test of the binary needs: a world, words to say to it, and ways to look at what it answers.

use backstory_testkit::{ProgramOutput, TestEnv};
pub(crate) use backstory_testkit::{Times, bar, size};
use rusqlite::Connection;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// The way every host calls us.
pub(crate) const HOOK: [&str; 3] = ["hook", "--host", "claude-code"];

/// Returns the binary under test: the one cargo built for these tests, or the one that whoever runs them names.
#[expect(clippy::disallowed_methods, reason = "chosen by who runs the tests")]
pub(crate) fn program() -> &'static str {
    static PROGRAM: LazyLock<String> = LazyLock::new(|| {
        std::env::var("BACKSTORY_BIN").unwrap_or_else(|_| env!("CARGO_BIN_EXE_backstory").to_owned())
    });
    &PROGRAM
}

/// Makes a world for the binary under test.
pub(crate) fn world() -> TestEnv {
    TestEnv::new(program())
}

/// Makes a world whose hooks may take their time: what is looked at is what they keep, on however busy a machine.
pub(crate) fn patient_world() -> TestEnv {
    world().with("BACKSTORY_DEADLINE_MS", "10000")
}

/// Tells how a run ended, for a snapshot: the exit code, then what stands on each stream.
pub(crate) fn told(outcome: &ProgramOutput) -> String {
    let stream = |name: &str, text: &str| match text.trim_end() {
        "" => String::new(),
        text => format!("--- {name}\n{text}\n"),
    };
    let code = outcome.code.map_or("killed".to_owned(), |code| code.to_string());
    format!("exit {code}\n{}{}", stream("out", &outcome.stdout), stream("err", &outcome.stderr))
}

/// Puts `[N]` in place of the number before each of these words: what differs from run to run is not ours to say.
pub(crate) fn without_numbers(text: &str, before: &[&str]) -> String {
    let blur = |text: String, word: &&str| {
        let parts: Vec<&str> = text.split(word).collect();
        let (last, others) = parts.split_last().expect("a text has a part");
        // One space stays between the words and the number, however it was padded.
        let words = |part: &&str| {
            part.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.').trim_end().to_owned()
        };
        others.iter().map(|part| format!("{} [N]{word}", words(part))).collect::<String>() + last
    };
    before.iter().fold(text.to_owned(), blur)
}

/// Reads what a run printed as one JSON value, and nothing beside it.
pub(crate) fn answer(outcome: &ProgramOutput) -> Value {
    serde_json::from_str(&outcome.stdout).unwrap_or_else(|error| panic!("{error} in {outcome:?}"))
}

/// Runs a command that must work.
pub(crate) fn done(env: &TestEnv, arguments: &[&str]) {
    let outcome = env.run(arguments);
    assert_eq!(outcome.code, Some(0), "{arguments:?}: {outcome:?}");
}

/// Runs a command that must end with `code` and answer in JSON.
pub(crate) fn ask(env: &TestEnv, code: i32, arguments: &[&str]) -> Value {
    let outcome = env.run(arguments);
    assert_eq!(outcome.code, Some(code), "{arguments:?}: {outcome:?}");
    answer(&outcome)
}

/// Tells the shape of a JSON value: its keys and the types of what they hold.
pub(crate) fn shape(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) => "bool".to_owned(),
        Value::Number(_) => "number".to_owned(),
        Value::String(_) => "text".to_owned(),
        Value::Array(items) => format!("[{}]", items.first().map(shape).unwrap_or_default()),
        Value::Object(fields) => {
            let fields: Vec<String> =
                fields.iter().map(|(key, value)| format!("{key}: {}", shape(value))).collect();
            format!("{{{}}}", fields.join(", "))
        }
    }
}

/// Writes a memory and returns its number.
pub(crate) fn remember(env: &TestEnv, text: &str) -> i64 {
    let answer = ask(env, 0, &["remember", "--json", text]);
    answer.get("id").and_then(Value::as_i64).expect("the number of the memory")
}

/// Returns the titles `search` finds, best first.
pub(crate) fn titles(env: &TestEnv, arguments: &[&str]) -> Vec<String> {
    let outcome = env.run([&["search", "--json"], arguments].concat());
    let answer = answer(&outcome);
    let hits = answer.get("hits").and_then(Value::as_array).expect("hits");
    assert_eq!(outcome.code, Some(i32::from(hits.is_empty())), "{outcome:?}");
    hits.iter().filter_map(|hit| Some(hit.get("title")?.as_str()?.to_owned())).collect()
}

/// Plays one payload through the hook.
pub(crate) fn hook(env: &TestEnv, payload: impl AsRef<[u8]>) -> ProgramOutput {
    env.run_with(HOOK, payload)
}

/// Says that a hook did no harm: at most an answer on stdout, at most a line on stderr, exit 0 (law 1).
pub(crate) fn harmless(outcome: &ProgramOutput) {
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    assert!(outcome.stdout.is_empty() || is_answer(&outcome.stdout), "{outcome:?}");
    assert!(outcome.stderr.lines().count() <= 1, "{outcome:?}");
}

/// Whether a text is an answer a host takes as one: it tells something, and decides nothing.
fn is_answer(text: &str) -> bool {
    let is_compaction = text.starts_with("--- backstory ") && text.contains("\n--- end of backstory ");
    let answer: Result<Value, _> = serde_json::from_str(text);
    let tells = |answer: &Value| {
        let fields = answer.as_object().into_iter().flatten();
        fields.clone().count() > 0
            && fields.clone().all(|(name, _)| name == "hookSpecificOutput" || name == "systemMessage")
    };
    is_compaction || answer.is_ok_and(|answer| tells(&answer))
}

/// Returns what the agent is given by an answer, with the name of its fence made steady.
pub(crate) fn given(outcome: &ProgramOutput) -> String {
    harmless(outcome);
    // What is only for the user is given to nobody else.
    let text = match serde_json::from_str::<Value>(&outcome.stdout) {
        Ok(answer) => {
            answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned()
        }
        Err(_) => outcome.stdout.clone(),
    };
    let mark = ["<backstory-", "--- backstory "].iter().find_map(|mark| text.strip_prefix(mark));
    match mark.and_then(|rest| rest.get(..8)) {
        Some(nonce) => text.replace(nonce, "[NONCE]"),
        None => text,
    }
}

/// Plays one payload through the hook, which must do no harm.
pub(crate) fn hear(env: &TestEnv, payload: impl AsRef<[u8]>) {
    harmless(&hook(env, payload));
}

/// Plays payloads through as many hooks at once, which must do no harm, and returns how long each of them took.
pub(crate) fn hear_at_once(env: &TestEnv, payloads: &[String]) -> Times {
    let mut times = Times::default();
    std::thread::scope(|scope| {
        let heard = |payload| {
            let begun = Instant::now();
            hear(env, payload);
            begun.elapsed()
        };
        let hooks: Vec<_> = payloads.iter().map(|payload| scope.spawn(move || heard(payload))).collect();
        hooks.into_iter().for_each(|hook| times.add(hook.join().expect("a hook that does no harm")));
    });
    times
}

/// Returns so many payloads of prompts in one session.
pub(crate) fn prompts(session: &str, numbers: std::ops::Range<usize>) -> Vec<String> {
    numbers.map(|number| prompt(session, &format!("prompt {number}"))).collect()
}

/// Returns a payload of a prompt in a session.
pub(crate) fn prompt(session: &str, text: &str) -> String {
    json!({"session_id": session, "hook_event_name": "UserPromptSubmit", "prompt_id": text, "prompt": text})
        .to_string()
}

/// Returns one number of `status`.
pub(crate) fn count(env: &TestEnv, what: &str) -> u64 {
    let status = ask(env, 0, &["status", "--json"]);
    status.get(what).and_then(Value::as_u64).unwrap_or_else(|| panic!("`{what}` in {status}"))
}

/// Opens the database behind the binary's back.
pub(crate) fn database(env: &TestEnv) -> Connection {
    Connection::open(env.home().join("backstory.db")).expect("the database")
}

/// Keeps everyone from writing the database until the returned connection is dropped.
pub(crate) fn lock(env: &TestEnv) -> Connection {
    let holder = database(env);
    holder.execute_batch("BEGIN EXCLUSIVE").expect("the lock");
    holder
}

/// Runs a command in a folder of the world, making it if need be.
pub(crate) fn run_in(env: &TestEnv, folder: &str, arguments: &[&str]) -> ProgramOutput {
    let folder = env.world().join(folder);
    std::fs::create_dir_all(&folder).expect("a folder in the world");
    env.finish(env.command(arguments).current_dir(folder).spawn().expect("the binary under test"))
}

/// Writes a line of memories for `import`, and returns the file.
pub(crate) fn lines(env: &TestEnv, lines: &[Value]) -> String {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    file(env, "memories.jsonl", text)
}

/// Writes a file into the project folder, and returns its path.
pub(crate) fn file(env: &TestEnv, name: &str, bytes: impl AsRef<[u8]>) -> String {
    let path = env.project().join(name);
    std::fs::write(&path, bytes).expect("a file in the project");
    path.to_string_lossy().into_owned()
}

/// A worker of a world. It is killed when the test is done with it, however that ends.
pub(crate) struct Worker {
    child: Child,
    world: String,
    /// How it is reached, as it wrote it down.
    pub(crate) note: Value,
}

impl Worker {
    /// Starts a worker and waits until it answers.
    pub(crate) fn start(env: &TestEnv, flags: &[&str]) -> Worker {
        let mut command = env.command([&["serve"], flags].concat());
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the worker");
        Worker::of(env, child)
    }

    /// Takes charge of a worker that was started, and waits until it answers.
    pub(crate) fn of(env: &TestEnv, child: Child) -> Worker {
        let world = env.world().to_string_lossy().into_owned();
        let mut worker = Worker { child, world, note: Value::Null };
        let is_there = until(|| {
            worker.note = note(env);
            worker.note["pid"] == worker.child.id() && worker.asks("GET", "/api/health", "").0 == 200
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

    /// Asks over the socket, and returns the status and the body.
    pub(crate) fn asks(&self, method: &str, path: &str, body: &str) -> (u16, String) {
        let socket = self.note["socket"].as_str().unwrap_or_default();
        let asked = backstory_server::ask(Path::new(socket), method, path, body, Duration::from_secs(30));
        asked.map_or((0, String::new()), |(status, body)| {
            (status, String::from_utf8_lossy(&body).into_owned())
        })
    }

    /// Asks what must be answered, and returns the answer, with temporary paths made steady.
    pub(crate) fn get(&self, path: &str) -> Value {
        let (status, body) = self.asks("GET", path, "");
        assert_eq!(status, 200, "{path}: {body}");
        let body = body.replace(&self.world, "[WORLD]");
        serde_json::from_str(&body).unwrap_or_else(|error| panic!("{path}: {error} in {body}"))
    }

    /// Sends a change, and returns the status and the answer.
    pub(crate) fn send(&self, method: &str, path: &str, body: &Value) -> (u16, Value) {
        let (status, answer) = self.asks(method, path, &body.to_string());
        (status, serde_json::from_str(&answer).unwrap_or_else(|error| panic!("{path}: {error} in {answer}")))
    }

    /// Ends it at once, without a word.
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

/// Returns what the worker of a world wrote down, if one did.
pub(crate) fn note(env: &TestEnv) -> Value {
    let text = std::fs::read_to_string(env.home().join("worker.json")).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

/// Waits until something holds, for as long as a test may take.
pub(crate) fn until(mut holds: impl FnMut() -> bool) -> bool {
    let patience = Instant::now() + Duration::from_secs(30);
    while Instant::now() < patience {
        if holds() {
            return true;
        }
        std::thread::park_timeout(Duration::from_millis(5));
    }
    false
}
