//! Whether a later run shows that what failed once works now: the same command with the same arguments, or the same test, passes.
//!
//! A run that does less than the one that failed shows nothing. Not here: which failures are open (`closed_failures`).

use super::CommandRun;
use super::command::CommandTask;
use crate::testruns::{TestOutcome, TestRun};
use backstory_memory::{ExitStatus, FailureDetails, first_chars};

/// How much of a command a failure's memory keeps.
pub(crate) const MOST_COMMAND_CHARS: usize = 200;

/// Whether a run shows that a failure is over.
pub(crate) fn clears(ran: &CommandRun<'_>, failure: &FailureDetails) -> bool {
    let failed = CommandRun::new(&failure.command, "", ExitStatus::Unknown);
    // Both are compared as far as the memory keeps a command.
    let shortened = CommandRun::new(first_chars(ran.command.trim(), MOST_COMMAND_CHARS), "", ran.status);
    let Some(before) = failed.line().main().filter(|task| !task.is_bystander) else { return false };
    let Some(now) = shortened.tasks().iter().find(|task| task.name == before.name) else { return false };
    let is_in_place = now.folder.is_none() || now.folder == before.folder;
    is_in_place
        && match ran.test_run() {
            Some(run) => run_clears(run, (now, before), &failure.tests),
            None => !ran.failed() && !ran.line().status_is_masked && now.selection == before.selection,
        }
}

fn run_clears(run: &TestRun, (now, before): (&CommandTask, &CommandTask), tests: &[String]) -> bool {
    // Fewer arguments select more tests.
    let is_whole = now.selection.iter().all(|word| before.selection.contains(word));
    let is_named = |test: &String| now.selection.iter().any(|word| names_test(word, test));
    let names_all = !tests.is_empty() && tests.iter().all(is_named);
    match run.outcome {
        TestOutcome::Green => run.passed != Some(0) && (is_whole || names_all),
        // Others fail now, and are named.
        TestOutcome::Red => {
            let still_fails = tests.iter().any(|test| run.failing.contains(test));
            is_whole && !tests.is_empty() && !still_fails && !run.failing.is_empty()
        }
        TestOutcome::Broken => false,
    }
}

/// Whether an argument selects a test: its name, its last part, or the file it stands in.
fn names_test(word: &str, test: &str) -> bool {
    let last = test.rsplit([':', '.', '>', '/', ' ']).find(|part| !part.is_empty()).unwrap_or(test);
    word.len() > 3 && (test.contains(word) || word.contains(last))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cleared(failed: &str, tests: &[&str], passed: &str, output: &str) -> bool {
        let tests = tests.iter().map(|test| (*test).to_owned()).collect();
        let failure = FailureDetails { command: failed.to_owned(), tests, ..FailureDetails::default() };
        clears(&CommandRun::new(passed, output, ExitStatus::Success), &failure)
    }

    #[test]
    fn the_same_command_or_test_clears_a_failure_and_a_smaller_run_does_not() {
        const GREEN: &str = "test result: ok. 3 passed; 0 failed; 0 ignored";
        const NONE: &str = "test result: ok. 0 passed; 0 failed; 0 ignored; 9 filtered out";
        for (failed, tests, passed, output, expected) in [
            ("cargo test -p billing", &["refund::rounds_up"][..], "cargo test -p billing -q", GREEN, true),
            ("cargo test -p billing", &["refund::rounds_up"], "cargo test", GREEN, true),
            ("cargo test -p billing", &["refund::rounds_up"], "cargo test rounds_up", GREEN, true),
            ("cargo test -p billing", &["refund::rounds_up"], "cargo test rounds_up", NONE, false),
            ("cargo test -p billing", &["refund::rounds_up"], "cargo test -p api", GREEN, false),
            ("cargo test", &["refund::rounds_up"], "cd crates/api && cargo test", GREEN, false),
            ("cd web && npm run build", &[], "npm run build 2>&1", "built", true),
            ("npm run build", &[], "npm run build -- --mode staging", "built", false),
            ("npm run build", &[], "npm run build | tail -3", "built", false),
            ("make deploy", &[], "make", "done", false),
        ] {
            assert_eq!(cleared(failed, tests, passed, output), expected, "{failed} / {passed}");
        }
    }
}
