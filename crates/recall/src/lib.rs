//! Recall: a query in, ranked hits with their reasons out.
//!
//! Every command, hook and server searches through one engine (`RecallEngine`). Three arms find candidates:
//! by words, by meaning, and by structure (the files and symbols that the query names). Their results become
//! one relevance, which signals such as age and use then multiply. The weights are in one table
//! (`RankingWeights`), with a profile for explicit searches and one for injections. Not here: SQL (`store`),
//! the model (`embed`), how hits are shown.

mod appraisal;
mod engine;
mod fusion;
mod mentions;
mod newest_first;
mod out_of_vocabulary;
mod query_intent;
mod rarity;
mod reasons;
mod relevance;
mod same_work;
mod searcher;
mod semantic_index;
mod signals;
mod synonyms;
mod terms;
mod time_range;
mod vectors;
mod weights;
mod word_evidence;

pub use engine::RecallEngine;
pub use reasons::{Boost, Reasons, ScoreFactor, SearchStrategy};
pub use relevance::{BestFound, FEATURES, FeatureWeights, Features};
pub use same_work::is_same_work;
pub use searcher::{FreshnessProbe, Hit, HitExplanation, SearchQuery, SearchResults, Searcher};
pub use semantic_index::{SemanticIndex, VectorCache, query_vector};
pub use signals::Signal;
pub use synonyms::{AddedSynonym, MOST_SYNONYM_BYTES, SynonymLine, Synonyms};
pub use terms::word_query;
pub use time_range::{TimeRange, time_range_in};
pub use vectors::{
    EmbedError, EmbeddingJob, EmbeddingReport, embed_pending, is_embedding, rebuild_vectors,
    remove_dead_vectors, requeue_missing_vectors,
};
pub use weights::{RankingWeights, RelevanceFormula};
