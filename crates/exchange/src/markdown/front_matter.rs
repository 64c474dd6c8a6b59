//! What stands between two `---` at the head of a document, read by the shape of a record.
//!
//! The shape decides what a value is: text where it takes text, else a number or true or false, else a list. So `title: 12` is a title, and
//! `files: a.rs` a list of one. Not here: YAML itself (`yaml`).

use super::DocumentError;
use crate::record::MemoryRecord;
use crate::yaml::{YamlNode, read_nodes};
use serde_json::{Map, Value};

/// Reads the fields; the first line of `text` is line `first` of its file.
pub(super) fn read(text: &str, first: u64) -> Result<Map<String, Value>, DocumentError> {
    let error = |line: u64, error: &str| DocumentError { line: line + first - 1, error: error.to_owned() };
    let fields = match read_nodes(text).map_err(|bad| error(bad.line, &bad.message))? {
        YamlNode::Missing => Vec::new(),
        YamlNode::Map(fields) => fields,
        YamlNode::List(_) => return Err(error(first_line(text), "a list item without a key")),
        YamlNode::Scalar(_) => return Err(error(first_line(text), "`key: value` is wanted")),
    };
    let mut read = Map::new();
    for (line, key, node) in fields {
        if read.contains_key(&key) {
            return Err(error(line, &format!("`{key}` stands here twice")));
        }
        // A key without a value means an empty list, or nothing where no list is wanted.
        if node == YamlNode::Missing {
            if is_list(&key) {
                read.insert(key, Value::Array(Vec::new()));
            }
            continue;
        }
        match candidates(&node).into_iter().find(|value| is_accepted(&key, value)) {
            Some(value) => drop(read.insert(key, value)),
            None => {
                let text = if let YamlNode::Scalar(scalar) = &node { scalar.text.as_str() } else { "…" };
                return Err(error(line, &format!("`{key}: {text}` is not a number, or true or false")));
            }
        }
    }
    Ok(read)
}

/// Returns the line of the first words, from 1.
fn first_line(text: &str) -> u64 {
    let blank = |line: &&str| line.trim().is_empty() || line.trim().starts_with('#');
    text.lines().take_while(blank).count() as u64 + 1
}

/// Returns what a node may stand for, the most literal reading first.
fn candidates(node: &YamlNode) -> Vec<Value> {
    match node {
        YamlNode::Scalar(scalar) => {
            let text = Value::String(scalar.text.clone());
            let single = Value::Array(vec![text.clone()]);
            [Some(text), scalar.value(), Some(single)].into_iter().flatten().collect()
        }
        YamlNode::List(items) => {
            let literal = |item: &YamlNode| match item {
                YamlNode::Scalar(scalar) => Some(Value::String(scalar.text.clone())),
                _ => item.value().ok(),
            };
            let texts = items.iter().map(literal).collect::<Option<Vec<_>>>();
            let values = items.iter().map(|item| item.value().ok()).collect::<Option<Vec<_>>>();
            [texts, values].into_iter().flatten().map(Value::Array).collect()
        }
        node => node.value().into_iter().collect(),
    }
}

/// Whether the shape of a record takes a list for this key, and not just anything.
fn is_list(key: &str) -> bool {
    is_accepted(key, &Value::Array(Vec::new())) && !is_accepted(key, &Value::Bool(true))
}

/// Whether the shape of a record takes this value for this key. A key it does not know takes any.
fn is_accepted(key: &str, value: &Value) -> bool {
    let alone = Map::from_iter([(key.to_owned(), value.clone())]);
    serde_json::from_value::<MemoryRecord>(Value::Object(alone)).is_ok()
}
