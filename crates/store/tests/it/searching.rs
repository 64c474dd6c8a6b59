//! Finding: any question is allowed, identifiers meet, and no project sees another's memories (law 8, S12).

use crate::kit::{TestHome, any_of, bar, draft, new, note, project};
use crate::remembering::any_text;
use backstory_memory::{Content, Kind, MemoryId, MemoryScope, Timestamp, identifier_terms, words};
use backstory_store::{Filter, NewMemory, Scope, StandingFilter, Store, StoreError, WordQuery};
use proptest::prelude::*;

/// As `recall` asks: the words themselves and what the index calls their companions.
fn question(text: &str) -> WordQuery {
    let mut query = WordQuery::default();
    words(text).for_each(|word| query.word(&word));
    identifier_terms(text).split(' ').for_each(|word| query.word(word));
    query
}

fn found(store: &Store, query: &WordQuery, filter: &Filter) -> Vec<MemoryId> {
    store.search().exact(query, filter).unwrap().iter().map(|hit| hit.memory).collect()
}

fn everywhere() -> Filter {
    Filter::within(Scope::Everywhere)
}

#[test]
fn any_text_can_be_asked() {
    let test = TestHome::new();
    let mut store = test.open();
    note(&mut store, "a note", "about nothing");
    proptest!(ProptestConfig::with_cases(512), |(text in any_text(60), file in any_text(12))| {
        let mut query = WordQuery::default();
        query.word(&text);
        query.prefix(&text);
        store.search().exact(&query, &everywhere()).unwrap();
        store.search().exact(&question(&text), &Filter { file: Some(file), ..everywhere() }).unwrap();
    });
}

#[test]
fn the_words_of_the_index_language_are_only_words() {
    let test = TestHome::new();
    let mut store = test.open();
    let id = note(&mut store, "plain", "alpha near beta and gamma or delta not epsilon title");
    for text in [
        "\"",
        "\"\"",
        "*",
        "a*",
        "NEAR(alpha beta)",
        "AND",
        "alpha AND",
        "NOT epsilon",
        "OR OR",
        "^alpha",
        "title:alpha",
        "{title body}: x",
        "-",
        "alpha + beta",
        "\0",
        "al\0pha",
        "(",
        ")",
        "alpha\"beta",
        "\u{345}",
        "''",
    ] {
        let mut query = WordQuery::default();
        query.word(text);
        query.prefix(text);
        store.search().exact(&query, &everywhere()).unwrap();
    }
    assert_eq!(found(&store, &any_of(&["AND"]), &everywhere()), [id], "a word like any other");
    assert_eq!(found(&store, &any_of(&["NEAR"]), &everywhere()), [id]);
    assert!(found(&store, &any_of(&["title:alpha"]), &everywhere()).is_empty(), "a phrase, not a column");
    assert!(found(&store, &WordQuery::default(), &everywhere()).is_empty());
}

#[test]
fn a_question_of_a_megabyte_is_answered() {
    let test = TestHome::new();
    let mut store = test.open();
    let id = note(&mut store, "needle", "in a haystack");
    let many: String = (0..150_000).map(|n| format!("word{n} ")).collect();
    assert!(many.len() > 1 << 20);
    assert_eq!(found(&store, &question(&format!("needle {many}")), &everywhere()), [id]);
    for whole in [many, "x".repeat(1 << 20), "数".repeat(1 << 19), "\"".repeat(1 << 20)] {
        let mut query = any_of(&[&whole]);
        query.prefix(&whole);
        store.search().exact(&query, &everywhere()).unwrap();
        store.search().exact(&any_of(&["needle"]), &Filter { file: Some(whole), ..everywhere() }).unwrap();
    }
}

#[test]
fn identifiers_meet_however_they_are_written() {
    let test = TestHome::new();
    let mut store = test.open();
    let ids = [
        note(&mut store, "camel", "call runMigration first"),
        note(&mut store, "snake", "call run_migration first"),
        note(&mut store, "kebab", "call run-migration first"),
        note(&mut store, "words", "how we run the migrations"),
    ];
    for asked in ["runMigration", "run_migration", "run migration", "RunMigration"] {
        let mut hits = found(&store, &question(asked), &everywhere());
        hits.sort();
        assert_eq!(hits, ids, "{asked}");
    }
    assert_eq!(found(&store, &any_of(&["runmigration"]), &everywhere()).len(), 3, "written together");
}

