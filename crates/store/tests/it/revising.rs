//! Changing memories: what they said before is kept, what replaces them is known, and the word index follows.

use crate::kit::{KEEP, NOW, TestHome, any_of, arrival, draft, new, note, project, raw};
use backstory_memory::{
    Confidence, Injected, Injection, Link, MemoryId, Moment, Relation, Standing, Timestamp, Tokens,
};
use backstory_store::{CheckDepth, Filter, Pin, Receipt, Scope, StandingFilter, Store, StoreError, UseKind};

fn found(store: &Store, word: &str) -> Vec<MemoryId> {
    let hits = store.search().exact(&any_of(&[word]), &Filter::within(Scope::Everywhere)).unwrap();
    hits.iter().map(|hit| hit.memory).collect()
}

#[test]
fn a_revised_memory_keeps_what_it_said_and_is_found_by_what_it_says() {
    let test = TestHome::new();
    let mut store = test.open();
    let id = note(&mut store, "first", "about herons");
    for (n, body) in ["about egrets", "about bitterns"].iter().enumerate() {
        store.memories_mut().revise(id, &draft("next", body), Timestamp(n as i64)).unwrap();
    }
    assert_eq!(
        (found(&store, "herons"), found(&store, "egrets"), found(&store, "bitterns")),
        (vec![], vec![], vec![id])
    );
    let said: Vec<(u32, String, i64)> = store
        .memories()
        .revisions(id)
        .unwrap()
        .into_iter()
        .map(|r| (r.revision, r.body, r.until.0))
        .collect();
    assert_eq!(said, [(2, "about egrets".into(), 1), (1, "about herons".into(), 0)]);
    let memory = store.memories().get(id).unwrap().unwrap();
    assert_eq!(
        (memory.content.body.as_str(), memory.updated_at, memory.created_at),
        ("about bitterns", Timestamp(1), NOW)
    );
    assert!(matches!(
        store.memories_mut().revise(MemoryId(9), &draft("", ""), NOW),
        Err(StoreError::NoSuchMemory(_))
    ));
}

/// Of a damaged memory nobody knows which words the index holds for it.
#[test]
fn a_damaged_memory_is_revised_merged_and_forgotten_without_a_stale_word() {
    type Act = fn(&mut Store, MemoryId);
    let acts: [Act; 3] = [
        |store, id| store.memories_mut().revise(id, &draft("title", "sound again"), NOW).unwrap(),
        |store, id| drop(store.memories_mut().forget(&[id], NOW).unwrap()),
        |store, _| {
            let (from, into) = (project(store, "/home/u/one"), project(store, "/home/u/two"));
            store.projects_mut().merge(from, into).unwrap();
        },
    ];
    for act in acts {
        let test = TestHome::new();
        let mut store = test.open();
        let (id, other) =
            (note(&mut store, "title", "about herons"), note(&mut store, "other", "about egrets"));
        raw(&test.home).execute("UPDATE memories SET body = 'about hexons' WHERE id = ?1", [id.0]).unwrap();
        act(&mut store, id);
        assert_eq!((found(&store, "herons"), found(&store, "egrets")), (vec![], vec![other]));
        assert!(store.upkeep().check(CheckDepth::Full).unwrap().words.is_none());
    }
}

/// Two processes that revise one memory must not each take the other's words for their own.
#[test]
fn revisions_that_race_leave_the_word_index_right() {
    let test = TestHome::new();
    let mut store = test.open();
    let id = note(&mut store, "start", "start");
    std::thread::scope(|scope| {
        for thread in 0..2 {
            let home = test.home.clone();
            scope.spawn(move || {
                let mut store = Store::open(&home, backstory_store::Purpose::Command, NOW).unwrap();
                for n in 0..40 {
                    store
                        .memories_mut()
                        .revise(id, &draft("turn", &format!("word{thread}x{n}")), NOW)
                        .unwrap();
                    store.memories_mut().reinforce(id, NOW).unwrap();
                }
            });
        }
    });
    let body = store.memories().get(id).unwrap().unwrap().content.body;
    let stale: Vec<String> = (0..2)
        .flat_map(|thread| (0..40).map(move |n| format!("word{thread}x{n}")))
        .filter(|word| *word != body && !found(&store, word).is_empty())
        .collect();
    assert_eq!(stale, Vec::<String>::new());
    assert_eq!(found(&store, &body), [id]);
    assert_eq!(store.memories().revisions(id).unwrap().len(), 80);
    assert_eq!(store.memories().get(id).unwrap().unwrap().times_seen, 81);
    assert!(store.upkeep().check(CheckDepth::Full).unwrap().is_sound());
}

