//! What a model answered, read leniently: code fences, text around the JSON, missing and misspelled fields cost nothing here.
//!
//! Not here: whether any of it holds (`checks`).

use super::mended_json::mended;
use super::title_length;
use backstory_memory::{clean, on_one_line, words};
use serde_json::Value;

/// Everything an answer says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ModelAnswer {
    pub(super) summary: Option<AnswerSummary>,
    pub(super) handoff: Option<AnswerHandoff>,
    pub(super) notes: Vec<AnswerNote>,
    pub(super) changes: Vec<AnswerChange>,
}

/// What the session achieved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct AnswerSummary {
    pub(super) title: String,
    pub(super) request: String,
    pub(super) done: String,
}

/// Where the work stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AnswerHandoff {
    pub(super) state: WorkState,
    pub(super) place: String,
    pub(super) next_steps: Vec<String>,
    pub(super) open_questions: Vec<String>,
}

/// How far the work is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WorkState {
    Done,
    InProgress,
    WaitingForUser,
    Dropped,
}

/// One thing an answer would have remembered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct AnswerNote {
    pub(super) kind: String,
    pub(super) title: String,
    pub(super) body: String,
    pub(super) quote: String,
    pub(super) needed_when: String,
    /// The numbers of the turns it cites; what is no number of a turn is 0.
    pub(super) turns: Vec<usize>,
    pub(super) files: Vec<String>,
}

/// What an answer would do to a known memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AnswerChange {
    pub(super) operation: String,
    /// The name of the memory in the digest.
    pub(super) name: String,
    pub(super) reason: String,
    pub(super) turns: Vec<usize>,
    /// Which of the notes takes its place.
    pub(super) by: Option<usize>,
}

impl ModelAnswer {
    /// Finds the answer in what a model wrote; nothing where there is none.
    pub(super) fn read(text: &str) -> Option<ModelAnswer> {
        let whole = || objects(text).find_map(|value| unwrapped(value, 0));
        let value = whole().or_else(|| mended_objects(text).find(is_answer))?;
        let answer = ModelAnswer {
            summary: value.get("summary").and_then(summary),
            handoff: value.get("handoff").and_then(handoff),
            notes: list(&value, "add").iter().map(note).collect(),
            changes: list(&value, "change").iter().map(change).collect(),
        };
        // Who says neither what was done nor where it stands has not read the session.
        (answer.summary.is_some() || answer.handoff.is_some()).then_some(answer)
    }
}

/// More braces than this are no answer with some words around it.
const MOST_TRIES: usize = 64;

/// The texts that begin with a brace, in order.
fn from_braces(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices('{').take(MOST_TRIES).filter_map(|(at, _)| text.get(at..))
}

fn first_object(text: &str) -> Option<Value> {
    serde_json::Deserializer::from_str(text).into_iter().next()?.ok()
}

/// The JSON objects in a text, in order. What stands before, between and behind them is passed over.
fn objects(text: &str) -> impl Iterator<Item = Value> {
    from_braces(text).filter_map(first_object)
}

/// The objects in a text that is no JSON: cut off in the middle, with a comma too many, with line breaks in a string.
fn mended_objects(text: &str) -> impl Iterator<Item = Value> {
    from_braces(text).filter_map(|text| first_object(&mended(text)?))
}

fn is_answer(value: &Value) -> bool {
    ["summary", "handoff", "add", "change"].iter().any(|key| value.get(key).is_some())
}

