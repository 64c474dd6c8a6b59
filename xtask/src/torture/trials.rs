//! Builds the program and the tests that bars are shown by, and runs them at full size.
//!
//! The program is what is released; the tests around it are those `cargo test` builds, so that nothing is built twice in CI.

use super::bars::{Bar, Shown};
use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// Nearly every bar takes less than a minute; hundreds of hostile lines on every page of the viewer take some. A test that takes so long hangs.
const PATIENCE: Duration = Duration::from_secs(900);

/// What is tried, and with what.
pub(crate) struct Binaries {
    /// The program itself, as it is released.
    program: PathBuf,
    /// The built tests: package and target lead to a program.
    tests: BTreeMap<(String, String), PathBuf>,
}

/// What came of running something that shows a bar.
pub(crate) struct Trial {
    /// Why it counts as failed, if it does.
    pub(crate) failure: Option<String>,
    /// All it printed.
    pub(crate) output: String,
}

impl Binaries {
    /// Builds the program as it is released, unless one is named, and the tests exactly as `cargo test --workspace` does.
    #[expect(clippy::disallowed_methods, reason = "the program may be named, as for the suites in `tests/`")]
    pub(crate) fn build() -> Result<Binaries, String> {
        let program = match std::env::var_os("BACKSTORY_BIN") {
            Some(program) => root().join(program),
            None => {
                cargo(&["build", "--release", "--quiet", "--package", "backstory-cli"])?;
                root().join("target/release/backstory")
            }
        };
        let messages = cargo(&["test", "--workspace", "--no-run", "--quiet", "--message-format", "json"])?;
        Ok(Binaries { program, tests: messages.lines().filter_map(test_program).collect() })
    }

    /// Runs all that shows a bar, one after the other, and keeps what was printed for whoever wants to know more.
    pub(crate) fn run(&self, bar: &Bar) -> Vec<Trial> {
        let trials: Vec<Trial> = bar.shown.iter().map(|shown| self.trial(shown)).collect();
        let folder = root().join("target/torture");
        let printed: String = trials.iter().map(|trial| trial.output.as_str()).collect();
        drop(fs::create_dir_all(&folder));
        drop(fs::write(folder.join(format!("{}.log", bar.id)), printed));
        trials
    }

    fn trial(&self, shown: &Shown) -> Trial {
        match shown {
            Shown::Tests(package, names) => self.tests(package, "it", names),
            Shown::Units(package, names) => self.tests(package, &package.replace('-', "_"), names),
            Shown::Browser(name) => self.in_a_browser(name),
        }
    }

    fn tests(&self, package: &str, target: &str, names: &[&str]) -> Trial {
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
        let mut trial = finish(&mut command);
        // A name that does not exist is passed over without a word.
        let all_ran = trial.output.contains(&format!("test result: ok. {} passed", names.len()));
        if trial.failure.is_none() && !all_ran {
            trial.failure = Some("not all of its tests exist".to_owned());
        }
        trial
    }

    /// Runs a test of the viewer, with the hostile lines that lie beside the checkout.
    fn in_a_browser(&self, name: &str) -> Trial {
        let mut suite = Command::new("tests/browser/run");
        suite.arg(name).current_dir(root()).env("BACKSTORY_BIN", &self.program);
        let lines = root().join("target/torture-lines.txt");
        let packed = root().join("../shared/security/xss-dev.tar.gz");
        let unpacked =
            Command::new("tar").args(["-xzO", "--wildcards", "*XSS*.txt", "-f"]).arg(packed).output();
        match unpacked {
            Ok(unpacked) if unpacked.status.success() && fs::write(&lines, &unpacked.stdout).is_ok() => {
                finish(suite.env("BACKSTORY_XSS_LINES", lines))
            }
            _ => {
                let mut trial = finish(&mut suite);
                trial.output += "SKIPPED: the corpus `xss-dev.tar.gz` is not beside this checkout\n";
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

/// Reads one message of cargo: a test program, with the package and the target it is of.
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

/// Waits for a program to end, and ends it when it hangs.
fn finish(command: &mut Command) -> Trial {
    let failed = |why: String| Trial { failure: Some(why), output: String::new() };
    let mut child = match command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn() {
        Ok(child) => child,
        Err(error) => return failed(format!("cannot run {}: {error}", command.get_program().display())),
    };
    let (told, ended) = mpsc::channel();
    for stream in [child.stdout.take().map(boxed), child.stderr.take().map(boxed)].into_iter().flatten() {
        let told = told.clone();
        std::thread::spawn(move || drop(told.send(all_of(stream))));
    }
    drop(told);
    let mut output = String::new();
    // The streams end with the program, or we have waited long enough and end it here.
    let hung = loop {
        match ended.recv_timeout(PATIENCE) {
            Ok(some) => output += &some,
            Err(why) => break why == mpsc::RecvTimeoutError::Timeout,
        }
    };
    if hung {
        drop(child.kill());
    }
    let failure = match child.wait() {
        _ if hung => Some(format!("no end after {} s", PATIENCE.as_secs())),
        Ok(status) if status.success() => None,
        Ok(status) => Some(reason(&output).unwrap_or_else(|| status.to_string())),
        Err(error) => Some(error.to_string()),
    };
    Trial { failure, output }
}

fn boxed(stream: impl Read + Send + 'static) -> Box<dyn Read + Send> {
    Box::new(stream)
}

fn all_of(mut stream: Box<dyn Read + Send>) -> String {
    let mut bytes = Vec::new();
    drop(stream.read_to_end(&mut bytes));
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The line after the first panic says what went wrong.
fn reason(output: &str) -> Option<String> {
    let mut lines = output.lines().skip_while(|line| !line.contains("panicked at"));
    let place = lines.next()?.split("panicked at ").nth(1)?;
    Some(format!("{place} {}", lines.next().unwrap_or_default()).chars().take(200).collect())
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new(".")).to_owned()
}
