//! From candidates to hits: the arms are asked, their findings fused into one relevance, lifted by structure and weighed by signals.
//!
//! **Fusion.** Words count by a BM25 that levels off, meaning by the cosine itself: both mean the same for every question, so that a
//! floor can stand on their sum. Measured against scaling each question to its best hit, it finds as much, and it does not blow up
//! differences where nothing fits.

use crate::meaning::{Meaning, Near};
use crate::mentions::mentions;
use crate::reasons::{Factor, Lift, Reasons, Strategy};
use crate::signals::{self, Known};
use crate::{Hit, Question, Recall, Signal, Weights, When, terms, unheard, when};
use backstory_memory::{Freshness, Memory, MemoryId, Standing};
use backstory_store::{Filter, Impressions, Scope, SpellingCorrection, StoreError, WordStrategy};
use std::collections::HashMap;
use std::panic::resume_unwind;
use std::thread;

/// How many candidates each arm gives.
const POOL: u32 = 100;
/// How many of the best are looked at closely, at least.
const CLOSELY: usize = 50;
/// A memory of at most this many tokens is short: what stands beside it tells what it is about.
const SHORT_TOKENS: u32 = 60;
/// The links of this many of the best are followed.
const FOLLOWED: usize = 5;
/// What a link carries over of the relevance at its other end.
const OVER_A_LINK: f64 = 0.5;
/// How many times the floor a memory of the least importance must reach, such as a talk that led to nothing: it speaks of much, and
/// so has something in common with most questions.
const LEAST_IMPORTANT: f64 = 4.0 / 3.0;
/// What is left of a memory that was replaced: its replacement comes first.
const SUPERSEDED: f64 = 0.7;

/// Everything that may be a hit, with its reasons so far.
pub(crate) struct Pool {
    candidates: HashMap<MemoryId, Reasons>,
    pub(crate) strategy: Strategy,
    pub(crate) read_as: Vec<SpellingCorrection>,
    pub(crate) when: Option<When>,
    /// The share of what the question names that no memory ever did.
    pub(crate) unheard: f64,
}

impl Pool {
    /// Asks every arm. `also` is looked at whether or not an arm finds it.
    pub(crate) fn gather(
        recall: &Recall<'_>,
        question: &Question<'_>,
        filter: &Filter,
        also: Option<MemoryId>,
    ) -> Result<Pool, StoreError> {
        let limit = POOL.max(filter.limit.saturating_add(filter.offset));
        let wide = Filter { limit, offset: 0, ..filter.clone() };
        let mut pool = Pool {
            candidates: also.into_iter().map(|id| (id, Reasons::default())).collect(),
            strategy: Strategy::Words,
            read_as: Vec::new(),
            when: when(question.text, question.at, question.utc_offset_minutes),
            unheard: 0.0,
        };
        let meaning = recall.meaning.filter(|_| recall.weights.meaning > 0.0);
        let look = || meaning?.look(question.text, wide.scope, wide.limit as usize);
        let near = thread::scope(|scope| {
            // Reading a question takes as long as looking up its words: both at once, where a thread can be had.
            let looking = meaning.and_then(|_| thread::Builder::new().spawn_scoped(scope, look).ok());
            // Whoever asks about one memory wants to know about its words, however many hold them better.
            let of_words = if also.is_some() { u32::MAX } else { wide.limit };
            let of_words = Filter { limit: of_words, ..wide.clone() };
            recall.in_time(|| pool.add_words(recall, question.text, &of_words))?;
            recall.in_time(|| pool.add_named(recall, question, &wide))?;
            Ok(looking
                .map_or_else(look, |looking| looking.join().unwrap_or_else(|panic| resume_unwind(panic))))
        })?;
        if let (Some(meaning), Some(near)) = (meaning, near) {
            pool.add_meaning(recall, meaning, &near, &wide)?;
        }
        for reasons in pool.candidates.values_mut() {
            reasons.fused = fused(reasons, pool.strategy, recall.weights);
        }
        Ok(pool)
    }

    /// The lexical arm: what holds the words, and, counting less, their synonyms.
    fn add_words(&mut self, recall: &Recall<'_>, text: &str, wide: &Filter) -> Result<(), StoreError> {
        let found = recall.store.search_corrected(&terms::word_query(text), wide)?;
        if found.strategy == WordStrategy::Rows {
            self.strategy = Strategy::Texts;
        }
        self.read_as = found.corrections;
        if recall.weights.unheard > 0.0 {
            self.unheard = unheard::share_unheard(terms::beginning(text), &found.unknown_words);
        }
        for hit in found.hits {
            self.candidates.entry(hit.memory).or_default().words += hit.bm25;
        }
        let Some(synonyms) = recall.synonyms.filter(|_| recall.weights.synonyms > 0.0) else { return Ok(()) };
        let query = terms::synonym_query(text, synonyms);
        // Nobody typed these, so nobody mistyped them: what no memory holds is not read as anything else.
        for hit in recall.store.search_exact(&query, wide)? {
            self.candidates.entry(hit.memory).or_default().words += recall.weights.synonyms * hit.bm25;
        }
        Ok(())
    }

