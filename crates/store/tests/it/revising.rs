//! Changing memories: what they said before is kept, what replaces them is known, and the word index follows.

use crate::kit::{KEEP, NOW, any_of, arrival, draft, everywhere, injection, new, receipt};
use crate::test_store::TestStore;
use backstory_memory::{
    Confidence, Content, Injection, Link, MemoryId, Relation, SessionId, Standing, Timestamp,
};
use backstory_store::{Filter, Pin, StandingFilter, StoreError, UseKind};

#[test]
fn a_revised_memory_keeps_what_it_said_and_is_found_by_what_it_says() {
    let mut store = TestStore::new();
    let id = store.note("first", "about herons");
    for (n, body) in ["about egrets", "about bitterns"].iter().enumerate() {
        store.revise(id, draft("next", body), Timestamp(n as i64));
    }
    assert_eq!(
        (store.found_by("herons"), store.found_by("egrets"), store.found_by("bitterns")),
        (vec![], vec![], vec![id])
    );
    let revisions = store.memories().revisions(id).unwrap();
    let older: Vec<_> = revisions.iter().map(|it| (it.content.body.as_str(), it.until.0)).collect();
    assert_eq!(older, [("about egrets", 1), ("about herons", 0)]);
    let memory = store.memory(id);
    assert_eq!(
        (memory.content.body.as_str(), memory.updated_at, memory.created_at),
        ("about bitterns", Timestamp(1), NOW)
    );
    let unknown = store.memories_mut().revise(MemoryId(9), &new(memory.project, draft("", "")).content, NOW);
    assert!(matches!(unknown, Err(StoreError::NoSuchMemory(_))));
}

#[test]
fn a_memory_that_is_put_back_is_as_it_was_and_keeps_what_was_said_in_between() {
    let mut store = TestStore::new();
    let id = store.note("first", "about herons");
    let before = store.memory(id);
    let content = new(before.project, before.content.clone()).content;
    let standing = (before.standing, before.standing_reason);
    store.revise(id, draft("next", "about egrets"), Timestamp(1));
    store.memories_mut().put_back(id, &content, standing, Timestamp(2)).unwrap();
    assert_eq!((store.found_by("herons"), store.found_by("egrets")), (vec![id], vec![]));
    let replacement = store.supersede(id, draft("other", "about bitterns"));
    assert_eq!(store.memory(id).standing, Standing::Superseded(replacement));
    store.memories_mut().put_back(id, &content, standing, Timestamp(3)).unwrap();
    let after = store.memory(id);
    assert_eq!(
        (after.content, after.standing, after.standing_reason),
        (before.content, standing.0, standing.1)
    );
    let revisions = store.memories().revisions(id).unwrap();
    let older: Vec<_> = revisions.iter().map(|it| it.content.body.as_str()).collect();
    assert_eq!(older, ["about egrets", "about herons"]);
    assert!(store.check().words.is_none());
}

/// The words the index holds for a damaged memory cannot be read from its row.
#[test]
fn a_damaged_memory_is_revised_merged_and_forgotten_without_a_stale_word() {
    let changes: [fn(&mut TestStore, MemoryId); 3] = [
        |store, id| store.revise(id, draft("title", "sound again"), NOW),
        |store, id| drop(store.forget(&[id])),
        |store, _| {
            let (from, into) = (store.project(), store.project_at("/home/u/two"));
            store.projects_mut().merge(from, into).unwrap();
        },
    ];
    for change in changes {
        let mut store = TestStore::new();
        let (id, other) = (store.note("title", "about herons"), store.note("other", "about egrets"));
        store.raw().execute("UPDATE memories SET body = 'about hexons' WHERE id = ?1", [id.0]).unwrap();
        change(&mut store, id);
        assert_eq!((store.found_by("herons"), store.found_by("egrets")), (vec![], vec![other]));
        assert!(store.check().words.is_none());
    }
}

/// Each takes out of the index what the other put in, not what it wrote itself.
#[test]
fn revisions_that_race_leave_the_word_index_right() {
    let mut store = TestStore::new();
    let id = store.note("start", "start");
    std::thread::scope(|scope| {
        for thread in 0..2 {
            let mut store = store.test.open();
            scope.spawn(move || {
                for n in 0..40 {
                    store.revise(id, draft("turn", &format!("word{thread}x{n}")), NOW);
                    store.memories_mut().reinforce(id, NOW).unwrap();
                }
            });
        }
    });
    let body = store.memory(id).content.body;
    let stale: Vec<String> = (0..2)
        .flat_map(|thread| (0..40).map(move |n| format!("word{thread}x{n}")))
        .filter(|word| *word != body && !store.found_by(word).is_empty())
        .collect();
    assert_eq!(stale, Vec::<String>::new());
    assert_eq!(store.found_by(&body), [id]);
    assert_eq!(store.memories().revisions(id).unwrap().len(), 80);
    assert_eq!(store.memory(id).times_seen, 81);
    assert!(store.check().is_sound());
}

