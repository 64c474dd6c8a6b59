//! claude-mem's database. Its schemas are known from github.com/thedotmack/claude-mem: `src/services/sqlite/schema.sql` of 13.x
//! (migration 35), `src/services/sqlite/migrations/runner.ts` of 9.x (migration 4 to 17) and the names of columns before it.

use crate::fixtures::{cut_in_half, database, machine, read, refused, scratch};
use backstory_exchange::{ImportSource, ImportedProject, ImportedSession};
use backstory_memory::{Kind, MemoryScope, Provenance, Timestamp};
use std::fs;

pub(crate) const SCHEMA_13: &str = include_str!("../fixtures/claude_mem_13.sql");

pub(crate) const OBSERVED: &str = include_str!("../fixtures/claude_mem_13_rows.sql");

#[test]
fn observations_summaries_and_rules_of_version_13_are_imported() {
    let folder = tempfile::tempdir().unwrap();
    let path = database(&folder.path().join("claude-mem.db"), &[SCHEMA_13, OBSERVED]);
    let reading = read(ImportSource::ClaudeMem, &path);
    let fix = reading.named("observation 1");
    assert_eq!(fix.content.kind, Kind::Bugfix);
    assert_eq!(fix.content.title, "Rounding of cart totals fixed");
    assert_eq!(fix.content.body, "Half a cent was lost\nThe sum was taken before rounding.");
    assert_eq!(fix.content.facts, ["Prices are cents", "Sums are rounded once"]);
    assert_eq!(fix.content.concepts, ["problem-solution"]);
    assert_eq!(fix.content.files, ["src/cart.rs", "src/price.rs"]);
    assert_eq!(fix.created_at, Timestamp(1_772_359_200_000));
    assert_eq!(fix.project, ImportedProject::Named("shop".into()));
    assert_eq!(fix.session, Some(ImportedSession { host: "claude-code".into(), name: "host-1".into() }));
    let kinds: Vec<Kind> = reading.memories.iter().take(8).map(|memory| memory.content.kind).collect();
    let expected = [
        Kind::Bugfix,
        Kind::Decision,
        Kind::Feature,
        Kind::Refactor,
        Kind::Discovery,
        Kind::Change,
        Kind::Discovery,
        Kind::Note,
    ];
    assert_eq!(kinds, expected);
    assert_eq!(reading.named("observation 7").content.category.as_ref().unwrap().0, "security_note");
    assert_eq!(reading.named("observation 8").session, None);
    assert!(reading.memories.iter().all(|memory| memory.content.provenance == Provenance::Import));
    assert!(
        reading.memories.iter().all(|memory| memory.project != ImportedProject::Named("old-name".into()))
    );
    let codex = reading.named("observation 2");
    assert_eq!(codex.session.as_ref().unwrap().host, "codex");
    assert_eq!(codex.project, ImportedProject::Named("shop".into()));
    let summary = &reading.named("summary 1").content;
    assert_eq!((summary.kind, summary.title.as_str()), (Kind::Summary, "Fix the totals of the cart"));
    let lines: Vec<&str> = summary.body.lines().collect();
    assert_eq!(lines[1], "Learned: Rounding happens twice");
    assert_eq!(lines.last(), Some(&"Next steps: Add a test for vouchers"));
    assert_eq!(summary.files, ["src/cart.rs"]);
    assert_eq!(reading.named("directive 1").content.scope, MemoryScope::User);
    assert_eq!(reading.named("directive 2").content.scope, MemoryScope::Project);
    assert_eq!(reading.memories.len(), 11);
    assert_eq!(reading.skipped(), [("a prompt", 2), ("never compressed", 1), ("retracted", 1)]);
}

/// Until migration 17 sessions had other names, and until migration 8 an observation was one text.
#[test]
fn databases_of_version_9_and_older_are_imported() {
    let folder = tempfile::tempdir().unwrap();
    let sql = include_str!("../fixtures/claude_mem_9.sql");
    let path = database(&folder.path().join("claude-mem.db"), &[sql]);
    let reading = read(ImportSource::ClaudeMem, &path);
    assert_eq!(reading.names(), ["observation 1", "summary 1"]);
    let memory = reading.named("observation 1");
    assert_eq!(memory.content.title, "The till keeps prices as cents");
    assert_eq!(memory.created_at, Timestamp(1_760_954_400_000));
    assert_eq!(memory.session, Some(ImportedSession { host: "claude-code".into(), name: "host-1".into() }));
    assert!(reading.skipped.is_empty());
}