    /// The structural arm: what speaks of the files and symbols the question names, or that are open.
    fn add_named(
        &mut self,
        recall: &Recall<'_>,
        question: &Question<'_>,
        wide: &Filter,
    ) -> Result<(), StoreError> {
        if recall.weights.named <= 0.0 {
            return Ok(());
        }
        let named = mentions(question.text);
        let mut found = Vec::new();
        for files in [&named.files[..], question.files] {
            if !files.is_empty() {
                found.extend(recall.store.about_files(files, wide)?);
            }
        }
        if !named.symbols.is_empty() {
            found.extend(recall.store.about_symbols(&named.symbols, wide)?);
        }
        for id in found {
            let lifts = &mut self.candidates.entry(id).or_default().lifts;
            if lifts.is_empty() {
                lifts.push((Lift::Named, recall.weights.named));
            }
        }
        Ok(())
    }

    /// The semantic arm, and how near in meaning what the others found is.
    fn add_meaning(
        &mut self,
        recall: &Recall<'_>,
        meaning: &Meaning,
        near: &Near,
        wide: &Filter,
    ) -> Result<(), StoreError> {
        let found = near.memories.iter().filter(|(_, cosine)| *cosine >= recall.weights.nearness);
        let ids: Vec<MemoryId> = found.map(|(id, _)| *id).collect();
        // The file may be behind the store, and knows nothing of kinds, dates and lives.
        for id in recall.store.matching_filter(&ids, wide)? {
            self.candidates.entry(id).or_default();
        }
        let pooled: Vec<MemoryId> = self.candidates.keys().copied().collect();
        for (id, cosine) in meaning.cosines(&near.direction, wide.scope, &pooled) {
            if let Some(reasons) = self.candidates.get_mut(&id) {
                reasons.meaning = Some(cosine);
                if self.strategy == Strategy::Words {
                    self.strategy = Strategy::WordsAndMeaning;
                }
            }
        }
        Ok(())
    }

    /// Looks closely at the best `wanted` and some more, and returns them in order.
    pub(crate) fn hits(
        &mut self,
        recall: &Recall<'_>,
        question: &Question<'_>,
        filter: &Filter,
        wanted: usize,
    ) -> Result<Vec<Hit>, StoreError> {
        recall.in_time(|| self.follow_links(recall, filter))?;
        let best = self.best(CLOSELY.max(wanted.saturating_mul(3)));
        let memories = recall.store.memories(&best)?;
        recall.in_time(|| self.lift_by_neighbours(recall, &memories, filter))?;
        let asks_shown = recall.weights.unused > 0.0 || recall.weights.shown > 0.0;
        let shown = if asks_shown { recall.store.impressions(&best)? } else { HashMap::new() };
        let mut hits: Vec<Hit> = Vec::new();
        for memory in memories {
            let mut reasons = self.candidates.remove(&memory.id).unwrap_or_default();
            let shown = shown.get(&memory.id).copied().unwrap_or_default();
            reasons.factors = self.factors(recall, question, filter, &memory, shown);
            hits.push(Hit { score: reasons.score(), memory, reasons });
        }
        sort(&mut hits);
        hits.truncate(wanted.saturating_mul(2));
        Ok(hits)
    }

    /// Returns the most relevant, best first.
    fn best(&self, count: usize) -> Vec<MemoryId> {
        let mut ranked: Vec<(MemoryId, f64)> =
            self.candidates.iter().map(|(id, reasons)| (*id, reasons.relevance())).collect();
        ranked.sort_by(|one, other| other.1.total_cmp(&one.1).then(other.0.cmp(&one.0)));
        ranked.into_iter().take(count).map(|(id, _)| id).collect()
    }

    /// Brings in what the best are linked to: a failure brings what fixed it.
    fn follow_links(&mut self, recall: &Recall<'_>, filter: &Filter) -> Result<(), StoreError> {
        if recall.weights.named <= 0.0 {
            return Ok(());
        }
        let best = self.best(FOLLOWED);
        for link in recall.store.linked(&best, filter)? {
            for (near, far) in [(link.from, link.to), (link.to, link.from)] {
                if !best.contains(&near) {
                    continue;
                }
                let carried = OVER_A_LINK * self.candidates.get(&near).map_or(0.0, Reasons::relevance);
                let reasons = self.candidates.entry(far).or_default();
                let missing = carried - reasons.relevance();
                if missing > 0.0 {
                    reasons.lifts.push((Lift::LinkedTo(near), missing));
                }
            }
        }
        Ok(())
    }

