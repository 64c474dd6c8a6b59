//! The devbench of mcp-memory-service: typed notes of a developer, and questions that name tags. A document is a note; the gold of a
//! question are the notes with one of its tags.

use super::converted::{ConvertedSet, SetDocument, SetQuery};
use backstory_memory::{Kind, Provenance};
use serde::Deserialize;
use serde_json::Value;

#[derive(Debug, Deserialize)]
pub(super) struct DevbenchFile {
    memories: Vec<DevbenchNote>,
    queries: Vec<DevbenchQuestion>,
}

#[derive(Debug, Deserialize)]
struct DevbenchNote {
    id: String,
    content: String,
    tags: Vec<String>,
    memory_type: String,
    created_at_iso: Option<Value>,
}

#[derive(Debug, Deserialize)]
struct DevbenchQuestion {
    id: String,
    category: Option<String>,
    question: String,
    expected_tags: Vec<String>,
}

/// Converts the set. A type that is no kind of ours is left out, and guessed on import.
pub(super) fn convert(bench: DevbenchFile) -> ConvertedSet {
    let DevbenchFile { memories, queries } = bench;
    let query = |question: DevbenchQuestion| SetQuery {
        gold: gold(&memories, &question.expected_tags),
        id: question.id,
        text: question.question,
        category: question.category,
        ..SetQuery::default()
    };
    let queries = queries.into_iter().map(query).collect();
    let document = |note: DevbenchNote| SetDocument {
        id: note.id,
        text: note.content,
        at: note.created_at_iso,
        kind: Kind::from_input(&note.memory_type, &Provenance::User).ok().map(|kind| kind.to_string()),
        ..SetDocument::default()
    };
    let documents = memories.into_iter().map(document).collect();
    ConvertedSet { name: "mcp-memory-devbench".to_owned(), documents, queries }
}

/// Returns the notes with one of the tags. A tag without a note is kept, so that it counts as unknown gold.
fn gold(notes: &[DevbenchNote], tags: &[String]) -> Vec<String> {
    let mut gold = Vec::new();
    for tag in tags {
        let tagged = notes.iter().filter(|note| note.tags.contains(tag)).map(|note| &note.id);
        let before = gold.len();
        gold.extend(tagged.cloned());
        if gold.len() == before {
            gold.push(tag.clone());
        }
    }
    gold.sort();
    gold.dedup();
    gold
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{from_value, json};

    #[test]
    fn gold_is_every_note_with_a_wanted_tag() {
        let bench = json!({"memories": [
            {"id": "n1", "content": "We chose tabs", "tags": ["style", "tabs"], "memory_type": "decision", "created_at_iso": "2025-01-01T00:00:00Z"},
            {"id": "n2", "content": "Lines are short", "tags": ["style"], "memory_type": "habit"}],
          "queries": [
            {"id": "q1", "category": "lookup", "question": "How do lines look?", "expected_tags": ["style"]},
            {"id": "q2", "category": "lookup", "question": "Who?", "expected_tags": ["nobody"]},
            {"id": "q3", "category": "negative", "question": "Why?", "expected_tags": []}]});
        let set = convert(from_value(bench).unwrap());
        let gold: Vec<_> = set.queries.iter().map(|query| query.gold.join(" ")).collect();
        assert_eq!(gold, ["n1 n2", "nobody", ""]);
        assert_eq!(set.unknown_gold(), 1);
        let kinds: Vec<_> = set.documents.iter().map(|document| document.kind.as_deref()).collect();
        assert_eq!(kinds, [Some("decision"), None]);
    }
}
