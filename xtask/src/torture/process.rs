//! Runs a program until it exits or its deadline, and leaves no process of it behind.
//!
//! The program gets a process group of its own, which is killed as a whole: a hanging test mostly waits for a child. A terminal's interrupt
//! does not reach the group; it ends by itself, at the latest when its output pipe is closed.

use rustix::process::{Pid, Signal, kill_process_group};
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// How long to read after killing a group: a process that left the group may still hold the pipe.
const DRAIN: Duration = Duration::from_secs(5);

/// How a program ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ProgramEnd {
    /// Exit code 0.
    Success,
    /// Another exit code or a signal, or it did not start; the reason.
    Failure(String),
    /// Killed at the deadline.
    Killed,
}

/// Runs a program, and returns how it ended with all output of it and its children.
pub(crate) fn finish(command: &mut Command, until: Instant) -> (ProgramEnd, String) {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => {
            let why = format!("cannot run {}: {error}", command.get_program().display());
            return (ProgramEnd::Failure(why), String::new());
        }
    };
    let (output, is_over) = read_output(&mut child, until);
    let ended = match child.wait() {
        _ if is_over => ProgramEnd::Killed,
        Ok(status) if status.success() => ProgramEnd::Success,
        Ok(status) => ProgramEnd::Failure(status.to_string()),
        Err(error) => ProgramEnd::Failure(error.to_string()),
    };
    // Children it did not wait for.
    kill_group(&child);
    (ended, output)
}

/// Returns the output of a group until its last process ends, and whether it had to be killed.
fn read_output(child: &mut Child, until: Instant) -> (String, bool) {
    let (sender, streams) = mpsc::channel();
    for stream in [child.stdout.take().map(boxed), child.stderr.take().map(boxed)].into_iter().flatten() {
        let sender = sender.clone();
        std::thread::spawn(move || drop(sender.send(all_of(stream))));
    }
    drop(sender);
    let (mut output, mut until, mut is_over) = (String::new(), until, false);
    loop {
        match streams.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(some) => output += &some,
            Err(RecvTimeoutError::Timeout) if !is_over => {
                kill_group(child);
                (until, is_over) = (Instant::now() + DRAIN, true);
            }
            Err(_) => return (output, is_over),
        }
    }
}

fn kill_group(child: &Child) {
    // The group may be gone already.
    kill_process_group(Pid::from_child(child), Signal::KILL).ok();
}

fn boxed(stream: impl Read + Send + 'static) -> Box<dyn Read + Send> {
    Box::new(stream)
}

fn all_of(mut stream: Box<dyn Read + Send>) -> String {
    let mut bytes = Vec::new();
    drop(stream.read_to_end(&mut bytes));
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn shell(line: &str, until: Instant) -> (ProgramEnd, String) {
        finish(Command::new("sh").args(["-c", line]), until)
    }

    #[test]
    fn the_exit_of_a_program_is_reported() {
        let soon = Instant::now() + Duration::from_secs(60);
        assert_eq!(shell("echo here; echo there >&2", soon).0, ProgramEnd::Success);
        assert_eq!(shell("echo here", soon).1, "here\n");
        assert!(matches!(shell("exit 3", soon).0, ProgramEnd::Failure(why) if why.contains('3')));
        let nothing = finish(&mut Command::new("./no-such-program"), soon).0;
        assert!(matches!(nothing, ProgramEnd::Failure(why) if why.contains("no-such-program")));
    }

    /// A test that waits for a child which holds the same pipe: both are killed.
    #[test]
    fn at_the_deadline_a_program_is_killed_with_its_children() {
        let (ended, output) = shell("sleep 600 & echo $!; wait", Instant::now() + Duration::from_millis(300));
        assert_eq!(ended, ProgramEnd::Killed);
        assert!(is_gone(output.trim()), "{output}");
    }

    #[test]
    fn children_left_behind_are_killed() {
        let soon = Instant::now() + Duration::from_secs(60);
        let (ended, output) = shell("sleep 600 >/dev/null 2>&1 & echo $!", soon);
        assert_eq!(ended, ProgramEnd::Success);
        assert!(is_gone(output.trim()), "{output}");
    }

    /// Whether a process has ended; a killed one may take a moment.
    fn is_gone(pid: &str) -> bool {
        assert!(pid.parse::<u32>().is_ok(), "{pid}");
        let stat = PathBuf::from("/proc").join(pid).join("stat");
        let patience = Instant::now() + Duration::from_secs(10);
        let lives = || std::fs::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") Z "));
        while lives() && Instant::now() < patience {
            std::thread::yield_now();
        }
        !lives()
    }
}
