//! open-mem's databases. Their schemas are known from github.com/clopca/open-mem (`src/db/schema.ts`, migration 1 to 10, and
//! `src/db/user-memory.ts`).

use crate::fixtures::{cut_in_half, database, machine, read, refused};
use backstory_exchange::{ImportSource, ImportedProject, ImportedSession};
use backstory_memory::{Kind, MemoryScope, Provenance, Timestamp};
use std::path::{Path, PathBuf};

pub(crate) const SCHEMA_1: &str = include_str!("../fixtures/open_mem_1.sql");

pub(crate) const SCHEMA_10: &str = include_str!("../fixtures/open_mem_10.sql");

fn shop(folder: &Path) -> PathBuf {
    folder.join("shop/.open-mem/memory.db")
}

#[test]
fn the_newest_revisions_are_imported_and_replace_the_older() {
    let folder = tempfile::tempdir().unwrap();
    let path = database(&shop(folder.path()), &[SCHEMA_1, SCHEMA_10]);
    let mut search = machine(folder.path());
    search.projects =
        vec![folder.path().join("shop"), folder.path().join("shop"), folder.path().join("till")];
    let instances = ImportSource::OpenMem.locate(&search);
    assert_eq!(instances.iter().map(|instance| &instance.path).collect::<Vec<_>>(), [&path]);
    let reading = read(ImportSource::OpenMem, &path);
    let expected = [
        ("observation o1", Kind::Decision),
        ("observation o2", Kind::Discovery),
        ("observation o3", Kind::Decision),
        ("observation o6", Kind::Feature),
        ("observation o7", Kind::Bugfix),
        ("observation o8", Kind::Refactor),
        ("summary m1", Kind::Summary),
    ];
    assert_eq!(reading.kinds(), expected);
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
    assert_eq!((fetched.content.provenance.clone(), fetched.session.clone()), (Provenance::Web, None));
    assert_eq!(reading.named("observation o6").content.scope, MemoryScope::User);
    let summary = &reading.named("summary m1").content;
    assert_eq!(summary.title, "Settle what a price is");
    assert_eq!(
        summary.body,
        "Prices were settled.\nRequest: Settle what a price is\nKey decisions: Prices are cents\nNext steps: Vouchers"
    );
    assert_eq!(reading.skipped(), [("deleted", 2), ("never compressed", 2)]);
}

#[test]
fn the_first_version_and_damaged_rows_are_imported() {
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
    assert_eq!(reading.skipped(), [("never compressed", 2), ("no date", 1), ("no name", 1), ("no words", 1)]);
    cut_in_half(&path);
    assert!(!refused(ImportSource::OpenMem, &path).is_empty());
}

#[test]
fn memories_of_the_user_stay_global() {
    let home = tempfile::tempdir().unwrap();
    let sql = include_str!("../fixtures/open_mem_user.sql");
    let path = database(&home.path().join(".config/open-mem/user-memory.db"), &[sql]);
    assert_eq!(ImportSource::OpenMem.locate(&machine(home.path()))[0].path, path);
    let reading = read(ImportSource::OpenMem, &path);
    let memory = reading.named("observation u1");
    assert_eq!((memory.content.scope, memory.content.importance.get()), (MemoryScope::User, 4));
    assert_eq!(memory.project, ImportedProject::Folder("/home/dev/shop".into()));
    let other = database(&home.path().join("other.db"), &["CREATE TABLE observations (id INTEGER)"]);
    assert_eq!(refused(ImportSource::OpenMem, &other), "not a database of open-mem");
}
