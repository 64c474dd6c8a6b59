//! YAML, as much of it as people, lore and `yq` write: nested maps and lists, quoted and plain words, blocks of text, brackets.
//!
//! Reads a text into nodes that remember their line and whether they were quoted, so that a reader who knows the type of a value is not
//! misled by a title that looks like a number. Not here: anchors, tags, several documents, maps in braces that are not JSON.

use serde_json::{Map, Number, Value};

/// What cannot be read, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct YamlError {
    /// The line, from 1.
    pub(crate) line: u64,
    pub(crate) message: String,
}

/// A value as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum YamlNode {
    Missing,
    Scalar(YamlScalar),
    List(Vec<YamlNode>),
    /// The keys in their order, each with its line; a key may stand twice.
    Map(Vec<(u64, String, YamlNode)>),
}

/// Words on a line, or over several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct YamlScalar {
    pub(crate) text: String,
    pub(crate) is_quoted: bool,
}

/// Reads a whole document.
pub(crate) fn read_nodes(text: &str) -> Result<YamlNode, YamlError> {
    let mut reader = YamlReader { lines: text.lines().map(str::to_owned).collect(), at: 0, depth: 0 };
    let node = reader.node(0)?;
    if reader.next().is_some() { Err(reader.error("`key: value` is wanted")) } else { Ok(node) }
}

/// Reads a whole document as plain values.
pub(crate) fn read(text: &str) -> Result<Value, YamlError> {
    read_nodes(text)?.value()
}

/// Reads the entries of a list that stands at the top of a document, each by itself: one that is broken does not spoil the others.
pub(crate) fn entries(text: &str, section: &str) -> Vec<Result<Value, YamlError>> {
    let heading = format!("{section}:");
    let mut lines = text.lines().skip_while(|line| line.trim_end() != heading);
    lines.next();
    let inside = |line: &&str| line.is_empty() || line.starts_with([' ', '#', '-']);
    let mut entries: Vec<String> = Vec::new();
    let mut dash = None;
    for line in lines.take_while(inside) {
        // The first dash sets the indent of the list: a deeper dash belongs to an entry.
        let is_entry =
            line.trim_start().starts_with("- ") && indent(line) <= *dash.get_or_insert(indent(line));
        match entries.last_mut() {
            _ if is_entry => entries.push(line.to_owned()),
            Some(entry) => {
                entry.push('\n');
                entry.push_str(line);
            }
            None => {}
        }
    }
    let not_a_list = || YamlError { line: 1, message: "a list is wanted".to_owned() };
    let one = |entry: &String| match read(entry)? {
        Value::Array(items) => items.into_iter().next().ok_or_else(not_a_list),
        _ => Err(not_a_list()),
    };
    entries.iter().map(one).collect()
}

/// Writes one field of a map: a list one item a line, anything else on the line of its key.
pub(crate) fn write_field(out: &mut String, key: &str, value: &Value) {
    match value {
        Value::Array(items) => {
            out.push_str(&format!("{key}:\n"));
            for item in items {
                out.push_str(&format!("  - {}\n", written(item)));
            }
        }
        value => out.push_str(&format!("{key}: {}\n", written(value))),
    }
}

