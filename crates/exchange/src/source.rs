//! The sorts of things that can be read, and where each is found and read.

use crate::values::database_at;
use crate::{
    Find, Found, Unreadable, Whereabouts, claude_mem, claude_mem_lite, engram, git, lore, markdown, open_mem,
};
use std::fmt;
use std::path::Path;

/// A sort of thing that holds memories already.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
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

impl Source {
    /// Every source.
    pub const ALL: [Source; 7] = [
        Source::ClaudeMem,
        Source::ClaudeMemLite,
        Source::OpenMem,
        Source::Lore,
        Source::Engram,
        Source::Git,
        Source::Markdown,
    ];

    /// Returns the source's name, as it is stored and typed.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Source::ClaudeMem => "claude-mem",
            Source::ClaudeMemLite => "claude-mem-lite",
            Source::OpenMem => "open-mem",
            Source::Lore => "lore",
            Source::Engram => "engram",
            Source::Git => "git",
            Source::Markdown => "markdown",
        }
    }

    /// Returns the find somebody points at: the file, or the folder its program keeps it in.
    #[must_use]
    pub fn at(self, path: &Path) -> Option<Find> {
        match self {
            Source::ClaudeMem => database_at(self, path, &["claude-mem.db"]),
            Source::ClaudeMemLite => database_at(self, path, &["claude-mem-lite.db", "claude-mem.db"]),
            Source::OpenMem => database_at(self, path, &[".open-mem/memory.db", "memory.db"]),
            Source::Engram => database_at(self, path, &["engram.db", "engram-export.json"]),
            Source::Lore => lore::at(path),
            Source::Git | Source::Markdown => Find::at(self, path),
        }
    }

    /// Finds what there is of it on this machine.
    #[must_use]
    pub fn find(self, around: &Whereabouts) -> Vec<Find> {
        match self {
            Source::ClaudeMem => claude_mem::find(around),
            Source::ClaudeMemLite => claude_mem_lite::find(around),
            Source::OpenMem => open_mem::find(around),
            Source::Lore => lore::find(around),
            Source::Engram => engram::find(around),
            Source::Git => git::find(around),
            Source::Markdown => markdown::find(around),
        }
    }
}

impl Find {
    /// Reads it, oldest first where it has an order. What cannot be read is told one by one, and only where nothing can is it refused.
    pub fn read(&self, tell: &mut dyn FnMut(Found)) -> Result<(), Unreadable> {
        match self.source {
            Source::ClaudeMem => claude_mem::read(self, tell),
            Source::ClaudeMemLite => claude_mem_lite::read(self, tell),
            Source::OpenMem => open_mem::read(self, tell),
            Source::Lore => lore::read(self, tell),
            Source::Engram => engram::read(self, tell),
            Source::Git => git::read(self, tell),
            Source::Markdown => markdown::read(self, tell),
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl std::str::FromStr for Source {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Source::ALL.into_iter().find(|source| source.as_str() == text).ok_or(())
    }
}
