//! Forgetting memories for good. Only a tombstone stays, so that they cannot come back.

use crate::app::App;
use crate::error::AppError;
use crate::vectors;
use crate::words::memories;
use backstory_memory::MemoryId;
use backstory_store::{Pin, Store};
use std::path::PathBuf;

/// What became of memories that were to be forgotten.
#[derive(Clone, Debug)]
pub struct ForgetResponse {
    /// The memories that are gone.
    pub forgotten: Vec<MemoryId>,
    /// Memories that hold again, because what had replaced them is gone.
    pub revived: Vec<MemoryId>,
    /// Memories whose text still has the title of one that is gone.
    pub mentioned_in: Vec<MemoryId>,
    /// Files that could not be changed and may still hold traces.
    pub remains_in: Vec<PathBuf>,
}

impl App {
    /// Forgets memories that are there, their vectors included.
    pub fn forget(&self, store: &mut Store, ids: &[MemoryId]) -> Result<ForgetResponse, AppError> {
        let titles: Vec<String> =
            store.memories().get_many(ids)?.into_iter().map(|memory| memory.content.title).collect();
        let mut done = store.memories_mut().forget(ids, self.now)?;
        done.remains_in.extend(vectors::forget(store, self));
        let mut mentioned_in: Vec<MemoryId> = Vec::new();
        for title in &titles {
            mentioned_in.extend(store.memories().containing(title)?);
        }
        mentioned_in.sort_unstable();
        mentioned_in.dedup();
        let (forgotten, revived, remains_in) = (done.forgotten, done.revived, done.remains_in);
        Ok(ForgetResponse { forgotten, revived, mentioned_in, remains_in })
    }

    /// Pins a memory, or releases it.
    pub fn pin(&self, store: &mut Store, id: MemoryId, pin: Pin) -> Result<(), AppError> {
        Ok(store.memories_mut().pin(id, pin)?)
    }
}

impl ForgetResponse {
    /// Says what was done, on one line.
    #[must_use]
    pub fn headline(&self) -> String {
        format!("forgot {}", memories(self.forgotten.len() as u64))
    }

    /// Says what else the user has to know.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let revived = |id| format!("note: #{id} is in force again: what had replaced it is gone");
        let mut notes: Vec<String> = self.revived.iter().map(revived).collect();
        if !self.mentioned_in.is_empty() {
            let numbers: Vec<String> = self.mentioned_in.iter().map(ToString::to_string).collect();
            let numbers = numbers.join(" ");
            notes.push(format!("note: the title still stands in what was made from it: `backstory forget {numbers}` forgets that too"));
        }
        let remains = |path: &PathBuf| {
            let path = path.display();
            format!(
                "note: traces may remain in `{path}`, which could not be changed; remove it if you can do without it"
            )
        };
        notes.extend(self.remains_in.iter().map(remains));
        notes
    }
}
