//! Recall: a question in, ranked hits with their reasons out.
//!
//! One engine behind every door. Candidates come from three arms (words, meaning, structure), are fused into one relevance, and are
//! weighed by signals; what counts how much stands in one table (`Weights`), with a profile for whoever asked and one for when nobody
//! did. Not here: SQL (`store`), the model (`embed`), how hits are shown.

mod amended;
mod fusion;
mod meaning;
mod mentions;
mod reasons;
mod signals;
mod synonyms;
mod terms;
mod unheard;
mod vectors;
mod weights;
mod when;

pub use meaning::{KeptVectors, Meaning, direction};
pub use reasons::{Factor, Lift, Reasons, Strategy};
pub use signals::Signal;
pub use synonyms::{Added, Line as SynonymLine, MOST_BYTES as MOST_SYNONYM_BYTES, Synonyms};
pub use terms::word_query;
pub use vectors::{
    EmbedError, Embedded, Embedding, begin_anew, embed_waiting, look_for_missing_vectors, take_out_vectors,
};
pub use weights::Weights;
pub use when::{When, when};

use backstory_memory::{Freshness, Memory, MemoryId, ProjectId, Timestamp};
use backstory_store::{Filter, SpellingCorrection, Store, StoreError};
use fusion::Pool;
use std::collections::HashMap;
use std::time::Instant;

/// What is asked, by whom, and when.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The question as it was typed; nothing lists the newest.
    pub text: &'a str,
    /// When it is asked.
    pub at: Timestamp,
    /// How far the asker's clock is ahead of UTC.
    pub utc_offset_minutes: i32,
    /// The project it is asked from, where others are looked at as well.
    pub from: Option<ProjectId>,
    /// Files the asker has open, or works on.
    pub files: &'a [String],
}

impl<'a> Question<'a> {
    /// Asks something, at a time.
    #[must_use]
    pub fn new(text: &'a str, at: Timestamp) -> Question<'a> {
        Question { text, at, utc_offset_minutes: 0, from: None, files: &[] }
    }
}

/// One found memory with its score and its reasons.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// The memory.
    pub memory: Memory,
    /// How well it answers; higher is better. 0 where nothing was asked.
    pub score: f64,
    /// Why.
    pub reasons: Reasons,
}

/// What a question found.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The hits, best first.
    pub hits: Vec<Hit>,
    /// How they were found.
    pub strategy: Strategy,
    /// Words nobody ever wrote, and what they were read as.
    pub read_as: Vec<SpellingCorrection>,
    /// The time the question names.
    pub when: Option<When>,
}

/// What one memory has to do with a question.
#[derive(Clone, Debug, PartialEq)]
pub struct Explained {
    /// Its place among the hits, from 0; nothing where it is none of them.
    pub rank: Option<usize>,
    /// The memory with its reasons.
    pub hit: Hit,
    /// How the question was answered.
    pub strategy: Strategy,
}

/// A look at the code that memories speak of, best first: what has become of it. Of those left out nothing is known.
pub type Look<'a> = dyn Fn(&[&Memory]) -> HashMap<MemoryId, Freshness> + 'a;

/// The engine: a store, and what helps to search it.
#[derive(Clone, Copy)]
pub struct Recall<'a> {
    store: &'a Store,
    weights: &'a Weights,
    meaning: Option<&'a Meaning>,
    synonyms: Option<&'a Synonyms>,
    freshness: Option<&'a Look<'a>>,
    until: Option<Instant>,
}

impl<'a> Recall<'a> {
    /// Searches a store by words alone, until it is given more.
    #[must_use]
    pub fn new(store: &'a Store, weights: &'a Weights) -> Recall<'a> {
        Recall { store, weights, meaning: None, synonyms: None, freshness: None, until: None }
    }

    /// Searches by meaning too, where there are vectors.
    #[must_use]
    pub fn by_meaning(self, meaning: Option<&'a Meaning>) -> Recall<'a> {
        Recall { meaning, ..self }
    }

    /// Looks for synonyms too.
    #[must_use]
    pub fn with_synonyms(self, synonyms: &'a Synonyms) -> Recall<'a> {
        Recall { synonyms: Some(synonyms), ..self }
    }

    /// Asks whether the code memories speak of is what it was, once, of the few that may be hits.
    #[must_use]
    pub fn with_freshness(self, look: &'a Look<'a>) -> Recall<'a> {
        Recall { freshness: Some(look), ..self }
    }

    /// Looks no longer than until then: an arm that takes longer finds nothing, and what the others found is the answer.
    #[must_use]
    pub fn until(self, until: Instant) -> Recall<'a> {
        Recall { until: Some(until), ..self }
    }

    /// Asks an arm as long as there is time.
    fn in_time(&self, ask: impl FnOnce() -> Result<(), StoreError>) -> Result<(), StoreError> {
        let Some(until) = self.until else { return ask() };
        match self.store.read_until(until, ask) {
            Err(StoreError::OutOfTime) => Ok(()),
            asked => asked,
        }
    }

    /// Finds what bears on a question; without one, lists what fits the filter, newest first.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn ask(&self, question: &Question<'_>, filter: &Filter) -> Result<Answer, StoreError> {
        self.store.snapshot(|| {
            if question.text.trim().is_empty() && question.files.is_empty() {
                return self.newest(filter);
            }
            let mut pool = Pool::gather(self, question, filter, None)?;
            let wanted = filter.offset.saturating_add(filter.limit) as usize;
            let mut hits = pool.hits(self, question, filter, wanted)?;
            fusion::leave_out_the_weak(&mut hits, pool.unheard, self.weights);
            fusion::weigh_by_code(&mut hits, self);
            amended::put_newer_first(&mut hits, self.meaning, filter.scope);
            let hits = hits.into_iter().skip(filter.offset as usize).take(filter.limit as usize).collect();
            Ok(Answer { hits, strategy: pool.strategy, read_as: pool.read_as, when: pool.when })
        })
    }

    /// Explains what a memory has to do with a question, whether or not it would be found: its place among the hits, and its sum.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn explain(
        &self,
        question: &Question<'_>,
        filter: &Filter,
        id: MemoryId,
    ) -> Result<Option<Explained>, StoreError> {
        let answer = self.ask(question, filter)?;
        let rank = answer.hits.iter().position(|hit| hit.memory.id == id);
        if let Some(hit) = rank.and_then(|rank| answer.hits.get(rank)) {
            return Ok(Some(Explained { rank, hit: hit.clone(), strategy: answer.strategy }));
        }
        let mut pool = Pool::gather(self, question, filter, Some(id))?;
        let mut hits = pool.hits(self, question, filter, usize::MAX)?;
        fusion::weigh_by_code(&mut hits, self);
        let hit = hits.into_iter().find(|hit| hit.memory.id == id);
        Ok(hit.map(|hit| Explained { rank: None, hit, strategy: pool.strategy }))
    }

    fn newest(&self, filter: &Filter) -> Result<Answer, StoreError> {
        let listed = self.store.memories(&self.store.list(filter)?)?;
        let hit = |memory| Hit { memory, score: 0.0, reasons: Reasons::default() };
        let hits = listed.into_iter().map(hit).collect();
        Ok(Answer { hits, strategy: Strategy::Newest, read_as: Vec::new(), when: None })
    }
}
