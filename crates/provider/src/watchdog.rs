//! The watchdog: a process between us and a program we start. It kills the program and everything the program started as soon as
//! the program is done or we are gone, even if we are killed with SIGKILL.
//!
//! We hold the other end of its standard input, the lifeline: first the length of the program's input, then the input, then
//! nothing until it closes. A parent-death signal would reach the program alone, and only on Linux; closing the lifeline reaches
//! its whole process group.

use backstory_platform::{ChildGroup, kill_own_group, leads_own_group};
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// How often to look whether the program has ended. An answer takes seconds.
const BETWEEN_LOOKS: Duration = Duration::from_millis(10);

/// Runs a program until it ends or the lifeline closes, then ends the whole process group, this process included.
///
/// Refuses to run if this process does not lead its group: it would kill others with it.
pub fn run_watchdog(command: &[OsString]) -> io::Result<()> {
    let (program, arguments) =
        command.split_first().ok_or_else(|| io::Error::other("no program to watch"))?;
    if !leads_own_group() {
        return Err(io::Error::other("a watchdog must lead its process group"));
    }
    let mut lifeline = io::stdin().lock();
    let input = read_input(&mut lifeline)?;
    drop(lifeline);
    let mut command = Command::new(program);
    let mut child = ChildGroup::spawn_in_own_group(command.args(arguments).stdin(Stdio::piped()))?;
    let mut pipe = child.take_stdin();
    std::thread::spawn(move || {
        // A program that closes its input early either answers all the same or fails below.
        drop(pipe.as_mut().map(|pipe| pipe.write_all(&input)));
        drop(pipe);
    });
    let (closed, is_closed) = mpsc::channel();
    std::thread::spawn(move || {
        // End or error: the process that started us is gone.
        drop(io::copy(&mut io::stdin().lock(), &mut io::sink()));
        closed.send(())
    });
    while !child.has_ended() && is_closed.recv_timeout(BETWEEN_LOOKS).is_err() {}
    child.kill();
    kill_own_group()
}

fn read_input(lifeline: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut length = [0; 4];
    lifeline.read_exact(&mut length)?;
    // The bound keeps a garbled length from taking the memory of the machine.
    let mut input = vec![0; u32::from_le_bytes(length).min(1 << 20) as usize];
    lifeline.read_exact(&mut input)?;
    Ok(input)
}
