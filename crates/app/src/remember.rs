//! Writing memories: a new one, one that replaces another, and other words for one that is there.
//!
//! Not here: memories that arrive with a file or from a team (`exchange`, `sync`), and those distilled from events.

use crate::app::App;
use crate::app::parse_kind;
use crate::error::{AppError, ErrorCode};
use backstory_capture::{most_similar, prepare};
use backstory_memory::{
    Category, Confidence, Content, Importance, Kind, Memory, MemoryId, MemoryScope, NEAR_DUPLICATE,
    ProjectId, Provenance, Timestamp, Uid, title_from,
};
use backstory_store::{MemoryOrigin, NewMemory, Scope, Store};
use std::path::PathBuf;

/// What a caller says of a memory. What is not said follows from the text, or stays as it is.
#[derive(Clone, Debug, Default)]
pub struct MemoryInput {
    /// Its name in every store.
    pub uid: Option<Uid>,
    /// What sort of memory it is.
    pub kind: Option<String>,
    /// A finer sort within the kind.
    pub category: Option<Category>,
    /// One line that says it.
    pub title: Option<String>,
    /// The text.
    pub body: Option<String>,
    /// Files it is about.
    pub files: Vec<String>,
    /// Topics it belongs to.
    pub concepts: Vec<String>,
    /// Single statements it holds.
    pub facts: Vec<String>,
    /// How much it matters.
    pub importance: Option<Importance>,
    /// How sure it is.
    pub confidence: Option<Confidence>,
    /// Who said it, where that is less than the caller itself.
    pub provenance: Option<Provenance>,
    /// Whether it holds in its project or for the user everywhere.
    pub scope: Option<MemoryScope>,
    /// Whether it is pinned.
    pub pinned: Option<bool>,
    /// When it was first written.
    pub created_at: Option<Timestamp>,
    /// From when on it holds.
    pub valid_from: Option<Timestamp>,
    /// Until when it holds.
    pub valid_to: Option<Timestamp>,
}

/// The project a memory is written to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TargetProject {
    /// The project of this folder; it is made if need be.
    #[default]
    Here,
    /// The project with this name, number or folder, which must be there.
    Named(String),
    /// The project of this folder; it is made if need be.
    Folder(PathBuf),
    /// A project that was found already.
    Known(ProjectId),
}

/// What happens to a memory that says what is known, or what was forgotten.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DuplicatePolicy {
    /// It is refused.
    #[default]
    Refuse,
    /// It is written all the same.
    Write,
}

/// A memory to write.
#[derive(Clone, Debug)]
pub struct RememberRequest {
    /// What it says.
    pub memory: MemoryInput,
    /// Where it belongs.
    pub project: TargetProject,
    /// Who says it.
    pub said_by: Provenance,
    /// What happens if it says nothing new.
    pub duplicates: DuplicatePolicy,
}

/// A memory that replaces another.
#[derive(Clone, Debug)]
pub struct SupersedeRequest {
    /// The memory that no longer holds.
    pub id: MemoryId,
    /// What holds in its place.
    pub memory: MemoryInput,
}

/// Other words for a memory.
#[derive(Clone, Debug)]
pub struct ReviseRequest {
    /// The memory.
    pub id: MemoryId,
    /// What it is to say; what is not said stays.
    pub changes: MemoryInput,
}

impl App {
    /// Writes a memory that says something new.
    pub fn remember(&self, store: &mut Store, request: RememberRequest) -> Result<Memory, AppError> {
        let project = self.target_project(store, &request.project)?;
        let memory = self.new_memory(request.memory, request.said_by, project)?;
        refuse_taken_uid(store, &memory)?;
        if request.duplicates == DuplicatePolicy::Write {
            store.memories_mut().lift_tombstone(&memory)?;
        } else if let Some(known) = near_duplicate(store, &memory)? {
            let message = format!("memory #{known} says nearly the same");
            return Err(AppError::new(ErrorCode::NearDuplicate, message).about(known));
        }
        let id = store.memories_mut().remember(&memory)?;
        self.memory(store, id)
    }

    /// Writes a memory that replaces another.
    pub fn supersede(&self, store: &mut Store, request: SupersedeRequest) -> Result<Memory, AppError> {
        let before = self.memory(store, request.id)?;
        let mut input = request.memory;
        // What replaces a decision is a decision, unless the caller says otherwise.
        input.kind = input.kind.or(Some(before.content.kind.to_string()));
        input.scope = input.scope.or(Some(before.content.scope));
        let memory = self.new_memory(input, Provenance::User, before.project)?;
        refuse_taken_uid(store, &memory)?;
        let id = store.memories_mut().supersede(request.id, &memory)?;
        self.memory(store, id)
    }

