//! Forgetting: after it no byte is left, in no file of the home (S15, SEC-12).

use crate::kit::{KEEP, NOW, arrival_saying, bar, draft, injection, new};
use crate::test_store::{TestHome, TestStore, ask, assert_sound, grep, number, paths_under};
use backstory_memory::{Content, Injection, MemoryId, Standing};
use backstory_store::{Home, MemoryOrigin, NewMemory, RecordOutcome, Spool, StoreError};
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

/// Finds no marker, stem or first letters of one but those of the bystanders (100 and above).
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

/// Writes memory `n`: some revised, some superseded, all distilled from an event of their own and injected into a session.
fn write(store: &mut TestStore, n: usize) -> Vec<MemoryId> {
    let text = markers(n).join(" ");
    let RecordOutcome::Stored(event) = store.record(&arrival_saying("s", &text, NOW)) else { panic!() };
    let project = store.project();
    let origin = MemoryOrigin { events: vec![event], ..MemoryOrigin::default() };
    let memory = NewMemory { origin, ..new(project, saying(n, "first")) };
    let id = store.memories_mut().remember(&memory).unwrap();
    let session = store.session("s");
    store.injections_mut().record(&Injection { text, ..injection(project, session, &[id], NOW) }).unwrap();
    // Others say it as well: a prompt that no memory came from, and an injection that does not name the memory.
    let content = saying(n, "first");
    let said = format!("As I said,\n\"{}\" -- {}!", content.title, content.body.to_uppercase());
    store.record(&arrival_saying("s", &said, NOW));
    store
        .injections_mut()
        .record(&Injection { text: said, ..injection(project, session, &[], NOW) })
        .unwrap();
    match n % 4 {
        0 => {
            // The marker is only in the older wordings.
            store.revise(id, saying(n, "second"), NOW);
            store.revise(id, draft("harmless", "now"), NOW);
            vec![id]
        }
        1 => vec![id, store.supersede(id, saying(n, "newer"))],
        _ => vec![id],
    }
}

/// Leaves a text where a log, a broken file of the spool and a killed repair would.
fn leave_traces(home: &Home, text: &str) {
    let spool = home.spool().join("bad");
    for dir in [home.log().parent().unwrap(), &spool] {
        std::fs::create_dir_all(dir).unwrap();
    }
    let lines = format!("2026 hook: fine\n2026 hook: cannot read {text}\n");
    std::fs::write(home.log(), &lines).unwrap();
    std::fs::write(home.log().with_extension("log.1"), &lines).unwrap();
    std::fs::write(spool.join("broken"), format!("{{\"payload\": {text:?}, ")).unwrap();
    std::fs::write(home.root().join("salvage.db"), text).unwrap();
}

