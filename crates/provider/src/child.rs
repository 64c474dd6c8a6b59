//! Runs a program behind the watchdog: sends its input, collects its output, and leaves no process behind.

use crate::{MOST_ANSWER_BYTES, ModelError};
use backstory_platform::{ChildGroup, startable_program};
use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// Fits into the buffer of a pipe, so that writing the input never blocks: the deadline covers only reading.
const MOST_INPUT_BYTES: usize = 60 * 1024;

/// How the programs of models are run.
#[derive(Clone, Debug)]
pub struct ProgramRunner {
    /// Prefix of the command that makes `run_watchdog` start a program.
    pub watchdog: Vec<OsString>,
    /// The folder it runs in, which is ours and empty.
    pub directory: PathBuf,
    /// The environment variable that marks its children as started by us.
    pub mark: &'static str,
    /// Environment variables it must not see: they say that it runs inside of a host.
    pub hidden: &'static [&'static str],
    /// How long it may take.
    pub deadline: Duration,
}

impl ProgramRunner {
    /// Begins the command that runs a program.
    pub(crate) fn command(&self, program: &str) -> Result<Command, ModelError> {
        let (watchdog, before) =
            self.watchdog.split_first().ok_or(ModelError::Unreachable("no watchdog is set"))?;
        let mut command = Command::new(watchdog);
        command.args(before).arg(startable_program(program)).current_dir(&self.directory);
        for name in self.hidden {
            command.env_remove(name);
        }
        // Inherited from a session around us, this variable would name the user's project.
        command.env(self.mark, "1").env("CLAUDE_PROJECT_DIR", &self.directory);
        Ok(command)
    }

    /// Writes a file into the folder programs run in.
    pub(crate) fn write(&self, name: &str, text: &str) -> Result<PathBuf, ModelError> {
        let path = self.directory.join(name);
        let written = path.parent().map_or(Ok(()), std::fs::create_dir_all);
        written
            .and_then(|()| std::fs::write(&path, text))
            .map_err(|_| ModelError::Unreachable("its folder cannot be written"))?;
        Ok(path)
    }

    /// Makes an empty folder in the one that programs run in.
    pub(crate) fn emptied_folder(&self, name: &str) -> Result<PathBuf, ModelError> {
        let folder = self.directory.join(name);
        let emptied = match std::fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
            _ => std::fs::create_dir_all(&folder),
        };
        emptied.map_err(|_| ModelError::Unreachable("its folder cannot be written"))?;
        Ok(folder)
    }

    /// Runs a command, which starts the watchdog and through it the program; returns what the program prints.
    pub(crate) fn run(&self, command: &mut Command, input: &str) -> Result<Vec<u8>, ModelError> {
        if input.len() > MOST_INPUT_BYTES {
            return Err(ModelError::Unreachable("the request is too large"));
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut group =
            ChildGroup::spawn(command).map_err(|_| ModelError::Unreachable("it cannot be started"))?;
        // Stays open until we return or die, even by SIGKILL. When it closes, the watchdog kills the program.
        let mut lifeline = group.take_stdin().ok_or(ModelError::ProgramFailed)?;
        let length = u32::try_from(input.len()).unwrap_or(0).to_le_bytes();
        lifeline
            .write_all(&length)
            .and_then(|()| lifeline.write_all(input.as_bytes()))
            .map_err(|_| ModelError::ProgramFailed)?;
        let mut output = group.take_stdout().ok_or(ModelError::ProgramFailed)?;
        // A read has no timeout, so another thread reads. It ends when the group is killed and the pipe closes.
        let (done, printed) = mpsc::channel();
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            // One byte more than allowed shows that the answer is too large.
            let read = output.by_ref().take(MOST_ANSWER_BYTES as u64 + 1).read_to_end(&mut bytes);
            // Sending fails after the deadline, when the receiver is gone.
            drop(done.send(read.map(|_| bytes)));
        });
        let printed = printed.recv_timeout(self.deadline).map_err(|_| ModelError::TimedOut)?;
        drop(group);
        match printed.map_err(|_| ModelError::ProgramFailed)? {
            bytes if bytes.len() > MOST_ANSWER_BYTES => Err(ModelError::TooLarge),
            // The watchdog ends by killing itself, so no exit status can report a failure: no output does.
            bytes if bytes.is_empty() => Err(ModelError::ProgramFailed),
            bytes => Ok(bytes),
        }
    }
}
