//! A data set in our own format: documents, and questions that know which documents answer them. Documented in `docs/eval.md`.

use crate::failure::Failure;
use crate::times;
use backstory_memory::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::HashSet;
use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::Path;

/// A data set.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub(crate) struct DataSet {
    /// What it is called; the file's name where it does not say.
    #[serde(default)]
    pub(crate) name: String,
    /// Whether a question must not see documents later than its `at`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) hide_later: bool,
    /// What can be found, in the order it is written.
    pub(crate) documents: Vec<Document>,
    /// What is asked.
    pub(crate) queries: Vec<Query>,
}

/// One document: a memory to be.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub(crate) struct Document {
    /// Its name, once in its corpus.
    pub(crate) id: String,
    /// The body of documents it belongs to.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) corpus: String,
    /// What it says.
    pub(crate) text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) title: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) session: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) at: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) kind: Option<String>,
}

/// One question.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub(crate) struct Query {
    /// Its name.
    pub(crate) id: String,
    /// The documents it sees.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) corpus: String,
    /// What is asked.
    pub(crate) text: String,
    /// The documents that answer it; none where the set holds no answer.
    pub(crate) gold: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) category: Option<String>,
    /// When it is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) at: Option<Value>,
}

impl DataSet {
    /// Writes the set to a file, in our own format.
    pub(crate) fn write(&self, path: &Path) -> Result<(), Failure> {
        let mut out = create(path)?;
        let written = serde_json::to_writer_pretty(&mut out, self).map_err(std::io::Error::from);
        let written = written.and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush());
        written.map_err(|error| Failure::of_path("write", path, &error))
    }

    /// Returns every gold id no document of its corpus has, with the question that names it.
    pub(crate) fn unknown_gold(&self) -> Vec<(&Query, &str)> {
        let known: HashSet<(&str, &str)> =
            self.documents.iter().map(|document| (document.corpus.as_str(), document.id.as_str())).collect();
        let all = self.queries.iter().flat_map(|query| query.gold.iter().map(move |gold| (query, gold)));
        all.filter(|(query, gold)| !known.contains(&(query.corpus.as_str(), gold.as_str())))
            .map(|(query, gold)| (query, gold.as_str()))
            .collect()
    }
}

impl Document {
    /// Returns when it was written, if it says.
    pub(crate) fn written_at(&self, now: Timestamp) -> Result<Option<Timestamp>, Failure> {
        time(&format!("document `{}`", self.id), self.at.as_ref(), now)
    }
}

impl Query {
    /// Returns when it is asked, if it says.
    pub(crate) fn asked_at(&self, now: Timestamp) -> Result<Option<Timestamp>, Failure> {
        time(&format!("question `{}`", self.id), self.at.as_ref(), now)
    }

    /// Whether the set holds an answer.
    pub(crate) fn is_answerable(&self) -> bool {
        !self.gold.is_empty()
    }
}

fn time(whose: &str, at: Option<&Value>, now: Timestamp) -> Result<Option<Timestamp>, Failure> {
    let read = |value| {
        times::from_json(value, now).ok_or_else(|| {
            Failure::user(format!("{whose}: `at: {value}` is not a time"))
                .hint("write it like 2026-05-01T12:00:00Z, or as milliseconds since 1970")
        })
    };
    at.map(read).transpose()
}

/// Reads a JSON file, or says where it is not what was expected.
pub(crate) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, Failure> {
    let file = File::open(path).map_err(|error| Failure::of_path("read", path, &error))?;
    serde_json::from_reader(BufReader::with_capacity(1 << 20, file)).map_err(|error| {
        Failure::user(format!("cannot read `{}`", path.display()))
            .because(&error)
            .hint("mend that line; `--format` says what the file is meant to be")
    })
}

/// Makes a file to write to.
pub(crate) fn create(path: &Path) -> Result<BufWriter<File>, Failure> {
    File::create(path).map(BufWriter::new).map_err(|error| Failure::of_path("write", path, &error))
}
