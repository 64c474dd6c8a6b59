//! The two programs called claude-mem-lite. Their schemas are known from github.com/Kelmain/mem-lite
//! (`src/claude_mem_lite/storage/migrations.py`, version 1 and 4) and github.com/sdsrss/claude-mem-lite (`schema.mjs`, version 49).

use crate::fixtures::{database, machine, read, refused};
use backstory_exchange::{ImportSource, ImportedProject, ImportedSession};
use backstory_memory::{Kind, MemoryScope, Provenance, Timestamp};
use std::path::PathBuf;

pub(crate) const MEM_LITE_1: &str = include_str!("../fixtures/mem_lite_1.sql");

pub(crate) const LEARNT: &str = include_str!("../fixtures/mem_lite_4.sql");

#[test]
fn every_kind_of_mem_lite_row_is_imported() {
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
        (Kind::Discovery, Provenance::Web)
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
    assert_eq!(reading.skipped(), [("deleted", 1), ("never compressed", 2)]);
}

#[test]
fn an_early_mem_lite_database_with_damaged_rows_is_imported() {
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
    assert_eq!(reading.skipped(), [("never compressed", 2), ("no date", 1), ("no words", 2)]);
}

pub(crate) const SDSRSS_49: &str = include_str!("../fixtures/claude_mem_lite_49.sql");

#[test]
fn every_kind_of_sdsrss_row_is_imported() {
    let home = tempfile::tempdir().unwrap();
    let path = database(&home.path().join(".claude-mem-lite/claude-mem-lite.db"), &[SDSRSS_49]);
    assert_eq!(ImportSource::ClaudeMemLite.locate(&machine(home.path()))[0].path, path);
    let reading = read(ImportSource::ClaudeMemLite, &path);
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
    assert_eq!(reading.kinds(), expected);
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
    assert_eq!(reading.skipped(), [("a prompt", 1), ("deleted", 1), ("retracted", 2)]);
}

#[test]
fn a_database_of_neither_schema_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = database(&folder.path().join("x.db"), &["CREATE TABLE sessions (id INTEGER)"]);
    assert_eq!(refused(ImportSource::ClaudeMemLite, &path), "not a database of claude-mem-lite");
}
