//! `export --git DIR`: pushes to a team through a folder in git. Files are only added; those of forgotten memories are removed.

use super::ExportArgs;
use super::folder::files;
use crate::app::{App, project_name};
use crate::failure::{Exit, Failure};
use crate::git_share::{self, FolderMemory, GitEntry, GitFolder, GitRevision, RefusedFiles};
use crate::outgoing::OutgoingMemory;
use crate::share_policy::SharePolicy;
use crate::sync_lock::SyncLock;
use crate::ui::{memories, one_line};
use backstory_memory::{Memory, ProjectId, Provenance, SharedMemory, SharedRevision, SyncBatch, Uid};
use backstory_store::{OutboxEntry, SharedProject, Store};
use serde::Serialize;
use std::collections::BTreeMap;

/// How many memories are written before the outbox is updated.
const AT_ONCE: usize = 200;

/// What an export came to, or would.
#[derive(Default, Serialize)]
struct Answer {
    version: u32,
    project: String,
    author: String,
    /// Memories of which something was written.
    memories: u64,
    /// Files that were added.
    written: u64,
    /// Memories that were forgotten and stood there still.
    forgotten: u64,
    /// Files that were removed with them.
    removed: u64,
    /// Memories that are not for others.
    kept_local: u64,
    #[serde(flatten)]
    refused: RefusedFiles,
    /// What would be pushed, in a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    outgoing: Option<Vec<OutgoingMemory>>,
}

/// Exports to a folder that git carries.
pub(super) fn run(dir: &str, args: &ExportArgs, app: &App) -> Result<Exit, Failure> {
    let answer = if args.dry_run { preview(dir, args, app)? } else { export(dir, args, app)? };
    let exit = if answer.refused.count == 0 { Exit::Done } else { Exit::No };
    if args.json {
        app.ui.json(&answer)?;
        return Ok(exit);
    }
    answer.refused.say(&app.ui);
    let (count, project) = (memories(answer.memories), one_line(&answer.project));
    if let Some(outgoing) = &answer.outgoing {
        app.ui.line(&format!(
            "`{project}` would push {count} as {}, {} forgotten; {} kept local",
            answer.author, answer.forgotten, answer.kept_local
        ))?;
        outgoing.iter().try_for_each(|memory| memory.print(&app.ui))?;
        return Ok(exit);
    }
    app.ui.line(&format!(
        "`{project}` pushed {count} as {}, {} forgotten: {} added, {} removed",
        answer.author,
        answer.forgotten,
        files(answer.written),
        answer.removed
    ))?;
    Ok(exit)
}

fn export(dir: &str, args: &ExportArgs, app: &App) -> Result<Answer, Failure> {
    let mut store = app.store()?;
    let _lock = SyncLock::take(app)?;
    let project = app.project_to_write(&mut store, args.project.as_deref())?;
    let author = git_share::author(&store, args.r#as.as_deref(), app)?;
    let mut folder = GitFolder::look(dir)?;
    let present = folder.read_all(app.now);
    let (shared, _) = git_share::share(&mut store, project, Some(&author), app)?;
    let mut exporting = Exporting { app, folder, present, author, answer: Answer::default() };
    exporting.remove_forgotten(&store)?;
    exporting.look_for_lost(&mut store, project)?;
    exporting.push(&mut store, &shared)?;
    let Exporting { folder, author, answer, .. } = exporting;
    let project = project_name(&store, project)?;
    Ok(Answer { version: 1, project, author, refused: folder.refused, ..answer })
}

struct Exporting<'a> {
    app: &'a App,
    folder: GitFolder,
    present: BTreeMap<Uid, FolderMemory>,
    author: String,
    answer: Answer,
}

