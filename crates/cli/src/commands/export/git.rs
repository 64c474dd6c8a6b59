//! `export --git DIR`: tells a team through a folder that git carries. Files are only added, and the words of what was forgotten go.

use super::ExportArgs;
use super::folder::files;
use crate::app::{App, project_name};
use crate::border::Border;
use crate::by_git::{self, Entry, Folder, Refused, Said, Told};
use crate::failure::{Exit, Failure};
use crate::leaving::MemoryLeaving;
use crate::sync_lock::SyncLock;
use crate::ui::{memories, one_line};
use backstory_memory::{Memory, ProjectId, Provenance, SharedMemory, SharedRevision, SyncBatch, Uid};
use backstory_store::{SharedProject, Store, Untold};
use serde::Serialize;
use std::collections::BTreeMap;

/// How many memories are told between two notes of what was.
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
    stayed: u64,
    #[serde(flatten)]
    refused: Refused,
    /// What would be told, where nothing is.
    #[serde(skip_serializing_if = "Option::is_none")]
    leaving: Option<Vec<MemoryLeaving>>,
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
    let (told, project) = (memories(answer.memories), one_line(&answer.project));
    if let Some(leaving) = &answer.leaving {
        app.ui.line(&format!(
            "`{project}` would tell {told} as {}, {} forgotten; {} would stay here",
            answer.author, answer.forgotten, answer.stayed
        ))?;
        leaving.iter().try_for_each(|memory| memory.print(&app.ui))?;
        return Ok(exit);
    }
    app.ui.line(&format!(
        "`{project}` told {told} as {}, {} forgotten: {} added, {} removed",
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
    let author = by_git::author(&store, args.r#as.as_deref(), app)?;
    let mut folder = Folder::look(dir)?;
    let told = folder.read_all(app.now);
    let (shared, _) = by_git::share(&mut store, project, Some(&author), app)?;
    let mut exporting = Exporting { app, folder, told, author, answer: Answer::default() };
    exporting.remove_forgotten(&store)?;
    exporting.look_for_lost(&mut store, project)?;
    exporting.tell(&mut store, &shared)?;
    let Exporting { folder, author, answer, .. } = exporting;
    let project = project_name(&store, project)?;
    Ok(Answer { version: 1, project, author, refused: folder.refused, ..answer })
}

struct Exporting<'a> {
    app: &'a App,
    folder: Folder,
    told: BTreeMap<Uid, Told>,
    author: String,
    answer: Answer,
}

impl Exporting<'_> {
    /// Removes what was forgotten: here, or by somebody whose word came in after it had been written again.
    fn remove_forgotten(&mut self, store: &Store) -> Result<(), Failure> {
        for (uid, told) in &self.told {
            if told.is_forgotten || store.is_forgotten(uid)? {
                let removed = self.folder.forget(uid, Some(told), self.app.now)?;
                self.answer.removed += removed;
                self.answer.forgotten += u64::from(!told.is_forgotten || removed > 0);
            }
        }
        Ok(())
    }

    /// Notes what was told once and is not there: another branch is checked out, or the folder is another. Everybody tells their own.
    fn look_for_lost(&self, store: &mut Store, project: ProjectId) -> Result<(), Failure> {
        let mut lost = Vec::new();
        for (uid, state) in store.known_to_team(project)? {
            let is_there = self.told.get(&uid).is_some_and(|told| told.is_forgotten || told.says(state));
            let is_own = |memory: &Memory| !matches!(memory.content.provenance, Provenance::Team(_));
            if !is_there && store.memory_by_uid(&uid)?.as_ref().is_some_and(is_own) {
                lost.push(uid);
            }
        }
        Ok(store.tell_again(project, &lost)?)
    }

    /// Tells what was not told yet.
    fn tell(&mut self, store: &mut Store, shared: &SharedProject) -> Result<(), Failure> {
        let border = Border::of(self.app);
        let mut after = None;
        loop {
            let untold = store.untold(shared.project, after.as_ref(), AT_ONCE)?;
            let Some(last) = untold.last() else { return Ok(()) };
            after = Some(last.uid().clone());
            let (mut told, mut staying) = (Vec::new(), Vec::new());
            for untold in untold {
                match &untold {
                    Untold::Forgotten(uid) => self.put_grave(uid)?,
                    Untold::Said(saying) => match border.leaving(saying) {
                        Some(news) => self.put(&news)?,
                        None => {
                            staying.push(untold);
                            continue;
                        }
                    },
                }
                told.push(untold);
            }
            self.answer.stayed += staying.len() as u64;
            store.told(shared.project, &told)?;
            store.kept_to_ourselves(&staying)?;
        }
    }

    fn put(&mut self, news: &SyncBatch) -> Result<(), Failure> {
        for memory in &news.memories {
            if !self.has_grave(&memory.uid) {
                self.put_memory(memory)?;
            }
        }
        for link in &news.links {
            if !self.has_grave(&link.from) {
                self.add(&Entry::Linked(link.clone()))?;
            }
        }
        Ok(())
    }

    /// Writes that a memory was forgotten, also where this folder is not the one it was told in.
    fn put_grave(&mut self, uid: &Uid) -> Result<(), Failure> {
        self.folder.forget(uid, None, self.app.now)?;
        self.answer.forgotten += u64::from(!self.told.contains_key(uid));
        Ok(())
    }

    fn has_grave(&self, uid: &Uid) -> bool {
        self.told.get(uid).is_some_and(|told| told.is_forgotten)
    }

    fn put_memory(&mut self, memory: &SharedMemory) -> Result<(), Failure> {
        let before = self.answer.written;
        for revision in &memory.revisions {
            if self.told.get(&memory.uid).is_some_and(|told| told.says_at(revision.order())) {
                continue;
            }
            let mut revision = revision.clone();
            revision.author.clone_from(&self.author);
            let said = Said { uid: memory.uid.clone(), created_at: memory.created_at, revision };
            self.add(&Entry::Said(Box::new(said)))?;
        }
        self.answer.memories += u64::from(self.answer.written > before);
        Ok(())
    }

    fn add(&mut self, entry: &Entry) -> Result<(), Failure> {
        self.answer.written += u64::from(self.folder.put(entry, self.app.now)?);
        Ok(())
    }
}

