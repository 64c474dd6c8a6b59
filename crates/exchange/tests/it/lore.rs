//! lore's data directory. Its files are known from github.com/tslateman/lore: `LORE_CONTRACT.md`, `lib/paths.sh`, `journal/lib`,
//! `patterns/lib`, `failures/lib`, `inbox/lib`, `evidence/lib`, `intent/lib`, `transfer/lib`, `graph/sync.sh`, `lib/search-index.sh`.

use crate::fixtures::{copy_folder, database, machine, read, refused};
use backstory_exchange::{ImportSource, ImportedProject};
use backstory_memory::{Kind, MemoryScope, Provenance, Timestamp};
use std::fs;
use std::path::Path;

fn write(root: &Path, name: &str, text: &str) {
    let path = root.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

const DECISIONS: &str = include_str!("../fixtures/lore/journal/data/decisions.jsonl");

/// Makes a data directory that holds every kind of record.
pub(crate) fn lore(root: &Path) {
    copy_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/lore"), root);
    let log = "CREATE TABLE access_log (record_type TEXT NOT NULL, record_id TEXT NOT NULL, accessed_at TEXT NOT NULL);
        INSERT INTO access_log VALUES ('decision', 'dec-2', '2026-03-01 10:00:00'), ('decision', 'dec-2', '2026-03-02 10:00:00');";
    database(&root.join("search.db"), &[log]);
}

#[test]
fn every_kind_of_lore_record_is_imported() {
    let home = tempfile::tempdir().unwrap();
    let root = home.path().join(".local/share/lore");
    lore(&root);
    let reading = read(ImportSource::Lore, &root);
    let expected = [
        ("pat-1", Kind::Fact),
        ("anti-1", Kind::Fact),
        ("dec-1", Kind::Decision),
        ("dec-2", Kind::Decision),
        ("dec-4", Kind::Decision),
        ("dec-5", Kind::Decision),
        ("session-a", Kind::Handoff),
        ("fail-1", Kind::Failure),
        ("obs-1", Kind::Note),
        ("sig-1", Kind::Note),
        ("evi-1", Kind::Fact),
        ("con-1", Kind::Fact),
        ("goal-1", Kind::Goal),
    ];
    assert_eq!(reading.kinds(), expected);
    assert_eq!(reading.skipped(), [("bad YAML", 1), ("deleted", 1), ("promoted", 1), ("retracted", 3)]);
}

#[test]
fn decisions_keep_their_reason_history_and_project() {
    let folder = tempfile::tempdir().unwrap();
    lore(folder.path());
    let reading = read(ImportSource::Lore, folder.path());
    let cents = reading.named("dec-2");
    let body =
        "Why: Floats lose money\nInstead of: decimals; strings\nOutcome: successful\nLesson: Round once";
    assert_eq!(cents.content.body, body);
    assert_eq!(cents.content.category.as_ref().unwrap().0, "architecture");
    assert_eq!((cents.content.facts[0].as_str(), cents.content.importance.get()), ("Round once", 4));
    assert_eq!(cents.content.files, ["src/cart.rs"]);
    assert_eq!(cents.content.concepts, ["shop", "money", "Cart"]);
    assert_eq!(cents.created_at, Timestamp(1_770_717_600_000));
    assert_eq!(cents.content.valid_from, Some(Timestamp(1_769_904_000_000)));
    assert_eq!(cents.replaces, ["dec-1"]);
    assert_eq!(cents.relates, ["dec-1", "fail-1"]);
    assert_eq!(cents.history.unwrap().times_used, 2);
    assert_eq!(cents.history.unwrap().last_used_at, Some(Timestamp(1_772_445_600_000)));
    let shop = ImportedProject::Folder("/home/dev/shop".into());
    assert_eq!(cents.project, shop, "a tag that is a known project");
    assert_eq!(reading.named("dec-4").project, shop, "the session's own");
    assert_eq!(reading.named("dec-5").project, ImportedProject::Named("lore".into()));
}

#[test]
fn patterns_handoffs_and_goals_are_imported_whole() {
    let folder = tempfile::tempdir().unwrap();
    lore(folder.path());
    let reading = read(ImportSource::Lore, folder.path());
    let pattern = reading.named("pat-1");
    assert_eq!(pattern.content.title, "Round once: at the end");
    let body = "Context: Sums of money\nProblem: Half a cent is lost\nSolution: Use \"round\" on the sum\n\
        Not: sum(round(x))\nBut: round(sum(x))";
    assert_eq!(pattern.content.body, body);
    assert!((pattern.content.confidence.get() - 0.85).abs() < 1e-9);
    assert_eq!((pattern.history.unwrap().times_seen, pattern.content.scope), (4, MemoryScope::User));
    let anti = &reading.named("anti-1").content;
    assert_eq!((anti.category.as_ref().unwrap().0.as_str(), anti.importance.get()), ("anti-pattern", 5));
    assert!(anti.body.ends_with("Fix: Use cents"));
    assert_eq!(reading.named("con-1").relates, ["dec-2", "pat-1"]);
    let handoff = reading.named("session-a");
    assert_eq!(handoff.content.title, "Cents are in, vouchers are not");
    assert!(
        handoff.content.body.contains("Next steps: Add a test; Add vouchers"),
        "{}",
        handoff.content.body
    );
    assert!(handoff.content.body.ends_with("Branch: cents\nNot committed: src/cart.rs"));
    assert_eq!(handoff.content.files, ["src/cart.rs"]);
    let goal = reading.named("goal-1");
    assert_eq!(goal.content.body, "Take them off the sum\nDone when: Totals add up");
    assert_eq!(
        (goal.content.importance.get(), goal.project.clone()),
        (4, ImportedProject::Named("till".into()))
    );
    assert_eq!(goal.created_at, Timestamp(1_771_254_348_000));
    assert_eq!(reading.named("sig-1").content.provenance, Provenance::Web);
    assert_eq!(reading.named("obs-1").content.provenance, Provenance::Import);
    let evidence = &reading.named("evi-1").content;
    assert!((evidence.confidence.get() - 0.9).abs() < 1e-9);
    assert_eq!(reading.named("fail-1").content.category.as_ref().unwrap().0, "nonzeroexit");
}

#[test]
fn damaged_lines_are_counted_and_the_rest_is_imported() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let lines = "{\"id\":\"dec-1\",\"timestamp\":\"2026-02-10T09:00:00Z\",\"decision\":\"Good\"}\n\
        not json\n[1, 2]\n\n{\"id\":\"dec-2\",\"timestamp\":\"soon\",\"decision\":\"No day\"}\n\
        {\"id\":\"dec-3\",\"timestamp\":\"2026-02-10T09:00:00Z\",\"decision\":\"/etc/passwd\"}\n\
        {\"timestamp\":\"2026-02-10T09:00:00Z\",\"decision\":\"No name\"}\n\
        {\"timestamp\":\"2026-02-10T09:00:00Z\",\"decision\":\"No name either\"}\n\
        {\"id\":\"dec-4\",\"timestamp\":\"2026-02-10T09:00:00Z\",\"dec";
    write(root, "journal/data/decisions.jsonl", lines);
    write(root, "patterns/data/patterns.yaml", "patterns: {broken\n");
    write(root, "transfer/data/sessions/session-x.json", "{\"id\": \"session-x\", ");
    write(
        root,
        "transfer/data/sessions/session-y.json",
        "{\"id\": \"session-y\", \"started_at\": \"2026-02-10\"}",
    );
    write(root, "intent/data/goals/goal-x.yaml", "- just\n- a list\n");
    write(root, "graph/data/graph.json", "{");
    write(root, "search.db", "no database");
    let reading = read(ImportSource::Lore, root);
    assert_eq!(reading.names(), ["dec-1"]);
    let expected = [("bad JSON", 4), ("bad YAML", 1), ("no date", 1), ("no name", 2), ("no words", 2)];
    assert_eq!(reading.skipped(), expected);
}

