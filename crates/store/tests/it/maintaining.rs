//! Housekeeping: what is old goes, space comes back, copies are sound (R08, R15, R32, R33).

use crate::kit::{DAY, KEEP, NOW, any_of, arrival, arrival_saying, bar, everywhere, size};
use crate::test_store::{TestHome, TestStore, paths_under, raw};
use backstory_store::{Home, Purpose, RetentionPolicy, Spool, Store};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

const NO_COPIES: RetentionPolicy = RetentionPolicy { backups: 0, ..KEEP };

fn copies(home: &Home) -> Vec<PathBuf> {
    let mut files = paths_under(&home.backups());
    files.retain(|path| path.is_file());
    files.sort();
    files
}

/// Opens a copy as the database of another home.
fn restored(test: &TestHome, copy: &Path) -> TestStore {
    let elsewhere = test.sibling("elsewhere");
    drop(fs::remove_dir_all(elsewhere.root()));
    elsewhere.prepare().unwrap();
    fs::copy(copy, elsewhere.database()).unwrap();
    let store = elsewhere.open();
    assert!(store.check().is_sound());
    store
}

#[test]
fn events_go_when_they_are_old() {
    let mut store = TestStore::new();
    let at = |day: i64| NOW.plus_ms(day * DAY);
    let mut left = Vec::new();
    for day in 0..60 {
        store.record(&arrival_saying("s", &format!("day {day}"), at(day)));
        store.maintain(NO_COPIES, at(day));
        left.push(store.events().count().unwrap());
    }
    assert_eq!(left[29], 30, "nothing goes before its time");
    assert!((29..=32).contains(&left[59]), "{left:?}");
}

#[test]
fn maintenance_merges_the_word_index_which_finds_what_it_found() {
    let mut store = TestStore::new();
    let forgotten = store.note("note", "a heron by the river");
    store.forget(&[forgotten]);
    for number in 0..63 {
        store.note(&format!("note {number}"), "a heron by the river");
    }
    let read = |store: &TestStore| {
        let segments = store.number("SELECT count(DISTINCT segid) FROM memory_words_idx");
        (segments, store.search().exact(&any_of(&["heron", "7"]), &everywhere()).unwrap())
    };
    let (segments, hits) = read(&store);
    assert!(segments > 3 && hits.len() > 1, "{segments} segments, {hits:?}");
    store.maintain(NO_COPIES, NOW);
    assert_eq!(read(&store), (1, hits));
    assert!(store.check().is_sound());
}

/// R15.
#[test]
fn a_clock_that_jumps_removes_nothing() {
    for jump in [3650 * DAY, -3650 * DAY, i64::MAX - NOW.0, i64::MIN] {
        let mut store = TestStore::new();
        store.record(&arrival_saying("s", "before", NOW));
        store.maintain(NO_COPIES, NOW);
        let jumped = NOW.plus_ms(jump);
        store.record(&arrival_saying("s", "during", jumped));
        let mut removed = store.maintain(NO_COPIES, jumped).events_removed;
        store.record(&arrival_saying("s", "after", NOW));
        for day in 0..10 {
            removed += store.maintain(NO_COPIES, NOW.plus_ms(day * DAY)).events_removed;
        }
        assert_eq!((removed, store.events().count().unwrap()), (0, 3), "{jump}");
        // When the clock is right again, old events go as ever.
        for day in 10..60 {
            removed += store.maintain(NO_COPIES, NOW.plus_ms(day * DAY)).events_removed;
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
        store.record(&arrival_saying("s", &format!("{number} {filler}"), NOW));
    }
    store.maintain(NO_COPIES, NOW);
    let bytes = || -> u64 {
        let files = test.paths().into_iter().filter(|path| path.is_file());
        files.map(|path| fs::metadata(path).unwrap().len()).sum()
    };
    let full = bytes();
    assert!(full > 2000 * 16_000 && full < 2000 * 24_000, "{full}");
    let report = store.maintain(RetentionPolicy { events_days: 0, backups: 0, ..KEEP }, NOW);
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
    let reader = raw(&test);
    reader.execute_batch("BEGIN; SELECT count(*) FROM events").unwrap();
    let filler = "x".repeat(4000);
    let many = size(300, 5000);
    for number in 0..many {
        let arrival = arrival_saying("s", &format!("{number} {filler}"), NOW);
        if let Err(error) = hook.events_mut().record(&arrival) {
            assert!(error.is_storage_failure(), "{error:?}");
            Spool::new(&test).push(&arrival).unwrap();
        }
    }
    let log = || fs::metadata(test.log()).unwrap().len();
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
    let mut store = TestStore::new();
    let ids = store.fill(300);
    store.test.hook().record_all(0..50);
    let copy = store.maintain(KEEP, NOW).backup.unwrap();
    store.note("after", "the copy");

    let restored = restored(&store.test, &copy);
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
                    if Store::open(test, Purpose::Hook, NOW)
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
            let found = restored(&test, &copy).events().count().unwrap();
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
    let mut store = TestStore::new();
    store.note("a", "b");
    let daily = RetentionPolicy { backup_hours: 24, ..KEEP };
    let made: Vec<bool> =
        (0..10).map(|half| store.maintain(daily, NOW.plus_ms(half * DAY / 2)).backup.is_some()).collect();
    assert_eq!(made, [true, false, true, false, true, false, true, false, true, false]);
    assert_eq!(copies(store.home()).len(), 3, "{:?}", copies(store.home()));
    assert_eq!(store.upkeep().status().unwrap().newest_backup, copies(store.home()).pop());
    // The clock went back by years: the next copy does not wait for it to catch up, nor push out good ones twice.
    let back = NOW.plus_ms(-3650 * DAY);
    assert!(store.maintain(daily, back).backup.is_some());
    assert!(store.maintain(daily, back.plus_ms(1)).backup.is_none(), "not at every run");
    assert!(store.maintain(daily, back.plus_ms(DAY)).backup.is_some());
    assert_eq!(copies(store.home()).len(), 3);
    assert_eq!(store.maintain(RetentionPolicy { backups: 0, ..daily }, NOW.plus_ms(99 * DAY)).backup, None);
}

/// R33: also where SQLite itself sees nothing wrong.
#[test]
fn a_damaged_database_never_pushes_out_a_good_copy() {
    let mut store = TestStore::new();
    store.fill(50);
    store.maintain(KEEP, NOW);
    let good = copies(store.home());
    store.raw().execute("UPDATE memories SET body = 'rotten' WHERE id = 7", []).unwrap();
    for day in 1..6 {
        let at = NOW.plus_ms(day * DAY);
        assert_eq!(store.maintain(KEEP, at).backup, None);
        store.upkeep_mut().back_up(KEEP, at).unwrap_err();
    }
    assert_eq!(copies(store.home()), good, "and no unfinished copy is left either");
}

#[test]
fn a_copy_that_was_never_finished_is_cleared() {
    let mut store = TestStore::new();
    store.note("a", "b");
    fs::create_dir_all(store.home().backups()).unwrap();
    fs::write(store.home().backups().join("backstory-000000000000009.tmp"), "half").unwrap();
    store.maintain(KEEP, NOW);
    let left = copies(store.home());
    assert_eq!(left.len(), 1, "{left:?}");
}
