//! One git process with a time limit.
//!
//! Threads carry the bytes, because a full pipe on one side must not block the other. They are not joined, because a process that
//! git left behind could hold the pipe open. What git printed in time counts, even if git was killed before it finished.

use super::safe_tree::SafeTree;
use backstory_platform::{ChildGroup, find_program, variables_with_prefix};
use std::io::{Read, Write};
use std::ops::ControlFlow;
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

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

/// Settings that decide which programs git runs and what it prints, whatever those of the repository and of the user say.
const SETTINGS: [&str; 9] = [
    // A bare repository inside of the work tree arrives with a plain clone, settings included.
    "safe.bareRepository=explicit",
    // A monitor and hooks are programs that the repository chooses.
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    // Nothing is fetched that a partial clone left out.
    "protocol.allow=never",
    "core.quotePath=false",
    "log.showSignature=false",
    "diff.renameLimit=400",
    "status.renames=true",
];

/// Runs git in a folder and returns what it prints until `deadline`, about `most_bytes` at most.
pub(super) fn ask(
    tree: &SafeTree,
    arguments: &[&str],
    input: Vec<u8>,
    most_bytes: usize,
    deadline: Duration,
) -> Vec<u8> {
    let mut answer = Vec::new();
    converse(tree, arguments, input, deadline, &mut |bytes| {
        answer.extend(bytes);
        if answer.len() < most_bytes { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    answer
}

/// Runs git in a folder and passes on its output as it arrives, until `deadline` or until `on_bytes` breaks off.
pub(super) fn converse(
    tree: &SafeTree,
    arguments: &[&str],
    input: Vec<u8>,
    deadline: Duration,
    on_bytes: &mut dyn FnMut(&[u8]) -> ControlFlow<()>,
) -> ReadEnd {
    let until = Instant::now() + deadline;
    let Some(mut command) = command(tree, arguments) else { return ReadEnd::Everything };
    command.stdin(if input.is_empty() { Stdio::null() } else { Stdio::piped() });
    // A process group of its own: processes that git starts end with it, and the host's own signals do not reach it.
    let Ok(mut child) = ChildGroup::spawn(&mut command) else { return ReadEnd::Everything };
    if let Some(mut stdin) = child.take_stdin() {
        // If git stops reading its input, it has a reason, and the output shows it.
        thread::spawn(move || stdin.write_all(&input).ok());
    }
    let output = child.take_stdout().map(listen);
    let bytes = output.map_or(ReadEnd::Everything, |output| pass_on(&output, until, on_bytes));
    child.kill();
    bytes
}

fn command(tree: &SafeTree, arguments: &[&str]) -> Option<Command> {
    let git = find_program("git", &tree.root)?;
    let mut command = Command::new(git.path);
    // Git's own variables would point it elsewhere, make it write, or name programs.
    for name in variables_with_prefix("GIT_") {
        command.env_remove(name);
    }
    command.args(["--no-pager", "--no-optional-locks"]);
    command.args(SETTINGS.iter().flat_map(|setting| ["-c", setting]));
    command.args(arguments).current_dir(&tree.folder);
    command.env("PATH", git.search_path);
    // The tree is this one, whatever the repository's settings say, and git looks for none above it.
    command.env("GIT_WORK_TREE", &tree.root);
    command.env("GIT_CEILING_DIRECTORIES", tree.root.parent().unwrap_or(&tree.root));
    command.envs([
        ("GIT_OPTIONAL_LOCKS", "0"),
        ("GIT_TERMINAL_PROMPT", "0"),
        ("GIT_NO_LAZY_FETCH", "1"),
        // Also overrules `protocol.ext.allow` and the like.
        ("GIT_ALLOW_PROTOCOL", "none"),
        ("LC_ALL", "C"),
    ]);
    command.stdout(Stdio::piped()).stderr(Stdio::null());
    Some(command)
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn tree(folder: &Path) -> SafeTree {
        SafeTree { folder: folder.to_owned(), root: folder.to_owned() }
    }

    #[test]
    fn a_process_that_takes_too_long_is_ended_with_all_it_started() {
        let dir = tempfile::tempdir().unwrap();
        // An alias runs a shell, which starts another program.
        let alias = "alias.wait=!echo $$; sleep 1000 & echo $!; wait";
        let output =
            ask(&tree(dir.path()), &["-c", alias, "wait"], Vec::new(), 1024, Duration::from_millis(400));
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
        let output =
            ask(&tree(Path::new("/no/such/place")), &["status"], Vec::new(), 1024, Duration::from_secs(5));
        assert_eq!(output, b"");
    }
}
