//! Pulling through a folder in git. Only what has changed since the last pull is read.

use super::git_folder::{FolderMemory, GitFolder, RefusedFiles};
use super::{GitShare, GitTransport};
use crate::SyncError;
use crate::project_sync::{Inbox, ProjectSync, SyncReport};
use crate::sharing::{git_share_of, share_through_git};
use backstory_memory::{MemoryScope, ProjectId, Redacted, SyncBatch, Uid};
use backstory_store::{ImportProgress, Store};
use std::collections::BTreeMap;

/// The source under which the store keeps how far each part of a folder was read.
const SOURCE: &str = "shared through git";
/// How many memories are applied at once.
const MEMORIES_PER_BATCH: usize = 200;
const NOT_THE_TEAMS: &str = "its memory is of another project here, or of the user alone";

/// What came of a pull from a folder, or would.
#[derive(Debug, Default)]
pub struct GitPull {
    /// Memories that are new here.
    pub written: u64,
    /// Memories that say something else now.
    pub revised: u64,
    /// Memories that were forgotten.
    pub forgotten: u64,
    /// Files of the folder that were refused.
    pub refused: RefusedFiles,
}

/// A part of a folder that was read.
struct PartRead {
    part: String,
    fingerprint: String,
    is_complete: bool,
}

/// Pulls a project from a folder. It is shared through git from then on.
pub fn pull_from_folder(
    store: &mut Store,
    project: ProjectId,
    share: &GitShare<'_>,
) -> Result<GitPull, SyncError> {
    let GitShare { dir, policy, now } = *share;
    let mut transport = GitTransport::new(GitFolder::open(dir)?, now);
    // Fingerprints from an earlier time of sharing do not count: what was read then may be gone.
    (_, transport.pulls_everything) = share_through_git(store, project, None, now)?;
    let mut sync = ProjectSync { transport, project, policy, now, report: SyncReport::default() };
    sync.pull(store)?;
    let ProjectSync { transport, report, .. } = sync;
    let pulled = report.pulled;
    Ok(GitPull {
        written: pulled.written,
        revised: pulled.revised,
        forgotten: pulled.forgotten,
        refused: transport.folder.refused,
    })
}

impl GitTransport {
    /// Hands everything that has changed to the inbox. A part with refused files is read again the next time. So is one with a memory
    /// whose local change is still to be pushed, which the inbox leaves alone: if somebody has made the same change, the push adds no
    /// file, and the fingerprint would not change.
    pub(super) fn read(&mut self, inbox: &mut Inbox<'_>) -> Result<(), SyncError> {
        let mut read = Vec::new();
        let mut batch = SyncBatch::default();
        for (part, fingerprint) in self.folder.parts() {
            if !self.pulls_everything && was_read(inbox, &part, &fingerprint)? {
                continue;
            }
            let refused = self.folder.refused.count;
            let memories = self.folder.read(&part, self.now);
            let is_pending = has_pending(inbox.store, memories.keys())?;
            self.collect(inbox, &part, memories, &mut batch)?;
            let is_complete = self.folder.refused.count == refused && !is_pending;
            read.push(PartRead { part, fingerprint, is_complete });
            if batch.memories.len() + batch.forgotten.len() >= MEMORIES_PER_BATCH {
                inbox.apply(std::mem::take(&mut batch))?;
            }
        }
        if !batch.is_empty() {
            inbox.apply(batch)?;
        }
        inbox.forget()?;
        // Last of all: a link may lead into a part that was read later, and a pull that is killed reads all of them again.
        let complete = read.into_iter().filter(|read| read.is_complete);
        complete.into_iter().try_for_each(|read| self.save_fingerprint(inbox, read))
    }

    /// Adds what may be applied. What belongs to another project here, or to the user alone, is not the team's to change.
    fn collect(
        &mut self,
        inbox: &Inbox<'_>,
        part: &str,
        memories: BTreeMap<Uid, FolderMemory>,
        batch: &mut SyncBatch,
    ) -> Result<(), SyncError> {
        for (uid, there) in memories {
            if !is_the_teams(inbox.store, &uid, inbox.project)? {
                self.folder.refused.add(format!("{part} ({uid})"), NOT_THE_TEAMS);
            } else if there.is_forgotten {
                batch.forgotten.push(uid);
            } else {
                batch.memories.extend(there.memory);
                batch.links.extend(there.links);
            }
        }
        Ok(())
    }

    fn save_fingerprint(&self, inbox: &mut Inbox<'_>, read: PartRead) -> Result<(), SyncError> {
        let progress = ImportProgress {
            source: SOURCE.to_owned(),
            location: location(inbox, &read.part),
            fingerprint: read.fingerprint,
            imported: 0,
            is_done: true,
        };
        Ok(inbox.store.imports_mut().save_progress(&progress, self.now)?)
    }
}

fn has_pending<'a>(store: &Store, uids: impl Iterator<Item = &'a Uid>) -> Result<bool, SyncError> {
    for uid in uids {
        if store.sync().is_pending(uid)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn was_read(inbox: &Inbox<'_>, part: &str, fingerprint: &str) -> Result<bool, SyncError> {
    let progress = inbox.store.imports().progress(SOURCE, &location(inbox, part))?;
    Ok(progress.is_some_and(|progress| progress.fingerprint == fingerprint))
}

fn location(inbox: &Inbox<'_>, part: &str) -> Redacted<String> {
    inbox.redact(&format!("{}/{part}", inbox.project))
}

/// Whether a memory may be changed by a team that shares a project: it is not here yet, or part of that project.
fn is_the_teams(store: &Store, uid: &Uid, project: ProjectId) -> Result<bool, SyncError> {
    let here = store.memories().by_uid(uid)?;
    Ok(here.is_none_or(|memory| memory.project == project && memory.content.scope != MemoryScope::User))
}

/// Returns what a pull would apply. Nothing is written.
pub fn preview_pull(
    store: &Store,
    project: Option<ProjectId>,
    share: &GitShare<'_>,
) -> Result<GitPull, SyncError> {
    let GitShare { dir, now, policy } = *share;
    if let Some(project) = project {
        git_share_of(store, project)?;
    }
    let mut folder = GitFolder::open(dir)?;
    let mut preview = GitPull::default();
    for (uid, there) in folder.read_all(now) {
        let here = store.memories().by_uid(&uid)?;
        let is_the_teams = match project {
            Some(project) => is_the_teams(store, &uid, project)?,
            None => here.is_none(),
        };
        if !is_the_teams {
            folder.refused.add(uid.to_string(), NOT_THE_TEAMS);
        } else if there.is_forgotten {
            preview.forgotten += u64::from(here.is_some());
        } else if let Some(last) = there.memory.as_ref().and_then(|memory| memory.revisions.last())
            && policy.admits(&last.content)
        {
            match here {
                Some(here) => {
                    let superseded_by = store.memories().links_by_uid(here.id, &uid)?.superseded_by;
                    let digest = backstory_memory::content_digest(&here.content, superseded_by.as_ref());
                    preview.revised += u64::from(digest != last.content_digest());
                }
                None => preview.written += u64::from(!store.memories().is_forgotten(&uid)?),
            }
        }
    }
    Ok(GitPull { refused: folder.refused, ..preview })
}
