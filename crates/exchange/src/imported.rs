//! A memory as a source holds it, before anything of it is redacted: it must not reach the disk like this.

use backstory_memory::{Content, EvidenceKind, ProjectKey, Timestamp};
use backstory_store::UsageHistory;
use std::path::PathBuf;

/// What a source yields next.
#[derive(Clone, Debug)]
pub enum ImportItem {
    /// A memory.
    Memory(Box<ImportedMemory>),
    /// Something that cannot be read or is of no use, and why, in a word or two.
    Skipped(&'static str),
}

/// A memory of a source.
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
    /// When it was changed, seen and used.
    pub history: Option<UsageHistory>,
    /// What speaks for it beside its words.
    pub evidence: EvidenceKind,
    /// The names of memories of the same source instance that it replaces.
    pub replaces: Vec<String>,
    /// The names of memories of the same source instance that it has to do with.
    pub relates: Vec<String>,
}

impl ImportedMemory {
    /// Starts a memory: of no session, with no history, alone.
    pub(crate) fn new(
        name: String,
        project: ImportedProject,
        created_at: Timestamp,
        content: Content,
    ) -> ImportedMemory {
        let (replaces, relates) = (Vec::new(), Vec::new());
        let (session, history, evidence) = (None, None, EvidenceKind::Words);
        ImportedMemory { name, project, session, created_at, content, history, evidence, replaces, relates }
    }
}

/// Which project a memory belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ImportedProject {
    /// The one of a folder, which need not be there any more.
    Folder(PathBuf),
    /// One that is recognised by keys, wherever its folder is.
    Keyed {
        /// Its name.
        name: String,
        /// What it is recognised by.
        keys: Vec<ProjectKey>,
    },
    /// One of which only the name is known.
    Named(String),
    /// None is named: it belongs where the user says.
    Unnamed,
}

/// The session a memory came from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ImportedSession {
    /// The host's name.
    pub host: String,
    /// The host's own name for the session.
    pub name: String,
}

impl ImportedSession {
    /// Names a session of Claude Code.
    pub(crate) fn of_claude_code(name: &str) -> ImportedSession {
        ImportedSession { host: "claude-code".to_owned(), name: name.to_owned() }
    }

    /// Names a session of OpenCode, which is recognised by its name; none for other names, whose host nothing tells.
    pub(crate) fn of_opencode(name: &str) -> Option<ImportedSession> {
        let host = name.starts_with("ses_").then(|| "opencode".to_owned())?;
        Some(ImportedSession { host, name: name.to_owned() })
    }
}
