//! Memories that come from another store: with what they carry and how they relate, and never so that a circle comes of it.

use crate::kit::{NOW, TestHome, draft, new, project};
use backstory_memory::{Digest, Kind, MemoryId, Relation, Standing, Timestamp, Uid};
use backstory_store::{
    Anchor, Attachments, Author, InsertOutcome, MemoryLinks, NewMemory, PriorWording, Store,
};

fn named(store: &mut Store, uid: &str) -> NewMemory {
    let project = project(store, "/home/u/one");
    NewMemory { uid: Some(Uid::parse(uid).unwrap()), ..new(project, draft(uid, &format!("about {uid}"))) }
}

fn carried() -> Attachments {
    let wording = |title: &str, until, replaced_by| PriorWording {
        kind: Kind::Goal,
        title: title.to_owned(),
        body: "then".to_owned(),
        facts: vec!["a fact".to_owned()],
        concepts: Vec::new(),
        files: vec!["a.rs".to_owned()],
        until: Timestamp(until),
        replaced_by,
    };
    Attachments {
        wordings: vec![wording("First", 5, Author::Person), wording("Second", 3, Author::Model)],
        anchors: vec![Anchor {
            path: "a.rs".into(),
            symbol: Some("run".into()),
            hash: Some(Digest([7; 16])),
        }],
        subject: Some(Digest([1; 16])),
        polished_from: Some(Digest([2; 16])),
    }
}

fn received(store: &mut Store, uid: &str, carried: Attachments) -> MemoryId {
    let memory = named(store, uid);
    match store.memories_mut().insert_transferred(&[(memory, carried)]).unwrap().as_slice() {
        [InsertOutcome::Written(id)] => *id,
        other => panic!("{other:?}"),
    }
}

fn ties(uid: &str, superseded_by: Option<&str>, links: &[(Relation, &str)]) -> MemoryLinks {
    let uid_of = |uid: &str| Uid::parse(uid).unwrap();
    let links = links.iter().map(|(relation, to)| (*relation, uid_of(to))).collect();
    MemoryLinks { uid: uid_of(uid), superseded_by: superseded_by.map(uid_of), links }
}

#[test]
fn what_a_memory_carries_arrives_with_it_once() {
    let test = TestHome::new();
    let mut store = test.open();
    let id = received(&mut store, "a", carried());
    assert_eq!(store.memories().attachments(id).unwrap(), carried());
    let again = named(&mut store, "a");
    assert_eq!(
        store.memories_mut().insert_transferred(&[(again, carried())]).unwrap(),
        [InsertOutcome::Known(id)]
    );
    assert_eq!(store.memories().revisions(id).unwrap().len(), 2);
    // Of two about one subject the one that is here goes on being met.
    let other = received(&mut store, "b", carried());
    assert_eq!(store.memories().attachments(other).unwrap(), Attachments { subject: None, ..carried() });
    store.memories_mut().forget(&[id], NOW).unwrap();
    assert!(store.memories().is_forgotten(&Uid::parse("a").unwrap()).unwrap());
    assert!(!store.memories().is_forgotten(&Uid::parse("b").unwrap()).unwrap());
}

#[test]
fn ties_are_noted_as_far_as_both_ends_are_here() {
    let test = TestHome::new();
    let mut store = test.open();
    let [a, b, c] = ["a", "b", "c"].map(|uid| received(&mut store, uid, Attachments::default()));
    let before = store.memories().get(a).unwrap().unwrap();
    let told = [
        ties(
            "a",
            Some("b"),
            &[(Relation::Relates, "c"), (Relation::Relates, "a"), (Relation::Contradicts, "nobody")],
        ),
        ties("b", None, &[(Relation::Supersedes, "a")]),
        ties("c", None, &[(Relation::Supersedes, "b")]),
        ties("nobody", Some("a"), &[]),
    ];
    store.memories_mut().link_transferred(&told).unwrap();
    store.memories_mut().link_transferred(&told).unwrap();
    let standing = |id| store.memories().get(id).unwrap().unwrap().standing;
    assert_eq!(
        (standing(a), standing(b), standing(c)),
        (Standing::Superseded(b), Standing::Superseded(c), Standing::Confirmed)
    );
    // Who says itself what replaced it is dated as it was; who is only said to be replaced is so from then on.
    let after = store.memories().get(a).unwrap().unwrap();
    assert_eq!((after.updated_at, after.content.valid_to), (before.updated_at, None));
    assert_eq!(
        store.memories().get(b).unwrap().unwrap().content.valid_to,
        store.memories().get(c).unwrap().map(|c| c.created_at)
    );
    let uid = |uid| Uid::parse(uid).unwrap();
    assert_eq!(
        store.memories().links_by_uid(a, &uid("a")).unwrap(),
        ties("a", Some("b"), &[(Relation::Relates, "c")])
    );
    assert_eq!(
        store.memories().links_by_uid(c, &uid("c")).unwrap(),
        ties("c", None, &[(Relation::Supersedes, "b")])
    );
}

#[test]
fn no_tie_makes_a_circle() {
    let test = TestHome::new();
    let mut store = test.open();
    let [a, b] = ["a", "b"].map(|uid| received(&mut store, uid, Attachments::default()));
    store
        .memories_mut()
        .link_transferred(&[ties("a", Some("b"), &[]), ties("b", Some("a"), &[(Relation::Supersedes, "b")])])
        .unwrap();
    store.memories_mut().link_transferred(&[ties("a", None, &[(Relation::Supersedes, "b")])]).unwrap();
    let standing = |id| store.memories().get(id).unwrap().unwrap().standing;
    assert_eq!((standing(a), standing(b)), (Standing::Superseded(b), Standing::Confirmed));
}
