//! Where sources are looked for, and one of them on this machine.

use super::ImportSource;
use crate::imported::{ImportItem, ImportedMemory, ImportedProject};
use backstory_hosts::HostPaths;
use backstory_memory::{Content, MemoryScope, Provenance};
use backstory_store::ForeignLimits;
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
    /// The folder of the repository that carries it; none for a program's own file. What it holds belongs to that repository.
    pub carrier: Option<PathBuf>,
    /// The address the user signs commits with, for a repository whose commits are read.
    pub user_email: Option<String>,
    /// Whether the user named it, instead of a program keeping it where it always does: anybody may have made it.
    pub is_handed_over: bool,
}

/// The most bytes that are read of what a repository carries.
const MOST_CARRIED_BYTES: u64 = ForeignLimits::REPOSITORY.file_bytes;

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
            carrier: None,
            user_email: None,
            is_handed_over: false,
        })
    }

    /// Returns how much of a database is read.
    pub(crate) fn limits(&self) -> ForeignLimits {
        if self.carrier.is_some() { ForeignLimits::REPOSITORY } else { ForeignLimits::PROGRAM }
    }

    /// Refuses what is longer than anything a repository has to carry.
    pub(crate) fn refuse_long(&self) -> Result<(), UnreadableSource> {
        if self.carrier.is_none() || self.bytes <= MOST_CARRIED_BYTES {
            return Ok(());
        }
        let (bytes, most) = (self.bytes, MOST_CARRIED_BYTES);
        Err(UnreadableSource(format!(
            "it is {bytes} bytes long, and of what a repository carries {most} are read"
        )))
    }

    /// Binds a memory to the repository that carries it. A memory from a file that the user named stays in its project and unpinned.
    /// Whoever wrote either may have claimed anything.
    pub(crate) fn bind(&self, item: ImportItem) -> ImportItem {
        match (item, &self.carrier) {
            (ImportItem::Memory(memory), Some(carrier)) => {
                let ImportedMemory { name, created_at, content, replaces, relates, .. } = *memory;
                let provenance = content.provenance.clone().min(Provenance::Repository);
                let content = Content { scope: MemoryScope::Project, pinned: false, provenance, ..content };
                let project = ImportedProject::Folder(carrier.clone());
                let bound = ImportedMemory::new(name, project, created_at, content);
                ImportItem::Memory(Box::new(ImportedMemory { replaces, relates, ..bound }))
            }
            (ImportItem::Memory(mut memory), None) if self.is_handed_over => {
                memory.content.scope = MemoryScope::Project;
                memory.content.pinned = false;
                ImportItem::Memory(memory)
            }
            (item, _) => item,
        }
    }
}

/// Why a source instance cannot be read at all.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct UnreadableSource(pub String);
