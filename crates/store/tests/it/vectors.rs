//! Which memories wait for vectors: whatever writes one makes it wait, and only what is still so stops waiting.

use crate::kit::{NOW, draft, new};
use crate::test_store::TestStore;
use backstory_memory::{Content, MemoryId, MemoryScope, digest};
use backstory_store::Store;

fn waiting(store: &TestStore) -> Vec<i64> {
    store.vectors().stale(None, 100).unwrap().iter().map(|id| id.0).collect()
}

fn to_take_out(store: &TestStore) -> Vec<i64> {
    store.vectors().to_remove().unwrap().iter().map(|id| id.0).collect()
}

/// Does what an embedder does, without any vector.
fn embed(store: &mut TestStore, ids: &[MemoryId]) {
    let memories = store.memories().get_many(ids).unwrap();
    assert_eq!(store.vectors_mut().begin_append(&memories).unwrap(), ids);
    store.vectors_mut().mark_fresh(&memories).unwrap();
}

/// A store with one memory that has its vectors.
fn embedded() -> (TestStore, MemoryId) {
    let mut store = TestStore::new();
    let id = store.note("tabs", "we use tabs");
    embed(&mut store, &[id]);
    assert_eq!(waiting(&store), [0_i64; 0]);
    (store, id)
}

#[test]
fn what_is_written_waits_newest_first_and_has_no_rows_to_take_out() {
    let mut store = TestStore::new();
    for title in ["one", "two", "three", "four"] {
        store.note(title, "body");
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
        let (mut store, id) = embedded();
        let mut content = store.memory(id).content;
        change(&mut content);
        store.revise(id, content, NOW);
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
    let (mut store, id) = embedded();
    let other = store.project_at("/home/u/two");
    let from = store.memory(id).project;
    store.projects_mut().merge(from, other).unwrap();
    assert_eq!((waiting(&store), to_take_out(&store)), (vec![1], vec![1]));
}

#[test]
fn what_is_distilled_again_waits_again() {
    let mut store = TestStore::new();
    let session = store.session("s");
    let distil = |store: &mut TestStore, body: &str| {
        let memory = new(store.project(), draft("work", body));
        store.distil(session, digest([b"subject".as_slice()]), memory).memory().unwrap()
    };
    let id = distil(&mut store, "begun");
    assert_eq!((waiting(&store), to_take_out(&store)), (vec![1], vec![]));
    embed(&mut store, &[id]);
    distil(&mut store, "begun");
    assert_eq!(waiting(&store), [0_i64; 0], "the same again changes nothing");
    distil(&mut store, "done");
    assert_eq!(to_take_out(&store), [1]);
}

#[test]
fn what_is_forgotten_waits_until_its_rows_are_out() {
    let (mut store, id) = embedded();
    let never_embedded = store.note("other", "words");
    store.forget(&[id, never_embedded]);
    assert_eq!((waiting(&store), to_take_out(&store)), (vec![1], vec![1]), "the other has no rows");
    store.vectors_mut().mark_removed(&[id]).unwrap();
    assert_eq!(store.vectors().count_stale().unwrap(), 0);
}

#[test]
fn what_changes_while_it_is_embedded_goes_on_waiting() {
    let mut store = TestStore::new();
    let id = store.note("tabs", "we use tabs");
    let before = store.memory(id);
    store.revise(id, draft("spaces", "we use spaces"), NOW);
    assert_eq!(store.vectors_mut().begin_append(std::slice::from_ref(&before)).unwrap(), []);
    let now = store.memory(id);
    assert_eq!(store.vectors_mut().begin_append(std::slice::from_ref(&now)).unwrap(), [id]);
    store.revise(id, Content { scope: MemoryScope::User, ..now.content.clone() }, NOW);
    store.vectors_mut().mark_fresh(&[before, now]).unwrap();
    assert_eq!((waiting(&store), to_take_out(&store)), (vec![1], vec![1]), "it holds elsewhere now");
    let gone = store.memory(id);
    store.forget(&[id]);
    store.vectors_mut().mark_fresh(std::slice::from_ref(&gone)).unwrap();
    assert_eq!(to_take_out(&store), [1], "rows of a forgotten memory are not fresh");
    assert_eq!(store.vectors_mut().begin_append(&[gone]).unwrap(), []);
}

#[test]
fn a_restored_database_has_no_vector_file() {
    let (mut store, _) = embedded();
    store.back_up();
    let test = store.close();
    std::fs::write(test.vectors(), "rows of a later state").unwrap();
    std::fs::write(test.database(), "not a database").unwrap();
    Store::repair(&test, NOW).unwrap().unwrap();
    assert!(!test.vectors().exists());
    assert_eq!(test.open().memories().count().unwrap(), 1);
}
