//! YAML, as much of it as lore and `yq` write: nested maps and lists, quoted and plain words, blocks of text, empty brackets.
//!
//! Anything else is an error of the entry it stands in, not of the file. Not here: anchors, tags, several documents, maps in braces.

use serde_json::{Map, Number, Value};

/// What stands where no value of ours can.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct YamlError;

/// Reads a whole document.
pub(super) fn read(text: &str) -> Result<Value, YamlError> {
    let mut reader = YamlReader { lines: text.lines().map(str::to_owned).collect(), at: 0, depth: 0 };
    let value = reader.value(0)?;
    if reader.next().is_some() { Err(YamlError) } else { Ok(value) }
}

/// Reads the entries of a list that stands at the top of a document, each by itself: one that is broken does not spoil the others.
pub(super) fn entries(text: &str, section: &str) -> Vec<Result<Value, YamlError>> {
    let heading = format!("{section}:");
    let mut lines = text.lines().skip_while(|line| line.trim_end() != heading);
    lines.next();
    let inside = |line: &&str| line.is_empty() || line.starts_with([' ', '#', '-']);
    let mut entries: Vec<String> = Vec::new();
    let mut dash = None;
    for line in lines.take_while(inside) {
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
    let one = |entry: &String| match read(entry)? {
        Value::Array(items) => items.into_iter().next().ok_or(YamlError),
        _ => Err(YamlError),
    };
    entries.iter().map(one).collect()
}

struct YamlReader {
    lines: Vec<String>,
    at: usize,
    depth: usize,
}

/// Nobody nests deeper by hand.
const DEEPEST: usize = 32;

impl YamlReader {
    /// Moves to the next line that says something, and returns how far it stands in and what it says.
    fn next(&mut self) -> Option<(usize, String)> {
        loop {
            let line = self.lines.get(self.at)?;
            let said = line.trim();
            if !said.is_empty() && !said.starts_with('#') && said != "---" {
                return Some((indent(line), said.to_owned()));
            }
            self.at += 1;
        }
    }

    /// Reads what stands in at least as far as this.
    fn value(&mut self, least: usize) -> Result<Value, YamlError> {
        let Some((indent, said)) = self.next().filter(|(indent, _)| *indent >= least) else {
            return Ok(Value::Null);
        };
        self.depth += 1;
        let value = if self.depth > DEEPEST {
            Err(YamlError)
        } else if is_item(&said) {
            self.list(indent)
        } else if key_of(&said).is_some() {
            self.map(indent)
        } else {
            self.at += 1;
            self.scalar(&said, indent)
        };
        self.depth -= 1;
        value
    }

    fn list(&mut self, indent: usize) -> Result<Value, YamlError> {
        let mut items = Vec::new();
        while let Some((_, said)) = self.next().filter(|(at, said)| *at == indent && is_item(said)) {
            let rest = said.get(1..).unwrap_or_default();
            if rest.trim().is_empty() {
                self.at += 1;
                items.push(self.value(indent + 1)?);
            } else if let Some(line) = self.lines.get_mut(self.at) {
                // What follows the dash is read as if it stood on a line of its own.
                *line = format!("{} {rest}", " ".repeat(indent));
                items.push(self.value(indent + 1)?);
            }
        }
        Ok(Value::Array(items))
    }

    fn map(&mut self, indent: usize) -> Result<Value, YamlError> {
        let mut map = Map::new();
        while let Some((_, said)) = self.next().filter(|(at, _)| *at == indent) {
            let Some((key, rest)) = key_of(&said) else { return Err(YamlError) };
            self.at += 1;
            let value = if rest.starts_with(['|', '>']) {
                self.block(indent, rest.starts_with('>'))
            } else if !rest.is_empty() {
                self.scalar(rest, indent)?
            } else if self.next().is_some_and(|(at, said)| at == indent && is_item(&said)) {
                self.list(indent)?
            } else {
                self.value(indent + 1)?
            };
            map.insert(key.to_owned(), value);
        }
        if self.next().is_some_and(|(at, _)| at > indent) { Err(YamlError) } else { Ok(Value::Object(map)) }
    }

    /// Reads a block of text: every line that stands further in.
    fn block(&mut self, outer: usize, is_folded: bool) -> Value {
        let mut lines: Vec<&str> = Vec::new();
        while let Some(line) = self.lines.get(self.at) {
            if !line.trim().is_empty() && indent(line) <= outer {
                break;
            }
            lines.push(line.trim());
            self.at += 1;
        }
        let text = lines.join(if is_folded { " " } else { "\n" });
        Value::String(text.trim().to_owned())
    }

    /// Reads words, with the lines they go on over.
    fn scalar(&mut self, begins: &str, outer: usize) -> Result<Value, YamlError> {
        let mut text = begins.to_owned();
        while let Some((_, said)) = self.next().filter(|(at, _)| *at > outer) {
            if is_closed(&text) && text.starts_with(['"', '\'', '[', '{']) {
                break;
            }
            text.push(' ');
            text.push_str(&said);
            self.at += 1;
        }
        scalar(&text)
    }
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

fn is_item(said: &str) -> bool {
    said == "-" || said.starts_with("- ")
}

/// Splits a line into a key and what follows it.
fn key_of(said: &str) -> Option<(&str, &str)> {
    let (key, rest) = match said.strip_prefix('"') {
        Some(quoted) => quoted.split_once("\":")?,
        None => said.split_once(": ").or_else(|| said.strip_suffix(':').map(|key| (key, "")))?,
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

fn scalar(text: &str) -> Result<Value, YamlError> {
    if text.starts_with('"') {
        return unquoted(text).map(Value::String).ok_or(YamlError);
    }
    if let Some(inner) = text.strip_prefix('\'') {
        let inner = inner.strip_suffix('\'').ok_or(YamlError)?;
        return Ok(Value::String(inner.replace("''", "'")));
    }
    let text = text.split(" #").next().unwrap_or(text).trim();
    if let Some(inner) = text.strip_prefix('[') {
        let inner = inner.strip_suffix(']').ok_or(YamlError)?;
        let items = inner.split(',').map(str::trim).filter(|item| !item.is_empty());
        return items.map(scalar).collect::<Result<_, _>>().map(Value::Array);
    }
    Ok(match text {
        "" | "~" | "null" => Value::Null,
        "{}" => Value::Object(Map::new()),
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        _ if text.starts_with(['{', '&', '*', '!', '@', '`']) => return Err(YamlError),
        _ => number(text).unwrap_or_else(|| Value::String(text.to_owned())),
    })
}

fn number(text: &str) -> Option<Value> {
    let is_number = text.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    let number = text.parse::<f64>().ok().filter(|_| is_number)?;
    let whole = text.parse::<i64>().ok().map(Number::from);
    whole.or_else(|| Number::from_f64(number)).map(Value::Number)
}

/// Reads words between double quotes; nothing where they do not end.
fn unquoted(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut chars = text.get(1..)?.chars();
    loop {
        match chars.next()? {
            '"' => break,
            '\\' => match chars.next()? {
                'n' => out.push('\n'),
                't' => out.push('\t'),
                'r' => out.push('\r'),
                'u' => {
                    let code: String = chars.by_ref().take(4).collect();
                    out.push(u32::from_str_radix(&code, 16).ok().and_then(char::from_u32)?);
                }
                other => out.push(other),
            },
            c => out.push(c),
        }
    }
    let rest = chars.as_str().trim_start();
    (rest.is_empty() || rest.starts_with('#')).then_some(out)
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
        let found = entries(text, "patterns");
        assert_eq!(found.len(), 3);
        let one = json!({"id": "p1", "name": "One", "examples": [{"bad": "x"}, {"good": "y"}]});
        assert_eq!(found[0], Ok(one));
        assert_eq!(found[1], Err(YamlError));
        assert_eq!(found[2], Ok(json!({"id": "p3", "name": "Three"})));
        assert_eq!(entries(text, "anti_patterns"), [Ok(json!({"id": "a1", "name": "Four"}))]);
        assert!(entries("patterns: []\n", "patterns").is_empty());
    }

    #[test]
    fn what_nobody_writes_by_hand_ends() {
        assert_eq!(read(&"- ".repeat(100_000)), Err(YamlError));
        assert_eq!(read("a: &anchor b"), Err(YamlError));
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
