//! Housekeeping: what is old goes, space comes back, copies are sound (R08, R15, R32, R33).

use crate::kit::{
    DAY, KEEP, NOW, TestHome, any_of, arrival, arrival_saying, ask, bar, fill, note, raw, record_all, size,
};
use backstory_store::{CheckDepth, Filter, Home, Purpose, RetentionPolicy, Scope, Spool, Store};
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

const NO_COPIES: RetentionPolicy = RetentionPolicy { backups: 0, ..KEEP };

fn copies(home: &Home) -> Vec<PathBuf> {
    let entries = fs::read_dir(home.backups()).into_iter().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn events_go_when_they_are_old() {
    let test = TestHome::new();
    let mut store = test.open();
    let at = |day: i64| NOW.plus_ms(day * DAY);
    let mut left = Vec::new();
    for day in 0..60 {
        store.events_mut().record(&arrival_saying("s", &format!("day {day}"), at(day))).unwrap();
        store.upkeep_mut().maintain(NO_COPIES, at(day)).unwrap();
        left.push(store.events().count().unwrap());
    }
    assert_eq!(left[29], 30, "nothing goes before its time");
    assert!((29..=32).contains(&left[59]), "{left:?}");
}

#[test]
fn the_word_index_is_joined_and_finds_what_it_found() {
    let test = TestHome::new();
    let mut store = test.open();
    let forgotten = note(&mut store, "note", "a heron by the river");
    store.memories_mut().forget(&[forgotten], NOW).unwrap();
    for number in 0..63 {
        note(&mut store, &format!("note {number}"), "a heron by the river");
    }
    let parts = || ask(&test.home, "SELECT count(DISTINCT segid) FROM memory_words_idx");
    let found = |store: &Store| {
        store.search().exact(&any_of(&["heron", "7"]), &Filter::within(Scope::Everywhere)).unwrap()
    };
    let (before, hits) = (parts(), found(&store));
    assert!(before > 3 && hits.len() > 1, "{before} parts, {hits:?}");
    store.upkeep_mut().maintain(NO_COPIES, NOW).unwrap();
    assert_eq!((parts(), found(&store)), (1, hits));
    assert!(store.upkeep().check(CheckDepth::Full).unwrap().is_sound());
}

/// R15.
#[test]
fn a_clock_that_jumps_removes_nothing() {
    for jump in [3650 * DAY, -3650 * DAY, i64::MAX - NOW.0, i64::MIN] {
        let test = TestHome::new();
        let mut store = test.open();
        store.events_mut().record(&arrival_saying("s", "before", NOW)).unwrap();
        store.upkeep_mut().maintain(NO_COPIES, NOW).unwrap();
        let jumped = NOW.plus_ms(jump);
        store.events_mut().record(&arrival_saying("s", "during", jumped)).unwrap();
        let mut removed = store.upkeep_mut().maintain(NO_COPIES, jumped).unwrap().events_removed;
        store.events_mut().record(&arrival_saying("s", "after", NOW)).unwrap();
        for day in 0..10 {
            removed += store.upkeep_mut().maintain(NO_COPIES, NOW.plus_ms(day * DAY)).unwrap().events_removed;
        }
        assert_eq!((removed, store.events().count().unwrap()), (0, 3), "{jump}");
        // And when it is right again, what is old goes as ever.
        for day in 10..60 {
            removed += store.upkeep_mut().maintain(NO_COPIES, NOW.plus_ms(day * DAY)).unwrap().events_removed;
        }
        assert_eq!((removed, store.events().count().unwrap()), (3, 0), "{jump}");
    }
    bar("R15", "0 rows removed by 4 jumps of the clock");
}

/// R32.
#[test]
fn space_of_what_went_comes_back() {
    let test = TestHome::new();
    let mut store = test.open();
    let filler = "0123456789abcdef".repeat(1020);
    for number in 0..2000 {
        store.events_mut().record(&arrival_saying("s", &format!("{number} {filler}"), NOW)).unwrap();
    }
    store.upkeep_mut().maintain(NO_COPIES, NOW).unwrap();
    let bytes = || -> u64 {
        let files = test.paths().into_iter().filter(|path| path.is_file());
        files.map(|path| fs::metadata(path).unwrap().len()).sum()
    };
    let full = bytes();
    assert!(full > 2000 * 16_000 && full < 2000 * 24_000, "{full}");
    let report =
        store.upkeep_mut().maintain(RetentionPolicy { events_days: 0, backups: 0, ..KEEP }, NOW).unwrap();
    assert_eq!(report.events_removed, 2000);
    let freed = full - bytes();
    assert!(freed * 100 >= full * 80, "{freed} of {full} came back");
    assert!(report.bytes_freed * 100 >= full * 80, "{report:?}");
    bar("R32", format_args!("{} % of a full store given back", freed * 100 / full));
}

/// R08: a reader holds the log open; when it is gone, one run clears it.
#[test]
fn a_log_that_grew_under_a_reader_is_cut_when_the_reader_is_gone() {
    let test = TestHome::new();
    let mut hook = test.hook();
    let reader = raw(&test.home);
    reader.execute_batch("BEGIN; SELECT count(*) FROM events").unwrap();
    let filler = "x".repeat(4000);
    let many = size(300, 5000);
    for number in 0..many {
        let arrival = arrival_saying("s", &format!("{number} {filler}"), NOW);
        if let Err(error) = hook.events_mut().record(&arrival) {
            assert!(error.is_storage_failure(), "{error:?}");
            Spool::new(&test.home).push(&arrival).unwrap();
        }
    }
    let log = || fs::metadata(test.home.root().join("backstory.db-wal")).unwrap().len();
    let grown = log();
    assert!(grown <= size(10 << 20, 128 << 20) as u64, "{grown} bytes of log");
    hook.upkeep().checkpoint().unwrap();
    drop(reader);
    hook.upkeep().checkpoint().unwrap();
    assert!(log() <= 4 << 20, "{} bytes of log", log());
    let cut = log();
    assert_eq!(test.open().events().count().unwrap(), many as u64);
    bar(
        "R08",
        format_args!("0 of {many} failed under a reader, log {} KiB then {} KiB", grown >> 10, cut >> 10),
    );
}

/// R33.
#[test]
fn a_copy_holds_every_row_and_opens_elsewhere() {
    let test = TestHome::new();
    let mut store = test.open();
    let ids = fill(&mut store, 300);
    record_all(&mut test.hook(), 0..50);
    let copy = store.upkeep_mut().maintain(KEEP, NOW).unwrap().backup.unwrap();
    note(&mut store, "after", "the copy");

    let elsewhere = Home::new(test.beside("elsewhere"));
    elsewhere.prepare().unwrap();
    fs::copy(copy, elsewhere.database()).unwrap();
    let restored = Store::open(&elsewhere, Purpose::Command, NOW).unwrap();
    assert!(restored.upkeep().check(CheckDepth::Full).unwrap().is_sound());
    assert_eq!((restored.memories().count().unwrap(), restored.events().count().unwrap()), (300, 50));
    assert_eq!(restored.memories().get_many(&ids).unwrap(), store.memories().get_many(&ids).unwrap());
    bar("R33", "350 of 350 rows in a copy opened elsewhere");
}

/// R33: what was acknowledged before the copy was begun is in it, whoever writes meanwhile.
#[test]
fn a_copy_made_while_others_write_holds_all_that_was_acked_before() {
    let test = TestHome::new();
    let mut store = test.open();
    let (acked, enough) = (AtomicU64::new(0), AtomicBool::new(false));
    let mut looked_at = 0;
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let (test, acked, enough) = (&test, &acked, &enough);
            scope.spawn(move || {
                for number in (0..).take_while(|_| !enough.load(Ordering::SeqCst)) {
                    let arrival = arrival(&format!("writer {writer}"), number);
                    if Store::open(&test.home, Purpose::Hook, NOW)
                        .is_ok_and(|mut hook| hook.events_mut().record(&arrival).is_ok())
                    {
                        acked.fetch_add(1, Ordering::SeqCst);
                    }
                }
            });
        }
        for round in 1..=size(3, 20) {
            // Some more was written since the last copy.
            while acked.load(Ordering::SeqCst) < round as u64 * 25 {
                std::thread::yield_now();
            }
            let before = acked.load(Ordering::SeqCst);
            let copy = store.upkeep_mut().back_up(KEEP, NOW.plus_ms(round as i64)).unwrap();
            let elsewhere = Home::new(test.beside(&format!("elsewhere{round}")));
            elsewhere.prepare().unwrap();
            fs::copy(copy, elsewhere.database()).unwrap();
            let restored = Store::open(&elsewhere, Purpose::Command, NOW).unwrap();
            assert!(restored.upkeep().check(CheckDepth::Full).unwrap().is_sound());
            let found = restored.events().count().unwrap();
            assert!(found >= before, "{found} of {before}");
            looked_at += 1;
        }
        enough.store(true, Ordering::SeqCst);
    });
    bar(
        "R33",
        format_args!(
            "{looked_at} copies beside 4 writers: 0 of {} acked missing",
            acked.load(Ordering::SeqCst)
        ),
    );
}

