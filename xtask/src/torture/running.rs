//! Runs a program until it ends or its time is over, and leaves nothing of it running.
//!
//! It gets a process group of its own, which is ended as a whole: a test that hangs mostly waits for something it started. A terminal's
//! interrupt therefore does not reach it; what runs then ends by itself, at the latest when it finds nobody to print to.

use rustix::process::{Pid, Signal, kill_process_group};
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// So long is listened to a group after its end. Who left it in time still holds what it prints to.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// How a program ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// By itself, with success.
    Well,
    /// By itself, or it never began; why.
    Badly(String),
    /// Its time was over.
    ByUs,
}

/// Runs a program, and returns how it ended and all that it and what it started printed.
pub(crate) fn finish(command: &mut Command, until: Instant) -> (Ended, String) {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => {
            let why = format!("cannot run {}: {error}", command.get_program().display());
            return (Ended::Badly(why), String::new());
        }
    };
    let (output, is_over) = listen(&mut child, until);
    let ended = match child.wait() {
        _ if is_over => Ended::ByUs,
        Ok(status) if status.success() => Ended::Well,
        Ok(status) => Ended::Badly(status.to_string()),
        Err(error) => Ended::Badly(error.to_string()),
    };
    // What it started and did not wait for.
    end_group(&child);
    (ended, output)
}

/// Returns what a group prints until its last process ends, and whether it had to be ended.
fn listen(child: &mut Child, until: Instant) -> (String, bool) {
    let (told, streams) = mpsc::channel();
    for stream in [child.stdout.take().map(boxed), child.stderr.take().map(boxed)].into_iter().flatten() {
        let told = told.clone();
        std::thread::spawn(move || drop(told.send(all_of(stream))));
    }
    drop(told);
    let (mut output, mut until, mut is_over) = (String::new(), until, false);
    loop {
        match streams.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(some) => output += &some,
            Err(RecvTimeoutError::Timeout) if !is_over => {
                end_group(child);
                (until, is_over) = (Instant::now() + LAST_WORDS, true);
            }
            Err(_) => return (output, is_over),
        }
    }
}

fn end_group(child: &Child) {
    // A group that is gone needs no end.
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

    fn shell(line: &str, until: Instant) -> (Ended, String) {
        finish(Command::new("sh").args(["-c", line]), until)
    }

    #[test]
    fn what_ends_by_itself_says_how() {
        let soon = Instant::now() + Duration::from_secs(60);
        assert_eq!(shell("echo here; echo there >&2", soon).0, Ended::Well);
        assert_eq!(shell("echo here", soon).1, "here\n");
        assert!(matches!(shell("exit 3", soon).0, Ended::Badly(why) if why.contains('3')));
        let nothing = finish(&mut Command::new("./no-such-program"), soon).0;
        assert!(matches!(nothing, Ended::Badly(why) if why.contains("no-such-program")));
    }

    /// A test hangs on what it started, which prints to the same place: both are ended.
    #[test]
    fn what_is_over_its_time_is_ended_with_all_it_started() {
        let (ended, output) = shell("sleep 600 & echo $!; wait", Instant::now() + Duration::from_millis(300));
        assert_eq!(ended, Ended::ByUs);
        assert!(is_gone(output.trim()), "{output}");
    }

    #[test]
    fn what_was_left_behind_is_ended() {
        let soon = Instant::now() + Duration::from_secs(60);
        let (ended, output) = shell("sleep 600 >/dev/null 2>&1 & echo $!", soon);
        assert_eq!(ended, Ended::Well);
        assert!(is_gone(output.trim()), "{output}");
    }

    /// Whether a process has ended; who was killed may take a moment.
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
