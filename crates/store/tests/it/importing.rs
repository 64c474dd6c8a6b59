//! What an import needs of the store: several writes as one, how far places were read, other programs' databases.

use crate::kit::{NOW, arrival, arrival_saying};
use crate::test_store::TestStore;
use backstory_memory::{Event, MemoryId, Provenance, Redacted, Timestamp};
use backstory_store::{ForeignDatabase, ForeignLimits, ImportProgress, IncomingEvent, RowQuery, StoreError};
use rusqlite::Connection;
use std::ops::ControlFlow;
use std::path::Path;

fn transcript() -> Redacted<String> {
    Redacted::vouch("/home/dev/record".into())
}

fn progress(imported: u64, is_done: bool) -> ImportProgress {
    let (source, location, fingerprint) = ("a host".into(), transcript(), "10 bytes".into());
    ImportProgress { source, location, fingerprint, imported, is_done }
}

fn with_provenance(provenance: Provenance, arrival: IncomingEvent) -> IncomingEvent {
    let event = Event { provenance, ..arrival.event.into_inner() };
    IncomingEvent { event: Redacted::vouch(event), ..arrival }
}

#[test]
fn several_writes_are_kept_as_one_or_not_at_all() {
    let mut store = TestStore::new();
    let failed = store.transaction(|store| {
        store.events_mut().record(&arrival("s", 1))?;
        store.imports_mut().save_progress(&progress(1, false), NOW)?;
        Err::<(), StoreError>(StoreError::NoSuchMemory(MemoryId(7)))
    });
    failed.unwrap_err();
    assert_eq!(store.events().count().unwrap(), 0);
    assert_eq!(store.imports().progress("a host", &transcript()).unwrap(), None);
    // A write that fails makes all of them fail, even if its error is ignored.
    let ignored = store.transaction(|store| {
        store.events_mut().record(&arrival("s", 1))?;
        assert!(store.memories_mut().mark_superseded(MemoryId(7), MemoryId(8), NOW).is_err());
        store.events_mut().record(&arrival("s", 2)).map(drop)
    });
    ignored.unwrap_err();
    assert_eq!(store.events().count().unwrap(), 0);
    store.transaction(|store| store.events_mut().record(&arrival("s", 1)).map(drop)).unwrap();
    assert_eq!(store.test.open().events().count().unwrap(), 1);
}

#[test]
fn how_far_a_transcript_was_read_is_remembered() {
    let mut store = TestStore::new();
    store.imports_mut().save_progress(&progress(5, false), NOW).unwrap();
    store.imports_mut().save_progress(&progress(9, true), NOW).unwrap();
    assert_eq!(
        store.test.open().imports().progress("a host", &transcript()).unwrap(),
        Some(progress(9, true))
    );
    assert_eq!(store.imports().progress("another", &transcript()).unwrap(), None);
}

#[test]
fn imported_events_do_not_count_as_captured_by_hooks() {
    let mut store = TestStore::new();
    let imported = with_provenance(Provenance::Import, arrival_saying("s", "long ago", Timestamp(10)));
    let (host, session) = (imported.event.host.clone(), imported.event.host_session.clone());
    store.record(&imported);
    assert!(!store.sessions().was_captured_by_hooks(&host, &session).unwrap());
    assert!(store.events().contains(imported.event.key).unwrap());
    store.record(&with_provenance(Provenance::User, arrival_saying("s", "now", NOW)));
    assert!(store.sessions().was_captured_by_hooks(&host, &session).unwrap());
    let id = store.sessions().find(&host, &session).unwrap().unwrap().id;
    store.sessions_mut().end(id).unwrap();
    assert_eq!(store.sessions().get(id).unwrap().unwrap().ended_at, Some(NOW));
}

fn listing(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = std::fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(path).unwrap()))
        .collect();
    files.sort();
    files
}

fn another_program(path: &Path) -> Connection {
    let db = Connection::open(path).unwrap();
    db.execute_batch(
        "PRAGMA journal_mode = WAL;
         CREATE TABLE \"odd \"\"name\" (id INTEGER PRIMARY KEY, said TEXT, score REAL, raw BLOB);
         INSERT INTO \"odd \"\"name\" VALUES (2, 'second', 0.5, x'ff41'), (1, 'first', NULL, NULL), (3, NULL, 2.0, 'x');",
    )
    .unwrap();
    db
}

const ODD: RowQuery<'_> = RowQuery {
    table: "odd \"name",
    columns: &["id", "said", "score", "raw", "gone"],
    only: &[],
    order: &["id"],
};