impl Exporting<'_> {
    /// Removes what was forgotten: here, or by somebody whose word came in after it had been written again.
    fn remove_forgotten(&mut self, store: &Store) -> Result<(), Failure> {
        for (uid, told) in &self.present {
            if told.is_forgotten || store.is_forgotten(uid)? {
                let removed = self.folder.forget(uid, Some(told), self.app.now)?;
                self.answer.removed += removed;
                self.answer.forgotten += u64::from(!told.is_forgotten || removed > 0);
            }
        }
        Ok(())
    }

    /// Re-queues what was pushed once and is not there: another branch is checked out, or the folder is another. Everybody pushes their own.
    fn look_for_lost(&self, store: &mut Store, project: ProjectId) -> Result<(), Failure> {
        let mut lost = Vec::new();
        for (uid, state) in store.synced_digests(project)? {
            let is_there = self.present.get(&uid).is_some_and(|told| told.is_forgotten || told.says(state));
            let is_own = |memory: &Memory| !matches!(memory.content.provenance, Provenance::Team(_));
            if !is_there && store.memory_by_uid(&uid)?.as_ref().is_some_and(is_own) {
                lost.push(uid);
            }
        }
        Ok(store.requeue(project, &lost)?)
    }

    /// Pushes what was not pushed yet.
    fn push(&mut self, store: &mut Store, shared: &SharedProject) -> Result<(), Failure> {
        let share_policy = SharePolicy::from_app(self.app);
        let mut after = None;
        loop {
            let untold = store.outbox(shared.project, after.as_ref(), AT_ONCE)?;
            let Some(last) = untold.last() else { return Ok(()) };
            after = Some(last.uid().clone());
            let (mut told, mut kept_local) = (Vec::new(), Vec::new());
            for untold in untold {
                match &untold {
                    OutboxEntry::Deleted(uid) => self.put_deletion(uid)?,
                    OutboxEntry::Changed(saying) => match share_policy.outgoing(saying) {
                        Some(batch) => self.put(&batch)?,
                        None => {
                            kept_local.push(untold);
                            continue;
                        }
                    },
                }
                told.push(untold);
            }
            self.answer.kept_local += kept_local.len() as u64;
            store.mark_pushed(shared.project, &told)?;
            store.mark_kept_local(&kept_local)?;
        }
    }

    fn put(&mut self, batch: &SyncBatch) -> Result<(), Failure> {
        for memory in &batch.memories {
            if !self.is_deleted(&memory.uid) {
                self.put_memory(memory)?;
            }
        }
        for link in &batch.links {
            if !self.is_deleted(&link.from) {
                self.add(&GitEntry::Linked(link.clone()))?;
            }
        }
        Ok(())
    }

    /// Writes that a memory was forgotten, also where this folder is not the one it was pushed to.
    fn put_deletion(&mut self, uid: &Uid) -> Result<(), Failure> {
        self.folder.forget(uid, None, self.app.now)?;
        self.answer.forgotten += u64::from(!self.present.contains_key(uid));
        Ok(())
    }

    fn is_deleted(&self, uid: &Uid) -> bool {
        self.present.get(uid).is_some_and(|told| told.is_forgotten)
    }

    fn put_memory(&mut self, memory: &SharedMemory) -> Result<(), Failure> {
        let before = self.answer.written;
        for revision in &memory.revisions {
            if self.present.get(&memory.uid).is_some_and(|told| told.says_at(revision.order())) {
                continue;
            }
            let mut revision = revision.clone();
            revision.author.clone_from(&self.author);
            let said = GitRevision { uid: memory.uid.clone(), created_at: memory.created_at, revision };
            self.add(&GitEntry::GitRevision(Box::new(said)))?;
        }
        self.answer.memories += u64::from(self.answer.written > before);
        Ok(())
    }

    fn add(&mut self, entry: &GitEntry) -> Result<(), Failure> {
        self.answer.written += u64::from(self.folder.put(entry, self.app.now)?);
        Ok(())
    }
}

/// Returns what an export would push. Nothing is written, here or there.
fn preview(dir: &str, args: &ExportArgs, app: &App) -> Result<Answer, Failure> {
    let store = app.store_to_read()?;
    let project = app.known_project(&store, args.project.as_deref())?;
    let author = git_share::author(&store, args.r#as.as_deref(), app)?;
    let mut folder = GitFolder::look(dir)?;
    let present = folder.read_all(app.now);
    let mut answer = Answer { version: 1, author, ..Answer::default() };
    for (uid, _) in present.iter().filter(|(_, told)| !told.is_forgotten) {
        answer.forgotten += u64::from(store.is_forgotten(uid)?);
    }
    if let Some(project) = project {
        git_share::shared(&store, project)?;
        answer.project = project_name(&store, project)?;
        let (outgoing, kept_local) = outgoing(&store, project, &present, app)?;
        (answer.memories, answer.kept_local, answer.outgoing) =
            (outgoing.len() as u64, kept_local, Some(outgoing));
    }
    answer.outgoing.get_or_insert_default();
    Ok(Answer { refused: folder.refused, ..answer })
}

fn outgoing(
    store: &Store,
    project: ProjectId,
    told: &BTreeMap<Uid, FolderMemory>,
    app: &App,
) -> Result<(Vec<OutgoingMemory>, u64), Failure> {
    let (mut outgoing, mut kept_local, mut uids) = (Vec::new(), 0, Vec::new());
    let share_policy = SharePolicy::from_app(app);
    store.each_memory(|memory| {
        if memory.project == project {
            uids.push(memory.uid);
        }
    })?;
    for uid in uids {
        let Some(saying) = store.full_history(&uid)? else { continue };
        let Some(batch) = share_policy.outgoing(&saying) else {
            kept_local += 1;
            continue;
        };
        let told = told.get(&uid);
        let is_there = |said: &SharedRevision| told.is_some_and(|told| told.says(said.content_digest()));
        for mut memory in batch.memories {
            if told.is_some_and(|told| told.is_forgotten) || memory.revisions.last().is_some_and(is_there) {
                continue;
            }
            memory.revisions.retain(|said| !is_there(said));
            outgoing.extend(OutgoingMemory::from_shared(memory));
        }
    }
    Ok((outgoing, kept_local))
}
