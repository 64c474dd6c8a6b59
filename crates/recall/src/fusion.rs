//! Turns candidates into hits: searches the arms, fuses their results into one relevance, boosts it by structure, and multiplies it
//! by signals.
//!
//! **Fusion.** Words score by a saturating BM25, meaning by the cosine itself: good enough to choose what is read and appraised.

use crate::appraisal::{appraise, expected_meaning, levelled};
use crate::mentions::mentions;
use crate::query_intent::{IntentScope, QueryIntent, query_intent, subject_of};
use crate::reasons::{Boost, Reasons, ScoreFactor, SearchStrategy, odds};
use crate::same_work::weigh_repeated;
use crate::semantic_index::{Neighbours, SemanticIndex};
use crate::signals::{self, SignalInput};
use crate::word_evidence::SoughtWords;
use crate::{
    Hit, RankingWeights, SearchQuery, Searcher, Signal, TimeRange, out_of_vocabulary, terms, time_range_in,
};
use backstory_embed::Vector;
use backstory_memory::{Freshness, Kind, Memory, MemoryId, Relation, Standing};
use backstory_store::{Filter, Impressions, Scope, SpellingCorrection, StoreError, WordStrategy};
use std::collections::HashMap;
use std::panic::resume_unwind;
use std::thread;

/// How many candidates each arm contributes.
const POOL: u32 = 100;
/// At least this many of the best candidates are read and scored in full, and so many more than are wanted.
const SCORED_IN_FULL: usize = 50;
const SPARE: usize = 24;
/// The links of this many of the best candidates are followed.
const FOLLOWED: usize = 5;
/// What a memory gains that the query asks to have listed: without a topic, and with one, which decides the order.
const LISTED_ALONE: f64 = 0.6;
const LISTED_BESIDE: f64 = 0.2;
/// What a memory gains for being of the kind that is asked for together with a topic.
const KIND_WITH_TOPIC: f64 = 0.1;
/// So many memories of a kind are listed beside a topic.
const MOST_BESIDE: u32 = 12;
/// The share of a topic's rarity that a memory holds which is about it.
const ABOUT_TOPIC: f64 = 0.8;
/// A memory of the least importance, such as a discussion without a result, must be so many times likelier: it mentions many
/// subjects, and so shares words with most queries.
const LEAST_IMPORTANT: f64 = 4.0;
/// Factor for a superseded memory, so that its replacement ranks above it.
const SUPERSEDED: f64 = 0.5;

/// Everything that may be a hit, with its reasons so far.
pub(crate) struct Pool {
    pub(crate) candidates: HashMap<MemoryId, Reasons>,
    pub(crate) strategy: SearchStrategy,
    pub(crate) read_as: Vec<SpellingCorrection>,
    pub(crate) when: Option<TimeRange>,
    /// The share of the query's names that occur in no memory.
    pub(crate) out_of_vocabulary: f64,
    /// The words of the query, as rare as they are here.
    pub(crate) sought: SoughtWords,
    pub(crate) query_vector: Option<Vector>,
    /// What the query asks to have listed.
    intent: Option<QueryIntent>,
}

