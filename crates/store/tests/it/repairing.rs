//! Damage: nothing panics, the original is kept, nearly everything comes back, and no healthy database is touched (R11, R13).

use crate::kit::{
    Dice, KEEP, NOW, TestHome, any_of, arrival, ask, bar, child, child_home, draft, fill, new, note,
    paths_under, raw, record_all, size, tell, told,
};
use backstory_memory::{Content, Link, MemoryId, MemoryScope, Relation, Standing};
use backstory_store::{CheckDepth, Filter, Home, Purpose, Scope, Spool, Store, StoreError};
use std::fs;
use std::path::Path;

const BEFORE_THE_COPY: usize = 600;
const ALL: u64 = 640;
const EVENTS: u64 = 100;

/// A home with a copy of most rows, and some that came after it.
fn furnished() -> TestHome {
    let test = TestHome::new();
    let mut store = test.open();
    record_all(&mut store, 0..EVENTS - 10);
    fill(&mut store, BEFORE_THE_COPY);
    store.upkeep_mut().maintain(KEEP, NOW).unwrap();
    for n in BEFORE_THE_COPY as u64..ALL {
        note(&mut store, &format!("later {n}"), "since the copy");
    }
    record_all(&mut store, EVENTS - 10..EVENTS);
    drop(store);
    test
}

fn copy_of(original: &TestHome) -> TestHome {
    let test = TestHome::new();
    for from in original.paths() {
        let to = test.home.root().join(from.strip_prefix(original.home.root()).unwrap());
        if from.is_dir() {
            fs::create_dir_all(to).unwrap();
        } else {
            fs::copy(from, to).unwrap();
        }
    }
    test
}

/// What a hook does, whatever it meets.
fn hook_event(home: &Home, number: u64) {
    let stored = Store::open(home, Purpose::Hook, NOW)
        .and_then(|mut store| store.events_mut().record(&arrival("late", number)));
    if let Err(error) = stored {
        assert!(error.is_storage_failure(), "a hook would drop its event: {error:?}");
        Spool::new(home).push(&arrival("late", number)).unwrap();
    }
}

