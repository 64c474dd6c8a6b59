//! Reads pytest and unittest.
//!
//! Not here: how these runners are recognised (`runners`) and what the counts mean (`testruns`).

use super::RunnerReport;
use super::numbers::{after, before};

/// `==== 1 failed, 4 passed in 0.12s ====`, bare with `-q`; `FAILED tests/a.py::test_x - AssertionError`.
pub(super) fn pytest(output: &str) -> RunnerReport {
    let mut report = RunnerReport::default();
    let (mut failed, mut errors) = (0, 0);
    for line in output.lines().map(str::trim) {
        let said = line.trim_matches('=').trim();
        let is_summary = said.contains(" in ")
            && ["passed", "failed", "error", "errors"].iter().any(|word| before(said, word).is_some());
        if is_summary && said.starts_with(|c: char| c.is_ascii_digit()) {
            failed = before(said, "failed").unwrap_or(0);
            errors = before(said, "error").or(before(said, "errors")).unwrap_or(0);
            report.passed = Some(before(said, "passed").unwrap_or(0));
            report.failed = Some(failed + errors);
        } else if said.starts_with("no tests ran in ") {
            (report.passed, report.failed) = (Some(0), Some(0));
        } else if let Some(name) = line.strip_prefix("FAILED ").or_else(|| line.strip_prefix("ERROR ")) {
            let name = name.split_once(" - ").map_or(name, |(name, _)| name);
            if name.contains(".py") {
                report.failing(name);
            }
        }
    }
    let could_not_collect = errors > 0 && failed == 0 && report.passed == Some(0);
    report.is_broken = could_not_collect || output.contains(" during collection");
    report
}

/// `CommandRun 5 tests in 0.001s`, then `OK` or `FAILED (failures=1, errors=1)`; `FAIL: test_x (module.FailureClass)`.
pub(super) fn unittest(output: &str) -> RunnerReport {
    let mut report = RunnerReport::default();
    let (mut ran, mut not_passed) = (None, 0);
    let mut failed = 0;
    for line in output.lines().map(str::trim) {
        if line.starts_with("Ran ") && line.contains(" in ") {
            ran = before(line, "tests").or(before(line, "test"));
        } else if line.starts_with("FAILED (") || line.starts_with("OK (") {
            failed = after(line, "failures=").unwrap_or(0) + after(line, "errors=").unwrap_or(0);
            not_passed = failed + after(line, "skipped=").unwrap_or(0);
        } else if let Some(name) = line.strip_prefix("FAIL: ").or_else(|| line.strip_prefix("ERROR: ")) {
            report.is_broken |= name.contains("unittest.loader._FailedTest");
            report.failing(name.split(" (").next().unwrap_or(name));
        }
    }
    if let Some(ran) = ran {
        report.passed = Some(ran.saturating_sub(not_passed));
        report.failed = Some(failed);
    }
    report
}
