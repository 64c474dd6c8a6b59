//! `import --git DIR`: pulls what a team shares through a folder in git. Only what has changed since the last time is read.

use super::{ImportArgs, embed, tidy_up};
use crate::app::{App, project_name};
use crate::failure::{Exit, Failure};
use crate::git_share::{self, FolderMemory, GitFolder, RefusedFiles};
use crate::share_policy::SharePolicy;
use crate::sync_lock::SyncLock;
use crate::ui::one_line;
use backstory_memory::{MemoryScope, ProjectId, SyncBatch, Uid};
use backstory_store::{ImportProgress, InboxReport, SharedProject, Store};
use serde::Serialize;
use std::collections::BTreeMap;

/// What the places of a folder are called where it is noted how far they were read.
const SOURCE: &str = "shared through git";
/// How many memories are pulled at once.
const PER_PULL: usize = 200;

/// What an import came to, or would.
#[derive(Default, Serialize)]
struct Answer {
    version: u32,
    project: String,
    written: u64,
    revised: u64,
    forgotten: u64,
    /// Whether nothing was taken in yet.
    dry_run: bool,
    #[serde(flatten)]
    refused: RefusedFiles,
}

/// Imports from a folder that git carries.
pub(super) fn run(dir: &str, args: &ImportArgs, app: &App) -> Result<Exit, Failure> {
    if !std::path::Path::new(dir).is_dir() {
        return Err(Failure::user(format!("there is no folder `{dir}`"))
            .hint("`backstory export --git DIR` makes it; is the branch checked out that holds it?"));
    }
    let answer = if args.dry_run { preview(dir, args, app)? } else { import(dir, args, app)? };
    let exit = if answer.refused.count == 0 { Exit::Done } else { Exit::No };
    if args.json {
        app.ui.json(&answer)?;
        return Ok(exit);
    }
    answer.refused.say(&app.ui);
    let would = if answer.dry_run { "would pull" } else { "pulled" };
    app.ui.line(&format!(
        "`{}` {would} {} new, {} revised, {} forgotten",
        one_line(&answer.project),
        answer.written,
        answer.revised,
        answer.forgotten
    ))?;
    Ok(exit)
}

fn import(dir: &str, args: &ImportArgs, app: &App) -> Result<Answer, Failure> {
    let mut store = app.store()?;
    let lock = SyncLock::take(app)?;
    let project = app.project_to_write(&mut store, args.project.as_deref())?;
    let folder = GitFolder::look(dir)?;
    let (shared, is_new) = git_share::share(&mut store, project, None, app)?;
    let mut importing = Importing { app, store, shared, folder, pulled: InboxReport::default() };
    importing.pull(is_new)?;
    // What follows takes long, and bears on nobody's team.
    drop(lock);
    let Importing { mut store, folder, pulled, .. } = importing;
    tidy_up(&mut store, app);
    embed(&mut store, args, app)?;
    Ok(Answer {
        version: 1,
        project: project_name(&store, project)?,
        written: pulled.written,
        revised: pulled.revised,
        forgotten: pulled.forgotten,
        dry_run: false,
        refused: folder.refused,
    })
}

struct Importing<'a> {
    app: &'a App,
    store: Store,
    shared: SharedProject,
    folder: GitFolder,
    pulled: InboxReport,
}

/// A folder within that was read, and what it looked like.
struct Read {
    place: String,
    stamp: String,
    is_whole: bool,
}

