//! Memories from another store: they arrive with their attachments and links, and no link makes a circle.

use crate::kit::{draft, new};
use crate::test_store::TestStore;
use backstory_memory::{
    Category, Content, Details, Digest, Kind, MemoryId, MemoryScope, Redacted, Relation, Standing, Timestamp,
    Uid, WorkDetails,
};
use backstory_store::{Anchor, Attachments, Author, InsertOutcome, MemoryLinks, NewMemory, Revision};

fn uid(text: &str) -> Uid {
    Uid::parse(text).unwrap()
}

fn insert(store: &mut TestStore, text: &str, carried: Attachments) -> InsertOutcome {
    let memory = new(store.project(), draft(text, &format!("about {text}")));
    let memory = NewMemory { uid: Some(uid(text)), ..memory };
    store.memories_mut().insert_transferred(&[(memory, Redacted::vouch(carried))]).unwrap()[0]
}

fn carried() -> Attachments {
    let details = Details::WorkDone(WorkDetails { request: Some("a goal".to_owned()), commits: Vec::new() });
    let revision = |title: &str, until, replaced_by| Revision {
        content: Content {
            facts: vec!["a fact".to_owned()],
            files: vec!["a.rs".to_owned()],
            details: Some(details.clone()),
            category: Some(Category("aim".to_owned())),
            scope: MemoryScope::User,
            ..Content::new(Kind::Goal, title, "then")
        },
        until: Timestamp(until),
        replaced_by,
        author: None,
    };
    Attachments {
        revisions: vec![revision("First", 5, Author::Person), revision("Second", 3, Author::Model)],
        anchors: vec![Anchor {
            path: "a.rs".into(),
            symbol: Some("run".into()),
            hash: Some(Digest([7; 16])),
        }],
        subject: Some(Digest([1; 16])),
    }
}

fn received(store: &mut TestStore, uid: &str, carried: Attachments) -> MemoryId {
    match insert(store, uid, carried) {
        InsertOutcome::Written(id) => id,
        other => panic!("{other:?}"),
    }
}

fn links(of: &str, superseded_by: Option<&str>, links: &[(Relation, &str)]) -> MemoryLinks {
    let links = links.iter().map(|(relation, to)| (*relation, uid(to))).collect();
    MemoryLinks { uid: uid(of), superseded_by: superseded_by.map(uid), links }
}

#[test]
fn the_attachments_of_a_memory_arrive_with_it_once() {
    let mut store = TestStore::new();
    let id = received(&mut store, "a", carried());
    assert_eq!(store.memories().attachments(id).unwrap(), carried());
    assert_eq!(insert(&mut store, "a", carried()), InsertOutcome::Known(id));
    assert_eq!(store.memories().revisions(id).unwrap().len(), 2);
    // Of two memories about one subject the first keeps the subject.
    let other = received(&mut store, "b", carried());
    assert_eq!(store.memories().attachments(other).unwrap(), Attachments { subject: None, ..carried() });
    store.forget(&[id]);
    assert!(store.memories().is_forgotten(&uid("a")).unwrap());
    assert!(!store.memories().is_forgotten(&uid("b")).unwrap());
}

#[test]
fn links_are_written_if_both_ends_are_here() {
    let mut store = TestStore::new();
    let [a, b, c] = ["a", "b", "c"].map(|uid| received(&mut store, uid, Attachments::default()));
    let before = store.memory(a);
    let all = [
        links(
            "a",
            Some("b"),
            &[(Relation::Relates, "c"), (Relation::Relates, "a"), (Relation::Contradicts, "nobody")],
        ),
        links("b", None, &[(Relation::Supersedes, "a")]),
        links("c", None, &[(Relation::Supersedes, "b")]),
        links("nobody", Some("a"), &[]),
    ];
    store.memories_mut().link_transferred(&all).unwrap();
    store.memories_mut().link_transferred(&all).unwrap();
    let standing = |id| store.memory(id).standing;
    assert_eq!(
        (standing(a), standing(b), standing(c)),
        (Standing::Superseded(b), Standing::Superseded(c), Standing::Confirmed)
    );
    // A memory that names its replacement keeps its dates; one that is only named by it ends when that begins.
    let after = store.memory(a);
    assert_eq!((after.updated_at, after.content.valid_to), (before.updated_at, None));
    assert_eq!(store.memory(b).content.valid_to, store.memories().get(c).unwrap().map(|c| c.created_at));
    assert_eq!(
        store.memories().links_by_uid(a, &uid("a")).unwrap(),
        links("a", Some("b"), &[(Relation::Relates, "c")])
    );
    assert_eq!(
        store.memories().links_by_uid(c, &uid("c")).unwrap(),
        links("c", None, &[(Relation::Supersedes, "b")])
    );
}

#[test]
fn no_link_makes_a_circle() {
    let mut store = TestStore::new();
    let [a, b] = ["a", "b"].map(|uid| received(&mut store, uid, Attachments::default()));
    store
        .memories_mut()
        .link_transferred(&[
            links("a", Some("b"), &[]),
            links("b", Some("a"), &[(Relation::Supersedes, "b")]),
        ])
        .unwrap();
    store.memories_mut().link_transferred(&[links("a", None, &[(Relation::Supersedes, "b")])]).unwrap();
    let standing = |id| store.memory(id).standing;
    assert_eq!((standing(a), standing(b)), (Standing::Superseded(b), Standing::Confirmed));
}
