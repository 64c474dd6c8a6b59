//! One git process with a time limit.
//!
//! Threads carry the bytes, because a full pipe on one side must not block the other. They are not joined, because a process that
//! git left behind could hold the pipe open. What git printed in time counts, even if git was killed before it finished.

use backstory_platform::{in_own_group, kill_group};
use std::io::{Read, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// Variables that would point git elsewhere, make it write, or change its output: git's own list of variables of one repository,
/// and those that call other programs.
const NOT_INHERITED: [&str; 28] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_ATTR_SOURCE",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_DIFF_OPTS",
    "GIT_DIR",
    "GIT_EXTERNAL_DIFF",
    "GIT_GLOB_PATHSPECS",
    "GIT_GRAFT_FILE",
    "GIT_ICASE_PATHSPECS",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_LITERAL_PATHSPECS",
    "GIT_NAMESPACE",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_REFERENCE_BACKEND",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_TRACE",
    "GIT_TRACE2",
    "GIT_TRACE2_EVENT",
    "GIT_WORK_TREE",
];

/// How many pieces of output may wait for the reader.
const MOST_WAITING: usize = 16;

/// How reading git's output ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReadEnd {
    /// Git printed everything.
    Everything,
    /// The reader had enough.
    Enough,
    /// The deadline passed.
    Late,
}

/// Runs git in a folder and returns what it prints until `deadline`, about `most_bytes` at most.
pub(super) fn ask(
    root: &Path,
    arguments: &[&str],
    input: Vec<u8>,
    most_bytes: usize,
    deadline: Duration,
) -> Vec<u8> {
    let mut answer = Vec::new();
    converse(root, arguments, input, deadline, &mut |bytes| {
        answer.extend(bytes);
        if answer.len() < most_bytes { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    answer
}

/// Runs git in a folder and passes on its output as it arrives, until `deadline` or until `on_bytes` breaks off.
pub(super) fn converse(
    root: &Path,
    arguments: &[&str],
    input: Vec<u8>,
    deadline: Duration,
    on_bytes: &mut dyn FnMut(&[u8]) -> ControlFlow<()>,
) -> ReadEnd {
    let until = Instant::now() + deadline;
    let mut command = command(root, arguments);
    command.stdin(if input.is_empty() { Stdio::null() } else { Stdio::piped() });
    let Ok(mut child) = command.spawn() else { return ReadEnd::Everything };
    if let Some(mut stdin) = child.stdin.take() {
        // If git stops reading its input, it has a reason, and the output shows it.
        thread::spawn(move || stdin.write_all(&input).ok());
    }
    let output = child.stdout.take().map(listen);
    let bytes = output.map_or(ReadEnd::Everything, |output| pass_on(&output, until, on_bytes));
    end(&mut child);
    bytes
}

fn command(root: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("git");
    command.args(["--no-pager", "--no-optional-locks"]);
    // A monitor is a program that the repository chooses. Nothing is fetched that a partial clone left out.
    command.args(["-c", "core.fsmonitor=false", "-c", "protocol.allow=never", "-c", "core.quotePath=false"]);
    command.args(["-c", "diff.renameLimit=400", "-c", "status.renames=true"]);
    command.args(arguments).current_dir(root);
    for name in NOT_INHERITED {
        command.env_remove(name);
    }
    command.envs([
        ("GIT_OPTIONAL_LOCKS", "0"),
        ("GIT_TERMINAL_PROMPT", "0"),
        ("GIT_NO_LAZY_FETCH", "1"),
        ("LC_ALL", "C"),
    ]);
    command.stdout(Stdio::piped()).stderr(Stdio::null());
    // A process group of its own: processes that git starts end with it, and the host's own signals do not reach it.
    in_own_group(&mut command);
    command
}

fn listen(mut stdout: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    // A history can be larger than memory: git waits for the reader.
    let (sender, output) = mpsc::sync_channel(MOST_WAITING);
    thread::spawn(move || {
        let mut buffer = vec![0; 64 * 1024];
        while let Ok(count @ 1..) = stdout.read(&mut buffer) {
            let bytes = buffer.get(..count).unwrap_or_default().to_vec();
            if sender.send(bytes).is_err() {
                break;
            }
        }
    });
    output
}

fn pass_on(
    output: &Receiver<Vec<u8>>,
    until: Instant,
    on_bytes: &mut dyn FnMut(&[u8]) -> ControlFlow<()>,
) -> ReadEnd {
    loop {
        let left = until.saturating_duration_since(Instant::now());
        match output.recv_timeout(left) {
            Ok(bytes) if on_bytes(&bytes).is_break() => return ReadEnd::Enough,
            Ok(_) => {}
            Err(RecvTimeoutError::Timeout) => return ReadEnd::Late,
            Err(RecvTimeoutError::Disconnected) => return ReadEnd::Everything,
        }
    }
}

fn end(child: &mut Child) {
    // A finished process stays a zombie until it is waited for, so its id cannot belong to another one.
    kill_group(child.id());
    // Killed or finished: the wait is short.
    child.wait().ok();
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::ffi::OsStr;

    #[test]
    fn git_inherits_no_variable_of_another_repository() {
        let Ok(listed) = Command::new("git").args(["rev-parse", "--local-env-vars"]).output() else {
            return eprintln!("SKIPPED: there is no git on this machine");
        };
        let command = command(Path::new("/"), &["status"]);
        let removed: HashSet<&OsStr> =
            command.get_envs().filter(|(_, value)| value.is_none()).map(|(name, _)| name).collect();
        let listed = String::from_utf8(listed.stdout).unwrap();
        assert!(listed.lines().count() > 5, "{listed}");
        for name in listed.lines() {
            assert!(removed.contains(OsStr::new(name)), "{name}");
        }
    }

    #[test]
    fn a_process_that_takes_too_long_is_ended_with_all_it_started() {
        let dir = tempfile::tempdir().unwrap();
        // An alias runs a shell, which starts another program.
        let alias = "alias.wait=!echo $$; sleep 1000 & echo $!; wait";
        let output = ask(dir.path(), &["-c", alias, "wait"], Vec::new(), 1024, Duration::from_millis(400));
        let output = String::from_utf8(output).unwrap();
        if output.is_empty() {
            return eprintln!("SKIPPED: there is no git on this machine, or it is very slow");
        }
        for pid in output.lines() {
            // The system takes a while to reap a killed process; `sleep` would run for much longer.
            let until = Instant::now() + Duration::from_secs(60);
            while runs(pid) {
                assert!(Instant::now() < until, "{pid} still runs");
                thread::yield_now();
            }
        }
    }

    /// Whether a process runs; a zombie does not.
    fn runs(pid: &str) -> bool {
        let listed = Command::new("ps").args(["-o", "stat=", "-p", pid]).output().unwrap();
        let state = String::from_utf8(listed.stdout).unwrap();
        !state.trim().is_empty() && !state.trim_start().starts_with('Z')
    }

    #[test]
    fn a_folder_that_is_not_there_is_no_error() {
        let output = ask(Path::new("/no/such/place"), &["status"], Vec::new(), 1024, Duration::from_secs(5));
        assert_eq!(output, b"");
    }
}
