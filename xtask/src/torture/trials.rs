//! Builds the tests that bars are shown by, in release, and runs them at full size.

use super::bars::{Bar, Shown};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// A bar takes less than a minute; a test that takes so long hangs.
const PATIENCE: Duration = Duration::from_secs(300);

/// The built tests: package and target lead to a program.
pub(crate) struct Binaries(BTreeMap<(String, String), PathBuf>);

/// What came of running something that shows a bar.
pub(crate) struct Trial {
    /// Why it counts as failed, if it does.
    pub(crate) failure: Option<String>,
    /// All it printed.
    pub(crate) output: String,
}

impl Binaries {
    /// Builds what the bars need, with one run of cargo.
    pub(crate) fn build<'a>(bars: impl Iterator<Item = &'a Bar>) -> Result<Binaries, String> {
        let packages: BTreeSet<&str> = bars.flat_map(|bar| bar.shown).filter_map(Shown::package).collect();
        let mut cargo = Command::new(env!("CARGO"));
        // The program itself too: the suites beside cargo's own run it.
        cargo.args(["test", "--release", "--no-run", "--quiet", "--message-format", "json"]);
        for package in packages {
            cargo.args(["--package", package]);
        }
        let built = cargo.stderr(Stdio::inherit()).output().map_err(|error| format!("cargo: {error}"))?;
        if !built.status.success() {
            return Err("the tests could not be built".to_owned());
        }
        let messages = String::from_utf8_lossy(&built.stdout);
        Ok(Binaries(messages.lines().filter_map(test_program).collect()))
    }

    /// Runs all that shows a bar, one after the other.
    pub(crate) fn run(&self, bar: &Bar) -> Vec<Trial> {
        bar.shown.iter().map(|shown| self.trial(bar, shown)).collect()
    }

    fn trial(&self, bar: &Bar, shown: &Shown) -> Trial {
        let trial = match shown {
            Shown::Tests(package, names) => self.tests(package, "it", names),
            Shown::Units(package, names) => self.tests(package, &package.replace('-', "_"), names),
            Shown::Browser(name) => {
                let mut suite = Command::new("tests/browser/run");
                suite.arg(name).current_dir(root()).env("BACKSTORY_BIN", "target/release/backstory");
                finish(suite)
            }
            Shown::Later(_) => Trial { failure: None, output: String::new() },
        };
        keep(bar.id, &trial.output);
        trial
    }

    fn tests(&self, package: &str, target: &str, names: &[&str]) -> Trial {
        let Some(program) = self.0.get(&(package.to_owned(), target.to_owned())) else {
            return Trial {
                failure: Some(format!("`{package}` has no tests `{target}`")),
                output: String::new(),
            };
        };
        let mut command = Command::new(program);
        command.args(["--exact", "--show-output", "--test-threads", "1"]).args(names);
        let folder = package.strip_prefix("backstory-").unwrap_or(package);
        command.current_dir(root().join("crates").join(folder)).env("BACKSTORY_TORTURE", "1");
        let mut trial = finish(command);
        // A name that does not exist is passed over without a word.
        let all_ran = trial.output.contains(&format!("test result: ok. {} passed", names.len()));
        if trial.failure.is_none() && !all_ran {
            trial.failure = Some("not all of its tests exist".to_owned());
        }
        trial
    }
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
fn finish(mut command: Command) -> Trial {
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

/// Keeps all that was printed for a bar, for whoever wants to know more.
fn keep(id: &str, output: &str) {
    let folder = root().join("target/torture");
    drop(fs::create_dir_all(&folder));
    let file = fs::OpenOptions::new().create(true).append(true).open(folder.join(format!("{id}.log")));
    drop(file.and_then(|mut file| std::io::Write::write_all(&mut file, output.as_bytes())));
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new(".")).to_owned()
}
