//! Tests that run in processes of their own, so that they can be limited and killed.

use crate::test_store::TestHome;
use backstory_store::Home;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

const CHILD_HOME: &str = "BACKSTORY_TEST_CHILD_HOME";

/// A command that runs one test of this binary in a process of its own, on `home`.
pub(crate) fn child(test: &str, home: &Home) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--nocapture"]).env(CHILD_HOME, home.root());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The same through a shell that first does `preparation`.
#[cfg(unix)]
pub(crate) fn child_after(preparation: &str, test: &str, home: &Home) -> Command {
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("{preparation}; exec \"$0\" --exact {test} --nocapture"));
    command.arg(std::env::current_exe().unwrap()).env(CHILD_HOME, home.root());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The home a child runs on; `None` in an ordinary run, where such a test has nothing to do.
#[expect(clippy::disallowed_methods, reason = "how a parent speaks to its child")]
pub(crate) fn child_home() -> Option<TestHome> {
    std::env::var_os(CHILD_HOME).map(|root| Home::new(PathBuf::from(root)).into())
}

/// Prints a line for the parent, which the test harness does not capture.
pub(crate) fn report(line: &str) {
    let mut out = std::io::stdout().lock();
    // One write a line: the parent may kill us at any byte.
    out.write_all(format!("\nreport:{line}\n").as_bytes()).unwrap();
    out.flush().unwrap();
}

/// The lines a child reported.
pub(crate) fn reports(output: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(output);
    // A line the child could not finish is no acknowledgement.
    let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
    whole.lines().filter_map(|line| line.strip_prefix("report:").map(str::to_owned)).collect()
}

/// Runs a child that must succeed, and returns what it reported.
pub(crate) fn run(mut command: Command) -> Vec<String> {
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "{}\n{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    reports(&output.stdout)
}
