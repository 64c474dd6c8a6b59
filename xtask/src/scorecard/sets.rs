//! The data sets of the scorecard: which there are, whether they are present, their documents and queries.

use super::world::ScorecardWorld;
use crate::TaskResult;
use crate::datasets;
use crate::datasets::converted::{ConvertedSet, SetDocument, SetQuery};
use crate::datasets::own_sets;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// The sets of documents and questions, by the name they were published under.
pub(crate) const RETRIEVAL: [&str; 13] = [
    "small-5",
    "small-20",
    "small-100",
    "devmembench",
    "coding-agent-life-v1",
    "mcp-memory-devbench",
    "remem",
    "sde-conversation-part.json.gz",
    "locomo-turn-part.json.gz",
    "locomo-session-part.json.gz",
    "longmemeval-pooled-part.json.gz",
    "beam-128k-part.json.gz",
    "beam-500k-coding-part.json.gz",
];

/// Those small enough to put every query over MCP and as a prompt.
pub(crate) const SMALL: [&str; 4] = ["devmembench", "coding-agent-life-v1", "mcp-memory-devbench", "remem"];

/// The folder of the sets, and the binary that is measured.
pub(crate) struct EvalSets {
    pub(crate) data: PathBuf,
    pub(crate) program: PathBuf,
}

/// A set, ready to be imported.
pub(crate) struct ScoredSet {
    pub(crate) name: &'static str,
    pub(crate) documents: Vec<ScoredDocument>,
    pub(crate) queries: Vec<ScoredQuery>,
}

/// One document, as a line for `import`.
pub(crate) struct ScoredDocument {
    /// Its project and its id: ids are unique only within a project.
    pub(crate) name: (String, String),
    /// The line, with a fixed uid to map the memory back to the document.
    pub(crate) line: Value,
}

/// One query.
pub(crate) struct ScoredQuery {
    pub(crate) id: String,
    pub(crate) text: String,
    pub(crate) project: String,
    /// The documents that answer it.
    pub(crate) gold: Vec<String>,
}

impl EvalSets {
    /// Creates a world for the binary.
    pub(crate) fn world(&self) -> ScorecardWorld {
        ScorecardWorld::new(&self.program)
    }

    /// Returns the path of a set; reports on stderr if it is absent.
    pub(crate) fn path(&self, name: &str) -> Option<PathBuf> {
        let path = self.data.join(name);
        if path.exists() {
            return Some(path);
        }
        report_absent(&path);
        None
    }

    /// Reads a JSON file, if it is there.
    pub(crate) fn json(&self, name: &str) -> TaskResult<Option<Value>> {
        self.path(name).map(|path| Ok(serde_json::from_str(&fs::read_to_string(path)?)?)).transpose()
    }

    /// Reads a JSON Lines file, if it is there.
    pub(crate) fn json_lines(&self, name: &str) -> TaskResult<Option<Vec<Value>>> {
        let read = |path: PathBuf| -> TaskResult<Vec<Value>> {
            fs::read_to_string(path)?.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
        };
        self.path(name).map(read).transpose()
    }

    /// Converts a set for `eval`, if it is there. The small stores are our own.
    pub(crate) fn converted(&self, name: &str) -> TaskResult<Option<ConvertedSet>> {
        if let Some(own) = own_sets::small().into_iter().find(|set| set.name == name) {
            return Ok(Some(own));
        }
        self.path(name).map(|path| datasets::read(&path)).transpose()
    }

    /// Reads a set, if it is there.
    pub(crate) fn read(&self, name: &'static str) -> TaskResult<Option<ScoredSet>> {
        let Some(set) = self.converted(name)? else { return Ok(None) };
        Ok(Some(ScoredSet {
            name,
            documents: set.documents.iter().enumerate().map(|(at, it)| scored_document(at, it)).collect(),
            queries: set.queries.into_iter().map(scored_query).collect(),
        }))
    }
}

impl ScoredDocument {
    /// The uid of its memory.
    pub(crate) fn uid(&self) -> Option<&str> {
        self.line.get("uid")?.as_str()
    }

    /// Its text.
    pub(crate) fn body(&self) -> &str {
        self.line.get("body").and_then(Value::as_str).unwrap_or_default()
    }
}

impl ScoredQuery {
    /// Whether the set has an answer.
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

/// The project of a corpus; sets without corpora share one.
fn project(corpus: &str) -> String {
    if corpus.is_empty() { "the-set".to_owned() } else { corpus.replace('/', "-") }
}

fn scored_document(at: usize, document: &SetDocument) -> ScoredDocument {
    let project = project(&document.corpus);
    let uid = format!("019b7000-0000-7000-8000-{at:012x}");
    let mut line = json!({"uid": uid, "body": document.text, "project": project});
    let fields = [
        ("title", document.title.clone().map(Value::from)),
        ("kind", document.kind.clone().map(Value::from)),
        ("created_at", document.at.clone()),
        ("session", document.session.clone().map(Value::from)),
    ];
    for (key, value) in fields {
        if let (Some(value), Some(line)) = (value, line.as_object_mut()) {
            line.insert(key.to_owned(), value);
        }
    }
    ScoredDocument { name: (project, document.id.clone()), line }
}

fn scored_query(query: SetQuery) -> ScoredQuery {
    ScoredQuery { id: query.id, text: query.text, project: project(&query.corpus), gold: query.gold }
}

#[expect(clippy::print_stderr, reason = "a task for developers talks to them")]
fn report_absent(path: &Path) {
    eprintln!("scorecard: ABSENT, NOT RUN: `{}`", path.display());
}
