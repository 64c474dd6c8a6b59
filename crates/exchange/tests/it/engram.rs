//! engram's database and its export. Their shapes are known from github.com/Gentleman-Programming/engram
//! (`internal/store/store.go` and `relations.go`).

use crate::fixtures::{CollectedItems, database, machine, read, refused};
use backstory_exchange::{ImportSource, ImportedProject};
use backstory_memory::{Kind, MemoryScope, Provenance, Timestamp};
use std::fs;

pub(crate) const EARLY: &str = "
    CREATE TABLE sessions (id TEXT PRIMARY KEY, project TEXT NOT NULL, directory TEXT NOT NULL,
        started_at TEXT NOT NULL DEFAULT (datetime('now')), ended_at TEXT, summary TEXT);
    CREATE TABLE observations (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, type TEXT NOT NULL,
        title TEXT NOT NULL, content TEXT NOT NULL, tool_name TEXT, project TEXT, created_at TEXT NOT NULL DEFAULT (datetime('now')));
    CREATE TABLE user_prompts (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, content TEXT NOT NULL,
        project TEXT, created_at TEXT NOT NULL DEFAULT (datetime('now')));
    INSERT INTO sessions (id, project, directory, started_at, summary) VALUES
        ('ses_1', 'shop', '/home/dev/shop', '2026-02-10 09:00:00', 'Prices were settled'),
        ('s2', 'till', '', '2026-02-11 09:00:00', NULL);
    INSERT INTO observations (session_id, type, title, content, tool_name, project, created_at) VALUES
        ('ses_1', 'decision', 'Prices are floats', 'Easy.', NULL, 'shop', '2026-02-10 09:10:00'),
        ('ses_1', 'architecture', 'Prices are cents', '**What**: cents', 'mem_save', 'shop', '2026-02-10 09:20:00'),
        ('ses_1', 'tool_use', 'Edit: cart.go', 'x', 'Edit', 'shop', '2026-02-10 09:30:00'),
        ('s2', 'preference', 'Tabs', 'Tabs, everywhere.', NULL, NULL, '2026-02-11 09:30:00'),
        ('s2', 'discovery', 'Paper has a width', 'A stranger says 80 mm.', 'WebFetch', 'till', '2026-02-11 09:40:00'),
        ('s2', 'session_summary', '', '## Goal\nReceipts print', NULL, 'till', '2026-02-11 09:50:00'),
        ('s2', 'manual', 'Remember the paper', '', NULL, 'other', '2026-02-11 09:55:00'),
        ('s2', 'bugfix', 'Gone', 'x', NULL, 'till', '2026-02-11 09:56:00');
    INSERT INTO user_prompts (session_id, content) VALUES ('ses_1', 'hello'), ('ses_1', 'thanks');";

pub(crate) const LATER: &str = "
    ALTER TABLE observations ADD COLUMN sync_id TEXT;
    ALTER TABLE observations ADD COLUMN scope TEXT NOT NULL DEFAULT 'project';
    ALTER TABLE observations ADD COLUMN topic_key TEXT;
    ALTER TABLE observations ADD COLUMN duplicate_count INTEGER NOT NULL DEFAULT 1;
    ALTER TABLE observations ADD COLUMN updated_at TEXT NOT NULL DEFAULT '';
    ALTER TABLE observations ADD COLUMN deleted_at TEXT;
    CREATE TABLE memory_relations (id INTEGER PRIMARY KEY, sync_id TEXT, source_id TEXT, target_id TEXT,
        relation TEXT NOT NULL DEFAULT 'pending', judgment_status TEXT NOT NULL DEFAULT 'pending');
    UPDATE observations SET sync_id = 'obs-' || id;
    UPDATE observations SET topic_key = 'architecture/prices', duplicate_count = 3, updated_at = '2026-02-12 09:00:00' WHERE id = 2;
    UPDATE observations SET scope = 'personal' WHERE id = 4;
    UPDATE observations SET deleted_at = '2026-02-12 09:00:00' WHERE id = 8;
    INSERT INTO memory_relations (source_id, target_id, relation, judgment_status) VALUES
        ('obs-2', 'obs-1', 'supersedes', 'judged'), ('obs-2', 'obs-5', 'related', 'judged'),
        ('obs-2', 'obs-7', 'supersedes', 'pending'), ('obs-2', 'obs-99', 'supersedes', 'judged');";

