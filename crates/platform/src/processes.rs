//! The group of this process, its parent, and its memory.

#[cfg(unix)]
use rustix::process::{
    Pid, Signal, getpgrp, getpid, getppid, kill_current_process_group, kill_process_group,
};

/// Kills the process group that is led by the process with this id. Does nothing if the group is gone.
#[cfg(unix)]
pub(crate) fn kill_group(leader: u32) {
    if let Some(leader) = i32::try_from(leader).ok().and_then(Pid::from_raw) {
        let _gone = kill_process_group(leader, Signal::KILL);
    }
}

/// Whether this process leads its group.
#[cfg(unix)]
#[must_use]
pub fn leads_own_group() -> bool {
    getpgrp() == getpid()
}

/// Returns that it does: [`kill_own_group`] ends nobody else.
#[cfg(windows)]
#[must_use]
pub fn leads_own_group() -> bool {
    true
}

/// Kills the group of this process, this process included.
#[cfg(unix)]
pub fn kill_own_group() -> std::io::Result<()> {
    Ok(kill_current_process_group(Signal::KILL)?)
}

/// Ends this process at once. What it started in jobs has to be ended before.
#[cfg(windows)]
pub fn kill_own_group() -> std::io::Result<()> {
    std::process::abort()
}

/// Returns the id of the parent process. If it changes, the original parent has ended.
#[cfg(unix)]
#[must_use]
pub fn parent_process_id() -> Option<u32> {
    getppid().and_then(|parent| u32::try_from(parent.as_raw_nonzero().get()).ok())
}

/// Returns nothing: a process keeps the number of its parent when that has ended.
#[cfg(windows)]
#[must_use]
pub fn parent_process_id() -> Option<u32> {
    None
}

/// Returns the resident memory of this process, where the system tells.
#[cfg(target_os = "linux")]
#[must_use]
pub fn resident_bytes() -> Option<u64> {
    // The second field of `statm` is the number of resident pages.
    let pages: u64 = std::fs::read_to_string("/proc/self/statm").ok()?.split(' ').nth(1)?.parse().ok()?;
    Some(pages * rustix::param::page_size() as u64)
}

/// Returns the resident memory of this process, where the system tells.
#[cfg(all(unix, not(target_os = "linux")))]
#[must_use]
pub fn resident_bytes() -> Option<u64> {
    let listed = std::process::Command::new("/bin/ps")
        .args(["-o", "rss=", "-p", &std::process::id().to_string()])
        .output()
        .ok()?;
    let kilobytes: u64 = String::from_utf8_lossy(&listed.stdout).trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// Returns the resident memory of this process, where the system tells.
#[cfg(windows)]
#[must_use]
pub fn resident_bytes() -> Option<u64> {
    use sysinfo::{ProcessRefreshKind, ProcessesToUpdate, System};
    let own = sysinfo::get_current_pid().ok()?;
    let mut system = System::new().ok()?;
    let memory = ProcessRefreshKind::nothing().with_memory();
    system.refresh_processes_specifics(ProcessesToUpdate::Some(&[own]), false, memory);
    system.process(own).map(sysinfo::Process::memory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_has_memory() {
        assert!(resident_bytes().is_some_and(|bytes| bytes > 0));
    }
}
