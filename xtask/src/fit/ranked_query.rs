//! The candidates of every query, with their features, as the engine finds them.

use super::prepared_set::{PreparedSet, SetStore, time};
use super::rank_figures::RankFigures;
use crate::TaskResult;
use backstory_memory::keywords;
use backstory_recall::{
    FEATURES, RankingWeights, SearchQuery, Searcher, SemanticIndex, Synonyms, VectorCache,
};
use backstory_store::{Filter, Scope, WordQuery};

/// Candidates per query.
const CANDIDATES: u32 = 60;
/// Hits that are marked.
const DEPTH: usize = 10;

/// A set with the candidates of its queries.
pub(crate) struct FittedSet {
    pub(crate) name: String,
    pub(crate) documents: usize,
    pub(crate) queries: Vec<RankedQuery>,
    /// The figures of plain BM25 over the same index.
    pub(crate) bm25: RankFigures,
    /// The figures of the engine with the weights it has now.
    pub(crate) engine: RankFigures,
    /// What injection does with them.
    pub(crate) injected: InjectionCounts,
}

/// How often injection is silent where nothing answers, and right where something does.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct InjectionCounts {
    pub(crate) silent: usize,
    pub(crate) unanswered: usize,
    pub(crate) right: usize,
    pub(crate) answered: usize,
    pub(crate) documents: usize,
}

impl InjectionCounts {
    fn add(&mut self, marks: &[bool], gold: usize) {
        self.documents += marks.len();
        if gold == 0 {
            self.unanswered += 1;
            self.silent += usize::from(marks.is_empty());
        } else {
            self.answered += 1;
            self.right += usize::from(marks.contains(&true));
        }
    }
}

/// A query and its candidates.
pub(crate) struct RankedQuery {
    pub(crate) candidates: Vec<RankedCandidate>,
    /// How many documents answer it.
    pub(crate) gold: usize,
}

/// A candidate.
pub(crate) struct RankedCandidate {
    pub(crate) features: [f64; FEATURES],
    pub(crate) is_gold: bool,
}

/// Puts every query of a set.
pub(crate) fn ranked(set: &PreparedSet, kept: &SetStore) -> TaskResult<FittedSet> {
    let synonyms = Synonyms::built_in();
    let index = SemanticIndex::open(&kept.home.vectors(), &VectorCache::default());
    let (mut bm25, mut engine) = (RankFigures::default(), RankFigures::default());
    let (mut injected, mut queries) = (InjectionCounts::default(), Vec::new());
    for query in &set.queries {
        let Some(project) = kept.projects.get(&query.corpus) else { continue };
        let filter = Filter { limit: CANDIDATES, ..Filter::within(Scope::Project(*project)) };
        let search_query = SearchQuery::new(&query.text, time(query.at.as_ref()));
        let searcher = Searcher::new(&kept.store, &RankingWeights::SEARCH)
            .with_meaning(index.as_ref())
            .with_synonyms(&synonyms);
        let is_gold = |id: &backstory_memory::MemoryId| {
            kept.documents.get(id).is_some_and(|document| query.gold.contains(document))
        };
        let hits = searcher.search(&search_query, &filter)?.hits;
        let unasked = Searcher::new(&kept.store, &RankingWeights::INJECT)
            .with_meaning(index.as_ref())
            .with_synonyms(&synonyms)
            .search(&search_query, &filter)?;
        let marks: Vec<bool> = unasked.hits.iter().map(|hit| is_gold(&hit.memory.id)).collect();
        injected.add(&marks, query.gold.len());
        if !query.gold.is_empty() {
            let marks: Vec<bool> = hits.iter().take(DEPTH).map(|hit| is_gold(&hit.memory.id)).collect();
            engine.add(&marks, query.gold.len());
            let mut words = WordQuery::default();
            keywords(&query.text).iter().for_each(|word| words.word(word));
            let ten = Filter { limit: DEPTH as u32, ..filter.clone() };
            let found = kept.store.search().exact(&words, &ten)?;
            bm25.add(&found.iter().map(|hit| is_gold(&hit.memory)).collect::<Vec<_>>(), query.gold.len());
        }
        let candidate = |hit: &backstory_recall::Hit| RankedCandidate {
            features: hit.reasons.features.0,
            is_gold: is_gold(&hit.memory.id),
        };
        queries
            .push(RankedQuery { candidates: hits.iter().map(candidate).collect(), gold: query.gold.len() });
    }
    Ok(FittedSet { name: set.name.clone(), documents: set.documents.len(), queries, bm25, engine, injected })
}
