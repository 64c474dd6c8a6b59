//! The ancestors of this process: read from `/proc` on Linux, from the system's list of processes elsewhere.

#[cfg(not(target_os = "linux"))]
use std::collections::HashMap;

/// Identifies a process, even if its id is reused later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessIdentity {
    /// The process id.
    pub id: u64,
    /// When it started, in a measure of the system's. Only equality means something.
    pub started: u64,
}

/// Returns this process and its ancestors, nearest first. Empty where the system does not tell.
#[cfg(target_os = "linux")]
pub fn ancestry() -> impl Iterator<Item = ProcessIdentity> {
    let first = proc_stat::ProcessStat::read("self");
    // The last ancestor has parent 0, which `/proc` does not list.
    std::iter::successors(first, |process| proc_stat::ProcessStat::read(&process.parent.to_string()))
        .map(|process| process.identity)
}

/// Returns this process and its ancestors, nearest first. Empty where the system does not tell.
#[cfg(not(target_os = "linux"))]
pub fn ancestry() -> impl Iterator<Item = ProcessIdentity> {
    let processes: HashMap<u64, ListedProcess> = listed_processes();
    let mut next = Some(u64::from(std::process::id()));
    // No process is looked at twice: a parent's number may have gone to one of its own descendants.
    let mut left = processes.len();
    std::iter::from_fn(move || {
        let process = *processes.get(&next?)?;
        left = left.checked_sub(1)?;
        next = process.parent;
        Some(process.identity)
    })
}

/// One process in a list of them all.
#[cfg(any(not(target_os = "linux"), test))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ListedProcess {
    identity: ProcessIdentity,
    parent: Option<u64>,
}

/// Asks the program that every system of this kind has: reading its tables without it takes unsafe code. A hook gets here only while a
/// model is being asked.
#[cfg(all(unix, not(target_os = "linux")))]
fn listed_processes() -> HashMap<u64, ListedProcess> {
    let listed = std::process::Command::new("/bin/ps")
        .args(["-A", "-o", "pid=,ppid=,lstart="])
        .env_clear()
        .env("LC_ALL", "C")
        .env("TZ", "UTC")
        .output();
    let listed = listed.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let processes = listed.unwrap_or_default();
    processes.lines().filter_map(parse_listed).map(|process| (process.identity.id, process)).collect()
}

/// Parses a line of `ps`: the id, the parent, and when it started.
#[cfg(any(all(unix, not(target_os = "linux")), test))]
fn parse_listed(line: &str) -> Option<ListedProcess> {
    let mut fields = line.split_whitespace();
    let (id, parent) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    // Only equality means something, so a digest of the words will do (FNV-1a).
    let started: String = fields.collect();
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let started = (!started.is_empty()).then(|| started.bytes().fold(0xcbf2_9ce4_8422_2325, step))?;
    Some(ListedProcess { identity: ProcessIdentity { id, started }, parent: Some(parent) })
}

#[cfg(windows)]
fn listed_processes() -> HashMap<u64, ListedProcess> {
    use sysinfo::{ProcessRefreshKind, ProcessesToUpdate, System};
    let Ok(mut system) = System::new() else { return HashMap::new() };
    system.refresh_processes_specifics(ProcessesToUpdate::All, false, ProcessRefreshKind::nothing());
    let list = system.processes().iter().map(|(id, process)| {
        let id = u64::from(id.as_u32());
        let identity = ProcessIdentity { id, started: process.start_time() };
        (id, ListedProcess { identity, parent: process.parent().map(|it| u64::from(it.as_u32())) })
    });
    list.collect()
}

#[cfg(target_os = "linux")]
mod proc_stat {
    use super::ProcessIdentity;
    use std::fs;

    /// What we use of `/proc/PID/stat`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(super) struct ProcessStat {
        pub(super) identity: ProcessIdentity,
        pub(super) parent: u64,
    }

    impl ProcessStat {
        pub(super) fn read(name: &str) -> Option<ProcessStat> {
            ProcessStat::parse(&fs::read_to_string(format!("/proc/{name}/stat")).ok()?)
        }

        /// Parses `/proc/PID/stat`: the id, the program's name in brackets, then fields separated by spaces.
        ///
        /// The name itself may hold brackets and spaces, so the fields begin after the last bracket.
        pub(super) fn parse(stat: &str) -> Option<ProcessStat> {
            let (before, after) = stat.rsplit_once(')')?;
            let id = before.split(' ').next()?.parse().ok()?;
            // As proc(5) numbers the fields: 3 is the state, 4 the parent, 22 the start time.
            let mut fields = after.split_whitespace().skip(1);
            let parent = fields.next()?.parse().ok()?;
            let started = fields.nth(17)?.parse().ok()?;
            Some(ProcessStat { identity: ProcessIdentity { id, started }, parent })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_is_read_whatever_it_is_called() {
        use super::proc_stat::ProcessStat;
        let stat = "42 (a) (b c) S 7 42 42 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 987654 1 2";
        let identity = ProcessIdentity { id: 42, started: 987_654 };
        assert_eq!(ProcessStat::parse(stat), Some(ProcessStat { identity, parent: 7 }));
        assert_eq!(ProcessStat::parse("42 (a"), None);
    }

    #[test]
    fn a_list_of_processes_has_parents_and_keeps_two_of_one_number_apart() {
        let first = parse_listed("  501     1 Mon Nov 16 09:12:44 2026    ").unwrap();
        let later = parse_listed("  501     1 Tue Nov 17 09:12:44 2026    ").unwrap();
        assert_eq!((first.identity.id, first.parent), (501, Some(1)));
        assert_ne!(first.identity, later.identity);
        assert_eq!(parse_listed("  PID  PPID STARTED"), None);
        assert_eq!(parse_listed("  501     1 "), None);
    }

    #[test]
    fn ancestry_begins_with_this_process_and_goes_on_to_its_parent() {
        let ids: Vec<u64> = ancestry().take(2).map(|process| process.id).collect();
        assert_eq!(ids.first(), Some(&u64::from(std::process::id())));
        if let Some(parent) = crate::parent_process_id() {
            assert_eq!(ids.get(1), Some(&u64::from(parent)));
        }
    }
}
