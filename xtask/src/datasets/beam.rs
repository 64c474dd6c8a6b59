//! BEAM: very long chats, one folder each with `chat.json` and `probing_questions/probing_questions.json`. A corpus is a chat, a
//! document is a message.

use super::converted::{ConvertedSet, SetDocument, SetQuery, read_json};
use super::message;
use crate::TaskResult;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

const CHAT: &str = "chat.json";
const QUESTIONS: &str = "probing_questions/probing_questions.json";
/// Marker that the authors' generator left at the end of messages.
const LEFTOVER: &str = "->->";
/// Questions of this ability ask for something the chat does not contain.
const ABSTENTION: &str = "abstention";

type BeamQuestions = BTreeMap<String, Vec<Value>>;

/// Whether a folder is a chat, or contains chats.
pub(super) fn is_beam_folder(folder: &Path) -> bool {
    !chats(folder).is_empty()
}

/// Reads a chat, or all chats of a folder.
pub(super) fn read(folder: &Path) -> TaskResult<ConvertedSet> {
    let mut set = ConvertedSet { name: "beam".to_owned(), ..ConvertedSet::default() };
    for chat in chats(folder) {
        let corpus = chat.file_name().unwrap_or_default().to_string_lossy().into_owned();
        add_chat(&mut set, &corpus, &read_json(&chat.join(CHAT))?, &read_json(&chat.join(QUESTIONS))?);
    }
    Ok(set)
}

fn chats(folder: &Path) -> Vec<PathBuf> {
    let is_chat = |path: &PathBuf| path.join(CHAT).is_file() && path.join(QUESTIONS).is_file();
    let below = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut chats: Vec<PathBuf> = std::iter::once(folder.to_owned()).chain(below).filter(is_chat).collect();
    chats.sort();
    chats
}

/// Adds one chat. Skips a question that should have evidence and names none.
fn add_chat(set: &mut ConvertedSet, corpus: &str, chat: &Value, questions: &BeamQuestions) {
    let mut messages = BeamMessages::default();
    messages.walk(chat);
    for (ability, of_ability) in questions {
        for (number, question) in of_ability.iter().enumerate() {
            let mut numbers = Vec::new();
            whole_numbers(question.get("source_chat_ids").unwrap_or(&Value::Null), &mut numbers);
            let gold = if ability == ABSTENTION { Vec::new() } else { messages.named(&numbers) };
            if gold.is_empty() && ability != ABSTENTION {
                continue;
            }
            set.queries.push(SetQuery {
                id: format!("{corpus}/{ability}/{}", number + 1),
                corpus: corpus.to_owned(),
                text: question.get("question").and_then(Value::as_str).unwrap_or_default().to_owned(),
                gold,
                category: Some(ability.clone()),
                ..SetQuery::default()
            });
        }
    }
    let of_corpus = |document: SetDocument| SetDocument { corpus: corpus.to_owned(), ..document };
    set.documents.extend(messages.documents.into_iter().map(of_corpus));
}

/// The messages of a chat, in order.
#[derive(Default)]
struct BeamMessages {
    documents: Vec<SetDocument>,
    /// Document ids by message number. Several, because the longest chats restart numbering with each plan.
    ids_by_number: HashMap<i64, Vec<String>>,
    batch: usize,
    at: Option<Value>,
}

