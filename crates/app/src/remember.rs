//! Writing memories: a new one, one that replaces another, and other words for one that is there.
//!
//! Not here: memories that arrive with a file or from a team (`exchange`, `sync`), and those distilled from events.

pub use backstory_exchange::MemoryRecord;

mod agent_doubts;

use crate::app::{App, folder_of_project};
use crate::caller::Caller;
use crate::error::{AppError, ErrorCode};
use backstory_capture::{anchor_named, most_similar, prepare};
use backstory_distil::{attribute, says_how_code_is};
use backstory_memory::{
    Content, ContentRecord, Memory, MemoryId, NEAR_DUPLICATE, ProjectId, Relation, title_from,
};
use backstory_store::{MemoryOrigin, NewMemory, Scope, Store};
use std::path::Path;

/// The project a memory is written to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TargetProject {
    /// The project with this name, number or folder, which must be there.
    Named(String),
    /// The project the memory names, by its folder or its name; else the one of this folder. It is made if need be.
    #[default]
    OfRecord,
    /// A project that was found already.
    Known(ProjectId),
}

/// What happens to a memory that says what is known, or what was forgotten.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DuplicatePolicy {
    /// The memory is refused.
    #[default]
    Refuse,
    /// The memory is written all the same.
    Write,
}

/// A memory to write.
#[derive(Clone, Debug)]
pub struct RememberRequest {
    /// What it says; what is missing follows from its text.
    pub memory: MemoryRecord,
    /// Where it belongs.
    pub project: TargetProject,
    /// What happens if it says nothing new.
    pub duplicates: DuplicatePolicy,
    /// What the user typed, as an agent claims. If the event log confirms it, the memory is the user's.
    pub quote: Option<String>,
}

/// A memory that replaces another.
#[derive(Clone, Debug)]
pub struct SupersedeRequest {
    /// The memory that no longer holds.
    pub id: MemoryId,
    /// What holds in its place.
    pub memory: MemoryRecord,
}

/// Other words for a memory.
#[derive(Clone, Debug)]
pub struct ReviseRequest {
    /// The memory.
    pub id: MemoryId,
    /// What changes. Fields that are left out stay.
    pub changes: MemoryRecord,
}

impl App {
    /// Writes a memory that says something new.
    pub fn remember(&self, store: &mut Store, mut request: RememberRequest) -> Result<Memory, AppError> {
        // A project's name is stored without secrets, and looked up so (law 7).
        request.memory.scrub_names(&self.redactor())?;
        let project = self.target_project(store, &request.project, &request.memory)?;
        let mut memory = self.new_memory(request.memory, project)?;
        if let Some(quote) = &request.quote {
            memory = self.attributed(store, memory, quote)?;
        }
        refuse_taken_uid(store, &memory)?;
        if request.duplicates == DuplicatePolicy::Write {
            store.memories_mut().lift_tombstone(&memory)?;
        } else if let Some(known) = near_duplicate(store, &memory)? {
            let message = format!("memory #{known} says nearly the same");
            return Err(AppError::new(ErrorCode::NearDuplicate, message).about(known));
        }
        let doubt = self.doubt(store, &mut memory)?;
        let id = store.memories_mut().remember(&memory)?;
        store.rejections_mut().record(&doubt)?;
        self.anchor_claim(store, id)?;
        self.finish_writing(store);
        self.memory(store, id)
    }

    /// Returns what a memory replaces, and what it contradicts, which is linked to it from either side.
    pub fn affected(&self, store: &Store, memory: &Memory) -> Result<Vec<(Relation, Memory)>, AppError> {
        let mut affected = Vec::new();
        for link in store.memories().links(memory.id)? {
            let is_from = link.from == memory.id;
            if link.relation == Relation::Contradicts || link.relation == Relation::Supersedes && is_from {
                let other = if is_from { link.to } else { link.from };
                affected.push((link.relation, self.memory(store, other)?));
            }
        }
        Ok(affected)
    }

    /// Gives a memory to the user if the event log shows that they typed what it quotes.
    fn attributed(&self, store: &Store, memory: NewMemory, quote: &str) -> Result<NewMemory, AppError> {
        let redactor = self.redactor();
        // The event log holds no secrets, so a quote with one stands nowhere in it.
        let quote = redactor.scrub(quote).into_inner();
        let content = memory.content.into_inner();
        let note = attribute(store, memory.project, (content, &quote), self.now)?;
        Ok(NewMemory { content: prepare(note.content, &redactor), origin: note.origin, ..memory })
    }

    /// Anchors what says how code is in the code as it is now: once that changes, it says so or is retired (law 12).
    fn anchor_claim(&self, store: &mut Store, id: MemoryId) -> Result<(), AppError> {
        let memory = self.memory(store, id)?;
        let is_claim = says_how_code_is(&memory.content) && !memory.content.files.is_empty();
        if let Some(root) = folder_of_project(store, memory.project)?.filter(|_| is_claim) {
            anchor_named(store, (id, &memory.content), &root, &self.redactor())?;
        }
        Ok(())
    }

    /// Writes a memory that replaces another.
    pub fn supersede(&self, store: &mut Store, request: SupersedeRequest) -> Result<Memory, AppError> {
        let before = self.memory(store, request.id)?;
        self.refuse_users_own(&before)?;
        let mut input = request.memory;
        // What replaces a decision is a decision, unless the caller says otherwise.
        input.content.kind.get_or_insert_with(|| before.content.kind.to_string());
        input.content.scope.get_or_insert_with(|| before.content.scope.as_str().to_owned());
        let memory = self.new_memory(input, before.project)?;
        refuse_taken_uid(store, &memory)?;
        let id = store.memories_mut().supersede(request.id, &memory)?;
        self.anchor_claim(store, id)?;
        self.finish_writing(store);
        self.memory(store, id)
    }

