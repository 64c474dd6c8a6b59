//! Processes: groups that end together, ancestors, memory.

use rustix::process::{
    Pid, Signal, getpgrp, getpid, getppid, kill_current_process_group, kill_process_group,
};
use std::fs;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Puts what a command starts into a process group of its own: the terminal's signals do not reach it, and [`kill_group`] ends all of
/// it.
pub fn in_own_group(command: &mut Command) -> &mut Command {
    command.process_group(0)
}

/// Kills a process group by the id of the process that leads it. A group that is already gone is fine.
///
/// Call it before waiting for the leader: until then its id cannot be reused.
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

/// Returns the id of the parent process; it changes when the parent ends.
#[must_use]
pub fn parent_process_id() -> Option<u32> {
    getppid().and_then(|parent| u32::try_from(parent.as_raw_nonzero().get()).ok())
}

/// A process, told from a later one that got the same id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessIdentity {
    /// The process.
    pub id: u64,
    /// When it started, as the kernel counts.
    pub started: u64,
}

/// Returns this process and its ancestors, nearest first. Empty where the system does not tell.
pub fn ancestry() -> impl Iterator<Item = ProcessIdentity> {
    let first = ProcessStat::read("self");
    std::iter::successors(first, |process| ProcessStat::read(&process.parent.to_string()))
        .map(|process| process.identity)
}

/// Returns how much memory of this process is resident, where the system tells.
#[must_use]
pub fn resident_bytes() -> Option<u64> {
    let pages: u64 = fs::read_to_string("/proc/self/statm").ok()?.split(' ').nth(1)?.parse().ok()?;
    Some(pages * rustix::param::page_size() as u64)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ProcessStat {
    identity: ProcessIdentity,
    parent: u64,
}

impl ProcessStat {
    fn read(name: &str) -> Option<ProcessStat> {
        ProcessStat::parse(&fs::read_to_string(format!("/proc/{name}/stat")).ok()?)
    }

    /// Reads the line of `/proc/PID/stat`: the name in brackets may hold anything, brackets and spaces included.
    fn parse(stat: &str) -> Option<ProcessStat> {
        let (before, after) = stat.rsplit_once(')')?;
        let id = before.split(' ').next()?.parse().ok()?;
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
