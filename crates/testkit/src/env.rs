//! The binary under test in a temporary world: home, project folder, frozen clock.

#[cfg(unix)]
use crate::terminal;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A temporary world: a home, a project folder, a frozen clock.
#[derive(Debug)]
pub struct TestEnv {
    binary: PathBuf,
    world: TempDir,
    variables: Vec<(&'static str, &'static str)>,
}

/// Exit code and output of a run of the binary.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct ProgramOutput {
    /// The exit code; `None` when a signal ended it.
    pub code: Option<i32>,
    /// Standard output, with temporary paths replaced by `[WORLD]`.
    pub stdout: String,
    /// Standard error, with temporary paths replaced by `[WORLD]`.
    pub stderr: String,
}

/// The frozen clock: 2026-05-01 12:00 UTC.
const NOW_MS: i64 = 1_777_636_800_000;

/// Passes on what no program of Windows can do without: where the system and its random numbers are.
fn keep_system_variables(command: &mut Command) {
    for name in ["SystemRoot", "SystemDrive", "ComSpec", "PATHEXT", "TEMP"] {
        #[expect(clippy::disallowed_methods, reason = "the place of the system, which no test chooses")]
        if let Some(value) = std::env::var_os(name).filter(|_| cfg!(windows)) {
            command.env(name, value);
        }
    }
}

/// Returns nothing to read from: without a terminal, tests call the binary as an agent does.
#[cfg(windows)]
fn terminal() -> Stdio {
    Stdio::null()
}

impl TestEnv {
    /// Creates a world for a binary.
    ///
    /// # Panics
    ///
    /// When the temporary directory cannot be made.
    #[must_use]
    pub fn new(binary: impl Into<PathBuf>) -> TestEnv {
        let world = tempfile::tempdir().expect("a temporary directory");
        for dir in ["user", "project", "run"] {
            fs::create_dir(world.path().join(dir)).expect("a directory in a temporary one");
        }
        TestEnv { binary: binary.into(), world, variables: Vec::new() }
    }

    /// Sets an environment variable for every run.
    #[must_use]
    pub fn with(mut self, variable: &'static str, value: &'static str) -> TestEnv {
        self.variables.push((variable, value));
        self
    }

    /// Returns the temporary directory.
    #[must_use]
    pub fn world(&self) -> &Path {
        self.world.path()
    }

    /// Returns the data directory of the binary.
    #[must_use]
    pub fn home(&self) -> PathBuf {
        let data = if cfg!(windows) { "user/AppData/Local" } else { "user/.local/share" };
        self.world().join(data).join("backstory")
    }

    /// Returns the folder commands run in.
    #[must_use]
    pub fn project(&self) -> PathBuf {
        self.world().join("project")
    }

