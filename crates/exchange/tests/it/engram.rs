//! engram's database and its export. Their shapes are known from github.com/Gentleman-Programming/engram
//! (`internal/store/store.go` and `relations.go`).

use crate::fixtures::{CollectedItems, database, machine, read, refused};
use backstory_exchange::{ImportSource, ImportedProject};
use backstory_memory::{Kind, MemoryScope, Provenance, Timestamp};
use std::fs;

pub(crate) const EARLY: &str = include_str!("../fixtures/engram_early.sql");

pub(crate) const LATER: &str = include_str!("../fixtures/engram_later.sql");

fn check(reading: &CollectedItems) {
    let expected = [
        ("session ses_1", Kind::Summary),
        ("observation 1", Kind::Decision),
        ("observation 2", Kind::Decision),
        ("observation 4", Kind::Fact),
        ("observation 5", Kind::Discovery),
        ("observation 6", Kind::Summary),
        ("observation 7", Kind::Note),
    ];
    assert_eq!(reading.kinds(), expected);
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
    assert_eq!(reading.named("observation 5").content.provenance, Provenance::Web);
    assert_eq!(reading.named("observation 6").content.title, "Receipts print");
    assert_eq!(reading.named("observation 7").project, ImportedProject::Named("other".into()));
    assert_eq!(reading.skipped(), [("a prompt", 2), ("deleted", 1), ("never compressed", 1)]);
}

#[test]
fn every_kind_of_engram_row_is_imported() {
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
fn an_export_and_its_database_import_alike() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("shop/engram-export.json");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let whole = include_str!("../fixtures/engram-export.json");
    fs::write(&path, whole).unwrap();
    let mut search = machine(home.path());
    search.projects = vec![home.path().join("shop")];
    assert_eq!(ImportSource::Engram.locate(&search)[0].path, path);
    check(&read(ImportSource::Engram, &path));

    let at = whole.find("Paper has").unwrap();
    fs::write(&path, &whole[..at]).unwrap();
    let half = read(ImportSource::Engram, &path);
    assert_eq!(half.names(), ["session ses_1", "observation 1", "observation 2", "observation 4"]);
    assert!(half.skipped().contains(&("cut off", 1)));

    fs::write(
        &path,
        r#"{"observations": [7, null, {"id": 1}, {"id": 2, "title": "No day"}], "sessions": null}"#,
    )
    .unwrap();
    let odd = read(ImportSource::Engram, &path);
    assert!(odd.memories.is_empty());
    assert_eq!(odd.skipped(), [("no date", 1), ("no name", 2), ("no words", 1)]);

    fs::write(&path, r#"{"name": "shop", "version": "1.0.0"}"#).unwrap();
    assert_eq!(refused(ImportSource::Engram, &path), "not an export of engram");
    fs::write(&path, "no JSON").unwrap();
    assert!(!refused(ImportSource::Engram, &path).is_empty());
}

#[test]
fn an_early_database_with_damaged_rows_is_imported() {
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
    assert_eq!(
        reading.skipped(),
        [("a prompt", 2), ("never compressed", 1), ("no date", 1), ("no words", 1)]
    );
    let other = database(&folder.path().join("other.db"), &["CREATE TABLE observations (id INTEGER)"]);
    assert_eq!(refused(ImportSource::Engram, &other), "not a database of engram");
}
