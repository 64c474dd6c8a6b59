//! Tasks for whoever works on Backstory. `cargo test` runs the checks in `tidy`; `cargo xtask ci` runs the short part of what CI runs, `cargo xtask docs`
//! writes the references that are made from the program, `cargo xtask scorecard` writes `docs/scorecard.md`.

mod docs;
mod scorecard;
#[cfg(test)]
mod tidy;

use std::process::{Command, ExitCode};

/// What CI runs, in order. `.ci/run` runs this too, and after it what takes too long to wait for.
const CI: [&[&str]; 3] = [
    &["fmt", "--all", "--check"],
    &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"],
    &["test", "--workspace"],
];

#[expect(clippy::print_stderr, reason = "a task for developers talks to them")]
fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.split_first() {
        Some((task, _)) if task == "ci" => ci(),
        Some((task, _)) if task == "docs" => docs::write(),
        Some((task, rest)) if task == "scorecard" => told(scorecard::run(rest)),
        _ => {
            eprintln!("usage: cargo xtask ci|docs|scorecard");
            ExitCode::from(2)
        }
    }
}

#[expect(clippy::print_stderr, reason = "a task for developers talks to them")]
fn told(outcome: Result<(), Box<dyn std::error::Error>>) -> ExitCode {
    let Err(error) = outcome else { return ExitCode::SUCCESS };
    eprintln!("error: {error}");
    ExitCode::FAILURE
}

#[expect(clippy::print_stderr, reason = "a task for developers talks to them")]
fn ci() -> ExitCode {
    for arguments in CI {
        eprintln!("cargo {}", arguments.join(" "));
        match Command::new(env!("CARGO")).args(arguments).status() {
            Ok(status) if status.success() => {}
            Ok(_) => return ExitCode::FAILURE,
            Err(error) => {
                eprintln!("cannot run cargo: {error}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}