fn check(reading: &CollectedItems) {
    let kinds: Vec<_> =
        reading.memories.iter().map(|memory| (memory.name.as_str(), memory.content.kind)).collect();
    let expected = [
        ("session ses_1", Kind::Summary),
        ("observation 1", Kind::Decision),
        ("observation 2", Kind::Decision),
        ("observation 4", Kind::Fact),
        ("observation 5", Kind::Discovery),
        ("observation 6", Kind::Summary),
        ("observation 7", Kind::Note),
    ];
    assert_eq!(kinds, expected);
    let cents = reading.named("observation 2");
    assert_eq!(cents.content.category.as_ref().unwrap().0, "architecture");
    assert_eq!(cents.content.concepts, ["architecture/prices"]);
    assert_eq!(cents.project, ImportedProject::Folder("/home/dev/shop".into()));
    assert_eq!(cents.session.as_ref().unwrap().host, "opencode");
    assert_eq!(cents.created_at, Timestamp(1_770_715_200_000));
    let history = cents.history.unwrap();
    assert_eq!((history.times_seen, history.updated_at), (3, Timestamp(1_770_886_800_000)));
    let tabs = reading.named("observation 4");
    assert_eq!((tabs.content.scope, tabs.session.clone()), (MemoryScope::User, None));
    assert_eq!(tabs.project, ImportedProject::Named("till".into()));
    assert_eq!(reading.named("observation 5").content.provenance, Provenance::External);
    assert_eq!(reading.named("observation 6").content.title, "Receipts print");
    assert_eq!(reading.named("observation 7").project, ImportedProject::Named("other".into()));
    let skipped: Vec<_> = reading.skipped.clone().into_iter().collect();
    assert_eq!(skipped, [("a prompt", 2), ("deleted", 1), ("never compressed", 1)]);
}

#[test]
fn the_database_comes_in() {
    let home = tempfile::tempdir().unwrap();
    let path = database(&home.path().join(".engram/engram.db"), &[EARLY, LATER]);
    assert_eq!(ImportSource::Engram.locate(&machine(home.path()))[0].path, path);
    let reading = read(ImportSource::Engram, &path);
    check(&reading);
    let cents = reading.named("observation 2");
    assert_eq!(cents.replaces, ["observation 1"]);
    assert_eq!(cents.relates, ["observation 5"]);
}

