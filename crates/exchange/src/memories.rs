//! Takes in what are memories already: other programs', git's, memory files'.
//!
//! Each is named by its source, so that reading it again adds nothing; what was forgotten stays forgotten; what is known word for
//! word is not kept twice. Not here: how a source reads (its own file).

use crate::options::{FIRST_MOMENT, Folders, ImportOptions, LEFT_OUT, SkipCounts};
use crate::{
    ImportItem, ImportSource, ImportedMemory, ImportedProject, ImportedSession, SourceInstance,
    UnreadableSource,
};
use backstory_capture::prepare;
use backstory_memory::{
    Content, Link, Memory, MemoryId, ProjectId, ProjectKey, ProjectRef, Provenance, Relation, SessionId,
    Timestamp, Uid, cap, digest,
};
use backstory_store::{
    Filter, ImportProgress, InsertOutcome, MemoryOrigin, NewMemory, Scope, Store, StoreError,
};
use std::collections::{HashMap, HashSet};

/// How many memories are written as one: hooks wait for it.
const AT_ONCE: usize = 250;
/// More sections of one file are not compared.
const MOST_SECTIONS: u32 = 500;

/// A longer name names no session.
const LONGEST_NAME: usize = 256;

/// What came of a find.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryImportReport {
    /// Whether it has not changed since it was read before.
    pub is_unchanged: bool,
    /// Why it could not be read at all.
    pub unreadable: Option<String>,
    /// Memories that were here already, by name or word for word.
    pub known: u64,
    /// Memories that were forgotten on purpose and stay out.
    pub forgotten: u64,
    /// What was not taken in, and why.
    pub skipped: SkipCounts,
    /// The memories that are new.
    pub memories: Vec<MemoryId>,
}

/// Takes in what a find holds.
pub fn import_memories(
    store: &mut Store,
    instance: &SourceInstance,
    options: &ImportOptions<'_>,
) -> Result<MemoryImportReport, StoreError> {
    let state = state_of(instance, options);
    let before = store.import_progress(&state.source, &state.location)?;
    if before.is_some_and(|before| before.is_done && before.fingerprint == state.fingerprint) {
        return Ok(MemoryImportReport { is_unchanged: true, ..MemoryImportReport::default() });
    }
    let mut keeper = MemoryImporter::new(instance, options);
    let mut failed = None;
    let read = instance.read(&mut |found| {
        if failed.is_none() {
            failed = keeper.take(store, found).err();
        }
    });
    failed.map_or(Ok(()), Err)?;
    let report = keeper.finish(store)?;
    match read {
        Ok(()) if options.is_partial() || report.skipped.contains_key(LEFT_OUT) => {}
        Ok(()) => store.save_import_progress(&ImportProgress { is_done: true, ..state }, options.now)?,
        Err(UnreadableSource(why)) => return Ok(MemoryImportReport { unreadable: Some(why), ..report }),
    }
    Ok(report)
}

fn state_of(instance: &SourceInstance, options: &ImportOptions<'_>) -> ImportProgress {
    let place = options.redactor.scrub(&instance.path.to_string_lossy()).into_string();
    let stamp = instance.stamp.clone();
    ImportProgress {
        source: instance.source.as_str().to_owned(),
        location: place,
        fingerprint: stamp,
        imported: 0,
        is_done: false,
    }
}

/// Keeps memories, some at once.
struct MemoryImporter<'a> {
    instance: &'a SourceInstance,
    options: &'a ImportOptions<'a>,
    folders: Folders<'a>,
    projects: HashMap<ImportedProject, Option<ProjectId>>,
    sessions: HashMap<ImportedSession, SessionId>,
    batch: Vec<NewMemory>,
    names: HashMap<String, Uid>,
    /// What the find says still, of what was here before.
    still: HashSet<MemoryId>,
    links: Vec<(Uid, Relation, String)>,
    report: MemoryImportReport,
}

