//! The arms of a comparison: the engine as `search` uses it, the engine as injection uses it, and plain BM25.

use crate::engine::search_query;
use backstory_memory::{MemoryId, Timestamp, keywords};
use backstory_recall::RecallEngine;
use backstory_store::{Filter, Store, StoreError, WordQuery};

/// One way to answer a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EvalArm {
    /// Recall with the weights of `search`.
    Engine,
    /// Any of the query's keywords, ranked by BM25 alone.
    Bm25,
    /// Recall with the weights of injection: silent unless it is sure.
    Inject,
}

/// The store and the engines the arms need.
pub(crate) struct ArmContext<'a> {
    pub(crate) store: &'a Store,
    /// The engine with the weights of `search`.
    pub(crate) search: &'a RecallEngine,
    /// The engine with the weights of `inject`.
    pub(crate) inject: &'a RecallEngine,
}

impl EvalArm {
    /// Every arm, in the order they are run.
    pub(crate) const ALL: [EvalArm; 3] = [EvalArm::Engine, EvalArm::Bm25, EvalArm::Inject];

    /// Returns its name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            EvalArm::Engine => "engine",
            EvalArm::Bm25 => "bm25",
            EvalArm::Inject => "inject",
        }
    }

    /// Returns its hits, best first, with scores.
    pub(crate) fn hits(
        self,
        context: &ArmContext<'_>,
        text: &str,
        at: Timestamp,
        filter: &Filter,
    ) -> Result<Vec<(MemoryId, f64)>, StoreError> {
        let recall = |engine: &RecallEngine| -> Result<Vec<(MemoryId, f64)>, StoreError> {
            let answer = engine.searcher(context.store).search(&search_query(text, at, None), filter)?;
            Ok(answer.hits.into_iter().map(|hit| (hit.memory.id, hit.score)).collect())
        };
        match self {
            EvalArm::Engine => recall(context.search),
            EvalArm::Inject => recall(context.inject),
            EvalArm::Bm25 => {
                let mut query = WordQuery::default();
                keywords(text).iter().for_each(|word| query.word(word));
                let hits = context.store.search().exact(&query, filter)?;
                Ok(hits.into_iter().map(|hit| (hit.memory, hit.bm25)).collect())
            }
        }
    }
}
