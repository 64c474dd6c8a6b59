//! Damage: nothing panics, the original is kept, nearly everything comes back, and no healthy database is touched (R11, R13).

use crate::child_process::{child, child_home, report, reports};
use crate::kit::{Dice, KEEP, NOW, arrival, bar, draft, new, size};
use crate::test_store::{TestHome, TestStore, ask, is_kept, number, paths_under, raw};
use backstory_memory::{Content, Link, MemoryId, MemoryScope, Relation, Standing};
use backstory_store::{CheckDepth, Home, Purpose, Spool, Store, StoreError};
use rusqlite::Connection;
use std::fs;
use std::path::Path;

const BEFORE_THE_COPY: usize = 600;
const ALL: u64 = 640;
const EVENTS: u64 = 100;

/// A home with a copy of most rows, and some that came after it.
fn furnished() -> TestHome {
    let mut store = TestStore::new();
    store.record_all(0..EVENTS - 10);
    store.fill(BEFORE_THE_COPY);
    store.maintain(KEEP, NOW);
    for n in BEFORE_THE_COPY as u64..ALL {
        store.note(&format!("later {n}"), "since the copy");
    }
    store.record_all(EVENTS - 10..EVENTS);
    store.close()
}

fn copy_of(original: &TestHome) -> TestHome {
    let test = TestHome::new();
    for from in original.paths() {
        let to = test.root().join(from.strip_prefix(original.root()).unwrap());
        if from.is_dir() {
            fs::create_dir_all(to).unwrap();
        } else {
            fs::copy(from, to).unwrap();
        }
    }
    test
}

/// Meets the damage as hooks and commands do, until a command finds nothing more to say.
fn live_with_it(home: &TestHome) -> TestStore {
    assert!(is_kept(home, &arrival("late", 1)));
    let mut complaints = Vec::new();
    for _ in 0..4 {
        match Store::open(home, Purpose::Command, NOW) {
            Ok(store) => match store.upkeep().check(CheckDepth::Full) {
                Ok(report) if report.is_sound() => {
                    drop(store);
                    assert!(is_kept(home, &arrival("late", 2)));
                    return home.open();
                }
                found => complaints.push(format!("{found:?}")),
            },
            Err(error @ StoreError::Damaged { .. }) => complaints.push(error.to_string()),
            Err(error) => panic!("{error:?}"),
        }
    }
    panic!("not repaired: {complaints:#?}");
}

/// The copy and the spool are back. What came since the copy may be lost with the page that led to it.
fn assert_nearly_all_is_back(store: &TestStore, what: &str) {
    let (memories, events) = (store.memories().count().unwrap(), store.events().count().unwrap());
    assert!(memories * 100 >= BEFORE_THE_COPY as u64 * 99, "{what}: {memories} memories");
    assert!(events * 100 >= (EVENTS - 10 + 2) * 99, "{what}: {events} events");
    assert!(Spool::new(store.home()).is_empty(), "{what}");
}

fn is_quarantined(home: &Home, bytes: &[u8]) -> bool {
    paths_under(&home.quarantine()).iter().any(|path| path.is_file() && fs::read(path).unwrap() == bytes)
}

/// R11.
#[test]
fn scattered_damage_is_found_and_mended() {
    let original = furnished();
    let mut back = 0;
    for seed in 0..30 {
        let test = copy_of(&original);
        without_mirror(&test);
        flip_bits(&original, &test, seed);
        let store = live_with_it(&test);
        assert_nearly_all_is_back(&store, &format!("seed {seed}"));
        back += store.memories().count().unwrap();
    }
    assert!(back * 100 >= 30 * ALL * 98, "{back} of {} memories, most of those since the copy too", 30 * ALL);
    bar("R11", format_args!("30 seeds of 16 flips: {back} of {} memories back", 30 * ALL));
}

