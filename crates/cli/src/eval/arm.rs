//! What a question is put to: the engine as every door of ours uses it, the engine as it answers unasked, and plain BM25 to compare with.

use crate::engine::Engine;
use backstory_memory::{MemoryId, Timestamp, keywords};
use backstory_store::{Filter, Store, StoreError, WordQuery};

/// One way to find memories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arm {
    /// Recall, as someone who asks has it.
    Engine,
    /// The question's words without the small ones, any of them, ranked by BM25 alone.
    Bm25,
    /// Recall, as it answers when nobody asked: silent unless it is sure.
    Unasked,
}

/// What questions are put to.
pub(crate) struct Asked<'a> {
    pub(crate) store: &'a Store,
    /// The engine with the weights of `search`.
    pub(crate) search: &'a Engine,
    /// The engine with the weights of `inject`.
    pub(crate) inject: &'a Engine,
}

impl Arm {
    /// Every arm, in the order they are run.
    pub(crate) const ALL: [Arm; 3] = [Arm::Engine, Arm::Bm25, Arm::Unasked];

    /// Returns its name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Arm::Engine => "engine",
            Arm::Bm25 => "bm25",
            Arm::Unasked => "unasked",
        }
    }

    /// Returns what it finds, best first, with scores.
    pub(crate) fn ask(
        self,
        asked: &Asked<'_>,
        text: &str,
        at: Timestamp,
        filter: &Filter,
    ) -> Result<Vec<(MemoryId, f64)>, StoreError> {
        let recall = |engine: &Engine| -> Result<Vec<(MemoryId, f64)>, StoreError> {
            let answer = engine.over(asked.store).ask(&engine.question(text, at, None), filter)?;
            Ok(answer.hits.into_iter().map(|hit| (hit.memory.id, hit.score)).collect())
        };
        match self {
            Arm::Engine => recall(asked.search),
            Arm::Unasked => recall(asked.inject),
            Arm::Bm25 => {
                let mut query = WordQuery::default();
                keywords(text).iter().for_each(|word| query.word(word));
                let hits = asked.store.search_words(&query, filter)?;
                Ok(hits.into_iter().map(|hit| (hit.memory, hit.bm25)).collect())
            }
        }
    }
}
