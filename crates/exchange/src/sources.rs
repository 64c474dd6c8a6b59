//! The programs, histories and files that memories can be imported from: where each keeps them, and how each is read.
//!
//! A *source* is a program or a kind of file ([`ImportSource`]); a *source instance* is one database, repository or file of it on this
//! machine. Sources only read. Not here: what is stored of it (`importer`), and hosts' transcripts (`transcripts`).

mod carriers;
mod claude_mem;
mod claude_mem_lite;
mod engram;
mod git_history;
mod instance;
mod lore;
mod memory_files;
mod observed_rows;
mod open_mem;
mod rows;
mod text;

pub(crate) use carriers::Carriers;
pub use instance::{SearchPaths, SourceInstance, UnreadableSource};
pub(crate) use rows::reason;

use crate::imported::ImportItem;
use rows::database_at;
use std::fmt;
use std::path::Path;

/// A program, a history or a kind of file that holds memories already.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ImportSource {
    /// claude-mem's database.
    ClaudeMem,
    /// claude-mem-lite's database.
    ClaudeMemLite,
    /// open-mem's database.
    OpenMem,
    /// lore's data directory.
    Lore,
    /// engram's export.
    Engram,
    /// The history of a git repository.
    Git,
    /// Memory files: CLAUDE.md, AGENTS.md, memory-bank folders.
    Markdown,
}

impl ImportSource {
    /// Every source.
    pub const ALL: [ImportSource; 7] = [
        ImportSource::ClaudeMem,
        ImportSource::ClaudeMemLite,
        ImportSource::OpenMem,
        ImportSource::Lore,
        ImportSource::Engram,
        ImportSource::Git,
        ImportSource::Markdown,
    ];

    /// Returns the source's name, as it is stored and typed.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            ImportSource::ClaudeMem => "claude-mem",
            ImportSource::ClaudeMemLite => "claude-mem-lite",
            ImportSource::OpenMem => "open-mem",
            ImportSource::Lore => "lore",
            ImportSource::Engram => "engram",
            ImportSource::Git => "git",
            ImportSource::Markdown => "markdown",
        }
    }

    /// Returns the instance that a user points at: its file, or the folder its program keeps it in.
    #[must_use]
    pub fn at(self, path: &Path) -> Option<SourceInstance> {
        match self {
            ImportSource::ClaudeMem => database_at(self, path, &["claude-mem.db"]),
            ImportSource::ClaudeMemLite => database_at(self, path, &["claude-mem-lite.db", "claude-mem.db"]),
            ImportSource::OpenMem => database_at(self, path, &[".open-mem/memory.db", "memory.db"]),
            ImportSource::Engram => database_at(self, path, &["engram.db", "engram-export.json"]),
            ImportSource::Lore => lore::at(path),
            ImportSource::Git | ImportSource::Markdown => SourceInstance::at(self, path),
        }
    }

    /// Finds its instances on this machine.
    #[must_use]
    pub fn locate(self, search: &SearchPaths) -> Vec<SourceInstance> {
        match self {
            ImportSource::ClaudeMem => claude_mem::locate(search),
            ImportSource::ClaudeMemLite => claude_mem_lite::locate(search),
            ImportSource::OpenMem => open_mem::locate(search),
            ImportSource::Lore => lore::locate(search),
            ImportSource::Engram => engram::locate(search),
            ImportSource::Git => git_history::locate(search),
            ImportSource::Markdown => memory_files::locate(search),
        }
    }
}

impl SourceInstance {
    /// Reads it, oldest first where it has an order. An entry that cannot be read is emitted as skipped; an error means that nothing could be read.
    pub fn read(&self, emit: &mut dyn FnMut(ImportItem)) -> Result<(), UnreadableSource> {
        self.refuse_long()?;
        let emit: &mut dyn FnMut(ImportItem) = &mut |item| emit(self.bind(item));
        match self.source {
            ImportSource::ClaudeMem => claude_mem::read(self, emit),
            ImportSource::ClaudeMemLite => claude_mem_lite::read(self, emit),
            ImportSource::OpenMem => open_mem::read(self, emit),
            ImportSource::Lore => lore::read(self, emit),
            ImportSource::Engram => engram::read(self, emit),
            ImportSource::Git => git_history::read(self, emit),
            ImportSource::Markdown => memory_files::read(self, emit),
        }
    }
}

impl fmt::Display for ImportSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl std::str::FromStr for ImportSource {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        ImportSource::ALL.into_iter().find(|source| source.as_str() == text).ok_or(())
    }
}
