//! Running a guarded program: its input in, what it prints out, and nothing of it left when we are done with it.

use crate::{MOST_ANSWER_BYTES, ModelError};
use rustix::process::{Pid, Signal, kill_process_group};
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// A pipe takes this much without anybody reading, so that giving the input never blocks.
const MOST_INPUT_BYTES: usize = 48 * 1024;

/// Runs a program behind its guard and returns what it prints.
pub(crate) fn run(command: &mut Command, input: &str, deadline: Duration) -> Result<Vec<u8>, ModelError> {
    if input.len() > MOST_INPUT_BYTES {
        return Err(ModelError::Unreachable("too much was asked"));
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).process_group(0);
    let child = command.spawn().map_err(|_| ModelError::Unreachable("it cannot be started"))?;
    let mut group = Group { child };
    // Kept open until the end: when we are gone, however that comes, the guard sees it close.
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
        // Nobody listens any more once the deadline has passed.
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

/// A child that leads a group of its own. Whatever happens, the whole group is gone afterwards.
struct Group {
    child: Child,
}

impl Drop for Group {
    fn drop(&mut self) {
        // Before it is waited for: until then nobody else can have its number. A group that is gone already is just as well.
        if let Some(leader) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            let _gone = kill_process_group(leader, Signal::KILL);
        }
        drop(self.child.wait());
    }
}