#[test]
fn damaged_rows_are_counted_and_the_rest_is_imported() {
    let folder = tempfile::tempdir().unwrap();
    let sql = include_str!("../fixtures/claude_mem_damaged_rows.sql");
    let path = database(&folder.path().join("claude-mem.db"), &[SCHEMA_13, sql]);
    let reading = read(ImportSource::ClaudeMem, &path);
    assert_eq!(reading.names(), ["observation 1", "observation 6"]);
    let untitled = reading.named("observation 1");
    assert_eq!(untitled.content.title, "ProjectFilter the story is left. And more.");
    assert_eq!(untitled.created_at, Timestamp(1_772_355_600_000), "the session's own beginning");
    assert!(untitled.content.facts.is_empty() && untitled.content.files.is_empty());
    assert_eq!(reading.named("observation 6").created_at, Timestamp(1_772_359_200_000));
    assert_eq!(reading.skipped(), [("no date", 1), ("no words", 3)]);
}

#[test]
fn missing_tables_and_damaged_files_are_survived() {
    let folder = tempfile::tempdir().unwrap();
    let sessions = "CREATE TABLE sdk_sessions (id INTEGER PRIMARY KEY)";
    let empty = database(&folder.path().join("empty/claude-mem.db"), &[sessions]);
    assert!(read(ImportSource::ClaudeMem, &empty).memories.is_empty());
    let filler = "INSERT INTO observations (memory_session_id, project, type, title, narrative, created_at, created_at_epoch)
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
        SELECT 'own-1', 'shop', 'change', 'Change number ' || i, hex(zeroblob(400)), '', 1772359200000 + i FROM n;";
    let half = database(&folder.path().join("half/claude-mem.db"), &[SCHEMA_13, filler]);
    scratch(&half);
    let reading = read(ImportSource::ClaudeMem, &half);
    assert!(reading.memories.len() > 100 && reading.memories.len() < 500, "{}", reading.memories.len());
    assert!(reading.skipped().contains(&("a damaged table", 1)));
    cut_in_half(&half);
    assert!(!refused(ImportSource::ClaudeMem, &half).is_empty());
    let none = folder.path().join("none/claude-mem.db");
    fs::create_dir_all(none.parent().unwrap()).unwrap();
    fs::write(&none, "no database at all, but long enough to look at ".repeat(100)).unwrap();
    assert!(!refused(ImportSource::ClaudeMem, &none).is_empty());
    let other = database(&folder.path().join("other.db"), &["CREATE TABLE observations (id INTEGER)"]);
    assert_eq!(refused(ImportSource::ClaudeMem, &other), "not a database of claude-mem");
}

/// What a program has written and not yet put in its place stands in its log.
#[test]
fn a_database_in_use_is_read_without_changing_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = database(&folder.path().join("claude-mem.db"), &["PRAGMA journal_mode = WAL", SCHEMA_13]);
    let program = rusqlite::Connection::open(&path).unwrap();
    let fingerprint = ImportSource::ClaudeMem.at(&path).unwrap().fingerprint;
    program.execute_batch(OBSERVED).unwrap();
    assert_ne!(ImportSource::ClaudeMem.at(&path).unwrap().fingerprint, fingerprint);
    assert_eq!(read(ImportSource::ClaudeMem, &path).memories.len(), 11);
    program.execute_batch("DELETE FROM observations").unwrap();
    assert_eq!(read(ImportSource::ClaudeMem, &path).memories.len(), 3);
}

#[test]
fn the_data_is_found_at_its_default_path_and_by_its_variable() {
    let home = tempfile::tempdir().unwrap();
    let mut search = machine(home.path());
    assert!(ImportSource::ClaudeMem.locate(&search).is_empty());
    let usual = database(&home.path().join(".claude-mem/claude-mem.db"), &[SCHEMA_13]);
    let instances = ImportSource::ClaudeMem.locate(&search);
    assert_eq!(instances.len(), 1);
    assert_eq!(instances[0].path, usual);
    assert!(ImportSource::ClaudeMemLite.locate(&search).is_empty(), "the same file is not both");
    fs::write(home.path().join(".claude-mem/claude-mem.db-wal"), "").unwrap();
    assert_ne!(
        ImportSource::ClaudeMem.locate(&search)[0].fingerprint,
        instances[0].fingerprint,
        "what a running program wrote is new"
    );
    let elsewhere = database(&home.path().join("elsewhere/claude-mem.db"), &[SCHEMA_13]);
    search.named.push(("CLAUDE_MEM_DATA_DIR".into(), home.path().join("elsewhere")));
    assert_eq!(ImportSource::ClaudeMem.locate(&search)[0].path, elsewhere);
}
