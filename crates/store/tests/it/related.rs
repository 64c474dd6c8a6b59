//! The structural arm's reads: each finds what has to do with what, within its bounds, and never in another project unasked (law 8).

use crate::kit::{NOW, about, draft, everywhere, new, new_in_session, owned, within};
use crate::remembering::any_text;
use crate::test_store::TestStore;
use backstory_memory::{
    Content, Digest, Kind, Link, MemoryId, MemoryScope, ProjectId, Redacted, Relation, SessionId,
};
use backstory_store::{Anchor, Filter, SessionNeighbours, StandingFilter};
use proptest::prelude::*;

/// A memory about a changed symbol, anchored in it, as distilled work is.
fn remember_symbol(store: &mut TestStore, file: &str, symbol: &str) -> MemoryId {
    let body = format!("Modified in {file}: fn {symbol}()");
    let id = store.remember(about(&[file], &body));
    let anchor = Anchor { path: file.into(), symbol: Some(symbol.into()), hash: Some(Digest([1; 16])) };
    store.code_mut().replace_anchors(id, &Redacted::vouch(vec![anchor])).unwrap();
    id
}

fn in_session(store: &mut TestStore, session: SessionId, body: &str) -> MemoryId {
    let memory = new_in_session(store.project(), session, draft("title", body));
    store.memories_mut().remember(&memory).unwrap()
}

fn failed(store: &mut TestStore, subject: u8, body: &str) -> MemoryId {
    let memory = new(store.project(), Content::new(Kind::Failure, "it failed", body));
    let session = store.session("failing");
    store.distil(session, Digest([subject; 16]), memory).memory().unwrap()
}

#[test]
fn a_file_is_known_by_its_path_or_the_end_of_it() {
    let mut store = TestStore::new();
    let one = store.project();
    let open = store.remember(about(&["src/db/open.rs"], "a"));
    let reopen = store.remember(about(&["src/db/reopen.rs", "src/open/rs.md"], "b"));
    let both = store.remember(about(&["open.rs", "src/db/open.rs"], "c"));
    let check = |names: &[&str], expected: &[MemoryId]| {
        assert_eq!(store.search().about_files(&owned(names), &within(one)).unwrap(), expected, "{names:?}");
    };
    check(&["src/db/open.rs"], &[both, open]);
    check(&["db/open.rs"], &[both, open]);
    check(&["open.rs"], &[both, open]);
    check(&["reopen.rs", "open.rs"], &[both, reopen, open]);
    check(&["pen.rs"], &[]);
    check(&["b/open.rs"], &[]);
    check(&["other/src/db/open.rs"], &[]);
    check(&["", "/", "\"", "*"], &[]);
    check(&[], &[]);
    let newest = Filter { limit: 1, ..within(one) };
    assert_eq!(store.search().about_files(&owned(&["open.rs"]), &newest).unwrap(), [both]);
}

#[test]
fn a_file_that_was_moved_is_known_by_its_name_of_today() {
    let mut store = TestStore::new();
    let one = store.project();
    let id = store.remember(about(&["src/before.rs"], "a"));
    store.code_mut().move_anchors(one, "src/before.rs", &Redacted::vouch("src/after.rs".into())).unwrap();
    assert_eq!(store.search().about_files(&owned(&["src/after.rs"]), &within(one)).unwrap(), [id]);
    assert_eq!(store.search().about_files(&owned(&["src/before.rs"]), &within(one)).unwrap(), []);
}

