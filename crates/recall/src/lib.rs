//! Recall: a question in, ranked hits out.
//!
//! One engine behind every door. Today it has its lexical arm; meaning and signals join it here, not in the doors.
//! Not here: SQL (`store`), how hits are shown.

mod terms;

pub use terms::word_query;

use backstory_memory::Memory;
use backstory_store::{Filter, Store, StoreError};

/// One found memory with its score.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// The memory.
    pub memory: Memory,
    /// How well it answers; higher is better. 0 where nothing was asked.
    pub score: f64,
}

/// Finds what bears on a question; without one, lists what fits the filter, newest first.
pub fn recall(store: &Store, question: &str, filter: &Filter) -> Result<Vec<Hit>, StoreError> {
    if question.trim().is_empty() {
        let listed = store.memories(&store.list(filter)?)?;
        return Ok(listed.into_iter().map(|memory| Hit { memory, score: 0.0 }).collect());
    }
    let mut hits = Vec::new();
    for found in store.search_words(&word_query(question), filter)? {
        // A memory may be forgotten between the two reads.
        if let Some(memory) = store.memory(found.memory)? {
            hits.push(Hit { memory, score: found.bm25 });
        }
    }
    Ok(hits)
}
