//! Takes in what are memories already: other programs', git's, memory files'.
//!
//! Each is named by its source, so that reading it again adds nothing; what was forgotten stays forgotten; what is known word for
//! word is not kept twice. Not here: how a source reads (its own file).

use crate::taking::{FIRST_MOMENT, Folders, LEFT_OUT, Taking, Tally};
use crate::{Find, Found, FoundMemory, FoundProject, FoundSession, Source, Unreadable};
use backstory_capture::prepare;
use backstory_memory::{
    Content, Link, Memory, MemoryId, ProjectId, ProjectKey, ProjectRef, Provenance, Relation, SessionId,
    Timestamp, Uid, cap, digest,
};
use backstory_store::{Filter, ImportState, Kept, NewMemory, Origin, Scope, Store, StoreError};
use std::collections::{HashMap, HashSet};

/// How many memories are written as one: hooks wait for it.
const AT_ONCE: usize = 250;
/// More sections of one file are not compared.
const MOST_SECTIONS: u32 = 500;

/// A longer name names no session.
const LONGEST_NAME: usize = 256;

/// What came of a find.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FindReport {
    /// Whether it has not changed since it was read before.
    pub is_unchanged: bool,
    /// Why it could not be read at all.
    pub unreadable: Option<String>,
    /// Memories that were here already, by name or word for word.
    pub known: u64,
    /// Memories that were forgotten on purpose and stay out.
    pub forgotten: u64,
    /// What was not taken in, and why.
    pub skipped: Tally,
    /// The memories that are new.
    pub memories: Vec<MemoryId>,
}

/// Takes in what a find holds.
pub fn take_find(store: &mut Store, find: &Find, taking: &Taking<'_>) -> Result<FindReport, StoreError> {
    let state = state_of(find, taking);
    let before = store.import_state(&state.source, &state.place)?;
    if before.is_some_and(|before| before.is_done && before.stamp == state.stamp) {
        return Ok(FindReport { is_unchanged: true, ..FindReport::default() });
    }
    let mut keeper = Keeper::new(find, taking);
    let mut failed = None;
    let read = find.read(&mut |found| {
        if failed.is_none() {
            failed = keeper.take(store, found).err();
        }
    });
    failed.map_or(Ok(()), Err)?;
    let report = keeper.finish(store)?;
    match read {
        Ok(()) if taking.is_partial() || report.skipped.contains_key(LEFT_OUT) => {}
        Ok(()) => store.note_import(&ImportState { is_done: true, ..state }, taking.now)?,
        Err(Unreadable(why)) => return Ok(FindReport { unreadable: Some(why), ..report }),
    }
    Ok(report)
}

fn state_of(find: &Find, taking: &Taking<'_>) -> ImportState {
    let place = taking.redactor.scrub(&find.path.to_string_lossy()).into_string();
    let stamp = find.stamp.clone();
    ImportState { source: find.source.as_str().to_owned(), place, stamp, taken: 0, is_done: false }
}

/// Keeps memories, some at once.
struct Keeper<'a> {
    find: &'a Find,
    taking: &'a Taking<'a>,
    folders: Folders<'a>,
    projects: HashMap<FoundProject, Option<ProjectId>>,
    sessions: HashMap<FoundSession, SessionId>,
    batch: Vec<NewMemory>,
    names: HashMap<String, Uid>,
    /// What the find says still, of what was here before.
    still: HashSet<MemoryId>,
    links: Vec<(Uid, Relation, String)>,
    report: FindReport,
}

