//! What every test of the binary needs: a world, ways to run commands in it, and to look at what they print and leave.

mod hooks;
mod run;
mod store;
mod worker;

use backstory_testkit::{ProgramOutput, TestEnv};
pub(crate) use backstory_testkit::{Times, bar, size};
pub(crate) use hooks::{
    HOOK, event, harmless, hook, injected, payload, prompt, prompts, recorded, send, send_at_once, send_with,
    without_nonce,
};
pub(crate) use run::{Run, run};
use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::LazyLock;
use std::time::{Duration, Instant};
pub(crate) use store::{
    assert_absent, damage, database, execute, lock, log, query, query_all, set_schema, spooled,
};
pub(crate) use worker::{Worker, note};

/// The frozen clock of a world.
pub(crate) const NOW_MS: i64 = 1_777_636_800_000;

/// Returns the binary under test: the one cargo built for these tests, or the one `BACKSTORY_BIN` names.
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

/// Makes a world whose hooks may take their time: the test is about what they keep, on however busy a machine.
pub(crate) fn patient_world() -> TestEnv {
    world().with("BACKSTORY_DEADLINE_MS", "10000")
}

/// Renders a run for a snapshot: the exit code, then each stream.
pub(crate) fn rendered(outcome: &ProgramOutput) -> String {
    let stream = |name: &str, text: &str| match text.trim_end() {
        "" => String::new(),
        text => format!("--- {name}\n{text}\n"),
    };
    let code = outcome.code.map_or("killed".to_owned(), |code| code.to_string());
    format!("exit {code}\n{}{}", stream("out", &outcome.stdout), stream("err", &outcome.stderr))
}

/// Puts `[N]` in place of the number before each of these words, for what differs from run to run.
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
#[track_caller]
pub(crate) fn done(env: &TestEnv, arguments: &[&str]) {
    let outcome = env.run(arguments);
    assert_eq!(outcome.code, Some(0), "{arguments:?}: {outcome:?}");
}

/// Runs a command that must work in a folder of the world.
#[track_caller]
pub(crate) fn done_in(env: &TestEnv, folder: &str, arguments: &[&str]) {
    let outcome = run_in(env, folder, arguments);
    assert_eq!(outcome.code, Some(0), "{arguments:?}: {outcome:?}");
}

/// Runs a command that must end with `code` and these words on stderr.
#[track_caller]
pub(crate) fn exits(env: &TestEnv, code: i32, arguments: &[&str], words: &str) {
    assert_exit(&env.run(arguments), code, words);
}

/// Asserts that a run ended with `code` and these words on stderr.
#[track_caller]
pub(crate) fn assert_exit(outcome: &ProgramOutput, code: i32, words: &str) {
    assert_eq!(outcome.code, Some(code), "{outcome:?}");
    assert!(outcome.stderr.contains(words), "{words}: {outcome:?}");
}

/// Runs a command that must end with `code` and answer in JSON.
#[track_caller]
pub(crate) fn ask(env: &TestEnv, code: i32, arguments: &[&str]) -> Value {
    let outcome = env.run(arguments);
    assert_eq!(outcome.code, Some(code), "{arguments:?}: {outcome:?}");
    answer(&outcome)
}

/// Returns some fields of an object as a list, to be compared at once.
pub(crate) fn fields<const N: usize>(object: &Value, names: [&str; N]) -> Value {
    names.map(|name| object[name].clone()).to_vec().into()
}

/// Returns one field of each object in a list.
pub(crate) fn column(list: &Value, name: &str) -> Value {
    let list = list.as_array().unwrap_or_else(|| panic!("no list: {list}"));
    list.iter().map(|object| object[name].clone()).collect()
}

/// Returns the shape of a JSON value: its keys and the types of what they hold.
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

/// Returns a memory as `show` prints it.
#[track_caller]
pub(crate) fn shown(env: &TestEnv, id: &str) -> Value {
    ask(env, 0, &["show", id, "--json"])["memories"][0].take()
}

/// Returns the titles `search` finds, best first.
pub(crate) fn titles(env: &TestEnv, arguments: &[&str]) -> Vec<String> {
    let outcome = env.run([&["search", "--json"], arguments].concat());
    let answer = answer(&outcome);
    let hits = answer.get("hits").and_then(Value::as_array).expect("hits");
    assert_eq!(outcome.code, Some(i32::from(hits.is_empty())), "{outcome:?}");
    hits.iter().filter_map(|hit| Some(hit.get("title")?.as_str()?.to_owned())).collect()
}

/// Returns one number of `status`.
pub(crate) fn count(env: &TestEnv, what: &str) -> u64 {
    let status = ask(env, 0, &["status", "--json"]);
    status.get(what).and_then(Value::as_u64).unwrap_or_else(|| panic!("`{what}` in {status}"))
}

/// Runs a command in a folder of the world, making it if need be.
pub(crate) fn run_in(env: &TestEnv, folder: &str, arguments: &[&str]) -> ProgramOutput {
    let folder = env.world().join(folder);
    fs::create_dir_all(&folder).expect("a folder in the world");
    run(env, arguments).within(folder).output()
}

/// Writes memories for `import` as JSONL, and returns the file.
pub(crate) fn lines(env: &TestEnv, lines: &[Value]) -> String {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    file(env, "memories.jsonl", text)
}

/// Imports memories as the user's own.
#[track_caller]
pub(crate) fn import(env: &TestEnv, memories: &[Value]) {
    let text: String = memories.iter().map(|line| format!("{line}\n")).collect();
    let outcome = env.import(text);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
}

/// Writes a file into the project folder, and returns its path.
pub(crate) fn file(env: &TestEnv, name: &str, bytes: impl AsRef<[u8]>) -> String {
    let path = env.project().join(name);
    fs::write(&path, bytes).expect("a file in the project");
    path.to_string_lossy().into_owned()
}

/// Returns a path in the user's home.
pub(crate) fn at(env: &TestEnv, path: &str) -> PathBuf {
    env.world().join("user").join(path)
}

/// Writes a file in the user's home.
pub(crate) fn write(env: &TestEnv, path: &str, text: impl AsRef<[u8]>) {
    let path = at(env, path);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder in the home");
    fs::write(path, text).expect("a file in the home");
}

/// Reads a file in the user's home.
pub(crate) fn read(env: &TestEnv, path: &str) -> String {
    fs::read_to_string(at(env, path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Writes the user's configuration.
pub(crate) fn configure(env: &TestEnv, text: &str) {
    write(env, ".config/backstory/config.toml", text);
}

/// Runs git in the project folder.
pub(crate) fn try_git(env: &TestEnv, arguments: &[&str]) -> Output {
    let mut git = Command::new("git");
    git.args(["-c", "user.name=a", "-c", "user.email=a@b", "-C"]).arg(env.project()).args(arguments);
    git.env_clear().env("HOME", env.world()).env("PATH", "/usr/bin:/bin").output().expect("git")
}

/// Runs git in the project folder, which must work, and returns what it prints.
#[track_caller]
pub(crate) fn git(env: &TestEnv, arguments: &[&str]) -> String {
    let output = try_git(env, arguments);
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).expect("text")
}

/// Waits until a world has no process any more.
pub(crate) fn wait_for_processes(env: &TestEnv) {
    assert!(until(|| env.processes().is_empty()), "{:?}", env.processes());
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
