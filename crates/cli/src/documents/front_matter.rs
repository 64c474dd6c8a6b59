//! What stands between two `---` at the head of a document: one `key: value` a line, or a key and a list, one `- item` a line.
//!
//! It is a small part of YAML, so that editors and viewers of Markdown show it; what is not plain is written as JSON, which is YAML too.

use super::Bad;
use serde_json::{Map, Value};

/// Keys whose value is a list, also where a person writes a single item.
const LISTS: [&str; 10] = [
    "files",
    "concepts",
    "facts",
    "project_keys",
    "supersedes",
    "contradicts",
    "derived_from",
    "relates",
    "anchors",
    "revisions",
];
/// Keys whose value is a number, or true or false; all others are text.
const NOT_TEXT: [&str; 5] = ["importance", "confidence", "pinned", "times_seen", "times_used"];

/// Writes one field.
pub(super) fn write(out: &mut String, key: &str, value: &Value) {
    match value {
        Value::Array(items) => {
            out.push_str(&format!("{key}:\n"));
            for item in items {
                out.push_str(&format!("  - {}\n", scalar(item)));
            }
        }
        value => out.push_str(&format!("{key}: {}\n", scalar(value))),
    }
}

/// Writes a value on one line, without quotes where nobody could take it for anything else.
fn scalar(value: &Value) -> String {
    match value {
        Value::String(text) if is_plain(text) => text.clone(),
        value => value.to_string(),
    }
}

fn is_plain(text: &str) -> bool {
    let begins_well = text.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_'));
    let reads_as_another = text.parse::<f64>().is_ok()
        || ["true", "false", "null", "yes", "no", "on", "off"].contains(&text.to_lowercase().as_str());
    begins_well
        && !reads_as_another
        && text.trim() == text
        && !text.chars().any(char::is_control)
        && !text.contains(": ")
        && !text.contains(" #")
        && !text.ends_with(':')
}

/// Reads the fields; the first line of `text` is line `first` of its file.
pub(super) fn read(text: &str, first: u64) -> Result<Map<String, Value>, Bad> {
    let mut fields = Map::new();
    let mut list: Option<String> = None;
    for (line, number) in text.split('\n').zip(first..) {
        let bad = |error: &str| Bad { line: number, error: error.to_owned() };
        let told = line.trim();
        if told.is_empty() || told.starts_with('#') {
            continue;
        }
        if let Some(item) = told.strip_prefix('-') {
            let key = list.as_ref().ok_or_else(|| bad("an item of no list"))?;
            let item = read_scalar(key, item.trim(), number)?;
            match fields.get_mut(key) {
                Some(Value::Array(items)) => items.push(item),
                _ => return Err(bad("an item of no list")),
            }
            continue;
        }
        let (key, value) = told.split_once(':').ok_or_else(|| bad("`key: value` is wanted"))?;
        let (key, value) = (key.trim().to_owned(), value.trim());
        if fields.contains_key(&key) {
            return Err(bad(&format!("`{key}` is said twice")));
        }
        let is_list = LISTS.contains(&key.as_str());
        list = (is_list && value.is_empty()).then(|| key.clone());
        let value = match value {
            "" if is_list => Value::Array(Vec::new()),
            "" => continue,
            value if is_list => Value::Array(read_list(&key, value, number)?),
            value => read_scalar(&key, value, number)?,
        };
        fields.insert(key, value);
    }
    Ok(fields)
}

/// Reads a list that stands on one line: `[a, b]` as JSON or as people write it, or a single item.
fn read_list(key: &str, text: &str, line: u64) -> Result<Vec<Value>, Bad> {
    let Some(inner) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) else {
        return Ok(vec![read_scalar(key, text, line)?]);
    };
    if let Ok(Value::Array(items)) = serde_json::from_str(text) {
        return Ok(items);
    }
    let items = inner.split(',').map(str::trim).filter(|item| !item.is_empty());
    items.map(|item| read_scalar(key, item, line)).collect()
}

fn read_scalar(key: &str, text: &str, line: u64) -> Result<Value, Bad> {
    let bad = |what: &str| Bad { line, error: format!("`{key}: {text}` is not {what}") };
    if text.starts_with('"') || text.starts_with('{') {
        return serde_json::from_str(text).map_err(|_| bad("JSON, as it begins"));
    }
    if NOT_TEXT.contains(&key) {
        return serde_json::from_str(text).map_err(|_| bad("a number, or true or false"));
    }
    let unquoted = text.strip_prefix('\'').and_then(|text| text.strip_suffix('\''));
    Ok(Value::String(unquoted.unwrap_or(text).to_owned()))
}
