//! What a hook costs as a whole process, beside an empty run of the same binary: `cargo bench -p backstory-cli`.
//!
//! DESIGN §11: at most three times an empty process, and nearly flat as the store grows; a turn is distilled within 25 ms, here with
//! the process around it: three files of 12 KB edited, a test that failed and passed, a message that says so.

use backstory_testkit::{Corpus, TestEnv};
use divan::Bencher;
use std::cell::Cell;
use std::io::Write;
use std::process::Stdio;

fn main() {
    divan::main();
}

#[divan::bench(sample_count = 200, sample_size = 1)]
fn empty_process(bencher: Bencher<'_, '_>) {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_backstory"));
    bencher.bench_local(|| env.command(["--version"]).stdout(Stdio::null()).status().expect("a run"));
}

#[divan::bench(args = [0, 10_000, 100_000], sample_count = 200, sample_size = 1)]
fn capture_hook(bencher: Bencher<'_, '_>, memories: usize) {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_backstory"));
    fill(&env, memories);
    let number = Cell::new(0);
    bencher.bench_local(|| {
        number.set(number.get() + 1);
        let payload = format!(
            r#"{{"session_id":"bench","cwd":"{}","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{{"command":"cargo test"}},"tool_response":{{"stdout":"{}"}},"tool_use_id":"t{}"}}"#,
            env.project().display(),
            "test result: ok. ".repeat(100),
            number.get()
        );
        hear(&env, &payload)
    });
}

#[divan::bench(args = [0, 10_000, 100_000], sample_count = 200, sample_size = 1)]
fn session_start_hook(bencher: Bencher<'_, '_>, memories: usize) {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_backstory"));
    fill(&env, memories);
    let number = Cell::new(0);
    bencher.bench_local(|| {
        number.set(number.get() + 1);
        hear(&env, &said(&env, number.get(), r#""hook_event_name":"SessionStart","source":"startup""#))
    });
}

#[divan::bench(args = [0, 10_000, 100_000], sample_count = 200, sample_size = 1)]
fn prompt_hook_by_words(bencher: Bencher<'_, '_>, memories: usize) {
    prompt_hook(bencher, &TestEnv::new(env!("CARGO_BIN_EXE_backstory")), memories);
}

/// Making the vectors takes a while; they are made once.
#[divan::bench(args = [10_000], sample_count = 200, sample_size = 1)]
fn prompt_hook_by_words_and_meaning(bencher: Bencher<'_, '_>, memories: usize) {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_backstory")).with("BACKSTORY_RECALL_VECTORS", "true");
    prompt_hook(bencher, &env, memories);
}

/// Each prompt is the first of a session, so that each is given something.
fn prompt_hook(bencher: Bencher<'_, '_>, env: &TestEnv, memories: usize) {
    fill(env, memories);
    let number = Cell::new(0);
    let mut asking = Corpus::new(2);
    let ask = || {
        number.set(number.get() + 1);
        let question = asking.question();
        said(env, number.get(), &format!(r#""hook_event_name":"UserPromptSubmit","prompt":"{question}""#))
    };
    bencher.with_inputs(ask).bench_local_values(|prompt| hear(env, &prompt));
}

#[divan::bench(args = [0, 10_000, 100_000], sample_count = 100, sample_size = 1)]
fn distil_a_turn(bencher: Bencher<'_, '_>, memories: usize) {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_backstory"));
    fill(&env, memories);
    let number = Cell::new(0);
    let turn = || {
        number.set(number.get() + 1);
        play_turn(&env, number.get());
        number.get()
    };
    bencher.with_inputs(turn).bench_local_values(|turn| {
        let message = format!("I've fixed the rounding in step {turn}.\\n\\nThe root cause was integer division. We decided to round up in module {turn}, because totals were short.");
        hear(&env, &said(&env, turn, &format!(r#""hook_event_name":"Stop","last_assistant_message":"{message}""#)))
    });
}

/// Plays what comes before the end of a turn. Each turn is a session of its own, as the first of a long day.
fn play_turn(env: &TestEnv, turn: usize) {
    let prompt =
        format!(r#""hook_event_name":"UserPromptSubmit","prompt":"Fix the rounding in step {turn}""#);
    hear(env, &said(env, turn, &prompt));
    let ran = |event: &str, output: &str, number: usize| {
        said(
            env,
            turn,
            &format!(
                r#""hook_event_name":"{event}","tool_name":"Bash","tool_input":{{"command":"cargo test"}},"tool_response":{{"stdout":"{output}"}},"error":"Exit code 101\\n{output}","tool_use_id":"r{turn}-{number}""#
            ),
        )
    };
    hear(
        env,
        &ran(
            "PostToolUseFailure",
            &format!(
                "test rounds{turn} ... FAILED\\nthread 'rounds{turn}' panicked: assertion `left == right` failed\\nfailures:\\n    rounds{turn}\\ntest result: FAILED. 3 passed; 1 failed"
            ),
            0,
        ),
    );
    for file in 0..3 {
        let path = env.project().join(format!("module{file}.rs"));
        let functions: Vec<String> = (0..150)
            .map(|number| {
                // Two functions of each file are edited.
                let added = if number == 3 || number == 70 { turn } else { number };
                format!("/// Adds.\npub fn add{number}(a: u32) -> u32 {{\n    a + {added}\n}}\n")
            })
            .collect();
        std::fs::write(&path, functions.concat()).expect("a source file");
        let edit = format!(
            r#""hook_event_name":"PostToolUse","tool_name":"Edit","tool_input":{{"file_path":"{}","old_string":"a + 1","new_string":"a + 2"}},"tool_response":{{}},"tool_use_id":"e{turn}-{file}""#,
            path.display()
        );
        hear(env, &said(env, turn, &edit));
    }
    hear(
        env,
        &ran("PostToolUse", &format!("test rounds{turn} ... ok\\ntest result: ok. 4 passed; 0 failed"), 1),
    );
}

fn said(env: &TestEnv, turn: usize, fields: &str) -> String {
    format!(
        r#"{{"session_id":"s{turn}","cwd":"{}","prompt_id":"p{turn}",{fields}}}"#,
        env.project().display()
    )
}

fn hear(env: &TestEnv, payload: &str) -> std::process::ExitStatus {
    let mut command = env.command(["hook", "--host", "claude-code"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("a hook");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(payload.as_bytes()).expect("a payload delivered");
    drop(input);
    child.wait().expect("the end of the hook")
}

fn fill(env: &TestEnv, memories: usize) {
    // The memories are of the project the hooks run in.
    std::fs::write(env.project().join(".backstory.toml"), "project = \"bench\"\n").expect("a project file");
    let mut corpus = Corpus::new(1);
    let lines: Vec<String> = (0..memories).map(|_| corpus.memory().line("bench")).collect();
    let outcome = env.run_with(["import", "-"], lines.join("\n"));
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
}
