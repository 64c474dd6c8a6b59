//! claude-mem's database. Its schemas are known from github.com/thedotmack/claude-mem: `src/services/sqlite/schema.sql` of 13.x
//! (migration 35), `src/services/sqlite/migrations/runner.ts` of 9.x (migration 4 to 17) and the names of columns before it.

use crate::fixtures::{cut_in_half, database, machine, read, refused, scratch};
use backstory_exchange::{ImportSource, ImportedProject, ImportedSession};
use backstory_memory::{Kind, MemoryScope, Provenance, Timestamp};
use std::fs;

pub(crate) const SCHEMA_13: &str = "
    CREATE TABLE schema_versions (id INTEGER PRIMARY KEY, version INTEGER UNIQUE NOT NULL, applied_at TEXT NOT NULL);
    CREATE TABLE sdk_sessions (
        id INTEGER PRIMARY KEY AUTOINCREMENT, content_session_id TEXT UNIQUE NOT NULL, memory_session_id TEXT UNIQUE,
        project TEXT NOT NULL, platform_source TEXT NOT NULL DEFAULT 'claude', user_prompt TEXT, started_at TEXT NOT NULL,
        started_at_epoch INTEGER NOT NULL, completed_at TEXT, completed_at_epoch INTEGER,
        status TEXT NOT NULL DEFAULT 'active', worker_port INTEGER, prompt_counter INTEGER DEFAULT 0, custom_title TEXT);
    CREATE TABLE observations (
        id INTEGER PRIMARY KEY AUTOINCREMENT, memory_session_id TEXT NOT NULL, project TEXT NOT NULL, text TEXT,
        type TEXT NOT NULL, title TEXT, subtitle TEXT, facts TEXT, narrative TEXT, concepts TEXT, files_read TEXT,
        files_modified TEXT, prompt_number INTEGER, discovery_tokens INTEGER DEFAULT 0, content_hash TEXT, agent_type TEXT,
        agent_id TEXT, merged_into_project TEXT, generated_by_model TEXT, metadata TEXT, created_at TEXT NOT NULL,
        created_at_epoch INTEGER NOT NULL, UNIQUE(memory_session_id, content_hash));
    CREATE TABLE session_summaries (
        id INTEGER PRIMARY KEY AUTOINCREMENT, memory_session_id TEXT NOT NULL, project TEXT NOT NULL, request TEXT,
        investigated TEXT, learned TEXT, completed TEXT, next_steps TEXT, files_read TEXT, files_edited TEXT, notes TEXT,
        prompt_number INTEGER, discovery_tokens INTEGER DEFAULT 0, merged_into_project TEXT, created_at TEXT NOT NULL,
        created_at_epoch INTEGER NOT NULL);
    CREATE TABLE pending_messages (id INTEGER PRIMARY KEY, session_db_id INTEGER, message_type TEXT, status TEXT);
    CREATE TABLE user_prompts (
        id INTEGER PRIMARY KEY AUTOINCREMENT, content_session_id TEXT NOT NULL, prompt_number INTEGER NOT NULL,
        prompt_text TEXT NOT NULL, created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL);
    CREATE TABLE directives (
        id INTEGER PRIMARY KEY AUTOINCREMENT, scope TEXT NOT NULL DEFAULT 'global', project TEXT, content TEXT NOT NULL,
        status TEXT NOT NULL DEFAULT 'active', source TEXT NOT NULL DEFAULT 'manual', created_at TEXT NOT NULL,
        created_at_epoch INTEGER NOT NULL, updated_at_epoch INTEGER NOT NULL);
    INSERT INTO sdk_sessions (content_session_id, memory_session_id, project, platform_source, started_at, started_at_epoch)
    VALUES ('host-1', 'own-1', 'shop', 'claude', '2026-03-01T09:00:00Z', 1772355600000),
           ('host-2', 'own-2', 'shop', 'codex', '2026-03-02T09:00:00Z', 1772442000000);";

