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
    /// The query asks for memories of its kind, beside a topic.
    OfKind,
    /// The query asks to have it listed: its kind, its time, or all that is known of a topic.
    Listed,
    /// It is linked to another hit.
    LinkedTo(MemoryId),
    /// It replaces or contradicts another hit, and is newer.
    NewerThan(MemoryId),
}

impl Boost {
    /// Returns the hit that a memory is linked to, and the share of its relevance that it passes on: whatever is given an older memory
    /// must be given the newer one as well.
    pub(crate) fn carries(self) -> Option<(MemoryId, f64)> {
        match self {
            Boost::LinkedTo(near) => Some((near, LINK_SHARE)),
            Boost::NewerThan(near) => Some((near, 1.0)),
            Boost::Named | Boost::OfKind | Boost::Listed => None,
        }
    }
}

/// A factor of a score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScoreFactor {
    /// It lies outside the time the query names.
    OutsideTime,
    /// It is superseded.
    Superseded,
    /// It is of the same piece of work as a better hit.
    Repeated,
    /// A signal beside relevance.
    Signal(Signal),
}

/// The share of its relevance a memory passes on to one it is linked to.
const LINK_SHARE: f64 = 0.5;
/// A relevance from which on odds mean nothing.
const SURE: f64 = 0.999;

impl Reasons {
    /// Returns the relevance with all boosts; 0 to 1 unless plain BM25 is used.
    #[must_use]
    pub fn relevance(&self) -> f64 {
        let boosted: f64 = self.boosts.iter().map(|(_, added)| added).sum();
        self.fused + boosted
    }

    /// Whether the query asks to have it listed.
    #[must_use]
    pub fn is_listed(&self) -> bool {
        self.boosts.iter().any(|(boost, _)| *boost == Boost::Listed)
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

/// Returns the probability of odds.
pub(crate) fn probability(odds: f64) -> f64 {
    odds / (1.0 + odds)
}

impl fmt::Display for Boost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Boost::Named => f.write_str("its file or symbol is named"),
            Boost::OfKind => f.write_str("the query asks for its kind"),
            Boost::Listed => f.write_str("the query asks for a list that it belongs to"),
            Boost::LinkedTo(id) => write!(f, "linked to #{id}"),
            Boost::NewerThan(id) => write!(f, "newer than #{id}, which it replaces or contradicts"),
        }
    }
}

impl fmt::Display for ScoreFactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ScoreFactor::OutsideTime => "outside the time the query names",
            ScoreFactor::Superseded => "superseded",
            ScoreFactor::Repeated => "the same piece of work as a better hit",
            ScoreFactor::Signal(signal) => signal.as_str(),
        })
    }
}
