//! What a question is put to: the engine as every door of ours uses it, and plain BM25 to compare it with.

use backstory_memory::{MemoryId, telling_words};
use backstory_recall::recall;
use backstory_store::{Filter, Store, StoreError, WordQuery};

/// One way to find memories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arm {
    /// Recall itself.
    Engine,
    /// The question's words without the small ones, any of them, ranked by BM25 alone.
    Bm25,
}

impl Arm {
    /// Every arm, in the order it is shown.
    pub(crate) const ALL: [Arm; 2] = [Arm::Engine, Arm::Bm25];

    /// Returns its name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Arm::Engine => "engine",
            Arm::Bm25 => "bm25",
        }
    }

    /// Returns what it finds, best first, with scores.
    pub(crate) fn ask(
        self,
        store: &Store,
        question: &str,
        filter: &Filter,
    ) -> Result<Vec<(MemoryId, f64)>, StoreError> {
        match self {
            Arm::Engine => {
                let hits = recall(store, question, filter)?;
                Ok(hits.into_iter().map(|hit| (hit.memory.id, hit.score)).collect())
            }
            Arm::Bm25 => {
                let mut query = WordQuery::default();
                telling_words(question).iter().for_each(|word| query.word(word));
                let hits = store.search_words(&query, filter)?;
                Ok(hits.into_iter().map(|hit| (hit.memory, hit.bm25)).collect())
            }
        }
    }
}
