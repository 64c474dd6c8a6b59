//! The structural arm's reads: each finds what has to do with what, within its bounds, and never in another project unasked (law 8).

use crate::kit::{NOW, TestHome, arrival, draft, new, note, project};
use crate::remembering::any_text;
use backstory_memory::{
    Content, Digest, EventId, Kind, Link, MemoryId, MemoryScope, ProjectId, Relation, SessionId,
};
use backstory_store::{
    Anchor, DistilledMemory, Filter, MemoryOrigin, NewMemory, OnRepeat, Scope, SessionNeighbours,
    StandingFilter, Store,
};
use proptest::prelude::*;

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn about(files: &[&str], body: &str) -> Content {
    Content { files: owned(files), ..draft("title", body) }
}

fn remember(store: &mut Store, project: ProjectId, content: Content) -> MemoryId {
    store.memories_mut().remember(&new(project, content)).unwrap()
}

/// A memory that tells of a changed symbol, as work does, and is anchored in it.
fn remember_symbol(store: &mut Store, project: ProjectId, file: &str, symbol: &str) -> MemoryId {
    let body = format!("Modified in {file}: fn {symbol}()");
    let id = remember(store, project, about(&[file], &body));
    let anchor = Anchor { path: file.into(), symbol: Some(symbol.into()), hash: Some(Digest([1; 16])) };
    store.code_mut().replace_anchors(id, &[anchor]).unwrap();
    id
}

fn within(project: ProjectId) -> Filter {
    Filter::within(Scope::Project(project))
}

fn everywhere() -> Filter {
    Filter::within(Scope::Everywhere)
}

/// The session the host calls `name`, in the project at `/home/u/one`.
fn session(store: &mut Store, name: &str) -> SessionId {
    store.events_mut().record(&arrival(name, 1)).unwrap();
    store.sessions().find("test", name).unwrap().unwrap().id
}

fn in_session(store: &mut Store, project: ProjectId, session: SessionId, body: &str) -> MemoryId {
    let origin = MemoryOrigin { session: Some(session), ..MemoryOrigin::default() };
    store.memories_mut().remember(&NewMemory { origin, ..new(project, draft("title", body)) }).unwrap()
}

fn failed(store: &mut Store, project: ProjectId, subject: u8, body: &str) -> MemoryId {
    let session = session(store, "failing");
    let memory = new(project, Content::new(Kind::Failure, "it failed", body));
    let item = DistilledMemory {
        subject: Digest([subject; 16]),
        memory,
        on_repeat: OnRepeat::Reinforce,
        same_as: None,
        replaces: vec![],
        contradicts: vec![],
    };
    store.memories_mut().write_distilled(session, EventId(0), &[item]).unwrap()[0].memory().unwrap()
}