impl Importing<'_> {
    fn pull(&mut self, is_new: bool) -> Result<(), Failure> {
        let mut read = Vec::new();
        let mut batch = SyncBatch::default();
        for (place, stamp) in self.folder.places() {
            if !is_new && self.was_read(&place, &stamp)? {
                continue;
            }
            let refused = self.folder.refused.count;
            let memories = self.folder.read(&place, self.app.now);
            self.take(&place, memories, &mut batch)?;
            read.push(Read { place, stamp, is_whole: self.folder.refused.count == refused });
            if batch.memories.len() + batch.forgotten.len() >= PER_PULL {
                self.write(std::mem::take(&mut batch))?;
            }
        }
        self.write(batch)?;
        let done: Vec<Read> = read.into_iter().filter(|read| read.is_whole).collect();
        self.note(&done)
    }

    /// Takes what may be pulled. What belongs to another project here, or to the user alone, is nobody's to change from outside.
    fn take(
        &mut self,
        place: &str,
        memories: BTreeMap<Uid, FolderMemory>,
        batch: &mut SyncBatch,
    ) -> Result<(), Failure> {
        for (uid, found) in memories {
            if is_anothers(&self.store, &uid, self.shared.project)? {
                self.folder.refused.add(format!("{place} ({uid})"), ANOTHERS);
            } else if found.is_forgotten {
                batch.forgotten.push(uid);
            } else {
                batch.memories.extend(found.memory);
                batch.links.extend(found.links);
            }
        }
        Ok(())
    }

    fn write(&mut self, batch: SyncBatch) -> Result<(), Failure> {
        if batch.is_empty() {
            return Ok(());
        }
        // Nobody proves who they are: no word counts as one's own.
        let batch = SharePolicy::from_app(self.app).incoming(batch, "");
        self.pulled.add(self.store.apply_batch(self.shared.project, &batch, self.app.now)?);
        Ok(())
    }

    fn was_read(&self, place: &str, stamp: &str) -> Result<bool, Failure> {
        let state = self.store.import_progress(SOURCE, &self.name_of(place))?;
        Ok(state.is_some_and(|state| state.fingerprint == stamp))
    }

    fn note(&mut self, read: &[Read]) -> Result<(), Failure> {
        for Read { place, stamp, .. } in read {
            let state = ImportProgress {
                source: SOURCE.to_owned(),
                location: self.name_of(place),
                fingerprint: stamp.clone(),
                imported: 0,
                is_done: true,
            };
            self.store.save_import_progress(&state, self.app.now)?;
        }
        Ok(())
    }

    fn name_of(&self, place: &str) -> String {
        format!("{}/{place}", self.shared.project)
    }
}

const ANOTHERS: &str = "its memory is of another project here, or of the user alone";

fn is_anothers(store: &Store, uid: &Uid, project: ProjectId) -> Result<bool, Failure> {
    let here = store.memory_by_uid(uid)?;
    Ok(here.is_some_and(|memory| memory.project != project || memory.content.scope == MemoryScope::User))
}

/// Looks what an import would pull. Nothing is written.
fn preview(dir: &str, args: &ImportArgs, app: &App) -> Result<Answer, Failure> {
    let store = app.store_to_read()?;
    let project = app.known_project(&store, args.project.as_deref())?;
    let mut answer = Answer { version: 1, dry_run: true, ..Answer::default() };
    if let Some(project) = project {
        git_share::shared(&store, project)?;
        answer.project = project_name(&store, project)?;
    }
    let mut folder = GitFolder::look(dir)?;
    for (uid, found) in folder.read_all(app.now) {
        let here = store.memory_by_uid(&uid)?;
        if project.is_none_or(|project| is_anothers(&store, &uid, project).unwrap_or(true)) && here.is_some()
        {
            folder.refused.add(uid.to_string(), ANOTHERS);
        } else if found.is_forgotten {
            answer.forgotten += u64::from(here.is_some());
        } else if let Some(last) = found.memory.as_ref().and_then(|memory| memory.revisions.last()) {
            match here {
                Some(here) => {
                    let superseded_by = store.memory_links(here.id, &uid)?.superseded_by;
                    let says = backstory_memory::content_digest(&here.content, superseded_by.as_ref());
                    answer.revised += u64::from(says != last.content_digest());
                }
                None => answer.written += u64::from(!store.is_forgotten(&uid)?),
            }
        }
    }
    Ok(Answer { refused: folder.refused, ..answer })
}
