//! How well statements are found in two labelled sets, printed as precision and recall per kind.
//!
//! `--nocapture` prints the table. The sets lie beside the repository and are not shipped: without them the test says so and passes.
//! `kinds` says which kinds count as right for each label; for an opinion none does, and a statement made from one is wrong.
//!
//! A statement is right when a label of its text allows its kind and shares enough words with it. A label is found
//! when a right statement matched it.

use backstory_distil::{Speaker, statements};
use backstory_memory::Kind;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

struct Case {
    id: String,
    said: Vec<(Speaker, String)>,
    labels: Vec<Label>,
    must_stay_silent: bool,
}

struct Label {
    name: String,
    kinds: Vec<Kind>,
    text: String,
}

#[derive(Default)]
struct Tally {
    right: usize,
    wrong: usize,
}

fn kinds(label: &str) -> Vec<Kind> {
    match label {
        "decision" => vec![Kind::Decision, Kind::Goal, Kind::Rule],
        "commitment" => vec![Kind::Goal, Kind::Decision],
        "preference" => vec![Kind::Fact, Kind::Decision],
        "fact" | "discovery" | "feature" => vec![Kind::Fact],
        "architecture" => vec![Kind::Fact, Kind::Decision],
        "procedure" => vec![Kind::Rule, Kind::Decision],
        "lesson" | "bugfix" => vec![Kind::Fact, Kind::Rule, Kind::Failure],
        _ => Vec::new(),
    }
}

fn eval_file(path: &str) -> Option<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/eval").join(path);
    let read = fs::read_to_string(root).ok();
    if read.is_none() {
        eprintln!("SKIPPED: the labelled set {path} is not beside the repository");
    }
    read
}

fn text_of(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_default().to_owned()
}

fn transcripts() -> Option<Vec<Case>> {
    let corpus: Value =
        serde_json::from_str(&eval_file("remem/extraction_corpus.json")?).expect("the set is JSON");
    let case = |case: &Value| {
        let said = case["transcript"].as_array().into_iter().flatten().map(|event| {
            let speaker = if event["role"] == "user" { Speaker::User } else { Speaker::Assistant };
            (speaker, text_of(event, "content"))
        });
        let expected = case["expected_candidates"].as_array().is_some_and(|labels| !labels.is_empty());
        let candidate = text_of(case, "candidate_output");
        let between = |open: &str, close: &str| {
            candidate
                .split_once(open)
                .and_then(|(_, rest)| rest.split_once(close))
                .map(|(inner, _)| inner.to_owned())
        };
        let name = between("<type>", "</type>").unwrap_or_default();
        let observed = case["expected_observations"][0]["observation_type"].as_str().unwrap_or_default();
        // The set names each memory twice, as an observation and as a candidate: either name will do.
        let kinds = [kinds(&name), kinds(observed)].concat();
        let label = Label { name, kinds, text: between("<text>", "</text>").unwrap_or_default() };
        Case {
            id: text_of(case, "id"),
            said: said.collect(),
            labels: if expected { vec![label] } else { Vec::new() },
            must_stay_silent: !expected,
        }
    };
    Some(corpus["cases"].as_array().into_iter().flatten().map(case).collect())
}

fn notes() -> Option<Vec<Case>> {
    let lines = |text: String| -> Vec<Value> {
        text.lines().map(|line| serde_json::from_str(line).expect("a line of the set is JSON")).collect()
    };
    let texts = lines(eval_file("mempalace-extraction/memory_extraction.dataset.jsonl")?);
    let labels = lines(eval_file("mempalace-extraction/memory_extraction.labels.jsonl")?);
    let case = |(text, labels): (&Value, &Value)| {
        assert_eq!(text["id"], labels["id"]);
        let label = |label: &Value| {
            let name = text_of(label, "type");
            Label { kinds: kinds(&name), name, text: text_of(label, "content") }
        };
        let labels: Vec<Label> = labels["memories"].as_array().into_iter().flatten().map(label).collect();
        // The notes are an assistant's own diary.
        let said = vec![(Speaker::Assistant, text_of(text, "text"))];
        Case { id: text_of(text, "id"), said, labels, must_stay_silent: false }
    };
    Some(texts.iter().zip(&labels).map(case).collect())
}

/// The beginnings of a text's longer words: enough to meet across inflections.
fn stems(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().count() > 3 || word.chars().any(|c| c.is_ascii_digit()))
        .map(|word| word.to_lowercase().chars().take(5).collect())
        .collect()
}

fn shares_words(text: &str, label: &str) -> bool {
    let (text, label) = (stems(text), stems(label));
    let shared = text.intersection(&label).count();
    shared * 10 >= label.len().min(text.len()) * 4
}

/// Counts a set's cases: per kind what was right and wrong, per label what was found and missed.
fn count(cases: &[Case]) -> (BTreeMap<&'static str, Tally>, BTreeMap<String, Tally>) {
    let (mut made, mut labelled) = (BTreeMap::<&str, Tally>::new(), BTreeMap::<String, Tally>::new());
    for case in cases {
        let mut found = vec![false; case.labels.len()];
        for (speaker, text) in &case.said {
            for statement in statements(text, *speaker) {
                let mut is_right = false;
                for (label, found) in case.labels.iter().zip(&mut found) {
                    if label.kinds.contains(&statement.kind) && shares_words(&statement.text, &label.text) {
                        *found = true;
                        is_right = true;
                    }
                }
                let tally = made.entry(statement.kind.as_str()).or_default();
                if is_right {
                    tally.right += 1;
                } else {
                    tally.wrong += 1;
                }
                if !is_right {
                    eprintln!("wrong  {} {} {}", case.id, statement.kind, statement.title);
                }
                assert!(!case.must_stay_silent, "{} yielded {statement:?}", case.id);
            }
        }
        for (label, found) in case.labels.iter().zip(found).filter(|(label, _)| !label.kinds.is_empty()) {
            let tally = labelled.entry(label.name.clone()).or_default();
            if found {
                tally.right += 1;
            } else {
                tally.wrong += 1;
            }
            if !found {
                eprintln!("missed {} {} {}", case.id, label.name, label.text);
            }
        }
    }
    (made, labelled)
}

fn share<'a>(name: &str, tallies: impl Iterator<Item = (&'a str, &'a Tally)>) -> f64 {
    let (mut right, mut all) = (0, 0);
    for (key, tally) in tallies {
        let (r, a) = (tally.right, tally.right + tally.wrong);
        eprintln!("{name:<9} {key:<14} {r:>3}/{a:<3} {:.2}", r as f64 / a as f64);
        right += r;
        all += a;
    }
    eprintln!("{name:<9} {:<14} {right:>3}/{all:<3} {:.2}", "all", right as f64 / all as f64);
    right as f64 / all as f64
}

fn check(cases: &[Case]) {
    let (made, labelled) = count(cases);
    let precision = share("precision", made.iter().map(|(kind, tally)| (*kind, tally)));
    let recall = share("recall", labelled.iter().map(|(label, tally)| (label.as_str(), tally)));
    assert!(precision >= 0.85, "precision {precision:.2} is under 0.85");
    assert!(recall >= 0.6, "recall {recall:.2} is under 0.6");
}

#[test]
fn statements_are_found_in_labelled_transcripts_and_none_in_what_must_stay_silent() {
    if let Some(cases) = transcripts() {
        check(&cases);
    }
}

#[test]
fn statements_are_found_in_labelled_notes() {
    if let Some(cases) = notes() {
        check(&cases);
    }
}
