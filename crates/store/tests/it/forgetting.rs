//! Forgetting: after it no byte is left, in no file of the home (S15, SEC-12).

use crate::kit::{
    KEEP, NOW, TestHome, arrival_saying, ask, assert_sound, bar, draft, grep, injection, new, project, raw,
};
use backstory_memory::{Content, Injection, MemoryId};
use backstory_store::{Home, MemoryOrigin, NewMemory, RecordOutcome, Spool, Store, StoreError};
use rusqlite::Connection;

/// Words no other text holds, of many shapes: plain, an identifier, one the stemmer cuts, an unspaced script.
fn markers(n: usize) -> [String; 4] {
    let unique = char::from_u32(0x4e00 + u32::try_from(n).unwrap() * 7).unwrap();
    [
        format!("zyx{n:03}quux"),
        format!("Zebra{n:03}Yonder"),
        format!("vexing{n:03}zations"),
        format!("鿀{unique}鿁"),
    ]
}

fn saying(n: usize, what: &str) -> Content {
    let [plain, camel, long, script] = markers(n);
    Content {
        facts: vec![format!("{what} fact {plain}")],
        concepts: vec![camel.clone()],
        files: vec![format!("src/{plain}{what}.rs")],
        ..draft(&format!("{what} {plain}"), &format!("{what}: {camel} {long} {script} "))
    }
}

