//! Many processes at once on one home: cold starts, migration, kill -9 in the middle of it (R03, R25).

use crate::child_process::{child, child_home, report, reports};
use crate::kit::{arrival, bar, size};
use crate::test_store::{TestHome, ask, assert_sound, is_kept};
use std::collections::HashSet;
use std::io::Read;
use std::process::Child;
use std::time::Duration;

/// R03, R25.
#[test]
fn processes_that_race_on_a_cold_home_migrate_it_once_and_lose_nothing() {
    for _ in 0..size(2, 20) {
        let test = TestHome::new();
        let racing: Vec<Child> =
            (0..8).map(|_| child("racing::child_that_records_five_events", &test).spawn().unwrap()).collect();
        let mut acked = Vec::new();
        for child in racing {
            let output = child.wait_with_output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
            acked.extend(reports(&output.stdout));
        }
        assert_eq!(acked.len(), 40);
        assert_eq!(test.open().events().count().unwrap(), 40, "every acknowledged event is there once");
        let twice = "SELECT count(*) - count(DISTINCT version) + count(*) - (max(version) - min(version) + 1) FROM applied_migrations";
        assert_eq!(ask(&test, twice), 0, "each migration ran once");
        assert_sound(&test);
    }
    bar("R25", format_args!("8 racing openers, {} rounds: each migration ran once", size(2, 20)));
}

#[test]
fn child_that_records_five_events() {
    let Some(home) = child_home() else { return };
    for number in 0..5 {
        let arrival = arrival(&format!("s{}", std::process::id()), number);
        assert!(is_kept(&home, &arrival));
        report("acknowledged");
    }
}

/// R25: old or new schema, never between.
#[test]
fn a_migration_killed_at_any_point_is_done_or_not_done() {
    let mut schemas = HashSet::new();
    for step in 0..size(25, 100) {
        let test = TestHome::new();
        let mut victim = child("racing::child_that_opens", &test).spawn().unwrap();
        // It reports when it begins; from there the kill comes a little later each time.
        let mut out = victim.stdout.take().unwrap();
        let mut seen = Vec::new();
        while !seen.ends_with(b"report:begin\n") {
            let mut byte = [0];
            assert_eq!(out.read(&mut byte).unwrap(), 1);
            seen.push(byte[0]);
        }
        spin_for(Duration::from_micros(150) * u32::try_from(step).unwrap());
        victim.kill().unwrap();
        victim.wait().unwrap();

        let version = if test.database().exists() { ask(&test, "PRAGMA user_version") } else { 0 };
        let tables = if version == 0 && !test.database().exists() {
            0
        } else {
            ask(&test, "SELECT count(*) FROM sqlite_schema")
        };
        assert_eq!(version > 0, tables > 0, "schema {version} with {tables} tables");
        schemas.insert(version);
        let report = test.open().check();
        assert!(report.is_sound(), "{report:?}");
    }
    assert!(schemas.contains(&0), "no kill came before the migration was done: {schemas:?}");
    bar("R25", format_args!("{} kills: old or new schema, never between", size(25, 100)));
}

#[test]
fn child_that_opens() {
    let Some(home) = child_home() else { return };
    report("begin");
    let store = home.hook();
    drop(store);
    // Stays until it is killed, so that the parent's kill always meets a living process.
    loop {
        std::thread::park();
    }
}

/// Waits without sleeping: the kernel's idea of a short sleep is far longer than a migration's steps.
fn spin_for(time: Duration) {
    let begun = std::time::Instant::now();
    while begun.elapsed() < time {
        std::hint::spin_loop();
    }
}
