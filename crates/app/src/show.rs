//! Reading memories whole, by their numbers, within a scope where one is given. An agent that fetches one uses it; a person only reads.

use crate::app::{App, ProjectSelector, folder_of_project, ignore_read_only};
use crate::caller::Caller;
use crate::error::AppError;
use backstory_capture::freshness_of_anchors;
use backstory_memory::{Freshness, Memory, MemoryId, ProjectId};
use backstory_store::{Anchor, Filter, Scope, StandingFilter, Store, StoreError, UseKind};

/// The memories that were fetched, and the numbers no memory has.
#[derive(Clone, Debug, Default)]
pub struct ShowResponse {
    /// In the order of the request.
    pub memories: Vec<Memory>,
    /// Numbers of the request that no memory has.
    pub missing: Vec<MemoryId>,
}

/// Memories that were named by their numbers, divided by what the scope of the request reaches (law 8).
#[derive(Clone, Debug, Default)]
pub struct ScopedMemories {
    /// Within the scope, in the order of the request.
    pub within: Vec<Memory>,
    /// Of other projects.
    pub beyond: Vec<MemoryId>,
    /// Numbers that no memory has.
    pub missing: Vec<MemoryId>,
}

impl App {
    /// Reads memories without using them, and separates those within scope from those of other projects.
    pub fn memories_in_scope(
        &self,
        store: &Store,
        ids: &[MemoryId],
        projects: &ProjectSelector,
    ) -> Result<ScopedMemories, AppError> {
        let ShowResponse { memories, missing } = read_memories(store, ids)?;
        let named = ids_of(&memories);
        let within = self.keep_in_scope(store, memories, projects)?;
        let reached = ids_of(&within);
        let beyond = named.into_iter().filter(|id| !reached.contains(id)).collect();
        Ok(ScopedMemories { within, beyond, missing })
    }

    /// Keeps those of the memories that are within scope, superseded ones too.
    pub fn keep_in_scope(
        &self,
        store: &Store,
        mut memories: Vec<Memory>,
        projects: &ProjectSelector,
    ) -> Result<Vec<Memory>, AppError> {
        let Some(scope) = self.scope(store, projects)? else { return Ok(Vec::new()) };
        let filter = Filter { standing: StandingFilter::Any, ..Filter::within(scope) };
        let within = store.search().matching(&ids_of(&memories), &filter)?;
        memories.retain(|memory| within.contains(&memory.id));
        Ok(memories)
    }

    /// Returns the project that need not be named beside a memory: the one of the request, or that of this folder.
    pub fn assumed_project(
        &self,
        store: &Store,
        projects: &ProjectSelector,
    ) -> Result<Option<ProjectId>, AppError> {
        match self.scope(store, projects)? {
            Some(Scope::Project(id)) => Ok(Some(id)),
            _ => self.project_here(store),
        }
    }

    /// Returns the title of a memory, if there is one of that number.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn title(&self, store: &Store, id: MemoryId) -> Result<Option<String>, StoreError> {
        Ok(store.memories().get(id)?.map(|memory| memory.content.title))
    }

    /// Fetches memories, which is using them where an agent does it: what a person reads helped no session.
    pub fn show(&self, store: &mut Store, ids: &[MemoryId]) -> Result<ShowResponse, AppError> {
        let response = read_memories(store, ids)?;
        if self.caller == Caller::Agent {
            self.note_fetched(store, &ids_of(&response.memories))?;
        }
        Ok(response)
    }

    /// Reads one memory without using it.
    pub fn memory(&self, store: &Store, id: MemoryId) -> Result<Memory, AppError> {
        Ok(store.memories().get(id)?.ok_or(StoreError::NoSuchMemory(id))?)
    }

    /// Returns the code that a memory speaks of, and of each part whether it still stands, if that is known.
    pub fn anchors(
        &self,
        store: &Store,
        memory: &Memory,
    ) -> Result<Vec<(Anchor, Option<Freshness>)>, AppError> {
        let states = folder_of_project(store, memory.project)?
            .map(|root| freshness_of_anchors(store, memory.project, &root, memory.id))
            .transpose()?
            .unwrap_or_default();
        let states = states.into_iter().chain(std::iter::repeat(None));
        Ok(store.code().anchors(memory.id)?.into_iter().zip(states).collect())
    }

    /// Records that memories were given whole to an agent, in an answer with this nonce. Does nothing if the store is read-only or busy.
    pub fn note_answered(&self, store: &mut Store, ids: &[MemoryId], nonce: u32) -> Result<(), AppError> {
        ignore_read_only(store.injections_mut().record_fetch(ids, nonce, self.now))
    }

    /// Records that memories were fetched. Does nothing if the store is read-only or busy.
    fn note_fetched(&self, store: &mut Store, ids: &[MemoryId]) -> Result<(), AppError> {
        ignore_read_only(store.injections_mut().mark_used(ids, UseKind::Fetched, self.now))
    }
}

fn read_memories(store: &Store, ids: &[MemoryId]) -> Result<ShowResponse, StoreError> {
    let mut response = ShowResponse::default();
    for id in ids {
        match store.memories().get(*id)? {
            Some(memory) => response.memories.push(memory),
            None => response.missing.push(*id),
        }
    }
    Ok(response)
}

/// Returns the numbers of memories.
#[must_use]
pub fn ids_of(memories: &[Memory]) -> Vec<MemoryId> {
    memories.iter().map(|memory| memory.id).collect()
}
