//! Where memories hold in the code: what was known closely is not lost when they are revised, and follows files that move.

use crate::kit::{NOW, about};
use crate::test_store::TestStore;
use backstory_memory::{Digest, MemoryId, Redacted};
use backstory_store::{Anchor, Filter, Scope, StoreError};

fn file(path: &str) -> Anchor {
    Anchor { path: path.into(), symbol: None, hash: None }
}

fn at(path: &str, symbol: Option<&str>, hash: u8) -> Anchor {
    Anchor { path: path.into(), symbol: symbol.map(str::to_owned), hash: Some(Digest([hash; 16])) }
}

#[test]
fn a_memory_is_anchored_in_the_files_it_names_until_more_is_known() {
    let mut store = TestStore::new();
    let id = store.remember(about(&["b.rs", "a.rs", "b.rs"], "body"));
    assert_eq!(store.code().anchors(id).unwrap(), [file("a.rs"), file("b.rs")]);
    let closer = [at("a.rs", None, 1), at("b.rs", Some("f"), 2), at("b.rs", Some("g"), 3)];
    store.code_mut().replace_anchors(id, &Redacted::vouch(closer.to_vec())).unwrap();
    assert_eq!(store.code().anchors(id).unwrap(), closer);
    assert!(matches!(
        store.code_mut().replace_anchors(MemoryId(9), &Redacted::vouch(closer.to_vec())),
        Err(StoreError::NoSuchMemory(_))
    ));
}

#[test]
fn a_revision_keeps_what_is_known_of_the_files_that_stay() {
    let mut store = TestStore::new();
    let (project, id) = (store.project(), store.remember(about(&["a.rs", "b.rs"], "body")));
    store
        .code_mut()
        .replace_anchors(id, &Redacted::vouch(vec![at("a.rs", Some("f"), 1), at("b.rs", None, 2)]))
        .unwrap();
    store.revise(id, about(&["a.rs", "b.rs"], "other words"), NOW);
    assert_eq!(store.code().anchors(id).unwrap(), [at("a.rs", Some("f"), 1), at("b.rs", None, 2)]);
    // What was moved is not put back, what is no longer named goes, what is named now comes.
    store.code_mut().move_anchors(project, "a.rs", &Redacted::vouch("moved.rs".into())).unwrap();
    store.revise(id, about(&["a.rs", "c.rs"], "more words"), NOW);
    assert_eq!(store.code().anchors(id).unwrap(), [file("c.rs"), at("moved.rs", Some("f"), 1)]);
}

#[test]
fn anchors_and_maps_follow_a_file_within_their_project() {
    let mut store = TestStore::new();
    let (one, id) = (store.project(), store.remember(about(&["a.rs"], "body")));
    let two = store.project_at("/home/u/two");
    let other = store.remember_in(two, about(&["a.rs"], "elsewhere"));
    store
        .code_mut()
        .replace_anchors(
            id,
            &Redacted::vouch(vec![
                at("a.rs", Some("f"), 1),
                at("a.rs", Some("g"), 2),
                at("b.rs", Some("g"), 3),
            ]),
        )
        .unwrap();
    store.code_mut().move_anchors(one, "a.rs", &Redacted::vouch("b.rs".into())).unwrap();
    assert_eq!(store.code().anchors(id).unwrap(), [at("b.rs", Some("f"), 1), at("b.rs", Some("g"), 3)]);
    assert_eq!(store.code().anchors(other).unwrap(), [file("a.rs")]);
    let named = Filter { file: Some("b.rs".into()), ..Filter::within(Scope::Project(one)) };
    assert_eq!(store.search().list(&named).unwrap(), [id]);
}

#[test]
fn only_files_somebody_looked_at_are_looked_for() {
    let mut store = TestStore::new();
    let (project, id) = (store.project(), store.remember(about(&["a.rs"], "body")));
    assert_eq!(store.code().anchored_files(project).unwrap(), Vec::<String>::new());
    store
        .code_mut()
        .replace_anchors(
            id,
            &Redacted::vouch(vec![file("a.rs"), at("b.rs", None, 1), at("c.rs", Some("f"), 1)]),
        )
        .unwrap();
    assert_eq!(store.code().anchored_files(project).unwrap(), ["b.rs", "c.rs"]);
    store.forget(&[id]);
    assert_eq!(
        (store.code().anchored_files(project).unwrap(), store.code().anchors(id).unwrap()),
        (vec![], vec![])
    );
}
