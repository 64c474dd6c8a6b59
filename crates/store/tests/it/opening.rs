//! Opening: what is promised of the file, and what is refused.

use crate::kit::{NOW, arrival, bar};
#[cfg(unix)]
use crate::kit::{is_root, skip};
use crate::test_store::{TestHome, ask, number, raw};
use backstory_store::{Home, Purpose, RecordOutcome, Spool, Store, StoreError};
use rusqlite::config::DbConfig;
use std::ffi::OsString;
use std::fs;
#[cfg(unix)]
use std::os::unix::ffi::OsStringExt;
#[cfg(unix)]
use std::os::unix::fs::{chown, symlink};

#[test]
fn the_file_gives_space_back_and_keeps_a_log() {
    let test = TestHome::new();
    let _store = test.hook();
    let db = raw(&test);
    assert_eq!(number(&db, "PRAGMA auto_vacuum"), 2, "incremental");
    let mode: String = db.query_row("PRAGMA journal_mode", [], |row| row.get(0)).unwrap();
    assert_eq!(mode, "wal");
}

#[test]
fn a_hook_leaves_the_checkpoint_to_others() {
    let test = TestHome::new();
    drop(test.hook());
    let before = fs::read(test.database()).unwrap();
    test.hook().record_all(0..400);
    assert!(fs::read(test.database()).unwrap() == before, "the database file itself is untouched");
    assert!(fs::metadata(test.log()).unwrap().len() > 1 << 20);
    assert_eq!(test.open().events().count().unwrap(), 400);
}

#[cfg(unix)]
fn assert_unsafe(home: &Home) {
    for purpose in [Purpose::Hook, Purpose::Command, Purpose::Read] {
        let refused = Store::open(home, purpose, NOW).unwrap_err();
        assert!(matches!(refused, StoreError::Unsafe { .. }), "{purpose:?}: {refused}");
    }
}

/// SEC-8.
#[cfg(unix)]
#[test]
fn a_home_that_is_a_link_or_no_directory_is_refused() {
    let test = TestHome::new();
    drop(test.open());
    let (link, file) = (test.beside("link"), test.beside("file"));
    symlink(test.root(), &link).unwrap();
    fs::write(&file, "").unwrap();
    assert_unsafe(&Home::new(&link));
    assert_unsafe(&Home::new(&file));
}

/// SEC-8.
#[cfg(unix)]
#[test]
fn a_home_of_someone_else_is_refused() {
    if !is_root() {
        return skip("only root can give a folder away");
    }
    let test = TestHome::new();
    drop(test.open());
    chown(test.root(), Some(65_534), Some(65_534)).unwrap();
    assert_unsafe(&test);
}

#[test]
fn a_home_with_any_name_works() {
    let test = TestHome::new();
    let mut names = ["per cent %41&a=b#c", "quote ' and space", "é数"].map(OsString::from).to_vec();
    #[cfg(unix)]
    names.extend(
        [&b"per cent %41?a=b#c"[..], b"not utf-8 \xff\xfe"].map(|name| OsString::from_vec(name.to_vec())),
    );
    for name in names {
        let home = test.root().with_file_name(name);
        let home = TestHome::from(Home::new(home));
        let mut store = home.open();
        store.note("kept", "here");
        let copy = store.back_up();
        assert_eq!(copy.parent(), Some(home.backups().as_path()));
        assert!(copy.exists());
        drop(store);
        assert_eq!(home.open_for(Purpose::Read).memories().count().unwrap(), 1);
    }
}

#[test]
fn there_is_nothing_to_read_in_an_empty_home() {
    let test = TestHome::new();
    assert!(matches!(Store::open(&test, Purpose::Read, NOW), Err(StoreError::Absent { .. })));
    assert!(!test.root().exists());
}

