//! Reads `go test`, CTest, `dotnet test` and PHPUnit.
//!
//! Not here: how these runners are recognised (`runners`) and what the counts mean (`testruns`).

use super::RunnerReport;
use super::numbers::{after, before, listed, without_time};

/// `--- FAIL: TestAdds (0.00s)`; passes are printed only with `-v`; `FAIL pkg [build failed]`.
pub(super) fn go(output: &str) -> RunnerReport {
    let mut report = RunnerReport::default();
    let mut packages_failed = 0;
    for line in output.lines() {
        let bare = line.trim_start();
        if let Some(name) = bare.strip_prefix("--- FAIL: ") {
            report.failing(without_time(name));
        } else if bare.starts_with("--- PASS: ") {
            report.pass(1);
        } else if line.starts_with("FAIL\t") {
            packages_failed += 1;
        }
        report.is_broken |= line.ends_with("[build failed]") || line.ends_with("[setup failed]");
    }
    // A test with failing parts fails too: only the parts tell.
    let names = report.failing.clone();
    let is_whole = |name: &String| {
        names.iter().any(|part| part.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with('/')))
    };
    report.failing.retain(|name| !is_whole(name));
    let failed = u32::try_from(report.failing.len()).unwrap_or(u32::MAX);
    if failed > 0 || packages_failed > 0 {
        report.failed = Some(failed.max(packages_failed));
    } else if report.passed.is_some() || output.lines().any(|line| line.starts_with("ok ")) {
        report.failed = Some(0);
    }
    report
}

/// `80% tests passed, 1 tests failed out of 5`; `2 - name (Failed)`.
pub(super) fn ctest(output: &str) -> RunnerReport {
    let mut report = RunnerReport::default();
    for line in output.lines().map(str::trim) {
        if line.contains("% tests passed, ") {
            let failed = before(line.split_once(", ").map_or("", |(_, rest)| rest), "tests").unwrap_or(0);
            let total = after(line, " out of ").unwrap_or(failed);
            report.fail(failed);
            report.pass(total.saturating_sub(failed));
        } else if let Some((number, name)) = line.split_once(" - ") {
            let kinds = ["(Failed)", "(Timeout)", "(SEGFAULT)", "(Not Run)", "(Subprocess aborted)"];
            if number.bytes().all(|byte| byte.is_ascii_digit())
                && kinds.iter().any(|kind| name.contains(kind))
            {
                report.failing(name.split(" (").next().unwrap_or(name));
            }
        }
    }
    // Every test that is not built is reported as not run.
    report.is_broken = output.contains("Could not find executable") && report.passed == Some(0);
    report
}

/// `Failed!  - Failed: 1, Passed: 4, …` per project, or `Test summary: total: 5, failed: 1, …`.
pub(super) fn dotnet(output: &str) -> RunnerReport {
    let mut report = RunnerReport::default();
    for line in output.lines().map(str::trim) {
        if line.contains("!  - Failed:") || line.contains("! - Failed:") {
            report.fail(after(line, "- Failed:").unwrap_or(0));
            report.pass(after(line, "Passed:").unwrap_or(0));
        } else if line.starts_with("Test summary:") {
            report.fail(after(line, " failed:").unwrap_or(0));
            report.pass(after(line, " succeeded:").unwrap_or(0));
        } else if let Some(name) = line.strip_prefix("Failed ").or_else(|| line.strip_prefix("failed ")) {
            report.failing(without_time(name));
        }
        report.is_broken |= line.contains(": error CS") || line.contains(": error MSB");
    }
    report
}

/// `OK (5 tests, 7 assertions)` or `Tests: 5, Assertions: 7, PairedFailures: 1.`; `1) CalculatorTest::testAdds`.
pub(super) fn phpunit(output: &str) -> RunnerReport {
    let mut report = RunnerReport::default();
    for line in output.lines().map(str::trim) {
        if let Some(ran) =
            line.strip_prefix("OK (").and_then(|rest| before(rest, "tests").or(before(rest, "test")))
        {
            report.pass(ran);
            report.fail(0);
        } else if let Some(ran) = line.strip_prefix("Tests:").and_then(|_| after(line, "Tests:")) {
            let failed = after(line, "Failures:").unwrap_or(0) + after(line, "Errors:").unwrap_or(0);
            report.fail(failed);
            report.pass(ran.saturating_sub(failed).saturating_sub(after(line, "Skipped:").unwrap_or(0)));
        } else if let Some(name) = listed(line).filter(|name| name.contains("::")) {
            report.failing(name.split(" with data").next().unwrap_or(name));
        }
    }
    report.is_broken = report.says_nothing() && output.contains("PHP Fatal error");
    report
}