impl Pool {
    /// Searches every arm. `also` is a candidate whether or not an arm finds it.
    pub(crate) fn gather(
        searcher: &Searcher<'_>,
        query: &SearchQuery<'_>,
        filter: &Filter,
        also: Option<MemoryId>,
    ) -> Result<Pool, StoreError> {
        let limit = POOL.max(filter.limit.saturating_add(filter.offset));
        let wide = Filter { limit, offset: 0, ..filter.clone() };
        let when = time_range_in(query.text, query.at, query.utc_offset_minutes);
        let subject = subject_of(query.text);
        let mut pool = Pool {
            candidates: also.into_iter().map(|id| (id, Reasons::default())).collect(),
            strategy: SearchStrategy::Words,
            read_as: Vec::new(),
            intent: query_intent(query.text, when.as_ref()).filter(|_| searcher.weights.named > 0.0),
            when,
            out_of_vocabulary: 0.0,
            sought: SoughtWords::default(),
            query_vector: None,
        };
        let index = searcher.index.filter(|_| searcher.weights.is_calibrated());
        let look_up = || index?.nearest(subject, wide.scope, wide.limit as usize);
        let neighbours = thread::scope(|scope| {
            // Encoding a query takes as long as looking up its words: do both at once if a thread can be had.
            let looking = index.and_then(|_| thread::Builder::new().spawn_scoped(scope, look_up).ok());
            // To explain one memory, its words must be scored, however many other memories match them better.
            let of_words = if also.is_some() { u32::MAX } else { wide.limit };
            let of_words = Filter { limit: of_words, ..wide.clone() };
            searcher.in_time(|| pool.add_words(searcher, subject, &of_words))?;
            searcher.in_time(|| pool.add_named(searcher, query, &wide))?;
            searcher.in_time(|| pool.add_listed(searcher, filter))?;
            Ok(looking
                .map_or_else(look_up, |looking| looking.join().unwrap_or_else(|panic| resume_unwind(panic))))
        })?;
        if let (Some(index), Some(neighbours)) = (index, neighbours) {
            pool.add_meaning(searcher, index, &neighbours, &wide)?;
            pool.query_vector = Some(neighbours.query);
        }
        for reasons in pool.candidates.values_mut() {
            reasons.fused = fused(reasons, pool.strategy, searcher.weights);
        }
        Ok(pool)
    }

    /// The lexical arm: memories that hold the words or, with less weight, their synonyms.
    fn add_words(&mut self, searcher: &Searcher<'_>, text: &str, wide: &Filter) -> Result<(), StoreError> {
        let found = searcher.store.search().corrected(&terms::word_query(text), wide)?;
        if found.strategy == WordStrategy::Rows {
            self.strategy = SearchStrategy::Texts;
        }
        let synonyms = searcher.synonyms.filter(|_| searcher.weights.synonyms > 0.0);
        self.sought = SoughtWords::new(text, &found, synonyms);
        self.out_of_vocabulary =
            out_of_vocabulary::share_out_of_vocabulary(terms::beginning(text), &found.unknown_words);
        self.read_as = found.corrections;
        for hit in found.hits {
            self.candidates.entry(hit.memory).or_default().words += hit.bm25;
        }
        let Some(synonyms) = synonyms else { return Ok(()) };
        let query = terms::synonym_query(text, synonyms);
        // No typo correction for synonyms: they come from a list.
        for hit in searcher.store.search().exact(&query, wide)? {
            self.candidates.entry(hit.memory).or_default().words += searcher.weights.synonyms * hit.bm25;
        }
        Ok(())
    }

    /// The structural arm: memories about the files and symbols the query names, or about open files.
    fn add_named(
        &mut self,
        searcher: &Searcher<'_>,
        query: &SearchQuery<'_>,
        wide: &Filter,
    ) -> Result<(), StoreError> {
        if searcher.weights.named <= 0.0 {
            return Ok(());
        }
        let named = mentions(query.text);
        let mut found = Vec::new();
        for files in [&named.files[..], query.files] {
            if !files.is_empty() {
                found.extend(searcher.store.search().about_files(files, wide)?);
            }
        }
        if !named.symbols.is_empty() {
            found.extend(searcher.store.search().about_symbols(&named.symbols, wide)?);
        }
        for id in found {
            let boosts = &mut self.candidates.entry(id).or_default().boosts;
            if boosts.is_empty() {
                boosts.push((Boost::Named, searcher.weights.named));
            }
        }
        Ok(())
    }