    /// Lifts short memories by what stands beside them in their session.
    fn lift_by_neighbours(
        &mut self,
        recall: &Recall<'_>,
        memories: &[Memory],
        filter: &Filter,
    ) -> Result<(), StoreError> {
        let short = memories
            .iter()
            .filter(|memory| memory.session.is_some() && memory.content.tokens().0 <= SHORT_TOKENS);
        let short: Vec<MemoryId> = short.map(|memory| memory.id).collect();
        if short.is_empty() || recall.weights.neighbours <= 0.0 {
            return Ok(());
        }
        let fused =
            |id: Option<MemoryId>| id.and_then(|id| Some(self.candidates.get(&id)?.fused)).unwrap_or(0.0);
        let mut lifts = Vec::new();
        for around in recall.store.session_neighbours(&short, filter)? {
            let beside = (fused(around.before) + fused(around.after)) / 2.0;
            let added = recall.weights.neighbours * beside * (1.0 - fused(Some(around.memory)));
            lifts.push((around.memory, added));
        }
        for (id, added) in lifts.into_iter().filter(|(_, added)| *added > 0.0) {
            if let Some(reasons) = self.candidates.get_mut(&id) {
                reasons.lifts.push((Lift::Neighbours, added));
            }
        }
        Ok(())
    }

    fn factors(
        &self,
        recall: &Recall<'_>,
        question: &Question<'_>,
        filter: &Filter,
        memory: &Memory,
        shown: Impressions,
    ) -> Vec<(Factor, f64)> {
        let mut factors = Vec::new();
        if self.when.as_ref().is_some_and(|when| !when.holds(memory.created_at)) {
            factors.push((Factor::OutsideTime, recall.weights.outside_time));
        }
        if matches!(memory.standing, Standing::Superseded(_)) {
            factors.push((Factor::Superseded, SUPERSEDED));
        }
        let known = Known {
            at: question.at,
            from: question.from.filter(|_| filter.scope == Scope::Everywhere),
            shown,
        };
        let signals = signals::signals(memory, known, recall.weights);
        factors.extend(signals.into_iter().map(|(signal, factor)| (Factor::Signal(signal), factor)));
        factors
    }
}

/// Puts the best first, of equals the newer one.
fn sort(hits: &mut [Hit]) {
    hits.sort_by(|one, other| other.score.total_cmp(&one.score).then(other.memory.id.cmp(&one.memory.id)));
}

/// Weighs hits by what has become of the code they speak of. Looking at the disk takes longer than all the rest: only what is still a
/// hit when everything else is known is worth it.
pub(crate) fn weigh_by_code(hits: &mut [Hit], recall: &Recall<'_>) {
    let Some(look) = recall.freshness.filter(|_| !hits.is_empty()) else { return };
    let states = look(&hits.iter().map(|hit| &hit.memory).collect::<Vec<_>>());
    for hit in hits.iter_mut() {
        let state = states.get(&hit.memory.id).copied().unwrap_or(Freshness::Fresh);
        if let Some(factor) = signals::freshness(state, recall.weights) {
            hit.reasons.factors.push((Factor::Signal(Signal::Freshness), factor));
            hit.score = hit.reasons.score();
        }
    }
    sort(hits);
}

/// Leaves out everything where even the best is too far from an answer, else what is too far from the best.
///
/// Whether there is an answer is for the best to say; what comes with it need only be nearly as good. What stands beside it makes a
/// memory easier to find, not more of an answer, so that does not count here. And what matters least is no answer by half.
pub(crate) fn leave_out_the_weak(hits: &mut Vec<Hit>, unheard: f64, weights: &Weights) {
    let least = |hit: &Hit| match hit.memory.content.importance.get() {
        1 => weights.floor * LEAST_IMPORTANT,
        _ => 0.0,
    };
    // First of all: what is no answer must not speak for others.
    hits.retain(|hit| hit.reasons.by_itself() >= least(hit));
    let best = hits.iter().map(|hit| hit.reasons.by_itself()).fold(0.0, f64::max);
    if best * (1.0 - weights.unheard * unheard) < weights.floor {
        hits.clear();
    }
    hits.retain(|hit| hit.reasons.by_itself() >= weights.floor_of_best * best);
}

/// Returns words and meaning in one number.
fn fused(reasons: &Reasons, strategy: Strategy, weights: &Weights) -> f64 {
    let words = match strategy {
        // Where the texts themselves were looked through, it is the share of words they hold that was scored, not BM25.
        Strategy::Texts => reasons.words.min(1.0),
        _ if weights.saturation > 0.0 => reasons.words / (reasons.words + weights.saturation),
        _ => reasons.words,
    };
    // What has no vector yet is judged by its words alone.
    match reasons.meaning {
        Some(cosine) => (1.0 - weights.meaning) * words + weights.meaning * cosine.max(0.0),
        None => words,
    }
}