#[test]
fn scripts_without_spaces_accents_and_endings_are_found() {
    let test = TestHome::new();
    let mut store = test.open();
    let chinese = note(&mut store, "数据库迁移必须先备份", "每次部署之前");
    let japanese = note(&mut store, "テスト", "データベースを移行する");
    let french = note(&mut store, "déploiement", "Étapes nécessaires");
    let english = note(&mut store, "migrating", "databases");
    let check = |asked, id| assert_eq!(found(&store, &question(asked), &everywhere()), [id], "{asked}");
    check("备份", chinese);
    check("数据库", chinese);
    check("データベース", japanese);
    check("deploiement etapes", french);
    check("database migrations", english);
}

#[test]
fn the_beginning_of_a_word_is_enough_when_asked_so() {
    let test = TestHome::new();
    let mut store = test.open();
    let id = note(&mut store, "kubernetes", "cluster");
    let mut query = WordQuery::default();
    query.prefix("kube");
    assert_eq!(found(&store, &query, &everywhere()), [id]);
    assert!(found(&store, &any_of(&["kube"]), &everywhere()).is_empty());
}

#[test]
fn a_word_counts_most_in_the_title() {
    let test = TestHome::new();
    let mut store = test.open();
    let body = note(&mut store, "something else", "heron lives here");
    let title = note(&mut store, "heron", "lives in something else here");
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
    proptest!(ProptestConfig::with_cases(24), |(memories in memories, asked in prop::collection::vec(some(), 5))| {
        let test = TestHome::new();
        let mut store = test.open();
        let projects = [project(&mut store, "/home/u/one"), project(&mut store, "/home/u/two")];
        let mut visible = [vec![], vec![]];
        for (owner, title, body, is_users) in memories {
            let scope = if is_users { MemoryScope::User } else { MemoryScope::Project };
            let content = Content { scope, files: vec!["src/a.rs".into()], ..draft(&title, &body) };
            let id = store.memories_mut().remember(&new(projects[owner], content)).unwrap();
            visible[owner].push(id);
            if is_users { visible[1 - owner].push(id); }
        }
        for (project, visible) in projects.iter().zip(&visible) {
            let reach = Filter { limit: 100, ..Filter::within(Scope::Project(*project)) };
            let mut listed = store.search().list(&reach).unwrap();
            listed.sort();
            prop_assert_eq!(&listed, visible);
            let by_file = Filter { file: Some("a.rs".into()), ..reach.clone() };
            for text in &asked {
                let hits = found(&store, &question(text), &reach);
                prop_assert!(hits.iter().all(|id| visible.contains(id)), "{:?} beyond {:?}", hits, visible);
                let expected: Vec<_> = found(&store, &question(text), &Filter { limit: 100, ..everywhere() })
                    .into_iter().filter(|id| visible.contains(id)).collect();
                prop_assert_eq!(&hits, &expected, "nothing within reach is missing");
                prop_assert_eq!(found(&store, &question(text), &by_file), expected);
            }
        }
    });
    bar("S12", "24 random pairs of projects in the store: 0 rows of the other, none of its own missing");
}

#[test]
fn common_words_find_what_fits_however_old_it_is() {
    let test = TestHome::new();
    let mut store = test.open();
    let (old, young) = (project(&mut store, "/home/u/old"), project(&mut store, "/home/u/young"));
    let of = |project, kind| new(project, Content { kind, ..draft("database connection", "pool") });
    store.memories_mut().remember_all(&[of(old, Kind::Decision)]).unwrap();
    store.memories_mut().remember_all(&vec![of(old, Kind::Note); 2_000]).unwrap();
    store.memories_mut().remember_all(&vec![of(young, Kind::Note); 2_100]).unwrap();
    let query = any_of(&["database", "connection"]);
    let here = Filter::within(Scope::Project(old));
    assert_eq!(found(&store, &query, &here).len(), 20, "a large project beside a busier one");
    let decisions = Filter { kinds: vec![Kind::Decision], ..everywhere() };
    assert_eq!(found(&store, &query, &decisions), [MemoryId(1)]);
    let decisions = Filter { kinds: vec![Kind::Decision], ..here };
    assert_eq!(found(&store, &query, &decisions), [MemoryId(1)]);
    assert_eq!(found(&store, &query, &Filter { kinds: vec![Kind::Goal], ..everywhere() }), []);
}

