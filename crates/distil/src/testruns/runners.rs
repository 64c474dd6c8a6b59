//! The table of runners: how each is called, how its output is known, and which parser reads it.
//!
//! Not here: the parsers.

use super::{Report, compiled, javascript, jvm, python, ruby, rust};

/// A program that runs tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Runner {
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

struct Row {
    runner: Runner,
    /// Commands, by their names, that are this runner.
    commands: &'static [&'static str],
    /// What its output holds and no other's does, for runs behind `npm test` or `make check`.
    traces: &'static [&'static str],
    read: fn(&str) -> Report,
}

const ROWS: [Row; 15] = [
    Row {
        runner: Runner::Nextest,
        commands: &["cargo nextest run", "cargo nextest"],
        traces: &["Nextest run ID", "tests run: "],
        read: rust::nextest,
    },
    Row {
        runner: Runner::Cargo,
        commands: &["cargo test", "cargo t", "cargo llvm-cov"],
        traces: &["test result: "],
        read: rust::cargo,
    },
    Row {
        runner: Runner::Pytest,
        commands: &["pytest", "py.test"],
        traces: &["= test session starts ="],
        read: python::pytest,
    },
    Row {
        runner: Runner::Vitest,
        commands: &["vitest"],
        traces: &[" Test Files  "],
        read: javascript::vitest,
    },
    Row {
        runner: Runner::Jest,
        commands: &["jest", "react-scripts"],
        traces: &["Test Suites: "],
        read: javascript::jest,
    },
    Row {
        runner: Runner::Mocha,
        commands: &["mocha", "nyc", "_mocha"],
        traces: &[" passing ("],
        read: javascript::mocha,
    },
    Row {
        runner: Runner::Go,
        commands: &["go test", "gotestsum"],
        traces: &["--- FAIL: Test", "--- PASS: Test", "\nok  \t"],
        read: compiled::go,
    },
    Row {
        runner: Runner::Maven,
        commands: &["mvn test", "mvn verify", "mvn surefire:test", "mvn install", "mvn package", "mvn clean"],
        traces: &["[INFO] Tests run: ", "[ERROR] Tests run: "],
        read: jvm::maven,
    },
    Row {
        runner: Runner::Gradle,
        commands: &["gradle test", "gradle check", "gradle build", "gradle clean"],
        traces: &["> Task :test"],
        read: jvm::gradle,
    },
    Row {
        runner: Runner::Rspec,
        commands: &["rspec"],
        traces: &[" examples, ", "1 example, "],
        read: ruby::rspec,
    },
    Row {
        runner: Runner::Minitest,
        commands: &["rails test", "rake test", "minitest"],
        traces: &[" assertions, "],
        read: ruby::minitest,
    },
    Row { runner: Runner::Ctest, commands: &["ctest"], traces: &["% tests passed, "], read: compiled::ctest },
    Row {
        runner: Runner::Dotnet,
        commands: &["dotnet test"],
        traces: &["Passed!  - Failed:", "Failed!  - Failed:"],
        read: compiled::dotnet,
    },
    Row {
        runner: Runner::Phpunit,
        commands: &["phpunit", "pest", "php phpunit", "artisan test"],
        traces: &["PHPUnit "],
        read: compiled::phpunit,
    },
    Row {
        runner: Runner::Unittest,
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

impl Runner {
    /// Returns the name people call it by.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Runner::Cargo => "cargo test",
            Runner::Nextest => "cargo nextest",
            Runner::Pytest => "pytest",
            Runner::Unittest => "unittest",
            Runner::Jest => "jest",
            Runner::Vitest => "vitest",
            Runner::Mocha => "mocha",
            Runner::Go => "go test",
            Runner::Maven => "maven",
            Runner::Gradle => "gradle",
            Runner::Rspec => "rspec",
            Runner::Minitest => "minitest",
            Runner::Ctest => "ctest",
            Runner::Dotnet => "dotnet test",
            Runner::Phpunit => "phpunit",
        }
    }

    /// Returns the runner a command is, or the one its output shows when the command only says "test".
    pub(super) fn called_by(task: &str, command: &str, output: &str) -> Option<Runner> {
        let lists_only = ["--no-run", "--collect-only", "--list", "--help", "--version"];
        if command.split_whitespace().any(|word| lists_only.contains(&word)) {
            return None;
        }
        let shown = |row: &&Row| row.traces.iter().any(|trace| output.contains(trace));
        // `yarn jest` runs what `npx jest` does.
        let program = ["yarn ", "pnpm ", "bun "].iter().find_map(|manager| task.strip_prefix(manager));
        let task = program.unwrap_or(task);
        let named = ROWS.iter().find(|row| row.commands.contains(&task));
        let named = named.filter(|row| !MAY_TEST.contains(&task) || shown(row));
        let row = named.or_else(|| ROWS.iter().filter(|_| says_test(task)).find(shown))?;
        Some(row.runner)
    }

    pub(super) fn read(self, output: &str) -> Report {
        ROWS.iter().find(|row| row.runner == self).map(|row| (row.read)(output)).unwrap_or_default()
    }
}

/// `npm test`, `npm run test:unit`, `make check`, `just ci`, `tox`, `python run_tests.py`.
fn says_test(task: &str) -> bool {
    let task = task.to_ascii_lowercase();
    let says = |word: &str| matches!(word, "check" | "ci" | "tox" | "nox" | "rake" | "verify" | "coverage");
    task.contains("test") || task.contains("spec") || task.split([' ', ':', '-', '_', '.']).any(says)
}
