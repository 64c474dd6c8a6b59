//! Pushes vectors to hubs that search by them: those this machine made anyway, as it stores them.

use crate::{Hub, MemoryVectors, SharePolicy, SyncError};
use backstory_embed::{VectorFile, VectorScope, model_name};
use backstory_store::{SharedProject, Store, VectorOutboxEntry};
use std::path::Path;

/// How many memories' vectors are pushed at once.
const VECTORS_PER_BATCH: usize = 50;

/// The vectors of a project on their way to a hub.
pub(crate) struct VectorPush<'a> {
    pub(crate) hub: &'a mut Hub,
    pub(crate) shared: &'a SharedProject,
    pub(crate) policy: &'a SharePolicy,
    /// The file of vectors.
    pub(crate) file: &'a Path,
    pub(crate) on_progress: &'a dyn Fn(),
}

impl VectorPush<'_> {
    /// Pushes the vectors as far as they are made. A hub without vectors gets none.
    pub(crate) fn run(self, store: &mut Store) -> Result<(), SyncError> {
        let VectorPush { hub, shared, policy, file, on_progress } = self;
        if !hub.has_vectors()? {
            return Ok(());
        }
        let mut after = None;
        loop {
            let mut waiting =
                store.sync().vector_outbox(shared.project, after.as_ref(), VECTORS_PER_BATCH)?;
            let Some(last) = waiting.last() else { return Ok(()) };
            after = Some(last.memory.uid.clone());
            waiting.retain(|entry| policy.is_shared_unchanged(&entry.memory.content));
            // Opened for every batch: an older mapping lacks vectors made since, and their memories would be marked as pushed without them.
            let Ok(vectors) = VectorFile::open(file, model_name()) else { return Ok(()) };
            let ids: Vec<i64> = waiting.iter().map(|entry| entry.memory.id.0).collect();
            let Ok(rows) = vectors.rows_of(VectorScope::Projects(&[shared.project.0]), &ids) else {
                return Ok(());
            };
            let parts = |id: i64| {
                let parts = rows.iter().filter(move |(memory, _)| *memory == id);
                parts.map(|(_, vector)| vector.to_bytes().to_vec()).collect()
            };
            let with_parts = |entry: &VectorOutboxEntry| MemoryVectors {
                uid: entry.memory.uid.clone(),
                content_digest: entry.state,
                parts: parts(entry.memory.id.0),
            };
            let batch: Vec<MemoryVectors> = waiting.iter().map(with_parts).collect();
            hub.push_vectors(model_name(), &batch, &mut || on_progress())?;
            store.sync_mut().mark_vectors_pushed(&waiting)?;
        }
    }
}