/// Writes a value on one line, without quotes where it can only be read as text. JSON is YAML too.
fn written(value: &Value) -> String {
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

impl YamlNode {
    /// Returns what it stands for, by the rules of YAML; of a key that stands twice the last counts.
    pub(crate) fn value(&self) -> Result<Value, YamlError> {
        match self {
            YamlNode::Missing => Ok(Value::Null),
            YamlNode::Scalar(scalar) => scalar
                .value()
                .ok_or_else(|| YamlError { line: 1, message: format!("`{}` is no value", scalar.text) }),
            YamlNode::List(items) => {
                items.iter().map(YamlNode::value).collect::<Result<_, _>>().map(Value::Array)
            }
            YamlNode::Map(fields) => {
                let fields = fields.iter().map(|(_, key, node)| Ok((key.clone(), node.value()?)));
                fields.collect::<Result<Map<_, _>, _>>().map(Value::Object)
            }
        }
    }
}

impl YamlScalar {
    /// Returns what it stands for; nothing where it is a kind of YAML that is not read here.
    pub(crate) fn value(&self) -> Option<Value> {
        let text = self.text.as_str();
        if self.is_quoted {
            return Some(Value::String(text.to_owned()));
        }
        if let Some(inner) = text.strip_prefix('[') {
            if let Ok(list @ Value::Array(_)) = serde_json::from_str(text) {
                return Some(list);
            }
            let items = inner.strip_suffix(']')?.split(',').map(str::trim).filter(|item| !item.is_empty());
            return items.map(|item| scalar(item)?.value()).collect::<Option<_>>().map(Value::Array);
        }
        Some(match text {
            "" | "~" | "null" => Value::Null,
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            _ if text.starts_with('{') => serde_json::from_str(text).ok()?,
            _ if text.starts_with(['&', '*', '!', '@', '`']) => return None,
            _ => number(text).unwrap_or_else(|| Value::String(text.to_owned())),
        })
    }
}

struct YamlReader {
    lines: Vec<String>,
    at: usize,
    depth: usize,
}

/// Nobody nests deeper by hand.
const DEEPEST: usize = 32;

impl YamlReader {
    fn error(&self, message: &str) -> YamlError {
        YamlError { line: self.at as u64 + 1, message: message.to_owned() }
    }

    /// Moves to the next line that says something, and returns its indent and its words.
    fn next(&mut self) -> Option<(usize, String)> {
        loop {
            let line = self.lines.get(self.at)?;
            let words = line.trim();
            if !words.is_empty() && !words.starts_with('#') && words != "---" {
                return Some((indent(line), words.to_owned()));
            }
            self.at += 1;
        }
    }

    /// Reads what is indented at least as far as this.
    fn node(&mut self, least: usize) -> Result<YamlNode, YamlError> {
        let Some((indent, words)) = self.next().filter(|(indent, _)| *indent >= least) else {
            return Ok(YamlNode::Missing);
        };
        self.depth += 1;
        let node = if self.depth > DEEPEST {
            Err(self.error("nested too deep"))
        } else if is_item(&words) {
            self.list(indent)
        } else if key_of(&words).is_some() {
            self.map(indent)
        } else {
            self.at += 1;
            self.scalar(&words, indent)
        };
        self.depth -= 1;
        node
    }

    fn list(&mut self, indent: usize) -> Result<YamlNode, YamlError> {
        let mut items = Vec::new();
        while let Some((_, words)) = self.next().filter(|(at, words)| *at == indent && is_item(words)) {
            let rest = words.get(1..).unwrap_or_default();
            if rest.trim().is_empty() {
                self.at += 1;
                items.push(self.node(indent + 1)?);
            } else if let Some(line) = self.lines.get_mut(self.at) {
                // What follows the dash is read as if it stood on a line of its own.
                *line = format!("{} {rest}", " ".repeat(indent));
                items.push(self.node(indent + 1)?);
            }
        }
        Ok(YamlNode::List(items))
    }

    fn map(&mut self, indent: usize) -> Result<YamlNode, YamlError> {
        let mut fields = Vec::new();
        while let Some((_, words)) = self.next().filter(|(at, _)| *at == indent) {
            let line = self.at as u64 + 1;
            let Some((key, rest)) = key_of(&words) else { return Err(self.error("`key: value` is wanted")) };
            self.at += 1;
            let node = if rest.starts_with(['|', '>']) {
                self.block(indent, rest.starts_with('>'))
            } else if !rest.is_empty() {
                self.scalar(rest, indent)?
            } else if self.next().is_some_and(|(at, words)| at == indent && is_item(&words)) {
                self.list(indent)?
            } else {
                self.node(indent + 1)?
            };
            fields.push((line, key.to_owned(), node));
        }
        let is_left_over = self.next().is_some_and(|(at, _)| at > indent);
        if is_left_over { Err(self.error("indented too far")) } else { Ok(YamlNode::Map(fields)) }
    }

    /// Reads a block of text: every line that is indented further.
    fn block(&mut self, outer: usize, is_folded: bool) -> YamlNode {
        let mut lines: Vec<&str> = Vec::new();
        while let Some(line) = self.lines.get(self.at) {
            if !line.trim().is_empty() && indent(line) <= outer {
                break;
            }
            lines.push(line.trim());
            self.at += 1;
        }
        let text = lines.join(if is_folded { " " } else { "\n" });
        YamlNode::Scalar(YamlScalar { text: text.trim().to_owned(), is_quoted: true })
    }

    /// Reads a plain or quoted text, with the lines it continues on.
    fn scalar(&mut self, begins: &str, outer: usize) -> Result<YamlNode, YamlError> {
        // `at` has already passed the line on which the text begins.
        let line = self.at as u64;
        let mut text = begins.to_owned();
        while let Some((_, words)) = self.next().filter(|(at, _)| *at > outer) {
            if is_closed(&text) && text.starts_with(['"', '\'', '[', '{']) {
                break;
            }
            text.push(' ');
            text.push_str(&words);
            self.at += 1;
        }
        let unclosed = || YamlError { line, message: format!("`{text}` has a quote without an end") };
        scalar(&text).map(YamlNode::Scalar).ok_or_else(unclosed)
    }
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

fn is_item(words: &str) -> bool {
    words == "-" || words.starts_with("- ")
}

/// Splits a line into a key and what follows it.
fn key_of(words: &str) -> Option<(&str, &str)> {
    let (key, rest) = if words.starts_with('"') {
        let end = quote_end(words)?;
        (words.get(1..end)?, words.get(end + 1..)?.strip_prefix(':')?)
    } else {
        words.split_once(": ").or_else(|| words.strip_suffix(':').map(|key| (key, "")))?
    };
    let is_plain =
        !key.is_empty() && !key.contains(['"', '\'', '{', '[', '#', '`']) && key.len() < LONGEST_KEY;
    let rest = rest.trim();
    is_plain.then_some((key, if rest.starts_with('#') { "" } else { rest }))
}

const LONGEST_KEY: usize = 128;

fn is_closed(text: &str) -> bool {
    match text.chars().next() {
        Some('"') => unquoted(text).is_some(),
        Some('[') => text.contains(']'),
        Some('{') => text.contains('}'),
        Some('\'') => text.len() > 1 && text.ends_with('\''),
        _ => true,
    }
}

/// Takes quotes and comments off; nothing where a quote does not end.
fn scalar(text: &str) -> Option<YamlScalar> {
    if text.starts_with('"') {
        return Some(YamlScalar { text: unquoted(text)?, is_quoted: true });
    }
    if let Some(inner) = text.strip_prefix('\'') {
        return Some(YamlScalar { text: inner.strip_suffix('\'')?.replace("''", "'"), is_quoted: true });
    }
    // A `#` inside of JSON is no comment.
    let is_json = text.starts_with(['{', '[']) && serde_json::from_str::<Value>(text).is_ok();
    let text = if is_json { text } else { text.split(" #").next().unwrap_or(text) };
    Some(YamlScalar { text: text.trim().to_owned(), is_quoted: false })
}

fn number(text: &str) -> Option<Value> {
    let is_number = text.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    let number = text.parse::<f64>().ok().filter(|_| is_number)?;
    let whole = text.parse::<i64>().ok().map(Number::from);
    whole.or_else(|| Number::from_f64(number)).map(Value::Number)
}

/// Returns where the closing quote of a text that begins with one stands.
fn quote_end(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    let end = text.char_indices().skip(1).find(|(_, c)| {
        let ends = *c == '"' && !is_escaped;
        is_escaped = *c == '\\' && !is_escaped;
        ends
    });
    end.map(|(at, _)| at)
}

/// Reads words between double quotes; nothing where they do not end.
fn unquoted(text: &str) -> Option<String> {
    let end = quote_end(text)?;
    let after = text.get(end + 1..)?.trim_start();
    if !(after.is_empty() || after.starts_with('#')) {
        return None;
    }
    // What we write is JSON; people escape less carefully.
    let quoted = text.get(..=end)?;
    serde_json::from_str(quoted).ok().or_else(|| unescaped(quoted.get(1..end)?))
}

fn unescaped(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next()? {
            'n' => out.push('\n'),
            't' => out.push('\t'),
            'r' => out.push('\r'),
            'u' => {
                let code: String = chars.by_ref().take(4).collect();
                out.push(u32::from_str_radix(&code, 16).ok().and_then(char::from_u32)?);
            }
            other => out.push(other),
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn what_lore_writes_is_read() {
        let goal = r#"
id: goal-1-ab
name: "Vouchers: at the till" # soon
deadline: null
weight: 0.5
success_criteria:
  - id: sc-1
    description: "Totals \"add up\"\nalways"
    met: false
  - id: sc-2
    description: 'it''s quick'
projects: [shop, "till"]
metrics: {}
tags:
- one
- two words
notes: |
  first line

  second: line
plain: goes on
  over lines
folded: >-
  a
  b
empty:
"#;
        let expected = json!({
            "id": "goal-1-ab",
            "name": "Vouchers: at the till",
            "deadline": null,
            "weight": 0.5,
            "success_criteria": [
                {"id": "sc-1", "description": "Totals \"add up\"\nalways", "met": false},
                {"id": "sc-2", "description": "it's quick"},
            ],
            "projects": ["shop", "till"],
            "metrics": {},
            "tags": ["one", "two words"],
            "notes": "first line\n\nsecond: line",
            "plain": "goes on over lines",
            "folded": "a b",
            "empty": null,
        });
        assert_eq!(read(goal), Ok(expected));
    }

    #[test]
    fn a_broken_entry_does_not_spoil_the_others() {
        let text = r#"# a comment
patterns:

    - id: "p1"
      name: "One"
      examples:
        - bad: "x"
        - good: "y"
    - id: "p2"
      name: "cut off
    - id: p3
      name: Three

anti_patterns:
- id: a1
  name: Four
"#;
        let read = entries(text, "patterns");
        assert_eq!(read.len(), 3);
        let one = json!({"id": "p1", "name": "One", "examples": [{"bad": "x"}, {"good": "y"}]});
        assert_eq!(read[0], Ok(one));
        assert!(read[1].is_err());
        assert_eq!(read[2], Ok(json!({"id": "p3", "name": "Three"})));
        assert_eq!(entries(text, "anti_patterns"), [Ok(json!({"id": "a1", "name": "Four"}))]);
        assert!(entries("patterns: []\n", "patterns").is_empty());
    }

    #[test]
    fn what_nobody_writes_by_hand_ends() {
        assert!(read(&"- ".repeat(100_000)).is_err());
        assert!(read("a: &anchor b").is_err());
        assert_eq!(read("a: 1\n  b: 2"), Ok(json!({"a": "1 b: 2"})));
    }

    proptest! {
        #[test]
        fn whatever_is_written_reading_it_ends(text in "[-a: \\n\"'\\[\\]{}#|>\\\\]{0,80}") {
            drop(read(&text));
            entries(&text, "a");
        }

        #[test]
        fn quoted_words_are_read_back(text in "[a-z \"\\\\:#\\n]{0,40}") {
            let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
            prop_assert_eq!(read(&format!("key: \"{escaped}\"")), Ok(json!({"key": text})));
        }
    }
}
