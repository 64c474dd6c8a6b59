//! `eval`: what it measures, that it leaves the user's store alone, and how it refuses a malformed set.

use crate::support::{ask, done, exits, fields, file, remember, rendered, shape, without_numbers, world};
use backstory_testkit::TestEnv;
use insta::assert_snapshot;
use serde_json::{Value, json};

/// Two corpora with the same words in both, a question each can answer, one that needs two documents, and one without an answer.
fn small_set() -> Value {
    json!({"name": "small",
        "documents": [
            {"id": "tides", "corpus": "sea", "text": "The harbour floods at spring tide"},
            {"id": "ropes", "corpus": "sea", "text": "Mooring ropes are doubled before a storm", "at": "2026-02-01", "kind": "rule", "session": "watch"},
            {"id": "storm", "corpus": "sea", "text": "A storm tore the northern pier", "title": "Damage of the storm", "at": "2026-03-01"},
            {"id": "tides", "corpus": "land", "text": "The harbour was filled in and built over"}],
        "queries": [
            {"id": "flood", "corpus": "sea", "text": "when does the harbour flood at spring tide", "gold": ["tides"], "category": "plain"},
            {"id": "both", "corpus": "sea", "text": "storm", "gold": ["ropes", "storm"], "category": "several"},
            {"id": "built", "corpus": "land", "text": "harbour", "gold": ["tides"], "category": "plain"},
            {"id": "price", "corpus": "sea", "text": "storm insurance premium", "gold": []}]})
}

fn written(env: &TestEnv, set: &Value) -> String {
    file(env, "set.json", set.to_string())
}

fn measure(env: &TestEnv, set: &Value) -> Value {
    ask(env, 0, &["eval", "--json", &written(env, set)])
}