#[test]
fn filters_narrow_what_is_found_and_what_is_listed() {
    let test = TestHome::new();
    let mut store = test.open();
    let home = project(&mut store, "/home/u/one");
    let mut write = |kind, at, files: &[&str]| {
        let files = files.iter().map(|file| (*file).to_owned()).collect();
        let content = Content { kind, files, ..draft("heron", &format!("at {at}")) };
        store.memories_mut().remember(&NewMemory { created_at: Timestamp(at), ..new(home, content) }).unwrap()
    };
    let decision = write(Kind::Decision, 10, &["src/store/open.rs"]);
    let failure = write(Kind::Failure, 20, &["open.rs"]);
    let note = write(Kind::Note, 30, &["src/reopen.rs", "docs/100%_sure.md"]);
    let check = |filter: Filter, expected: &[MemoryId]| {
        assert_eq!(store.search().list(&filter).unwrap(), expected, "{filter:?}");
        let mut hits = found(&store, &any_of(&["heron"]), &filter);
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
    let all = found(&store, &any_of(&["heron"]), &everywhere());
    for offset in 0..4 {
        let page = Filter { limit: 2, offset, ..everywhere() };
        let expected: Vec<_> = all.iter().copied().skip(offset as usize).take(2).collect();
        assert_eq!(found(&store, &any_of(&["heron"]), &page), expected, "pages do not overlap");
    }
}

#[test]
fn the_timeline_shows_what_was_written_around_a_memory() {
    let test = TestHome::new();
    let mut store = test.open();
    let [one, two] = [project(&mut store, "/home/u/one"), project(&mut store, "/home/u/two")];
    let mut at = |project, ms, title: &str| {
        store
            .memories_mut()
            .remember(&NewMemory { created_at: Timestamp(ms), ..new(project, draft(title, "")) })
            .unwrap()
    };
    let late = at(one, 50, "late");
    let [a, b, c] = [at(one, 10, "a"), at(one, 20, "b"), at(one, 20, "c")];
    at(two, 15, "elsewhere");
    assert_eq!(store.search().timeline(b, 5, 5).unwrap(), [a, b, c, late]);
    assert_eq!(store.search().timeline(c, 1, 0).unwrap(), [b, c]);
    assert_eq!(store.search().timeline(a, 0, 1).unwrap(), [a, b]);
    assert!(matches!(store.search().timeline(MemoryId(99), 1, 1), Err(StoreError::NoSuchMemory(_))));
}

#[test]
fn a_memory_is_judged_as_a_list_is_cut() {
    let test = TestHome::new();
    let mut store = test.open();
    let (here, there) = (project(&mut store, "/home/u/one"), project(&mut store, "/home/u/two"));
    for number in 0..48 {
        let mut content = draft(&format!("memory {number}"), "what it says");
        content.kind = if number % 3 == 0 { Kind::Decision } else { Kind::Note };
        content.scope = if number % 5 == 0 { MemoryScope::User } else { MemoryScope::Project };
        content.files =
            [vec![], vec!["src/open.rs".to_owned()], vec!["src/reopen.rs".to_owned()]][number % 3].clone();
        let at = Timestamp(1_000 + i64::try_from(number % 7).unwrap());
        let place = if number % 2 == 0 { here } else { there };
        store.memories_mut().remember(&NewMemory { created_at: at, ..new(place, content) }).unwrap();
    }
    let first = store.search().list(&everywhere()).unwrap()[0];
    store.memories_mut().supersede(first, &new(here, draft("memory 49", "what it says now"))).unwrap();
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
