//! Words as people type them: misspelt, half, in any script, as versions and paths; and searching where the index is lost.

use crate::kit::{DAY, INDEX_LANGUAGE, NOW, any_of, draft, new, query_for};
use crate::remembering::any_text;
use crate::test_store::{TestStore, raw};
use backstory_memory::{Content, Kind, MemoryId, ProjectId, Timestamp, identifier_terms, words};
use backstory_store::{Filter, NewMemory, Scope, SpellingCorrection, WordQuery, WordStrategy};
use proptest::prelude::*;

fn everywhere() -> Filter {
    Filter { limit: 100, ..Filter::within(Scope::Everywhere) }
}

fn found(store: &TestStore, query: &WordQuery) -> Vec<MemoryId> {
    store.search().corrected(query, &everywhere()).unwrap().hits.iter().map(|hit| hit.memory).collect()
}

fn read_as(store: &TestStore, word: &str, reach: Scope) -> Vec<String> {
    let answer = store.search().corrected(&any_of(&[word]), &Filter::within(reach)).unwrap();
    assert!(answer.corrections.iter().all(|reading| reading.word == word));
    answer.corrections.into_iter().map(|reading| reading.corrected).collect()
}

/// Fills a store until ranking everything would be too slow.
fn fill(store: &mut TestStore, project: ProjectId) {
    let filler: Vec<NewMemory> =
        (0..2_500).map(|n| new(project, draft("database connection", &format!("pool {n}")))).collect();
    store.memories_mut().remember_all(&filler).unwrap();
}

#[test]
fn a_misspelt_word_is_read_as_the_nearest_known_one() {
    let mut store = TestStore::new();
    let id = store.note("The migration", "locks the database; Kubernetes waits for the receiver");
    let home = store.project();
    for size in ["small", "large"] {
        for (typed, known) in [
            ("migartion", "migration"),
            ("migraton", "migration"),
            ("miggration", "migration"),
            ("migratoin", "migration"),
            ("databse", "database"),
            ("kuberentes", "kubernetes"),
            ("kubernettes", "kubernetes"),
            ("reciever", "receiver"),
        ] {
            assert_eq!(read_as(&store, typed, Scope::Everywhere), [known], "{typed} in a {size} store");
            let hits = found(&store, &any_of(&[typed, "receiver"]));
            assert!(hits.contains(&id), "{typed} in a {size} store: {hits:?}");
        }
        for right in ["migrations", "Database", "wait", "zebra", "migr", "xy", "v3"] {
            assert!(read_as(&store, right, Scope::Everywhere).is_empty(), "{right}");
        }
        fill(&mut store, home);
    }
}

#[test]
fn words_that_no_memory_holds_are_reported() {
    let mut store = TestStore::new();
    store.note("The migration", "locks the database");
    let typed = any_of(&["migrations", "databse", "zebra", "v3"]);
    let answer = store.search().corrected(&typed, &everywhere()).unwrap();
    assert_eq!(answer.unknown_words, ["v3", "zebra"], "neither what is known nor what is near to it");
}

#[test]
fn a_near_word_counts_less_than_the_word_itself() {
    let mut store = TestStore::new();
    let near = store.note("migration", "of things");
    store.note("other", "things");
    let score = |word| store.search().corrected(&any_of(&[word]), &everywhere()).unwrap().hits[0];
    assert_eq!(score("migartion").memory, near);
    assert!(score("migartion").bm25 < score("migration").bm25);
    let exact = store.search().exact(&any_of(&["migartion"]), &everywhere()).unwrap();
    assert!(exact.is_empty(), "who searches for exactly these words gets no others");
}

/// Numbers have neighbours that mean something else.
#[test]
fn codes_and_versions_are_never_guessed() {
    let mut store = TestStore::new();
    store.note("error E0308", "port 8080, SQLite v3.51.3");
    for typed in ["E0309", "8081", "v3.51.4", "e03080"] {
        assert!(found(&store, &any_of(&[typed])).is_empty(), "{typed}");
    }
}

/// Law 8.
#[test]
fn law_8_a_correction_holds_no_word_of_another_project() {
    let mut store = TestStore::new();
    let [one, two] = [store.project(), store.project_at("/home/u/two")];
    store.remember_in(one, draft("zanzibar", "the secret of one"));
    store.remember_in(two, draft("plain", "of two"));
    assert_eq!(read_as(&store, "zanzibra", Scope::Project(one)), ["zanzibar"]);
    assert!(read_as(&store, "zanzibra", Scope::Project(two)).is_empty());
    fill(&mut store, two);
    assert!(read_as(&store, "zanzibra", Scope::Project(two)).is_empty(), "nor where the project is large");
}

