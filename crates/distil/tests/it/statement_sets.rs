//! Sentences as developers and agents write them, labelled with what is to be remembered of each (`tests/data/statements`).
//!
//! A label is the kinds in order (`fact+rule`), `nothing`, `something` or `one`. Whoever changes the rules does well to write a new set
//! first, to label it, and to look at its counts before looking at its sentences: `--nocapture` prints them.

use crate::cases::{assert_none, cases};
use backstory_distil::{Speaker, statements};
use std::collections::BTreeMap;

/// Every label is met.
const EXACT: [&str; 3] = ["known", "lasting", "plain"];

/// Sets the rules were not written for: so many sentences at most may yield nothing though they should, and something though they
/// should not.
const TOLERANT: [(&str, usize, usize); 3] =
    [("lasting_held_out", 4, 2), ("assertions", 3, 2), ("assertions_held_out", 5, 2)];

/// Sets measured by precision and recall.
const MEASURED: [&str; 3] = ["everyday", "everyday_held_out", "everyday_later"];

const LEAST_PRECISION: f64 = 0.85;
const LEAST_RECALL: f64 = 0.6;

const KEYS: [&str; 14] = [
    "user decision",
    "user fact",
    "user failure",
    "user goal",
    "user rule",
    "user nothing",
    "user something",
    "user one",
    "assistant decision",
    "assistant fact",
    "assistant failure",
    "assistant goal",
    "assistant rule",
    "assistant nothing",
];

/// A labelled sentence and the kinds of what was found in it.
struct Sentence {
    label: String,
    found: Vec<&'static str>,
    /// Where it stands, what was wanted and what was found.
    report: String,
}

impl Sentence {
    fn is_right(&self) -> bool {
        match self.label.as_str() {
            "nothing" => self.found.is_empty(),
            "something" => !self.found.is_empty(),
            "one" => self.found.len() == 1,
            kinds => self.found.join("+") == kinds,
        }
    }

    fn wanted(&self) -> Vec<&str> {
        self.label.split('+').filter(|kind| *kind != "nothing").collect()
    }
}

fn sentences(set: &str) -> Vec<Sentence> {
    let entries = cases(&format!("statements/{set}.txt"), &KEYS).into_iter().flat_map(|case| case.entries);
    let read = entries.map(|entry| {
        let (who, label) = entry.key.split_once(' ').unwrap();
        let speaker = if who == "user" { Speaker::User } else { Speaker::Assistant };
        let found = statements(&entry.text(), speaker);
        let found: Vec<_> = found.iter().map(|statement| statement.kind.as_str()).collect();
        let report = format!("{}: {} {:?}, found {found:?}", entry.at, entry.key, entry.text());
        Sentence { label: label.to_owned(), found, report }
    });
    read.collect()
}

#[test]
fn sentences_the_rules_know_are_read_as_labelled() {
    let all = EXACT.into_iter().flat_map(sentences);
    assert_none(&all.filter(|it| !it.is_right()).map(|it| it.report).collect::<Vec<_>>());
}

#[test]
fn sentences_that_were_set_apart_are_nearly_all_read_as_labelled() {
    for (set, most_missed, most_made) in TOLERANT {
        let wrong = sentences(set).into_iter().filter(|it| !it.is_right());
        let (made, missed): (Vec<_>, Vec<_>) = wrong.partition(|it| it.label == "nothing");
        let reports: Vec<_> = made.iter().chain(&missed).map(|it| it.report.as_str()).collect();
        let is_good = missed.len() <= most_missed && made.len() <= most_made;
        assert!(is_good, "{set}: missed {}, made {}\n{}", missed.len(), made.len(), reports.join("\n"));
    }
}

/// Counts of a kind.
#[derive(Clone, Copy, Default)]
struct Counts {
    right: usize,
    made: usize,
    wanted: usize,
}

fn count(sentences: &[Sentence]) -> BTreeMap<String, Counts> {
    let mut counts: BTreeMap<String, Counts> = BTreeMap::new();
    for sentence in sentences {
        let mut open = sentence.wanted();
        for kind in &open {
            counts.entry((*kind).to_owned()).or_default().wanted += 1;
        }
        for kind in &sentence.found {
            let of_kind = counts.entry((*kind).to_owned()).or_default();
            of_kind.made += 1;
            if let Some(at) = open.iter().position(|wanted| wanted == kind) {
                open.remove(at);
                of_kind.right += 1;
            }
        }
    }
    let sum = |part: fn(&Counts) -> usize| counts.values().map(part).sum();
    let all = Counts { right: sum(|it| it.right), made: sum(|it| it.made), wanted: sum(|it| it.wanted) };
    counts.insert("all".to_owned(), all);
    counts
}

#[test]
fn sentences_labelled_before_the_rules_saw_them_are_found_precisely() {
    let mut wrong = Vec::new();
    for set in MEASURED {
        let sentences = sentences(set);
        for (kind, Counts { right, made, wanted }) in count(&sentences) {
            let (precision, recall) = (right as f64 / made as f64, right as f64 / wanted as f64);
            let line = format!(
                "{set} {kind}: precision {right}/{made} {precision:.2}, recall {right}/{wanted} {recall:.2}"
            );
            eprintln!("{line}");
            // Not a number where nothing was made or wanted, which is not good enough either.
            let is_good = precision >= LEAST_PRECISION && recall >= LEAST_RECALL;
            wrong.extend((!is_good).then_some(line));
        }
        for sentence in sentences.iter().filter(|it| !it.is_right()) {
            eprintln!("{}", sentence.report);
        }
    }
    assert_none(&wrong);
}

#[test]
fn a_plain_assertion_beside_a_task_is_about_the_task() {
    for assertion in [
        "The worker needs Redis 7 or newer.",
        "Deploys need the VPN.",
        "We validate at the edge, not in the handlers.",
    ] {
        assert_eq!(statements(assertion, Speaker::User).len(), 1, "{assertion}");
        for request in ["Add a health check.", "why is that?", "Fix the login page and run the tests"] {
            for text in [format!("{assertion} {request}"), format!("{request}\n\n{assertion}")] {
                assert_eq!(statements(&text, Speaker::User), [], "{text}");
            }
        }
        assert_eq!(statements(assertion, Speaker::Assistant), [], "{assertion}");
    }
}