/// R11: no backup was made yet. The mirror has all but what a hook wrote last, and was killed before it reached the mirror.
#[test]
fn scattered_damage_without_a_backup_costs_at_most_what_came_last() {
    let (mirrored, last) = (600, 5);
    let mut store = TestStore::new();
    store.fill(mirrored);
    let original = store.close();
    let mut hook = original.hook();
    for n in 0..last {
        hook.note(&format!("last {n}"), "not in the mirror");
    }
    hook.upkeep().checkpoint().unwrap();
    drop(hook);
    let mut lost = 0;
    for seed in 0..60 {
        let test = copy_of(&original);
        flip_bits(&original, &test, seed);
        let store = live_with_it(&test);
        let back = store.memories().count().unwrap();
        assert!(back >= mirrored as u64, "seed {seed}: {back} of {mirrored}");
        for id in (1..=i64::try_from(mirrored).unwrap()).map(MemoryId) {
            assert!(store.memory(id).is_intact(), "seed {seed}: #{id}");
        }
        lost += mirrored as u64 + last - back;
    }
    bar(
        "R11",
        format_args!(
            "60 seeds of 16 flips without a backup: 0 of {} lost, {lost} of the last {}",
            60 * mirrored,
            60 * last
        ),
    );
    backstory_testkit::held("A07", 14, 60, "stores with flipped bits and no backup come back");
}

/// A repair takes tombstones from the mirror, too: one that the user lifted must not stand in the way again.
#[test]
fn a_lifted_tombstone_leaves_the_mirror() {
    let test = TestHome::new();
    let mut store = test.open();
    let id = store.note("amounts", "are cents");
    store.forget(&[id]);
    store.upkeep_mut().follow_mirror().unwrap();
    let graves = || number(&Connection::open(test.mirror()).unwrap(), "SELECT count(*) FROM tombstones");
    assert_eq!(graves(), 1);
    let again = new(store.project(), draft("amounts", "are cents"));
    store.memories_mut().lift_tombstone(&again).unwrap();
    store.memories_mut().remember(&again).unwrap();
    store.upkeep_mut().follow_mirror().unwrap();
    assert_eq!(graves(), 0);
}

/// R11: the mirror follows what is written, revised and forgotten, and is made again when it is damaged itself.
#[test]
fn the_mirror_holds_what_the_database_holds() {
    let test = TestHome::new();
    let mut store = test.open();
    let ids = store.fill(40);
    store.revise(ids[3], draft("other", "words"), NOW.plus_ms(5));
    let newer = store.supersede(ids[4], draft("newer", "heron"));
    store.forget(&[ids[5]]);
    let rows = |path: &Path| -> Vec<String> {
        let db = Connection::open(path).unwrap();
        let all =
            "SELECT id || uid || title || body || coalesce(superseded_by, 0) || hex(checksum) FROM memories
             UNION ALL SELECT memory_id || title || body FROM revisions ORDER BY 1";
        let mut statement = db.prepare(all).unwrap();
        statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    };
    drop(store);
    let mirror = test.mirror();
    assert_eq!(rows(&mirror), rows(&test.database()));
    assert_eq!(ask(&test, "SELECT count(*) FROM mirror_queue"), 0);

    fs::write(&mirror, "garbage ".repeat(2000)).unwrap();
    let mut store = test.open();
    store.memories_mut().pin(newer, backstory_store::Pin::Keep).unwrap();
    drop(store);
    assert_eq!(rows(&mirror), rows(&test.database()));
    let mut bytes = fs::read(&mirror).unwrap();
    let at = bytes.windows(5).position(|window| window == b"heron").unwrap();
    bytes[at] ^= 1;
    fs::write(&mirror, bytes).unwrap();
    test.open().maintain(KEEP, NOW.plus_ms(3 * 86_400_000));
    assert_eq!(rows(&mirror), rows(&test.database()));
}

/// R11: what cannot be read from a damaged database is no reason to give up the mirror.
#[test]
fn a_damaged_database_does_not_cost_the_mirror() {
    let mut store = TestStore::new();
    store.fill(400);
    let home = store.close();
    let mirrored =
        |home: &TestHome| number(&Connection::open(home.mirror()).unwrap(), "SELECT count(*) FROM memories");
    let root = ask(&home, "SELECT rootpage FROM sqlite_schema WHERE name = 'memories'");
    let db = raw(&home);
    db.execute("INSERT INTO mirror_queue (memory_id) SELECT id FROM memories", []).unwrap();
    db.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    drop(db);
    let mut bytes = fs::read(home.database()).unwrap();
    let at = usize::try_from(root - 1).unwrap() * 4096;
    bytes[at + 8..at + 64].fill(0xee);
    fs::write(home.database(), bytes).unwrap();
    drop(Store::open(&home, Purpose::Command, NOW).map(|mut store| store.upkeep_mut().maintain(KEEP, NOW)));
    assert_eq!(mirrored(&home), 400);
    assert_eq!(live_with_it(&home).memories().count().unwrap(), 400);
}

