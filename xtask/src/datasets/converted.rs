//! A data set in the format of `backstory eval` (docs/eval.md), as the parsers produce it and `cargo xtask dataset` writes it.
//!
//! The product reads the same format with types of its own: it must not depend on this crate.

use crate::TaskResult;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::HashSet;
use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::Path;

/// A converted set.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(default)]
pub(crate) struct ConvertedSet {
    pub(crate) name: String,
    /// In the order they are written to the store.
    pub(crate) documents: Vec<SetDocument>,
    pub(crate) queries: Vec<SetQuery>,
}

/// One document: it becomes one memory.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(default)]
pub(crate) struct SetDocument {
    /// Unique in its corpus.
    pub(crate) id: String,
    /// A query sees only documents of its own corpus.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) corpus: String,
    pub(crate) text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) session: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) at: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) kind: Option<String>,
    /// Who said it: `user` or `assistant`. Without it, the text begins with the role.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) said_by: Option<String>,
}

/// One query.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(default)]
pub(crate) struct SetQuery {
    pub(crate) id: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) corpus: String,
    pub(crate) text: String,
    /// Ids of the documents that answer it; empty where the set has no answer.
    pub(crate) gold: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) category: Option<String>,
    /// When the query is put.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) at: Option<Value>,
}

impl ConvertedSet {
    /// Writes the set as JSON.
    pub(crate) fn write(&self, path: &Path) -> TaskResult {
        let mut file = BufWriter::new(File::create(path).map_err(|error| not_accessible(path, &error))?);
        serde_json::to_writer(&mut file, self)?;
        file.write_all(b"\n")?;
        Ok(file.flush()?)
    }

    /// Counts the gold ids that no document of the query's corpus has.
    pub(crate) fn unknown_gold(&self) -> usize {
        let known: HashSet<(&str, &str)> =
            self.documents.iter().map(|document| (document.corpus.as_str(), document.id.as_str())).collect();
        let gold = self
            .queries
            .iter()
            .flat_map(|query| query.gold.iter().map(|gold| (query.corpus.as_str(), gold.as_str())));
        gold.filter(|gold| !known.contains(gold)).count()
    }

    /// Returns an id that two documents of one corpus share: gold would be ambiguous.
    pub(crate) fn duplicate_id(&self) -> Option<&str> {
        let mut seen = HashSet::new();
        let duplicate =
            self.documents.iter().find(|document| !seen.insert((&document.corpus, &document.id)))?;
        Some(&duplicate.id)
    }
}

/// Reads a JSON file.
pub(super) fn read_json<T: DeserializeOwned>(path: &Path) -> TaskResult<T> {
    let file = File::open(path).map_err(|error| not_accessible(path, &error))?;
    serde_json::from_reader(BufReader::with_capacity(1 << 20, file))
        .map_err(|error| format!("`{}`: {error}", path.display()).into())
}

fn not_accessible(path: &Path, error: &std::io::Error) -> String {
    format!("`{}`: {error}", path.display())
}