#[test]
fn an_export_says_what_the_database_says() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("shop/engram-export.json");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let observation = |id: u32,
                       session: &str,
                       sort: &str,
                       title: &str,
                       content: &str,
                       at: &str,
                       more: &str| {
        let title = serde_json::to_string(title).unwrap();
        let content = serde_json::to_string(content).unwrap();
        format!(
            r#"{{"id": {id}, "sync_id": "obs-{id}", "session_id": "{session}", "type": "{sort}", "title": {title},
                "content": {content}, "revision_count": 1, "created_at": "{at}"{more}}}"#
        )
    };
    let observations = [
        observation(
            1,
            "ses_1",
            "decision",
            "Prices are floats",
            "Easy.",
            "2026-02-10 09:10:00",
            r#", "project": "shop""#,
        ),
        observation(
            2,
            "ses_1",
            "architecture",
            "Prices are cents",
            "**What**: cents",
            "2026-02-10 09:20:00",
            r#", "project": "shop", "topic_key": "architecture/prices", "duplicate_count": 3, "updated_at": "2026-02-12 09:00:00""#,
        ),
        observation(3, "ses_1", "tool_use", "Edit: cart.go", "x", "2026-02-10 09:30:00", ""),
        observation(
            4,
            "s2",
            "preference",
            "Tabs",
            "Tabs, everywhere.",
            "2026-02-11 09:30:00",
            r#", "scope": "personal""#,
        ),
        observation(
            5,
            "s2",
            "discovery",
            "Paper has a width",
            "80 mm.",
            "2026-02-11 09:40:00",
            r#", "tool_name": "WebFetch""#,
        ),
        observation(6, "s2", "session_summary", "", "## Goal\nReceipts print", "2026-02-11 09:50:00", ""),
        observation(
            7,
            "s2",
            "manual",
            "Remember the paper",
            "",
            "2026-02-11 09:55:00",
            r#", "project": "other""#,
        ),
        observation(
            8,
            "s2",
            "bugfix",
            "Gone",
            "x",
            "2026-02-11 09:56:00",
            r#", "deleted_at": "2026-02-12 09:00:00""#,
        ),
    ];
    let begins = r#"{"version": "0.1.0", "exported_at": "2026-02-13 09:00:00", "sessions": [
        {"id": "ses_1", "project": "shop", "directory": "/home/dev/shop", "started_at": "2026-02-10 09:00:00",
            "summary": "Prices were settled"},
        {"id": "s2", "project": "till", "directory": "", "started_at": "2026-02-11 09:00:00"}], "observations": ["#;
    let ends = r#"], "prompts": [{"id": 1, "content": "hello"}, {"id": 2, "content": "thanks"}]}"#;
    let whole = format!("{begins}{}{ends}", observations.join(", "));
    fs::write(&path, &whole).unwrap();
    let mut search = machine(home.path());
    search.projects = vec![home.path().join("shop")];
    assert_eq!(ImportSource::Engram.locate(&search)[0].path, path);
    check(&read(ImportSource::Engram, &path));

    let at = whole.find("Paper has").unwrap();
    fs::write(&path, &whole[..at]).unwrap();
    let half = read(ImportSource::Engram, &path);
    assert_eq!(half.names(), ["session ses_1", "observation 1", "observation 2", "observation 4"]);
    assert_eq!(half.skipped["cut off"], 1);

    fs::write(
        &path,
        r#"{"observations": [7, null, {"id": 1}, {"id": 2, "title": "No day"}], "sessions": null}"#,
    )
    .unwrap();
    let odd = read(ImportSource::Engram, &path);
    assert!(odd.memories.is_empty());
    let skipped: Vec<_> = odd.skipped.into_iter().collect();
    assert_eq!(skipped, [("no date", 1), ("no name", 2), ("no words", 1)]);

    fs::write(&path, r#"{"name": "shop", "version": "1.0.0"}"#).unwrap();
    assert_eq!(refused(ImportSource::Engram, &path), "not an export of engram");
    fs::write(&path, "no JSON").unwrap();
    assert!(!refused(ImportSource::Engram, &path).is_empty());
}

#[test]
fn an_early_database_with_damaged_rows_comes_in() {
    let folder = tempfile::tempdir().unwrap();
    let sql = "
        INSERT INTO observations (session_id, type, title, content, project, created_at) VALUES
            ('nobody', 'decision', 'No day', 'x', 'shop', 'soon'), ('s2', 'decision', '{}', '', 'shop', 'soon'),
            ('s2', 'decision', 'Dated by its session', 'x', '/home/dev/x', 'soon');";
    let path = database(&folder.path().join("engram.db"), &[EARLY, sql]);
    let reading = read(ImportSource::Engram, &path);
    assert_eq!(reading.memories.len(), 9);
    let dated = reading.named("observation 11");
    assert_eq!(dated.created_at, Timestamp(1_770_800_400_000));
    assert_eq!(dated.project, ImportedProject::Folder("/home/dev/x".into()));
    let skipped: Vec<_> = reading.skipped.into_iter().collect();
    assert_eq!(skipped, [("a prompt", 2), ("never compressed", 1), ("no date", 1), ("no words", 1)]);
    let other = database(&folder.path().join("other.db"), &["CREATE TABLE observations (id INTEGER)"]);
    assert_eq!(refused(ImportSource::Engram, &other), "not a database of engram");
}
