//! Searching: any query is allowed, identifiers are found however they are written, and no project sees another's memories (law 8, S12).

use crate::kit::{INDEX_LANGUAGE, any_of, bar, draft, everywhere, new, owned, query_for, within};
use crate::remembering::any_text;
use crate::test_store::TestStore;
use backstory_memory::{Content, Kind, MemoryId, MemoryScope, Timestamp};
use backstory_store::{Filter, Scope, StandingFilter, StoreError, WordQuery};
use proptest::prelude::*;

#[test]
fn any_text_can_be_searched_for() {
    let mut store = TestStore::new();
    store.note("a note", "about nothing");
    proptest!(ProptestConfig::with_cases(512), |(text in any_text(60), file in any_text(12))| {
        let mut query = WordQuery::default();
        query.word(&text);
        query.prefix(&text);
        store.search().exact(&query, &everywhere()).unwrap();
        store.search().exact(&query_for(&text), &Filter { file: Some(file), ..everywhere() }).unwrap();
    });
}

#[test]
fn the_words_of_the_index_language_are_only_words() {
    let mut store = TestStore::new();
    let id = store.note("plain", "alpha near beta and gamma or delta not epsilon title");
    for text in INDEX_LANGUAGE {
        let mut query = WordQuery::default();
        query.word(text);
        query.prefix(text);
        store.search().exact(&query, &everywhere()).unwrap();
    }
    assert_eq!(store.found_by("AND"), [id], "a word like any other");
    assert_eq!(store.found_by("NEAR"), [id]);
    assert!(store.found_by("title:alpha").is_empty(), "a phrase, not a column");
    assert!(store.found(&WordQuery::default(), &everywhere()).is_empty());
}

#[test]
fn a_query_of_a_megabyte_is_answered() {
    let mut store = TestStore::new();
    let id = store.note("needle", "in a haystack");
    let many: String = (0..150_000).map(|n| format!("word{n} ")).collect();
    assert!(many.len() > 1 << 20);
    assert_eq!(store.found(&query_for(&format!("needle {many}")), &everywhere()), [id]);
    for whole in [many, "x".repeat(1 << 20), "数".repeat(1 << 19), "\"".repeat(1 << 20)] {
        let mut query = any_of(&[&whole]);
        query.prefix(&whole);
        store.search().exact(&query, &everywhere()).unwrap();
        store.search().exact(&any_of(&["needle"]), &Filter { file: Some(whole), ..everywhere() }).unwrap();
    }
}

#[test]
fn identifiers_are_found_however_they_are_written() {
    let mut store = TestStore::new();
    let ids = [
        store.note("camel", "call runMigration first"),
        store.note("snake", "call run_migration first"),
        store.note("kebab", "call run-migration first"),
        store.note("words", "how we run the migrations"),
    ];
    for text in ["runMigration", "run_migration", "run migration", "RunMigration"] {
        let mut hits = store.found(&query_for(text), &everywhere());
        hits.sort();
        assert_eq!(hits, ids, "{text}");
    }
    assert_eq!(store.found_by("runmigration").len(), 3, "written together");
}

#[test]
fn scripts_without_spaces_accents_and_endings_are_found() {
    let mut store = TestStore::new();
    let chinese = store.note("数据库迁移必须先备份", "每次部署之前");
    let japanese = store.note("テスト", "データベースを移行する");
    let french = store.note("déploiement", "Étapes nécessaires");
    let english = store.note("migrating", "databases");
    let check = |text, id| assert_eq!(store.found(&query_for(text), &everywhere()), [id], "{text}");
    check("备份", chinese);
    check("数据库", chinese);
    check("データベース", japanese);
    check("deploiement etapes", french);
    check("database migrations", english);
}

#[test]
fn a_prefix_finds_words_by_their_beginning() {
    let mut store = TestStore::new();
    let id = store.note("kubernetes", "cluster");
    let mut query = WordQuery::default();
    query.prefix("kube");
    assert_eq!(store.found(&query, &everywhere()), [id]);
    assert!(store.found_by("kube").is_empty());
}

