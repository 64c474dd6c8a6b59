//! Searching: what bears on a question, in order, each hit with the reasons for its score.
//!
//! Not here: how hits are ranked (`recall`), what a team's hub finds, and how hits are printed.

use crate::app::{App, ProjectSelector, ignore_read_only};
use crate::engine::{Profile, engine_of, search_query};
use crate::error::AppError;
use backstory_memory::{Kind, MemoryId, Timestamp};
use backstory_recall::{Boost, Hit, SearchResults, SearchStrategy, word_query};
use backstory_store::{Filter, ImpressionKind, Scope, StandingFilter, Store};

/// What to look for.
#[derive(Clone, Debug, Default)]
pub struct SearchRequest {
    /// The question; an empty one lists the newest memories.
    pub text: String,
    /// Where to look.
    pub projects: ProjectSelector,
    /// Only these kinds; none means all.
    pub kinds: Vec<Kind>,
    /// Written at this time or after it.
    pub since: Option<Timestamp>,
    /// Written before this time.
    pub until: Option<Timestamp>,
    /// Names this file: its path, or the end of it.
    pub file: Option<String>,
    /// How many at the most; without it, as many as are configured.
    pub limit: Option<u32>,
    /// How many hits to skip.
    pub offset: u32,
    /// Whether superseded memories are found too.
    pub include_superseded: bool,
    /// Only memories that stand so; without it, `include_superseded` decides.
    pub standing: Option<StandingFilter>,
    /// Which table of weights ranks the hits.
    pub profile: Profile,
}

/// Whether what was found fits the question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// It fits, as far as the words show; or the query was empty.
    Fits,
    /// Nothing fits: the hits are the nearest in meaning, and likely about something else.
    NearestOnly,
    /// There are no hits.
    Nothing,
}

impl App {
    /// Finds the memories that bear on a query.
    pub fn search(&self, store: &Store, request: &SearchRequest) -> Result<SearchResults, AppError> {
        let Some(scope) = self.scope(store, &request.projects)? else {
            return Ok(SearchResults {
                hits: Vec::new(),
                strategy: SearchStrategy::Newest,
                read_as: Vec::new(),
                when: None,
            });
        };
        let engine = engine_of(self, request.profile);
        let from = match request.projects {
            ProjectSelector::All => self.project_here(store)?,
            ProjectSelector::Here | ProjectSelector::Named(_) => None,
        };
        let query = search_query(&request.text, self.now, from);
        Ok(engine.searcher(store).search(&query, &self.search_filter(request, scope))?)
    }

    /// Whether what was found fits the query, or only lies nearest to it. The CLI, MCP, the server and the TUI all ask this function, so that
    /// they agree.
    ///
    /// A query whose words stand in no memory is answered by meaning alone, and the best such hit may be far off.
    pub fn fit(
        &self,
        store: &Store,
        request: &SearchRequest,
        results: &SearchResults,
    ) -> Result<Fit, AppError> {
        if results.hits.is_empty() {
            return Ok(Fit::Nothing);
        }
        Ok(if self.found_by_meaning_alone(store, request, results)? { Fit::NearestOnly } else { Fit::Fits })
    }

    fn found_by_meaning_alone(
        &self,
        store: &Store,
        request: &SearchRequest,
        results: &SearchResults,
    ) -> Result<bool, AppError> {
        let is_near_only = |hit: &Hit| {
            let is_named = || hit.reasons.boosts.iter().any(|(boost, _)| *boost == Boost::Named);
            hit.reasons.words == 0.0 && !hit.reasons.is_listed() && !is_named()
        };
        let has_question = results.strategy == SearchStrategy::WordsAndMeaning && !results.hits.is_empty();
        if !has_question || !results.hits.iter().all(is_near_only) {
            return Ok(false);
        }
        // The words may stand in a memory on another page of the hits.
        let Some(scope) = self.scope(store, &request.projects)? else { return Ok(false) };
        let anywhere = Filter { limit: 1, offset: 0, ..self.search_filter(request, scope) };
        Ok(store.search().exact(&word_query(&request.text), &anywhere)?.is_empty())
    }

    /// Records which memories were listed, which does not count as use. Does nothing if the store cannot be written: the answer that was read
    /// is still good.
    pub fn note_listed(&self, store: &mut Store, hits: &[Hit]) -> Result<(), AppError> {
        let ids: Vec<MemoryId> = hits.iter().map(|hit| hit.memory.id).collect();
        ignore_read_only(store.injections_mut().record_impressions(&ids, ImpressionKind::Listed, self.now))
    }

    fn search_filter(&self, request: &SearchRequest, scope: Scope) -> Filter {
        let live_or_any = if request.include_superseded { StandingFilter::Any } else { StandingFilter::Live };
        Filter {
            standing: request.standing.unwrap_or(live_or_any),
            kinds: request.kinds.clone(),
            since: request.since,
            until: request.until,
            file: request.file.clone(),
            limit: request.limit.unwrap_or(self.config.search.limit),
            offset: request.offset,
            ..Filter::within(scope)
        }
    }
}