#[test]
fn versions_ports_codes_and_paths_are_found_as_they_are_written() {
    let mut store = TestStore::new();
    let right = store.note("needs v3.51.3", "E0308 in src/db/open.rs, listens on :8080, see #4711");
    store.note("other", "v3.13.51 and 51.3, E0380 in src/open/db.rs, listens on :8000, 3 of 80, see #11");
    for typed in ["v3.51.3", "E0308", "e0308", ":8080", "8080", "src/db/open.rs", "db/open.rs", "#4711"] {
        assert_eq!(found(&store, &any_of(&[typed])), [right], "{typed}");
    }
}

#[test]
fn identifiers_meet_in_a_large_store_too() {
    let mut store = TestStore::new();
    let home = store.project();
    let ids = [
        store.note("camel", "call runMigration first"),
        store.note("snake", "call run_migration first"),
        store.note("test", "see RunMigrationTest"),
        store.note("words", "how we run the migrations"),
    ];
    fill(&mut store, home);
    for typed in ["runMigration", "run_migration", "run migration", "RunMigrationTest"] {
        let mut hits = found(&store, &query_for(typed));
        hits.sort();
        assert_eq!(hits, ids, "{typed}");
    }
}

#[test]
fn a_beginning_is_completed_in_a_large_store() {
    let mut store = TestStore::new();
    let id = store.note("kubernetes", "cluster");
    let home = store.project();
    fill(&mut store, home);
    let mut query = any_of(&["kube"]);
    query.prefix("kube");
    let answer = store.search().corrected(&query, &everywhere()).unwrap();
    assert_eq!(answer.hits.iter().map(|hit| hit.memory).collect::<Vec<_>>(), [id]);
    assert_eq!(answer.corrections, [], "half a word is not misspelt");
}

/// Common words rank what rare ones found.
#[test]
fn common_words_decide_among_equals() {
    let mut store = TestStore::new();
    let home = store.project();
    let both = store.note("heron", "database connection pool");
    let only = store.note("heron", "entirely something else");
    let title = |n| if n % 4 == 0 { "database connection" } else { "other" };
    let others: Vec<NewMemory> =
        (0..4_000).map(|n| new(home, draft(title(n), &format!("thing {n}")))).collect();
    store.memories_mut().remember_all(&others).unwrap();
    assert_eq!(found(&store, &any_of(&["heron", "database", "connection"]))[..2], [both, only]);
}

const LOSSES: &[&str] = &[
    "DROP TABLE memory_words",
    "INSERT INTO memory_words (memory_words) VALUES ('delete-all')",
    "DELETE FROM memory_words_data",
    "UPDATE memory_words_data SET block = x'00ff00ff00ff' WHERE id > 10",
    "DELETE FROM memory_words_config",
    "DROP TABLE memory_words_idx",
];

#[test]
fn without_an_index_the_rows_are_searched_by_the_same_words() {
    for loss in LOSSES {
        let mut store = TestStore::new();
        let home = store.project();
        let mut write = |kind, at: i64, title: &str, body: &str| {
            let content = Content { kind, ..draft(title, body) };
            store
                .memories_mut()
                .remember(&NewMemory { created_at: Timestamp(at), ..new(home, content) })
                .unwrap()
        };
        let old = write(Kind::Decision, NOW.0 - 60 * DAY, "Herons wade", "in 100% shallow_water");
        let both = write(Kind::Decision, NOW.0 - DAY, "A heron wades", "and an egret");
        let light = write(Kind::Note, NOW.0 - DAY, "a note", "about one heron");
        let newest = write(Kind::Decision, NOW.0, "nothing", "of the kind, shallowXwater");
        let test = store.close();
        let damaged = raw(&test);
        damaged.set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_DEFENSIVE, false).unwrap();
        damaged.execute_batch(loss).unwrap();
        drop(damaged);
        let store = test.hook();
        let ask = |query: &WordQuery, filter: &Filter| {
            let answer =
                store.search().corrected(query, filter).unwrap_or_else(|error| panic!("{loss}: {error}"));
            assert_eq!(answer.strategy, WordStrategy::Rows, "{loss}");
            answer.hits.iter().map(|hit| hit.memory).collect::<Vec<_>>()
        };
        let herons = ask(&any_of(&["herons", "egret"]), &everywhere());
        assert_eq!(
            herons,
            [both, old, light],
            "{loss}: share held, kind, recency; never merely the newest, #{newest}"
        );
        assert_eq!(ask(&any_of(&["100%"]), &everywhere()), [old], "no pattern of a person's own");
        assert_eq!(ask(&any_of(&["shallow_water"]), &everywhere()), [old]);
        assert_eq!(ask(&any_of(&["stork"]), &everywhere()), []);
        let notes = Filter { kinds: vec![Kind::Note], ..everywhere() };
        assert_eq!(ask(&any_of(&["heron"]), &notes), [light]);
        let page = Filter { limit: 1, offset: 1, ..everywhere() };
        assert_eq!(ask(&any_of(&["herons", "egret"]), &page), [old]);
        store.search().exact(&any_of(&["100%\0\"'"]), &everywhere()).unwrap();
        // A question that names a file or a symbol is one as well.
        let named = ["src/heron.rs".to_owned(), "wade".to_owned()];
        let about = [
            store.search().about_files(&named, &everywhere()),
            store.search().about_symbols(&named, &everywhere()),
        ];
        assert!(about.iter().all(Result::is_ok), "{loss}: {about:?}");
    }
}