/// R11: a memory that reads wrong is mended from the mirror.
#[test]
fn a_rotten_memory_is_mended_from_the_mirror() {
    let mut store = TestStore::new();
    let ids = store.fill(3);
    let expected = store.memory(ids[1]);
    let home = store.close();
    // Also when the row is written again before anybody notices.
    raw(&home).execute("UPDATE memories SET body = 'rotten', times_used = 7 WHERE id = 2", []).unwrap();
    assert!(!home.open().check().is_sound());
    let store = home.open();
    assert_eq!(store.repaired().map(|repair| repair.mended), Some(1));
    assert_eq!(store.memory(ids[1]).content, expected.content);
}

/// Flips 16 bits of the database; the schema version stays: another one may be a newer build's.
fn flip_bits(original: &TestHome, test: &TestHome, seed: u64) {
    let mut bytes = fs::read(test.database()).unwrap();
    let mut dice = Dice(seed);
    for _ in 0..16 {
        let at = dice.roll(bytes.len());
        bytes[at] ^= 1 << dice.roll(8);
    }
    bytes[60..64].copy_from_slice(&fs::read(original.database()).unwrap()[60..64]);
    fs::write(test.database(), &bytes).unwrap();
}

/// R11: a flipped bit may also hit the text of the schema.
#[test]
fn a_damaged_name_in_the_schema_is_mended() {
    let test = furnished();
    raw(&test)
        .execute_batch(
            "PRAGMA writable_schema = ON;
             UPDATE sqlite_schema SET sql = replace(sql, 'idempotency_key', 'idempotency_kez') WHERE name = 'forgotten_events';",
        )
        .unwrap();
    let store = live_with_it(&test);
    assert_nearly_all_is_back(&store, "a damaged name");
}

/// R11.
#[test]
fn a_file_that_lost_its_end_or_its_head_is_replaced_and_kept() {
    let original = furnished();
    let whole = fs::read(original.database()).unwrap();
    let garbled = [b"this was never a database header".as_slice(), &whole[32..]].concat();
    let damages = [
        ("empty", Vec::new()),
        ("100 bytes", whole[..100].to_vec()),
        ("half", whole[..whole.len() / 2].to_vec()),
        ("a page short", whole[..whole.len() - 4096].to_vec()),
        ("header", garbled),
        ("zeroes", vec![0; whole.len()]),
        ("text", b"hello\n".to_vec()),
    ];
    for (what, bytes) in damages {
        let test = copy_of(&original);
        fs::write(test.database(), &bytes).unwrap();
        let store = live_with_it(&test);
        // What only the lost part held cannot come back; the copy and the spool do.
        let floor = match what {
            "header" => ALL * 99 / 100,
            // As many as fit on a page.
            "a page short" => ALL - 16,
            _ => BEFORE_THE_COPY as u64,
        };
        let (memories, events) = (store.memories().count().unwrap(), store.events().count().unwrap());
        assert!(memories >= floor, "{what}: {memories} memories");
        assert!(events >= EVENTS - 10 + 2, "{what}: {events} events");
        assert!(is_quarantined(&test, &bytes), "{what}: the original is kept");
        assert!(!store.upkeep().status().unwrap().quarantined.is_empty(), "{what}");
    }
    bar("R11", "7 files without end or head replaced, the originals kept");
}

/// R11: nothing was written since, or the log is rubbish.
#[test]
fn a_garbage_log_costs_nothing() {
    let original = furnished();
    for (seed, length) in [(1, 10), (2, 32), (3, 5000), (4, 100_000)] {
        let test = copy_of(&original);
        let mut dice = Dice(seed);
        let garbage: Vec<u8> = (0..length).map(|_| u8::try_from(dice.roll(256)).unwrap()).collect();
        fs::write(test.log(), garbage).unwrap();
        let store = live_with_it(&test);
        assert_eq!(store.memories().count().unwrap(), ALL);
        assert_nearly_all_is_back(&store, "garbage log");
    }
    bar("R11", format_args!("4 garbage logs: {ALL} of {ALL} memories"));
}

