//! coding-agent-life-v1: short coding sessions as text, and questions that name sessions. A document is a session.

use super::converted::{ConvertedSet, SetDocument, SetQuery};
use serde::Deserialize;
use serde_json::Value;

#[derive(Debug, Deserialize)]
pub(super) struct LifeSession {
    id: String,
    timestamp: Option<Value>,
    content: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LifeQuestion {
    id: String,
    #[serde(rename = "type")]
    category: Option<String>,
    question: String,
    gold_session_ids: Vec<String>,
}

/// Converts the set.
pub(super) fn convert(sessions: Vec<LifeSession>, questions: Vec<LifeQuestion>) -> ConvertedSet {
    let document = |session: LifeSession| SetDocument {
        id: session.id,
        text: session.content,
        at: session.timestamp,
        ..SetDocument::default()
    };
    let query = |question: LifeQuestion| SetQuery {
        id: question.id,
        text: question.question,
        gold: question.gold_session_ids,
        category: question.category,
        ..SetQuery::default()
    };
    ConvertedSet {
        name: "coding-agent-life-v1".to_owned(),
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
        let sessions =
            json!([{"id": "s1", "timestamp": "2026-01-02T03:04:05Z", "content": "[user] the build is red"}]);
        let questions = json!([{"id": "q1", "type": "bug", "question": "Was the build red?", "answer": "yes", "goldSessionIds": ["s1"]}]);
        let set = convert(from_value(sessions).unwrap(), from_value(questions).unwrap());
        assert_eq!((set.documents.len(), set.queries.len(), set.unknown_gold()), (1, 1, 0));
        assert_eq!(set.documents[0].at, Some(json!("2026-01-02T03:04:05Z")));
        assert_eq!(set.queries[0].category.as_deref(), Some("bug"));
    }
}