    /// Adds what the query asks to have listed: the newest of a kind, of a time, or of both.
    fn add_listed(&mut self, searcher: &Searcher<'_>, filter: &Filter) -> Result<(), StoreError> {
        let Some(intent) = &self.intent else { return Ok(()) };
        let wanted = filter.limit.saturating_add(filter.offset);
        let (boost, most) = match intent.scope {
            IntentScope::Whole => (LISTED_ALONE, wanted),
            IntentScope::LastWork => (LISTED_ALONE, 1),
            IntentScope::Overview => (LISTED_BESIDE, MOST_BESIDE),
            IntentScope::Topic | IntentScope::Known => return Ok(()),
        };
        let is_allowed = |kind: &Kind| filter.kinds.is_empty() || filter.kinds.contains(kind);
        let kinds: Vec<Kind> = intent.kinds.iter().copied().filter(is_allowed).collect();
        if kinds.is_empty() && !intent.kinds.is_empty() {
            return Ok(());
        }
        let kinds = if kinds.is_empty() { filter.kinds.clone() } else { kinds };
        let when = self.when.as_ref().filter(|_| intent.scope == IntentScope::Whole);
        let newest = Filter {
            kinds,
            since: filter.since.max(when.and_then(|when| when.since)),
            until: [filter.until, when.and_then(|when| when.until)].into_iter().flatten().min(),
            limit: most,
            offset: 0,
            ..filter.clone()
        };
        for id in searcher.store.search().list(&newest)? {
            self.candidates.entry(id).or_default().boosts.push((Boost::Listed, boost));
        }
        Ok(())
    }

    /// Boosts what is of the kind, or about the topic, that a query asks for.
    fn boost_wanted(&mut self, memories: &[Memory]) {
        let Some(intent) = &self.intent else { return };
        for memory in memories {
            let Some(reasons) = self.candidates.get_mut(&memory.id) else { continue };
            let is_of_kind = intent.kinds.contains(&memory.content.kind) && reasons.boosts.is_empty();
            let boost = match intent.scope {
                IntentScope::Overview if is_of_kind => (Boost::Listed, LISTED_BESIDE),
                IntentScope::Topic if is_of_kind => (Boost::OfKind, KIND_WITH_TOPIC),
                IntentScope::Known if reasons.features.passage() >= ABOUT_TOPIC && !is_least(memory) => {
                    (Boost::Listed, LISTED_BESIDE)
                }
                _ => continue,
            };
            reasons.boosts.push(boost);
        }
    }

    /// The semantic arm. Also sets the cosines of what the other arms found.
    fn add_meaning(
        &mut self,
        searcher: &Searcher<'_>,
        index: &SemanticIndex,
        neighbours: &Neighbours,
        wide: &Filter,
    ) -> Result<(), StoreError> {
        let found = neighbours.memories.iter().filter(|(_, cosine)| *cosine >= searcher.weights.nearness);
        let ids: Vec<MemoryId> = found.map(|(id, _)| *id).collect();
        // The vector file may lag behind the store, and holds no kinds, dates or standings.
        for id in searcher.store.search().matching(&ids, wide)? {
            self.candidates.entry(id).or_default();
        }
        let pooled: Vec<MemoryId> = self.candidates.keys().copied().collect();
        for (id, cosine) in index.cosines(&neighbours.query, wide.scope, &pooled) {
            if let Some(reasons) = self.candidates.get_mut(&id) {
                reasons.meaning = Some(cosine);
                if self.strategy == SearchStrategy::Words {
                    self.strategy = SearchStrategy::WordsAndMeaning;
                }
            }
        }
        Ok(())
    }