#[test]
fn copies_rotate_and_are_made_when_due() {
    let test = TestHome::new();
    let mut store = test.open();
    note(&mut store, "a", "b");
    let daily = RetentionPolicy { backup_hours: 24, ..KEEP };
    let made: Vec<bool> = (0..10)
        .map(|half| store.upkeep_mut().maintain(daily, NOW.plus_ms(half * DAY / 2)).unwrap().backup.is_some())
        .collect();
    assert_eq!(made, [true, false, true, false, true, false, true, false, true, false]);
    assert_eq!(copies(&test.home).len(), 3, "{:?}", copies(&test.home));
    assert_eq!(store.upkeep().status().unwrap().newest_backup, copies(&test.home).pop());
    // The clock went back by years: the next copy does not wait for it to catch up, nor push out good ones twice.
    let back = NOW.plus_ms(-3650 * DAY);
    assert!(store.upkeep_mut().maintain(daily, back).unwrap().backup.is_some());
    assert!(
        store.upkeep_mut().maintain(daily, back.plus_ms(1)).unwrap().backup.is_none(),
        "not at every run"
    );
    assert!(store.upkeep_mut().maintain(daily, back.plus_ms(DAY)).unwrap().backup.is_some());
    assert_eq!(copies(&test.home).len(), 3);
    assert_eq!(
        store
            .upkeep_mut()
            .maintain(RetentionPolicy { backups: 0, ..daily }, NOW.plus_ms(99 * DAY))
            .unwrap()
            .backup,
        None
    );
}

