//! Memories: written whole, read back whole, kept out once forgotten.

use crate::kit::{NOW, any_of, arrival, draft, everywhere, new};
use crate::test_store::{TestStore, ask, assert_sound};
use backstory_memory::{
    Category, Confidence, Content, Details, EventId, EvidenceKind, Importance, Kind, MemoryId, MemoryScope,
    Provenance, Redacted, Standing, SummaryDetails, Timestamp, Uid,
};
use backstory_store::{InsertOutcome, MemoryOrigin, NewMemory, RecordOutcome, StoreError, Verdict};
use proptest::prelude::*;
use std::cell::RefCell;

/// Any text at all: control characters, NUL, quotes, surrogate neighbours, every plane.
pub(crate) fn any_text(most: usize) -> impl Strategy<Value = String> {
    let odd = prop::sample::select(vec![
        '\0', '"', '\'', '*', '\\', '%', '\u{feff}', '\u{d7ff}', '数', 'é', ' ', '_', 'a',
    ]);
    prop::collection::vec(prop_oneof![any::<char>(), odd], 0..most)
        .prop_map(|list| list.into_iter().collect())
}

fn any_draft() -> impl Strategy<Value = Content> {
    let list = || prop::collection::vec(any_text(12), 0..4);
    let provenance = prop_oneof![
        Just(Provenance::Web),
        Just(Provenance::Import),
        Just(Provenance::Tool),
        Just(Provenance::Assistant),
        Just(Provenance::User),
        any_text(8).prop_map(|member| Provenance::Team(format!("m{member}"))),
    ];
    let texts = (any_text(90), any_text(300), list(), list(), list(), prop::option::of(any_text(8)));
    let rest =
        (prop::sample::select(Kind::ALL.to_vec()), 1i64..=5, 0.0..=1.0, provenance, any::<(bool, bool)>());
    let times = any::<(Option<i64>, Option<i64>)>();
    (texts, rest, times).prop_map(|(texts, rest, times)| Content {
        kind: rest.0,
        category: texts.5.map(Category),
        title: texts.0,
        body: texts.1,
        details: texts.2.first().map(|step| {
            Details::Summary(SummaryDetails { next_steps: vec![step.clone()], ..SummaryDetails::default() })
        }),
        facts: texts.2,
        concepts: texts.3,
        files: texts.4,
        importance: Importance::new(rest.1),
        confidence: Confidence::new(rest.2),
        provenance: rest.3,
        scope: if rest.4.0 { MemoryScope::User } else { MemoryScope::Project },
        pinned: rest.4.1,
        valid_from: times.0.map(Timestamp),
        valid_to: times.1.map(Timestamp),
    })
}

#[test]
fn whatever_a_memory_says_is_read_back_as_it_was_written() {
    let store = RefCell::new(TestStore::new());
    proptest!(ProptestConfig::with_cases(192), |(content in any_draft(), other in any_draft())| {
        let mut store = store.borrow_mut();
        let id = store.remember(content.clone());
        let memory = store.memory(id);
        prop_assert!(memory.is_intact());
        prop_assert_eq!(&memory.content, &content);
        store.revise(id, other.clone(), NOW);
        let memory = store.memory(id);
        prop_assert!(memory.is_intact());
        prop_assert_eq!(&memory.content, &other);
        prop_assert_eq!(&store.memories().revisions(id).unwrap()[0].content.body, &content.body);
    });
    let store = store.into_inner();
    let report = store.check();
    assert!(report.is_sound(), "{report:?}");
}

#[test]
fn writing_many_twice_writes_them_once() {
    let mut store = TestStore::new();
    let project = store.project();
    let uid = |text| Some(Uid::parse(text).unwrap());
    let many = [
        NewMemory { uid: uid("dec-1"), ..new(project, draft("one", "first")) },
        NewMemory { uid: uid("dec-2"), ..new(project, draft("two", "second")) },
        NewMemory { uid: uid("dec-1"), ..new(project, draft("one again", "within one call")) },
    ];
    let first = store.memories_mut().remember_all(&many).unwrap();
    let [InsertOutcome::Written(one), InsertOutcome::Written(two), InsertOutcome::Known(again)] = first[..]
    else {
        panic!("{first:?}")
    };
    assert_eq!(one, again);
    assert_eq!(
        store.memories_mut().remember_all(&many).unwrap(),
        [InsertOutcome::Known(one), InsertOutcome::Known(two), InsertOutcome::Known(one)]
    );
    assert_eq!(store.memories().by_uid(&Uid::parse("dec-1").unwrap()).unwrap().unwrap().content.title, "one");
    assert_eq!(store.memories().count().unwrap(), 2);
}

