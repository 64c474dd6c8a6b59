//! Which memories wait for vectors: whatever writes one makes it wait, and only what is still so stops waiting.

use crate::kit::{NOW, TestHome, draft, new, note, project};
use backstory_memory::{Content, EventId, Memory, MemoryId, MemoryScope, digest};
use backstory_store::{DistilledMemory, OnRepeat, PolishOutcome, Store};

fn waiting(store: &Store) -> Vec<i64> {
    store.vectors().stale(None, 100).unwrap().iter().map(|id| id.0).collect()
}

fn to_take_out(store: &Store) -> Vec<i64> {
    store.vectors().to_remove().unwrap().iter().map(|id| id.0).collect()
}

fn read(store: &Store, id: MemoryId) -> Memory {
    store.memories().get(id).unwrap().unwrap()
}

/// Does what an embedder does, without any vector.
fn embed(store: &mut Store, ids: &[MemoryId]) {
    let memories = store.memories().get_many(ids).unwrap();
    assert_eq!(store.vectors_mut().begin_append(&memories).unwrap(), ids);
    store.vectors_mut().mark_fresh(&memories).unwrap();
}

/// A store with one memory that has its vectors.
fn embedded(test: &TestHome) -> (Store, MemoryId) {
    let mut store = test.open();
    let id = note(&mut store, "tabs", "we use tabs");
    embed(&mut store, &[id]);
    assert_eq!(waiting(&store), [0_i64; 0]);
    (store, id)
}

#[test]
fn what_is_written_waits_newest_first_and_has_no_rows_to_take_out() {
    let test = TestHome::new();
    let mut store = test.open();
    for title in ["one", "two", "three", "four"] {
        note(&mut store, title, "body");
    }
    assert_eq!(waiting(&store), [4, 3, 2, 1]);
    assert_eq!(store.vectors().count_stale().unwrap(), 4);
    assert_eq!(to_take_out(&store), [0_i64; 0]);
    assert_eq!(store.vectors().stale(None, 2).unwrap(), [MemoryId(4), MemoryId(3)]);
    let gone_through = MemoryId(2)..=MemoryId(3);
    assert_eq!(store.vectors().stale(Some(&gone_through), 9).unwrap(), [MemoryId(4), MemoryId(1)]);
}

#[test]
fn every_way_to_change_a_memory_makes_it_wait() {
    let revise = |change: fn(&mut Content)| {
        let test = TestHome::new();
        let (mut store, id) = embedded(&test);
        let mut content = read(&store, id).content;
        change(&mut content);
        store.memories_mut().revise(id, &content, NOW).unwrap();
        (waiting(&store), to_take_out(&store))
    };
    let both = (vec![1], vec![1]);
    assert_eq!(revise(|content| content.title = "spaces".to_owned()), both);
    assert_eq!(revise(|content| content.body = "we use spaces".to_owned()), both);
    assert_eq!(revise(|content| content.facts = vec!["a fact".to_owned()]), both);
    assert_eq!(revise(|content| content.concepts = vec!["layout".to_owned()]), both);
    assert_eq!(revise(|content| content.scope = MemoryScope::User), both);
    assert_eq!(revise(|content| content.files = vec!["a.rs".to_owned()]), (vec![], vec![]), "not embedded");
}

#[test]
fn a_merged_project_takes_its_memories_along() {
    let test = TestHome::new();
    let (mut store, id) = embedded(&test);
    let other = project(&mut store, "/home/u/two");
    let from = read(&store, id).project;
    store.projects_mut().merge(from, other).unwrap();
    assert_eq!((waiting(&store), to_take_out(&store)), (vec![1], vec![1]));
}

#[test]
fn what_is_distilled_again_or_polished_waits_again() {
    let test = TestHome::new();
    let mut store = test.open();
    let project = project(&mut store, "/home/u/one");
    let session = store.sessions_mut().find_or_create(project, "test", "s", NOW).unwrap();
    let distilled = |body: &str| DistilledMemory {
        subject: digest([b"subject".as_slice()]),
        memory: new(project, draft("work", body)),
        on_repeat: OnRepeat::Replace,
        same_as: None,
        replaces: Vec::new(),
        contradicts: Vec::new(),
    };
    store.memories_mut().write_distilled(session, EventId(1), &[distilled("begun")]).unwrap();
    let id = MemoryId(1);
    assert_eq!((waiting(&store), to_take_out(&store)), (vec![1], vec![]));
    embed(&mut store, &[id]);
    store.memories_mut().write_distilled(session, EventId(2), &[distilled("begun")]).unwrap();
    assert_eq!(waiting(&store), [0_i64; 0], "the same again changes nothing");
    store.memories_mut().write_distilled(session, EventId(3), &[distilled("done")]).unwrap();
    assert_eq!(to_take_out(&store), [1]);
    embed(&mut store, &[id]);
    let seen = read(&store, id);
    assert_eq!(
        store.memories_mut().polish(&seen, "work", "all of it is done", NOW).unwrap(),
        PolishOutcome::Applied
    );
    assert_eq!(to_take_out(&store), [1]);
}

#[test]
fn what_is_forgotten_waits_until_its_rows_are_out() {
    let test = TestHome::new();
    let (mut store, id) = embedded(&test);
    let never_embedded = note(&mut store, "other", "words");
    store.memories_mut().forget(&[id, never_embedded], NOW).unwrap();
    assert_eq!((waiting(&store), to_take_out(&store)), (vec![1], vec![1]), "the other has no rows");
    store.vectors_mut().mark_removed(&[id]).unwrap();
    assert_eq!(store.vectors().count_stale().unwrap(), 0);
}

#[test]
fn what_changes_while_it_is_embedded_goes_on_waiting() {
    let test = TestHome::new();
    let mut store = test.open();
    let id = note(&mut store, "tabs", "we use tabs");
    let before = read(&store, id);
    store.memories_mut().revise(id, &draft("spaces", "we use spaces"), NOW).unwrap();
    assert_eq!(store.vectors_mut().begin_append(std::slice::from_ref(&before)).unwrap(), []);
    let now = read(&store, id);
    assert_eq!(store.vectors_mut().begin_append(std::slice::from_ref(&now)).unwrap(), [id]);
    store
        .memories_mut()
        .revise(id, &Content { scope: MemoryScope::User, ..now.content.clone() }, NOW)
        .unwrap();
    store.vectors_mut().mark_fresh(&[before, now]).unwrap();
    assert_eq!((waiting(&store), to_take_out(&store)), (vec![1], vec![1]), "it holds elsewhere now");
    let gone = read(&store, id);
    store.memories_mut().forget(&[id], NOW).unwrap();
    store.vectors_mut().mark_fresh(std::slice::from_ref(&gone)).unwrap();
    assert_eq!(to_take_out(&store), [1], "rows of a forgotten memory are not fresh");
    assert_eq!(store.vectors_mut().begin_append(&[gone]).unwrap(), []);
}

#[test]
fn a_restored_database_has_no_vector_file() {
    let test = TestHome::new();
    let (mut store, _) = embedded(&test);
    store.upkeep_mut().back_up(crate::kit::KEEP, NOW).unwrap();
    drop(store);
    std::fs::write(test.home.vectors(), "rows of a later state").unwrap();
    std::fs::write(test.home.database(), "not a database").unwrap();
    Store::repair(&test.home, NOW).unwrap().unwrap();
    assert!(!test.home.vectors().exists());
    assert_eq!(test.open().memories().count().unwrap(), 1);
}
