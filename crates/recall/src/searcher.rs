//! One search over a store: the query, its results, and the order of the steps.

use crate::fusion::{self, Pool};
use crate::newest_first::put_newer_first;
use crate::{RankingWeights, Reasons, SearchStrategy, SemanticIndex, Synonyms, TimeRange};
use backstory_memory::{Freshness, Memory, MemoryId, ProjectId, Timestamp};
use backstory_store::{Filter, SpellingCorrection, Store, StoreError};
use std::collections::HashMap;
use std::time::Instant;

/// What is searched for, from where, and when.
#[derive(Clone, Copy, Debug)]
pub struct SearchQuery<'a> {
    /// The query as it was typed. An empty one lists the newest.
    pub text: &'a str,
    /// When it is searched.
    pub at: Timestamp,
    /// How far the user's clock is ahead of UTC.
    pub utc_offset_minutes: i32,
    /// The project it is searched from, if others are searched as well.
    pub from: Option<ProjectId>,
    /// Files the user has open or works on.
    pub files: &'a [String],
}

impl<'a> SearchQuery<'a> {
    /// Makes a query at a time, in UTC, from no project.
    #[must_use]
    pub fn new(text: &'a str, at: Timestamp) -> SearchQuery<'a> {
        SearchQuery { text, at, utc_offset_minutes: 0, from: None, files: &[] }
    }
}

/// One memory with its score and its reasons.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// The memory.
    pub memory: Memory,
    /// How well it fits; higher is better. 0 if the query is empty.
    pub score: f64,
    /// How the score came about.
    pub reasons: Reasons,
}

/// What a search returns.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchResults {
    /// The hits, best first.
    pub hits: Vec<Hit>,
    /// How they were found.
    pub strategy: SearchStrategy,
    /// Words that occur in no memory, and the words searched instead.
    pub read_as: Vec<SpellingCorrection>,
    /// The time the query names.
    pub when: Option<TimeRange>,
}

/// How one memory relates to a query.
#[derive(Clone, Debug, PartialEq)]
pub struct HitExplanation {
    /// Its place among the hits, from 0; `None` if it is not one of them.
    pub rank: Option<usize>,
    /// The memory with its reasons.
    pub hit: Hit,
    /// How the hits were found.
    pub strategy: SearchStrategy,
}

/// Looks up whether the code memories speak of has changed. Memories missing from the answer count as fresh.
pub type FreshnessProbe<'a> = dyn Fn(&[&Memory]) -> HashMap<MemoryId, Freshness> + 'a;

/// A store, and what helps to search it.
#[derive(Clone, Copy)]
pub struct Searcher<'a> {
    pub(crate) store: &'a Store,
    pub(crate) weights: &'a RankingWeights,
    pub(crate) index: Option<&'a SemanticIndex>,
    pub(crate) synonyms: Option<&'a Synonyms>,
    pub(crate) freshness: Option<&'a FreshnessProbe<'a>>,
    until: Option<Instant>,
}

impl<'a> Searcher<'a> {
    /// Searches a store by words alone, until more is added.
    #[must_use]
    pub fn new(store: &'a Store, weights: &'a RankingWeights) -> Searcher<'a> {
        Searcher { store, weights, index: None, synonyms: None, freshness: None, until: None }
    }

    /// Searches by meaning too, if there are vectors.
    #[must_use]
    pub fn with_meaning(self, index: Option<&'a SemanticIndex>) -> Searcher<'a> {
        Searcher { index, ..self }
    }

    /// Searches for synonyms too.
    #[must_use]
    pub fn with_synonyms(self, synonyms: &'a Synonyms) -> Searcher<'a> {
        Searcher { synonyms: Some(synonyms), ..self }
    }

    /// Checks once, for the few that may be hits, whether their code has changed.
    #[must_use]
    pub fn with_freshness(self, probe: &'a FreshnessProbe<'a>) -> Searcher<'a> {
        Searcher { freshness: Some(probe), ..self }
    }

    /// Sets a deadline. An arm that misses it finds nothing; the other arms still count.
    #[must_use]
    pub fn until(self, until: Instant) -> Searcher<'a> {
        Searcher { until: Some(until), ..self }
    }

    /// Runs an arm while there is time.
    pub(crate) fn in_time(&self, arm: impl FnOnce() -> Result<(), StoreError>) -> Result<(), StoreError> {
        let Some(until) = self.until else { return arm() };
        match self.store.read_until(until, arm) {
            Err(StoreError::OutOfTime) => Ok(()),
            result => result,
        }
    }

    /// Finds what bears on a query; for an empty one, lists what fits the filter, newest first.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn search(&self, query: &SearchQuery<'_>, filter: &Filter) -> Result<SearchResults, StoreError> {
        self.store.snapshot(|| {
            if query.text.trim().is_empty() && query.files.is_empty() {
                return self.newest(filter);
            }
            let mut pool = Pool::gather(self, query, filter, None)?;
            let wanted = filter.offset.saturating_add(filter.limit) as usize;
            let mut hits = pool.hits(self, query, filter, wanted)?;
            fusion::drop_weak_hits(&mut hits, &pool, self.weights);
            fusion::weigh_by_freshness(&mut hits, &pool, self);
            put_newer_first(&mut hits, self, filter)?;
            let hits = hits.into_iter().skip(filter.offset as usize).take(filter.limit as usize).collect();
            Ok(SearchResults { hits, strategy: pool.strategy, read_as: pool.read_as, when: pool.when })
        })
    }

    /// Explains how a memory relates to a query, whether or not it is a hit.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn explain(
        &self,
        query: &SearchQuery<'_>,
        filter: &Filter,
        id: MemoryId,
    ) -> Result<Option<HitExplanation>, StoreError> {
        let results = self.search(query, filter)?;
        let rank = results.hits.iter().position(|hit| hit.memory.id == id);
        if let Some(hit) = rank.and_then(|rank| results.hits.get(rank)) {
            return Ok(Some(HitExplanation { rank, hit: hit.clone(), strategy: results.strategy }));
        }
        let mut pool = Pool::gather(self, query, filter, Some(id))?;
        let mut hits = pool.hits(self, query, filter, usize::MAX)?;
        fusion::weigh_by_freshness(&mut hits, &pool, self);
        let hit = hits.into_iter().find(|hit| hit.memory.id == id);
        Ok(hit.map(|hit| HitExplanation { rank: None, hit, strategy: pool.strategy }))
    }

    fn newest(&self, filter: &Filter) -> Result<SearchResults, StoreError> {
        let listed = self.store.memories().get_many(&self.store.search().list(filter)?)?;
        let hit = |memory| Hit { memory, score: 0.0, reasons: Reasons::default() };
        let hits = listed.into_iter().map(hit).collect();
        Ok(SearchResults { hits, strategy: SearchStrategy::Newest, read_as: Vec::new(), when: None })
    }
}
