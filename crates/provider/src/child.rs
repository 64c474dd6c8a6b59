//! Runs a program behind the watchdog: its input in, its output out, no process left behind.

use crate::{MOST_ANSWER_BYTES, ModelError};
use backstory_platform::{in_own_group, kill_group};
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// A pipe buffers this much, so that writing the input never blocks.
const MOST_INPUT_BYTES: usize = 48 * 1024;

/// Runs a program behind the watchdog and returns what it prints.
pub(crate) fn run(command: &mut Command, input: &str, deadline: Duration) -> Result<Vec<u8>, ModelError> {
    if input.len() > MOST_INPUT_BYTES {
        return Err(ModelError::Unreachable("the request is too large"));
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let child = in_own_group(command).spawn().map_err(|_| ModelError::Unreachable("it cannot be started"))?;
    let mut group = ProcessGroup { child };
    // Kept open until the end: however we go, the watchdog sees it close.
    let mut lifeline = group.child.stdin.take().ok_or(ModelError::ProgramFailed)?;
    let length = u32::try_from(input.len()).unwrap_or(0).to_le_bytes();
    lifeline
        .write_all(&length)
        .and_then(|()| lifeline.write_all(input.as_bytes()))
        .map_err(|_| ModelError::ProgramFailed)?;
    let mut output = group.child.stdout.take().ok_or(ModelError::ProgramFailed)?;
    let (done, printed) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = output.by_ref().take(MOST_ANSWER_BYTES as u64 + 1).read_to_end(&mut bytes);
        // Past the deadline nobody receives it.
        drop(done.send(read.map(|_| bytes)));
    });
    let printed = printed.recv_timeout(deadline).map_err(|_| ModelError::TooLate)?;
    drop(group);
    match printed.map_err(|_| ModelError::ProgramFailed)? {
        bytes if bytes.len() > MOST_ANSWER_BYTES => Err(ModelError::TooLarge),
        bytes if bytes.is_empty() => Err(ModelError::ProgramFailed),
        bytes => Ok(bytes),
    }
}

/// A child that leads a process group of its own. Dropping it kills the whole group.
struct ProcessGroup {
    child: Child,
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        // Before waiting for it: until then its id cannot be reused.
        kill_group(self.child.id());
        drop(self.child.wait());
    }
}