/// Both words have one stem; the other project's was there first.
#[test]
fn law_8_a_misspelt_word_is_corrected_as_this_project_writes_it() {
    let mut store = TestStore::new();
    let [here, there] = ["/home/u/one", "/home/u/two"].map(|root| store.project_at(root));
    store.remember_in(there, draft("client", "An organization called Monarch"));
    let id = store.remember_in(here, draft("music", "The organ plays in the hall"));
    let within = Filter::within(Scope::Project(here));
    let answer = store.search().corrected(&any_of(&["organn"]), &within).unwrap();
    assert_eq!(answer.hits.first().map(|hit| hit.memory), Some(id));
    assert_eq!(answer.corrections.iter().map(|read| read.corrected.as_str()).collect::<Vec<_>>(), ["organ"]);
}

#[test]
fn a_lost_index_is_made_anew_by_the_next_command() {
    let mut store = TestStore::new();
    let id = store.note("heron", "wades");
    let test = store.close();
    raw(&test).execute_batch("DROP TABLE memory_words").unwrap();
    assert_eq!(
        test.hook().search().corrected(&any_of(&["heron"]), &everywhere()).unwrap().strategy,
        WordStrategy::Rows
    );
    let store = test.open();
    let answer = store.search().corrected(&any_of(&["heron"]), &everywhere()).unwrap();
    assert_eq!((answer.strategy, answer.hits[0].memory), (WordStrategy::Index, id));
}

/// Ten thousand questions nobody would ask, as words, beginnings and parts.
#[test]
fn no_question_is_an_error() {
    let mut store = TestStore::new();
    for n in 0..60 {
        store.note(
            &format!("note {n} about migration"),
            "NEAR(alpha AND \"beta\") runMigration 数据库迁移 שלום 🦀",
        );
    }
    let hostile = prop::sample::select(INDEX_LANGUAGE.to_vec());
    let piece = prop_oneof![3 => hostile.prop_map(str::to_owned), 2 => any_text(12), 1 => "[a-z]{1,12}"];
    let text = (prop::collection::vec(piece, 0..8), prop_oneof![400 => Just(1usize), 1 => Just(20_000)])
        .prop_map(|(pieces, times)| {
            let once = pieces.join(" ");
            let most = 100 * 1024 / once.len().max(1) + 1;
            once.repeat(times.min(most))
        });
    proptest!(ProptestConfig::with_cases(10_000), |(text in text)| {
        let mut query = WordQuery::default();
        query.word(&text);
        query.prefix(&text);
        words(&text).take(64).for_each(|word| query.word(&word));
        identifier_terms(&text).split(' ').take(64).for_each(|word| query.word(word));
        if let Some(last) = words(&text).last() { query.prefix(&last); }
        let answer = store.search().corrected(&query, &everywhere());
        prop_assert!(answer.is_ok(), "{:?}", answer);
        prop_assert_eq!(answer.unwrap().strategy, WordStrategy::Index);
    });
}

/// In a small store, where every word is known, the order and the scores are those of BM25 over all of them.
#[test]
fn a_small_store_is_ranked_by_plain_bm25() {
    let mut store = TestStore::new();
    let vocabulary = ["heron", "egret", "stork", "ibis", "crane"];
    for n in 0..120usize {
        let body: Vec<&str> = (0..n % 9).map(|at| vocabulary[(n * 7 + at * at) % vocabulary.len()]).collect();
        store.note(vocabulary[n % vocabulary.len()], &body.join(" "));
    }
    let answer = store
        .search()
        .corrected(&any_of(&["heron", "stork"]), &Filter { limit: 200, ..everywhere() })
        .unwrap();
    let db = store.raw();
    let mut statement = db
        .prepare(
            "SELECT rowid, -bm25(memory_words, 2.0, 1.5, 1.5, 1.5, 1.0, 0.5, 0.0) AS fit FROM memory_words
             WHERE memory_words MATCH 'heron OR stork' ORDER BY fit DESC, rowid DESC",
        )
        .unwrap();
    let plain: Vec<(i64, f64)> =
        statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap().map(Result::unwrap).collect();
    let hits: Vec<(i64, f64)> = answer.hits.iter().map(|hit| (hit.memory.0, hit.bm25)).collect();
    assert_eq!(hits, plain);
    assert_eq!(answer.corrections, Vec::<SpellingCorrection>::new());
}
