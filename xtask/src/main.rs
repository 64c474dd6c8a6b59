//! Tasks for people who work on Backstory; `cargo xtask` lists them. Everything here is a development tool: the product depends on none of it.

mod bench;
mod calibrate;
mod census;
mod ci;
mod datasets;
mod dist;
mod docs;
mod fit;
mod fuzz;
mod guard;
mod places;
mod real;
mod scorecard;
mod tidy;
mod torture;

use std::error::Error;
use std::io::Write;
use std::process::{Command, ExitCode};

const TASKS: &str = "usage: cargo xtask TASK

ci         format, lints, documentation, tests; --full adds the long suites that CI runs
tidy       the house rules: dependencies, names, files, citations; part of the tests of this crate
census     count lines, comments, functions and names of a checkout, this one or another
docs       write the references generated from the program: docs/cli.md, docs/configuration.md, man/
dist       make a release from built programs: archives, checksums, installers, formula, npm packages
bench      measure the performance figures on this machine
fit        fit the weights of recall on public data sets, and compare it with plain BM25
guard      count the instructions of a hook and a search, and fail at 15 % more than recorded
scorecard  measure recall and distillation on published sets; writes docs/scorecard.md
real       measure memories and injections on real sessions, against gold; writes sheets for a judge
dataset    convert a published data set into the format of `backstory eval`
calibrate  compare the token estimate with real vocabularies; writes the counts its test uses
torture    run every bar of the reliability table at full size
fuzz       search for inputs that break a promise, a minute per target";

/// The result of a task, or of a step of one. The error is printed as it is.
pub(crate) type TaskResult<T = ()> = Result<T, Box<dyn Error>>;

#[expect(clippy::print_stderr, reason = "a task for developers talks to them")]
fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match arguments.split_first() {
        Some((task, rest)) => match task.as_str() {
            "ci" => ci::run(rest),
            "tidy" => tidy::run(),
            "census" => census::run(rest),
            "dist" => dist::run(rest),
            "docs" => docs::write(),
            "bench" => bench::run(rest),
            "fit" => fit::run(rest),
            "guard" => guard::run(rest),
            "scorecard" => scorecard::run(rest),
            "real" => real::run(rest),
            "dataset" => datasets::run(rest),
            "calibrate" => calibrate::run(),
            "torture" => torture::run(rest),
            "fuzz" => fuzz::run(rest),
            _ => return usage(),
        },
        None => return usage(),
    };
    let Err(error) = result else { return ExitCode::SUCCESS };
    eprintln!("error: {error}");
    ExitCode::FAILURE
}

#[expect(clippy::print_stderr, reason = "a task for developers talks to them")]
fn usage() -> ExitCode {
    eprintln!("{TASKS}");
    ExitCode::from(2)
}

/// Runs cargo. Its own output says what is wrong.
fn cargo<S: AsRef<std::ffi::OsStr>>(arguments: &[S]) -> TaskResult {
    if Command::new(env!("CARGO")).args(arguments).status()?.success() {
        return Ok(());
    }
    let words: Vec<_> = arguments.iter().map(|argument| argument.as_ref().to_string_lossy()).collect();
    Err(format!("`cargo {}` failed", words.join(" ")).into())
}

/// Prints a line at once.
fn say(line: &str) {
    // A closed stdout is not this task's problem.
    drop(writeln!(std::io::stdout(), "{line}"));
}
