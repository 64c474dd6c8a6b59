//! Teams without a server: a project is shared through a folder that its owner commits, merges and pushes with git.

mod git_entry;
mod git_folder;
mod git_pull;
mod git_push;

pub use git_entry::author_name;
pub use git_folder::{RefusedFile, RefusedFiles};
pub use git_pull::{GitPull, preview_pull, pull_from_folder};
pub use git_push::{GitPush, GitPushPreview, preview_push, push_to_folder};

use crate::project_sync::Inbox;
use crate::transport::Transport;
use crate::{Pushed, SharePolicy, SyncError};
use backstory_memory::{SyncBatch, Timestamp, Uid};
use git_folder::{FolderMemory, GitFolder};
use git_push::FilesWritten;
use std::collections::BTreeMap;
use std::path::Path;

/// The folder of a project, and what a push or pull of it needs.
pub struct GitShare<'a> {
    /// The folder.
    pub dir: &'a Path,
    /// What may be shared.
    pub policy: &'a SharePolicy,
    /// The time.
    pub now: Timestamp,
}

/// A project in a folder.
pub(crate) struct GitTransport {
    folder: GitFolder,
    /// What the folder held before a push.
    present: BTreeMap<Uid, FolderMemory>,
    author: String,
    written: FilesWritten,
    /// Whether everything is pulled, and not only what has changed since the last pull.
    pulls_everything: bool,
    now: Timestamp,
}

impl GitTransport {
    fn new(folder: GitFolder, now: Timestamp) -> GitTransport {
        GitTransport {
            folder,
            present: BTreeMap::new(),
            author: String::new(),
            written: FilesWritten::default(),
            pulls_everything: false,
            now,
        }
    }
}

impl Transport for GitTransport {
    fn push(&mut self, batch: &SyncBatch) -> Result<Pushed, SyncError> {
        self.write(batch)?;
        Ok(Pushed::default())
    }

    fn pull(&mut self, inbox: &mut Inbox<'_>) -> Result<(), SyncError> {
        self.read(inbox)
    }
}
