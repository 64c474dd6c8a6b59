//! How a score came about: every term and factor of it, so that each hit can be explained (law 9).

use crate::{Features, Signal};
use backstory_memory::MemoryId;
use std::fmt;

/// How the hits of a search were found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchStrategy {
    /// The query is empty: what fits the filter, newest first.
    Newest,
    /// By words and by meaning.
    WordsAndMeaning,
    /// By words alone: there are no vectors, or the model cannot read the query.
    Words,
    /// By scanning the texts: the word index could not be used.
    Texts,
}

impl SearchStrategy {
    /// Returns the strategy's name, as it is shown.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            SearchStrategy::Newest => "newest",
            SearchStrategy::WordsAndMeaning => "words and meaning",
            SearchStrategy::Words => "words",
            SearchStrategy::Texts => "texts",
        }
    }
}

/// The terms of a memory's relevance and the factors of its score.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reasons {
    /// How well its words fit, as BM25; 0 where none does.
    pub words: f64,
    /// The cosine to the query; `None` if the memory has no vector or meaning was not searched.
    pub meaning: Option<f64>,
    /// How probable it is that the memory answers the query, 0 to 1; plain BM25 where the profile says so.
    pub fused: f64,
    /// What relevance was weighed from; zeros where plain BM25 ranks.
    pub features: Features,
    /// The boosts, each with what it added.
    pub boosts: Vec<(Boost, f64)>,
    /// What its relevance was multiplied by.
    pub factors: Vec<(ScoreFactor, f64)>,
    /// A newer memory on the same subject.
    pub older_than: Option<MemoryId>,
}

/// Adds to a relevance beside words and meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Boost {
    /// The query names a file or symbol of the memory.
    Named,
    /// The query asks for memories of its kind.
    OfKind,
    /// It is linked to another hit.
    LinkedTo(MemoryId),
}

/// A factor of a score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScoreFactor {
    /// It lies outside the time the query names.
    OutsideTime,
    /// It is superseded.
    Superseded,
    /// A signal beside relevance.
    Signal(Signal),
}

/// A relevance from which on odds mean nothing.
const SURE: f64 = 0.999;

impl Reasons {
    /// Returns the relevance with all boosts; 0 to 1 unless plain BM25 is used.
    #[must_use]
    pub fn relevance(&self) -> f64 {
        let boosted: f64 = self.boosts.iter().map(|(_, added)| added).sum();
        self.fused + boosted
    }

    /// Returns how much likelier it is right than wrong.
    pub(crate) fn odds(&self) -> f64 {
        odds(self.relevance())
    }

    /// Returns the score: relevance times every factor.
    #[must_use]
    pub fn score(&self) -> f64 {
        self.factors.iter().fold(self.relevance(), |score, (_, factor)| score * factor)
    }

    /// Returns every term and factor in words, as the record of an injection keeps them.
    #[must_use]
    pub fn describe(&self) -> Vec<String> {
        let arms = [("words", Some(self.words).filter(|words| *words > 0.0)), ("meaning", self.meaning)];
        let arms = arms.into_iter().filter_map(|(name, value)| Some(format!("{name} {:.2}", value?)));
        let boosts = self.boosts.iter().map(|(boost, added)| format!("+{added:.2} {boost}"));
        let factors = self.factors.iter().map(|(factor, by)| format!("×{by:.2} {factor}"));
        arms.chain(boosts).chain(factors).collect()
    }
}

/// Returns the odds of a probability.
pub(crate) fn odds(probability: f64) -> f64 {
    probability / (1.0 - probability.min(SURE))
}

impl fmt::Display for Boost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Boost::Named => f.write_str("its file or symbol is named"),
            Boost::OfKind => f.write_str("the query asks for its kind"),
            Boost::LinkedTo(id) => write!(f, "linked to #{id}"),
        }
    }
}

impl fmt::Display for ScoreFactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ScoreFactor::OutsideTime => "outside the time the query names",
            ScoreFactor::Superseded => "superseded",
            ScoreFactor::Signal(signal) => signal.as_str(),
        })
    }
}