    /// Scores in full the best candidates, more than `wanted` of them, and returns them in order.
    pub(crate) fn hits(
        &mut self,
        searcher: &Searcher<'_>,
        query: &SearchQuery<'_>,
        filter: &Filter,
        wanted: usize,
    ) -> Result<Vec<Hit>, StoreError> {
        searcher.in_time(|| self.follow_links(searcher, filter))?;
        let best = self.best(SCORED_IN_FULL.max(wanted.saturating_add(SPARE)));
        let mut memories = searcher.store.memories().get_many(&best)?;
        if searcher.weights.is_calibrated() && self.strategy != SearchStrategy::Texts {
            appraise(self, searcher, filter, &mut memories)?;
        }
        self.boost_wanted(&memories);
        // A time in which nothing lies tells nothing apart.
        let is_in_time =
            |memory: &Memory| self.when.as_ref().is_some_and(|when| when.holds(memory.created_at));
        if !memories.iter().any(is_in_time) {
            self.when = None;
        }
        let uses_impressions = searcher.weights.unused > 0.0 || searcher.weights.shown > 0.0;
        let shown =
            if uses_impressions { searcher.store.injections().impressions(&best)? } else { HashMap::new() };
        let mut hits: Vec<Hit> = Vec::new();
        for memory in memories {
            let mut reasons = self.candidates.remove(&memory.id).unwrap_or_default();
            let shown = shown.get(&memory.id).copied().unwrap_or_default();
            reasons.factors = self.factors(searcher, query, filter, &memory, shown);
            hits.push(Hit { score: reasons.score(), memory, reasons });
        }
        self.sort(&mut hits);
        if searcher.weights.is_calibrated() {
            weigh_repeated(&mut hits);
            self.sort(&mut hits);
        }
        hits.truncate(wanted.saturating_mul(2));
        Ok(hits)
    }

    /// Returns the most relevant candidates, what is listed and then the best first.
    fn best(&self, count: usize) -> Vec<MemoryId> {
        let mut ranked: Vec<(MemoryId, (bool, f64))> = self
            .candidates
            .iter()
            .map(|(id, reasons)| (*id, (reasons.is_listed(), reasons.relevance())))
            .collect();
        ranked.sort_by(|(one_id, one), (other_id, other)| {
            other.0.cmp(&one.0).then(other.1.total_cmp(&one.1)).then(other_id.cmp(one_id))
        });
        ranked.into_iter().take(count).map(|(id, _)| id).collect()
    }

    /// Sorts the best first, and among equals the newer first. A list that was asked for is in the order of time.
    pub(crate) fn sort(&self, hits: &mut [Hit]) {
        sort(hits);
        if self.intent.as_ref().is_some_and(QueryIntent::is_by_date) {
            let newest_listed =
                |hit: &Hit| hit.reasons.is_listed().then_some((hit.memory.created_at, hit.memory.id));
            hits.sort_by_key(|hit| std::cmp::Reverse(newest_listed(hit)));
        }
    }

    /// Adds what the best candidates are linked to: a failure brings its fix.
    fn follow_links(&mut self, searcher: &Searcher<'_>, filter: &Filter) -> Result<(), StoreError> {
        if searcher.weights.named <= 0.0 {
            return Ok(());
        }
        let best = self.best(FOLLOWED);
        for link in searcher.store.search().linked(&best, filter)? {
            for (near, far) in [(link.from, link.to), (link.to, link.from)] {
                if !best.contains(&near) {
                    continue;
                }
                let is_newer = match link.relation {
                    Relation::Supersedes => far == link.from,
                    Relation::Contradicts => far > near,
                    Relation::DerivedFrom | Relation::Relates => false,
                };
                let boost = if is_newer { Boost::NewerThan(near) } else { Boost::LinkedTo(near) };
                let share = boost.carries().map_or(0.0, |(_, share)| share);
                let carried = share * self.candidates.get(&near).map_or(0.0, Reasons::relevance);
                let reasons = self.candidates.entry(far).or_default();
                let missing = carried - reasons.relevance();
                if missing > 0.0 {
                    reasons.boosts.push((boost, missing));
                }
            }
        }
        Ok(())
    }

    fn factors(
        &self,
        searcher: &Searcher<'_>,
        query: &SearchQuery<'_>,
        filter: &Filter,
        memory: &Memory,
        shown: Impressions,
    ) -> Vec<(ScoreFactor, f64)> {
        let mut factors = Vec::new();
        if self.when.as_ref().is_some_and(|when| !when.holds(memory.created_at)) {
            factors.push((ScoreFactor::OutsideTime, searcher.weights.outside_time));
        }
        if matches!(memory.standing, Standing::Superseded(_)) {
            factors.push((ScoreFactor::Superseded, SUPERSEDED));
        }
        let input = SignalInput {
            at: query.at,
            from: query.from.filter(|_| filter.scope == Scope::Everywhere),
            shown,
        };
        let signals = signals::signals(memory, input, searcher.weights);
        factors.extend(signals.into_iter().map(|(signal, factor)| (ScoreFactor::Signal(signal), factor)));
        factors
    }
}

