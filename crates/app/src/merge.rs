//! Merging memories that say the same: one is written that replaces them all.

use crate::app::App;
use crate::error::AppError;
use crate::remember::MemoryRecord;
use backstory_memory::{Memory, MemoryId, MemoryScope};
use backstory_store::Store;

/// Memories that say the same, and what is to stand in their place.
#[derive(Clone, Debug)]
pub struct MergeRequest {
    /// The memories; they stay as history.
    pub ids: Vec<MemoryId>,
    /// What replaces them. Fields that it leaves out come from the merged memories.
    pub memory: MemoryRecord,
}

impl App {
    /// Writes a memory that replaces all of these.
    pub fn merge_memories(&self, store: &mut Store, request: MergeRequest) -> Result<Memory, AppError> {
        self.refuse_agent("merge memories")?;
        let MergeRequest { mut ids, memory: mut record } = request;
        ids.sort_unstable();
        ids.dedup();
        let merged = ids.iter().map(|id| self.memory(store, *id)).collect::<Result<Vec<_>, _>>()?;
        let [first, _, ..] = merged.as_slice() else {
            return Err(AppError::usage("merging takes two memories or more"));
        };
        // Law 8: what one project knows must not appear in another by being merged.
        if let Some(other) = merged.iter().find(|memory| memory.project != first.project) {
            let message = format!("memories #{} and #{} are of two projects", first.id, other.id);
            return Err(AppError::user(message).hint("merge what belongs to one project"));
        }
        record.content.kind.get_or_insert_with(|| first.content.kind.to_string());
        let is_everywhere = merged.iter().all(|memory| memory.content.scope == MemoryScope::User);
        let scope = if is_everywhere { MemoryScope::User } else { MemoryScope::Project };
        record.content.scope.get_or_insert_with(|| scope.as_str().to_owned());
        let importance = merged.iter().map(|memory| memory.content.importance.get()).max();
        record.content.importance = record.content.importance.or(importance.map(i64::from));
        if record.content.files.is_empty() {
            for file in merged.iter().flat_map(|memory| &memory.content.files) {
                if !record.content.files.contains(file) {
                    record.content.files.push(file.clone());
                }
            }
        }
        let memory = self.new_memory(record, first.project)?;
        let id = store.memories_mut().supersede_all(&ids, &memory)?;
        self.finish_writing(store);
        self.memory(store, id)
    }
}
