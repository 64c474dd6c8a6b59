//! Reads `cargo test` and `cargo nextest`.
//!
//! Not here: how these runners are recognised (`runners`) and what the counts mean (`testruns`).

use super::RunnerReport;
use super::numbers::before;

/// `test result: FAILED. 4 passed; 1 failed; …`, once per test binary; `test name ... FAILED`.
pub(super) fn cargo(output: &str) -> RunnerReport {
    let mut report = RunnerReport::default();
    for line in output.lines().map(str::trim) {
        if line.starts_with("test result: ") {
            report.pass(before(line, "passed").unwrap_or(0));
            report.fail(before(line, "failed").unwrap_or(0));
        } else if let Some(name) =
            line.strip_prefix("test ").and_then(|rest| rest.strip_suffix(" ... FAILED"))
        {
            report.failing(name.strip_suffix(" - should panic").unwrap_or(name));
        } else if line.starts_with("error: could not compile") {
            report.is_broken = true;
        }
    }
    report
}

/// `Summary [ 0.01s] 5 tests run: 4 passed, 1 failed, 0 skipped`; `FAIL [ 0.01s] (1/5) crate module::name`.
pub(super) fn nextest(output: &str) -> RunnerReport {
    let mut report = RunnerReport::default();
    for line in output.lines().map(str::trim) {
        if line.starts_with("Summary [") {
            report.pass(before(line, "passed").unwrap_or(0));
            let failed = ["failed", "timed", "exec"].iter().filter_map(|word| before(line, word)).sum();
            report.fail(failed);
        } else if line.starts_with("error: could not compile") {
            report.is_broken = true;
        } else if ["FAIL [", "TIMEOUT [", "SIGABRT [", "SIGSEGV ["]
            .iter()
            .any(|start| line.starts_with(start))
        {
            let name = line.split_once(']').map_or("", |(_, name)| name.trim());
            let is_counter = |c: char| c.is_ascii_digit() || matches!(c, '(' | ')' | '/' | ' ' | '─');
            report.failing(name.trim_start_matches(is_counter));
        }
    }
    report
}
