//! Tasks for whoever works on Backstory. `cargo test` runs the checks in `tidy`; `cargo xtask ci` runs the short part of what CI runs.

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
    if std::env::args().nth(1).as_deref() != Some("ci") {
        eprintln!("usage: cargo xtask ci");
        return ExitCode::from(2);
    }
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