#[test]
fn a_word_counts_most_in_the_title() {
    let mut store = TestStore::new();
    let body = store.note("something else", "heron lives here");
    let title = store.note("heron", "lives in something else here");
    let hits = store.search().exact(&any_of(&["heron"]), &everywhere()).unwrap();
    assert_eq!([hits[0].memory, hits[1].memory], [title, body]);
    assert!(hits[0].bm25 > hits[1].bm25);
}

/// Law 8, S12.
#[test]
fn no_question_reaches_into_another_project() {
    let vocabulary = ["heron", "egret", "runMigration", "数据库", "src/a.rs", "use"];
    let some = || prop::sample::subsequence(vocabulary.to_vec(), 1..4).prop_map(|words| words.join(" "));
    let memory = (0usize..2, some(), some(), prop::bool::weighted(0.2));
    let memories = prop::collection::vec(memory, 1..12);
    proptest!(ProptestConfig::with_cases(24), |(memories in memories, texts in prop::collection::vec(some(), 5))| {
        let mut store = TestStore::new();
        let projects = [store.project(), store.project_at("/home/u/two")];
        let mut visible = [vec![], vec![]];
        for (owner, title, body, is_users) in memories {
            let scope = if is_users { MemoryScope::User } else { MemoryScope::Project };
            let content = Content { scope, files: vec!["src/a.rs".into()], ..draft(&title, &body) };
            let id = store.remember_in(projects[owner], content);
            visible[owner].push(id);
            if is_users { visible[1 - owner].push(id); }
        }
        for (project, visible) in projects.iter().zip(&visible) {
            let reach = Filter { limit: 100, ..within(*project) };
            let mut listed = store.search().list(&reach).unwrap();
            listed.sort();
            prop_assert_eq!(&listed, visible);
            let by_file = Filter { file: Some("a.rs".into()), ..reach.clone() };
            for text in &texts {
                let hits = store.found(&query_for(text), &reach);
                prop_assert!(hits.iter().all(|id| visible.contains(id)), "{:?} beyond {:?}", hits, visible);
                let expected: Vec<_> = store.found(&query_for(text), &Filter { limit: 100, ..everywhere() })
                    .into_iter().filter(|id| visible.contains(id)).collect();
                prop_assert_eq!(&hits, &expected, "nothing within reach is missing");
                prop_assert_eq!(store.found(&query_for(text), &by_file), expected);
            }
        }
    });
    bar("S12", "24 random pairs of projects in the store: 0 rows of the other, none of its own missing");
}

#[test]
fn common_words_find_what_fits_however_old_it_is() {
    let mut store = TestStore::new();
    let (old, young) = (store.project_at("/home/u/old"), store.project_at("/home/u/young"));
    let of = |project, kind| new(project, Content { kind, ..draft("database connection", "pool") });
    store.memories_mut().remember_all(&[of(old, Kind::Decision)]).unwrap();
    store.memories_mut().remember_all(&vec![of(old, Kind::Note); 2_000]).unwrap();
    store.memories_mut().remember_all(&vec![of(young, Kind::Note); 2_100]).unwrap();
    let query = any_of(&["database", "connection"]);
    let here = within(old);
    assert_eq!(store.found(&query, &here).len(), 20, "a large project beside a busier one");
    for scope in [everywhere(), here] {
        let decisions = Filter { kinds: vec![Kind::Decision], ..scope };
        assert_eq!(store.found(&query, &decisions), [MemoryId(1)]);
    }
    assert_eq!(store.found(&query, &Filter { kinds: vec![Kind::Goal], ..everywhere() }), []);
}

