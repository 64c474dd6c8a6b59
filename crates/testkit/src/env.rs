//! The binary under test, in a world of its own.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// A temporary world: a home, a project folder, a frozen clock.
#[derive(Debug)]
pub struct TestEnv {
    binary: PathBuf,
    world: TempDir,
}

/// How a run of the binary ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Outcome {
    /// The exit code; `None` when a signal ended it.
    pub code: Option<i32>,
    /// What it printed, with temporary paths made steady.
    pub stdout: String,
    /// What it said, with temporary paths made steady.
    pub stderr: String,
}

/// The time it is in the world: 2026-05-01 12:00 UTC.
const NOW_MS: i64 = 1_777_636_800_000;

impl TestEnv {
    /// Makes a world for a binary.
    ///
    /// # Panics
    ///
    /// When the temporary directory cannot be made.
    #[must_use]
    pub fn new(binary: impl Into<PathBuf>) -> TestEnv {
        let world = tempfile::tempdir().expect("a temporary directory");
        for dir in ["user", "project"] {
            fs::create_dir(world.path().join(dir)).expect("a directory in a temporary one");
        }
        TestEnv { binary: binary.into(), world }
    }

    /// Returns the directory everything lies in.
    #[must_use]
    pub fn world(&self) -> &Path {
        self.world.path()
    }

    /// Returns the data directory of the binary.
    #[must_use]
    pub fn home(&self) -> PathBuf {
        self.world().join("user/.local/share/backstory")
    }

    /// Returns the folder commands run in.
    #[must_use]
    pub fn project(&self) -> PathBuf {
        self.world().join("project")
    }

    /// Prepares a run of the binary with nothing of the real environment.
    #[must_use]
    pub fn command<I: IntoIterator<Item = S>, S: AsRef<OsStr>>(&self, arguments: I) -> Command {
        let mut command = Command::new(&self.binary);
        command.args(arguments).current_dir(self.project()).env_clear();
        command.env("HOME", self.world().join("user")).env("PATH", "/usr/bin:/bin");
        command.env("BACKSTORY_NOW_MS", NOW_MS.to_string());
        // Housekeeping runs detached; a test that wants it says so.
        command.env("BACKSTORY_RETENTION_BACKUPS", "0");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs the binary.
    pub fn run<I: IntoIterator<Item = S>, S: AsRef<OsStr>>(&self, arguments: I) -> Outcome {
        self.finish(spawn(&mut self.command(arguments)))
    }

    /// Runs the binary with something on standard input.
    pub fn run_with<I: IntoIterator<Item = S>, S: AsRef<OsStr>>(
        &self,
        arguments: I,
        input: impl AsRef<[u8]>,
    ) -> Outcome {
        let mut command = self.command(arguments);
        let mut child = spawn(command.stdin(Stdio::piped()));
        let mut pipe = child.stdin.take().expect("a pipe");
        // A binary that has heard enough may close its end; its answer is what counts.
        drop(pipe.write_all(input.as_ref()));
        drop(pipe);
        self.finish(child)
    }

    /// Waits for a run to end.
    ///
    /// # Panics
    ///
    /// When it cannot be waited for.
    pub fn finish(&self, child: Child) -> Outcome {
        let output = child.wait_with_output().expect("the end of the process");
        let steady = |bytes: &[u8]| {
            let text = String::from_utf8_lossy(bytes).into_owned();
            let canonical = self.world().canonicalize().expect("the world's own path");
            text.replace(&*canonical.to_string_lossy(), "[WORLD]")
                .replace(&*self.world().to_string_lossy(), "[WORLD]")
        };
        Outcome { code: output.status.code(), stdout: steady(&output.stdout), stderr: steady(&output.stderr) }
    }

    /// Returns every file under the data directory.
    #[must_use]
    pub fn files(&self) -> Vec<PathBuf> {
        files_under(&self.home())
    }
}

fn spawn(command: &mut Command) -> Child {
    command.spawn().expect("the binary under test")
}

fn files_under(dir: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { files.extend(files_under(&path)) } else { files.push(path) }
    }
    files.sort();
    files
}
