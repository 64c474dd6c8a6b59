//! What a source is found to hold, before anything of it is redacted: it must not reach a disk like this.

use crate::ImportSource;
use backstory_hosts::HostPaths;
use backstory_memory::{Content, MemoryScope, Timestamp};
use backstory_store::UsageHistory;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;
use thiserror::Error;

/// Where to look.
#[derive(Clone, Debug, Default)]
pub struct SearchPaths {
    /// Where hosts and other programs keep their files.
    pub places: HostPaths,
    /// Where a program keeps its data, when its own variable says so: by the variable's name.
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

/// Something on this machine that can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceInstance {
    /// What it is.
    pub source: ImportSource,
    /// Where it is.
    pub path: PathBuf,
    /// How long it is; 0 where nobody knows.
    pub bytes: u64,
    /// What it looks like now: another stamp, and there is something new in it.
    pub stamp: String,
    /// Whom it is for: a file in a user's own folder speaks of every project.
    pub scope: MemoryScope,
}

impl SourceInstance {
    /// Returns the find a file or folder is, stamped by its length and its time.
    #[must_use]
    pub fn at(source: ImportSource, path: &Path) -> Option<SourceInstance> {
        let metadata = path.metadata().ok()?;
        let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let stamp = format!("{} {}", metadata.len(), modified.map_or(0, |time| time.as_millis()));
        let bytes = if metadata.is_file() { metadata.len() } else { 0 };
        Some(SourceInstance { source, path: path.to_owned(), bytes, stamp, scope: MemoryScope::Project })
    }
}

/// What is next in a find.
#[derive(Clone, Debug)]
pub enum ImportItem {
    /// A memory.
    Memory(Box<ImportedMemory>),
    /// Something that cannot be read or is of no use; why, in a word or two.
    Skipped(&'static str),
}

/// A memory as its source tells it.
#[derive(Clone, Debug)]
pub struct ImportedMemory {
    /// What its source calls it: the same name is the same memory, however often it is read.
    pub name: String,
    /// The project it belongs to.
    pub project: ImportedProject,
    /// The session it came from.
    pub session: Option<ImportedSession>,
    /// When it was first written.
    pub created_at: Timestamp,
    /// What it says.
    pub content: Content,
    /// What it has been through.
    pub past: Option<UsageHistory>,
    /// The names of memories of the same find that it replaces.
    pub replaces: Vec<String>,
    /// The names of memories of the same find that it has to do with.
    pub relates: Vec<String>,
}

/// Which project a memory belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ImportedProject {
    /// The one of a folder, which need not be there any more.
    Folder(PathBuf),
    /// One of which only the name is known.
    Named(String),
}

/// The session a memory came from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ImportedSession {
    /// The host's name.
    pub host: String,
    /// The host's own name for the session.
    pub name: String,
}

/// Why a find cannot be read at all.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct UnreadableSource(pub String);