/// The terms of the word index, whatever page they are on.
fn terms(path: &std::path::Path) -> Vec<String> {
    let db = Connection::open(path).unwrap();
    db.execute_batch("CREATE VIRTUAL TABLE temp.terms USING fts5vocab (main, memory_words, row)").unwrap();
    let mut statement = db.prepare("SELECT term FROM temp.terms").unwrap();
    statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

/// Whole markers, their stems, their first letters: nothing but what the bystanders (100 and above) say.
fn assert_gone(home: &Home) {
    for beginning in ["zyx", "zebra", "vexing", "鿀"] {
        let bystander = |rest: &str| {
            (100..140).any(|n| markers(n).iter().any(|marker| rest.starts_with(&marker.to_lowercase()[..6])))
        };
        let traces: Vec<_> =
            grep(home.root(), beginning).into_iter().filter(|(_, rest)| !bystander(rest)).collect();
        // The parts of the bystanders' identifiers stand alone, too.
        let traces: Vec<_> =
            traces.into_iter().filter(|(_, rest)| *rest == *beginning || rest.contains('0')).collect();
        assert_eq!(traces, vec![]);
    }
}

/// Writes memory `n`: some revised, some superseded, all distilled from an event of their own and told to a session.
fn write(store: &mut Store, n: usize) -> Vec<MemoryId> {
    let text = markers(n).join(" ");
    let RecordOutcome::Stored(event) = store.events_mut().record(&arrival_saying("s", &text, NOW)).unwrap()
    else {
        panic!()
    };
    let project = project(store, "/home/u/one");
    let origin = MemoryOrigin { events: vec![event], ..MemoryOrigin::default() };
    let memory = NewMemory { origin, ..new(project, saying(n, "first")) };
    let id = store.memories_mut().remember(&memory).unwrap();
    let session = store.sessions_mut().find_or_create(project, "test", "s", NOW).unwrap();
    store.injections_mut().record(&Injection { text, ..injection(project, session, &[id], NOW) }).unwrap();
    match n % 4 {
        0 => {
            // The marker is only in the older wordings.
            store.memories_mut().revise(id, &saying(n, "second"), NOW).unwrap();
            store.memories_mut().revise(id, &draft("harmless", "now"), NOW).unwrap();
            vec![id]
        }
        1 => vec![id, store.memories_mut().supersede(id, &new(project, saying(n, "newer"))).unwrap()],
        _ => vec![id],
    }
}

/// S15, SEC-12.
#[test]
fn no_byte_of_what_was_forgotten_is_left_anywhere() {
    let test = TestHome::new();
    let mut store = test.open();
    let mut victims: Vec<Vec<MemoryId>> = (0..50).map(|n| write(&mut store, n)).collect();
    store.upkeep_mut().back_up(KEEP, NOW).unwrap();
    victims.extend((50..100).map(|n| write(&mut store, n)));
    let bystanders: Vec<MemoryId> = (100..140).flat_map(|n| write(&mut store, n)).collect();
    // A second delivery of an event that will be forgotten still waits, and a copy is made between.
    Spool::new(&test.home).push(&arrival_saying("s", &markers(7).join(" "), NOW)).unwrap();
    store.upkeep_mut().back_up(KEEP, NOW.plus_ms(1)).unwrap();
    assert!(!grep(test.home.root(), &markers(0)[0]).is_empty(), "the search itself works");

    let ids: Vec<MemoryId> = victims.iter().flatten().copied().collect();
    let forgetting = store.memories_mut().forget(&ids, NOW).unwrap();
    assert_eq!((&forgetting.forgotten, forgetting.remains_in.len()), (&ids, 0), "{forgetting:?}");
    assert_gone(&test.home);
    let copies = std::fs::read_dir(test.home.backups()).unwrap().map(|entry| entry.unwrap().path());
    let copies: Vec<_> = copies.filter(|path| path.extension().is_some_and(|end| end == "db")).collect();
    assert_eq!(copies.len(), 2);
    for path in copies.iter().chain([&test.home.database()]) {
        let left: Vec<String> = terms(path)
            .into_iter()
            .filter(|term| {
                (0..100).any(|n| term.contains(&format!("{n:03}")) || term.contains(&markers(n)[3]))
            })
            .collect();
        assert_eq!(left, Vec::<String>::new(), "{}", path.display());
    }

    // The others are as they were, and nothing of the forgotten comes back by being delivered again.
    assert_eq!(store.memories().get_many(&bystanders).unwrap().len(), bystanders.len());
    for n in 0..100 {
        store.events_mut().record(&arrival_saying("s", &markers(n).join(" "), NOW)).unwrap();
        let again = new(project(&mut store, "/home/u/one"), saying(n, "first"));
        assert!(matches!(store.memories_mut().remember(&again), Err(StoreError::Forgotten { .. })), "{n}");
    }
    drop(store);
    assert_gone(&test.home);
    drop(test.open());
    assert_sound(&test.home);
    assert_eq!(ask(&test.home, "SELECT count(DISTINCT uid) FROM tombstones"), ids.len() as i64);
    bar("S15", format_args!("0 bytes of {} left in any file, 0 came back", ids.len()));
}

/// SEC-12.
#[test]
fn a_reader_in_the_way_is_named_and_the_rest_is_done_later() {
    for later_by_forgetting in [false, true] {
        let test = TestHome::new();
        let mut store = test.open();
        let ids = write(&mut store, 2);
        let other = write(&mut store, 3);
        let reader = raw(&test.home);
        reader.execute_batch("BEGIN; SELECT count(*) FROM memories").unwrap();
        let forgetting = store.memories_mut().forget(&ids, NOW).unwrap();
        let log = test.home.root().join("backstory.db-wal");
        assert!(forgetting.remains_in.contains(&log), "{forgetting:?}");
        for (file, _) in grep(test.home.root(), &markers(2)[0]) {
            assert!(forgetting.remains_in.contains(&file), "{} is not named", file.display());
        }
        drop(reader);
        if later_by_forgetting {
            assert_eq!(
                store.memories_mut().forget(&other, NOW).unwrap().remains_in,
                Vec::<std::path::PathBuf>::new()
            );
        } else {
            store.upkeep_mut().maintain(KEEP, NOW).unwrap();
        }
        assert_eq!(
            markers(2).iter().flat_map(|marker| grep(test.home.root(), marker)).collect::<Vec<_>>(),
            vec![]
        );
    }
}

/// SEC-12: what cannot be cleaned is said.
#[test]
fn what_was_set_aside_is_named() {
    let test = TestHome::new();
    let mut store = test.open();
    let ids = write(&mut store, 1);
    let old = test.home.quarantine().join("000000000000001");
    std::fs::create_dir_all(&old).unwrap();
    let broken = test.home.backups().join("backstory-000000000000001.db");
    std::fs::create_dir_all(test.home.backups()).unwrap();
    std::fs::write(&broken, "not a database").unwrap();
    let bad = test.home.spool().join("bad");
    std::fs::create_dir_all(&bad).unwrap();
    std::fs::write(bad.join("junk"), "junk").unwrap();
    let mut remains = store.memories_mut().forget(&ids, NOW).unwrap().remains_in;
    remains.sort();
    assert_eq!(remains, [broken, old, bad.join("junk")]);
}

#[test]
fn forgetting_what_is_not_there_forgets_nothing() {
    let test = TestHome::new();
    let mut store = test.open();
    let ids = write(&mut store, 2);
    let refused = store.memories_mut().forget(&[ids[0], MemoryId(99)], NOW);
    assert!(matches!(refused, Err(StoreError::NoSuchMemory(MemoryId(99)))));
    assert!(store.memories().get(ids[0]).unwrap().is_some());
    store.memories_mut().forget(&[ids[0], ids[0]], NOW).unwrap();
    assert!(store.memories().get(ids[0]).unwrap().is_none());
}

/// A memory that a copy does not hold must not come back after that copy was restored.
#[test]
fn every_copy_knows_what_was_forgotten() {
    let test = TestHome::new();
    let mut store = test.open();
    let copy = store.upkeep_mut().back_up(KEEP, NOW).unwrap();
    let ids = write(&mut store, 2);
    store.memories_mut().forget(&ids, NOW).unwrap();
    let copy = Connection::open(copy).unwrap();
    assert_eq!(crate::kit::number(&copy, "SELECT count(*) FROM tombstones"), 1);
}

/// A memory written by hand has no evidence; the prompt that said the same must not keep it.
#[test]
fn an_event_that_says_the_same_is_gone_too() {
    let home = TestHome::new();
    let mut store = home.open();
    store
        .events_mut()
        .record(&arrival_saying("s", "we said: the \"zyx001quux\" decision stands", NOW))
        .unwrap();
    store.events_mut().record(&arrival_saying("s", "something else altogether", NOW)).unwrap();
    let project = project(&mut store, "/home/u/one");
    let memory =
        new(project, draft("the \"zyx001quux\" decision stands", "the \"zyx001quux\" decision stands"));
    let id = store.memories_mut().remember(&memory).unwrap();
    store.memories_mut().forget(&[id], NOW).unwrap();
    assert_eq!(store.events().count().unwrap(), 1);
    drop(store);
    assert_eq!(grep(home.home.root(), "zyx001"), vec![]);
}

#[test]
fn what_a_forgotten_memory_had_replaced_is_in_force_again_and_named() {
    let home = TestHome::new();
    let mut store = home.open();
    let project = project(&mut store, "/home/u/one");
    let old = store.memories_mut().remember(&new(project, draft("indent with tabs", "tabs"))).unwrap();
    let replacement =
        store.memories_mut().supersede(old, &new(project, draft("indent with spaces", "spaces"))).unwrap();
    let done = store.memories_mut().forget(&[replacement], NOW).unwrap();
    assert_eq!(done.revived, vec![old]);
    let memory = store.memories().get(old).unwrap().unwrap();
    assert_eq!((memory.standing, memory.content.valid_to), (backstory_memory::Standing::Confirmed, None));
}

#[test]
fn what_was_replaced_twice_stays_replaced_when_one_replacement_is_forgotten() {
    let home = TestHome::new();
    let mut store = home.open();
    let project = project(&mut store, "/home/u/one");
    let old = store.memories_mut().remember(&new(project, draft("indent with tabs", "tabs"))).unwrap();
    let [first, second] = ["four spaces", "two spaces"].map(|body| {
        let by = store.memories_mut().remember(&new(project, draft("indent with spaces", body))).unwrap();
        store.memories_mut().mark_superseded(old, by, NOW).unwrap();
        by
    });
    let done = store.memories_mut().forget(&[second], NOW).unwrap();
    assert_eq!(done.revived, vec![]);
    assert_eq!(
        store.memories().get(old).unwrap().unwrap().standing,
        backstory_memory::Standing::Superseded(first)
    );
    assert_eq!(store.memories_mut().forget(&[first], NOW).unwrap().revived, vec![old]);
}
