//! What Backstory takes up: `cargo bench -p backstory-cli --bench footprint -- 10000`.
//!
//! The binary, a memory on the disk beside its own text, a server for MCP while it is asked, and how soon a hook's memory can be found.

#![expect(clippy::print_stdout, reason = "a bench prints its numbers")]

#[path = "parts/filled.rs"]
mod filled;

use backstory_testkit::{Corpus, TestEnv, Times, format_figure, peak_mb, record_figure, sizes};
use filled::filled;
use serde_json::json;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

const SEARCHES: usize = 50;

fn main() {
    let binary = fs::metadata(env!("CARGO_BIN_EXE_backstory")).expect("the binary").len() as f64 / 1e6;
    println!("the binary: {binary:.1} MB");
    record_figure("binary, MB", 0, binary);
    sizes(&[10_000]).into_iter().for_each(measure);
}

fn measure(memories: usize) {
    let env = filled(memories);
    let (text, disk) = (text_bytes(memories), disk_bytes(&env));
    let ratio = disk / text;
    println!(
        "{memories} memories: {:.0} bytes of text each, {:.0} on the disk, {ratio:.2} times",
        text / memories as f64,
        disk / memories as f64
    );
    record_figure("bytes a memory on the disk", memories, disk / memories as f64);
    record_figure("disk, times the text", memories, ratio);
    let peak = mcp_peak(&env);
    println!("a server for MCP, {SEARCHES} searches: at most {}", format_figure(peak, "MB"));
    record_figure("mcp, peak MB", memories, peak);
    let lag = lag(&env);
    println!("from the start of `remember` to a search that found it: {lag:.1} ms");
    record_figure("write to readable, p50", memories, lag);
}

/// Returns how long the texts are that memories were made of.
fn text_bytes(memories: usize) -> f64 {
    let mut corpus = Corpus::new(1);
    let texts =
        (0..memories).map(|_| corpus.memory()).map(|made_up| made_up.title.len() + made_up.body.len());
    texts.sum::<usize>() as f64
}

fn disk_bytes(env: &TestEnv) -> f64 {
    let sizes = env.files().into_iter().filter_map(|file| fs::metadata(file).ok()).map(|file| file.len());
    sizes.sum::<u64>() as f64
}

/// Asks a server for MCP as a host would, and returns the most memory it took, in megabytes.
fn mcp_peak(env: &TestEnv) -> Option<f64> {
    let mut server =
        env.command(["mcp"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a server");
    let (mut said, answered) =
        (server.stdin.take().expect("a pipe"), BufReader::new(server.stdout.take().expect("a pipe")));
    let mut answers = answered.lines();
    let mut corpus = Corpus::new(2);
    for id in 0..SEARCHES {
        let arguments = json!({"query": corpus.question()});
        let request = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "search", "arguments": arguments}});
        writeln!(said, "{request}").expect("a question asked");
        answers.next().expect("an answer").expect("a line");
    }
    let peak = peak_mb(server.id());
    drop(said);
    drop(server.wait());
    peak
}

/// Returns how long it takes until what one process wrote is found by another, both from their start; the median, in milliseconds.
fn lag(env: &TestEnv) -> f64 {
    let mut took = Times::default();
    for number in 0..SEARCHES {
        let word = format!("zeppelin{number}");
        let found = took.measure(|| {
            drop(env.run(["remember", &format!("The {word} lands at noon")]));
            env.run(["search", "--compact", &word])
        });
        assert!(found.stdout.contains(&word), "{found:?}");
    }
    took.ms(50)
}
