//! A child that is ended with everything it started, and one that goes on when we have ended.

use std::io::{self, Read};
use std::process::{ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Output};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// How long to sleep between two looks at a child that closed its output and goes on.
const BETWEEN_LOOKS: Duration = Duration::from_millis(5);

#[cfg(unix)]
type SystemChild = std::process::Child;
#[cfg(windows)]
type SystemChild = Box<dyn process_wrap::std::ChildWrapper>;

/// Makes a command start apart from this process: the signals of our terminal do not reach it, and it goes on when we end.
#[cfg(unix)]
pub fn detached(command: &mut Command) -> &mut Command {
    use std::os::unix::process::CommandExt;
    command.process_group(0)
}

/// Makes a command start apart from this process: it has no console, so that closing ours does not end it, and none of our streams, so
/// that nobody who reads them waits for it.
#[cfg(windows)]
pub fn detached(command: &mut Command) -> &mut Command {
    use std::os::windows::process::CommandExt;
    keep_own_streams();
    /// `CREATE_NEW_PROCESS_GROUP` and `CREATE_NO_WINDOW`.
    const APART: u32 = 0x0000_0200 | 0x0800_0000;
    command.creation_flags(APART)
}

/// Puts copies in the place of the streams this process was given. A child gets everything that can be inherited, beside the streams it is
/// given: what we were given can be, a copy cannot.
#[cfg(windows)]
fn keep_own_streams() {
    use filedescriptor::{FileDescriptor, StdioDescriptor};
    // Where there is no stream there is nothing to keep.
    drop(FileDescriptor::redirect_stdio(&io::stdin(), StdioDescriptor::Stdin));
    drop(FileDescriptor::redirect_stdio(&io::stdout(), StdioDescriptor::Stdout));
    drop(FileDescriptor::redirect_stdio(&io::stderr(), StdioDescriptor::Stderr));
}

/// A child and everything it starts. Dropping it ends them all.
#[derive(Debug)]
pub struct ChildGroup {
    child: SystemChild,
    /// Whether the child was waited for: its id may then belong to another process.
    is_over: bool,
}

impl ChildGroup {
    /// Starts a command as the first of a group of its own: the signals of our terminal do not reach it.
    #[cfg(unix)]
    pub fn spawn(command: &mut Command) -> io::Result<ChildGroup> {
        Ok(ChildGroup { child: detached(command).spawn()?, is_over: false })
    }

    /// Starts a command in a job of its own: what it starts belongs to the job as well.
    #[cfg(windows)]
    pub fn spawn(command: &mut Command) -> io::Result<ChildGroup> {
        use process_wrap::std::{CommandWrap, JobObject};
        // The wrapper wants the command for itself; its caller has no further use for it.
        let command = std::mem::replace(command, Command::new(""));
        let child = CommandWrap::from(command).wrap(JobObject).spawn()?;
        Ok(ChildGroup { child, is_over: false })
    }

    /// Starts a program that belongs to the group this process leads.
    #[cfg(unix)]
    pub fn spawn_in_own_group(command: &mut Command) -> io::Result<ChildGroup> {
        Ok(ChildGroup { child: command.spawn()?, is_over: false })
    }

    /// Starts a program in a job within the one of this process.
    #[cfg(windows)]
    pub fn spawn_in_own_group(command: &mut Command) -> io::Result<ChildGroup> {
        ChildGroup::spawn(command)
    }

    /// Returns the id of the child.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Takes the writing end of the child's input, if it was piped.
    pub fn take_stdin(&mut self) -> Option<ChildStdin> {
        pipes::stdin(&mut self.child).take()
    }

    /// Takes the reading end of the child's output, if it was piped.
    pub fn take_stdout(&mut self) -> Option<ChildStdout> {
        pipes::stdout(&mut self.child).take()
    }

    fn take_stderr(&mut self) -> Option<ChildStderr> {
        pipes::stderr(&mut self.child).take()
    }

    /// Whether the child has ended, or cannot be looked at. What it started may go on.
    pub fn has_ended(&mut self) -> bool {
        !matches!(self.try_wait(), Ok(None))
    }

    fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        let status = self.child.try_wait()?;
        self.is_over |= status.is_some();
        Ok(status)
    }

    /// Waits until the child has ended and its output is closed, and returns what it printed: nothing where that takes too long.
    pub fn output_within(mut self, patience: Duration) -> io::Result<Option<Output>> {
        let until = Instant::now() + patience;
        let (stdout, stderr) = (collect(self.take_stdout()), collect(self.take_stderr()));
        let left = || until.saturating_duration_since(Instant::now());
        let (Ok(stdout), Ok(stderr)) = (stdout.recv_timeout(left()), stderr.recv_timeout(left())) else {
            return Ok(None);
        };
        loop {
            if let Some(status) = self.try_wait()? {
                return Ok(Some(Output { status, stdout, stderr }));
            }
            if left().is_zero() {
                return Ok(None);
            }
            thread::park_timeout(BETWEEN_LOOKS);
        }
    }

    /// Ends the child and everything it started.
    #[cfg(unix)]
    pub fn kill(&mut self) {
        // After the wait, the id may belong to another process.
        if !self.is_over {
            crate::processes::kill_group(self.child.id());
            // One in our own group leads none.
            drop(self.child.kill());
            // Killed or finished: the wait is short.
            drop(self.child.wait());
            self.is_over = true;
        }
    }

    /// Ends the child and everything it started.
    #[cfg(windows)]
    pub fn kill(&mut self) {
        // The job is still there when its first process is not. One that has ended already cannot be ended.
        drop(self.child.start_kill());
    }
}

