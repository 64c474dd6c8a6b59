//! open-mem's databases. Their schemas are known from github.com/clopca/open-mem (`src/db/schema.ts`, migration 1 to 10, and
//! `src/db/user-memory.ts`).

use crate::fixtures::{cut_in_half, database, machine, read, refused};
use backstory_exchange::{ImportSource, ImportedProject, ImportedSession};
use backstory_memory::{Kind, MemoryScope, Provenance, Timestamp};
use std::path::{Path, PathBuf};

pub(crate) const SCHEMA_1: &str = "
    CREATE TABLE sessions (_rowid INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT UNIQUE NOT NULL, project_path TEXT NOT NULL,
        started_at TEXT NOT NULL DEFAULT (datetime('now')), ended_at TEXT, status TEXT NOT NULL DEFAULT 'active',
        observation_count INTEGER NOT NULL DEFAULT 0, summary_id TEXT);
    CREATE TABLE observations (_rowid INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT UNIQUE NOT NULL, session_id TEXT NOT NULL,
        type TEXT NOT NULL, title TEXT NOT NULL, subtitle TEXT NOT NULL DEFAULT '', facts TEXT NOT NULL DEFAULT '[]',
        narrative TEXT NOT NULL DEFAULT '', concepts TEXT NOT NULL DEFAULT '[]', files_read TEXT NOT NULL DEFAULT '[]',
        files_modified TEXT NOT NULL DEFAULT '[]', raw_tool_output TEXT NOT NULL DEFAULT '', tool_name TEXT NOT NULL DEFAULT '',
        created_at TEXT NOT NULL DEFAULT (datetime('now')), token_count INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE session_summaries (_rowid INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT UNIQUE NOT NULL,
        session_id TEXT NOT NULL UNIQUE, summary TEXT NOT NULL, key_decisions TEXT NOT NULL DEFAULT '[]',
        files_modified TEXT NOT NULL DEFAULT '[]', concepts TEXT NOT NULL DEFAULT '[]',
        created_at TEXT NOT NULL DEFAULT (datetime('now')), token_count INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE pending_messages (_rowid INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT UNIQUE NOT NULL,
        session_id TEXT NOT NULL, tool_name TEXT NOT NULL, tool_output TEXT NOT NULL, status TEXT NOT NULL DEFAULT 'pending');
    INSERT INTO sessions (id, project_path) VALUES ('ses_1', '/home/dev/shop'), ('a-uuid', '/home/dev/till');
    INSERT INTO observations (id, session_id, type, title, narrative, facts, files_modified, tool_name, created_at) VALUES
        ('o1', 'ses_1', 'decision', 'Prices are floats', 'Easy.', '[\"Floats are easy\"]', '[\"/home/dev/shop/src/cart.ts\"]',
            'edit', '2026-02-20T10:00:00.000Z'),
        ('o2', 'a-uuid', 'discovery', 'Paper has a width', 'A stranger says 80 mm.', '[]', '[]', 'webfetch', '2026-02-20 11:00:00');
    INSERT INTO session_summaries (id, session_id, summary, key_decisions, files_modified, created_at) VALUES
        ('m1', 'ses_1', 'Prices were settled.', '[\"Prices are cents\"]', '[\"src/cart.ts\"]', '2026-02-20T12:00:00.000Z');
    INSERT INTO pending_messages (id, session_id, tool_name, tool_output, status) VALUES
        ('p1', 'ses_1', 'read', 'x', 'pending'), ('p2', 'ses_1', 'read', 'x', 'failed'), ('p3', 'ses_1', 'read', 'x', 'completed');";

pub(crate) const SCHEMA_10: &str = "
    ALTER TABLE session_summaries ADD COLUMN request TEXT NOT NULL DEFAULT '';
    ALTER TABLE session_summaries ADD COLUMN investigated TEXT NOT NULL DEFAULT '';
    ALTER TABLE session_summaries ADD COLUMN learned TEXT NOT NULL DEFAULT '';
    ALTER TABLE session_summaries ADD COLUMN completed TEXT NOT NULL DEFAULT '';
    ALTER TABLE session_summaries ADD COLUMN next_steps TEXT NOT NULL DEFAULT '';
    ALTER TABLE observations ADD COLUMN importance INTEGER NOT NULL DEFAULT 3;
    ALTER TABLE observations ADD COLUMN superseded_by TEXT;
    ALTER TABLE observations ADD COLUMN superseded_at TEXT;
    CREATE TABLE entities (_rowid INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT UNIQUE NOT NULL, name TEXT NOT NULL,
        entity_type TEXT NOT NULL);
    CREATE TABLE entity_observations (entity_id TEXT NOT NULL, observation_id TEXT NOT NULL,
        PRIMARY KEY (entity_id, observation_id));
    ALTER TABLE observations ADD COLUMN scope TEXT NOT NULL DEFAULT 'project';
    ALTER TABLE observations ADD COLUMN revision_of TEXT;
    ALTER TABLE observations ADD COLUMN deleted_at TEXT;
    UPDATE observations SET superseded_by = 'o3' WHERE id = 'o1';
    UPDATE session_summaries SET request = 'Settle what a price is', next_steps = 'Vouchers';
    INSERT INTO observations (id, session_id, type, title, importance, revision_of, scope, deleted_at, superseded_by, created_at)
    VALUES ('o3', 'ses_1', 'decision', 'Prices are cents', 5, 'o1', 'project', NULL, NULL, '2026-02-21T10:00:00Z'),
           ('o4', 'ses_1', 'change', 'Never mind', 3, NULL, 'project', '2026-02-22', NULL, '2026-02-21T11:00:00Z'),
           ('o5', 'ses_1', 'change', 'Replaced by what is gone', 3, NULL, 'project', NULL, 'o4', '2026-02-21T11:00:00Z'),
           ('o6', 'ses_1', 'feature', 'Tabs everywhere', 2, NULL, 'user', NULL, NULL, '2026-02-21T12:00:00Z'),
           ('o7', 'ses_1', 'bugfix', 'Totals are right', 3, NULL, 'project', NULL, NULL, '2026-02-21T13:00:00Z'),
           ('o8', 'ses_1', 'refactor', 'Cart split in two', 3, NULL, 'project', NULL, NULL, '2026-02-21T14:00:00Z');
    INSERT INTO entities (id, name, entity_type) VALUES ('e1', 'SQLite', 'technology');
    INSERT INTO entity_observations VALUES ('e1', 'o3'), ('e9', 'o3');";

fn shop(folder: &Path) -> PathBuf {
    folder.join("shop/.open-mem/memory.db")
}

#[test]
fn the_newest_revisions_come_in_and_replace_the_older() {
    let folder = tempfile::tempdir().unwrap();
    let path = database(&shop(folder.path()), &[SCHEMA_1, SCHEMA_10]);
    let mut search = machine(folder.path());
    search.projects =
        vec![folder.path().join("shop"), folder.path().join("shop"), folder.path().join("till")];
    let instances = ImportSource::OpenMem.locate(&search);
    assert_eq!(instances.iter().map(|instance| &instance.path).collect::<Vec<_>>(), [&path]);
    let reading = read(ImportSource::OpenMem, &path);
    let kinds: Vec<_> =
        reading.memories.iter().map(|memory| (memory.name.as_str(), memory.content.kind)).collect();
    let expected = [
        ("observation o1", Kind::Decision),
        ("observation o2", Kind::Discovery),
        ("observation o3", Kind::Decision),
        ("observation o6", Kind::Feature),
        ("observation o7", Kind::Bugfix),
        ("observation o8", Kind::Refactor),
        ("summary m1", Kind::Summary),
    ];
    assert_eq!(kinds, expected);
    let cents = reading.named("observation o3");
    assert_eq!(cents.replaces, ["observation o1"]);
    assert_eq!(cents.content.importance.get(), 5);
    assert_eq!(cents.content.concepts, ["SQLite"]);
    assert_eq!(cents.project, ImportedProject::Folder("/home/dev/shop".into()));
    assert_eq!(cents.session, Some(ImportedSession { host: "opencode".into(), name: "ses_1".into() }));
    let floats = reading.named("observation o1");
    assert_eq!(floats.content.files, ["src/cart.ts"]);
    assert_eq!(floats.created_at, Timestamp(1_771_581_600_000));
    let fetched = reading.named("observation o2");
    assert_eq!((fetched.content.provenance.clone(), fetched.session.clone()), (Provenance::External, None));
    assert_eq!(reading.named("observation o6").content.scope, MemoryScope::User);
    let summary = &reading.named("summary m1").content;
    assert_eq!(summary.title, "Settle what a price is");
    assert_eq!(
        summary.body,
        "Prices were settled.\nRequest: Settle what a price is\nKey decisions: Prices are cents\nNext steps: Vouchers"
    );
    let skipped: Vec<_> = reading.skipped.into_iter().collect();
    assert_eq!(skipped, [("deleted", 2), ("never compressed", 2)]);
}

#[test]
fn the_first_version_and_damaged_rows_come_in() {
    let folder = tempfile::tempdir().unwrap();
    let sql = "
        INSERT INTO observations (id, session_id, type, title, facts, created_at) VALUES
            ('b1', 'nobody', 'change', 'Of this project', '{not json', '2026-02-20'), ('b2', 'ses_1', 'change', 'No day', '[]', '?'),
            ('b3', 'ses_1', 'change', '{}', '[]', '2026-02-20'), ('', 'ses_1', 'change', 'No name', '[]', '2026-02-20');";
    let path = database(&shop(folder.path()), &[SCHEMA_1, sql]);
    let reading = read(ImportSource::OpenMem, &path);
    assert_eq!(reading.names(), ["observation o1", "observation o2", "observation b1", "summary m1"]);
    assert_eq!(reading.named("observation b1").project, ImportedProject::Folder(folder.path().join("shop")));
    assert_eq!(reading.named("summary m1").content.title, "Prices were settled.");
    let skipped: Vec<_> = reading.skipped.into_iter().collect();
    assert_eq!(skipped, [("never compressed", 2), ("no date", 1), ("no name", 1), ("no words", 1)]);
    cut_in_half(&path);
    assert!(!refused(ImportSource::OpenMem, &path).is_empty());
}

#[test]
fn what_is_the_users_in_every_project_stays_so() {
    let home = tempfile::tempdir().unwrap();
    let sql = "
        CREATE TABLE user_observations (_rowid INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT UNIQUE NOT NULL, type TEXT NOT NULL,
            title TEXT NOT NULL, subtitle TEXT NOT NULL DEFAULT '', facts TEXT NOT NULL DEFAULT '[]',
            narrative TEXT NOT NULL DEFAULT '', concepts TEXT NOT NULL DEFAULT '[]', files_read TEXT NOT NULL DEFAULT '[]',
            files_modified TEXT NOT NULL DEFAULT '[]', tool_name TEXT NOT NULL DEFAULT '', created_at TEXT NOT NULL,
            token_count INTEGER NOT NULL DEFAULT 0, importance INTEGER NOT NULL DEFAULT 3, source_project TEXT NOT NULL DEFAULT '');
        INSERT INTO user_observations (id, type, title, importance, source_project, created_at)
        VALUES ('u1', 'decision', 'Tests come first', 4, '/home/dev/shop', '2026-02-20T10:00:00Z');";
    let path = database(&home.path().join(".config/open-mem/user-memory.db"), &[sql]);
    assert_eq!(ImportSource::OpenMem.locate(&machine(home.path()))[0].path, path);
    let reading = read(ImportSource::OpenMem, &path);
    let memory = reading.named("observation u1");
    assert_eq!((memory.content.scope, memory.content.importance.get()), (MemoryScope::User, 4));
    assert_eq!(memory.project, ImportedProject::Folder("/home/dev/shop".into()));
    let other = database(&home.path().join("other.db"), &["CREATE TABLE observations (id INTEGER)"]);
    assert_eq!(refused(ImportSource::OpenMem, &other), "not a database of open-mem");
}