    /// Gives a memory other words, and keeps what it said before as a revision.
    pub fn revise(&self, store: &mut Store, request: ReviseRequest) -> Result<Memory, AppError> {
        let before = self.memory(store, request.id)?;
        self.refuse_users_own(&before)?;
        let changes = self.allowed(request.changes.content);
        let content = prepare(self.revised(before, changes)?, &self.redactor());
        store.memories_mut().revise(request.id, &content, self.now)?;
        self.anchor_claim(store, request.id)?;
        self.finish_writing(store);
        self.memory(store, request.id)
    }

    /// Refuses an agent's change of the user's own words. The agent may write a memory of its own beside them.
    fn refuse_users_own(&self, memory: &Memory) -> Result<(), AppError> {
        if memory.is_users_own() {
            self.refuse_agent(&format!("change memory #{}, which is yours", memory.id))
        } else {
            Ok(())
        }
    }

    /// Returns the content with the changes in place of what was there.
    fn revised(&self, memory: Memory, changes: ContentRecord) -> Result<Content, AppError> {
        let (id, before) = (memory.id, memory.content);
        let title = match (&changes.title, &changes.body) {
            (Some(title), _) | (None, Some(title)) => title_from(title),
            (None, None) => before.title.clone(),
        };
        if title.is_empty() || changes == ContentRecord::default() {
            return Err(
                AppError::user("a memory needs words").hint(format!("`backstory revise {id} \"NEW TEXT\"`"))
            );
        }
        // A memory becomes the user's own only when the user wrote all of it: a new title over a stranger's text does not count.
        let is_rewritten = changes.body.is_some() && (before.facts.is_empty() || !changes.facts.is_empty());
        let callers = self.caller.provenance();
        let provenance = if is_rewritten { callers } else { before.provenance.clone().min(callers) };
        // The typed details belong to the old words, and may contradict the new ones.
        let details = before.details.clone().filter(|_| changes.body.is_none() && changes.facts.is_empty());
        let kind = changes.kind(&provenance)?.unwrap_or(before.kind);
        let body = changes.body.clone().unwrap_or_else(|| before.body.clone());
        let changes = ContentRecord { details: None, ..changes };
        Ok(changes.fill(Content { kind, title, body, details, provenance, ..before }, self.now)?)
    }

    /// Returns what the caller may say of a memory: only the user pins one, or applies it to every project.
    fn allowed(&self, said: ContentRecord) -> ContentRecord {
        match self.caller {
            Caller::User => said,
            Caller::Agent => ContentRecord { pinned: None, scope: None, ..said },
        }
    }

    fn target_project(
        &self,
        store: &mut Store,
        target: &TargetProject,
        record: &MemoryRecord,
    ) -> Result<ProjectId, AppError> {
        match (target, &record.project_path) {
            (TargetProject::Named(name), _) => self.project_to_write(store, Some(name)),
            (TargetProject::OfRecord, None) => self.project_to_write(store, record.project.as_deref()),
            (TargetProject::OfRecord, Some(folder)) => {
                let project = self.project_ref_in(store, Path::new(folder));
                Ok(store.projects_mut().find_or_create(&project, self.now)?)
            }
            (TargetProject::Known(id), _) => Ok(*id),
        }
    }

    /// Makes a memory out of a record: checked, redacted and ready to be stored.
    pub(crate) fn new_memory(
        &self,
        mut record: MemoryRecord,
        project: ProjectId,
    ) -> Result<NewMemory, AppError> {
        let redactor = self.redactor();
        record.scrub_names(&redactor)?;
        let (uid, created_at) = (record.uid()?, record.created_at(self.now)?);
        // A claimed source is accepted only if it is trusted less than the caller.
        let (claimed, callers) = (record.content.provenance()?, self.caller.provenance());
        let provenance = claimed.map_or(callers.clone(), |claimed| claimed.min(callers));
        let said = self.allowed(ContentRecord { details: None, ..record.content });
        let content = prepare(said.into_content(provenance, self.now)?, &redactor);
        Ok(NewMemory { uid, project, origin: MemoryOrigin::default(), content, created_at })
    }
}

/// Refuses a memory whose uid another has: a uid names one memory, in every store.
fn refuse_taken_uid(store: &Store, memory: &NewMemory) -> Result<(), AppError> {
    let Some(uid) = &memory.uid else { return Ok(()) };
    match store.memories().by_uid(uid)? {
        Some(holder) => {
            Err(AppError::new(ErrorCode::UidTaken, format!("memory #{} has this uid", holder.id))
                .about(holder.id)
                .hint(revise_hint(holder.id)))
        }
        None => Ok(()),
    }
}

/// Says how to change a memory that is there already.
#[must_use]
pub fn revise_hint(id: MemoryId) -> String {
    format!("`backstory revise {id}` changes the one that is there")
}

fn near_duplicate(store: &Store, memory: &NewMemory) -> Result<Option<MemoryId>, AppError> {
    let similar = most_similar(store, &memory.content, Scope::Project(memory.project))?;
    Ok(similar.filter(|(_, jaccard)| *jaccard >= NEAR_DUPLICATE).map(|(id, _)| id))
}
