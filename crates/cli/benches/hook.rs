//! What a hook costs as a whole process, beside an empty run of the same binary: `cargo bench -p backstory-cli`.
//!
//! DESIGN §11: at most three times an empty process, and nearly flat as the store grows.

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
        let mut child = env.command(["hook", "--host", "claude-code"]).stdin(Stdio::piped()).spawn().expect("a hook");
        let mut input = child.stdin.take().expect("a pipe");
        input.write_all(payload.as_bytes()).expect("a payload delivered");
        drop(input);
        child.wait().expect("the end of the hook")
    });
}

fn fill(env: &TestEnv, memories: usize) {
    let mut corpus = Corpus::new(1);
    let lines: Vec<String> = (0..memories).map(|_| corpus.memory().line("bench")).collect();
    let outcome = env.run_with(["import", "-"], lines.join("\n"));
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
}