#[test]
fn a_superseded_memory_is_hidden_unless_asked_for() {
    let test = TestHome::new();
    let mut store = test.open();
    let old = note(&mut store, "use postgres", "database choice");
    let project = project(&mut store, "/home/u/one");
    let newer =
        store.memories_mut().supersede(old, &new(project, draft("use sqlite", "database choice"))).unwrap();
    assert_eq!(store.memories().get(old).unwrap().unwrap().standing, Standing::Superseded(newer));
    assert_eq!(store.memories().get(old).unwrap().unwrap().content.valid_to, Some(NOW));
    assert_eq!(found(&store, "database"), [newer]);
    let any = Filter { standing: StandingFilter::Any, ..Filter::within(Scope::Everywhere) };
    assert_eq!(store.search().exact(&any_of(&["database"]), &any).unwrap().len(), 2);
    assert_eq!(store.search().list(&any).unwrap(), [newer, old]);
    assert_eq!(store.search().list(&Filter::within(Scope::Everywhere)).unwrap(), [newer]);
    assert_eq!(
        store.memories().links(old).unwrap(),
        [Link { from: newer, relation: Relation::Supersedes, to: old }]
    );
    let counts = store.upkeep().status().unwrap().counts;
    assert_eq!((counts.live, counts.superseded), (1, 1));
    let nobody = store.memories_mut().supersede(MemoryId(99), &new(project, draft("x", "y")));
    assert!(matches!(nobody, Err(StoreError::NoSuchMemory(MemoryId(99)))));
    assert_eq!(store.memories().count().unwrap(), 2);
}

#[test]
fn what_is_superseded_is_not_superseded_again_and_what_holds_is_named() {
    let test = TestHome::new();
    let mut store = test.open();
    let first = note(&mut store, "use postgres", "");
    let project = project(&mut store, "/home/u/one");
    let second = store.memories_mut().supersede(first, &new(project, draft("use sqlite", ""))).unwrap();
    let third = store.memories_mut().supersede(second, &new(project, draft("use files", ""))).unwrap();
    for old in [first, second] {
        let again = store.memories_mut().supersede(old, &new(project, draft("use duckdb", "")));
        assert!(matches!(again, Err(StoreError::Superseded { old: was, by }) if (was, by) == (old, third)));
    }
    assert_eq!(store.memories().count().unwrap(), 3, "nothing was written");
}

#[test]
fn supersession_never_goes_in_a_circle() {
    let test = TestHome::new();
    let mut store = test.open();
    let [a, b, c] = ["a", "b", "c"].map(|title| note(&mut store, title, ""));
    store.memories_mut().mark_superseded(a, b, NOW).unwrap();
    store.memories_mut().mark_superseded(b, c, NOW).unwrap();
    store.memories_mut().mark_superseded(c, a, NOW).unwrap();
    store.memories_mut().mark_superseded(c, c, NOW).unwrap();
    assert_eq!(store.memories().get(c).unwrap().unwrap().standing, Standing::Confirmed);
    assert_eq!(store.memories().get(a).unwrap().unwrap().standing, Standing::Superseded(b));
    for (old, by) in [(MemoryId(99), a), (c, MemoryId(99))] {
        let unknown = store.memories_mut().mark_superseded(old, by, NOW);
        assert!(matches!(unknown, Err(StoreError::NoSuchMemory(MemoryId(99)))), "{unknown:?}");
    }
    // What stood between two others is forgotten: the first must not come back to standing.
    store.memories_mut().forget(&[b], NOW).unwrap();
    assert_eq!(store.memories().get(a).unwrap().unwrap().standing, Standing::Superseded(c));
}

