//! The data sets: which there are, whether they are here, and their documents and questions in the one format `eval` writes.

use super::Outcome;
use super::world::World;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// The sets of documents and questions, by the name they were published under.
pub(crate) const RETRIEVAL: [&str; 7] = [
    "devmembench",
    "coding-agent-life-v1",
    "mcp-memory-devbench",
    "remem",
    "locomo10.json",
    "longmemeval_s.json",
    "beam",
];

/// Those small enough to be asked question by question through every door.
pub(crate) const SMALL: [&str; 4] = ["devmembench", "coding-agent-life-v1", "mcp-memory-devbench", "remem"];

/// Where the sets lie, and the binary that is measured.
pub(crate) struct Sets {
    pub(crate) data: PathBuf,
    pub(crate) program: PathBuf,
}

/// A set as `eval --to` writes it.
pub(crate) struct Set {
    pub(crate) name: &'static str,
    pub(crate) documents: Vec<Document>,
    pub(crate) queries: Vec<Query>,
}

/// One document, as a line for `import`.
pub(crate) struct Document {
    /// Its name in the set, with its project: names are told apart only within one.
    pub(crate) name: (String, String),
    /// The line, with a uid of its own so that it is known again.
    pub(crate) line: Value,
}

/// One question.
pub(crate) struct Query {
    pub(crate) id: String,
    pub(crate) text: String,
    pub(crate) project: String,
    /// The documents that answer it.
    pub(crate) gold: Vec<String>,
}

impl Sets {
    /// Returns a world for the binary.
    pub(crate) fn world(&self) -> World {
        World::new(&self.program)
    }

    /// Returns where something of the data lies, or says loudly that it does not.
    pub(crate) fn path(&self, name: &str) -> Option<PathBuf> {
        let path = self.data.join(name);
        if path.exists() {
            return Some(path);
        }
        say_absent(&path);
        None
    }

    /// Reads a file of JSON, if it is there.
    pub(crate) fn json(&self, name: &str) -> Outcome<Option<Value>> {
        self.path(name).map(|path| Ok(serde_json::from_str(&fs::read_to_string(path)?)?)).transpose()
    }

    /// Reads a file with a JSON object a line, if it is there.
    pub(crate) fn json_lines(&self, name: &str) -> Outcome<Option<Vec<Value>>> {
        let read = |path: PathBuf| -> Outcome<Vec<Value>> {
            fs::read_to_string(path)?.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
        };
        self.path(name).map(read).transpose()
    }

    /// Reads a set as the binary itself understands it, if it is there.
    pub(crate) fn read(&self, name: &'static str) -> Outcome<Option<Set>> {
        let Some(path) = self.path(name) else { return Ok(None) };
        let world = self.world();
        let copy = world.scratch("set.json");
        world.say(&["eval", &path.to_string_lossy(), "--to", &copy.to_string_lossy()], "")?;
        let set: Value = serde_json::from_str(&fs::read_to_string(copy)?)?;
        let (documents, queries) = (list(&set, "documents"), list(&set, "queries"));
        Ok(Some(Set {
            name,
            documents: documents.iter().enumerate().map(|(at, of)| document(at, of)).collect(),
            queries: queries.iter().map(query).collect(),
        }))
    }
}

impl Document {
    /// What it is known by once it is written.
    pub(crate) fn uid(&self) -> Option<&str> {
        self.line.get("uid")?.as_str()
    }

    /// What it says.
    pub(crate) fn body(&self) -> &str {
        self.line.get("body").and_then(Value::as_str).unwrap_or_default()
    }
}

impl Query {
    /// Whether the set holds an answer.
    pub(crate) fn is_answerable(&self) -> bool {
        !self.gold.is_empty()
    }
}

/// Returns a list of an object; none where there is none.
pub(crate) fn list(of: &Value, key: &str) -> Vec<Value> {
    of.get(key).and_then(Value::as_array).cloned().unwrap_or_default()
}

/// Returns a text of an object; an empty one where there is none.
pub(crate) fn text(of: &Value, key: &str) -> String {
    of.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Returns a list of texts of an object.
pub(crate) fn texts(of: &Value, key: &str) -> Vec<String> {
    list(of, key).iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// A project of its own for what names none.
fn project(of: &Value) -> String {
    let corpus = text(of, "corpus");
    if corpus.is_empty() { "the-set".to_owned() } else { corpus.replace('/', "-") }
}

fn document(at: usize, of: &Value) -> Document {
    let uid = format!("019b7000-0000-7000-8000-{at:012x}");
    let mut line = json!({"uid": uid, "body": text(of, "text"), "project": project(of)});
    for (theirs, ours) in [("title", "title"), ("kind", "kind"), ("at", "created_at"), ("session", "session")]
    {
        if let (Some(value), Some(line)) = (of.get(theirs), line.as_object_mut()) {
            line.insert(ours.to_owned(), value.clone());
        }
    }
    Document { name: (project(of), text(of, "id")), line }
}

fn query(of: &Value) -> Query {
    Query { id: text(of, "id"), text: text(of, "text"), project: project(of), gold: texts(of, "gold") }
}

#[expect(clippy::print_stderr, reason = "a task for developers talks to them")]
fn say_absent(path: &Path) {
    eprintln!("scorecard: ABSENT, NOT RUN: `{}`", path.display());
}