/// S15, SEC-12.
#[test]
fn no_byte_of_what_was_forgotten_is_left_anywhere() {
    let test = TestHome::new();
    let mut store = test.open();
    let mut victims: Vec<Vec<MemoryId>> = (0..50).map(|n| write(&mut store, n)).collect();
    store.back_up();
    victims.extend((50..100).map(|n| write(&mut store, n)));
    let bystanders: Vec<MemoryId> = (100..140).flat_map(|n| write(&mut store, n)).collect();
    // A second delivery of an event that will be forgotten still waits, and a copy is made between.
    Spool::new(&test).push(&arrival_saying("s", &markers(7).join(" "), NOW)).unwrap();
    store.upkeep_mut().back_up(KEEP, NOW.plus_ms(1)).unwrap();
    leave_traces(&test, &saying(3, "first").body);
    store.upkeep_mut().follow_mirror().unwrap();
    let traces = grep(test.root(), &markers(2)[0]);
    for name in ["backstory.db", "mirror.db", "backstory.log", "backstory.log.1", "broken", "salvage.db"] {
        let body = grep(test.root(), &markers(3)[2]);
        let is_there = |(path, _): &(std::path::PathBuf, String)| path.to_string_lossy().contains(name);
        assert!(traces.iter().chain(&body).any(is_there), "the search itself works: {name}");
    }

    let ids: Vec<MemoryId> = victims.iter().flatten().copied().collect();
    let forgetting = store.forget(&ids);
    assert_eq!((&forgetting.forgotten, forgetting.remains_in.len()), (&ids, 0), "{forgetting:?}");
    assert_gone(&test);
    let mut copies = paths_under(&test.backups());
    copies.retain(|path| path.extension().is_some_and(|end| end == "db"));
    assert_eq!(copies.len(), 2);
    for path in copies.iter().chain([&test.database()]) {
        let left: Vec<String> = terms(path)
            .into_iter()
            .filter(|term| {
                (0..100).any(|n| term.contains(&format!("{n:03}")) || term.contains(&markers(n)[3]))
            })
            .collect();
        assert_eq!(left, Vec::<String>::new(), "{}", path.display());
    }

    assert_eq!(std::fs::read_to_string(Home::log(&test)).unwrap(), "2026 hook: fine\n");

    // The others are as they were, and nothing of the forgotten comes back by being delivered again.
    assert_eq!(store.memories().get_many(&bystanders).unwrap().len(), bystanders.len());
    for n in 0..100 {
        store.record(&arrival_saying("s", &markers(n).join(" "), NOW));
        let again = new(store.project(), saying(n, "first"));
        assert!(matches!(store.memories_mut().remember(&again), Err(StoreError::Forgotten { .. })), "{n}");
    }
    drop(store);
    assert_gone(&test);
    drop(test.open());
    assert_sound(&test);
    assert_eq!(ask(&test, "SELECT count(DISTINCT uid) FROM tombstones"), ids.len() as i64);
    bar("S15", format_args!("0 bytes of {} left in any file, 0 came back", ids.len()));
    backstory_testkit::held("A06", 11, 100, "forgotten memories leave no byte");
}

/// SEC-12.
#[test]
fn a_reader_in_the_way_is_named_and_the_rest_is_done_later() {
    for later_by_forgetting in [false, true] {
        let mut store = TestStore::new();
        let ids = write(&mut store, 2);
        let other = write(&mut store, 3);
        let reader = store.raw();
        reader.execute_batch("BEGIN; SELECT count(*) FROM memories").unwrap();
        let forgetting = store.forget(&ids);
        let log = store.test.log();
        assert!(forgetting.remains_in.contains(&log), "{forgetting:?}");
        for (file, _) in grep(store.home().root(), &markers(2)[0]) {
            assert!(forgetting.remains_in.contains(&file), "{} is not named", file.display());
        }
        drop(reader);
        if later_by_forgetting {
            assert_eq!(store.forget(&other).remains_in, Vec::<std::path::PathBuf>::new());
        } else {
            store.maintain(KEEP, NOW);
        }
        for marker in markers(2) {
            assert_eq!(grep(store.home().root(), &marker), []);
        }
    }
}

/// SEC-12.
#[test]
fn files_that_cannot_be_cleaned_are_named() {
    let mut store = TestStore::new();
    let ids = write(&mut store, 1);
    let old = store.home().quarantine().join("000000000000001");
    std::fs::create_dir_all(&old).unwrap();
    let broken = store.home().backups().join("backstory-000000000000001.db");
    std::fs::create_dir_all(store.home().backups()).unwrap();
    std::fs::write(&broken, "not a database").unwrap();
    let bad = store.home().spool().join("bad");
    std::fs::create_dir_all(&bad).unwrap();
    std::fs::write(bad.join("junk"), "junk").unwrap();
    let mut remains = store.forget(&ids).remains_in;
    remains.sort();
    assert_eq!(remains, [broken, old, bad.join("junk")]);
}

#[test]
fn forgetting_what_is_not_there_forgets_nothing() {
    let mut store = TestStore::new();
    let ids = write(&mut store, 2);
    let refused = store.memories_mut().forget(&[ids[0], MemoryId(99)], NOW);
    assert!(matches!(refused, Err(StoreError::NoSuchMemory(MemoryId(99)))));
    assert!(store.memories().get(ids[0]).unwrap().is_some());
    store.forget(&[ids[0], ids[0]]);
    assert!(store.memories().get(ids[0]).unwrap().is_none());
}