/// R33: also where SQLite itself sees nothing wrong.
#[test]
fn a_damaged_database_never_pushes_out_a_good_copy() {
    let test = TestHome::new();
    let mut store = test.open();
    fill(&mut store, 50);
    store.upkeep_mut().maintain(KEEP, NOW).unwrap();
    let good = copies(&test.home);
    raw(&test.home).execute("UPDATE memories SET body = 'rotten' WHERE id = 7", []).unwrap();
    for day in 1..6 {
        let at = NOW.plus_ms(day * DAY);
        assert_eq!(store.upkeep_mut().maintain(KEEP, at).unwrap().backup, None);
        store.upkeep_mut().back_up(KEEP, at).unwrap_err();
    }
    assert_eq!(copies(&test.home), good, "and no unfinished copy is left either");
}

#[test]
fn a_copy_that_was_never_finished_is_cleared() {
    let test = TestHome::new();
    let mut store = test.open();
    note(&mut store, "a", "b");
    fs::create_dir_all(test.home.backups()).unwrap();
    fs::write(test.home.backups().join("backstory-000000000000009.tmp"), "half").unwrap();
    store.upkeep_mut().maintain(KEEP, NOW).unwrap();
    let left = copies(&test.home);
    assert_eq!(left.len(), 1, "{left:?}");
}