/// Looks what an export would tell. Nothing is written, here or there.
fn preview(dir: &str, args: &ExportArgs, app: &App) -> Result<Answer, Failure> {
    let store = app.store_to_read()?;
    let project = app.known_project(&store, args.project.as_deref())?;
    let author = by_git::author(&store, args.r#as.as_deref(), app)?;
    let mut folder = Folder::look(dir)?;
    let told = folder.read_all(app.now);
    let mut answer = Answer { version: 1, author, ..Answer::default() };
    for (uid, _) in told.iter().filter(|(_, told)| !told.is_forgotten) {
        answer.forgotten += u64::from(store.is_forgotten(uid)?);
    }
    if let Some(project) = project {
        by_git::shared(&store, project)?;
        answer.project = project_name(&store, project)?;
        let (leaving, stayed) = leaving(&store, project, &told, app)?;
        (answer.memories, answer.stayed, answer.leaving) = (leaving.len() as u64, stayed, Some(leaving));
    }
    answer.leaving.get_or_insert_default();
    Ok(Answer { refused: folder.refused, ..answer })
}

fn leaving(
    store: &Store,
    project: ProjectId,
    told: &BTreeMap<Uid, Told>,
    app: &App,
) -> Result<(Vec<MemoryLeaving>, u64), Failure> {
    let (mut leaving, mut stayed, mut uids) = (Vec::new(), 0, Vec::new());
    let border = Border::of(app);
    store.each_memory(|memory| {
        if memory.project == project {
            uids.push(memory.uid);
        }
    })?;
    for uid in uids {
        let Some(saying) = store.all_it_said(&uid)? else { continue };
        let Some(news) = border.leaving(&saying) else {
            stayed += 1;
            continue;
        };
        let told = told.get(&uid);
        let is_there = |said: &SharedRevision| told.is_some_and(|told| told.says(said.state()));
        for mut memory in news.memories {
            if told.is_some_and(|told| told.is_forgotten) || memory.revisions.last().is_some_and(is_there) {
                continue;
            }
            memory.revisions.retain(|said| !is_there(said));
            leaving.extend(MemoryLeaving::of(memory));
        }
    }
    Ok((leaving, stayed))
}
