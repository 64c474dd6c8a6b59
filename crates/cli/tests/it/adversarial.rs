//! Texts made to be slow to redact, and how long it takes when they are not: S02, S17.

use crate::support::{Times, bar, run, size, world};
use backstory_testkit::{Corpus, TestEnv};
use std::io::Write;
use std::time::{Duration, Instant};

/// Redacts a text in a process that may use 64 MiB of memory, and returns what came out.
fn redacted(env: &TestEnv, text: &str) -> String {
    let mut child = run(env, ["redact"]).after("ulimit -d 65536").start_open();
    let mut pipe = child.stdin.take().unwrap();
    std::thread::scope(|scope| {
        scope.spawn(move || drop(pipe.write_all(text.as_bytes())));
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("what comes out is text")
    })
}

/// S17.
#[test]
fn ten_megabytes_of_adversarial_text_are_redacted_in_little_memory() {
    let env = world();
    let bytes = size(1 << 20, 10 << 20);
    let units = [
        "a=",
        "key=",
        "key\n",
        "password\n",
        " password:\n  Default:\n",
        "secrets{",
        "(password) VALUES ('a')",
        "{\"kty\":",
        "net use ",
        "password: \"",
        "<private>",
        "</private><private>",
        "&lt;private&gt;",
        "\\u003cprivate",
        "<",
        "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo0NTY3ODkw",
        "AKIA",
        "ghp_",
        "-----BEGIN PRIVATE KEY-----",
        "https://a:b@",
        "[REDACTED:",
        "eyJ.",
        "kind: Secret\ndata:\n",
        "é\u{200d}日",
    ];
    let mut times = Times::default();
    for unit in units {
        let text = unit.repeat(bytes / unit.len());
        let redacted = times.measure(|| redacted(&env, &text));
        assert!(redacted.len() <= text.len() * 8, "{unit}: {} bytes", redacted.len());
    }
    bar("S17", format_args!("{} kinds of {} MiB within 64 MiB of memory", units.len(), bytes >> 20));
    times.report("S17", "max");
}

fn timed<T>(run: impl FnOnce() -> T) -> (Duration, T) {
    let started = Instant::now();
    let result = run();
    (started.elapsed(), result)
}

/// S02.
#[test]
fn a_fresh_process_redacts_64_kib() {
    let env = world();
    let mut corpus = Corpus::new(2);
    let mut times = Times::default();
    let runs = size(3, 100);
    for _ in 0..runs {
        let text: String = std::iter::repeat_with(|| corpus.sentence() + "\n").take(900).collect();
        let text = &text[..text.len().min(64 << 10)];
        let (empty, _) = timed(|| env.run_with(["redact"], "").stdout);
        let (whole, redacted) = timed(|| env.run_with(["redact"], text).stdout);
        // What the process itself costs is no cost of the text.
        times.add(whole.saturating_sub(empty));
        assert_eq!(redacted.lines().count(), text.lines().count());
    }
    bar("S02", format_args!("{runs} fresh processes of 64 KiB"));
    times.report("S02", "64 KiB p50");
}
