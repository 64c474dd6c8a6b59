//! Recall: a question in, ranked hits out.
//!
//! One engine behind every door. Today it has its lexical arm; meaning and signals join it here, not in the doors.
//! Not here: SQL (`store`), how hits are shown.

mod mentions;
mod synonyms;
mod terms;
mod when;

pub use mentions::{Mentions, mentions};
pub use synonyms::{Added, Line as SynonymLine, MOST_BYTES as MOST_SYNONYM_BYTES, Synonyms};
pub use terms::word_query;
pub use when::{When, when};

use backstory_memory::{Memory, telling_words, words};
use backstory_store::{Filter, Store, StoreError};
use std::collections::HashSet;

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
    store.snapshot(|| hits(store, question, filter))
}

fn hits(store: &Store, question: &str, filter: &Filter) -> Result<Vec<Hit>, StoreError> {
    if question.trim().is_empty() {
        let listed = store.memories(&store.list(filter)?)?;
        return Ok(listed.into_iter().map(|memory| Hit { memory, score: 0.0 }).collect());
    }
    let asked = telling_words(question);
    let wanted = filter.limit.saturating_add(filter.offset);
    // The order is settled among more than are asked for, and pages are cut after it is known.
    let wide = Filter { limit: wanted.saturating_mul(OVERFETCH), offset: 0, ..filter.clone() };
    let mut hits = Vec::new();
    for found in store.search_words(&word_query(question), &wide)? {
        // A memory may be forgotten between the two reads.
        if let Some(memory) = store.memory(found.memory)? {
            let score = found.bm25 + COVERAGE * share_held(&asked, &memory);
            hits.push(Hit { memory, score });
        }
    }
    hits.sort_by(|one, other| other.score.total_cmp(&one.score));
    Ok(hits.into_iter().skip(filter.offset as usize).take(filter.limit as usize).collect())
}

/// How many times more candidates are looked at than are asked for.
const OVERFETCH: u32 = 3;
/// What holding every asked word is worth, beside BM25.
const COVERAGE: f64 = 2.0;

/// Returns the share of the asked words a memory holds, 0 to 1.
///
/// BM25 gives next to nothing for a word most memories hold; in a young store that is every word.
fn share_held(asked: &[String], memory: &Memory) -> f64 {
    let content = &memory.content;
    let lists = [&content.facts, &content.concepts, &content.files].into_iter().flatten();
    let texts = [&content.title, &content.body].into_iter().chain(lists);
    let held: HashSet<String> = texts.flat_map(|text| words(text)).collect();
    let found = asked.iter().filter(|word| held.contains(*word)).count();
    found as f64 / asked.len().max(1) as f64
}