impl BeamMessages {
    /// Collects every message at any depth: plans hold batches, batches hold turns, turns hold messages.
    fn walk(&mut self, value: &Value) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| self.walk(item)),
            Value::Object(fields) => {
                if let Some(at) = fields.get("time_anchor").and_then(Value::as_str).and_then(message::time) {
                    self.at = Some(at);
                }
                if let (Some(id), Some(content)) =
                    (fields.get("id"), fields.get("content").and_then(Value::as_str))
                {
                    self.add_message(id.as_i64().unwrap_or(-1), content);
                } else {
                    self.batch += usize::from(fields.contains_key("turns"));
                    fields.values().for_each(|value| self.walk(value));
                }
            }
            _ => {}
        }
    }

    fn add_message(&mut self, number: i64, content: &str) {
        let text = content.rsplit_once(LEFTOVER).map_or(content, |(before, _)| before).trim().to_owned();
        if text.is_empty() {
            return;
        }
        let same_number = self.ids_by_number.entry(number).or_default();
        let id = if same_number.is_empty() {
            number.to_string()
        } else {
            format!("{number}#{}", same_number.len() + 1)
        };
        same_number.push(id.clone());
        let session = Some(format!("batch-{}", self.batch));
        self.documents.push(SetDocument { id, text, session, at: self.at.clone(), ..SetDocument::default() });
    }

    /// Returns every document with one of these numbers. An unknown number is kept, so that it counts as unknown gold.
    fn named(&self, numbers: &[i64]) -> Vec<String> {
        let all = numbers.iter().flat_map(|number| {
            self.ids_by_number.get(number).cloned().unwrap_or_else(|| vec![number.to_string()])
        });
        let mut named: Vec<String> = all.collect();
        named.sort();
        named.dedup();
        named
    }
}

/// Collects numbers at any depth: some questions group their evidence by purpose.
fn whole_numbers(value: &Value, into: &mut Vec<i64>) {
    match value {
        Value::Number(number) => into.extend(number.as_i64()),
        Value::Array(items) => items.iter().for_each(|item| whole_numbers(item, into)),
        Value::Object(fields) => fields.values().for_each(|value| whole_numbers(value, into)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{from_value, json};

    fn converted(chat: &Value, questions: Value) -> ConvertedSet {
        let mut set = ConvertedSet::default();
        add_chat(&mut set, "7", chat, &from_value(questions).unwrap());
        set
    }

    fn batch(messages: &Value) -> Value {
        json!({"batch_number": 1, "turns": [messages]})
    }

    #[test]
    fn a_message_is_a_document() {
        let chat = json!([
            batch(
                &json!([{"role": "user", "id": 0, "time_anchor": "March-15-2024", "content": "I keep bees ->-> 1,1"}, {"role": "assistant", "id": 1, "content": "How many hives?"}])
            ),
            batch(&json!([{"role": "user", "id": 2, "content": "Nine hives"}]))
        ]);
        let set = converted(
            &chat,
            json!({
            "abstention": [{"question": "Who sold them?"}],
            "knowledge_update": [{"question": "How many hives?", "source_chat_ids": {"original_info": [0], "updated_info": [2, 2]}}],
            "summarization": [{"question": "Sum up", "source_chat_ids": []}]}),
        );
        let documents: Vec<_> = set
            .documents
            .iter()
            .map(|document| {
                (document.id.as_str(), document.text.as_str(), document.session.as_deref().unwrap())
            })
            .collect();
        assert_eq!(
            documents,
            [
                ("0", "I keep bees", "batch-1"),
                ("1", "How many hives?", "batch-1"),
                ("2", "Nine hives", "batch-2")
            ]
        );
        assert_eq!(set.documents[1].at, Some(json!("2024-03-15T00:00:00Z")));
        let gold: Vec<_> =
            set.queries.iter().map(|query| (query.id.as_str(), query.gold.join(" "))).collect();
        assert_eq!(gold, [("7/abstention/1", String::new()), ("7/knowledge_update/1", "0 2".to_owned())]);
    }

    #[test]
    fn a_repeated_number_means_every_message_with_it() {
        let plan = |text: &str| json!([batch(&json!([{"role": "user", "id": 0, "content": text}]))]);
        let chat = json!([{"plan-1": plan("first")}, {"plan-2": plan("second"), "plan-3": null}]);
        let set = converted(
            &chat,
            json!({"event_ordering": [{"question": "In which order?", "source_chat_ids": [0, 9]}]}),
        );
        assert_eq!(set.queries[0].gold, ["0", "0#2", "9"]);
        assert_eq!(set.unknown_gold(), 1);
    }
}