#[test]
fn another_programs_database_is_read_and_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("theirs?.db");
    another_program(&path).close().unwrap();
    let before = listing(dir.path());
    let foreign = ForeignDatabase::open(&path, ForeignLimits::PROGRAM).unwrap();
    let rows = foreign.rows(ODD).unwrap();
    let said: Vec<_> =
        rows.iter().map(|row| (row.integer("id"), row.text("said"), row.real("score"))).collect();
    assert_eq!(
        said,
        [(Some(1), Some("first"), None), (Some(2), Some("second"), Some(0.5)), (Some(3), None, Some(2.0))]
    );
    assert_eq!((rows[1].text("raw"), rows[1].text("gone")), (Some("\u{fffd}A"), None));
    assert_eq!(rows[2].integer("score"), Some(2));
    let one = RowQuery { only: &[("id", "2")], ..ODD };
    assert_eq!(foreign.rows(one).unwrap().len(), 1);
    let mut seen = 0;
    foreign
        .each(ODD, |_| {
            seen += 1;
            ControlFlow::Break(())
        })
        .unwrap();
    assert_eq!(seen, 1);
    assert!(foreign.rows(RowQuery { table: "gone", ..ODD }).unwrap().is_empty());
    assert!(foreign.rows(RowQuery { only: &[("gone", "1")], ..ODD }).unwrap().is_empty());
    drop(foreign);
    assert_eq!(listing(dir.path()), before);
}

#[test]
fn what_another_program_has_not_moved_out_of_its_log_is_read_too() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("live.db");
    let theirs = another_program(&path);
    assert_eq!(ForeignDatabase::open(&path, ForeignLimits::PROGRAM).unwrap().rows(ODD).unwrap().len(), 3);
    theirs.execute("DELETE FROM \"odd \"\"name\"", []).unwrap();
    assert!(ForeignDatabase::open(&path, ForeignLimits::PROGRAM).unwrap().rows(ODD).unwrap().is_empty());
}

#[test]
fn what_is_no_database_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("letter.txt");
    assert!(ForeignDatabase::open(&path, ForeignLimits::PROGRAM).is_err());
    std::fs::write(&path, "Dear reader, ".repeat(900)).unwrap();
    assert!(ForeignDatabase::open(&path, ForeignLimits::PROGRAM).is_err());
    assert!(ForeignDatabase::open(dir.path(), ForeignLimits::PROGRAM).is_err());
    assert_eq!(listing(dir.path()).len(), 1);
}

#[test]
fn only_real_tables_of_another_program_are_read() {
    let dir = tempfile::tempdir().unwrap();
    let forged = "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET type = 'table', rootpage = 2 WHERE name = 'endless';";
    for (name, more) in [("trap.db", ""), ("forged.db", forged)] {
        let path = dir.path().join(name);
        let theirs = Connection::open(&path).unwrap();
        theirs
            .execute_batch(&format!(
                "CREATE VIEW endless (id, said) AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i, 'x' FROM n;
                 CREATE VIRTUAL TABLE virtual USING fts5 (id, said);
                 INSERT INTO virtual VALUES (1, 'made up');
                 CREATE TABLE real (id, said);
                 INSERT INTO real VALUES (1, 'there'); {more}"
            ))
            .unwrap();
        theirs.close().unwrap();
        let foreign = match ForeignDatabase::open(&path, ForeignLimits::REPOSITORY) {
            Ok(foreign) => foreign,
            // SQLite refuses the forged schema as a whole.
            Err(_) if !more.is_empty() => continue,
            Err(error) => panic!("{error}"),
        };
        for (table, rows) in [("endless", 0), ("virtual", 0), ("real", 1)] {
            let wanted = RowQuery { table, columns: &["id", "said"], order: &["id"], ..RowQuery::default() };
            assert_eq!(foreign.rows(wanted).unwrap().len(), rows, "{name}: {table}");
        }
    }
    backstory_testkit::held("A01", 6, 4, "views and virtual tables are not read");
}

#[test]
fn another_programs_database_is_read_up_to_its_limits() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("large.db");
    let theirs = Connection::open(&path).unwrap();
    theirs
        .execute_batch(
            "CREATE TABLE said (id INTEGER, words TEXT);
             WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
             INSERT INTO said SELECT 5001 - i, printf('%.100c', 'x') FROM n;",
        )
        .unwrap();
    theirs.close().unwrap();
    let none = ForeignLimits::PROGRAM;
    let read = |limits: ForeignLimits, order: &[&str]| {
        let wanted = RowQuery { table: "said", columns: &["id", "words"], only: &[], order };
        let mut ids = Vec::new();
        let read = ForeignDatabase::open(&path, limits).and_then(|foreign| {
            foreign.each(wanted, |row| {
                ids.extend(row.integer("id"));
                ControlFlow::Continue(())
            })
        });
        (ids, read.map_err(|error| error.to_string()))
    };
    assert_eq!(read(none, &["id"]), ((1..=5000).collect(), Ok(())));
    let cases = [
        (ForeignLimits { rows: 10, ..none }, (1..=10).collect(), "`said` has more than 10 rows"),
        (ForeignLimits { value_bytes: 1000, ..none }, (1..=9).collect(), "it holds more than 1000 bytes"),
        (ForeignLimits { steps: 10_000, ..none }, Vec::new(), "it takes too long to read"),
        (ForeignLimits { file_bytes: 4096, ..none }, Vec::new(), "and 4096 are read"),
    ];
    for (limits, expected, why) in cases {
        let (ids, read) = read(limits, &["id"]);
        assert_eq!(ids, expected, "{why}");
        let error = read.unwrap_err();
        assert!(error.contains("over the limits of an import") && error.contains(why), "{error}");
    }
    backstory_testkit::held("A01", 6, 1, "oversized databases are read up to their limits");
}