#[test]
fn a_symbol_is_known_by_its_name_or_the_last_parts_of_it() {
    let mut store = TestStore::new();
    let one = store.project();
    let open = remember_symbol(&mut store, "src/store.rs", "Store::open");
    let door = remember_symbol(&mut store, "src/door.rb", "Door#open");
    let parse = remember_symbol(&mut store, "src/parser.py", "Parser.parse_all");
    // Its words stand there, but it speaks of another place.
    store.remember(about(&["src/store.rs"], "Store::open and parse_all are slow"));
    let check = |names: &[&str], expected: &[MemoryId]| {
        assert_eq!(store.search().about_symbols(&owned(names), &within(one)).unwrap(), expected, "{names:?}");
    };
    check(&["Store::open"], &[open]);
    check(&["Store.open"], &[open]);
    check(&["open"], &[door, open]);
    check(&["parse_all"], &[parse]);
    check(&["parse"], &[]);
    check(&["Shop::Store::open"], &[]);
    check(&["", "::", "\"*"], &[]);
}

#[test]
fn a_failure_is_known_by_its_subject() {
    let mut store = TestStore::new();
    let one = store.project();
    let id = failed(&mut store, 1, "the linker was missing");
    failed(&mut store, 2, "the disk was full");
    assert_eq!(
        store.search().with_subjects(&[Digest([1; 16]), Digest([9; 16])], &within(one)).unwrap(),
        [id]
    );
    assert_eq!(store.search().with_subjects(&[], &within(one)).unwrap(), []);
}

#[test]
fn links_are_followed_one_step_both_ways() {
    let mut store = TestStore::new();
    let ids: Vec<MemoryId> = (0..4).map(|n| store.note("title", &format!("body {n}"))).collect();
    let one = store.project();
    let relate = |from: usize, to: usize| Link { from: ids[from], relation: Relation::Relates, to: ids[to] };
    let links = [relate(0, 1), relate(1, 2), relate(2, 3)];
    links.into_iter().for_each(|link| store.memories_mut().link(link).unwrap());
    assert_eq!(store.search().linked(&[ids[1]], &within(one)).unwrap(), links[..2]);
    // A link between two of the memories is returned once.
    assert_eq!(store.search().linked(&[ids[1], ids[2]], &within(one)).unwrap(), links);
    assert_eq!(store.search().linked(&[], &within(one)).unwrap(), []);
}

#[test]
fn the_neighbours_of_a_memory_are_of_its_session() {
    let mut store = TestStore::new();
    let one = store.project();
    let (here, there) = (store.session("here"), store.session("there"));
    let first = in_session(&mut store, here, "a");
    let other = in_session(&mut store, there, "b");
    let second = in_session(&mut store, here, "c");
    let alone = store.note("title", "of no session");
    let third = in_session(&mut store, here, "d");
    let neighbours = |of, before, after| SessionNeighbours { memory: of, before, after };
    assert_eq!(
        store
            .search()
            .session_neighbours(&[second, first, alone, other, MemoryId(99)], &within(one))
            .unwrap(),
        [
            neighbours(second, Some(first), Some(third)),
            neighbours(first, None, Some(second)),
            neighbours(alone, None, None),
            neighbours(other, None, None),
            neighbours(MemoryId(99), None, None),
        ]
    );
    // A superseded memory is skipped, unless the filter includes it.
    store.memories_mut().mark_superseded(second, alone, NOW).unwrap();
    assert_eq!(
        store.search().session_neighbours(&[first], &within(one)).unwrap(),
        [neighbours(first, None, Some(third))]
    );
    let any = Filter { standing: StandingFilter::Any, ..within(one) };
    assert_eq!(
        store.search().session_neighbours(&[first], &any).unwrap(),
        [neighbours(first, None, Some(second))]
    );
}

/// Everything the structural arm finds from the same hints.
fn found(store: &TestStore, from: &[MemoryId], filter: &Filter) -> [Vec<MemoryId>; 5] {
    let linked = store.search().linked(from, filter).unwrap();
    let other_end = |link: &Link| if from.contains(&link.from) { link.to } else { link.from };
    let around = store.search().session_neighbours(from, filter).unwrap();
    [
        store.search().about_files(&owned(&["open.rs"]), filter).unwrap(),
        store.search().about_symbols(&owned(&["open"]), filter).unwrap(),
        store.search().with_subjects(&[Digest([7; 16])], filter).unwrap(),
        linked.iter().map(other_end).collect(),
        around.iter().flat_map(|near| [near.before, near.after]).flatten().collect(),
    ]
}