/// A memory that a copy does not hold must not come back after that copy was restored.
#[test]
fn every_copy_knows_what_was_forgotten() {
    let mut store = TestStore::new();
    let copy = store.back_up();
    let ids = write(&mut store, 2);
    store.forget(&ids);
    let copy = Connection::open(copy).unwrap();
    assert_eq!(number(&copy, "SELECT count(*) FROM tombstones"), 1);
}

/// A memory written by hand has no evidence; the prompt that said the same must not keep it.
#[test]
fn an_event_with_the_words_of_a_forgotten_memory_is_gone_too() {
    let mut store = TestStore::new();
    store.record(&arrival_saying("s", "we said: the \"zyx001quux\" decision stands", NOW));
    store.record(&arrival_saying("s", "something else altogether", NOW));
    let same = "the \"zyx001quux\" decision stands";
    let id = store.note(same, same);
    store.forget(&[id]);
    assert_eq!(store.events().count().unwrap(), 1);
    let home = store.close();
    assert_eq!(grep(home.root(), "zyx001"), vec![]);
}

/// What a memory was made from goes as far as it shares a word with it.
#[test]
fn an_event_that_only_supports_a_forgotten_memory_stays() {
    let mut store = TestStore::new();
    let texts = ["staging lives at zebra001", "edited src/deploy.rs", "the weather is fine"];
    let events: Vec<_> = texts
        .iter()
        .map(|text| match store.record(&arrival_saying("s", text, NOW)) {
            RecordOutcome::Stored(event) => event,
            other => panic!("{other:?}"),
        })
        .collect();
    let project = store.project();
    let origin = MemoryOrigin { events: events.clone(), ..MemoryOrigin::default() };
    let content = Content {
        files: vec!["src/deploy.rs".into()],
        ..draft("Zebra001 is where staging lives", "in src/deploy.rs")
    };
    let id = store.memories_mut().remember(&NewMemory { origin, ..new(project, content) }).unwrap();
    assert_eq!(store.forget(&[id]).events, 1);
    assert!(store.events().get(events[0]).unwrap().is_none());
    assert!(events[1..].iter().all(|event| store.events().get(*event).unwrap().is_some()));
    let home = store.close();
    assert_eq!(grep(home.root(), "zebra001"), vec![]);
}

/// S15: `forget --text`.
#[test]
fn a_phrase_is_forgotten_wherever_it_stands() {
    let test = TestHome::new();
    let mut store = test.open();
    let said = store.note("said now", "the password of Zyx001Quux is a bird");
    let before = store.note("said before", "of zyx001quux  IS what it was");
    let long = "a sentence of so many letters that anybody who compares runs of them finds it again";
    let beside = store.note("beside it", &format!("of zyx001quux is {long}"));
    let other = store.note("another", long);
    store.revise(before, draft("harmless", "now"), NOW.plus_ms(5));
    let project = store.project();
    let session = store.session("s");
    let text = "about of zyx001quux is everything".to_owned();
    store.injections_mut().record(&Injection { text, ..injection(project, session, &[], NOW) }).unwrap();
    store.record(&arrival_saying("s", "nobody made a memory of zyx001quux\nis that so?", NOW));
    store.record(&arrival_saying("s", "something else", NOW));
    leave_traces(&test, "of zyx001quux is");
    let held = "INSERT INTO held_memories (project_id, content, created_at_ms, held_at_ms, clock_ms)
         VALUES (1, '{\"body\":\"of\\nzyx001quux is\"}', 0, 0, 0)";
    store.raw().execute(held, []).unwrap();
    for file in [
        "mapped_files VALUES (1, 'of zyx001quux is.rs', x'00', 0)",
        "unmapped_files VALUES (1, 'of zyx001quux is.c', '', 0)",
    ] {
        store.raw().execute(&format!("INSERT INTO {file}"), []).unwrap();
    }
    store.back_up();
    store.upkeep_mut().follow_mirror().unwrap();

    let matches = store.memories().containing("of  ZYX001quux is").unwrap();
    assert_eq!((matches.held, matches.files), (1, 2));
    assert_eq!(
        (matches.memories, matches.revised, matches.injections),
        (vec![said, beside], vec![before], 1)
    );
    assert_eq!(matches.events.len(), 1);
    let done = store.memories_mut().forget_text("of zyx001quux is", NOW).unwrap();
    assert_eq!((done.forgotten, done.events, done.remains_in), (vec![said, beside], 1, vec![]));
    assert_eq!(done.mentioned_in, [other], "it stays, and is named");
    assert_eq!(store.memory(before).content.title, "harmless");
    assert_eq!(store.events().count().unwrap(), 1);
    drop(store);
    assert_eq!(grep(test.root(), "zyx001"), vec![]);
    let copy = paths_under(&test.backups()).into_iter().find(|path| path.is_file()).unwrap();
    let kept = number(&Connection::open(copy).unwrap(), "SELECT count(*) FROM memories");
    assert_eq!(kept, 2, "the backup keeps the same as the database");
    drop(test.open());
    assert_sound(&test);
    backstory_testkit::held("A06", 11, 1, "forgotten phrases leave no byte");
}

