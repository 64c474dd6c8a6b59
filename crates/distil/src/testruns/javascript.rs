//! Reads Jest, Vitest and Mocha.
//!
//! Not here: how these runners are recognised (`runners`) and what the counts mean (`testruns`).

use super::RunnerReport;
use super::numbers::{before, listed, without_time};

/// `Tests:       1 failed, 4 passed, 5 total`; `● suite › name`.
pub(super) fn jest(output: &str) -> RunnerReport {
    let mut report = RunnerReport::default();
    let mut suites_failed = false;
    for line in output.lines().map(str::trim) {
        if let Some(counts) = line.strip_prefix("Tests:") {
            report.passed = Some(before(counts, "passed").unwrap_or(0));
            report.failed = Some(before(counts, "failed").unwrap_or(0));
        } else if let Some(name) = line.strip_prefix("● ") {
            if name.ends_with("Test suite failed to run") {
                suites_failed = true;
            } else if !name.starts_with("Console") {
                report.failing(name);
            }
        }
    }
    report.is_broken = suites_failed && report.failed.unwrap_or(0) == 0;
    report
}

/// `Tests  1 failed | 4 passed (5)`; `FAIL  src/a.test.ts > suite > name`.
pub(super) fn vitest(output: &str) -> RunnerReport {
    let mut report = RunnerReport::default();
    let mut files_failed = false;
    for line in output.lines().map(str::trim) {
        if let Some(counts) = line.strip_prefix("Tests  ") {
            report.passed = Some(before(counts, "passed").unwrap_or(0));
            report.failed = Some(before(counts, "failed").unwrap_or(0));
        } else if let Some(counts) = line.strip_prefix("Test Files  ") {
            files_failed = before(counts, "failed").is_some_and(|count| count > 0);
        } else if let Some(name) = line.strip_prefix("FAIL ").filter(|name| name.contains(" > ")) {
            report.failing(name);
        }
    }
    report.is_broken = files_failed && report.failed.unwrap_or(0) == 0;
    report
}

/// `4 passing (12ms)`, `1 failing`, then `1) suite` with the name, ended by a colon, on the lines below.
pub(super) fn mocha(output: &str) -> RunnerReport {
    let mut report = RunnerReport::default();
    let mut name: Option<String> = None;
    for line in output.lines().map(str::trim) {
        if let Some(count) =
            before(line, "passing").filter(|_| line.starts_with(|c: char| c.is_ascii_digit()))
        {
            report.pass(count);
            report.failed.get_or_insert(0);
        } else if let Some(count) = before(line, "failing") {
            report.fail(count);
        } else if report.failed.is_some() && listed(line).is_some() {
            name = listed(line).map(str::to_owned);
        } else if let Some(begun) = &mut name
            && !line.is_empty()
        {
            begun.push(' ');
            begun.push_str(line);
        }
        if let Some(whole) = name.take_if(|name| name.ends_with(':')) {
            report.failing(without_time(whole.trim_end_matches(':')));
        }
    }
    report
}
