//! BEAM: very long chats, one folder each with `chat.json` and `probing_questions/probing_questions.json`. A corpus is a chat, a
//! document is a message.

use super::message;
use crate::eval::data_set::{DataSet, Document, Query, read_json};
use crate::failure::Failure;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

const CHAT: &str = "chat.json";
const QUESTIONS: &str = "probing_questions/probing_questions.json";
/// What the authors' generator left at the end of messages.
const LEFTOVER: &str = "->->";
/// Questions of this ability ask for what nobody said.
const ABSTENTION: &str = "abstention";

type Questions = BTreeMap<String, Vec<Value>>;

/// Whether a folder is a chat, or holds chats.
pub(super) fn is_one(folder: &Path) -> bool {
    !chats(folder).is_empty()
}

/// Reads a chat, or all chats of a folder.
pub(super) fn read(folder: &Path) -> Result<DataSet, Failure> {
    let mut set = DataSet { name: "beam".to_owned(), ..DataSet::default() };
    for chat in chats(folder) {
        let corpus = chat.file_name().unwrap_or_default().to_string_lossy().into_owned();
        add(&mut set, &corpus, &read_json(&chat.join(CHAT))?, &read_json(&chat.join(QUESTIONS))?);
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

/// Adds one chat. A question that should have evidence and names none is left out.
fn add(set: &mut DataSet, corpus: &str, chat: &Value, questions: &Questions) {
    let mut messages = Messages::default();
    messages.walk(chat);
    for (ability, asked) in questions {
        for (number, question) in asked.iter().enumerate() {
            let mut numbers = Vec::new();
            whole_numbers(question.get("source_chat_ids").unwrap_or(&Value::Null), &mut numbers);
            let gold = if ability == ABSTENTION { Vec::new() } else { messages.named(&numbers) };
            if gold.is_empty() && ability != ABSTENTION {
                continue;
            }
            set.queries.push(Query {
                id: format!("{corpus}/{ability}/{}", number + 1),
                corpus: corpus.to_owned(),
                text: question.get("question").and_then(Value::as_str).unwrap_or_default().to_owned(),
                gold,
                category: Some(ability.clone()),
                ..Query::default()
            });
        }
    }
    let of_corpus = |document: Document| Document { corpus: corpus.to_owned(), ..document };
    set.documents.extend(messages.documents.into_iter().map(of_corpus));
}

/// The messages of a chat, in order.
#[derive(Default)]
struct Messages {
    documents: Vec<Document>,
    /// The documents that bear a number: in the longest chats numbers begin anew with each plan.
    bearers: HashMap<i64, Vec<String>>,
    batch: usize,
    at: Option<Value>,
}

impl Messages {
    /// Takes in every message, however deep: batches hold turns hold messages, and plans hold batches.
    fn walk(&mut self, value: &Value) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| self.walk(item)),
            Value::Object(fields) => {
                if let Some(at) = fields.get("time_anchor").and_then(Value::as_str).and_then(message::time) {
                    self.at = Some(at);
                }
                if let (Some(id), Some(said)) =
                    (fields.get("id"), fields.get("content").and_then(Value::as_str))
                {
                    self.take(id.as_i64().unwrap_or(-1), said);
                } else {
                    self.batch += usize::from(fields.contains_key("turns"));
                    fields.values().for_each(|value| self.walk(value));
                }
            }
            _ => {}
        }
    }

    fn take(&mut self, number: i64, said: &str) {
        let text = said.rsplit_once(LEFTOVER).map_or(said, |(said, _)| said).trim().to_owned();
        if text.is_empty() {
            return;
        }
        let bearers = self.bearers.entry(number).or_default();
        let id =
            if bearers.is_empty() { number.to_string() } else { format!("{number}#{}", bearers.len() + 1) };
        bearers.push(id.clone());
        let session = Some(format!("batch-{}", self.batch));
        self.documents.push(Document { id, text, session, at: self.at.clone(), ..Document::default() });
    }

    /// Returns every document that bears one of the numbers; a number nobody bears stays, to be counted as unknown.
    fn named(&self, numbers: &[i64]) -> Vec<String> {
        let all = numbers
            .iter()
            .flat_map(|number| self.bearers.get(number).cloned().unwrap_or_else(|| vec![number.to_string()]));
        let mut named: Vec<String> = all.collect();
        named.sort();
        named.dedup();
        named
    }
}

/// Collects numbers however they are nested: some questions sort their evidence by what it is for.
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

    fn converted(chat: &Value, questions: Value) -> DataSet {
        let mut set = DataSet::default();
        add(&mut set, "7", chat, &from_value(questions).unwrap());
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
        let said: Vec<_> = set
            .documents
            .iter()
            .map(|document| {
                (document.id.as_str(), document.text.as_str(), document.session.as_deref().unwrap())
            })
            .collect();
        assert_eq!(
            said,
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
    fn numbers_that_begin_anew_mean_every_message_that_bears_them() {
        let plan = |said: &str| json!([batch(&json!([{"role": "user", "id": 0, "content": said}]))]);
        let chat = json!([{"plan-1": plan("first")}, {"plan-2": plan("second"), "plan-3": null}]);
        let set = converted(
            &chat,
            json!({"event_ordering": [{"question": "In which order?", "source_chat_ids": [0, 9]}]}),
        );
        assert_eq!(set.queries[0].gold, ["0", "0#2", "9"]);
        assert_eq!(set.unknown_gold().len(), 1);
    }
}
