//! Reading memories whole, by their numbers. Fetching one counts as using it.

use crate::app::{App, ignore_read_only};
use crate::error::AppError;
use backstory_memory::{Memory, MemoryId};
use backstory_store::{Store, StoreError, UseKind};

/// The memories that were fetched, and the numbers no memory has.
#[derive(Clone, Debug, Default)]
pub struct ShowResponse {
    /// In the order of the request.
    pub memories: Vec<Memory>,
    /// Numbers of the request that no memory has.
    pub missing: Vec<MemoryId>,
}

impl App {
    /// Fetches memories, which is using them.
    pub fn show(&self, store: &mut Store, ids: &[MemoryId]) -> Result<ShowResponse, AppError> {
        let mut response = ShowResponse::default();
        for id in ids {
            match store.memories().get(*id)? {
                Some(memory) => response.memories.push(memory),
                None => response.missing.push(*id),
            }
        }
        let fetched: Vec<MemoryId> = response.memories.iter().map(|memory| memory.id).collect();
        self.note_fetched(store, &fetched)?;
        Ok(response)
    }

    /// Reads one memory without using it.
    pub fn memory(&self, store: &Store, id: MemoryId) -> Result<Memory, AppError> {
        Ok(store.memories().get(id)?.ok_or(StoreError::NoSuchMemory(id))?)
    }

    /// Records that memories were fetched. A store that cannot be written, or is busy, is still worth reading.
    pub fn note_fetched(&self, store: &mut Store, ids: &[MemoryId]) -> Result<(), AppError> {
        ignore_read_only(store.injections_mut().mark_used(ids, UseKind::Fetched, self.now))
    }
}