/// Sorts the best first, and among equals the newer first.
fn sort(hits: &mut [Hit]) {
    hits.sort_by(|one, other| other.score.total_cmp(&one.score).then(other.memory.id.cmp(&one.memory.id)));
}

/// Multiplies hits by the freshness of the code they are about. Runs last, because reading files takes longer than all the rest.
pub(crate) fn weigh_by_freshness(hits: &mut [Hit], pool: &Pool, searcher: &Searcher<'_>) {
    let Some(probe) = searcher.freshness.filter(|_| !hits.is_empty()) else { return };
    let states = probe(&hits.iter().map(|hit| &hit.memory).collect::<Vec<_>>());
    for hit in hits.iter_mut() {
        let state = states.get(&hit.memory.id).copied().unwrap_or(Freshness::Fresh);
        if let Some(factor) = signals::freshness(state, searcher.weights) {
            hit.reasons.factors.push((ScoreFactor::Signal(Signal::Freshness), factor));
            hit.score = hit.reasons.score();
        }
    }
    pool.sort(hits);
}

/// Drops what is less probable than the floor, unless the query calls it by its title, or far less probable than the best. What the
/// query asks to have listed stays: whether it was asked for is no question of what else was found, or of what other projects hold.
pub(crate) fn drop_weak_hits(hits: &mut Vec<Hit>, pool: &Pool, weights: &RankingWeights) {
    let calls_by_title = |title: &str| pool.out_of_vocabulary <= 0.0 && pool.sought.names_title(title);
    // Runs before the best is looked for, so that none of these sets the bar for the others.
    hits.retain(|hit| {
        let times = if is_least(&hit.memory) { LEAST_IMPORTANT } else { 1.0 };
        let is_named = || times <= 1.0 && calls_by_title(&hit.memory.content.title);
        hit.reasons.is_listed() || hit.reasons.odds() >= times * odds(weights.floor) || is_named()
    });
    let best = hits.iter().map(|hit| hit.reasons.relevance()).fold(0.0, f64::max);
    hits.retain(|hit| hit.reasons.is_listed() || hit.reasons.relevance() >= weights.floor_of_best * best);
}

/// Whether a memory is of the least importance, as a discussion without a result is.
fn is_least(memory: &Memory) -> bool {
    memory.content.importance.get() == 1
}

/// Fuses words and meaning into one number, by which the candidates are chosen that are read.
fn fused(reasons: &Reasons, strategy: SearchStrategy, weights: &RankingWeights) -> f64 {
    let words = match strategy {
        // A scan of the texts scores the share of words they hold, not BM25.
        SearchStrategy::Texts => reasons.words.min(1.0),
        _ if weights.is_calibrated() => levelled(reasons.words),
        _ => reasons.words,
    };
    match reasons.meaning {
        Some(cosine) => f64::midpoint(words, cosine.max(0.0)),
        // Counted whole, the words of memories without a vector would leave no room for those with one.
        None if strategy == SearchStrategy::WordsAndMeaning => f64::midpoint(words, expected_meaning(words)),
        None => words,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_words_without_a_vector_rank_between_the_near_and_the_far() {
        let fused_with = |meaning| {
            let reasons = Reasons { words: 8.0, meaning, ..Reasons::default() };
            fused(&reasons, SearchStrategy::WordsAndMeaning, &RankingWeights::SEARCH)
        };
        let unknown = fused_with(None);
        assert!(fused_with(Some(0.1)) < unknown && unknown < fused_with(Some(0.5)));
    }
}
