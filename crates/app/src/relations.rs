//! The memories that a memory is linked to, directly or over others: what it replaced, what replaced it, what it was made of.

use crate::app::App;
use crate::error::AppError;
use backstory_memory::{Link, Memory, MemoryId};
use backstory_store::Store;
use std::collections::{BTreeSet, VecDeque};

/// How far links are followed, and how many memories are shown: a picture of more cannot be read.
const MOST_STEPS: u32 = 3;
const MOST_MEMORIES: usize = 40;

/// Linked memories.
#[derive(Clone, Debug)]
pub struct Relations {
    /// The memories, and over how many links each was reached. The first is the one in the request.
    pub memories: Vec<(Memory, u32)>,
    /// The links between them.
    pub links: Vec<Link>,
}

impl App {
    /// Follows the links of a memory.
    pub fn relations(&self, store: &Store, id: MemoryId) -> Result<Relations, AppError> {
        let mut memories = vec![(self.memory(store, id)?, 0)];
        let (mut links, mut known) = (Vec::new(), BTreeSet::from([id]));
        let mut waiting = VecDeque::from([(id, 0)]);
        while let Some((id, steps)) = waiting.pop_front() {
            for link in store.memories().links(id)? {
                let other = if link.from == id { link.to } else { link.from };
                let has_room = memories.len() < MOST_MEMORIES && steps < MOST_STEPS;
                if has_room && !known.contains(&other) {
                    // A memory that was forgotten meanwhile has no place in the picture.
                    let Some(memory) = store.memories().get(other)? else { continue };
                    known.insert(other);
                    memories.push((memory, steps + 1));
                    waiting.push_back((other, steps + 1));
                }
                if known.contains(&other) && !links.contains(&link) {
                    links.push(link);
                }
            }
        }
        Ok(Relations { memories, links })
    }
}
