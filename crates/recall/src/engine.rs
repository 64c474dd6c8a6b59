//! What a search needs beside a store, opened once: weights, semantic index, synonyms.

use crate::{RankingWeights, Searcher, SemanticIndex, Synonyms};
use backstory_store::Store;

/// Weights, semantic index and synonyms of one profile. What is missing is done without: words alone find memories too.
#[derive(Debug)]
pub struct RecallEngine {
    weights: RankingWeights,
    index: Option<SemanticIndex>,
    synonyms: Synonyms,
}

impl RecallEngine {
    /// Puts an engine together.
    #[must_use]
    pub fn new(weights: RankingWeights, index: Option<SemanticIndex>, synonyms: Synonyms) -> RecallEngine {
        RecallEngine { weights, index, synonyms }
    }

    /// Encodes a query before it is searched for, so that a caller can do so while it prepares something else.
    pub fn encode_ahead(&mut self, query: &str) {
        if let Some(index) = &mut self.index {
            index.encode_ahead(query);
        }
    }

    /// Returns a searcher over a store.
    #[must_use]
    pub fn searcher<'a>(&'a self, store: &'a Store) -> Searcher<'a> {
        Searcher::new(store, &self.weights).with_meaning(self.index.as_ref()).with_synonyms(&self.synonyms)
    }
}
