//! What can go wrong with a vector file, by what the caller can do about it.

use std::io;
use std::path::{Path, PathBuf};

/// Why a vector file could not be used.
#[derive(Debug, thiserror::Error)]
pub enum VectorFileError {
    /// There is no such file yet: the first writer makes it.
    #[error("there is no vector file at `{path}`")]
    Missing {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// Another process is writing: try again later, or leave it to that process.
    #[error("another process is writing to `{path}`")]
    Busy {
        /// The file that is being written to.
        path: PathBuf,
    },
    /// The file holds vectors of another model, or of another format: rebuild it.
    #[error("`{path}` holds {found}; wanted {wanted}")]
    Incompatible {
        /// The file.
        path: PathBuf,
        /// What the file says it holds.
        found: String,
        /// What it should hold.
        wanted: String,
    },
    /// The file cannot be what it claims to be: rebuild it.
    #[error("`{path}` is damaged: {reason}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A row names memory 0, which the file uses for rows without a memory.
    #[error("memory 0 cannot have a vector")]
    MemoryZero,
    /// The system refused an operation.
    #[error("cannot {act} `{path}`")]
    Io {
        /// What was being done.
        act: &'static str,
        /// To which file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
}

impl VectorFileError {
    /// Returns whether rebuilding the file from the store would help.
    #[must_use]
    pub fn is_stale(&self) -> bool {
        matches!(
            self,
            VectorFileError::Missing { .. }
                | VectorFileError::Incompatible { .. }
                | VectorFileError::Damaged { .. }
        )
    }

    pub(super) fn damaged(path: &Path, reason: &'static str) -> VectorFileError {
        VectorFileError::Damaged { path: path.to_owned(), reason }
    }

    /// Adds what was being done to which file.
    pub(super) fn io(act: &'static str, path: &Path) -> impl FnOnce(io::Error) -> VectorFileError {
        move |source| VectorFileError::Io { act, path: path.to_owned(), source }
    }
}