/// A memory that every part of the arm finds from `from`.
fn remember_everyhow(
    store: &mut TestStore,
    project: ProjectId,
    from: MemoryId,
    content: Content,
) -> MemoryId {
    let session = store.session("shared");
    let body = format!("fn open {}", content.body);
    let content = Content { files: owned(&["src/open.rs"]), body, ..content };
    let memory = new_in_session(project, session, content);
    let id = store.distil(session, Digest([7; 16]), memory).memory().unwrap();
    let anchor = Anchor { path: "src/open.rs".into(), symbol: Some("Store::open".into()), hash: None };
    store.code_mut().replace_anchors(id, &Redacted::vouch(vec![anchor])).unwrap();
    store.memories_mut().link(Link { from, relation: Relation::Relates, to: id }).unwrap();
    id
}

#[test]
fn law_8_structure_does_not_leak_into_another_project() {
    let mut store = TestStore::new();
    let (one, two) = (store.project(), store.project_at("/home/u/two"));
    let shared = store.session("shared");
    let from = in_session(&mut store, shared, "the query is made here");
    let theirs = remember_everyhow(&mut store, two, from, draft("title", "theirs"));
    assert_eq!(found(&store, &[from], &within(one)), [const { Vec::new() }; 5]);
    assert_eq!(found(&store, &[from], &everywhere()), [(); 5].map(|()| vec![theirs]));
    // What holds for the user everywhere is seen here too.
    let three = store.project_at("/home/u/three");
    let for_all = Content { scope: MemoryScope::User, ..draft("title", "for all") };
    let for_all = remember_everyhow(&mut store, three, from, for_all);
    assert_eq!(found(&store, &[from], &within(one)), [(); 5].map(|()| vec![for_all]));
}

#[test]
fn what_is_found_is_what_the_filter_lets_through() {
    let mut store = TestStore::new();
    let one = store.project();
    let shared = store.session("shared");
    let from = in_session(&mut store, shared, "the query is made here");
    let id = remember_everyhow(&mut store, one, from, draft("title", "a note"));
    let (all, none) = ([(); 5].map(|()| vec![id]), [const { Vec::new() }; 5]);
    let later = NOW.plus_ms(1);
    for (filter, expected) in [
        (within(one), &all),
        (Filter { kinds: vec![Kind::Note], ..within(one) }, &all),
        (Filter { kinds: vec![Kind::Decision], ..within(one) }, &none),
        (Filter { since: Some(NOW), until: Some(later), ..within(one) }, &all),
        (Filter { since: Some(later), ..within(one) }, &none),
        (Filter { until: Some(NOW), ..within(one) }, &none),
        (Filter { file: Some("open.rs".into()), ..within(one) }, &all),
        (Filter { file: Some("shut.rs".into()), ..within(one) }, &none),
    ] {
        assert_eq!(found(&store, &[from], &filter), *expected, "{filter:?}");
    }
    let by = store.note("title", "what holds now");
    store.memories_mut().mark_superseded(id, by, NOW).unwrap();
    assert_eq!(found(&store, &[from], &within(one)), none);
    assert_eq!(found(&store, &[from], &Filter { standing: StandingFilter::Any, ..within(one) }), all);
}

#[test]
fn any_name_can_be_searched_for() {
    let mut store = TestStore::new();
    let one = store.project();
    remember_symbol(&mut store, "src/store.rs", "Store::open");
    proptest!(ProptestConfig::with_cases(256), |(text in any_text(40))| {
        let names = [text];
        store.search().about_files(&names, &within(one)).unwrap();
        store.search().about_symbols(&names, &within(one)).unwrap();
    });
}