/// Refuses to open the database for whatever purpose, spools an event, and changes no byte.
fn assert_refused_untouched(test: &TestHome, check: impl Fn(&StoreError)) {
    let bytes = || (fs::read(test.database()).unwrap(), fs::read(test.log()).unwrap());
    let before = bytes();
    for purpose in [Purpose::Hook, Purpose::Command, Purpose::Read, Purpose::Command] {
        let refused = Store::open(test, purpose, NOW).unwrap_err();
        check(&refused);
        assert!(refused.is_storage_failure(), "the event waits for a database that can be opened");
    }
    Spool::new(test).push(&arrival("s", 2)).unwrap();
    assert!(bytes() == before, "law 11");
}

/// R26, law 11.
#[test]
fn a_newer_database_is_refused_and_no_byte_of_it_changes() {
    let test = TestHome::new();
    test.hook().record(&arrival("s", 1));
    let db = raw(&test);
    // The newer build's hook leaves its log behind, as ours do.
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).unwrap();
    let known = number(&db, "PRAGMA user_version");
    db.pragma_update(None, "user_version", known + 1).unwrap();
    drop(db);
    assert_refused_untouched(&test, |refused| {
        let StoreError::Newer { found, known: knows, .. } = refused else { panic!("{refused}") };
        assert_eq!((*found, *knows), (known + 1, known));
        assert!(refused.to_string().contains(&format!("schema {}", known + 1)));
    });
    raw(&test).pragma_update(None, "user_version", known).unwrap();
    assert_eq!(test.open().events().count().unwrap(), 2, "what waited is taken in");
    bar("R26", "4 kinds of opening refused, 0 bytes changed");
}

#[test]
fn opening_twice_in_one_process_is_harmless() {
    let test = TestHome::new();
    let (mut one, mut two) = (test.open(), test.hook());
    assert!(matches!(one.record(&arrival("s", 1)), RecordOutcome::Stored(_)));
    drop(one);
    assert!(matches!(two.record(&arrival("s", 2)), RecordOutcome::Stored(_)));
    drop(two);
    assert_eq!(ask(&test, "SELECT count(*) FROM events"), 2);
}

/// A database as builds from before the first release made it.
fn make_unreleased(test: &TestHome, version: i64) {
    test.prepare().unwrap();
    let old = raw(test);
    // Their hooks left the log behind, as ours do.
    old.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).unwrap();
    old.execute_batch(&format!(
        "PRAGMA journal_mode = WAL;
         CREATE TABLE applied_migrations (version INTEGER PRIMARY KEY, digest BLOB NOT NULL, applied_at_ms INTEGER NOT NULL) STRICT;
         CREATE TABLE facts_of_the_store (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
         CREATE TABLE memories (id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL) STRICT;
         INSERT INTO memories (title) VALUES ('kept by an older program'); PRAGMA user_version = {version};"
    ))
    .unwrap();
}

#[test]
fn law_11_a_database_whose_schema_has_our_number_and_is_another_is_refused_and_no_byte_of_it_changes() {
    let test = TestHome::new();
    test.hook().record(&arrival("s", 1));
    let db = raw(&test);
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).unwrap();
    db.execute_batch("UPDATE applied_migrations SET digest = zeroblob(length(digest))").unwrap();
    drop(db);
    assert_refused_untouched(&test, |refused| {
        assert!(matches!(refused, StoreError::ForeignSchema { .. }), "{refused}");
        assert_eq!(Store::repair(&test, NOW).unwrap(), None);
    });
}

#[test]
fn law_11_a_database_from_before_the_first_release_is_refused_and_no_byte_of_it_changes() {
    for version in [1, 10] {
        let test = TestHome::new();
        make_unreleased(&test, version);
        assert_refused_untouched(&test, |refused| {
            let StoreError::OlderSchema { found, first, .. } = refused else { panic!("{refused}") };
            assert_eq!((*found, *first), (version, 11));
            assert!(refused.to_string().contains("from before the first release"), "{refused}");
            assert_eq!(Store::repair(&test, NOW).unwrap(), None);
        });
        fs::rename(test.database(), test.root().join("exported.db")).unwrap();
        fs::rename(test.log(), test.root().join("exported.db-wal")).unwrap();
        assert_eq!(test.open().events().count().unwrap(), 1, "what waited is taken in");
    }
}
