//! How fast what is already on a machine is taken in: `cargo bench -p backstory-cli --bench import -- 200` (megabytes).
//!
//! Made-up transcripts of Claude Code in five projects, as long as real ones: the real binary reads them, and is asked what memory
//! it took at most. Then once more, when nothing is new. Beside it, memories that another Backstory exported.

#![expect(clippy::print_stdout, reason = "a bench prints its numbers")]

use backstory_testkit::{Corpus, TestEnv, Transcripts, format_figure, peak_mb, record_figure, sizes};
use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Half of what a transcript holds is files that were read; a session has some dozens of turns.
const TURNS: usize = 40;
const FILE_BYTES: usize = 12_000;
const PROJECTS: u64 = 5;
const MEMORIES: usize = 50_000;

fn main() {
    sizes(&[200]).into_iter().for_each(measure);
    let rate = MEMORIES as f64 / import_memories().as_secs_f64();
    println!("{MEMORIES} memories of a file: {rate:.0} a second");
    record_figure("import, memories a second", 0, rate);
}

fn measure(megabytes: usize) {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_backstory"));
    let (sessions, bytes) = record(&env, megabytes as u64 * 1_000_000);
    println!("{sessions} sessions, {:.1} MB", bytes as f64 / 1e6);
    let (took, peak) = import(&env);
    let size = fs::metadata(env.home().join("backstory.db")).expect("a store").len();
    println!(
        "taken in    {:.1} s, {:.1} MB/s, at most {} of memory; the store is {:.1} MB",
        took.as_secs_f64(),
        bytes as f64 / 1e6 / took.as_secs_f64(),
        format_figure(peak, "MB"),
        size as f64 / 1e6
    );
    record_figure("import, MB/s of transcripts", 0, bytes as f64 / 1e6 / took.as_secs_f64());
    let (again, _) = import(&env);
    println!("once more   {:.2} s, nothing new", again.as_secs_f64());
}

/// Imports what another store exported, and returns how long it took.
fn import_memories() -> Duration {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_backstory"));
    let mut corpus = Corpus::new(1);
    let lines: Vec<String> = (0..MEMORIES).map(|_| corpus.memory().line("bench")).collect();
    let begun = Instant::now();
    let outcome = env.run_with(["import", "--no-vectors", "-"], lines.join("\n"));
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    begun.elapsed()
}

fn record(env: &TestEnv, wanted: u64) -> (usize, u64) {
    let (mut sessions, mut bytes) = (0, 0);
    for project in 0..PROJECTS {
        let cwd = env.world().join(format!("project-{project}"));
        let folder = env.world().join(format!("user/.claude/projects/-project-{project}"));
        fs::create_dir_all(&cwd).expect("a folder");
        fs::create_dir_all(&folder).expect("a folder");
        let mut made_up = Transcripts::new(project, cwd.to_string_lossy());
        while bytes < wanted * (project + 1) / PROJECTS {
            let made = made_up.session(TURNS, FILE_BYTES);
            // Sessions of two projects must not be one.
            let text = made.text.replace("00000000-0000-4", &format!("0000000{project}-0000-4"));
            let text = text.replace("\"uuid\":\"", &format!("\"uuid\":\"{project}"));
            fs::write(folder.join(format!("{project}-{}.jsonl", made.session)), &text).expect("a file");
            sessions += 1;
            bytes += text.len() as u64;
        }
    }
    (sessions, bytes)
}

/// Imports, and returns how long it took and how many megabytes of memory it used at most.
fn import(env: &TestEnv) -> (Duration, Option<f64>) {
    let begun = Instant::now();
    let mut child = env
        .command(["import", "--all", "--no-vectors"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary");
    let mut peak = None;
    while child.try_wait().expect("a child").is_none() {
        // The most it had is known as long as it lives.
        peak = peak_mb(child.id()).or(peak);
        std::thread::park_timeout(Duration::from_millis(10));
    }
    (begun.elapsed(), peak)
}