#[test]
fn a_superseded_memory_is_hidden_unless_the_filter_includes_it() {
    let mut store = TestStore::new();
    let old = store.note("use postgres", "database choice");
    let newer = store.supersede(old, draft("use sqlite", "database choice"));
    let memory = store.memory(old);
    assert_eq!((memory.standing, memory.content.valid_to), (Standing::Superseded(newer), Some(NOW)));
    assert_eq!(store.found_by("database"), [newer]);
    let any = Filter { standing: StandingFilter::Any, ..everywhere() };
    assert_eq!(store.found(&any_of(&["database"]), &any).len(), 2);
    assert_eq!(store.search().list(&any).unwrap(), [newer, old]);
    assert_eq!(store.search().list(&everywhere()).unwrap(), [newer]);
    assert_eq!(
        store.memories().links(old).unwrap(),
        [Link { from: newer, relation: Relation::Supersedes, to: old }]
    );
    let counts = store.upkeep().status().unwrap().counts;
    assert_eq!((counts.live, counts.superseded), (1, 1));
    let nobody = store.memories_mut().supersede(MemoryId(99), &new(memory.project, draft("x", "y")));
    assert!(matches!(nobody, Err(StoreError::NoSuchMemory(MemoryId(99)))));
    assert_eq!(store.memories().count().unwrap(), 2);
}

#[test]
fn a_superseded_memory_is_not_superseded_again_and_the_one_in_force_is_named() {
    let mut store = TestStore::new();
    let first = store.note("use postgres", "");
    let second = store.supersede(first, draft("use sqlite", ""));
    let third = store.supersede(second, draft("use files", ""));
    for old in [first, second] {
        let by = new(store.project(), draft("use duckdb", ""));
        let again = store.memories_mut().supersede(old, &by);
        assert!(matches!(again, Err(StoreError::Superseded { old: was, by }) if (was, by) == (old, third)));
    }
    assert_eq!(store.memories().count().unwrap(), 3, "nothing was written");
}

#[test]
fn supersession_never_goes_in_a_circle() {
    let mut store = TestStore::new();
    let [a, b, c] = ["a", "b", "c"].map(|title| store.note(title, ""));
    for (old, by) in [(a, b), (b, c), (c, a), (c, c)] {
        store.memories_mut().mark_superseded(old, by, NOW).unwrap();
    }
    assert_eq!(store.memory(c).standing, Standing::Confirmed);
    assert_eq!(store.memory(a).standing, Standing::Superseded(b));
    for (old, by) in [(MemoryId(99), a), (c, MemoryId(99))] {
        let unknown = store.memories_mut().mark_superseded(old, by, NOW);
        assert!(matches!(unknown, Err(StoreError::NoSuchMemory(MemoryId(99)))), "{unknown:?}");
    }
    // What stood between two others is forgotten: the first must not come back to standing.
    store.forget(&[b]);
    assert_eq!(store.memory(a).standing, Standing::Superseded(c));
}

#[test]
fn a_pin_stays_until_it_is_released() {
    let mut store = TestStore::new();
    let id = store.note("a", "b");
    for (pin, is_pinned) in [(Pin::Keep, true), (Pin::Release, false)] {
        store.memories_mut().pin(id, pin).unwrap();
        assert_eq!(store.memory(id).content.pinned, is_pinned);
    }
    assert!(matches!(store.memories_mut().pin(MemoryId(9), Pin::Keep), Err(StoreError::NoSuchMemory(_))));
}

#[test]
fn being_seen_again_makes_a_memory_surer() {
    let mut store = TestStore::new();
    let id = store.remember(Content { confidence: Confidence::DISTILLED, ..draft("a", "b") });
    store.memories_mut().reinforce(id, NOW.plus_ms(1)).unwrap();
    let memory = store.memory(id);
    assert_eq!((memory.times_seen, memory.updated_at), (2, NOW.plus_ms(1)));
    assert_eq!(memory.content.confidence, Confidence::DISTILLED.seen_again());
    assert!(memory.is_intact());
    assert!(matches!(store.memories_mut().reinforce(MemoryId(9), NOW), Err(StoreError::NoSuchMemory(_))));
}

#[test]
fn links_are_kept_once_and_read_from_both_ends() {
    let mut store = TestStore::new();
    let (a, b) = (store.note("a", ""), store.note("b", ""));
    let link = Link { from: a, relation: Relation::Contradicts, to: b };
    store.memories_mut().link(link).unwrap();
    store.memories_mut().link(link).unwrap();
    assert_eq!([a, b].map(|id| store.memories().links(id).unwrap()), [[link], [link]]);
    store.memories_mut().link(Link { to: MemoryId(99), ..link }).unwrap_err();
}

/// Law 9.
#[test]
fn being_shown_is_not_being_used() {
    let mut store = TestStore::new();
    let id = store.note("a", "b");
    let injection = injection(store.project(), SessionId(0), &[id, id], NOW);
    let injection = Injection { session: None, ..injection };
    store.injections_mut().record(&injection).unwrap();
    assert_eq!(store.memory(id).times_used, 0);
    store.injections_mut().mark_used(&[id], UseKind::Fetched, NOW).unwrap();
    let memory = store.memory(id);
    assert_eq!((memory.times_used, memory.last_used_at), (1, Some(NOW)));
    assert_eq!(store.upkeep().status().unwrap().counts.injections, 1);
    let how: String = store.raw().query_row("SELECT used_how FROM injected", [], |row| row.get(0)).unwrap();
    assert_eq!(how, "fetched");
}

#[test]
fn only_the_newest_receipts_are_kept() {
    let mut store = TestStore::new();
    let numbered = |n| receipt(&format!("e{n}"));
    for n in 0..150 {
        store.events_mut().record_with_receipt(&arrival("s", n), &numbered(n)).unwrap();
    }
    store.maintain(KEEP, NOW);
    let kept = store.injections().receipts(1000).unwrap();
    assert_eq!((kept.len(), &kept[0]), (100, &numbered(149)));
}
