//! Where sources are looked for, and one of them on this machine.

use super::ImportSource;
use backstory_hosts::HostPaths;
use backstory_memory::MemoryScope;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;
use thiserror::Error;

/// Where to look.
#[derive(Clone, Debug, Default)]
pub struct SearchPaths {
    /// Where hosts and other programs keep their files.
    pub places: HostPaths,
    /// Where programs keep their data by their own environment variables, by the name of the variable.
    pub named: Vec<(String, PathBuf)>,
    /// The folders of projects.
    pub projects: Vec<PathBuf>,
}

impl SearchPaths {
    /// Returns what a variable of another program says.
    #[must_use]
    pub fn named(&self, variable: &str) -> Option<&Path> {
        self.named.iter().find(|(name, _)| name == variable).map(|(_, path)| path.as_path())
    }
}

/// One database, repository or file of a source on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceInstance {
    /// What it is.
    pub source: ImportSource,
    /// Where it is.
    pub path: PathBuf,
    /// How long it is; 0 where that is not known.
    pub bytes: u64,
    /// Changes whenever there may be something new in it.
    pub fingerprint: String,
    /// Whom it is for: a file in the user's own folder is about every project.
    pub scope: MemoryScope,
}

impl SourceInstance {
    /// Returns the instance that a file or folder is, fingerprinted by its length and its time.
    #[must_use]
    pub fn at(source: ImportSource, path: &Path) -> Option<SourceInstance> {
        let metadata = path.metadata().ok()?;
        let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let fingerprint = format!("{} {}", metadata.len(), modified.map_or(0, |time| time.as_millis()));
        let bytes = if metadata.is_file() { metadata.len() } else { 0 };
        Some(SourceInstance {
            source,
            path: path.to_owned(),
            bytes,
            fingerprint,
            scope: MemoryScope::Project,
        })
    }
}

/// Why a source instance cannot be read at all.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct UnreadableSource(pub String);
