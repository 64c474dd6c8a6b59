//! Where memories hold in the code: what was known closely is not lost when they are revised, and follows files that move.

use crate::kit::{NOW, TestHome, draft, new, project};
use backstory_memory::{Content, Digest, MemoryId, ProjectId};
use backstory_store::{Anchor, Filter, Scope, Store, StoreError};

fn about(files: &[&str], body: &str) -> Content {
    Content { files: files.iter().map(|file| (*file).to_owned()).collect(), ..draft("title", body) }
}

fn remember(store: &mut Store, files: &[&str]) -> (ProjectId, MemoryId) {
    let project = project(store, "/home/u/one");
    (project, store.memories_mut().remember(&new(project, about(files, "body"))).unwrap())
}

fn file(path: &str) -> Anchor {
    Anchor { path: path.into(), symbol: None, hash: None }
}

fn at(path: &str, symbol: Option<&str>, hash: u8) -> Anchor {
    Anchor { path: path.into(), symbol: symbol.map(str::to_owned), hash: Some(Digest([hash; 16])) }
}

#[test]
fn a_memory_is_anchored_in_the_files_it_names_until_more_is_known() {
    let test = TestHome::new();
    let mut store = test.open();
    let (_, id) = remember(&mut store, &["b.rs", "a.rs", "b.rs"]);
    assert_eq!(store.code().anchors(id).unwrap(), [file("a.rs"), file("b.rs")]);
    let closer = [at("a.rs", None, 1), at("b.rs", Some("f"), 2), at("b.rs", Some("g"), 3)];
    store.code_mut().replace_anchors(id, &closer).unwrap();
    assert_eq!(store.code().anchors(id).unwrap(), closer);
    assert!(matches!(
        store.code_mut().replace_anchors(MemoryId(9), &closer),
        Err(StoreError::NoSuchMemory(_))
    ));
}

#[test]
fn a_revision_keeps_what_is_known_of_the_files_that_stay() {
    let test = TestHome::new();
    let mut store = test.open();
    let (project, id) = remember(&mut store, &["a.rs", "b.rs"]);
    store.code_mut().replace_anchors(id, &[at("a.rs", Some("f"), 1), at("b.rs", None, 2)]).unwrap();
    store.memories_mut().revise(id, &about(&["a.rs", "b.rs"], "other words"), NOW).unwrap();
    assert_eq!(store.code().anchors(id).unwrap(), [at("a.rs", Some("f"), 1), at("b.rs", None, 2)]);
    // What was moved is not put back, what is no longer named goes, what is named now comes.
    store.code_mut().move_anchors(project, "a.rs", "moved.rs").unwrap();
    store.memories_mut().revise(id, &about(&["a.rs", "c.rs"], "more words"), NOW).unwrap();
    assert_eq!(store.code().anchors(id).unwrap(), [file("c.rs"), at("moved.rs", Some("f"), 1)]);
}

#[test]
fn anchors_and_maps_follow_a_file_within_their_project() {
    let test = TestHome::new();
    let mut store = test.open();
    let (one, id) = remember(&mut store, &["a.rs"]);
    let two = project(&mut store, "/home/u/two");
    let other = store.memories_mut().remember(&new(two, about(&["a.rs"], "elsewhere"))).unwrap();
    store
        .code_mut()
        .replace_anchors(id, &[at("a.rs", Some("f"), 1), at("a.rs", Some("g"), 2), at("b.rs", Some("g"), 3)])
        .unwrap();
    store.code_mut().move_anchors(one, "a.rs", "b.rs").unwrap();
    assert_eq!(store.code().anchors(id).unwrap(), [at("b.rs", Some("f"), 1), at("b.rs", Some("g"), 3)]);
    assert_eq!(store.code().anchors(other).unwrap(), [file("a.rs")]);
    let named = Filter { file: Some("b.rs".into()), ..Filter::within(Scope::Project(one)) };
    assert_eq!(store.search().list(&named).unwrap(), [id]);
}

#[test]
fn only_files_somebody_looked_at_are_looked_for() {
    let test = TestHome::new();
    let mut store = test.open();
    let (project, id) = remember(&mut store, &["a.rs"]);
    assert_eq!(store.code().anchored_files(project).unwrap(), Vec::<String>::new());
    store
        .code_mut()
        .replace_anchors(id, &[file("a.rs"), at("b.rs", None, 1), at("c.rs", Some("f"), 1)])
        .unwrap();
    assert_eq!(store.code().anchored_files(project).unwrap(), ["b.rs", "c.rs"]);
    store.memories_mut().forget(&[id], NOW).unwrap();
    assert_eq!(
        (store.code().anchored_files(project).unwrap(), store.code().anchors(id).unwrap()),
        (vec![], vec![])
    );
}
