//! remem's golden set: notes of several projects, and questions whose evidence is described rather than named. A document is a note,
//! a corpus is a project. Branches are left out: we have none.

use super::converted::{ConvertedSet, SetDocument, SetQuery};
use backstory_memory::{Kind, Provenance};
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashMap;

#[derive(Debug, Deserialize)]
pub(super) struct RememGolden {
    corpus: Vec<RememNote>,
    queries: Vec<RememQuestion>,
}

#[derive(Debug, Deserialize)]
struct RememNote {
    project: String,
    topic_key: Option<String>,
    title: String,
    content: String,
    memory_type: String,
    scope: Option<String>,
    created_at_epoch: Option<Value>,
}

#[derive(Debug, Deserialize)]
struct RememQuestion {
    id: String,
    query: String,
    slice: Option<String>,
    project: String,
    evidence_refs: Vec<RememEvidence>,
}

#[derive(Debug, Deserialize)]
struct RememEvidence {
    topic_key: Option<String>,
    memory_type: Option<String>,
    scope: Option<String>,
    text_contains: Option<String>,
}

impl RememEvidence {
    fn describes(&self, note: &RememNote) -> bool {
        let is = |wanted: &Option<String>, held: Option<&str>| wanted.is_none() || wanted.as_deref() == held;
        let contains = |text: &String| note.content.contains(text) || note.title.contains(text);
        is(&self.topic_key, note.topic_key.as_deref())
            && is(&self.memory_type, Some(&note.memory_type))
            && is(&self.scope, note.scope.as_deref())
            && self.text_contains.as_ref().is_none_or(contains)
    }
}

/// Converts the set.
pub(super) fn convert(golden: &RememGolden) -> ConvertedSet {
    let ids = ids(&golden.corpus);
    let named = || golden.corpus.iter().zip(&ids);
    let query = |question: &RememQuestion| {
        let gold = question.evidence_refs.iter().flat_map(|evidence| {
            let notes =
                named().filter(|(note, _)| note.project == question.project && evidence.describes(note));
            let matching: Vec<String> = notes.map(|(_, id)| id.clone()).collect();
            // Evidence that matches no note is kept, so that it counts as unknown gold.
            if matching.is_empty() { vec![format!("{evidence:?}")] } else { matching }
        });
        SetQuery {
            id: question.id.clone(),
            corpus: question.project.clone(),
            text: question.query.clone(),
            gold: gold.collect(),
            category: question.slice.clone(),
            ..SetQuery::default()
        }
    };
    let document = |(note, id): (&RememNote, &String)| SetDocument {
        id: id.clone(),
        corpus: note.project.clone(),
        text: note.content.clone(),
        title: Some(note.title.clone()),
        at: note.created_at_epoch.clone(),
        kind: Kind::from_input(&note.memory_type, &Provenance::User).ok().map(|kind| kind.to_string()),
        ..SetDocument::default()
    };
    ConvertedSet {
        name: "remem".to_owned(),
        documents: named().map(document).collect(),
        queries: golden.queries.iter().map(query).collect(),
    }
}

/// Names the notes: by topic, and by number where a topic has several.
fn ids(notes: &[RememNote]) -> Vec<String> {
    let mut seen: HashMap<(String, String), usize> = HashMap::new();
    let name = |note: &RememNote| {
        let topic = note.topic_key.as_deref().unwrap_or("note");
        let count = seen.entry((note.project.clone(), topic.to_owned())).or_default();
        *count += 1;
        if *count == 1 { topic.to_owned() } else { format!("{topic}#{count}") }
    };
    notes.iter().map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{from_value, json};

    #[test]
    fn evidence_matches_by_its_description_within_its_project() {
        let note = |project: &str, topic: &str, content: &str| json!({"project": project, "topic_key": topic, "title": topic, "content": content, "memory_type": "decision", "created_at_epoch": 1_700_000_000});
        let question = |id: &str, evidence| json!({"id": id, "query": "?", "category": "c", "slice": "plain", "project": "p", "evidence_refs": evidence});
        let golden = json!({"version": "2", "corpus": [note("p", "t", "one tide"), note("p", "t", "two tides"), note("q", "t", "one tide")],
            "queries": [question("found", json!([{"topic_key": "t", "memory_type": "decision", "text_contains": "two"}])),
                question("unknown", json!([{"topic_key": "u"}])), question("none", json!([]))]});
        let set = convert(&from_value(golden).unwrap());
        let ids: Vec<_> =
            set.documents.iter().map(|document| format!("{}/{}", document.corpus, document.id)).collect();
        assert_eq!(ids, ["p/t", "p/t#2", "q/t"]);
        assert_eq!(set.queries[0].gold, ["t#2"]);
        assert!(set.queries[2].gold.is_empty());
        assert_eq!(set.unknown_gold(), 1);
    }
}
