//! Reads RSpec and Minitest.
//!
//! Not here: how these runners are recognised (`runners`) and what the counts mean (`testruns`).

use super::RunnerReport;
use super::numbers::before;

/// `5 examples, 1 failure, 1 pending`; `rspec ./spec/a_spec.rb:12 # Calculator adds`.
pub(super) fn rspec(output: &str) -> RunnerReport {
    let mut report = RunnerReport::default();
    for line in output.lines().map(str::trim) {
        if let Some(ran) =
            before(line, "examples").or(before(line, "example")).filter(|_| line.contains(" failure"))
        {
            let failed = before(line, "failures").or(before(line, "failure")).unwrap_or(0);
            report.fail(failed);
            report.pass(ran.saturating_sub(failed).saturating_sub(before(line, "pending").unwrap_or(0)));
        }
        report.is_broken |= line.contains("occurred outside of examples");
        if let Some(name) = line.strip_prefix("rspec ") {
            report.failing(name.split_once(" # ").map_or(name, |(_, name)| name));
        }
    }
    report
}

/// `5 runs, 7 assertions, 1 failures, 0 errors, 0 skips`; `CalculatorTest#test_adds [test/a_test.rb:12]:`.
pub(super) fn minitest(output: &str) -> RunnerReport {
    let mut report = RunnerReport::default();
    for line in output.lines().map(str::trim) {
        if let Some(ran) =
            before(line, "runs").or(before(line, "tests")).filter(|_| line.contains(" assertions, "))
        {
            let failed = before(line, "failures").unwrap_or(0) + before(line, "errors").unwrap_or(0);
            report.fail(failed);
            report.pass(ran.saturating_sub(failed).saturating_sub(before(line, "skips").unwrap_or(0)));
        } else if let Some((name, _)) = line.split_once(" [").filter(|_| line.ends_with("]:")) {
            report.failing(name);
        } else if line.ends_with(':') && line.contains("#test_") {
            report.failing(line.trim_end_matches(':'));
        }
    }
    report
}
