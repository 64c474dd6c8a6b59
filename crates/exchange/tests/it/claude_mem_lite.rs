//! The two programs called claude-mem-lite. Their schemas are known from github.com/Kelmain/mem-lite
//! (`src/claude_mem_lite/storage/migrations.py`, version 1 and 4) and github.com/sdsrss/claude-mem-lite (`schema.mjs`, version 49).

use crate::fixtures::{database, machine, read, refused};
use backstory_exchange::{ImportSource, ImportedProject, ImportedSession};
use backstory_memory::{Kind, MemoryScope, Provenance, Timestamp};
use std::path::PathBuf;

pub(crate) const MEM_LITE_1: &str = "
    CREATE TABLE sessions (id TEXT PRIMARY KEY, project_dir TEXT NOT NULL, started_at TEXT NOT NULL DEFAULT (datetime('now')),
        ended_at TEXT, status TEXT NOT NULL DEFAULT 'active', summary TEXT, observation_count INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE observations (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, tool_name TEXT NOT NULL, title TEXT NOT NULL,
        summary TEXT NOT NULL, detail TEXT, files_touched TEXT NOT NULL DEFAULT '[]',
        functions_changed TEXT NOT NULL DEFAULT '[]', tokens_raw INTEGER NOT NULL DEFAULT 0,
        tokens_compressed INTEGER NOT NULL DEFAULT 0, created_at TEXT NOT NULL DEFAULT (datetime('now')));
    CREATE TABLE function_map (id TEXT PRIMARY KEY, session_id TEXT, file_path TEXT, qualified_name TEXT);
    CREATE TABLE learnings (id TEXT PRIMARY KEY, category TEXT NOT NULL, content TEXT NOT NULL,
        confidence REAL NOT NULL DEFAULT 0.5, source_session_id TEXT NOT NULL, is_active INTEGER NOT NULL DEFAULT 1,
        created_at TEXT NOT NULL DEFAULT (datetime('now')), updated_at TEXT NOT NULL DEFAULT (datetime('now')));
    CREATE TABLE pending_queue (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, tool_name TEXT NOT NULL,
        raw_output TEXT NOT NULL, files_touched TEXT NOT NULL DEFAULT '[]', status TEXT NOT NULL DEFAULT 'raw',
        attempts INTEGER NOT NULL DEFAULT 0, created_at TEXT NOT NULL DEFAULT (datetime('now')));
    INSERT INTO sessions (id, project_dir, started_at, ended_at, summary) VALUES
        ('s1', '/home/dev/shop', '2026-02-10 09:00:00', '2026-02-10 10:00:00', 'Totals of the cart are right again. Next: vouchers.'),
        ('s2', '/home/dev/till', '2026-02-11 09:00:00', NULL,
            '{\"summary\": \"Receipts print\", \"next_steps\": [\"Ask for paper\", \"Test\"]}');
    INSERT INTO observations (id, session_id, tool_name, title, summary, detail, files_touched, functions_changed, created_at) VALUES
        ('z9', 's1', 'Edit', 'Sum rounded once', 'The sum is rounded at the end.', 'Before, each line was.',
            '[\"/home/dev/shop/src/cart.py\"]', '[\"Cart.total\"]', '2026-02-10 09:30:00'),
        ('a1', 's2', 'WebFetch', 'Paper has a width', 'A stranger says 80 mm.', NULL, '[]', '[]', '2026-02-11 09:30:00');
    INSERT INTO pending_queue (id, session_id, tool_name, raw_output, status) VALUES
        ('q1', 's1', 'Read', 'x', 'raw'), ('q2', 's1', 'Read', 'x', 'error'), ('q3', 's1', 'Read', 'x', 'done');";

pub(crate) const LEARNT: &str = "
    ALTER TABLE learnings ADD COLUMN times_seen INTEGER NOT NULL DEFAULT 1;
    ALTER TABLE learnings ADD COLUMN is_manual INTEGER NOT NULL DEFAULT 0;
    INSERT INTO learnings (id, category, content, confidence, source_session_id, is_active, times_seen, is_manual, created_at, updated_at)
    VALUES ('l1', 'gotcha', 'Totals must not be rounded twice', 0.77, 's1', 1, 4, 0, '2026-02-10 10:00:00', '2026-02-12 10:00:00'),
           ('l2', 'Convention', 'Tests come first', 1.0, 'manual', 1, 1, 1, '2026-02-10T10:00:00+00:00', ''),
           ('l3', 'gotcha', 'Wrong after all', 0.2, 's1', 0, 1, 0, '2026-02-10 10:00:00', '');";

#[test]
fn what_mem_lite_learnt_comes_in() {
    let home = tempfile::tempdir().unwrap();
    let path = database(&home.path().join(".claude-mem/claude-mem.db"), &[MEM_LITE_1, LEARNT]);
    let search = machine(home.path());
    assert!(ImportSource::ClaudeMem.locate(&search).is_empty(), "the same file is not both");
    assert_eq!(ImportSource::ClaudeMemLite.locate(&search)[0].path, path);
    let reading = read(ImportSource::ClaudeMemLite, &path);
    let names =
        ["observation z9", "observation a1", "learning l1", "learning l2", "summary s1", "summary s2"];
    assert_eq!(reading.names(), names);
    let edit = reading.named("observation z9");
    assert_eq!((edit.content.kind, edit.content.provenance.clone()), (Kind::Change, Provenance::Import));
    assert_eq!(edit.content.body, "The sum is rounded at the end.\nBefore, each line was.");
    assert_eq!(edit.content.files, ["src/cart.py"]);
    assert_eq!(edit.content.concepts, ["Cart.total"]);
    assert_eq!(edit.project, ImportedProject::Folder(PathBuf::from("/home/dev/shop")));
    assert_eq!(edit.session, Some(ImportedSession { host: "claude-code".into(), name: "s1".into() }));
    assert_eq!(edit.created_at, Timestamp(1_770_715_800_000));
    let fetched = reading.named("observation a1");
    assert_eq!(
        (fetched.content.kind, fetched.content.provenance.clone()),
        (Kind::Discovery, Provenance::External)
    );
    let learning = reading.named("learning l1");
    assert_eq!(learning.content.kind, Kind::Fact);
    assert_eq!(learning.content.category.as_ref().unwrap().0, "gotcha");
    assert!((learning.content.confidence.get() - 0.77).abs() < 1e-9);
    let history = learning.history.unwrap();
    assert_eq!((history.times_seen, history.updated_at), (4, Timestamp(1_770_890_400_000)));
    assert_eq!(learning.content.scope, MemoryScope::Project);
    assert_eq!(reading.named("learning l2").content.scope, MemoryScope::User);
    let summary = reading.named("summary s2");
    assert_eq!(summary.content.title, "Receipts print");
    assert_eq!(summary.content.body, "Receipts print\nNext steps: Ask for paper; Test");
    assert_eq!(summary.created_at, Timestamp(1_770_800_400_000));
    let skipped: Vec<_> = reading.skipped.into_iter().collect();
    assert_eq!(skipped, [("deleted", 1), ("never compressed", 2)]);
}

#[test]
fn an_early_mem_lite_with_damaged_rows_comes_in() {
    let folder = tempfile::tempdir().unwrap();
    let sql = "
        INSERT INTO observations (id, session_id, tool_name, title, summary, files_touched, created_at) VALUES
            ('b1', 'gone', 'Edit', 'Nobody knows when', 'x', '[', 'soon'), ('b2', 's1', 'Edit', '', '', '[', 'soon'),
            ('b3', 's1', 'Edit', '', 'Dated by its session', '[\"cut', 'soon');
        INSERT INTO learnings (id, category, content, confidence, source_session_id)
        VALUES ('b4', '', '', 'much', 's1'), ('b5', 'x', 'How sure nobody knows', 'much', 's1');
        UPDATE sessions SET summary = NULL;";
    let path = database(&folder.path().join("claude-mem.db"), &[MEM_LITE_1, sql]);
    let reading = read(ImportSource::ClaudeMemLite, &path);
    assert_eq!(reading.names(), ["observation z9", "observation a1", "observation b3", "learning b5"]);
    assert_eq!(reading.named("observation b3").created_at, Timestamp(1_770_714_000_000));
    let skipped: Vec<_> = reading.skipped.into_iter().collect();
    assert_eq!(skipped, [("never compressed", 2), ("no date", 1), ("no words", 2)]);
}

pub(crate) const SDSRSS_49: &str = "
    CREATE TABLE sdk_sessions (id INTEGER PRIMARY KEY AUTOINCREMENT, content_session_id TEXT NOT NULL UNIQUE,
        memory_session_id TEXT, project TEXT NOT NULL, started_at TEXT NOT NULL, started_at_epoch INTEGER NOT NULL);
    CREATE TABLE observations (id INTEGER PRIMARY KEY AUTOINCREMENT, memory_session_id TEXT NOT NULL, project TEXT NOT NULL,
        text TEXT, type TEXT NOT NULL, title TEXT, subtitle TEXT, facts TEXT, narrative TEXT, concepts TEXT, files_read TEXT,
        files_modified TEXT, created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL, importance INTEGER DEFAULT 1,
        access_count INTEGER DEFAULT 0, compressed_into INTEGER DEFAULT NULL, lesson_learned TEXT DEFAULT NULL,
        superseded_at INTEGER DEFAULT NULL, superseded_by INTEGER DEFAULT NULL, last_accessed_at INTEGER DEFAULT NULL);
    CREATE TABLE session_summaries (id INTEGER PRIMARY KEY AUTOINCREMENT, memory_session_id TEXT NOT NULL,
        project TEXT NOT NULL, request TEXT, completed TEXT, next_steps TEXT, remaining_items TEXT, lessons TEXT,
        key_decisions TEXT, created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL);
    CREATE TABLE user_prompts (id INTEGER PRIMARY KEY, content_session_id TEXT, prompt_text TEXT);
    CREATE TABLE session_handoffs (project TEXT NOT NULL, type TEXT NOT NULL, session_id TEXT NOT NULL, working_on TEXT,
        completed TEXT, unfinished TEXT, key_files TEXT, key_decisions TEXT, match_keywords TEXT, created_at_epoch INTEGER,
        git_branch TEXT, next_steps TEXT, PRIMARY KEY (project, type, session_id));
    CREATE TABLE events (id INTEGER PRIMARY KEY AUTOINCREMENT, project TEXT NOT NULL, event_type TEXT NOT NULL,
        title TEXT NOT NULL, body TEXT, file_paths TEXT, importance INTEGER NOT NULL DEFAULT 1,
        created_at_epoch INTEGER NOT NULL, accessed_count INTEGER NOT NULL DEFAULT 0, last_accessed_epoch INTEGER,
        superseded_at_epoch INTEGER, superseded_by_id INTEGER);
    CREATE TABLE deferred_work (id INTEGER PRIMARY KEY AUTOINCREMENT, project TEXT NOT NULL, title TEXT NOT NULL,
        detail TEXT, priority INTEGER NOT NULL DEFAULT 2, status TEXT NOT NULL DEFAULT 'open',
        created_at_epoch INTEGER NOT NULL, files TEXT);
    INSERT INTO sdk_sessions VALUES (1, 'host-1', 'own-1', 'shop', '', 1772355600000);
    INSERT INTO observations (memory_session_id, project, type, title, narrative, created_at, created_at_epoch, importance,
        access_count, last_accessed_at, lesson_learned, superseded_at, superseded_by, compressed_into)
    VALUES ('own-1', 'shop', 'decision', 'Prices are floats', 'Easy.', '', 1772359200000, 1, 0, NULL, NULL, 1772362800000, 2, NULL),
           ('own-1', 'shop', 'decision', 'Prices are cents', 'Exact.', '', 1772362800000, 3, 7, 1772370000000, 'Floats lose money', NULL, NULL, NULL),
           ('own-1', 'shop', 'change', 'Small step', NULL, '', 1772362800000, 1, 0, NULL, NULL, NULL, NULL, 2),
           ('own-1', 'shop', 'change', 'Hidden by itself', NULL, '', 1772362800000, 1, 0, NULL, NULL, NULL, NULL, -1),
           ('own-1', 'shop', 'change', 'Never was so', NULL, '', 1772362800000, 1, 0, NULL, NULL, 1772362800000, NULL, NULL);
    INSERT INTO session_summaries (memory_session_id, project, request, key_decisions, remaining_items, created_at, created_at_epoch)
    VALUES ('own-1', 'shop', 'Settle what a price is', '[\"cents\"]', 'Vouchers, later', '', 1772366400000);
    INSERT INTO session_handoffs VALUES ('shop', 'exit', 'host-1', 'Vouchers at the till', '[\"Prices\"]', NULL,
        '[\"src/cart.rs\"]', NULL, NULL, 1772366400000, 'main', 'Add a test for vouchers');
    INSERT INTO events (project, event_type, title, body, file_paths, importance, created_at_epoch) VALUES
        ('shop', 'lesson', 'Round once', 'At the end.', '[\"src/cart.rs\"]', 2, 1772366400000),
        ('shop', 'bug', 'Half a cent lost', NULL, NULL, 1, 1772366400000),
        ('shop', 'observation', 'The till is slow', NULL, NULL, 1, 1772366400000);
    INSERT INTO deferred_work (project, title, detail, status, created_at_epoch) VALUES
        ('shop', 'Vouchers', 'Take them off the sum.', 'open', 1772366400000), ('shop', 'Done long ago', NULL, 'done', 1772366400000);
    INSERT INTO user_prompts (prompt_text) VALUES ('hello');";

#[test]
fn what_sdsrss_kept_comes_in() {
    let home = tempfile::tempdir().unwrap();
    let path = database(&home.path().join(".claude-mem-lite/claude-mem-lite.db"), &[SDSRSS_49]);
    assert_eq!(ImportSource::ClaudeMemLite.locate(&machine(home.path()))[0].path, path);
    let reading = read(ImportSource::ClaudeMemLite, &path);
    let kinds: Vec<_> =
        reading.memories.iter().map(|memory| (memory.name.as_str(), memory.content.kind)).collect();
    let expected = [
        ("observation 1", Kind::Decision),
        ("observation 2", Kind::Decision),
        ("observation 3", Kind::Change),
        ("summary 1", Kind::Summary),
        ("handoff exit host-1", Kind::Handoff),
        ("event 1", Kind::Fact),
        ("event 2", Kind::Failure),
        ("event 3", Kind::Note),
        ("deferred 1", Kind::Goal),
    ];
    assert_eq!(kinds, expected);
    let cents = reading.named("observation 2");
    assert_eq!(cents.replaces, ["observation 1", "observation 3"]);
    assert_eq!(cents.content.importance.get(), 4);
    assert_eq!(cents.content.facts, ["Floats lose money"]);
    let history = cents.history.unwrap();
    assert_eq!((history.times_used, history.last_used_at), (7, Some(Timestamp(1_772_370_000_000))));
    assert_eq!(cents.session.as_ref().unwrap().name, "host-1");
    let summary = &reading.named("summary 1").content;
    assert_eq!(
        summary.body,
        "Request: Settle what a price is\nKey decisions: cents\nRemaining: Vouchers, later"
    );
    let handoff = &reading.named("handoff exit host-1").content;
    assert_eq!(handoff.title, "Next: Add a test for vouchers");
    assert!(handoff.body.ends_with("Branch: main"), "{}", handoff.body);
    assert_eq!(handoff.files, ["src/cart.rs"]);
    let skipped: Vec<_> = reading.skipped.into_iter().collect();
    assert_eq!(skipped, [("a prompt", 1), ("deleted", 1), ("retracted", 2)]);
}

#[test]
fn a_database_of_neither_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = database(&folder.path().join("x.db"), &["CREATE TABLE sessions (id INTEGER)"]);
    assert_eq!(refused(ImportSource::ClaudeMemLite, &path), "not a database of claude-mem-lite");
}
