//! Why a hit is one: `search --explain`, `why`, what misspelt words were read as, and that being shown is not use.

use crate::support::{ask, column, done, execute, fields, import, rendered, titles, world, write};
use backstory_testkit::TestEnv;
use insta::assert_snapshot;
use serde_json::json;

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
fn an_explained_search_shows_every_term_of_the_score() {
    let env = library();
    assert_snapshot!(blurred(&rendered(&env.run(["search", "--explain", "migration transaction"]))), @r"
    exit 0
    --- out
    #1 We run migrations inside one transaction because a half-done one is worse
       decision · project · just now · N
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
fn the_strategy_says_how_hits_were_found() {
    let env = library();
    let strategy = |arguments: &[&str]| ask(&env, 0, arguments)["strategy"].as_str().unwrap().to_owned();
    assert_eq!(strategy(&["search", "--json"]), "newest");
    assert_eq!(strategy(&["search", "--json", "harbour"]), "words and meaning");
    assert_eq!(strategy(&["--set", "recall.vectors=false", "search", "--json", "harbour"]), "words");
}

#[test]
fn a_misspelt_word_is_read_as_a_known_one_and_reported() {
    let env = library();
    let outcome = env.run(["search", "--compact", "migartions"]);
    assert_eq!(outcome.code, Some(0));
    assert!(outcome.stderr.contains("nothing says `migartions`; looked for `migrations` too"), "{outcome:?}");
    let read = &ask(&env, 0, &["search", "--json", "migartions"])["read_as"][0];
    assert_eq!(fields(read, ["word", "known"]), json!(["migartions", "migrations"]));
}

#[test]
fn the_time_that_a_query_names_is_reported() {
    let env = library();
    let old = r#"{"body": "The migrations of the night ran twice", "created_at": "2026-04-30T10:00:00Z"}"#;
    done(&env, &["remember", old]);
    let outcome = env.run(["search", "what did we say yesterday about migrations"]);
    assert!(outcome.stderr.contains("what was not written `yesterday` ranks lower"), "{outcome:?}");
    let when = &ask(&env, 0, &["search", "--json", "migrations yesterday"])["when"];
    assert_eq!(fields(when, ["said", "until"]), json!(["yesterday", "2026-05-01T00:00:00Z"]));
}

/// S1.10: synonyms in a file of the user.
#[test]
fn a_synonym_of_the_users_own_list_finds() {
    let env = library();
    let words_only = ["--set", "recall.vectors=false", "search", "--json", "tsunami"];
    assert_eq!(ask(&env, 1, &words_only)["hits"].as_array().unwrap().len(), 0);
    write(&env, ".config/backstory/synonyms.txt", "tsunami: flood\n");
    assert_eq!(ask(&env, 0, &words_only)["hits"][0]["id"], 2);
}

/// Law 9: every line can answer why this, what did it cost, was it used.
#[test]
fn law_9_why_shows_the_origin_and_the_use_of_a_memory() {
    let env = library();
    done(&env, &["search", "migration"]);
    done(&env, &["search", "migration"]);
    assert_snapshot!(rendered(&env.run(["why", "1"])), @r"
    exit 0
    --- out
    #1 We run migrations inside one transaction because a half-done one is worse
       decision in project, written 2026-05-01 12:00 (just now); said by: user
       met once, used never, shown 2 times
    ");
    // Without a terminal it is an agent that asks.
    assert_eq!(env.run_with(["show", "1"], "").code, Some(0));
    let why = ask(&env, 0, &["why", "1", "--json"]);
    let counts = fields(&why, ["times_seen", "times_used", "times_shown", "times_shown_since_used"]);
    assert_eq!(counts, json!([1, 1, 2, 0]));
}

#[test]
fn why_explains_a_query_also_for_a_memory_it_does_not_find() {
    let env = library();
    assert_snapshot!(blurred(&rendered(&env.run(["why", "2", "--query", "does the harbour flood"]))), @r"
    exit 0
    --- out
    #2 The harbour floods at spring tide
       note in project, written 2026-05-01 12:00 (just now); said by: user
       met once, used never, shown never
       for this question: rank 1, by words and meaning
           N  words N (BM25), meaning N (cosine)
         × N  importance
         = N
    ");
    let why = ask(&env, 0, &["--set", "recall.vectors=false", "why", "2", "--query", "migration", "--json"]);
    assert_eq!(why["question"]["rank"].as_u64(), None);
    assert!(why["question"]["score"].as_f64().unwrap() < 0.3, "{why}");
}

/// The rank of `why` is that of `search`: superseded memories are left out of both.
#[test]
fn why_ranks_as_search_does() {
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
fn why_scores_the_words_of_a_memory_far_down_the_list() {
    let env = world();
    let long = format!("egret {}", "and much else beside it ".repeat(40));
    done(&env, &["remember", "--title", "Birds", &long]);
    import(&env, &(0..120).map(|number| json!({"text": format!("egret {number}")})).collect::<Vec<_>>());
    let why = ask(&env, 0, &["why", "1", "--json", "--query", "egret"]);
    assert!(why["question"]["rank"].is_null(), "{why}");
    assert!(why["question"]["explain"]["words"].as_f64().unwrap() > 0.0, "{why}");
}

/// Not an error, nor merely the newest, while there is no word index.
///
/// S3.9, S0.13: without the word index, the words of the query still count.
#[test]
fn without_a_word_index_names_and_vectors_still_find() {
    let lost = |words: &str| {
        let env = library();
        done(&env, &["remember", "--kind", "note", "--file", "src/open.rs", "Invoices go out on Mondays"]);
        execute(&env, "DROP TABLE memory_words");
        let answer = ask(&env, 0, &["search", "--json", words]);
        assert_eq!(answer["strategy"], "texts", "{answer}");
        column(&answer["hits"], "id").as_array().unwrap().clone()
    };
    assert!(lost("invoices of src/open.rs").contains(&json!(3)));
    assert_eq!(lost("high water in the port")[0], 2);
}

#[test]
fn the_profile_decides_which_weights_apply() {
    let env = library();
    let found = |profile: &str| titles(&env, &["--profile", profile, "high water in the port"]).len();
    assert!(found("search") > 0);
    assert_eq!((found("inject"), found("six-signals")), (0, 0));
}