#[test]
fn a_file_is_known_by_its_path_or_the_end_of_it() {
    let test = TestHome::new();
    let mut store = test.open();
    let one = project(&mut store, "/home/u/one");
    let open = remember(&mut store, one, about(&["src/db/open.rs"], "a"));
    let reopen = remember(&mut store, one, about(&["src/db/reopen.rs", "src/open/rs.md"], "b"));
    let both = remember(&mut store, one, about(&["open.rs", "src/db/open.rs"], "c"));
    let check = |asked: &[&str], expected: &[MemoryId]| {
        assert_eq!(store.search().about_files(&owned(asked), &within(one)).unwrap(), expected, "{asked:?}");
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
    let test = TestHome::new();
    let mut store = test.open();
    let one = project(&mut store, "/home/u/one");
    let id = remember(&mut store, one, about(&["src/before.rs"], "a"));
    store.code_mut().move_anchors(one, "src/before.rs", "src/after.rs").unwrap();
    assert_eq!(store.search().about_files(&owned(&["src/after.rs"]), &within(one)).unwrap(), [id]);
    assert_eq!(store.search().about_files(&owned(&["src/before.rs"]), &within(one)).unwrap(), []);
}

#[test]
fn a_symbol_is_known_by_its_name_or_the_last_parts_of_it() {
    let test = TestHome::new();
    let mut store = test.open();
    let one = project(&mut store, "/home/u/one");
    let open = remember_symbol(&mut store, one, "src/store.rs", "Store::open");
    let door = remember_symbol(&mut store, one, "src/door.rb", "Door#open");
    let parse = remember_symbol(&mut store, one, "src/parser.py", "Parser.parse_all");
    // Its words stand there, but it speaks of another place.
    remember(&mut store, one, about(&["src/store.rs"], "Store::open and parse_all are slow"));
    let check = |asked: &[&str], expected: &[MemoryId]| {
        assert_eq!(store.search().about_symbols(&owned(asked), &within(one)).unwrap(), expected, "{asked:?}");
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
    let test = TestHome::new();
    let mut store = test.open();
    let one = project(&mut store, "/home/u/one");
    let id = failed(&mut store, one, 1, "the linker was missing");
    failed(&mut store, one, 2, "the disk was full");
    assert_eq!(
        store.search().with_subjects(&[Digest([1; 16]), Digest([9; 16])], &within(one)).unwrap(),
        [id]
    );
    assert_eq!(store.search().with_subjects(&[], &within(one)).unwrap(), []);
}

#[test]
fn links_are_followed_one_step_both_ways() {
    let test = TestHome::new();
    let mut store = test.open();
    let ids: Vec<MemoryId> = (0..4).map(|n| note(&mut store, "title", &format!("body {n}"))).collect();
    let one = project(&mut store, "/home/u/one");
    let relate = |from: usize, to: usize| Link { from: ids[from], relation: Relation::Relates, to: ids[to] };
    let links = [relate(0, 1), relate(1, 2), relate(2, 3)];
    links.into_iter().for_each(|link| store.memories_mut().link(link).unwrap());
    assert_eq!(store.search().linked(&[ids[1]], &within(one)).unwrap(), links[..2]);
    // A link between two that are asked for is told once.
    assert_eq!(store.search().linked(&[ids[1], ids[2]], &within(one)).unwrap(), links);
    assert_eq!(store.search().linked(&[], &within(one)).unwrap(), []);
}

#[test]
fn the_neighbours_of_a_memory_are_of_its_session() {
    let test = TestHome::new();
    let mut store = test.open();
    let one = project(&mut store, "/home/u/one");
    let (here, there) = (session(&mut store, "here"), session(&mut store, "there"));
    let first = in_session(&mut store, one, here, "a");
    let other = in_session(&mut store, one, there, "b");
    let second = in_session(&mut store, one, here, "c");
    let alone = note(&mut store, "title", "of no session");
    let third = in_session(&mut store, one, here, "d");
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
    // What was replaced is passed over, unless asked for.
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
fn found(store: &Store, from: &[MemoryId], filter: &Filter) -> [Vec<MemoryId>; 5] {
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
fn remember_everyhow(store: &mut Store, project: ProjectId, from: MemoryId, content: Content) -> MemoryId {
    let session = session(store, "shared");
    let content =
        Content { files: owned(&["src/open.rs"]), body: format!("fn open {}", content.body), ..content };
    let item = DistilledMemory {
        subject: Digest([7; 16]),
        memory: NewMemory {
            origin: MemoryOrigin { session: Some(session), ..MemoryOrigin::default() },
            ..new(project, content)
        },
        on_repeat: OnRepeat::Reinforce,
        same_as: None,
        replaces: vec![],
        contradicts: vec![],
    };
    let id = store.memories_mut().write_distilled(session, EventId(0), &[item]).unwrap()[0].memory().unwrap();
    let anchor = Anchor { path: "src/open.rs".into(), symbol: Some("Store::open".into()), hash: None };
    store.code_mut().replace_anchors(id, &[anchor]).unwrap();
    store.memories_mut().link(Link { from, relation: Relation::Relates, to: id }).unwrap();
    id
}

#[test]
fn law_8_structure_does_not_leak_into_another_project() {
    let test = TestHome::new();
    let mut store = test.open();
    let (one, two) = (project(&mut store, "/home/u/one"), project(&mut store, "/home/u/two"));
    let shared = session(&mut store, "shared");
    let from = in_session(&mut store, one, shared, "asked from here");
    let theirs = remember_everyhow(&mut store, two, from, draft("title", "theirs"));
    assert_eq!(found(&store, &[from], &within(one)), [const { Vec::new() }; 5]);
    assert_eq!(found(&store, &[from], &everywhere()), [(); 5].map(|()| vec![theirs]));
    // What holds for the user everywhere is seen here too.
    let three = project(&mut store, "/home/u/three");
    let for_all = Content { scope: MemoryScope::User, ..draft("title", "for all") };
    let for_all = remember_everyhow(&mut store, three, from, for_all);
    assert_eq!(found(&store, &[from], &within(one)), [(); 5].map(|()| vec![for_all]));
}

#[test]
fn what_is_found_is_what_the_filter_lets_through() {
    let test = TestHome::new();
    let mut store = test.open();
    let one = project(&mut store, "/home/u/one");
    let shared = session(&mut store, "shared");
    let from = in_session(&mut store, one, shared, "asked from here");
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
    let by = note(&mut store, "title", "what holds now");
    store.memories_mut().mark_superseded(id, by, NOW).unwrap();
    assert_eq!(found(&store, &[from], &within(one)), none);
    assert_eq!(found(&store, &[from], &Filter { standing: StandingFilter::Any, ..within(one) }), all);
}

#[test]
fn any_name_can_be_asked() {
    let test = TestHome::new();
    let mut store = test.open();
    let one = project(&mut store, "/home/u/one");
    remember_symbol(&mut store, one, "src/store.rs", "Store::open");
    proptest!(ProptestConfig::with_cases(256), |(text in any_text(40))| {
        let names = [text];
        store.search().about_files(&names, &within(one)).unwrap();
        store.search().about_symbols(&names, &within(one)).unwrap();
    });
}
