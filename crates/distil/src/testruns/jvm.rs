//! Reads Maven Surefire and Gradle.
//!
//! Not here: how these runners are recognised (`runners`) and what the counts mean (`testruns`).

use super::RunnerReport;
use super::numbers::{after, before, without_time};

/// `Tests run: 5, PairedFailures: 1, Errors: 0, Skipped: 0`, per class with a time and per module without.
pub(super) fn maven(output: &str) -> RunnerReport {
    let mut report = RunnerReport::default();
    for line in output.lines() {
        let line = line.trim_start_matches(|c: char| {
            c == '[' || c == ']' || c.is_ascii_uppercase() && line.starts_with('[')
        });
        let line = line.trim();
        if line.contains("COMPILATION ERROR") {
            report.is_broken = true;
        } else if let Some(ran) = after(line, "ests run:") {
            if line.contains("Time elapsed") {
                continue;
            }
            let failed = after(line, "Failures:").unwrap_or(0) + after(line, "Errors:").unwrap_or(0);
            let skipped = after(line, "Skipped:").unwrap_or(0);
            report.fail(failed);
            report.pass(ran.saturating_sub(failed).saturating_sub(skipped));
        } else if let Some((name, _)) = line.split_once("<<<") {
            let name = name.split("Time elapsed").next().unwrap_or(name);
            report.failing(name.trim().trim_end_matches("--").trim());
        }
    }
    report
}

/// `5 tests completed, 1 failed`, printed only when one failed; `CalculatorTest > adds() FAILED`.
pub(super) fn gradle(output: &str) -> RunnerReport {
    let mut report = RunnerReport::default();
    for line in output.lines().map(str::trim) {
        if let Some(ran) =
            before(line, "tests").or(before(line, "test")).filter(|_| line.contains(" completed"))
        {
            let failed = before(line, "failed").unwrap_or(0);
            let skipped = before(line, "skipped").unwrap_or(0);
            report.fail(failed);
            report.pass(ran.saturating_sub(failed).saturating_sub(skipped));
        } else if line.starts_with("> Task ") || line.starts_with("* What") {
            report.is_broken |= line.contains(":compile") && line.ends_with("FAILED");
        } else if let Some(name) = line.strip_suffix(" FAILED").filter(|name| name.contains(" > ")) {
            report.failing(without_time(name));
        }
    }
    report
}
