//! Explaining a memory: where it came from, when it was injected and used, and how it answers a query (law 9).

use crate::app::App;
use crate::engine::{Profile, engine_of, search_query};
use crate::error::AppError;
use backstory_memory::{Memory, MemoryId};
use backstory_recall::HitExplanation;
use backstory_store::{Filter, Impressions, MemoryInjection, Scope, StandingFilter, Store, StoreError};

/// How many injections of a memory are listed; the rest is only counted.
const MOST_INJECTIONS: u32 = 10;

/// Which memory to explain.
#[derive(Clone, Debug)]
pub struct WhyRequest {
    /// The memory.
    pub id: MemoryId,
    /// A question its score is explained for.
    pub query: Option<String>,
    /// Which table of weights scores it.
    pub profile: Profile,
}

/// What is known of a memory beside its words.
#[derive(Debug)]
pub struct WhyResponse {
    /// The memory.
    pub memory: Memory,
    /// How many events it rests on.
    pub evidence: usize,
    /// How often it was shown.
    pub shown: Impressions,
    /// The newest times it was injected.
    pub injected: Vec<MemoryInjection>,
    /// Its score for the question.
    pub explained: Option<HitExplanation>,
}

impl App {
    /// Explains a memory.
    pub fn why(&self, store: &Store, request: &WhyRequest) -> Result<WhyResponse, AppError> {
        let memory = self.memory(store, request.id)?;
        let query = request.query.as_deref();
        let explained =
            query.map(|query| self.explain(store, &memory, query, request.profile)).transpose()?;
        let shown =
            store.injections().impressions(&[memory.id])?.get(&memory.id).copied().unwrap_or_default();
        Ok(WhyResponse {
            evidence: store.memories().evidence(memory.id)?.len(),
            injected: store.injections().of_memory(memory.id, MOST_INJECTIONS)?,
            shown,
            explained,
            memory,
        })
    }

    /// Runs the query within the memory's own project, whatever the folder: a search can find it there.
    fn explain(
        &self,
        store: &Store,
        memory: &Memory,
        query: &str,
        profile: Profile,
    ) -> Result<HitExplanation, AppError> {
        let engine = engine_of(self, profile);
        let query = search_query(query, self.now, None);
        let is_live = memory.standing.is_live();
        // A search leaves superseded memories out, so they have no rank; but they have a score.
        let standing = if is_live { StandingFilter::Live } else { StandingFilter::Any };
        let limit = self.config.search.limit;
        let filter = Filter { standing, limit, ..Filter::within(Scope::Project(memory.project)) };
        let explained = engine.searcher(store).explain(&query, &filter, memory.id)?;
        let explained = explained.ok_or(StoreError::NoSuchMemory(memory.id))?;
        Ok(HitExplanation { rank: explained.rank.filter(|_| is_live), ..explained })
    }
}