/// A missing or empty file beside copies of it is a loss, not a fresh start.
#[test]
fn a_database_that_vanished_is_restored_and_not_begun_anew() {
    let original = furnished();
    for what in ["missing", "empty", "empty with a log", "no tables"] {
        let test = copy_of(&original);
        fs::remove_file(test.database()).unwrap();
        match what {
            "empty" => fs::write(test.database(), "").unwrap(),
            "empty with a log" => {
                fs::write(test.database(), "").unwrap();
                fs::write(test.log(), [7; 9000]).unwrap();
            }
            "no tables" => raw(&test).execute_batch("PRAGMA journal_mode = WAL").unwrap(),
            _ => {}
        }
        let refused = Store::open(&test, Purpose::Hook, NOW).unwrap_err();
        assert!(
            matches!(refused, StoreError::Damaged { .. }) && refused.is_storage_failure(),
            "{what}: {refused}"
        );
        let store = live_with_it(&test);
        assert_eq!(store.memories().count().unwrap(), ALL, "{what}");
        assert!(test.open().repaired().is_none(), "only who repaired says so");
    }
    // With no copy there is nothing to lose: a fresh start it is.
    let test = TestHome::new();
    test.prepare().unwrap();
    fs::write(test.database(), "").unwrap();
    assert_eq!(test.open().memories().count().unwrap(), 0);
}

/// Takes the mirror away, so that a repair has only backup and damaged file.
fn without_mirror(test: &TestHome) {
    for suffix in ["", "-wal", "-shm"] {
        drop(fs::remove_file(test.root().join(format!("mirror.db{suffix}"))));
    }
}

/// Breaks the root page of one table, so that the memories can still be read, and has the store repaired without the mirror.
fn broken_and_repaired(test: &TestHome, salvaged: u64) -> TestStore {
    without_mirror(test);
    let page = ask(test, "SELECT rootpage FROM sqlite_schema WHERE name = 'receipts'");
    let mut bytes = fs::read(test.database()).unwrap();
    let at = usize::try_from(page - 1).unwrap() * 4096;
    bytes[at..at + 8].fill(0xee);
    fs::write(test.database(), bytes).unwrap();
    assert!(!test.open().check().is_sound());
    let store = test.open();
    let repair = store.repaired().expect("this process repaired it");
    assert!(repair.restored_from.is_some() && repair.quarantine.is_some(), "{repair:?}");
    assert_eq!(repair.salvaged, salvaged);
    store
}

#[test]
fn a_repair_brings_memories_back_as_they_were() {
    let mut store = TestStore::new();
    let ids = store.fill(40);
    store.back_up();
    let project = store.memory(ids[0]).project;
    let newer = store.supersede(ids[3], draft("newer", "heron"));
    let gone = store.note("gone", "forgotten words");
    store.forget(&[gone]);
    store.memories_mut().pin(newer, backstory_store::Pin::Keep).unwrap();
    store.memories_mut().reinforce(newer, NOW.plus_ms(5)).unwrap();
    let expected = store.memory(newer);
    let mut store = broken_and_repaired(&store.close(), 1);
    assert_eq!(store.memory(newer), expected, "under its own number, with all that is known of it");
    assert_eq!(store.memory(ids[3]).standing, Standing::Superseded(newer));
    let again = new(project, draft("gone", "forgotten words"));
    assert!(matches!(store.memories_mut().remember(&again), Err(StoreError::Forgotten { .. })));
    assert!(store.note("next", "") > gone, "no id is used twice");
    assert_eq!(store.found_by("heron"), [newer]);
}

#[test]
fn a_repair_brings_back_revisions_and_links() {
    let mut store = TestStore::new();
    let known = store.note("known", "to the copy");
    store.back_up();
    let later = store.note("later", "in its first words");
    for (id, at) in [(known, 5), (later, 6)] {
        let content = Content { scope: MemoryScope::User, ..draft("other", &format!("words of {id}")) };
        store.revise(id, content, NOW.plus_ms(at));
    }
    store.revise(known, draft("third", "words"), NOW.plus_ms(8));
    store.revise(later, draft("third", "words"), NOW.plus_ms(9));
    store.memories_mut().link(Link { from: later, relation: Relation::Contradicts, to: known }).unwrap();
    let read = |store: &TestStore| {
        [known, later].map(|id| {
            let memories = store.memories();
            let oldest_first = memories.attachments(id).unwrap().revisions;
            (memories.revisions(id).unwrap(), oldest_first, memories.links(id).unwrap())
        })
    };
    let expected = read(&store);
    let store = broken_and_repaired(&store.close(), 2);
    assert_eq!(read(&store), expected);
    let private = "SELECT count(*) FROM revisions WHERE scope = 'user'";
    assert_eq!(store.number(private), 2, "what was for the user alone still is");
}

