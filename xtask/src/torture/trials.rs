//! Builds the program and the tests of the bars, and runs them at full size.
//!
//! The program is the release build; the tests are those of `cargo test`, so that CI builds nothing twice. `process` waits for programs
//! and kills them.

use super::bars::{Bar, BarProof};
use super::process::{ProgramEnd, finish};
use crate::places::{released_program, root, target};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The limit of one program. Nearly every bar takes less than a minute; hundreds of hostile lines on every page of the viewer take some.
const PATIENCE: Duration = Duration::from_secs(900);

/// The built programs.
pub(crate) struct TortureBinaries {
    /// The release build of the program.
    program: PathBuf,
    /// The test programs, by package and target.
    tests: BTreeMap<(String, String), PathBuf>,
}

/// The result of running one proof of a bar.
pub(crate) struct Trial {
    /// Why it failed, if it did.
    pub(crate) failure: Option<String>,
    /// Its whole output.
    pub(crate) output: String,
}

impl TortureBinaries {
    /// Builds the program as it is released, unless one is named, and the tests exactly as `cargo xtask ci` does.
    #[expect(clippy::disallowed_methods, reason = "the program may be named, as for the suites in `tests/`")]
    pub(crate) fn build() -> Result<TortureBinaries, String> {
        let program = match std::env::var_os("BACKSTORY_BIN") {
            Some(program) => root().join(program),
            None => {
                cargo(&[
                    "build",
                    "--release",
                    "--quiet",
                    "--package",
                    "backstory-cli",
                    "--features",
                    "full",
                ])?;
                released_program()
            }
        };
        let messages = cargo(&[
            "test",
            "--workspace",
            "--all-features",
            "--no-run",
            "--quiet",
            "--message-format",
            "json",
        ])?;
        Ok(TortureBinaries { program, tests: messages.lines().filter_map(test_program).collect() })
    }

    /// Runs all proofs of a bar, one after the other, and keeps their output in `target/torture/ID.log`.
    /// A proof that still runs at the deadline of all bars has failed.
    pub(crate) fn run(&self, bar: &Bar, deadline: Instant) -> Vec<Trial> {
        let trials: Vec<Trial> = bar.proofs.iter().map(|proof| self.trial(proof, deadline)).collect();
        let folder = target().join("torture");
        let printed: String = trials.iter().map(|trial| trial.output.as_str()).collect();
        drop(fs::create_dir_all(&folder));
        drop(fs::write(folder.join(format!("{}.log", bar.id)), printed));
        trials
    }

    fn trial(&self, proof: &BarProof, deadline: Instant) -> Trial {
        match proof {
            BarProof::Tests(package, names) => self.tests(package, "it", names, deadline),
            BarProof::Units(package, names) => {
                self.tests(package, &package.replace('-', "_"), names, deadline)
            }
            BarProof::Browser(name) => self.in_a_browser(name, deadline),
        }
    }

    fn tests(&self, package: &str, target: &str, names: &[&str], deadline: Instant) -> Trial {
        let Some(program) = self.tests.get(&(package.to_owned(), target.to_owned())) else {
            return Trial {
                failure: Some(format!("`{package}` has no tests `{target}`")),
                output: String::new(),
            };
        };
        let mut command = Command::new(program);
        command.args(["--exact", "--show-output", "--test-threads", "1"]).args(names);
        let folder = package.strip_prefix("backstory-").unwrap_or(package);
        command
            .current_dir(root().join("crates").join(folder))
            .env("BACKSTORY_TORTURE", "1")
            .env("BACKSTORY_BIN", &self.program);
        let mut trial = run_trial(&mut command, deadline);
        // The test harness silently ignores a name that does not exist.
        let all_ran = trial.output.contains(&format!("test result: ok. {} passed", names.len()));
        if trial.failure.is_none() && !all_ran {
            trial.failure = Some("not all of its tests exist".to_owned());
        }
        trial
    }

