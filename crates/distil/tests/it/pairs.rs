//! Failures and what fixed them, over the steps of a turn.

use crate::cases::{Case, Entry, assert_none, cases};
use backstory_distil::{
    CommandRun, FailureFix, FailureStep, FixAttempt, OpenFailure, PairedFailures, pair, should_promote,
};
use backstory_memory::ExitStatus::{Failure, Success};

fn wrong(case: &Case) -> Vec<String> {
    let outputs: Vec<(&Entry, String)> = case.entries.iter().map(|entry| (entry, entry.block('|'))).collect();
    let runs: Vec<(&Entry, CommandRun<'_>)> = outputs
        .iter()
        .map(|(entry, output)| {
            let status = if entry.key == "fails" { Failure } else { Success };
            (*entry, CommandRun::new(&entry.value, output, status))
        })
        .collect();
    let steps = runs.iter().filter_map(|(entry, ran)| match entry.key.as_str() {
        "edits" => Some(FailureStep::Edit { file: &entry.value }),
        "fails" | "passes" => Some(FailureStep::Command(ran)),
        _ => None,
    });
    let steps: Vec<FailureStep<'_>> = steps.collect();
    let PairedFailures { fixed, open } = pair(&steps);
    let fixed: Vec<String> = fixed.iter().map(describe_fix).collect();
    let open: Vec<String> = open.iter().map(describe_open).collect();
    [case.differs("fixed", &fixed), case.differs("open", &open)].into_iter().flatten().collect()
}

fn describe_fix(fix: &FailureFix) -> String {
    let FailureFix { signature, times, tried, by, failed_at, fixed_at, .. } = fix;
    let (by, tried, times) = (attempts(by), attempts(tried), count(*times));
    let title = &signature.title;
    format!("{title} | {times}, last at step {failed_at}, fixed at {fixed_at} | by {by} | tried {tried}")
}

fn describe_open(open: &OpenFailure) -> String {
    let OpenFailure { signature, times, tried, failed_at, .. } = open;
    format!("{} | {}, last at step {failed_at} | tried {}", signature.title, count(*times), attempts(tried))
}

fn count(times: u32) -> String {
    format!("{times} {}", if times == 1 { "time" } else { "times" })
}

fn attempts(attempts: &[FixAttempt]) -> String {
    let words = attempts.iter().map(|attempt| match attempt {
        FixAttempt::Edit(file) => format!("edit {file}"),
        FixAttempt::Command(command) => format!("run {command}"),
    });
    let words: Vec<String> = words.collect();
    if words.is_empty() { "nothing".to_owned() } else { words.join(", ") }
}

#[test]
fn each_failure_is_paired_with_what_fixed_it() {
    let cases = cases("fixes.txt", &["fails", "passes", "edits", "fixed", "open"]);
    assert_none(&cases.iter().flat_map(wrong).collect::<Vec<_>>());
}

#[test]
fn a_status_hidden_by_a_pipe_is_not_believed() {
    let failed = |command, output| CommandRun::new(command, output, Success).failed();
    let missing = "error[E0412]: cannot find type `Foo` in this scope\n --> src/a.rs:3:12";
    assert!(failed("cargo build 2>&1 | tail -5", missing));
    assert!(failed("cargo test | tail", "test a ... FAILED\ntest result: FAILED. 0 passed; 1 failed;"));
    assert!(!failed("cargo test | tail", "test result: ok. 3 passed; 0 failed;"));
    assert!(!failed("cat build.log | tail", missing));
    assert!(!failed("cargo build", "warning: permission denied is a string here"));
}

#[test]
fn an_empty_turn_has_no_failures() {
    assert_eq!(pair(&[]), PairedFailures::default());
}

#[test]
fn the_third_time_makes_a_pattern() {
    assert_eq!([1, 2, 3, 9].map(should_promote), [false, false, true, true]);
}
