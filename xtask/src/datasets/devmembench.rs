//! DevMemBench: coding sessions, and questions that name the sessions to be found. A document is a session.
//!
//! The set says which project a session was of, as every memory of ours knows its own: that is its title.

use super::converted::{ConvertedSet, SetDocument, SetQuery};
use super::message::{self, ChatMessage};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DevMemSession {
    session_id: String,
    #[serde(default)]
    metadata: DevMemMetadata,
    messages: Vec<ChatMessage>,
}

#[derive(Debug, Default, Deserialize)]
struct DevMemMetadata {
    date: Option<String>,
    project: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DevMemQuestion {
    question_id: String,
    question_type: String,
    question: String,
    haystack_session_ids: Vec<String>,
}

/// Converts the set.
pub(super) fn convert(sessions: Vec<DevMemSession>, questions: Vec<DevMemQuestion>) -> ConvertedSet {
    let document = |session: DevMemSession| SetDocument {
        id: session.session_id,
        title: session.metadata.project,
        text: message::text(&session.messages),
        at: session.metadata.date.as_deref().and_then(message::time),
        ..SetDocument::default()
    };
    let query = |question: DevMemQuestion| SetQuery {
        id: question.question_id,
        text: question.question,
        gold: question.haystack_session_ids,
        category: Some(question.question_type),
        ..SetQuery::default()
    };
    ConvertedSet {
        name: "devmembench".to_owned(),
        documents: sessions.into_iter().map(document).collect(),
        queries: questions.into_iter().map(query).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{from_value, json};

    #[test]
    fn a_session_is_a_document() {
        let sessions = json!([{"sessionId": "S1", "metadata": {"date": "2025-02-03", "project": "shop"},
            "messages": [{"role": "user", "content": "Which queue?"}, {"role": "assistant", "content": "Redis streams."}]}]);
        let questions = json!([
            {"questionId": "Q1", "questionType": "architecture", "question": "What carries the jobs?", "groundTruth": "x", "haystackSessionIds": ["S1"]},
            {"questionId": "Q2", "questionType": "abstention", "question": "Who pays?", "groundTruth": "", "haystackSessionIds": []}]);
        let set = convert(from_value(sessions).unwrap(), from_value(questions).unwrap());
        let [document] = set.documents.as_slice() else { panic!("{set:?}") };
        assert_eq!((document.id.as_str(), document.text.as_str()), ("S1", "Which queue?\n\nRedis streams."));
        assert_eq!(document.title.as_deref(), Some("shop"));
        assert_eq!(document.at, Some(json!("2025-02-03T00:00:00Z")));
        let gold: Vec<_> =
            set.queries.iter().map(|query| (query.gold.clone(), query.category.as_deref())).collect();
        assert_eq!(gold, [(vec!["S1".to_owned()], Some("architecture")), (vec![], Some("abstention"))]);
    }
}
