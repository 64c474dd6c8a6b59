//! Of two memories that contradict each other only one is injected, whatever the moment (law 12): the user's before anybody else's,
//! what was said of this project before what holds everywhere, then the later one.
//!
//! Not here: which memories contradict each other (`distil` decides that once, and links them).

use super::Injector;
use crate::{Candidate, GatherResult, Orientation};
use backstory_memory::{Memory, MemoryId, MemoryScope, Timestamp};

impl Injector<'_> {
    /// Leaves out of every part what another memory in force contradicts with more right.
    pub(super) fn without_contradictions(&self, known: Orientation) -> Orientation {
        Orientation {
            rules: self.uncontradicted(known.rules),
            pinned: self.uncontradicted(known.pinned),
            traps: self.uncontradicted(known.traps),
            decisions: self.uncontradicted(known.decisions),
            ..known
        }
    }

    /// Leaves out what another memory in force contradicts with more right.
    pub(super) fn uncontradicted(
        &self,
        candidates: GatherResult<Vec<Candidate>>,
    ) -> GatherResult<Vec<Candidate>> {
        let mut kept = Vec::new();
        for it in candidates? {
            let read = || {
                let others = self.store.memories().contradicting(self.recipient.project, it.memory.id)?;
                self.store.memories().get_many(&others)
            };
            let others = self.store.read_until(self.until, read)?;
            if others.iter().all(|other| right_of(other) < right_of(&it.memory)) {
                kept.push(it);
            }
        }
        Ok(kept)
    }
}

/// How much right a memory has to be believed; no two have the same.
fn right_of(memory: &Memory) -> (bool, bool, Timestamp, MemoryId) {
    let is_of_project = memory.content.scope == MemoryScope::Project;
    (memory.is_users_own(), is_of_project, memory.updated_at, memory.id)
}