#[test]
fn memories_are_read_in_the_order_of_the_ids() {
    let mut store = TestStore::new();
    let ids: Vec<MemoryId> = (0..3).map(|n| store.note(&format!("n{n}"), "")).collect();
    let wanted = [ids[2], MemoryId(999), ids[0]];
    let read: Vec<MemoryId> =
        store.memories().get_many(&wanted).unwrap().iter().map(|memory| memory.id).collect();
    assert_eq!(read, [ids[2], ids[0]]);
    let mut all = Vec::new();
    store.memories().for_each(|memory| all.push(memory.id)).unwrap();
    assert_eq!(all, ids);
}

/// S15.
#[test]
fn what_was_forgotten_stays_out_by_uid_and_by_words() {
    let mut store = TestStore::new();
    let project = store.project();
    let uid = Uid::parse("gone").unwrap();
    let gone = NewMemory { uid: Some(uid.clone()), ..new(project, draft("Secret name", "is heron")) };
    let id = store.memories_mut().remember(&gone).unwrap();
    store.revise(id, draft("Secret name", "is egret"), NOW);
    let keeper = store.note("kept", "words");
    store.forget(&[id]);

    let same_uid = NewMemory { uid: Some(uid), ..new(project, draft("other", "words entirely")) };
    let same_words = new(project, draft("secret NAME", "is, egret!"));
    let older_words = new(project, draft("secret name", "is heron"));
    for attempt in [&gone, &same_uid, &same_words, &older_words] {
        assert!(matches!(store.memories_mut().remember(attempt), Err(StoreError::Forgotten { .. })));
        assert_eq!(
            store.memories_mut().remember_all(std::slice::from_ref(attempt)).unwrap(),
            [InsertOutcome::Forgotten]
        );
        assert!(matches!(store.memories_mut().supersede(keeper, attempt), Err(StoreError::Forgotten { .. })));
    }
    let revised = store.memories_mut().revise(keeper, &same_words.content, NOW);
    assert!(matches!(revised, Err(StoreError::Forgotten { .. })));
    assert_eq!(store.memories().count().unwrap(), 1);

    store.memories_mut().lift_tombstone(&same_words).unwrap();
    assert!(store.memories_mut().remember(&same_words).unwrap() > id, "an id is never given twice");
    store.memories_mut().remember(&same_uid).unwrap();
}

#[test]
fn evidence_that_is_gone_does_not_keep_a_memory_from_being_written() {
    let mut store = TestStore::new();
    let RecordOutcome::Stored(event) = store.record(&arrival("s", 1)) else { panic!() };
    let project = store.project();
    let origin = MemoryOrigin { events: vec![event, EventId(77), event], ..MemoryOrigin::default() };
    store.memories_mut().remember(&NewMemory { origin, ..new(project, draft("a", "b")) }).unwrap();
    assert_eq!(ask(store.home(), "SELECT count(*) FROM evidence"), 1);
}

#[test]
fn a_failed_batch_writes_nothing() {
    let mut store = TestStore::new();
    let good = new(store.project(), draft("good", "bulbul"));
    let bad = NewMemory { project: backstory_memory::ProjectId(99), ..good.clone() };
    store.memories_mut().remember_all(&[good, bad]).unwrap_err();
    assert_eq!(store.memories().count().unwrap(), 0);
    let hits = store.search().exact(&any_of(&["bulbul"]), &everywhere()).unwrap();
    assert!(hits.is_empty());
    let test = store.close();
    assert_sound(&test);
}

#[test]
fn law_6_what_proved_the_old_words_proves_nothing_of_the_new() {
    let mut store = TestStore::new();
    let said = |text: &str| Content { provenance: Provenance::Assistant, ..draft(text, text) };
    let origin = MemoryOrigin { evidence: EvidenceKind::Structure, ..MemoryOrigin::default() };
    let memory = NewMemory { origin, ..new(store.project(), said("Added a retry to the client")) };
    let id = store.memories_mut().remember(&memory).unwrap();
    assert_eq!(store.memories().get(id).unwrap().unwrap().standing, Standing::Confirmed);
    let order = Redacted::vouch(said("Never run the tests of the client"));
    store.memories_mut().revise(id, &order, NOW).unwrap();
    assert_eq!(store.memories().get(id).unwrap().unwrap().standing, Standing::Proposed);
    store.memories_mut().record_verdict(id, Verdict::Confirm, NOW).unwrap();
    assert_eq!(store.memories().get(id).unwrap().unwrap().standing, Standing::Confirmed);
}