pub(crate) const OBSERVED: &str = "
    INSERT INTO observations (memory_session_id, project, type, title, subtitle, narrative, facts, concepts, files_read,
        files_modified, created_at, created_at_epoch, merged_into_project)
    VALUES
    ('own-1', 'shop', 'bugfix', 'Rounding of cart totals fixed', 'Half a cent was lost',
        'The sum was taken before rounding.', '[\"Prices are cents\", \"Sums are rounded once\"]', '[\"problem-solution\"]',
        '[\"/home/dev/shop/src/price.rs\"]', '[\"src/cart.rs\"]', '2026-03-01T10:00:00Z', 1772359200000, NULL),
    ('own-2', 'shop/fast-lane', 'decision', 'Prices are kept as cents', NULL, 'Floats lose money.', NULL, NULL, NULL, NULL,
        '2026-03-02T10:00:00Z', 1772445600000, NULL),
    ('own-2', 'old-name', 'feature', 'Vouchers at the till', NULL, 'A voucher is taken off the sum.', NULL, NULL, NULL, NULL,
        '2026-03-02T11:00:00Z', 1772449200000, 'shop'),
    ('own-2', 'shop', 'refactor', 'Cart split in two', NULL, NULL, '[]', '[]', '[]', '[]', '2026-03-02T12:00:00Z', 1772452800000, NULL),
    ('own-2', 'shop', 'discovery', 'Tax depends on the country', NULL, 'See the table.', NULL, NULL, NULL, NULL, '', 1772456400000, NULL),
    ('own-2', 'shop', 'change', 'Copyright year', NULL, NULL, NULL, NULL, NULL, NULL, '', 1772460000000, NULL),
    ('own-2', 'shop', 'security_note', 'Sessions end after a day', NULL, NULL, NULL, NULL, NULL, NULL, '', 1772463600000, NULL),
    ('nobody', 'shop', 'evidence', 'A word of another mode', NULL, NULL, NULL, NULL, NULL, NULL, '', 1772467200000, NULL);
    INSERT INTO session_summaries (memory_session_id, project, request, learned, completed, next_steps, files_edited,
        created_at, created_at_epoch)
    VALUES ('own-1', 'shop', 'Fix the totals of the cart', 'Rounding happens twice', 'Totals are right again',
        'Add a test for vouchers', '[\"src/cart.rs\"]', '2026-03-01T11:00:00Z', 1772362800000);
    INSERT INTO directives (project, content, status, created_at, created_at_epoch, updated_at_epoch)
    VALUES (NULL, 'Write tests before code', 'active', '', 1772362800000, 0),
           ('shop', 'Never round twice', 'active', '', 1772362800000, 0),
           (NULL, 'Use tabs', 'disabled', '', 1772362800000, 0);
    INSERT INTO user_prompts (content_session_id, prompt_number, prompt_text, created_at, created_at_epoch)
    VALUES ('host-1', 1, 'fix the totals', '', 0), ('host-1', 2, 'thanks', '', 0);
    INSERT INTO pending_messages (status) VALUES ('pending');";

#[test]
fn observations_summaries_and_rules_of_13_come_in() {
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
    let skipped: Vec<_> = reading.skipped.into_iter().collect();
    assert_eq!(skipped, [("a prompt", 2), ("never compressed", 1), ("retracted", 1)]);
}

/// Until migration 17 sessions had other names, and until migration 8 an observation was one text.
#[test]
fn databases_of_9_and_before_come_in() {
    let folder = tempfile::tempdir().unwrap();
    let sql = "
        CREATE TABLE sdk_sessions (id INTEGER PRIMARY KEY, claude_session_id TEXT UNIQUE NOT NULL, sdk_session_id TEXT UNIQUE,
            project TEXT NOT NULL, started_at TEXT NOT NULL, started_at_epoch INTEGER NOT NULL);
        CREATE TABLE observations (id INTEGER PRIMARY KEY, sdk_session_id TEXT NOT NULL, project TEXT NOT NULL,
            text TEXT NOT NULL, type TEXT NOT NULL, created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL);
        CREATE TABLE session_summaries (id INTEGER PRIMARY KEY, sdk_session_id TEXT UNIQUE NOT NULL, project TEXT NOT NULL,
            request TEXT, completed TEXT, created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL);
        INSERT INTO sdk_sessions VALUES (1, 'host-1', 'own-1', 'shop', '2025-10-20T09:00:00Z', 1760950800000);
        INSERT INTO observations VALUES
            (1, 'own-1', 'shop', 'The till keeps prices as cents', 'decision', '2025-10-20T10:00:00Z', 1760954400000);
        INSERT INTO session_summaries VALUES
            (1, 'own-1', 'shop', 'Look into prices', 'Prices are understood', '2025-10-20T11:00:00Z', 1760958000000);";
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
fn damaged_rows_are_counted_and_the_rest_comes_in() {
    let folder = tempfile::tempdir().unwrap();
    let sql = "
        INSERT INTO observations (memory_session_id, project, type, title, narrative, facts, files_modified, created_at, created_at_epoch)
        VALUES ('own-1', 'shop', 'change', NULL, 'ProjectFilter the story is left. And more.', '[\"cut', '{\"a\": 1}', 'soon', 'never'),
               ('nobody', 'shop', 'change', 'No day at all', NULL, NULL, NULL, 'soon', -5),
               ('own-1', 'shop', 'change', NULL, NULL, NULL, NULL, '', 1772359200000),
               ('own-1', 'shop', 'change', '{\"tool\": 1}', '/home/dev/shop', NULL, NULL, '', 1772359200000),
               ('own-1', '', '', x'ff41ff', x'fffe', NULL, NULL, '', 1772359200000),
               ('own-1', 'shop', 'change', 'Good', NULL, NULL, NULL, '2026-03-01T10:00:00Z', 0);";
    let path = database(&folder.path().join("claude-mem.db"), &[SCHEMA_13, sql]);
    let reading = read(ImportSource::ClaudeMem, &path);
    assert_eq!(reading.names(), ["observation 1", "observation 6"]);
    let untitled = reading.named("observation 1");
    assert_eq!(untitled.content.title, "ProjectFilter the story is left. And more.");
    assert_eq!(untitled.created_at, Timestamp(1_772_355_600_000), "the session's own beginning");
    assert!(untitled.content.facts.is_empty() && untitled.content.files.is_empty());
    assert_eq!(reading.named("observation 6").created_at, Timestamp(1_772_359_200_000));
    let skipped: Vec<_> = reading.skipped.into_iter().collect();
    assert_eq!(skipped, [("no date", 1), ("no words", 3)]);
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
    assert_eq!(reading.skipped["a damaged table"], 1);
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
fn a_program_at_work_is_read_and_left_alone() {
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
fn it_is_found_where_it_is_or_where_its_variable_says() {
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
