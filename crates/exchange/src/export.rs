//! Exports: memories written to a file or a folder that `import` reads back.

pub(crate) mod jsonl_file;
pub(crate) mod markdown_folder;
mod records;

use crate::error::ExchangeError;
use backstory_memory::{Kind, Memory, ProjectId, Timestamp};
use backstory_store::Store;

/// Which memories are exported.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExportSelection {
    /// Only those of this project.
    pub project: Option<ProjectId>,
    /// Only those that were written or changed since.
    pub since: Option<Timestamp>,
    /// Only these kinds; none means all.
    pub kinds: Vec<Kind>,
}

impl ExportSelection {
    fn includes(&self, memory: &Memory) -> bool {
        self.project.is_none_or(|project| project == memory.project)
            && self.since.is_none_or(|since| memory.updated_at >= since)
            && (self.kinds.is_empty() || self.kinds.contains(&memory.content.kind))
    }

    /// Calls `each` with every selected memory, oldest first, and returns how many there were. `progress` gets how many of all memories
    /// have been looked at.
    fn for_each(
        &self,
        store: &Store,
        progress: &mut dyn FnMut(u64),
        mut each: impl FnMut(&Memory) -> Result<(), ExchangeError>,
    ) -> Result<u64, ExchangeError> {
        let (mut count, mut failed, mut looked_at) = (0, None, 0);
        store.memories().for_each(|memory| {
            looked_at += 1;
            progress(looked_at);
            // The store's loop cannot be stopped: after an error the rest is passed over.
            if failed.is_none() && self.includes(&memory) {
                failed = each(&memory).err();
                count += 1;
            }
        })?;
        failed.map_or(Ok(count), Err)
    }
}
