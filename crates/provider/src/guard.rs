//! The guard: a process of ours between us and a program we start. It ends the program, and all that the program started, as soon
//! as it is done or we are gone, even when we are killed with no chance to do anything about it.
//!
//! We hold the other end of its standard input, the lifeline: first the length of the program's input, then the input, then
//! nothing until it closes. A death signal of the kernel would reach the program alone, and only on Linux; closing the
//! lifeline reaches its whole group.

use rustix::process::{Signal, getpgrp, getpid, kill_current_process_group};
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::process::{Command, Stdio};

/// Runs a program until it ends or the lifeline closes, then ends the whole process group, this process included.
///
/// Refuses where this process does not lead its group: it would end others with it.
pub fn stand_guard(command: &[OsString]) -> io::Result<()> {
    let (program, arguments) =
        command.split_first().ok_or_else(|| io::Error::other("there is nothing to guard"))?;
    if getpgrp() != getpid() {
        return Err(io::Error::other("a guard leads a process group of its own"));
    }
    let mut lifeline = io::stdin().lock();
    let input = read_input(&mut lifeline)?;
    drop(lifeline);
    let mut child = Command::new(program).args(arguments).stdin(Stdio::piped()).spawn()?;
    let mut pipe = child.stdin.take();
    std::thread::spawn(move || {
        // A program that does not want its input says so by its answer.
        drop(pipe.as_mut().map(|pipe| pipe.write_all(&input)));
        drop(pipe);
    });
    std::thread::spawn(|| {
        // An end or an error: either way nobody holds the other end as they should.
        drop(io::copy(&mut io::stdin().lock(), &mut io::sink()));
        end_group()
    });
    child.wait()?;
    end_group()
}

fn read_input(lifeline: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut length = [0; 4];
    lifeline.read_exact(&mut length)?;
    let mut input = vec![0; u32::from_le_bytes(length).min(1 << 20) as usize];
    lifeline.read_exact(&mut input)?;
    Ok(input)
}

fn end_group() -> io::Result<()> {
    Ok(kill_current_process_group(Signal::KILL)?)
}