#[test]
fn filters_narrow_what_is_found_and_what_is_listed() {
    let mut store = TestStore::new();
    let home = store.project();
    let mut write = |kind, at, files: &[&str]| {
        let content = Content { kind, files: owned(files), ..draft("heron", &format!("at {at}")) };
        store.remember_at(home, content, Timestamp(at))
    };
    let decision = write(Kind::Decision, 10, &["src/store/open.rs"]);
    let failure = write(Kind::Failure, 20, &["open.rs"]);
    let note = write(Kind::Note, 30, &["src/reopen.rs", "docs/100%_sure.md"]);
    let check = |filter: Filter, expected: &[MemoryId]| {
        assert_eq!(store.search().list(&filter).unwrap(), expected, "{filter:?}");
        let mut hits = store.found(&any_of(&["heron"]), &filter);
        hits.sort_by_key(|id| std::cmp::Reverse(*id));
        assert_eq!(hits, expected, "{filter:?}");
    };
    let file = |name: &str| Filter { file: Some(name.into()), ..everywhere() };
    check(everywhere(), &[note, failure, decision]);
    check(Filter { kinds: vec![Kind::Decision, Kind::Failure], ..everywhere() }, &[failure, decision]);
    check(Filter { since: Some(Timestamp(20)), ..everywhere() }, &[note, failure]);
    check(Filter { until: Some(Timestamp(20)), ..everywhere() }, &[decision]);
    check(file("open.rs"), &[failure, decision]);
    check(file("store/open.rs"), &[decision]);
    check(file("100%_sure.md"), &[note]);
    check(file("100x_sure.md"), &[]);
    check(file("%"), &[]);
    check(Filter { limit: 0, ..everywhere() }, &[]);
    assert_eq!(store.search().list(&Filter { limit: 1, offset: 1, ..everywhere() }).unwrap(), [failure]);
    let all = store.found_by("heron");
    for offset in 0..4 {
        let page = Filter { limit: 2, offset, ..everywhere() };
        let expected: Vec<_> = all.iter().copied().skip(offset as usize).take(2).collect();
        assert_eq!(store.found(&any_of(&["heron"]), &page), expected, "pages do not overlap");
    }
}

#[test]
fn the_timeline_shows_what_was_written_around_a_memory() {
    let mut store = TestStore::new();
    let [one, two] = [store.project(), store.project_at("/home/u/two")];
    let mut at = |project, ms, title: &str| store.remember_at(project, draft(title, ""), Timestamp(ms));
    let late = at(one, 50, "late");
    let [a, b, c] = [at(one, 10, "a"), at(one, 20, "b"), at(one, 20, "c")];
    at(two, 15, "elsewhere");
    assert_eq!(store.search().timeline(b, 5, 5).unwrap(), [a, b, c, late]);
    assert_eq!(store.search().timeline(c, 1, 0).unwrap(), [b, c]);
    assert_eq!(store.search().timeline(a, 0, 1).unwrap(), [a, b]);
    assert!(matches!(store.search().timeline(MemoryId(99), 1, 1), Err(StoreError::NoSuchMemory(_))));
}

#[test]
fn a_filter_matches_the_memories_that_it_lists() {
    let mut store = TestStore::new();
    let (here, there) = (store.project(), store.project_at("/home/u/two"));
    for number in 0..48 {
        let mut content = draft(&format!("memory {number}"), "what it says");
        content.kind = if number % 3 == 0 { Kind::Decision } else { Kind::Note };
        content.scope = if number % 5 == 0 { MemoryScope::User } else { MemoryScope::Project };
        content.files = owned([&[][..], &["src/open.rs"], &["src/reopen.rs"]][number % 3]);
        let at = Timestamp(1_000 + i64::try_from(number % 7).unwrap());
        let place = if number % 2 == 0 { here } else { there };
        store.remember_at(place, content, at);
    }
    let first = store.search().list(&everywhere()).unwrap()[0];
    store.supersede(first, draft("memory 49", "what it says now"));
    let all =
        store.search().list(&Filter { standing: StandingFilter::Any, limit: 100, ..everywhere() }).unwrap();
    let mut fitted = 0;
    let times = [None, Some(Timestamp(1_003))];
    for reach in [Scope::Everywhere, Scope::Project(here), Scope::Project(there)] {
        for (since, until) in times.into_iter().flat_map(|since| times.map(|until| (since, until))) {
            for file in [None, Some("src/open.rs"), Some("open.rs"), Some("pen.rs")] {
                for kinds in [vec![], vec![Kind::Decision], vec![Kind::Note, Kind::Failure]] {
                    let file = file.map(str::to_owned);
                    let filter = Filter { since, until, file, kinds, limit: 100, ..Filter::within(reach) };
                    let listed = store.search().list(&filter).unwrap();
                    assert_eq!(store.search().matching(&all, &filter).unwrap(), listed, "{filter:?}");
                    fitted += listed.len();
                }
            }
        }
    }
    assert!(fitted > 100);
}