#[test]
fn a_line_longer_than_any_record_is_skipped() {
    let folder = tempfile::tempdir().unwrap();
    let vast = "x".repeat(40 << 20);
    let good = r#"{"id":"dec-1","timestamp":"2026-02-10T09:00:00Z","decision":"Good"}"#;
    write(folder.path(), "journal/data/decisions.jsonl", &format!("{{\"id\":\"{vast}\"}}\n{good}\n"));
    let reading = read(ImportSource::Lore, folder.path());
    assert_eq!(reading.names(), ["dec-1"]);
    assert!(reading.skipped().contains(&("too long", 1)));
}

#[test]
fn the_data_is_found_at_its_default_path_and_by_its_variable() {
    let home = tempfile::tempdir().unwrap();
    let mut search = machine(home.path());
    let usual = home.path().join(".local/share/lore");
    fs::create_dir_all(&usual).unwrap();
    assert!(ImportSource::Lore.locate(&search).is_empty(), "an empty folder is nothing");
    assert_eq!(refused(ImportSource::Lore, &usual), "not a data directory of lore");
    write(&usual, "journal/data/decisions.jsonl", DECISIONS);
    let before = ImportSource::Lore.locate(&search);
    assert_eq!((before[0].path.clone(), before[0].bytes), (usual.clone(), DECISIONS.len() as u64));
    write(&usual, "journal/data/decisions.jsonl", &format!("{DECISIONS}\n"));
    assert_ne!(ImportSource::Lore.locate(&search)[0].fingerprint, before[0].fingerprint);
    let elsewhere = home.path().join("elsewhere");
    write(&elsewhere, "inbox/data/signals.jsonl", "");
    search.named.push(("LORE_DATA_DIR".into(), elsewhere.clone()));
    assert_eq!(ImportSource::Lore.locate(&search)[0].path, elsewhere);
}
