//! Disks that are full and files that may not grow: nothing acknowledged is lost, nothing is half-written (R09, R10, R34).

use crate::child_process::{child_after, child_home, report, run};
use crate::kit::{NOW, arrival, arrival_saying, bar, is_root, size, skip};
use crate::test_store::{TestHome, assert_sound, is_kept};
use backstory_memory::IdempotencyKey;
use backstory_store::{Home, Spool};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A small disk, gone when dropped.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn mount(at: &Path) -> Option<SmallDisk> {
        fs::create_dir_all(at).unwrap();
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=8m", "tmpfs"]).arg(at).output();
        mounted.is_ok_and(|output| output.status.success()).then(|| SmallDisk(at.to_owned()))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let unmounted = Command::new("umount").arg("-l").arg(&self.0).status();
        assert!(unmounted.is_ok_and(|status| status.success()) || std::thread::panicking());
    }
}

/// R09.
#[test]
fn a_full_disk_loses_nothing_acknowledged_and_work_goes_on_when_there_is_space() {
    let test = TestHome::new();
    let disk = if is_root() { SmallDisk::mount(&test.beside("disk")) } else { None };
    let Some(disk) = disk else { return skip("a small disk can only be mounted by root") };
    let home = TestHome::from(Home::new(disk.0.join("home")));
    let large = |number: u64| arrival_saying("s", &format!("{number} {}", "x".repeat(8000)), NOW);
    let mut kept = (0..20).filter(|number| is_kept(&home, &large(*number))).count();
    assert_eq!(kept, 20);
    let ballast = disk.0.join("ballast");
    drop(fs::write(&ballast, vec![1; 16 << 20]));
    kept += (20..70).filter(|number| is_kept(&home, &large(*number))).count();
    assert!(kept < 70, "the disk never was full");
    fs::remove_file(ballast).unwrap();
    kept += (70..80).filter(|number| is_kept(&home, &large(*number))).count();
    let store = home.open();
    let stored = store.events().count().unwrap();
    assert!(stored >= kept as u64, "{stored} of {kept}");
    assert!(Spool::new(&home).is_empty());
    assert_eq!(fs::read_dir(home.spool().join("tmp")).map_or(0, Iterator::count), 0, "no half file is left");
    assert!(!home.spool().join("bad").exists() && !home.quarantine().exists());
    drop(store);
    assert_sound(&home);
    bar("R09", format_args!("0 of {kept} acked lost on a full disk of 8 MiB, went on by itself"));
}

/// R10, R34: every size at which a file may stop growing, as a sweep of faults.
#[test]
fn wherever_a_file_stops_growing_nothing_acknowledged_is_lost() {
    let test = TestHome::new();
    let steps = size(25, 200);
    let mut acked = 0;
    for step in 0..steps {
        let limit = 1 + step * 200 / steps;
        let home = test.sibling(&format!("home{step}"));
        // Half of them begin with nothing, half with a database that grew before.
        if step % 2 == 1 {
            let mut store = home.hook();
            store.record_all(100..130);
        }
        let limits = format!("trap '' XFSZ; ulimit -f {limit}");
        let kept = run(child_after(&limits, "limits::child_that_keeps_ten", &home));
        let store = home.open();
        let stored: Vec<String> =
            crate::events::events(&store).iter().map(|event| event.event.key.0.to_string()).collect();
        let lost: Vec<&String> = kept.iter().filter(|key| !stored.contains(key)).collect();
        assert!(lost.is_empty(), "limit {limit}: {lost:?} of {kept:?}");
        acked += kept.len();
        assert!(!home.spool().join("bad").exists(), "limit {limit}: a partial file was in the spool");
        assert!(!home.quarantine().exists(), "limit {limit}");
        drop(store);
        assert_sound(&home);
    }
    for id in ["R10", "R34"] {
        bar(id, format_args!("0 of {acked} acked lost, files stop growing at {steps} sizes"));
    }
}

#[test]
fn child_that_keeps_ten() {
    let Some(home) = child_home() else { return };
    for number in 0..10 {
        let arrival = arrival("s", number);
        if is_kept(&home, &arrival) {
            let IdempotencyKey(key) = arrival.event.key;
            report(&key.to_string());
        }
    }
}

/// R10: a database that is at its limit still takes events, by way of the spool.
#[test]
fn a_database_that_may_not_grow_sends_events_to_the_spool() {
    let test = TestHome::new();
    let mut store = test.hook();
    store.record_all(100..400);
    drop(store);
    let kept = run(child_after("trap '' XFSZ; ulimit -f 1000", "limits::child_that_keeps_ten", &test));
    assert_eq!(kept.len(), 10, "none is dropped");
    assert_eq!(test.open().events().count().unwrap(), 310);
    bar("R10", "10 of 10 kept by a database at its limit");
}
