//! Why a hit is one: `search --explain`, `why`, what misspelt words were read as, and that being shown is not use.

use crate::support::{ask, database, done, told, world};
use backstory_testkit::TestEnv;
use insta::assert_snapshot;
use std::fs;

fn library() -> TestEnv {
    let env = world().with("BACKSTORY_RECALL_VECTORS", "true");
    done(&env, &["remember", "We run migrations inside one transaction because a half-done one is worse"]);
    done(&env, &["remember", "--kind", "note", "The harbour floods at spring tide"]);
    env
}

/// Scores differ by a hair between processors: their last digits say nothing here.
fn blurred(text: &str) -> String {
    let digits = |word: &str| word.contains('.') && word.parse::<f64>().is_ok();
    let blur = |word: &str| if digits(word) { "N".to_owned() } else { word.to_owned() };
    text.split('\n')
        .map(|line| line.split(' ').map(blur).collect::<Vec<_>>().join(" "))
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn a_search_shows_its_whole_sum() {
    let env = library();
    assert_snapshot!(blurred(&told(&env.run(["search", "--explain", "migration transaction"]))), @r"
        exit 0
        --- out
        #1 We run migrations inside one transaction because a half-done one is worse
           decision · project · 2026-05-01 · N
               N  words N (BM25), meaning N (cosine)
             × N  importance
             = N
        ");
    let hit = &ask(&env, 0, &["search", "--explain", "--json", "migration transaction"])["hits"][0];
    let number = |value: &serde_json::Value| value.as_f64().unwrap();
    let terms = |name: &str| {
        hit["explain"][name].as_array().unwrap().iter().map(|term| number(&term["value"])).collect::<Vec<_>>()
    };
    let relevance = number(&hit["explain"]["fused"]) + terms("boosts").iter().sum::<f64>();
    let score = terms("factors").iter().fold(relevance, |score, factor| score * factor);
    assert!((score - number(&hit["score"])).abs() < 1e-4, "{hit}");
    assert!(ask(&env, 0, &["search", "--json", "migration"])["hits"][0].get("explain").is_none());
}

#[test]
fn the_strategy_says_how_it_was_found() {
    let env = library();
    let strategy = |arguments: &[&str]| ask(&env, 0, arguments)["strategy"].as_str().unwrap().to_owned();
    assert_eq!(strategy(&["search", "--json"]), "newest");
    assert_eq!(strategy(&["search", "--json", "harbour"]), "words and meaning");
    assert_eq!(strategy(&["--set", "recall.vectors=false", "search", "--json", "harbour"]), "words");
}

#[test]
fn a_misspelt_word_is_read_as_one_that_is_known_and_said_so() {
    let env = library();
    let outcome = env.run(["search", "--compact", "migartions"]);
    assert_eq!(outcome.code, Some(0));
    assert!(outcome.stderr.contains("nothing says `migartions`; looked for `migrations` too"), "{outcome:?}");
    let read = &ask(&env, 0, &["search", "--json", "migartions"])["read_as"][0];
    assert_eq!((read["word"].as_str(), read["known"].as_str()), (Some("migartions"), Some("migrations")));
}

#[test]
fn the_time_a_question_names_is_told() {
    let env = library();
    let outcome = env.run(["search", "what did we say yesterday about migrations"]);
    assert!(outcome.stderr.contains("what was not written `yesterday` counts less"), "{outcome:?}");
    let when = &ask(&env, 0, &["search", "--json", "migrations yesterday"])["when"];
    assert_eq!(
        (when["said"].as_str(), when["until"].as_str()),
        (Some("yesterday"), Some("2026-05-01T00:00:00Z"))
    );
}

#[test]
fn a_synonym_of_the_users_own_finds() {
    let env = library();
    let words_only = ["--set", "recall.vectors=false", "search", "--json", "tsunami"];
    assert_eq!(ask(&env, 1, &words_only)["hits"].as_array().unwrap().len(), 0);
    let config = env.world().join("user/.config/backstory");
    fs::create_dir_all(&config).unwrap();
    fs::write(config.join("synonyms.txt"), "tsunami: flood\n").unwrap();
    assert_eq!(ask(&env, 0, &words_only)["hits"][0]["id"], 2);
}

/// Law 9: every line can answer why this, what did it cost, was it used.
#[test]
fn law_9_why_tells_where_a_memory_came_from_and_what_became_of_it() {
    let env = library();
    done(&env, &["search", "migration"]);
    done(&env, &["search", "migration"]);
    assert_snapshot!(told(&env.run(["why", "1"])), @r"
        exit 0
        --- out
        #1 We run migrations inside one transaction because a half-done one is worse
           decision in project, written 2026-05-01; said by: user
           met once, used never, shown 2 times
        ");
    done(&env, &["show", "1"]);
    let why = ask(&env, 0, &["why", "1", "--json"]);
    let counts = ["times_seen", "times_used", "times_shown", "times_shown_since_used"]
        .map(|key| why[key].as_u64().unwrap());
    assert_eq!(counts, [1, 1, 2, 0]);
}

#[test]
fn why_explains_a_question_even_for_what_it_does_not_find() {
    let env = library();
    assert_snapshot!(blurred(&told(&env.run(["why", "2", "--query", "does the harbour flood"]))), @r"
        exit 0
        --- out
        #2 The harbour floods at spring tide
           note in project, written 2026-05-01; said by: user
           met once, used never, shown never
           for this question: rank 1, by words and meaning
               N  words N (BM25), meaning N (cosine)
             × N  importance
             = N
        ");
    let why = ask(&env, 0, &["--set", "recall.vectors=false", "why", "2", "--query", "migration", "--json"]);
    assert_eq!((why["question"]["rank"].as_u64(), why["question"]["score"].as_f64()), (None, Some(0.0)));
}

/// The place `why` tells is the one `search` gives: what was superseded is left out of both.
#[test]
fn why_counts_places_as_search_does() {
    let env = library();
    done(&env, &["remember", "--kind", "note", "The harbour flood wall is low"]);
    done(&env, &["supersede", "2", "Nothing at all"]);
    let question = |id: &str| {
        ask(&env, 0, &["why", id, "--json", "--query", "the harbour floods at spring tide"])["question"]
            .clone()
    };
    assert_eq!(question("3")["rank"], 1);
    let superseded = question("2");
    assert!(superseded["rank"].is_null(), "{superseded}");
    assert!(superseded["explain"]["words"].as_f64().unwrap() > 0.0, "{superseded}");
}

#[test]
fn why_knows_the_words_of_what_many_fit_better_than() {
    let env = world();
    let long = format!("egret {}", "and much else beside it ".repeat(40));
    done(&env, &["remember", "--title", "Birds", &long]);
    let lines: String = (0..120).map(|n| format!("{{\"text\": \"egret {n}\"}}\n")).collect();
    fs::write(env.world().join("egrets.jsonl"), lines).unwrap();
    done(&env, &["import", env.world().join("egrets.jsonl").to_str().unwrap()]);
    let why = ask(&env, 0, &["why", "1", "--json", "--query", "egret"]);
    assert!(why["question"]["rank"].is_null(), "{why}");
    assert!(why["question"]["explain"]["words"].as_f64().unwrap() > 0.0, "{why}");
}

/// Not an error, nor merely the newest, while there is no word index.
#[test]
fn a_lost_word_index_leaves_names_and_meaning() {
    let lost = |words: &str| {
        let env = library();
        done(&env, &["remember", "--kind", "note", "--file", "src/open.rs", "Invoices go out on Mondays"]);
        database(&env).execute_batch("DROP TABLE memory_words").unwrap();
        let answer = ask(&env, 0, &["search", "--json", words]);
        assert_eq!(answer["strategy"], "texts", "{answer}");
        answer["hits"].as_array().unwrap().iter().map(|hit| hit["id"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    assert!(lost("invoices of src/open.rs").contains(&3));
    assert_eq!(lost("high water in the port").first(), Some(&2));
}

#[test]
fn why_of_nothing_says_what_to_do() {
    assert_snapshot!(told(&world().run(["why", "7"])), @r"
        exit 1
        --- err
        error: there is no memory #7

        hint: `backstory search WORDS` finds memories and their numbers
        ");
}

#[test]
fn the_profile_decides_which_weights_count() {
    let env = library();
    let found = |profile: &str| {
        let outcome = env.run(["search", "--profile", profile, "--json", "high water in the port"]);
        serde_json::from_str::<serde_json::Value>(&outcome.stdout).unwrap()["hits"].as_array().unwrap().len()
    };
    assert!(found("search") > 0);
    assert_eq!((found("inject"), found("six-signals")), (0, 0));
}
