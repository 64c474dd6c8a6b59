//! The table of runners: how each is called, how its output is known, and which parser reads it.
//!
//! Not here: the parsers.

use super::{RunnerReport, compiled, javascript, jvm, python, ruby, rust};

/// A program that runs tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum TestRunner {
    Cargo,
    Nextest,
    Pytest,
    Unittest,
    Jest,
    Vitest,
    Mocha,
    Go,
    Maven,
    Gradle,
    Rspec,
    Minitest,
    Ctest,
    Dotnet,
    Phpunit,
}

struct RunnerRow {
    runner: TestRunner,
    /// Commands, by their names, that are this runner.
    commands: &'static [&'static str],
    /// What its output holds and no other's does, for runs behind `npm test` or `make check`.
    traces: &'static [&'static str],
    read: fn(&str) -> RunnerReport,
}

const ROWS: [RunnerRow; 15] = [
    RunnerRow {
        runner: TestRunner::Nextest,
        commands: &["cargo nextest run", "cargo nextest"],
        traces: &["Nextest run ID", "tests run: "],
        read: rust::nextest,
    },
    RunnerRow {
        runner: TestRunner::Cargo,
        commands: &["cargo test", "cargo t", "cargo llvm-cov"],
        traces: &["test result: "],
        read: rust::cargo,
    },
    RunnerRow {
        runner: TestRunner::Pytest,
        commands: &["pytest", "py.test"],
        traces: &["= test session starts ="],
        read: python::pytest,
    },
    RunnerRow {
        runner: TestRunner::Vitest,
        commands: &["vitest"],
        traces: &[" Test Files  "],
        read: javascript::vitest,
    },
    RunnerRow {
        runner: TestRunner::Jest,
        commands: &["jest", "react-scripts"],
        traces: &["Test Suites: "],
        read: javascript::jest,
    },
    RunnerRow {
        runner: TestRunner::Mocha,
        commands: &["mocha", "nyc", "_mocha"],
        traces: &[" passing ("],
        read: javascript::mocha,
    },
    RunnerRow {
        runner: TestRunner::Go,
        commands: &["go test", "gotestsum"],
        traces: &["--- FAIL: Test", "--- PASS: Test", "\nok  \t"],
        read: compiled::go,
    },
    RunnerRow {
        runner: TestRunner::Maven,
        commands: &["mvn test", "mvn verify", "mvn surefire:test", "mvn install", "mvn package", "mvn clean"],
        traces: &["[INFO] Tests run: ", "[ERROR] Tests run: "],
        read: jvm::maven,
    },
    RunnerRow {
        runner: TestRunner::Gradle,
        commands: &["gradle test", "gradle check", "gradle build", "gradle clean"],
        traces: &["> Task :test"],
        read: jvm::gradle,
    },
    RunnerRow {
        runner: TestRunner::Rspec,
        commands: &["rspec"],
        traces: &[" examples, ", "1 example, "],
        read: ruby::rspec,
    },
    RunnerRow {
        runner: TestRunner::Minitest,
        commands: &["rails test", "rake test", "minitest"],
        traces: &[" assertions, "],
        read: ruby::minitest,
    },
    RunnerRow {
        runner: TestRunner::Ctest,
        commands: &["ctest"],
        traces: &["% tests passed, "],
        read: compiled::ctest,
    },
    RunnerRow {
        runner: TestRunner::Dotnet,
        commands: &["dotnet test"],
        traces: &["Passed!  - Failed:", "Failed!  - Failed:"],
        read: compiled::dotnet,
    },
    RunnerRow {
        runner: TestRunner::Phpunit,
        commands: &["phpunit", "pest", "php phpunit", "artisan test"],
        traces: &["PHPUnit "],
        read: compiled::phpunit,
    },
    RunnerRow {
        runner: TestRunner::Unittest,
        commands: &["unittest"],
        traces: &["\nRan 1 test in ", " tests in "],
        read: python::unittest,
    },
];

/// Commands that build as often as they test: a test run only when the output shows one.
const MAY_TEST: [&str; 7] = [
    "mvn install",
    "mvn package",
    "mvn clean",
    "gradle build",
    "gradle clean",
    "cargo llvm-cov",
    "react-scripts",
];

impl TestRunner {
    /// Returns the name people call it by.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            TestRunner::Cargo => "cargo test",
            TestRunner::Nextest => "cargo nextest",
            TestRunner::Pytest => "pytest",
            TestRunner::Unittest => "unittest",
            TestRunner::Jest => "jest",
            TestRunner::Vitest => "vitest",
            TestRunner::Mocha => "mocha",
            TestRunner::Go => "go test",
            TestRunner::Maven => "maven",
            TestRunner::Gradle => "gradle",
            TestRunner::Rspec => "rspec",
            TestRunner::Minitest => "minitest",
            TestRunner::Ctest => "ctest",
            TestRunner::Dotnet => "dotnet test",
            TestRunner::Phpunit => "phpunit",
        }
    }

    /// Whether a command by this name runs tests: a runner of the table, or one that says so itself.
    pub(crate) fn is_named_by(task: &str) -> bool {
        let program = ["yarn ", "pnpm ", "bun "].iter().find_map(|manager| task.strip_prefix(manager));
        let is_runner = ROWS.iter().any(|row| row.commands.contains(&program.unwrap_or(task)));
        (is_runner && !MAY_TEST.contains(&task)) || says_test(task)
    }

    /// Returns the runner a command is, or the one its output shows when the command only says "test".
    pub(super) fn called_by(task: &str, command: &str, output: &str) -> Option<TestRunner> {
        let lists_only = ["--no-run", "--collect-only", "--list", "--help", "--version"];
        if command.split_whitespace().any(|word| lists_only.contains(&word)) {
            return None;
        }
        let shown = |row: &&RunnerRow| row.traces.iter().any(|trace| output.contains(trace));
        // `yarn jest` runs what `npx jest` does.
        let program = ["yarn ", "pnpm ", "bun "].iter().find_map(|manager| task.strip_prefix(manager));
        let task = program.unwrap_or(task);
        let named = ROWS.iter().find(|row| row.commands.contains(&task));
        let named = named.filter(|row| !MAY_TEST.contains(&task) || shown(row));
        let row = named.or_else(|| ROWS.iter().filter(|_| says_test(task)).find(shown))?;
        Some(row.runner)
    }

    pub(super) fn read(self, output: &str) -> RunnerReport {
        ROWS.iter().find(|row| row.runner == self).map(|row| (row.read)(output)).unwrap_or_default()
    }
}

/// `npm test`, `npm run test:unit`, `make check`, `just ci`, `tox`, `python run_tests.py`.
fn says_test(task: &str) -> bool {
    let task = task.to_ascii_lowercase();
    let says = |word: &str| matches!(word, "check" | "ci" | "tox" | "nox" | "rake" | "verify" | "coverage");
    task.contains("test") || task.contains("spec") || task.split([' ', ':', '-', '_', '.']).any(says)
}
