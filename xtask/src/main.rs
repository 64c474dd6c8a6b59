//! Tasks for whoever works on Backstory: `cargo xtask` names them. `cargo test` runs the checks in `tidy`.

mod bench;
mod docs;
mod fuzz;
mod guard;
mod places;
mod scorecard;
#[cfg(test)]
mod tidy;
mod torture;

use std::error::Error;
use std::io::Write;
use std::process::{Command, ExitCode};

/// The short part of what CI runs, in order; `.ci/run` runs the same and after it what takes too long to wait for.
const CI: [&[&str]; 3] = [
    &["fmt", "--all", "--check"],
    &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"],
    &["test", "--workspace"],
];

const TASKS: &str = "usage: cargo xtask TASK

ci         the short part of what CI runs
docs       writes the references that are made from the program: docs/cli.md, docs/configuration.md, man/
bench      the numbers to hold, measured on this machine
guard      counts the instructions of a hook and a search, and refuses what costs 15 % more than it did
scorecard  what recall finds, and what it must not, on published sets; writes docs/scorecard.md
torture    every bar of the reliability table at full size, with the figures that were measured
fuzz       searches for bytes that break a promise, a minute a target";

type Outcome = Result<(), Box<dyn Error>>;

#[expect(clippy::print_stderr, reason = "a task for developers talks to them")]
fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match arguments.split_first() {
        Some((task, rest)) if task == "ci" && rest.is_empty() => ci(),
        Some((task, rest)) if task == "bench" => bench::run(rest),
        Some((task, _)) if task == "docs" => docs::write(),
        Some((task, rest)) if task == "guard" => guard::run(rest),
        Some((task, rest)) if task == "scorecard" => scorecard::run(rest),
        Some((task, rest)) if task == "torture" => torture::run(rest),
        Some((task, rest)) if task == "fuzz" => fuzz::run(rest),
        _ => {
            eprintln!("{TASKS}");
            return ExitCode::from(2);
        }
    };
    let Err(error) = outcome else { return ExitCode::SUCCESS };
    eprintln!("error: {error}");
    ExitCode::FAILURE
}

#[expect(clippy::print_stderr, reason = "a task for developers talks to them")]
fn ci() -> Outcome {
    for arguments in CI {
        eprintln!("cargo {}", arguments.join(" "));
        cargo(arguments)?;
    }
    Ok(())
}

/// Runs cargo, which says itself what is wrong.
fn cargo<S: AsRef<std::ffi::OsStr>>(arguments: &[S]) -> Outcome {
    if Command::new(env!("CARGO")).args(arguments).status()?.success() {
        return Ok(());
    }
    let told: Vec<_> = arguments.iter().map(|argument| argument.as_ref().to_string_lossy()).collect();
    Err(format!("`cargo {}` failed", told.join(" ")).into())
}

/// Says a line as soon as there is something to say.
fn say(line: &str) {
    // Nobody is left to hear that a line could not be written.
    drop(writeln!(std::io::stdout(), "{line}"));
}
