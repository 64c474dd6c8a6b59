//! Pushing through a folder in git: adds files for what is new, and removes those of forgotten memories.

use super::git_entry::{GitEntry, GitRevision};
use super::git_folder::{FolderMemory, GitFolder, RefusedFiles};
use super::{GitShare, GitTransport};
use crate::project_sync::{ProjectSync, SyncReport};
use crate::sharing::{git_share_of, share_through_git};
use crate::{SharePolicy, SyncError};
use backstory_memory::{Memory, ProjectId, Provenance, SharedMemory, SharedRevision, SyncBatch, Uid};
use backstory_store::Store;
use std::collections::BTreeMap;

/// What came of a push to a folder.
#[derive(Debug, Default)]
pub struct GitPush {
    /// Memories of which something was written.
    pub memories: u64,
    /// Files that were added.
    pub added: u64,
    /// Memories that were forgotten and still in the folder.
    pub forgotten: u64,
    /// Files that were removed with them.
    pub removed: u64,
    /// Memories that the share policy keeps local.
    pub kept_local: u64,
    /// Files of the folder that were refused.
    pub refused: RefusedFiles,
}

/// What a push to a folder would do.
#[derive(Debug, Default)]
pub struct GitPushPreview {
    /// The memories of which something would be written, each with the revisions the folder does not have.
    pub outgoing: Vec<SharedMemory>,
    /// Memories that were forgotten and are still in the folder.
    pub forgotten: u64,
    /// Memories that the share policy keeps local.
    pub kept_local: u64,
    /// Files of the folder that would be refused.
    pub refused: RefusedFiles,
}

/// What a push has changed in a folder.
#[derive(Debug, Default)]
pub(super) struct FilesWritten {
    memories: u64,
    added: u64,
    forgotten: u64,
    removed: u64,
}

/// Pushes a project to a folder, under the name of an author. It is shared through git from then on.
pub fn push_to_folder(
    store: &mut Store,
    project: ProjectId,
    author: &str,
    share: &GitShare<'_>,
) -> Result<GitPush, SyncError> {
    let GitShare { dir, policy, now } = *share;
    let mut transport = GitTransport::new(GitFolder::open(dir)?, now);
    transport.present = transport.folder.read_all(now);
    author.clone_into(&mut transport.author);
    share_through_git(store, project, Some(author), now)?;
    transport.remove_forgotten(store)?;
    transport.requeue_lost(store, project)?;
    let mut sync = ProjectSync { transport, project, policy, now, report: SyncReport::default() };
    sync.push(store)?;
    let ProjectSync { transport: GitTransport { folder, written, .. }, report, .. } = sync;
    let FilesWritten { memories, added, forgotten, removed } = written;
    let (kept_local, refused) = (report.kept_local, folder.refused);
    Ok(GitPush { memories, added, forgotten, removed, kept_local, refused })
}

impl GitTransport {
    /// Removes what was forgotten: here, or by somebody whose deletion was merged after it had been written again.
    fn remove_forgotten(&mut self, store: &Store) -> Result<(), SyncError> {
        for (uid, there) in &self.present {
            if there.is_forgotten || store.memories().is_forgotten(uid)? {
                let removed = self.folder.forget(uid, Some(there), self.now)?;
                self.written.removed += removed;
                self.written.forgotten += u64::from(!there.is_forgotten || removed > 0);
            }
        }
        Ok(())
    }

    /// Queues again what was pushed once and is not in the folder: another branch is checked out, or it is another folder. Everybody pushes
    /// their own memories.
    fn requeue_lost(&self, store: &mut Store, project: ProjectId) -> Result<(), SyncError> {
        let mut lost = Vec::new();
        for (uid, digest) in store.sync().synced_digests(project)? {
            let is_there =
                self.present.get(&uid).is_some_and(|there| there.is_forgotten || there.holds(digest));
            let is_own = |memory: &Memory| !matches!(memory.content.provenance, Provenance::Team(_));
            if !is_there && store.memories().by_uid(&uid)?.as_ref().is_some_and(is_own) {
                lost.push(uid);
            }
        }
        Ok(store.sync_mut().requeue(project, &lost)?)
    }