impl<'a> Keeper<'a> {
    fn new(find: &'a Find, taking: &'a Taking<'a>) -> Keeper<'a> {
        Keeper {
            find,
            taking,
            folders: Folders::new(taking),
            projects: HashMap::new(),
            sessions: HashMap::new(),
            batch: Vec::new(),
            names: HashMap::new(),
            still: HashSet::new(),
            links: Vec::new(),
            report: FindReport::default(),
        }
    }

    fn take(&mut self, store: &mut Store, found: Found) -> Result<(), StoreError> {
        match found {
            Found::Skipped(why) => self.skip(why),
            Found::Memory(memory) if memory.created_at < FIRST_MOMENT => self.skip("of an impossible time"),
            Found::Memory(memory) if self.taking.since.is_some_and(|since| memory.created_at < since) => {
                self.skip("too old");
            }
            Found::Memory(memory) => match self.project(store, &memory.project)? {
                Some(project) => self.add(store, project, *memory)?,
                None => self.skip(LEFT_OUT),
            },
        }
        if self.batch.len() >= AT_ONCE { self.write(store) } else { Ok(()) }
    }

    fn skip(&mut self, why: &'static str) {
        *self.report.skipped.entry(why).or_default() += 1;
    }

    fn add(&mut self, store: &mut Store, project: ProjectId, found: FoundMemory) -> Result<(), StoreError> {
        let provenance = found.content.provenance.clone().min(Provenance::Import);
        let content = prepare(Content { provenance, ..found.content }, self.taking.redactor);
        if content.title.is_empty() {
            self.skip("nothing said");
            return Ok(());
        }
        let uid = uid_of(self.find, &found.name, found.created_at);
        // What was written tomorrow was written now.
        let created_at = found.created_at.min(self.taking.now);
        self.names.insert(found.name, uid.clone());
        let named = |relation| {
            let uid = uid.clone();
            move |name: String| (uid.clone(), relation, name)
        };
        self.links.extend(found.replaces.into_iter().map(named(Relation::Supersedes)));
        self.links.extend(found.relates.into_iter().map(named(Relation::Relates)));
        if store.memory_by_uid(&uid)?.is_none()
            && let Some(same) = store.memory_saying(project, &content)?
        {
            self.still.insert(same);
            self.report.known += 1;
            return Ok(());
        }
        let session = match found.session {
            Some(session) => Some(self.session(store, project, session, created_at)?),
            None => None,
        };
        let origin = Origin { session, past: found.past, ..Origin::default() };
        self.batch.push(NewMemory { uid: Some(uid), project, origin, content, created_at });
        Ok(())
    }

    /// Finds or makes the project a memory belongs to; nothing where it is not wanted.
    fn project(&mut self, store: &mut Store, found: &FoundProject) -> Result<Option<ProjectId>, StoreError> {
        if let Some(known) = self.projects.get(found) {
            return Ok(*known);
        }
        let id = match found {
            FoundProject::Folder(folder) => match self.folders.project_ref(folder) {
                Some(project_ref) => Some(store.project_at(&project_ref, self.taking.now)?),
                None => None,
            },
            FoundProject::Named(name) => self.project_named(store, name)?,
        };
        self.projects.insert(found.clone(), id);
        Ok(id)
    }

    fn project_named(&self, store: &mut Store, name: &str) -> Result<Option<ProjectId>, StoreError> {
        let name = self.taking.redactor.scrub(name).into_string();
        let is_another = self.taking.only.as_ref().is_some_and(|only| only.name != name);
        if is_another || (self.taking.leaves_out_name)(&name) {
            return Ok(None);
        }
        if let [only] = store.projects_named(&name)?.as_slice() {
            return Ok(Some(only.id));
        }
        let keys = vec![ProjectKey::Named(name.clone())];
        let project_ref = ProjectRef { keys, name, root: String::new(), parent: None };
        store.project_at(&project_ref, self.taking.now).map(Some)
    }

    fn session(
        &mut self,
        store: &mut Store,
        project: ProjectId,
        found: FoundSession,
        at: Timestamp,
    ) -> Result<SessionId, StoreError> {
        if let Some(id) = self.sessions.get(&found) {
            return Ok(*id);
        }
        let safe = |text: &str| cap(self.taking.redactor.scrub(text).as_str(), LONGEST_NAME).text;
        let id = store.session_named(project, &safe(&found.host), &safe(&found.name), at)?;
        self.sessions.insert(found, id);
        Ok(id)
    }

    fn write(&mut self, store: &mut Store) -> Result<(), StoreError> {
        for kept in store.remember_all(&self.batch)? {
            match kept {
                Kept::Written(id) => self.report.memories.push(id),
                Kept::Known(id) => {
                    self.still.insert(id);
                    self.report.known += 1;
                }
                Kept::Forgotten => self.report.forgotten += 1,
            }
        }
        self.batch.clear();
        Ok(())
    }

    /// Writes the rest, and notes what has to do with what: both had to be there first.
    fn finish(mut self, store: &mut Store) -> Result<FindReport, StoreError> {
        self.write(store)?;
        let links = std::mem::take(&mut self.links);
        for links in links.chunks(AT_ONCE) {
            store.together(|store| links.iter().try_for_each(|link| self.link(store, link)))?;
        }
        self.replace_what_is_no_longer_said(store)?;
        Ok(self.report)
    }

    /// A rules file is what it says now: what is new in it replaces what it no longer says.
    fn replace_what_is_no_longer_said(&self, store: &mut Store) -> Result<(), StoreError> {
        if self.find.source != Source::Markdown {
            return Ok(());
        }
        let mut said = store.memories(&self.still.iter().copied().collect::<Vec<_>>())?;
        said.extend(store.memories(&self.report.memories)?);
        let is_rule = |memory: &Memory| memory.content.is_of_rules_file();
        // All that is said now, not only what is new: the run before may have been broken off in between.
        let Some(new) = said.iter().filter(|memory| is_rule(memory)).max_by_key(|memory| memory.id.0) else {
            return Ok(());
        };
        let filter = Filter { limit: MOST_SECTIONS, ..Filter::within(Scope::Project(new.project)) };
        let about = store.about_files(&new.content.files, &filter)?;
        for old in store.memories(&about)? {
            let is_said = said.iter().any(|memory| memory.id == old.id);
            if is_rule(&old) && old.content.files == new.content.files && !is_said {
                store.note_superseded(old.id, new.id, new.created_at)?;
            }
        }
        Ok(())
    }

    fn link(
        &self,
        store: &mut Store,
        (from, relation, to): &(Uid, Relation, String),
    ) -> Result<(), StoreError> {
        let Some(to) = self.names.get(to) else { return Ok(()) };
        let (Some(from), Some(to)) = (store.memory_by_uid(from)?, store.memory_by_uid(to)?) else {
            return Ok(());
        };
        match relation {
            Relation::Supersedes => store.note_superseded(to.id, from.id, from.created_at),
            relation => store.link(Link { from: from.id, relation: *relation, to: to.id }),
        }
    }
}

/// Names a memory by what its source calls it and when it was written.
fn uid_of(find: &Find, name: &str, created_at: Timestamp) -> Uid {
    // A commit is the same in every clone; a section, or what two files have in common, only where it stands.
    let place = match find.source {
        Source::Markdown => find.path.as_os_str().as_encoded_bytes(),
        Source::Git if name.contains(' ') => find.path.as_os_str().as_encoded_bytes(),
        _ => b"",
    };
    let source = find.source.as_str().as_bytes();
    let said = digest([source, name.as_bytes(), place, &created_at.0.to_le_bytes()]);
    let [name @ .., _, _, _, _, _, _] = said.0;
    Uid::from_parts(created_at.0, name)
}