#[test]
fn a_set_is_measured_against_plain_bm25() {
    let env = world();
    let path = written(&env, &small_set());
    let outcome = env.run(["eval", &path]);
    let words =
        without_numbers(&rendered(&outcome), &[" ms, p99", " ms;", " ms\n", " bytes per", " s in all"]);
    assert_snapshot!(words, @r"
        exit 0
        --- out
        small (documents: 4, queries: 4)

                           any@1   any@5  any@10  share@5 share@10     MRR       n
        overall  engine    100.0   100.0   100.0    100.0    100.0   100.0       3
                 bm25      100.0   100.0   100.0    100.0    100.0   100.0
        plain    engine    100.0   100.0   100.0    100.0    100.0   100.0       2
                 bm25      100.0   100.0   100.0    100.0    100.0   100.0
        several  engine    100.0   100.0   100.0    100.0    100.0   100.0       1
                 bm25      100.0   100.0   100.0    100.0    100.0   100.0

        queries without an answer in the set: 1; with hits all the same: engine 1, bm25 1
        injection: silent for 1 of 1 without an answer, gold injected for 100.0 % of the others, 1.0 documents per query
        time per query: engine p50 [N] ms, p99 [N] ms; bm25 p50 [N] ms, p99 [N] ms
        disk: [N] bytes per document; [N] s in all
        ");
}

#[test]
fn the_report_is_documented_json() {
    let env = world();
    let report = measure(&env, &small_set());
    assert_snapshot!(shape(&report), @r"
        {abstention: {answered: number, queries: number}, arm: text, baseline: {abstention: {answered: number, queries: number}, arm: text, categories: {plain: {any@1: number, any@10: number, any@5: number, mrr: number, queries: number, share@10: number, share@5: number}, several: {any@1: number, any@10: number, any@5: number, mrr: number, queries: number, share@10: number, share@5: number}}, latency_ms: {p50: number, p99: number}, overall: {any@1: number, any@10: number, any@5: number, mrr: number, queries: number, share@10: number, share@5: number}}, bytes_per_document: number, categories: {plain: {any@1: number, any@10: number, any@5: number, mrr: number, queries: number, share@10: number, share@5: number}, several: {any@1: number, any@10: number, any@5: number, mrr: number, queries: number, share@10: number, share@5: number}}, documents: number, injection: {documents: number, recall: number, silent: number}, latency_ms: {p50: number, p99: number}, name: text, overall: {any@1: number, any@10: number, any@5: number, mrr: number, queries: number, share@10: number, share@5: number}, queries: number, reliability: [{queries: number, right: number, said: number, to: number}], seconds: number, unknown_gold: number, version: number}
        ");
    // A query without gold is not among them.
    assert_eq!(fields(&report["overall"], ["any@5", "share@5", "queries"]), json!([1.0, 1.0, 3]));
    assert_eq!(report["abstention"]["queries"], 1);
    assert_eq!(report["baseline"]["abstention"]["answered"], 1);
    assert_eq!(report["categories"]["several"]["queries"], 1);
}

#[test]
fn every_query_has_its_line() {
    let env = world();
    let out = env.project().join("lines.jsonl");
    done(&env, &["eval", &written(&env, &small_set()), "--per-query", out.to_str().unwrap()]);
    let text = std::fs::read_to_string(out).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let [flood, both, built, price] = lines.as_slice() else { panic!("{text}") };
    assert_snapshot!(shape(flood), @r"
        {baseline_rank: number, category: text, corpus: text, gold: [text], hits: [{id: text, score: number}], id: text, inject_hits: number, inject_rank: number, ms: number, rank: number}
        ");
    assert_eq!(fields(flood, ["id", "rank"]), json!(["flood", 1]));
    assert_eq!(flood["hits"][0]["id"], "tides");
    let mut hits: Vec<&str> =
        both["hits"].as_array().unwrap().iter().filter_map(|hit| hit["id"].as_str()).collect();
    hits.sort_unstable();
    assert_eq!(hits, ["ropes", "storm"]);
    assert_eq!(built["hits"].as_array().unwrap().len(), 1, "another corpus is out of sight");
    assert_eq!(fields(price, ["rank", "gold"]), json!([null, []]));
}

#[test]
fn the_baseline_knows_nothing_but_words() {
    let env = world();
    let set = json!({"documents": [{"id": "a", "text": "run the migration before the server starts"}],
        "queries": [{"id": "q", "text": "runMigration", "gold": ["a"]}]});
    let report = measure(&env, &set);
    assert_eq!(
        (&report["overall"]["any@1"], &report["baseline"]["overall"]["any@1"]),
        (&json!(1.0), &json!(0.0))
    );
}

#[test]
fn documents_later_than_the_query_are_searched_unless_the_set_hides_them() {
    let env = world();
    let mut set = small_set();
    set["queries"] = json!([{"id": "both", "corpus": "sea", "text": "storm", "gold": ["ropes", "storm"], "at": "2026-02-01"}]);
    assert_eq!(measure(&env, &set)["overall"]["share@5"], 1.0);
    set["hide_later"] = json!(true);
    assert_eq!(measure(&env, &set)["overall"]["share@5"], 0.5);
}

/// Law 8 and common sense: measuring neither reads nor writes what the user keeps.
#[test]
fn the_users_store_is_not_touched() {
    let env = world();
    let path = written(&env, &small_set());
    done(&env, &["eval", &path]);
    assert_eq!(env.files(), Vec::<std::path::PathBuf>::new(), "no home is made");
    remember(&env, "The harbour floods at spring tide, and this is mine");
    let home = || -> Vec<Vec<u8>> { env.files().iter().map(|file| std::fs::read(file).unwrap()).collect() };
    let before = home();
    assert_eq!(measure(&env, &small_set())["documents"], 4);
    assert!(before == home(), "the home has changed");
}

#[test]
fn gold_without_a_document_is_reported_and_counts_as_missed() {
    let env = world();
    let mut set = small_set();
    set["queries"] = json!([{"id": "q", "corpus": "land", "text": "harbour", "gold": ["tides", "ropes"]}]);
    let warning = "query `q`: no document of its corpus has the id `ropes`";
    exits(&env, 0, &["eval", &written(&env, &set)], warning);
    let report = measure(&env, &set);
    assert_eq!((&report["unknown_gold"], &report["overall"]["share@10"]), (&json!(1), &json!(0.5)));
}

#[test]
fn a_malformed_set_is_refused_with_the_place_of_the_fault() {
    let env = world();
    let refusal = |set: &str| rendered(&env.run(["eval", &file(&env, "off.json", set)]));
    assert_snapshot!(refusal("{\"documents\": [\n  {\"id\": \"a\"}]}"), @r#"
        exit 1
        --- err
        error: cannot read `[WORLD]/project/off.json`
          cause: missing field `text` at line 2 column 13

        hint: docs/eval.md describes the format of a data set
        "#);
    assert_snapshot!(refusal(r#"{"documents": [{"id": "a", "text": "x"}, {"id": "a", "text": "y"}], "queries": []}"#), @r#"
        exit 1
        --- err
        error: two documents of one corpus have the id `a`
        "#);
    assert_snapshot!(refusal(r#"{"documents": [{"id": "a", "text": "x", "kind": "wish"}], "queries": []}"#), @r#"
        exit 1
        --- err
        error: document `a` cannot be a memory: `wish` is not a kind
        "#);
    assert_snapshot!(refusal(r#"{"documents": [{"id": "a", "text": " "}], "queries": []}"#), @r#"
        exit 1
        --- err
        error: document `a` cannot be a memory: a memory needs a title or a body
        "#);
    assert_snapshot!(refusal(r#"{"documents": [{"id": "a", "text": "x", "at": "soon"}], "queries": []}"#), @r#"
        exit 1
        --- err
        error: document `a`: `at: "soon"` is not a time

        hint: write it like 2026-05-01T12:00:00Z, or as milliseconds since 1970
        "#);
    assert_snapshot!(rendered(&env.run(["eval", "nowhere.json"])), @r#"
        exit 1
        --- err
        error: cannot read `nowhere.json`
          cause: No such file or directory (os error 2)

        hint: check that it is there
        "#);
    assert_snapshot!(rendered(&env.run(["eval", "."])), @r#"
        exit 1
        --- err
        error: cannot read `.`
          cause: Is a directory (os error 21)

        hint: docs/eval.md describes the format of a data set
        "#);
}