    /// Runs a test of the viewer, with the corpus of hostile lines beside the checkout.
    fn in_a_browser(&self, name: &str, deadline: Instant) -> Trial {
        let mut suite = Command::new("tests/browser/run");
        suite.arg(name).current_dir(root()).env("BACKSTORY_BIN", &self.program);
        let lines = target().join("torture-lines.txt");
        let packed = root().join("../shared/security/xss-dev.tar.gz");
        let unpacked =
            Command::new("tar").args(["-xzO", "--wildcards", "*XSS*.txt", "-f"]).arg(packed).output();
        match unpacked {
            Ok(unpacked) if unpacked.status.success() && fs::write(&lines, &unpacked.stdout).is_ok() => {
                run_trial(suite.env("BACKSTORY_XSS_LINES", lines), deadline)
            }
            _ => {
                let mut trial = run_trial(&mut suite, deadline);
                trial.output += "SKIPPED: extra corpus `xss-dev.tar.gz` is not beside this checkout; only our own lines were tried\n";
                trial
            }
        }
    }
}

/// Runs cargo, and returns what it printed.
fn cargo(arguments: &[&str]) -> Result<String, String> {
    let run = Command::new(env!("CARGO")).args(arguments).stderr(Stdio::inherit()).output();
    let run = run.map_err(|error| format!("cargo: {error}"))?;
    let printed = String::from_utf8_lossy(&run.stdout).into_owned();
    if run.status.success() { Ok(printed) } else { Err(format!("`cargo {}` failed", arguments.join(" "))) }
}

/// Parses one message of cargo: a test program with its package and target.
fn test_program(message: &str) -> Option<((String, String), PathBuf)> {
    let message: serde_json::Value = serde_json::from_str(message).ok()?;
    let text = |place: &str| message.pointer(place)?.as_str();
    if !message.pointer("/profile/test")?.as_bool()? {
        return None;
    }
    let manifest = Path::new(text("/manifest_path")?);
    let package = format!("backstory-{}", manifest.parent()?.file_name()?.to_str()?);
    Some(((package, text("/target/name")?.to_owned()), text("/executable")?.into()))
}

/// Runs a program until it ends, its own limit, or the deadline of all bars.
fn run_trial(command: &mut Command, deadline: Instant) -> Trial {
    let (ended, output) = finish(command, deadline.min(Instant::now() + PATIENCE));
    let failure = match ended {
        ProgramEnd::Success => None,
        ProgramEnd::Failure(how) => Some(reason(&output).unwrap_or(how)),
        ProgramEnd::Killed if Instant::now() >= deadline => {
            Some("killed at the deadline of all bars".to_owned())
        }
        ProgramEnd::Killed => Some(format!("killed after {} s", PATIENCE.as_secs())),
    };
    Trial { failure, output }
}

/// The line after the first panic has the reason.
fn reason(output: &str) -> Option<String> {
    let mut lines = output.lines().skip_while(|line| !line.contains("panicked at"));
    let place = lines.next()?.split("panicked at ").nth(1)?;
    Some(format!("{place} {}", lines.next().unwrap_or_default()).chars().take(200).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(line: &str, left: Duration) -> Option<String> {
        run_trial(Command::new("sh").args(["-c", line]), Instant::now() + left).failure
    }

    #[test]
    fn a_program_that_runs_at_the_deadline_has_failed() {
        let why = failure("sleep 600", Duration::from_millis(200)).unwrap();
        assert!(why.contains("the deadline of all bars"), "{why}");
    }

    #[test]
    fn a_failure_has_its_reason() {
        let enough = Duration::from_secs(60);
        assert_eq!(failure("true", enough), None);
        let panics = "echo \"thread 't' panicked at a.rs:1:2:\nleft is not right\"; exit 101";
        assert_eq!(failure(panics, enough).as_deref(), Some("a.rs:1:2: left is not right"));
    }
}
