//! Why something could not be imported or exported. Words for a person and exit codes are made from these elsewhere.

use backstory_memory::{ContentError, UidError};
use backstory_store::StoreError;
use std::error::Error;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// Why an import or an export stopped.
#[derive(Debug, Error)]
pub enum ExchangeError {
    /// The store refused.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file or a folder could not be used.
    #[error("cannot {action} `{path}`")]
    Path {
        /// What was to be done, after "cannot".
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// Nothing could be written where the export goes to.
    #[error("cannot write {target}")]
    Output {
        /// The file in backquotes, or "to standard output".
        target: String,
        /// Why not.
        source: io::Error,
    },
    /// The input broke off.
    #[error("cannot read the input")]
    Input(#[source] io::Error),
    /// What was named cannot be exported to or imported from.
    #[error("{reason}")]
    Unusable {
        /// Why not.
        reason: String,
        /// What to do instead.
        hint: &'static str,
    },
    /// A memory could not be written as JSON.
    #[error("cannot write JSON")]
    Json(#[from] serde_json::Error),
}

impl ExchangeError {
    pub(crate) fn unusable(reason: impl Into<String>, hint: &'static str) -> ExchangeError {
        ExchangeError::Unusable { reason: reason.into(), hint }
    }
}

/// Why a record is no memory that can be stored.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RecordError {
    /// It is not JSON, or not of the shape of a memory.
    #[error("not a memory: {0}")]
    NotAMemory(String),
    /// It is not text.
    #[error("not UTF-8")]
    NotUtf8(#[from] std::str::Utf8Error),
    /// It is longer than anything worth remembering.
    #[error("longer than any memory")]
    TooLong,
    /// It says nothing that can be stored.
    #[error(transparent)]
    Content(#[from] ContentError),
    /// A field holds a word that means nothing there.
    #[error("`{value}` is no {field}")]
    UnknownWord {
        /// The field.
        field: &'static str,
        /// What it holds.
        value: String,
    },
    /// Its uid cannot name a memory.
    #[error("unusable uid")]
    Uid(#[from] UidError),
    /// Its uid would be redacted.
    #[error("a uid must not look like a secret")]
    SecretUid,
}

impl RecordError {
    /// Returns the error with what it comes from, on one line.
    #[must_use]
    pub fn line(&self) -> String {
        let causes = std::iter::successors(self.source(), |error| (*error).source());
        let parts: Vec<String> =
            std::iter::once(self.to_string()).chain(causes.map(ToString::to_string)).collect();
        parts.join(": ")
    }
}