impl<'a> MemoryImporter<'a> {
    fn new(instance: &'a SourceInstance, options: &'a ImportOptions<'a>) -> MemoryImporter<'a> {
        MemoryImporter {
            instance,
            options,
            folders: Folders::new(options),
            projects: HashMap::new(),
            sessions: HashMap::new(),
            batch: Vec::new(),
            names: HashMap::new(),
            still: HashSet::new(),
            links: Vec::new(),
            report: MemoryImportReport::default(),
        }
    }

    fn take(&mut self, store: &mut Store, found: ImportItem) -> Result<(), StoreError> {
        match found {
            ImportItem::Skipped(why) => self.skip(why),
            ImportItem::Memory(memory) if memory.created_at < FIRST_MOMENT => {
                self.skip("of an impossible time")
            }
            ImportItem::Memory(memory)
                if self.options.since.is_some_and(|since| memory.created_at < since) =>
            {
                self.skip("too old");
            }
            ImportItem::Memory(memory) => match self.project(store, &memory.project)? {
                Some(project) => self.add(store, project, *memory)?,
                None => self.skip(LEFT_OUT),
            },
        }
        if self.batch.len() >= AT_ONCE { self.write(store) } else { Ok(()) }
    }

    fn skip(&mut self, why: &'static str) {
        *self.report.skipped.entry(why).or_default() += 1;
    }

    fn add(
        &mut self,
        store: &mut Store,
        project: ProjectId,
        found: ImportedMemory,
    ) -> Result<(), StoreError> {
        let provenance = found.content.provenance.clone().min(Provenance::Import);
        let content = prepare(Content { provenance, ..found.content }, self.options.redactor);
        if content.title.is_empty() {
            self.skip("nothing said");
            return Ok(());
        }
        let uid = uid_of(self.instance, &found.name, found.created_at);
        // What was written tomorrow was written now.
        let created_at = found.created_at.min(self.options.now);
        self.names.insert(found.name, uid.clone());
        let named = |relation| {
            let uid = uid.clone();
            move |name: String| (uid.clone(), relation, name)
        };
        self.links.extend(found.replaces.into_iter().map(named(Relation::Supersedes)));
        self.links.extend(found.relates.into_iter().map(named(Relation::Relates)));
        if store.memory_by_uid(&uid)?.is_none()
            && let Some(same) = store.memory_with_text(project, &content)?
        {
            self.still.insert(same);
            self.report.known += 1;
            return Ok(());
        }
        let session = match found.session {
            Some(session) => Some(self.session(store, project, session, created_at)?),
            None => None,
        };
        let origin = MemoryOrigin { session, usage: found.past, ..MemoryOrigin::default() };
        self.batch.push(NewMemory { uid: Some(uid), project, origin, content, created_at });
        Ok(())
    }

    /// Finds or makes the project a memory belongs to; nothing where it is not wanted.
    fn project(
        &mut self,
        store: &mut Store,
        found: &ImportedProject,
    ) -> Result<Option<ProjectId>, StoreError> {
        if let Some(known) = self.projects.get(found) {
            return Ok(*known);
        }
        let id = match found {
            ImportedProject::Folder(folder) => match self.folders.project_ref(folder) {
                Some(project_ref) => Some(store.find_or_create_project(&project_ref, self.options.now)?),
                None => None,
            },
            ImportedProject::Named(name) => self.project_named(store, name)?,
        };
        self.projects.insert(found.clone(), id);
        Ok(id)
    }

    fn project_named(&self, store: &mut Store, name: &str) -> Result<Option<ProjectId>, StoreError> {
        let name = self.options.redactor.scrub(name).into_string();
        let is_another = self.options.only.as_ref().is_some_and(|only| only.name != name);
        if is_another || (self.options.leaves_out_name)(&name) {
            return Ok(None);
        }
        if let [only] = store.projects_named(&name)?.as_slice() {
            return Ok(Some(only.id));
        }
        let keys = vec![ProjectKey::Named(name.clone())];
        let project_ref = ProjectRef { keys, name, root: String::new(), parent: None };
        store.find_or_create_project(&project_ref, self.options.now).map(Some)
    }

    fn session(
        &mut self,
        store: &mut Store,
        project: ProjectId,
        found: ImportedSession,
        at: Timestamp,
    ) -> Result<SessionId, StoreError> {
        if let Some(id) = self.sessions.get(&found) {
            return Ok(*id);
        }
        let safe = |text: &str| cap(self.options.redactor.scrub(text).as_str(), LONGEST_NAME).text;
        let id = store.find_or_create_session(project, &safe(&found.host), &safe(&found.name), at)?;
        self.sessions.insert(found, id);
        Ok(id)
    }

    fn write(&mut self, store: &mut Store) -> Result<(), StoreError> {
        for kept in store.remember_all(&self.batch)? {
            match kept {
                InsertOutcome::Written(id) => self.report.memories.push(id),
                InsertOutcome::Known(id) => {
                    self.still.insert(id);
                    self.report.known += 1;
                }
                InsertOutcome::Forgotten => self.report.forgotten += 1,
            }
        }
        self.batch.clear();
        Ok(())
    }

    /// Writes the rest, and notes what has to do with what: both had to be there first.
    fn finish(mut self, store: &mut Store) -> Result<MemoryImportReport, StoreError> {
        self.write(store)?;
        let links = std::mem::take(&mut self.links);
        for links in links.chunks(AT_ONCE) {
            store.transaction(|store| links.iter().try_for_each(|link| self.link(store, link)))?;
        }
        self.replace_what_is_no_longer_said(store)?;
        Ok(self.report)
    }

    /// A rules file is what it says now: what is new in it replaces what it no longer says.
    fn replace_what_is_no_longer_said(&self, store: &mut Store) -> Result<(), StoreError> {
        if self.instance.source != ImportSource::Markdown {
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
                store.mark_superseded(old.id, new.id, new.created_at)?;
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
            Relation::Supersedes => store.mark_superseded(to.id, from.id, from.created_at),
            relation => store.link(Link { from: from.id, relation: *relation, to: to.id }),
        }
    }
}

/// Names a memory by what its source calls it and when it was written.
fn uid_of(instance: &SourceInstance, name: &str, created_at: Timestamp) -> Uid {
    // A commit is the same in every clone; a section, or what two files have in common, only where it stands.
    let place = match instance.source {
        ImportSource::Markdown => instance.path.as_os_str().as_encoded_bytes(),
        ImportSource::Git if name.contains(' ') => instance.path.as_os_str().as_encoded_bytes(),
        _ => b"",
    };
    let source = instance.source.as_str().as_bytes();
    let said = digest([source, name.as_bytes(), place, &created_at.0.to_le_bytes()]);
    let [name @ .., _, _, _, _, _, _] = said.0;
    Uid::from_parts(created_at.0, name)
}