#[test]
fn a_repair_takes_revisions_from_the_copy_before_the_damaged_file() {
    let mut store = TestStore::new();
    let id = store.note("first", "words");
    store.revise(id, draft("second", "words"), NOW.plus_ms(5));
    store.back_up();
    store.revise(id, draft("third", "words"), NOW.plus_ms(9));
    store.raw().execute("UPDATE revisions SET title = 'rotten' WHERE title = 'first'", []).unwrap();
    let store = broken_and_repaired(&store.close(), 1);
    let revisions = store.memories().attachments(id).unwrap().revisions;
    assert_eq!(
        revisions.iter().map(|revision| revision.content.title.as_str()).collect::<Vec<_>>(),
        ["first", "second"]
    );
    assert_eq!(store.memory(id).content.title, "third");
}

#[test]
fn two_repairs_at_one_time_of_day_keep_both_originals() {
    let original = furnished();
    for damage in [b"first".as_slice(), b"second"] {
        fs::write(original.database(), damage).unwrap();
        Store::open(&original, Purpose::Hook, NOW).unwrap_err();
        drop(original.open());
    }
    assert!(is_quarantined(&original, b"first") && is_quarantined(&original, b"second"));
}

/// R13.
#[test]
fn a_locked_but_healthy_database_is_never_set_aside() {
    let test = furnished();
    let before = test.paths();
    for (lock, purpose) in
        [("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE", "hook"), ("BEGIN EXCLUSIVE", "command")]
    {
        let holder = raw(&test);
        holder.execute_batch(lock).unwrap();
        holder.execute("UPDATE projects SET name = name", []).unwrap();
        let openers: Vec<_> = (0..8)
            .map(|_| child("repairing::child_that_opens", &test).env("AS", purpose).spawn().unwrap())
            .collect();
        for opener in openers {
            let output = opener.wait_with_output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
            assert_eq!(reports(&output.stdout).len(), 1);
        }
        holder.execute_batch("COMMIT").unwrap();
    }
    assert!(!test.quarantine().exists());
    drop(test.open());
    assert_eq!(test.paths(), before, "no new file");
    bar("R13", "0 quarantines and 0 new files by 16 openers of a locked database");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "how the parent speaks to its child")]
fn child_that_opens() {
    let Some(home) = child_home() else { return };
    let is_hook = std::env::var_os("AS").is_some_and(|purpose| purpose == "hook");
    match Store::open(&home, if is_hook { Purpose::Hook } else { Purpose::Command }, NOW) {
        Ok(store) => report(&format!("{}", store.memories().count().unwrap())),
        Err(error) => {
            assert!(matches!(error, StoreError::Busy { .. }), "{error:?}");
            report("busy");
        }
    }
}

/// R11: killed at any point of a repair, the next one finishes it.
#[test]
fn a_repair_that_is_killed_loses_nothing() {
    let original = furnished();
    let whole = fs::read(original.database()).unwrap();
    for step in 0..size(12, 60) {
        let test = copy_of(&original);
        let damaged = [&whole[..whole.len() - 8192]].concat();
        fs::write(test.database(), &damaged).unwrap();
        Store::open(&test, Purpose::Hook, NOW).map(drop).unwrap_err();
        let mut victim = child("repairing::child_that_repairs", &test).spawn().unwrap();
        // It reports nothing while it works: the kill comes when a growing part of the work shows in the folder.
        while paths_under(test.root()).len() + 1 < before_kill(&test, step)
            && victim.try_wait().unwrap().is_none()
        {
            std::thread::yield_now();
        }
        victim.kill().unwrap();
        victim.wait().unwrap();
        let store = live_with_it(&test);
        assert!(store.memories().count().unwrap() >= BEFORE_THE_COPY as u64, "step {step}");
        assert!(is_quarantined(&test, &damaged), "step {step}");
    }
    bar("R11", format_args!("{} killed repairs: nothing lost", size(12, 60)));
}

/// How many paths the home has before the kill comes.
fn before_kill(home: &Home, step: usize) -> usize {
    let at_rest = paths_under(&home.backups()).len() + paths_under(&home.spool()).len();
    at_rest + 2 + step % 12
}

#[test]
fn child_that_repairs() {
    let Some(home) = child_home() else { return };
    drop(Store::open(&home, Purpose::Command, NOW));
    assert!(Path::new(home.root()).exists());
}