    /// Gives a memory other words, and keeps what it said before as a revision.
    pub fn revise(&self, store: &mut Store, request: ReviseRequest) -> Result<Memory, AppError> {
        let before = self.memory(store, request.id)?;
        let content = prepare(revised(before.content, request.changes, request.id)?, &self.redactor());
        store.memories_mut().revise(request.id, &content, self.now)?;
        self.memory(store, request.id)
    }

    fn target_project(&self, store: &mut Store, target: &TargetProject) -> Result<ProjectId, AppError> {
        match target {
            TargetProject::Here => self.project_to_write(store, None),
            TargetProject::Named(name) => self.project_to_write(store, Some(name)),
            TargetProject::Folder(folder) => {
                Ok(store.projects_mut().find_or_create(&self.project_ref_of(folder), self.now)?)
            }
            TargetProject::Known(id) => Ok(*id),
        }
    }

    /// Makes a memory of what somebody says, fit to be stored.
    fn new_memory(
        &self,
        input: MemoryInput,
        said_by: Provenance,
        project: ProjectId,
    ) -> Result<NewMemory, AppError> {
        let redactor = self.redactor();
        if input.uid.as_ref().is_some_and(|uid| redactor.scrub(uid.as_str()).as_str() != uid.as_str()) {
            return Err(AppError::user("a uid must not look like a secret"));
        }
        let (uid, created_at) = (input.uid.clone(), input.created_at.unwrap_or(self.now));
        let content = prepare(input.into_content(said_by)?, &redactor);
        Ok(NewMemory { uid, project, origin: MemoryOrigin::default(), content, created_at })
    }
}

impl MemoryInput {
    /// Returns the content it stands for. What is said wins; the rest follows from the text.
    fn into_content(self, said_by: Provenance) -> Result<Content, AppError> {
        let body = self.body.or_else(|| self.title.clone()).unwrap_or_default();
        let title = self.title.filter(|title| !title.trim().is_empty());
        let title = title_from(title.as_deref().unwrap_or(&body));
        if title.is_empty() {
            return Err(AppError::user("a memory needs a title or a body").hint(
                "give the text as an argument or on standard input: `backstory remember \"we use tabs\"`",
            ));
        }
        // The caller is known here; another source is believed only downwards.
        let provenance = self.provenance.map_or(said_by.clone(), |claimed| claimed.min(said_by));
        let kind = match self.kind {
            Some(name) => parse_kind(&name, &provenance)?,
            None => Kind::infer(&format!("{title}\n{body}"), &provenance),
        };
        let inferred = Content::new(kind, &title, &body);
        Ok(Content {
            provenance,
            category: self.category,
            facts: self.facts,
            concepts: self.concepts,
            files: self.files,
            importance: self.importance.unwrap_or(inferred.importance),
            confidence: self.confidence.unwrap_or(inferred.confidence),
            scope: self.scope.unwrap_or(MemoryScope::Project),
            pinned: self.pinned.unwrap_or(false),
            valid_from: self.valid_from,
            valid_to: self.valid_to,
            ..inferred
        })
    }
}

/// Returns the content with the changes in place of what was there.
fn revised(before: Content, changes: MemoryInput, id: MemoryId) -> Result<Content, AppError> {
    let title = match (&changes.title, &changes.body) {
        (Some(title), _) | (None, Some(title)) => title_from(title),
        (None, None) => before.title.clone(),
    };
    if title.is_empty() {
        return Err(
            AppError::user("a memory needs words").hint(format!("`backstory revise {id} \"NEW TEXT\"`"))
        );
    }
    // A memory becomes the user's own only when the user wrote all of it: a new title over a stranger's text does not count.
    let is_rewritten = changes.body.is_some() && (before.facts.is_empty() || !changes.facts.is_empty());
    let or_kept =
        |changed: Vec<String>, before: Vec<String>| if changed.is_empty() { before } else { changed };
    let provenance = if is_rewritten { Provenance::User } else { before.provenance };
    let kind = changes.kind.map(|name| parse_kind(&name, &provenance)).transpose()?.unwrap_or(before.kind);
    // What somebody words anew is said by the words alone.
    let details = before.details.filter(|_| changes.body.is_none() && changes.facts.is_empty());
    Ok(Content {
        kind,
        details,
        category: changes.category.or(before.category),
        title,
        importance: changes.importance.unwrap_or(before.importance),
        confidence: changes.confidence.unwrap_or(before.confidence),
        provenance,
        scope: changes.scope.unwrap_or(before.scope),
        pinned: changes.pinned.unwrap_or(before.pinned),
        valid_from: changes.valid_from.or(before.valid_from),
        valid_to: changes.valid_to.or(before.valid_to),
        body: changes.body.unwrap_or(before.body),
        facts: or_kept(changes.facts, before.facts),
        concepts: or_kept(changes.concepts, before.concepts),
        files: or_kept(changes.files, before.files),
    })
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