/// Returns the object that holds an answer, also where it is wrapped as `{"answer": …}`.
fn unwrapped(value: Value, depth: usize) -> Option<Value> {
    if is_answer(&value) {
        return Some(value);
    }
    match value.get("answer")? {
        _ if depth > 2 => None,
        Value::String(inner) => objects(inner).find_map(|value| unwrapped(value, depth + 1)),
        inner => unwrapped(inner.clone(), depth + 1),
    }
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// A field as one clean line.
fn line(value: &Value, key: &str) -> String {
    on_one_line(value.get(key).and_then(Value::as_str).unwrap_or_default()).trim().to_owned()
}

fn lines(value: &Value, key: &str) -> Vec<String> {
    let items = list(value, key).iter().filter_map(Value::as_str);
    items.map(|item| on_one_line(item).trim().to_owned()).filter(|item| !item.is_empty()).collect()
}

fn summary(value: &Value) -> Option<AnswerSummary> {
    let summary = AnswerSummary {
        title: line(value, "title"),
        request: line(value, "request"),
        done: line(value, "done"),
    };
    (!summary.title.is_empty()).then_some(summary)
}

fn handoff(value: &Value) -> Option<AnswerHandoff> {
    value.is_object().then(|| AnswerHandoff {
        state: state(&line(value, "state")),
        place: line(value, "where"),
        next_steps: lines(value, "next_steps"),
        open_questions: lines(value, "open_questions"),
    })
}

/// Reads a state in any spelling. One that says nothing claims nothing: then the work is not done.
fn state(text: &str) -> WorkState {
    let words: Vec<String> = words(&text.replace('_', " ")).collect();
    let says = |beginnings: &[&str]| {
        words.iter().any(|word| beginnings.iter().any(|beginning| word.starts_with(beginning)))
    };
    match () {
        () if says(&["wait", "await", "question", "user"]) => WorkState::WaitingForUser,
        () if says(&["progress", "partial", "ongoing", "open", "not", "incomplete", "interrupt"]) => {
            WorkState::InProgress
        }
        () if says(&["drop", "abandon", "cancel"]) => WorkState::Dropped,
        () if says(&["done", "complete", "finish", "closed"]) => WorkState::Done,
        () => WorkState::InProgress,
    }
}

fn note(value: &Value) -> AnswerNote {
    let body = clean(value.get("body").and_then(Value::as_str).unwrap_or_default()).trim().to_owned();
    let (title, body) = title_length::fitted(line(value, "title"), body);
    AnswerNote {
        kind: line(value, "kind").to_lowercase(),
        title,
        body,
        quote: line(value, "quote"),
        needed_when: line(value, "needed_when"),
        turns: turns(value),
        files: lines(value, "files"),
    }
}

fn change(value: &Value) -> AnswerChange {
    AnswerChange {
        operation: line(value, "op").to_lowercase(),
        name: line(value, "id"),
        reason: line(value, "reason"),
        turns: turns(value),
        by: value.get("by").and_then(Value::as_u64).and_then(|by| usize::try_from(by).ok()),
    }
}

/// The cited turns: `["t3"]`, `[3]`, `"t3, t4"`.
fn turns(value: &Value) -> Vec<usize> {
    let number = |text: &str| text.trim().trim_start_matches(['t', 'T']).parse().unwrap_or(0);
    let parts = |text: &str| -> Vec<usize> {
        text.split([',', ' ', ';']).filter(|part| !part.trim().is_empty()).map(number).collect()
    };
    let one = |value: &Value| match value {
        Value::String(text) => parts(text),
        other => vec![other.as_u64().and_then(|turn| usize::try_from(turn).ok()).unwrap_or(0)],
    };
    let mut turns: Vec<usize> = match value.get("evidence") {
        Some(Value::Array(items)) => items.iter().flat_map(one).collect(),
        Some(other) => one(other),
        None => Vec::new(),
    };
    turns.sort_unstable();
    turns.dedup();
    turns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_found_whatever_stands_around_it() {
        let answer = r#"{"summary":{"title":"Labels print once"},"add":[{"kind":"Fact","title":"x","evidence":"t2, t3"}]}"#;
        let wrapped = serde_json::json!({ "answer": answer }).to_string();
        let object = format!(r#"{{"answer": {answer}}}"#);
        let fenced = format!("Here {{is}} what I found:\n```json\n{answer}\n```\nAnything else?");
        for text in [answer, &wrapped, &object, &fenced] {
            let read = ModelAnswer::read(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(read.summary.map(|summary| summary.title).as_deref(), Some("Labels print once"));
            assert_eq!(read.notes.first().map(|note| note.turns.clone()), Some(vec![2, 3]));
            assert_eq!(read.handoff, None);
        }
        for text in ["", "no JSON", "{\"a\": 1}", "{\"add\": []}", "{\"add\": [", "{{{{", "[1, 2]"] {
            assert_eq!(ModelAnswer::read(text), None, "{text}");
        }
    }

    #[test]
    fn an_answer_that_is_cut_off_is_read_as_far_as_it_is_whole() {
        let answer = r#"{"summary": {"title": "Labels, \"once\""}, "handoff": {"state": "Completed", "where": "main", "next_steps": []},
            "add": [{"kind": "fact", "title": "one", "evidence": ["t1"]}, {"kind": "fact", "title": "two", "evidence": ["t2"]}], "change": []}"#;
        let mut lengths = Vec::new();
        for end in (0..=answer.len()).filter(|end| answer.is_char_boundary(*end)) {
            let read = ModelAnswer::read(&format!("```json\n{}", &answer[..end])).unwrap_or_default();
            assert!(read.notes.iter().all(|note| !note.turns.is_empty()), "half a note: {read:?}");
            assert!(read.handoff.is_none_or(|handoff| handoff.place == "main"), "half a handoff at {end}");
            lengths.push(usize::from(read.summary.is_some()) + read.notes.len());
        }
        lengths.dedup();
        assert_eq!(lengths, [0, 1, 2, 3]);
        let slips = answer.replace("\"t2\"]}]", "\"t2\",],},\n]").replace("one", "o\nne");
        assert_eq!(ModelAnswer::read(&slips).map(|read| read.notes.len()), Some(2), "{slips}");
    }

    #[test]
    fn a_state_is_read_in_any_spelling() {
        for (text, expected) in [
            ("done", WorkState::Done),
            ("Completed", WorkState::Done),
            ("in-progress", WorkState::InProgress),
            ("not done", WorkState::InProgress),
            ("partially complete", WorkState::InProgress),
            ("waiting_for_user", WorkState::WaitingForUser),
            ("Awaiting user input", WorkState::WaitingForUser),
            ("abandoned", WorkState::Dropped),
            ("", WorkState::InProgress),
        ] {
            assert_eq!(state(text), expected, "{text}");
        }
    }

    #[test]
    fn a_turn_that_cannot_be_read_is_none() {
        let turns =
            |evidence: &str| turns(&serde_json::from_str(&format!(r#"{{"evidence": {evidence}}}"#)).unwrap());
        assert_eq!(turns(r#"["t1", 2, "T3"]"#), [1, 2, 3]);
        assert_eq!(turns(r#"["the end"]"#), [0]);
        assert_eq!(turns("null"), [0]);
    }
}
