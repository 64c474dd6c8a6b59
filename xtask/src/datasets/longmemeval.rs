//! LongMemEval: every question has a haystack of sessions of its own. A document is a session, a corpus is a haystack.

use super::converted::{ConvertedSet, SetDocument, SetQuery};
use super::message::{self, ChatMessage};
use serde::Deserialize;
use std::collections::HashSet;

/// What the id of a question without an answer ends with.
const ABSTENTION: &str = "_abs";

#[derive(Debug, Deserialize)]
pub(super) struct LongMemEntry {
    question_id: String,
    question_type: Option<String>,
    question: String,
    question_date: Option<String>,
    haystack_sessions: Vec<Vec<ChatMessage>>,
    haystack_session_ids: Vec<String>,
    #[serde(default)]
    haystack_dates: Vec<String>,
    answer_session_ids: Vec<String>,
}

/// Converts the set.
pub(super) fn convert(entries: Vec<LongMemEntry>) -> ConvertedSet {
    let mut set = ConvertedSet { name: "longmemeval".to_owned(), ..ConvertedSet::default() };
    for entry in entries {
        set.documents.extend(documents(&entry));
        let has_answer = !entry.question_id.ends_with(ABSTENTION);
        set.queries.push(SetQuery {
            corpus: entry.question_id.clone(),
            id: entry.question_id,
            text: entry.question,
            gold: if has_answer { entry.answer_session_ids } else { Vec::new() },
            category: entry.question_type,
            at: entry.question_date.as_deref().and_then(message::time),
        });
    }
    set
}

/// Returns the sessions of a haystack. One that stands in it twice is one.
fn documents(entry: &LongMemEntry) -> Vec<SetDocument> {
    let mut seen = HashSet::new();
    let mut documents = Vec::new();
    for (number, (id, messages)) in
        entry.haystack_session_ids.iter().zip(&entry.haystack_sessions).enumerate()
    {
        let text = message::text(messages);
        if text.is_empty() || !seen.insert(id) {
            continue;
        }
        let at = entry.haystack_dates.get(number).and_then(|date| message::time(date));
        let corpus = entry.question_id.clone();
        documents.push(SetDocument { id: id.clone(), corpus, text, at, ..SetDocument::default() });
    }
    documents
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{from_value, json};

    #[test]
    fn every_question_has_a_corpus_of_its_own() {
        let entry = |id: &str| {
            json!({"question_id": id, "question_type": "multi-session", "question": "Where do I swim?", "answer": "x",
            "question_date": "2023/06/01 (Thu) 10:00", "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 02:21", "2023/05/22 (Mon) 02:21"],
            "haystack_session_ids": ["s1", "s2", "s1"], "answer_session_ids": ["s2"],
            "haystack_sessions": [[{"role": "user", "content": "I run."}], [{"role": "user", "content": "I swim in the lake.", "has_answer": true}], [{"role": "user", "content": "I run."}]]})
        };
        let set = convert(from_value(json!([entry("q1"), entry("q2_abs")])).unwrap());
        let ids: Vec<_> =
            set.documents.iter().map(|document| format!("{}/{}", document.corpus, document.id)).collect();
        assert_eq!(ids, ["q1/s1", "q1/s2", "q2_abs/s1", "q2_abs/s2"]);
        assert_eq!((set.queries[0].gold.join(" ").as_str(), set.queries[1].gold.len()), ("s2", 0));
        assert_eq!(set.queries[0].at, Some(json!("2023-06-01T10:00:00Z")));
        assert_eq!(set.documents[1].at, Some(json!("2023-05-21T02:21:00Z")));
    }
}