    /// Writes a batch into the folder. A folder holds no pins: they are each member's own.
    pub(super) fn write(&mut self, batch: &SyncBatch) -> Result<(), SyncError> {
        for memory in &batch.memories {
            if !self.is_deleted(&memory.uid) {
                self.write_memory(memory)?;
            }
        }
        for link in &batch.links {
            if !self.is_deleted(&link.from) {
                self.write_entry(&GitEntry::Linked(link.clone()))?;
            }
        }
        for uid in &batch.forgotten {
            // Even if the memory is not here: it may have been pushed to another folder, which is merged with this one later.
            self.folder.forget(uid, None, self.now)?;
            self.written.forgotten += u64::from(!self.present.contains_key(uid));
        }
        Ok(())
    }

    fn is_deleted(&self, uid: &Uid) -> bool {
        self.present.get(uid).is_some_and(|there| there.is_forgotten)
    }

    fn write_memory(&mut self, memory: &SharedMemory) -> Result<(), SyncError> {
        let before = self.written.added;
        for revision in &memory.revisions {
            if self.present.get(&memory.uid).is_some_and(|there| there.holds_at(revision.order())) {
                continue;
            }
            let mut revision = revision.clone();
            revision.author.clone_from(&self.author);
            let revision = GitRevision { uid: memory.uid.clone(), created_at: memory.created_at, revision };
            self.write_entry(&GitEntry::Revised(Box::new(revision)))?;
        }
        self.written.memories += u64::from(self.written.added > before);
        Ok(())
    }

    fn write_entry(&mut self, entry: &GitEntry) -> Result<(), SyncError> {
        self.written.added += u64::from(self.folder.put(entry, self.now)?);
        Ok(())
    }
}

/// Returns what a push would do, and writes nothing. Without a project, a push would send nothing.
pub fn preview_push(
    store: &Store,
    project: Option<ProjectId>,
    share: &GitShare<'_>,
) -> Result<GitPushPreview, SyncError> {
    let GitShare { dir, policy, now } = *share;
    let mut folder = GitFolder::open(dir)?;
    let present = folder.read_all(now);
    let mut preview = GitPushPreview::default();
    for (uid, _) in present.iter().filter(|(_, there)| !there.is_forgotten) {
        preview.forgotten += u64::from(store.memories().is_forgotten(uid)?);
    }
    if let Some(project) = project {
        git_share_of(store, project)?;
        (preview.outgoing, preview.kept_local) = missing(store, project, &present, policy)?;
    }
    Ok(GitPushPreview { refused: folder.refused, ..preview })
}

/// Returns what the folder does not have of a project, and how many memories are kept local.
fn missing(
    store: &Store,
    project: ProjectId,
    present: &BTreeMap<Uid, FolderMemory>,
    policy: &SharePolicy,
) -> Result<(Vec<SharedMemory>, u64), SyncError> {
    let (mut missing, mut kept_local, mut uids) = (Vec::new(), 0, Vec::new());
    store.memories().for_each(|memory| {
        if memory.project == project {
            uids.push(memory.uid);
        }
    })?;
    for uid in uids {
        let Some(history) = store.sync().full_history(&uid)? else { continue };
        let Some(batch) = policy.outgoing(&history) else {
            kept_local += 1;
            continue;
        };
        let there = present.get(&uid);
        let is_there =
            |revision: &SharedRevision| there.is_some_and(|there| there.holds(revision.content_digest()));
        for mut memory in batch.memories {
            if there.is_some_and(|there| there.is_forgotten) || memory.revisions.last().is_some_and(is_there)
            {
                continue;
            }
            memory.revisions.retain(|revision| !is_there(revision));
            missing.push(memory);
        }
    }
    Ok((missing, kept_local))
}