#[test]
fn a_pin_stays_until_it_is_released() {
    let test = TestHome::new();
    let mut store = test.open();
    let id = note(&mut store, "a", "b");
    store.memories_mut().pin(id, Pin::Keep).unwrap();
    assert!(store.memories().get(id).unwrap().unwrap().content.pinned);
    store.memories_mut().pin(id, Pin::Release).unwrap();
    assert!(!store.memories().get(id).unwrap().unwrap().content.pinned);
    assert!(matches!(store.memories_mut().pin(MemoryId(9), Pin::Keep), Err(StoreError::NoSuchMemory(_))));
}

#[test]
fn meeting_it_again_makes_a_memory_surer() {
    let test = TestHome::new();
    let mut store = test.open();
    let project = project(&mut store, "/home/u/one");
    let content = backstory_memory::Content { confidence: Confidence::DISTILLED, ..draft("a", "b") };
    let id = store.memories_mut().remember(&new(project, content)).unwrap();
    store.memories_mut().reinforce(id, NOW.plus_ms(1)).unwrap();
    let memory = store.memories().get(id).unwrap().unwrap();
    assert_eq!((memory.times_seen, memory.updated_at), (2, NOW.plus_ms(1)));
    assert_eq!(memory.content.confidence, Confidence::DISTILLED.seen_again());
    assert!(memory.is_intact());
    assert!(matches!(store.memories_mut().reinforce(MemoryId(9), NOW), Err(StoreError::NoSuchMemory(_))));
}

#[test]
fn links_are_kept_once_and_read_from_both_ends() {
    let test = TestHome::new();
    let mut store = test.open();
    let (a, b) = (note(&mut store, "a", ""), note(&mut store, "b", ""));
    let link = Link { from: a, relation: Relation::Contradicts, to: b };
    store.memories_mut().link(link).unwrap();
    store.memories_mut().link(link).unwrap();
    assert_eq!(
        (store.memories().links(a).unwrap(), store.memories().links(b).unwrap()),
        (vec![link], vec![link])
    );
    store.memories_mut().link(Link { to: MemoryId(99), ..link }).unwrap_err();
}

/// Law 9.
#[test]
fn being_shown_is_not_being_used() {
    let test = TestHome::new();
    let mut store = test.open();
    let id = note(&mut store, "a", "b");
    let project = project(&mut store, "/home/u/one");
    let given = Injected {
        memory: id,
        section: "relevant".into(),
        rank: 1,
        score: 0.5,
        tokens: Tokens(7),
        reasons: vec!["words".into()],
    };
    let injection = Injection {
        project,
        session: None,
        moment: Moment::Prompt,
        at: NOW,
        tokens: Tokens(20),
        budget: Tokens(600),
        bytes: 80,
        build_us: 900,
        sections: vec!["index".into()],
        sections_skipped: vec![],
        text: "told".into(),
        shingles: backstory_memory::Shingles::default(),
        memories: vec![given.clone(), given],
    };
    store.injections_mut().record(&injection).unwrap();
    assert_eq!(store.memories().get(id).unwrap().unwrap().times_used, 0);
    store.injections_mut().mark_used(&[id], UseKind::Fetched, NOW).unwrap();
    let memory = store.memories().get(id).unwrap().unwrap();
    assert_eq!((memory.times_used, memory.last_used_at), (1, Some(NOW)));
    assert_eq!(store.upkeep().status().unwrap().counts.injections, 1);
    let how: String =
        raw(&test.home).query_row("SELECT used_how FROM injected", [], |row| row.get(0)).unwrap();
    assert_eq!(how, "fetched");
}

#[test]
fn receipts_prove_life_and_do_not_pile_up() {
    let test = TestHome::new();
    let mut store = test.open();
    let receipt = |n| Receipt {
        host: "test".into(),
        event: format!("e{n}"),
        at: NOW,
        duration_us: 1,
        bytes_in: 2,
        bytes_out: 3,
        outcome: "stored".into(),
        missing_fields: Vec::new(),
    };
    for n in 0..150 {
        store.events_mut().record_with_receipt(&arrival("s", n), &receipt(n)).unwrap();
    }
    store.upkeep_mut().maintain(KEEP, NOW).unwrap();
    let kept = store.injections().receipts(1000).unwrap();
    assert_eq!((kept.len(), kept[0].clone()), (100, receipt(149)));
}