    /// Prepares a run of the binary with a cleared environment, at a terminal: without one, its caller counts as an agent.
    #[must_use]
    pub fn command<I: IntoIterator<Item = S>, S: AsRef<OsStr>>(&self, arguments: I) -> Command {
        let mut command = Command::new(&self.binary);
        command.args(arguments).current_dir(self.project()).env_clear();
        command.env("HOME", self.world().join("user")).env("PATH", "/usr/bin:/bin");
        command.env("XDG_RUNTIME_DIR", self.world().join("run"));
        keep_system_variables(&mut command);
        command.env("USERPROFILE", self.world().join("user"));
        command.env("BACKSTORY_NOW_MS", NOW_MS.to_string());
        // Times are written by the user's own clock.
        command.env("TZ", "UTC");
        // Housekeeping runs detached; tests that need it turn it on.
        command.env("BACKSTORY_RETENTION_BACKUPS", "0");
        // Few tests need vectors, and the model costs time; those turn it on.
        command.env("BACKSTORY_RECALL_VECTORS", "false");
        command.envs(self.variables.iter().copied());
        command.stdin(terminal()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs the binary.
    pub fn run<I: IntoIterator<Item = S>, S: AsRef<OsStr>>(&self, arguments: I) -> ProgramOutput {
        self.finish(spawn(&mut self.command(arguments)))
    }

    /// Runs the binary with something on standard input.
    pub fn run_with<I: IntoIterator<Item = S>, S: AsRef<OsStr>>(
        &self,
        arguments: I,
        input: impl AsRef<[u8]>,
    ) -> ProgramOutput {
        let mut command = self.command(arguments);
        let mut child = spawn(command.stdin(Stdio::piped()));
        let mut pipe = child.stdin.take().expect("a pipe");
        // The binary may close its end early; only its answer counts.
        drop(pipe.write_all(input.as_ref()));
        drop(pipe);
        self.finish(child)
    }

    /// Runs the binary as an agent would: without a terminal.
    pub fn run_as_agent<I: IntoIterator<Item = S>, S: AsRef<OsStr>>(&self, arguments: I) -> ProgramOutput {
        self.run_with(arguments, "")
    }

    /// Imports JSON lines as the user's own: from a file, at a terminal.
    ///
    /// # Panics
    ///
    /// When the file cannot be written.
    pub fn import(&self, lines: impl AsRef<[u8]>) -> ProgramOutput {
        let file = self.world().join("import.jsonl");
        fs::write(&file, lines).expect("a file in the world");
        let outcome = self.run([OsStr::new("import"), "--trust".as_ref(), "user".as_ref(), file.as_ref()]);
        fs::remove_file(file).expect("the imported file");
        outcome
    }

    /// Waits for a run to end.
    ///
    /// # Panics
    ///
    /// When it cannot be waited for.
    pub fn finish(&self, child: Child) -> ProgramOutput {
        let output = child.wait_with_output().expect("the end of the process");
        let normalise = |bytes: &[u8]| {
            let text = String::from_utf8_lossy(bytes).into_owned();
            let canonical = self.world().canonicalize().expect("the world's own path");
            text.replace(&*canonical.to_string_lossy(), "[WORLD]")
                .replace(&*self.world().to_string_lossy(), "[WORLD]")
        };
        ProgramOutput {
            code: output.status.code(),
            stdout: normalise(&output.stdout),
            stderr: normalise(&output.stderr),
        }
    }

    /// Returns every file under the data directory.
    #[must_use]
    pub fn files(&self) -> Vec<PathBuf> {
        files_under(&self.home())
    }

    /// Returns the files under the data directory that hold these bytes.
    #[must_use]
    pub fn files_holding(&self, needle: &[u8]) -> Vec<PathBuf> {
        let holds = |path: &PathBuf| fs::read(path).is_ok_and(|bytes| holds(&bytes, needle));
        self.files().into_iter().filter(holds).collect()
    }

    /// Returns the processes that were started in this world and still run.
    #[must_use]
    pub fn processes(&self) -> Vec<PathBuf> {
        let world = self.world().as_os_str().as_encoded_bytes();
        let is_ours = |process: &PathBuf| {
            let is_gone = fs::read_to_string(process.join("stat")).is_ok_and(|stat| stat.contains(") Z "));
            let environ = fs::read(process.join("environ")).unwrap_or_default();
            // While a process becomes another program it has no environment for a moment. It keeps its folder.
            let is_inside =
                || fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd.starts_with(self.world()));
            !is_gone && (holds(&environ, world) || environ.is_empty() && is_inside())
        };
        let all = fs::read_dir("/proc").into_iter().flatten().flatten().map(|entry| entry.path());
        all.filter(is_ours).collect()
    }

    /// Returns every file of the world that is not in the data directory, with what it holds.
    #[must_use]
    pub fn files_of_others(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let theirs = files_under(self.world()).into_iter().filter(|path| !path.starts_with(self.home()));
        theirs.map(|path| (path.clone(), fs::read(path).unwrap_or_default())).collect()
    }
}

impl TestEnv {
    /// Waits until what hooks started beside themselves is done.
    pub fn wait_for_background(&self) {
        let patience = Instant::now() + Duration::from_secs(10);
        while !self.processes().is_empty() && Instant::now() < patience {
            std::thread::yield_now();
        }
    }
}

impl Drop for TestEnv {
    /// Waits for detached housekeeping: it would recreate half of the world after its removal.
    fn drop(&mut self) {
        self.wait_for_background();
    }
}

fn holds(bytes: &[u8], needle: &[u8]) -> bool {
    let Some(first) = needle.first() else { return true };
    let starts = bytes.iter().enumerate().filter(|(_, byte)| *byte == first);
    starts.map(|(at, _)| bytes.get(at..).unwrap_or_default()).any(|rest| rest.starts_with(needle))
}

/// Starts a program. Retries while the file is busy: a child that another test is starting may hold it open for writing until its exec.
fn spawn(command: &mut Command) -> Child {
    let patience = Instant::now() + Duration::from_secs(10);
    loop {
        match command.spawn() {
            Err(error) if error.kind() == ErrorKind::ExecutableFileBusy && Instant::now() < patience => {
                std::thread::yield_now();
            }
            spawned => return spawned.expect("the binary under test"),
        }
    }
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
