//! What a test run said: which runner, how many passed and failed, which failed, and whether it ran at all.
//!
//! `runners` is the table of how each runner is called and known by its output; one small parser each reads its
//! summary. [`red_to_green`] compares two runs: it says which failing tests were fixed in between.
//!
//! Not here: running tests, and reports in files (JUnit XML, coverage).

mod compiled;
mod javascript;
mod jvm;
mod numbers;
mod python;
mod ruby;
mod runners;
mod rust;

pub use runners::TestRunner;

use crate::failures::CommandRun;
use backstory_memory::{clean, first_chars};
use std::collections::BTreeSet;

/// A test run and how it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestRun {
    /// Who ran the tests.
    pub runner: TestRunner,
    /// How many passed, when it says so.
    pub passed: Option<u32>,
    /// How many failed, errors included, when it says so.
    pub failed: Option<u32>,
    /// The names of those that failed, as the runner writes them, without repetition.
    pub failing: Vec<String>,
    /// How the run ended.
    pub outcome: TestOutcome,
}

/// How a test run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestOutcome {
    /// Everything that ran passed.
    Green,
    /// Something failed.
    Red,
    /// The tests did not build or could not be started.
    Broken,
}

/// What a parser read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct RunnerReport {
    passed: Option<u32>,
    failed: Option<u32>,
    failing: Vec<String>,
    /// Whether it says that the tests, or some of them, did not build or load.
    is_broken: bool,
}

impl RunnerReport {
    fn pass(&mut self, count: u32) {
        self.passed = Some(self.passed.unwrap_or(0).saturating_add(count));
    }

    fn fail(&mut self, count: u32) {
        self.failed = Some(self.failed.unwrap_or(0).saturating_add(count));
    }

    fn failing(&mut self, name: &str) {
        let name = first_chars(name.trim(), LONGEST_NAME);
        if !name.is_empty() && self.failing.len() < MOST_LINES {
            self.failing.push(name.to_owned());
        }
    }

    fn says_nothing(&self) -> bool {
        self.passed.is_none() && self.failed.is_none() && self.failing.is_empty() && !self.is_broken
    }
}

/// More names than this tell nothing more.
const MOST_NAMES: usize = 200;
/// How many are read before repetitions are dropped.
const MOST_LINES: usize = 2_000;
const LONGEST_NAME: usize = 300;

impl TestRun {
    /// Recognises a test run. Called by [`CommandRun`] alone, which keeps it.
    pub(crate) fn read(ran: &CommandRun<'_>) -> Option<TestRun> {
        let output = clean(ran.output);
        let runner =
            ran.tasks().iter().find_map(|task| TestRunner::called_by(&task.name, ran.command, &output))?;
        let mut report = runner.read(&output);
        let mut seen = BTreeSet::new();
        report.failing.retain(|name| seen.insert(name.clone()) && seen.len() <= MOST_NAMES);
        // `cargo test | grep warning`: neither the status nor the words are those of the tests.
        if report.says_nothing() && ran.succeeded() && ran.line().status_is_masked {
            return None;
        }
        let outcome = outcome(&report, ran.succeeded());
        let RunnerReport { passed, failed, failing, .. } = report;
        Some(TestRun { runner, passed, failed, failing, outcome })
    }
}

fn outcome(report: &RunnerReport, succeeded: bool) -> TestOutcome {
    let some_failed = report.failed.is_some_and(|count| count > 0) || !report.failing.is_empty();
    match (report.is_broken, some_failed, succeeded) {
        (true, _, _) => TestOutcome::Broken,
        (false, true, _) => TestOutcome::Red,
        (false, false, true) => TestOutcome::Green,
        // It failed and no test did: it was something around them.
        (false, false, false) => TestOutcome::Broken,
    }
}

/// Returns the tests that went from red to green, by name; nothing when none did.
///
/// An empty list means that all did and the runner named none. A run that may not have included the tests that
/// failed (fewer tests than before) shows nothing.
#[must_use]
pub fn red_to_green(before: &TestRun, after: &TestRun) -> Option<Vec<String>> {
    let total =
        |run: &TestRun| run.passed.zip(run.failed).map(|(passed, failed)| passed.saturating_add(failed));
    let is_narrower = total(before).zip(total(after)).is_some_and(|(before, after)| after < before);
    let ran_only_those = after.outcome == TestOutcome::Green
        && after.passed.is_some_and(|count| count > 0)
        && before.failed.zip(after.passed).is_some_and(|(failed, passed)| passed == failed);
    if before.runner != after.runner || before.outcome != TestOutcome::Red || (is_narrower && !ran_only_those)
    {
        return None;
    }
    match after.outcome {
        TestOutcome::Broken => None,
        TestOutcome::Green if after.passed == Some(0) => None,
        TestOutcome::Green => Some(before.failing.clone()),
        TestOutcome::Red => {
            let fixed = before.failing.iter().filter(|name| !after.failing.contains(name)).cloned();
            Some(fixed.collect::<Vec<String>>())
                .filter(|names| !names.is_empty() && !after.failing.is_empty())
        }
    }
}