impl Drop for ChildGroup {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Reads a pipe to its end on a thread: a full pipe on one side must not block the other.
fn collect(pipe: Option<impl Read + Send + 'static>) -> mpsc::Receiver<Vec<u8>> {
    let (done, bytes) = mpsc::channel();
    thread::spawn(move || {
        let mut read = Vec::new();
        if let Some(mut pipe) = pipe {
            drop(pipe.read_to_end(&mut read));
        }
        // Nobody waits any more: the time was over.
        drop(done.send(read));
    });
    bytes
}

#[cfg(unix)]
mod pipes {
    use super::{ChildStderr, ChildStdin, ChildStdout, SystemChild};

    pub(super) fn stdin(child: &mut SystemChild) -> &mut Option<ChildStdin> {
        &mut child.stdin
    }

    pub(super) fn stdout(child: &mut SystemChild) -> &mut Option<ChildStdout> {
        &mut child.stdout
    }

    pub(super) fn stderr(child: &mut SystemChild) -> &mut Option<ChildStderr> {
        &mut child.stderr
    }
}

#[cfg(windows)]
mod pipes {
    use super::{ChildStderr, ChildStdin, ChildStdout, SystemChild};

    pub(super) fn stdin(child: &mut SystemChild) -> &mut Option<ChildStdin> {
        child.stdin()
    }

    pub(super) fn stdout(child: &mut SystemChild) -> &mut Option<ChildStdout> {
        child.stdout()
    }

    pub(super) fn stderr(child: &mut SystemChild) -> &mut Option<ChildStderr> {
        child.stderr()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Stdio;

    fn piped(program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    #[cfg(unix)]
    #[test]
    fn what_a_child_prints_is_collected_and_one_that_goes_on_is_ended_with_its_own() {
        let mut said = piped("/bin/sh", &["-c", "cat; echo other >&2"]);
        let mut child = ChildGroup::spawn(&mut said).unwrap();
        std::io::Write::write_all(&mut child.take_stdin().unwrap(), b"words").unwrap();
        let output = child.output_within(Duration::from_secs(60)).unwrap().unwrap();
        assert_eq!((output.stdout.as_slice(), output.stderr.as_slice()), (&b"words"[..], &b"other\n"[..]));
        let child = ChildGroup::spawn(&mut piped("/bin/sh", &["-c", "sleep 1000 & sleep 1000"])).unwrap();
        assert!(child.output_within(Duration::from_millis(1)).unwrap().is_none());
    }

    /// Runs this very test in another process. A variable says what it is to be, and names a folder.
    fn as_another(part: &str, folder: &std::path::Path) -> Command {
        let mut command = Command::new(std::env::current_exe().unwrap());
        let name = concat!(module_path!(), "::nobody_who_reads_our_output_waits_for_what_goes_on_apart");
        command.args(["--exact", name.split_once("::").unwrap().1, "--nocapture"]).env(part, folder);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    #[test]
    fn nobody_who_reads_our_output_waits_for_what_goes_on_apart() {
        const STARTER: &str = "BACKSTORY_TEST_STARTER";
        const APART: &str = "BACKSTORY_TEST_APART";
        #[expect(clippy::disallowed_methods, reason = "how this test tells its processes what they are")]
        let named = |part: &str| std::env::var_os(part).map(std::path::PathBuf::from);
        if let Some(folder) = named(APART) {
            // Until it is let go; should it be waited for, that is not for ever.
            let until = Instant::now() + Duration::from_secs(60);
            while !folder.join("let-go").exists() && Instant::now() < until {
                thread::park_timeout(BETWEEN_LOOKS);
            }
            std::fs::write(folder.join("over"), "").unwrap();
        } else if let Some(folder) = named(STARTER) {
            detached(as_another(APART, &folder).env_remove(STARTER)).spawn().map(drop).unwrap();
        } else {
            let folder = tempfile::tempdir().unwrap();
            let mut starter = as_another(STARTER, folder.path());
            let starter = starter.stdout(Stdio::piped()).stderr(Stdio::piped()).output().unwrap();
            assert!(starter.status.success() && !folder.path().join("over").exists(), "{starter:?}");
            std::fs::write(folder.path().join("let-go"), "").unwrap();
            // Its end, because it stands in the folder.
            while !folder.path().join("over").exists() {
                thread::park_timeout(BETWEEN_LOOKS);
            }
        }
    }

    #[cfg(windows)]
    #[test]
    fn what_a_child_prints_is_collected_and_one_that_goes_on_is_ended() {
        let child = ChildGroup::spawn(&mut piped("cmd.exe", &["/c", "echo words"])).unwrap();
        let output = child.output_within(Duration::from_secs(60)).unwrap().unwrap();
        assert_eq!(output.stdout.trim_ascii_end(), b"words");
        // It waits for input that does not come.
        let mut child = ChildGroup::spawn(&mut piped("cmd.exe", &["/c", "pause"])).unwrap();
        child.kill();
        while !child.has_ended() {
            thread::yield_now();
        }
    }
}