/// S15: a row that cannot be read holds its words all the same.
#[test]
fn a_phrase_is_forgotten_in_damaged_rows_too() {
    let test = TestHome::new();
    let mut store = test.open();
    let damaged = store.note("damaged", "the password of Zyx001Quux is a bird");
    let revised = store.note("damaged before", "of zyx001quux is what it was");
    store.revise(revised, draft("harmless", "now"), NOW.plus_ms(5));
    let spoil = "UPDATE revisions SET facts = 'no list'; UPDATE memories SET facts = 'no list' WHERE id = 1";
    store.raw().execute_batch(&format!("PRAGMA secure_delete = ON; {spoil}")).unwrap();
    let matches = store.memories().containing("of zyx001quux is").unwrap();
    assert_eq!((matches.memories, matches.revised), (vec![damaged], vec![revised]));
    let done = store.memories_mut().forget_text("of zyx001quux is", NOW).unwrap();
    assert_eq!((done.forgotten, done.remains_in), (vec![damaged], vec![]));
    drop(store);
    assert_eq!(grep(test.root(), "zyx001"), vec![]);
}

/// S15: `forget --event`.
#[test]
fn a_forgotten_event_is_gone_from_the_copies_and_stays_out() {
    let test = TestHome::new();
    let mut store = test.open();
    let event = arrival_saying("s", "zyx001quux is nobody's business", NOW);
    let RecordOutcome::Stored(id) = store.record(&event) else { panic!() };
    store.record(&arrival_saying("s", "something else", NOW));
    store.back_up();
    assert_eq!(store.events_mut().forget(&[id], NOW).unwrap().events, 1);
    assert_eq!(store.record(&event), RecordOutcome::Forgotten);
    assert_eq!(store.events().count().unwrap(), 1);
    drop(store);
    assert_eq!(grep(test.root(), "zyx001"), vec![]);
    backstory_testkit::held("A06", 11, 1, "forgotten events stay out of the copies");
}

#[test]
fn what_a_forgotten_memory_superseded_is_in_force_again_and_named() {
    let mut store = TestStore::new();
    let old = store.remember(draft("indent with tabs", "tabs"));
    let replacement = store.supersede(old, draft("indent with spaces", "spaces"));
    let done = store.forget(&[replacement]);
    assert_eq!(done.revived, vec![old]);
    let memory = store.memory(old);
    assert_eq!((memory.standing, memory.content.valid_to), (Standing::Confirmed, None));
}

#[test]
fn a_memory_superseded_twice_stays_superseded_when_one_replacement_is_forgotten() {
    let mut store = TestStore::new();
    let old = store.remember(draft("indent with tabs", "tabs"));
    let [first, second] = ["four spaces", "two spaces"].map(|body| {
        let by = store.remember(draft("indent with spaces", body));
        store.memories_mut().mark_superseded(old, by, NOW).unwrap();
        by
    });
    let done = store.forget(&[second]);
    assert_eq!(done.revived, vec![]);
    assert_eq!(store.memory(old).standing, Standing::Superseded(first));
    assert_eq!(store.forget(&[first]).revived, vec![old]);
}
