//! Process groups that are killed together, the ancestors of this process, and its memory.
//!
//! Ancestors and memory are read from `/proc`, so they are known on Linux only.

use rustix::process::{
    Pid, Signal, getpgrp, getpid, getppid, kill_current_process_group, kill_process_group,
};
use std::fs;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Makes a command start in a new process group: signals of the terminal do not reach it, and [`kill_group`]
/// kills it with everything it started.
pub fn in_own_group(command: &mut Command) -> &mut Command {
    command.process_group(0)
}

/// Kills the process group that is led by the process with this id. Does nothing if the group is gone.
///
/// Call it before waiting for the leader: after the wait, the id may belong to another process.
pub fn kill_group(leader: u32) {
    if let Some(leader) = i32::try_from(leader).ok().and_then(Pid::from_raw) {
        let _gone = kill_process_group(leader, Signal::KILL);
    }
}

/// Whether this process leads its group.
#[must_use]
pub fn leads_own_group() -> bool {
    getpgrp() == getpid()
}

/// Kills the group of this process, this process included.
pub fn kill_own_group() -> io::Result<()> {
    Ok(kill_current_process_group(Signal::KILL)?)
}

/// Returns the id of the parent process. If it changes, the original parent has ended.
#[must_use]
pub fn parent_process_id() -> Option<u32> {
    getppid().and_then(|parent| u32::try_from(parent.as_raw_nonzero().get()).ok())
}

/// Identifies a process, even if its id is reused later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessIdentity {
    /// The process id.
    pub id: u64,
    /// When it started, in clock ticks since boot.
    pub started: u64,
}

/// Returns this process and its ancestors, nearest first. Empty where there is no `/proc`.
pub fn ancestry() -> impl Iterator<Item = ProcessIdentity> {
    let first = ProcessStat::read("self");
    // The last ancestor has parent 0, which `/proc` does not list.
    std::iter::successors(first, |process| ProcessStat::read(&process.parent.to_string()))
        .map(|process| process.identity)
}

/// Returns the resident memory of this process; `None` where there is no `/proc`.
#[must_use]
pub fn resident_bytes() -> Option<u64> {
    // The second field of `statm` is the number of resident pages.
    let pages: u64 = fs::read_to_string("/proc/self/statm").ok()?.split(' ').nth(1)?.parse().ok()?;
    Some(pages * rustix::param::page_size() as u64)
}

/// What we use of `/proc/PID/stat`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ProcessStat {
    identity: ProcessIdentity,
    parent: u64,
}

impl ProcessStat {
    fn read(name: &str) -> Option<ProcessStat> {
        ProcessStat::parse(&fs::read_to_string(format!("/proc/{name}/stat")).ok()?)
    }

    /// Parses `/proc/PID/stat`: the id, the program's name in brackets, then fields separated by spaces.
    ///
    /// The name itself may hold brackets and spaces, so the fields begin after the last bracket.
    fn parse(stat: &str) -> Option<ProcessStat> {
        let (before, after) = stat.rsplit_once(')')?;
        let id = before.split(' ').next()?.parse().ok()?;
        // As proc(5) numbers the fields: 3 is the state, 4 the parent, 22 the start time.
        let mut fields = after.split_whitespace().skip(1);
        let parent = fields.next()?.parse().ok()?;
        let started = fields.nth(17)?.parse().ok()?;
        Some(ProcessStat { identity: ProcessIdentity { id, started }, parent })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_read_whatever_it_is_called() {
        let stat = "42 (a) (b c) S 7 42 42 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 987654 1 2";
        let identity = ProcessIdentity { id: 42, started: 987_654 };
        assert_eq!(ProcessStat::parse(stat), Some(ProcessStat { identity, parent: 7 }));
        assert_eq!(ProcessStat::parse("42 (a"), None);
    }

    #[test]
    fn ancestry_begins_with_this_process_and_its_parent() {
        let ids: Vec<u64> = ancestry().take(2).map(|process| process.id).collect();
        assert_eq!(ids, [u64::from(std::process::id()), u64::from(parent_process_id().unwrap())]);
        assert!(resident_bytes().is_some_and(|bytes| bytes > 0));
    }
}
