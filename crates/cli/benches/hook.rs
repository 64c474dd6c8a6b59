//! What a hook costs as a whole process, beside an empty run of the same binary: `cargo bench -p backstory-cli -- 10000 100000`.
//!
//! The rows of `cargo xtask bench`: median, 99th percentile and the ratio to an empty process, all taken in turns, so that what else the
//! machine does weighs on all alike. Prompts are answered by words and meaning. The vectors are made up, one for each memory: a
//! scan looks at each whatever it says; the question is really read by the model. A turn is distilled with three files of 12 KB
//! edited, a test that failed and passed, and a message that says so; its end is timed with the vectors of what was distilled, and
//! without. A prompt follows the end of a turn, as it does for people.

#![expect(clippy::print_stdout, reason = "a bench prints its numbers")]

#[path = "parts/filled.rs"]
mod filled;

use backstory_testkit::{Corpus, TestEnv, Times, record_figure, sizes};
use filled::filled;
use std::io::Write;
use std::process::Stdio;

const RUNS: usize = 200;

fn main() {
    println!("{:<26} {:>9}  {:>8}  {:>8}  {:>7}", "whole process", "memories", "p50", "p99", "ratio");
    sizes(&[0, 10_000, 100_000]).into_iter().for_each(measure);
}

fn measure(memories: usize) {
    let env = filled(memories);
    let mut asking = Corpus::new(2);
    let mut took: [Times; 5] = Default::default();
    for run in 0..RUNS {
        let [empty, capture, start, prompt, ending] = &mut took;
        play_turn(&env, run);
        empty.measure(|| drop(env.command(["--version"]).stdout(Stdio::null()).status()));
        capture.measure(|| run_hook(&env, &tool_used(&env, run)));
        ending.measure(|| run_hook(&env, &ended(&env, run)));
        // Vectors are made beside the hook; the next figure is not about sharing a core with that.
        env.wait_for_background();
        start.measure(|| run_hook(&env, &begins(&env, run)));
        prompt.measure(|| run_hook(&env, &prompted(&env, run, &asking.question())));
    }
    let names = ["an empty process", "capture", "session start", "prompt", "end of a turn"];
    let [empty, ..] = &took;
    let base = empty.ms(50);
    for (name, took) in names.into_iter().zip(&took) {
        let (p50, p99) = (took.ms(50), took.ms(99));
        record_figure(&format!("{name}, p50"), memories, p50);
        record_figure(&format!("{name}, p99"), memories, p99);
        record_figure(&format!("{name}, times an empty process"), memories, p50 / base);
        println!("{name:<26} {memories:>9}  {p50:>5.1} ms  {p99:>5.1} ms  {:>6.1}x", p50 / base);
    }
}

fn tool_used(env: &TestEnv, run: usize) -> String {
    let output = "test result: ok. ".repeat(100);
    said(
        env,
        0,
        &format!(
            r#""hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{{"command":"cargo test"}},"tool_response":{{"stdout":"{output}"}},"tool_use_id":"t{run}""#
        ),
    )
}

/// Each is a session of its own, so that each is given something.
fn begins(env: &TestEnv, run: usize) -> String {
    said(env, 1_000_000 + run, r#""hook_event_name":"SessionStart","source":"startup""#)
}

fn prompted(env: &TestEnv, run: usize, question: &str) -> String {
    let prompt = format!(r#""hook_event_name":"UserPromptSubmit","prompt":"{question}""#);
    said(env, 2_000_000 + run, &prompt)
}

fn ended(env: &TestEnv, turn: usize) -> String {
    let message = format!(
        "I've fixed the rounding in step {turn}.\\n\\nThe root cause was integer division. We decided to round up in module {turn}, because totals were short."
    );
    said(env, turn, &format!(r#""hook_event_name":"Stop","last_assistant_message":"{message}""#))
}

/// Plays what comes before the end of a turn. Each turn is a session of its own, as the first of a long day.
fn play_turn(env: &TestEnv, turn: usize) {
    let prompt =
        format!(r#""hook_event_name":"UserPromptSubmit","prompt":"Fix the rounding in step {turn}""#);
    run_hook(env, &said(env, turn, &prompt));
    let ran = |event: &str, output: &str, number: usize| {
        said(
            env,
            turn,
            &format!(
                r#""hook_event_name":"{event}","tool_name":"Bash","tool_input":{{"command":"cargo test"}},"tool_response":{{"stdout":"{output}"}},"error":"Exit code 101\\n{output}","tool_use_id":"r{turn}-{number}""#
            ),
        )
    };
    run_hook(
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
        run_hook(env, &said(env, turn, &edit));
    }
    run_hook(
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

fn run_hook(env: &TestEnv, payload: &str) {
    let mut command = env.command(["hook", "--host", "claude-code"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("a hook");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(payload.as_bytes()).expect("a payload delivered");
    drop(input);
    child.wait().expect("the end of the hook");
}
