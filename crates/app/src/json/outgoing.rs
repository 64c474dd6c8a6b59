//! What would leave this machine, and what goes through a git folder, in JSON.

use backstory_memory::{ContentRecord, SharedMemory, shared_record};
use backstory_sync::RefusedFiles;
use serde::Serialize;

/// What `sync --dry-run --json` answers: every word that would be pushed.
#[derive(Debug, Serialize)]
pub struct OutgoingShape {
    pub version: u32,
    pub projects: Vec<ProjectOutgoingShape>,
}

/// What would be pushed of one project.
#[derive(Debug, Serialize)]
pub struct ProjectOutgoingShape {
    pub project: String,
    pub team: String,
    pub memories: Vec<OutgoingMemoryShape>,
    pub forgotten: Vec<String>,
    pub kept_local: u64,
}

/// A memory that would be pushed.
#[derive(Debug, Serialize)]
pub struct OutgoingMemoryShape {
    pub uid: String,
    #[serde(flatten)]
    pub now: ContentRecord,
    pub revisions: usize,
    /// What it said before: every word of it would be pushed, too.
    pub before: Vec<ContentRecord>,
}

impl OutgoingMemoryShape {
    pub(crate) fn list(memories: &[SharedMemory]) -> Vec<OutgoingMemoryShape> {
        memories.iter().filter_map(OutgoingMemoryShape::new).collect()
    }

    fn new(memory: &SharedMemory) -> Option<OutgoingMemoryShape> {
        let mut before: Vec<ContentRecord> =
            memory.revisions.iter().map(|said| shared_record(&said.content)).collect();
        let (revisions, now) = (before.len(), before.pop()?);
        Some(OutgoingMemoryShape { uid: memory.uid.to_string(), now, revisions, before })
    }
}

/// What `export --git --json` answers.
#[derive(Debug, Default, Serialize)]
pub struct GitPushShape {
    pub version: u32,
    pub project: String,
    pub author: String,
    /// Memories of which something was written.
    pub memories: u64,
    /// Files that were added.
    pub written: u64,
    /// Memories that were forgotten and still in the folder.
    pub forgotten: u64,
    /// Files that were removed with them.
    pub removed: u64,
    /// Memories that are not for others.
    pub kept_local: u64,
    #[serde(flatten)]
    pub refused: RefusedFilesShape,
    /// What would be pushed, in a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outgoing: Option<Vec<OutgoingMemoryShape>>,
}

/// What `import --git --json` answers.
#[derive(Debug, Serialize)]
pub struct GitPullShape {
    pub version: u32,
    pub project: String,
    pub written: u64,
    pub revised: u64,
    pub forgotten: u64,
    /// Whether nothing was imported yet.
    pub dry_run: bool,
    #[serde(flatten)]
    pub refused: RefusedFilesShape,
}

/// How many files of a git folder were refused, and the first of them.
#[derive(Debug, Default, Serialize)]
pub struct RefusedFilesShape {
    #[serde(rename = "refused")]
    pub count: u64,
    #[serde(rename = "refused_files")]
    pub files: Vec<RefusedFileShape>,
}

/// A file that was refused.
#[derive(Debug, Serialize)]
pub struct RefusedFileShape {
    pub file: String,
    pub error: String,
}

impl From<RefusedFiles> for RefusedFilesShape {
    fn from(refused: RefusedFiles) -> RefusedFilesShape {
        let files = refused.files.into_iter();
        let files = files.map(|refused| RefusedFileShape { file: refused.file, error: refused.error });
        RefusedFilesShape { count: refused.count, files: files.collect() }
    }
}
