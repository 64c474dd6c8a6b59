//! What a worker answers, and what it costs: `cargo bench -p backstory-cli --bench worker -- 10000 100000`.
//!
//! Search over the socket; 20,000 mixed requests with 50 in flight, none of which may fail, and the memory before and after them;
//! the time the process itself uses while nobody asks; and what a hook would gain by asking a worker, beside the hook as it is.

#![expect(clippy::print_stdout, reason = "a bench prints its numbers")]

#[path = "parts/filled.rs"]
mod filled;

use backstory_testkit::{Corpus, TestEnv, Times, format_figure, record_figure, resident_mb, sizes, ticks};
use filled::filled;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const REQUESTS: usize = 20_000;
const IN_FLIGHT: usize = 50;
const PATIENCE: Duration = Duration::from_secs(30);

fn main() {
    sizes(&[10_000, 100_000]).into_iter().for_each(measure);
}

fn measure(memories: usize) {
    let env = filled(memories);
    let begun = Instant::now();
    let mut child =
        env.command(["serve"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a worker");
    let socket = socket_of(&env, child.id());
    println!(
        "{memories} memories; a worker answers {:.0} ms after it was started",
        begun.elapsed().as_secs_f64() * 1e3
    );
    let mut asking = Corpus::new(2);
    let questions: Vec<String> = (0..200).map(|_| asking.question().replace(' ', "+")).collect();
    let search = |question: &String| format!("/api/search?q={}", safe(question));
    let p50 = print_requests("search over the socket", &socket, questions.iter().map(search));
    record_figure("search over the socket, p50", memories, p50);
    print_requests("a page of memories", &socket, (0..200).map(|_| "/api/memories?limit=50".to_owned()));
    print_requests("health (the hop alone)", &socket, (0..200).map(|_| "/api/health".to_owned()));
    record_figure("worker, failed of 40,000", memories, many(&child, &socket, &questions) as f64);
    record_figure("worker, resident", memories, resident_mb(child.id()));
    record_figure("worker, idle", memories, idle(&child));
    beside_hooks(&env, &socket);
    drop(backstory_server::ask(&socket, "POST", "/api/worker/stop", "{}", PATIENCE));
    drop(child.wait());
}

fn socket_of(env: &TestEnv, pid: u32) -> PathBuf {
    loop {
        let note = std::fs::read(env.home().join("worker.json")).unwrap_or_default();
        let note: Value = serde_json::from_slice(&note).unwrap_or_default();
        if let Some(socket) = note.get("socket").and_then(Value::as_str)
            && note.get("pid").and_then(Value::as_u64) == Some(pid.into())
            && get(Path::new(socket), "/api/health")
        {
            return socket.into();
        }
        std::thread::park_timeout(Duration::from_millis(1));
    }
}

fn safe(question: &str) -> String {
    question.chars().filter(|letter| letter.is_ascii_alphanumeric() || *letter == '+').collect()
}

fn get(socket: &Path, path: &str) -> bool {
    backstory_server::ask(socket, "GET", path, "", PATIENCE).is_ok_and(|(status, _)| status == 200)
}

/// Prints how long requests take, one after the other, and returns the median in milliseconds.
fn print_requests(name: &str, socket: &Path, paths: impl Iterator<Item = String>) -> f64 {
    let mut took = Times::default();
    for path in paths {
        assert!(took.measure(|| get(socket, &path)), "{path}");
    }
    print(name, &took)
}

fn print(name: &str, took: &Times) -> f64 {
    println!("{name:<32} p50 {:>7.2} ms  p95 {:>7.2} ms", took.ms(50), took.ms(95));
    took.ms(50)
}

/// Sends many mixed requests at once, twice: what is kept once may be a cache, what grows again is a leak. Returns how many failed.
fn many(worker: &Child, socket: &Path, questions: &[String]) -> usize {
    let resident = || format_figure(resident_mb(worker.id()), "MB");
    let (before, mut all_failed) = (resident(), 0);
    for round in 1..=2 {
        let (next, failed) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let begun = Instant::now();
        std::thread::scope(|scope| {
            for _ in 0..IN_FLIGHT {
                scope.spawn(|| {
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= REQUESTS {
                            return;
                        }
                        if !get(socket, &mixed(number, questions)) {
                            failed.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                });
            }
        });
        let (seconds, failed) = (begun.elapsed().as_secs_f64(), failed.into_inner());
        all_failed += failed;
        println!(
            "round {round}: {REQUESTS} mixed, {IN_FLIGHT} in flight: {failed} failed, {:.0} a second; resident {before} before, {} after",
            REQUESTS as f64 / seconds,
            resident()
        );
    }
    all_failed
}

fn mixed(number: usize, questions: &[String]) -> String {
    let question = questions.get(number % questions.len()).map_or("", String::as_str);
    match number % 10 {
        0 => format!("/api/search?q={}&limit=10", safe(question)),
        1 | 2 => "/api/memories?limit=50".to_owned(),
        3 | 4 => format!("/api/memories/{}", number % 900 + 1),
        5 => "/api/sessions".to_owned(),
        6 => "/api/injections".to_owned(),
        7 => format!("/api/timeline?id={}", number % 900 + 1),
        8 => "/api/hooks".to_owned(),
        _ => "/api/health".to_owned(),
    }
}

/// Prints how much processor time a worker uses while nobody asks, in ticks of the system.
fn idle(worker: &Child) -> Option<f64> {
    std::thread::park_timeout(Duration::from_secs(12));
    let before = ticks(worker.id());
    std::thread::park_timeout(Duration::from_secs(5));
    let used = ticks(worker.id()).zip(before).map(|(after, before)| (after - before) as f64);
    println!("processor time in 5 idle seconds: {}", format_figure(used, "ticks"));
    used
}

/// Prints what a prompt's hook costs as it is, and the least it would cost if it asked the worker: an empty process and one request.
fn beside_hooks(env: &TestEnv, socket: &Path) {
    let project = env.project().display().to_string();
    let (mut direct, mut empty, mut over_socket) = (Times::default(), Times::default(), Times::default());
    for run in 0..200 {
        let payload = serde_json::json!({"session_id": format!("s{run}"), "hook_event_name": "SessionStart", "source": "startup", "cwd": project});
        drop(direct.measure(|| env.run_with(["hook", "--host", "claude-code"], payload.to_string())));
        drop(empty.measure(|| env.run(["--version"])));
        assert!(over_socket.measure(|| get(socket, &format!("/api/context?project_path={project}"))));
    }
    print("hook at session start, direct", &direct);
    print("an empty process", &empty);
    print("the same block from the worker", &over_socket);
}
