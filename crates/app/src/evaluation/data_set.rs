//! A data set: documents, and queries with the documents that answer them. The format is documented in `docs/eval.md`.

use crate::error::AppError;
use backstory_memory::{Provenance, Timestamp};
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashSet;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

/// A data set.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
pub(crate) struct DataSet {
    /// Its name; the file's name by default.
    #[serde(default)]
    pub(crate) name: String,
    /// Whether a query must not see documents later than its `at`.
    #[serde(default)]
    pub(crate) hide_later: bool,
    /// In the order they are written to the store.
    pub(crate) documents: Vec<EvalDocument>,
    pub(crate) queries: Vec<EvalQuery>,
}

/// One document: it becomes one memory.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
pub(crate) struct EvalDocument {
    /// Unique in its corpus.
    pub(crate) id: String,
    /// A query sees only documents of its own corpus.
    #[serde(default)]
    pub(crate) corpus: String,
    pub(crate) text: String,
    pub(crate) title: Option<String>,
    pub(crate) session: Option<String>,
    pub(crate) at: Option<Value>,
    pub(crate) kind: Option<String>,
    /// Who said it: `user` or `assistant`.
    pub(crate) said_by: Option<String>,
}

/// One query.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
pub(crate) struct EvalQuery {
    pub(crate) id: String,
    /// The corpus it searches.
    #[serde(default)]
    pub(crate) corpus: String,
    pub(crate) text: String,
    /// Ids of the documents that answer it; empty if the set has no answer.
    pub(crate) gold: Vec<String>,
    pub(crate) category: Option<String>,
    /// When the query is put.
    pub(crate) at: Option<Value>,
}

impl DataSet {
    /// Reads a set. Refuses a set in which two documents of a corpus share an id: gold would be ambiguous.
    pub(crate) fn read(path: &Path) -> Result<DataSet, AppError> {
        let file = File::open(path).map_err(|error| AppError::of_path("read", path, &error))?;
        let set = serde_json::from_reader(BufReader::with_capacity(1 << 20, file));
        let mut set: DataSet = set.map_err(|error| {
            AppError::user(format!("cannot read `{}`", path.display()))
                .because(&error)
                .hint("docs/eval.md describes the format of a data set")
        })?;
        if set.name.is_empty() {
            set.name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        }
        let mut seen = HashSet::new();
        match set.documents.iter().find(|document| !seen.insert((&document.corpus, &document.id))) {
            Some(twin) => {
                Err(AppError::user(format!("two documents of one corpus have the id `{}`", twin.id)))
            }
            None => Ok(set),
        }
    }

    /// Returns every gold id that no document of its corpus has, with the query that names it.
    pub(crate) fn unknown_gold(&self) -> Vec<(&EvalQuery, &str)> {
        let known: HashSet<(&str, &str)> =
            self.documents.iter().map(|document| (document.corpus.as_str(), document.id.as_str())).collect();
        let all = self.queries.iter().flat_map(|query| query.gold.iter().map(move |gold| (query, gold)));
        all.filter(|(query, gold)| !known.contains(&(query.corpus.as_str(), gold.as_str())))
            .map(|(query, gold)| (query, gold.as_str()))
            .collect()
    }
}

impl EvalDocument {
    /// Returns who said it: as it says, or by the role its text begins with.
    pub(crate) fn provenance(&self) -> Provenance {
        let role = self.said_by.as_deref().or_else(|| Some(self.text.split_once(':')?.0));
        match role {
            Some("user" | "User") => Provenance::User,
            Some("assistant" | "Assistant") => Provenance::Assistant,
            _ => Provenance::Import,
        }
    }

    /// Returns when it was written, if it says.
    pub(crate) fn written_at(&self, now: Timestamp) -> Result<Option<Timestamp>, AppError> {
        parse_time(&format!("document `{}`", self.id), self.at.as_ref(), now)
    }
}

impl EvalQuery {
    /// Returns when the query is put, if it says.
    pub(crate) fn time(&self, now: Timestamp) -> Result<Option<Timestamp>, AppError> {
        parse_time(&format!("query `{}`", self.id), self.at.as_ref(), now)
    }

    /// Whether the set has an answer.
    pub(crate) fn is_answerable(&self) -> bool {
        !self.gold.is_empty()
    }
}

fn parse_time(whose: &str, at: Option<&Value>, now: Timestamp) -> Result<Option<Timestamp>, AppError> {
    let read = |value| {
        backstory_memory::time_from_json(value, now).ok_or_else(|| {
            AppError::user(format!("{whose}: `at: {value}` is not a time"))
                .hint("write it like 2026-05-01T12:00:00Z, or as milliseconds since 1970")
        })
    };
    at.map(read).transpose()
}
