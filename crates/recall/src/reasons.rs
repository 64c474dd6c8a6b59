//! Why a memory was found: the whole sum, so that every hit can answer for itself (law 9).

use crate::Signal;
use backstory_memory::MemoryId;

/// How a question was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// Nothing was asked: what fits the filter, newest first.
    Newest,
    /// By words and by meaning.
    WordsAndMeaning,
    /// By words alone: there are no vectors, or the question says nothing the model reads.
    Words,
    /// By looking through the texts: the word index could not be used.
    Texts,
}

impl Strategy {
    /// Returns the strategy's name, as it is shown.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Strategy::Newest => "newest",
            Strategy::WordsAndMeaning => "words and meaning",
            Strategy::Words => "words",
            Strategy::Texts => "texts",
        }
    }
}

/// What made a memory relevant, and what its score is the product of.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reasons {
    /// How well its words fit, as BM25; 0 where none does.
    pub words: f64,
    /// The cosine to the question; nothing where the memory has no vector or meaning was not asked.
    pub meaning: Option<f64>,
    /// Words and meaning in one number, 0 to 1.
    pub fused: f64,
    /// What lifted it above that, by name, each with what it added.
    pub lifts: Vec<(Lift, f64)>,
    /// What its relevance was multiplied by.
    pub factors: Vec<(Factor, f64)>,
    /// A newer memory that speaks of the same.
    pub older_than: Option<MemoryId>,
}

/// What lifts a memory beside its own words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lift {
    /// The question names a file or symbol it speaks of.
    Named,
    /// Its neighbours in the session fit.
    Neighbours,
    /// It has to do with another hit.
    LinkedTo(MemoryId),
}

/// What relevance is multiplied by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Factor {
    /// It lies outside the time the question names.
    OutsideTime,
    /// It was replaced.
    Superseded,
    /// What speaks for it beside its relevance.
    Signal(Signal),
}

impl Reasons {
    /// Returns how much the memory has to do with the question, 0 to 1 unless BM25 is taken as it is.
    #[must_use]
    pub fn relevance(&self) -> f64 {
        let lifted: f64 = self.lifts.iter().map(|(_, added)| added).sum();
        self.fused + lifted
    }

    /// Returns how far the memory answers by itself, without what stands beside it.
    #[must_use]
    pub fn by_itself(&self) -> f64 {
        let own = self.lifts.iter().filter(|(lift, _)| *lift != Lift::Neighbours);
        self.fused + own.map(|(_, added)| added).sum::<f64>()
    }

    /// Returns the score: relevance times every factor.
    #[must_use]
    pub fn score(&self) -> f64 {
        self.factors.iter().fold(self.relevance(), |score, (_, factor)| score * factor)
    }
}