/// Meets the damage as hooks and commands do, until a command finds nothing more to say.
fn live_with_it(home: &Home) -> Store {
    hook_event(home, 1);
    let mut complaints = Vec::new();
    for _ in 0..4 {
        match Store::open(home, Purpose::Command, NOW) {
            Ok(store) => match store.upkeep().check(CheckDepth::Full) {
                Ok(report) if report.is_sound() => {
                    drop(store);
                    hook_event(home, 2);
                    return Store::open(home, Purpose::Command, NOW).unwrap();
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
fn assert_nearly_all_is_back(store: &Store, what: &str) {
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
        let mut bytes = fs::read(test.home.database()).unwrap();
        let mut dice = Dice(seed);
        for _ in 0..16 {
            let at = dice.roll(bytes.len());
            bytes[at] ^= 1 << dice.roll(8);
        }
        // A flipped schema version is another story: it may be a newer build's.
        bytes[60..64].copy_from_slice(&fs::read(original.home.database()).unwrap()[60..64]);
        fs::write(test.home.database(), &bytes).unwrap();
        let store = live_with_it(&test.home);
        assert_nearly_all_is_back(&store, &format!("seed {seed}"));
        back += store.memories().count().unwrap();
    }
    assert!(back * 100 >= 30 * ALL * 98, "{back} of {} memories, most of those since the copy too", 30 * ALL);
    bar("R11", format_args!("30 seeds of 16 flips: {back} of {} memories back", 30 * ALL));
}

/// R11.
#[test]
fn a_file_that_lost_its_end_or_its_head_is_replaced_and_kept() {
    let original = furnished();
    let whole = fs::read(original.home.database()).unwrap();
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
        fs::write(test.home.database(), &bytes).unwrap();
        let store = live_with_it(&test.home);
        // What only the lost part held cannot come back; the copy and the spool do.
        let floor = match what {
            "header" => ALL * 99 / 100,
            // As many as fit on a page.
            "a page short" => ALL - 16,
            _ => BEFORE_THE_COPY as u64,
        };
        assert!(store.memories().count().unwrap() >= floor, "{what}: {}", store.memories().count().unwrap());
        assert!(
            store.events().count().unwrap() >= EVENTS - 10 + 2,
            "{what}: {}",
            store.events().count().unwrap()
        );
        assert!(is_quarantined(&test.home, &bytes), "{what}: the original is kept");
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
        fs::write(test.home.root().join("backstory.db-wal"), garbage).unwrap();
        let store = live_with_it(&test.home);
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
        fs::remove_file(test.home.database()).unwrap();
        match what {
            "empty" => fs::write(test.home.database(), "").unwrap(),
            "empty with a log" => {
                fs::write(test.home.database(), "").unwrap();
                fs::write(test.home.root().join("backstory.db-wal"), [7; 9000]).unwrap();
            }
            "no tables" => raw(&test.home).execute_batch("PRAGMA journal_mode = WAL").unwrap(),
            _ => {}
        }
        let refused = Store::open(&test.home, Purpose::Hook, NOW).unwrap_err();
        assert!(
            matches!(refused, StoreError::Damaged { .. }) && refused.is_storage_failure(),
            "{what}: {refused}"
        );
        let store = live_with_it(&test.home);
        assert_eq!(store.memories().count().unwrap(), BEFORE_THE_COPY as u64, "{what}");
        let repair = Store::open(&test.home, Purpose::Command, NOW).unwrap();
        assert!(repair.repaired().is_none(), "only who repaired says so");
    }
    // With no copy there is nothing to lose: a fresh start it is.
    let test = TestHome::new();
    test.home.prepare().unwrap();
    fs::write(test.home.database(), "").unwrap();
    assert_eq!(test.open().memories().count().unwrap(), 0);
}

/// Breaks the root page of one table. The memories can still be read.
fn break_receipts(home: &Home) {
    let page = ask(home, "SELECT rootpage FROM sqlite_schema WHERE name = 'receipts'");
    let mut bytes = fs::read(home.database()).unwrap();
    let at = usize::try_from(page - 1).unwrap() * 4096;
    bytes[at..at + 8].fill(0xee);
    fs::write(home.database(), bytes).unwrap();
}

#[test]
fn what_a_repair_brings_back_is_what_was_there() {
    let test = TestHome::new();
    let mut store = test.open();
    let ids = fill(&mut store, 40);
    store.upkeep_mut().back_up(KEEP, NOW).unwrap();
    let project = store.memories().get(ids[0]).unwrap().unwrap().project;
    let newer = store.memories_mut().supersede(ids[3], &new(project, draft("newer", "heron"))).unwrap();
    let gone = note(&mut store, "gone", "forgotten words");
    store.memories_mut().forget(&[gone], NOW).unwrap();
    store.memories_mut().pin(newer, backstory_store::Pin::Keep).unwrap();
    store.memories_mut().reinforce(newer, NOW.plus_ms(5)).unwrap();
    let expected = store.memories().get(newer).unwrap().unwrap();
    drop(store);
    break_receipts(&test.home);

    assert!(!test.open().upkeep().check(CheckDepth::Full).unwrap().is_sound());
    let mut store = test.open();
    let repair = store.repaired().expect("this process repaired it").clone();
    assert!(
        repair.restored_from.is_some() && repair.quarantine.is_some() && repair.salvaged == 1,
        "{repair:?}"
    );
    assert_eq!(
        store.memories().get(newer).unwrap().unwrap(),
        expected,
        "under its own number, with all that is known of it"
    );
    assert_eq!(store.memories().get(ids[3]).unwrap().unwrap().standing, Standing::Superseded(newer));
    let again = new(project, draft("gone", "forgotten words"));
    assert!(
        matches!(store.memories_mut().remember(&again), Err(StoreError::Forgotten { .. })),
        "forgotten is forgotten"
    );
    assert!(note(&mut store, "next", "") > gone, "no number is given twice");
    let hits = store.search().exact(&any_of(&["heron"]), &Filter::within(Scope::Everywhere)).unwrap();
    assert_eq!(hits.iter().map(|hit| hit.memory).collect::<Vec<MemoryId>>(), [newer]);
}

#[test]
fn what_a_memory_said_before_and_how_it_relates_comes_back_with_it() {
    let test = TestHome::new();
    let mut store = test.open();
    let known = note(&mut store, "known", "to the copy");
    store.upkeep_mut().back_up(KEEP, NOW).unwrap();
    let later = note(&mut store, "later", "in its first words");
    for (id, at) in [(known, 5), (later, 6)] {
        let content = Content { scope: MemoryScope::User, ..draft("other", &format!("words of {id}")) };
        store.memories_mut().revise(id, &content, NOW.plus_ms(at)).unwrap();
    }
    store.memories_mut().revise(known, &draft("third", "words"), NOW.plus_ms(8)).unwrap();
    store.memories_mut().revise(later, &draft("third", "words"), NOW.plus_ms(9)).unwrap();
    store.memories_mut().link(Link { from: later, relation: Relation::Contradicts, to: known }).unwrap();
    let of = |store: &Store, id| {
        (
            store.memories().revisions(id).unwrap(),
            store.memories().attachments(id).unwrap().wordings,
            store.memories().links(id).unwrap(),
        )
    };
    let expected = [known, later].map(|id| of(&store, id));
    drop(store);
    break_receipts(&test.home);
    test.open().upkeep().check(CheckDepth::Full).unwrap();

    let store = test.open();
    assert_eq!(store.repaired().expect("this process repaired it").salvaged, 2);
    assert_eq!([known, later].map(|id| of(&store, id)), expected);
    drop(store);
    let kept_apart = "SELECT count(*) FROM revisions WHERE scope = 'user'";
    assert_eq!(ask(&test.home, kept_apart), 2, "what was for the user alone still is");
}

#[test]
fn what_a_memory_said_before_is_not_taken_from_a_damaged_file_where_the_copy_knows_better() {
    let test = TestHome::new();
    let mut store = test.open();
    let id = note(&mut store, "first", "words");
    store.memories_mut().revise(id, &draft("second", "words"), NOW.plus_ms(5)).unwrap();
    store.upkeep_mut().back_up(KEEP, NOW).unwrap();
    store.memories_mut().revise(id, &draft("third", "words"), NOW.plus_ms(9)).unwrap();
    drop(store);
    raw(&test.home).execute("UPDATE revisions SET title = 'rotten' WHERE title = 'first'", []).unwrap();
    break_receipts(&test.home);
    test.open().upkeep().check(CheckDepth::Full).unwrap();

    let store = test.open();
    assert_eq!(store.repaired().expect("this process repaired it").salvaged, 1);
    let said: Vec<String> =
        store.memories().attachments(id).unwrap().wordings.into_iter().map(|said| said.title).collect();
    assert_eq!(said, ["first", "second"]);
    assert_eq!(store.memories().get(id).unwrap().unwrap().content.title, "third");
}

#[test]
fn two_repairs_at_one_time_of_day_keep_both_originals() {
    let original = furnished();
    for damage in [b"first".as_slice(), b"second"] {
        fs::write(original.home.database(), damage).unwrap();
        Store::open(&original.home, Purpose::Hook, NOW).unwrap_err();
        drop(original.open());
    }
    assert!(is_quarantined(&original.home, b"first") && is_quarantined(&original.home, b"second"));
}

/// R13.
#[test]
fn a_locked_but_healthy_database_is_never_set_aside() {
    let test = furnished();
    let before = test.paths();
    for (lock, purpose) in
        [("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE", "hook"), ("BEGIN EXCLUSIVE", "command")]
    {
        let holder = raw(&test.home);
        holder.execute_batch(lock).unwrap();
        holder.execute("UPDATE projects SET name = name", []).unwrap();
        let openers: Vec<_> = (0..8)
            .map(|_| child("repairing::child_that_opens", &test.home).env("AS", purpose).spawn().unwrap())
            .collect();
        for opener in openers {
            let output = opener.wait_with_output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
            assert_eq!(told(&output.stdout).len(), 1);
        }
        holder.execute_batch("COMMIT").unwrap();
    }
    assert!(!test.home.quarantine().exists());
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
        Ok(store) => tell(&format!("{}", store.memories().count().unwrap())),
        Err(error) => {
            assert!(matches!(error, StoreError::Busy { .. }), "{error:?}");
            tell("busy");
        }
    }
}

/// R11: killed at any point of a repair, the next one finishes it.
#[test]
fn a_repair_that_is_killed_loses_nothing() {
    let original = furnished();
    let whole = fs::read(original.home.database()).unwrap();
    for step in 0..size(12, 60) {
        let test = copy_of(&original);
        let damaged = [&whole[..whole.len() - 8192]].concat();
        fs::write(test.home.database(), &damaged).unwrap();
        Store::open(&test.home, Purpose::Hook, NOW).map(drop).unwrap_err();
        let mut victim = child("repairing::child_that_repairs", &test.home).spawn().unwrap();
        // It reports nothing while it works: the kill comes when a growing part of the work shows in the folder.
        while paths_under(test.home.root()).len() + 1 < before_kill(&test.home, step)
            && victim.try_wait().unwrap().is_none()
        {
            std::thread::yield_now();
        }
        victim.kill().unwrap();
        victim.wait().unwrap();
        let store = live_with_it(&test.home);
        assert!(store.memories().count().unwrap() >= BEFORE_THE_COPY as u64, "step {step}");
        assert!(is_quarantined(&test.home, &damaged), "step {step}");
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
