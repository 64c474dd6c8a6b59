//! The table of priors and thresholds beside relevance, one row a profile.
//!
//! People set two knobs, which multiply the row: how strongly age counts, and how sure an injection must be. What relevance itself is
//! weighed from, `cargo xtask fit` writes (`relevance/fitted_table.rs`). `SIX_SIGNALS` reproduces the ranking of lore, number for number.

use crate::reasons::{odds, probability};

/// What relevance is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelevanceFormula {
    /// The fitted probability that a memory answers the query.
    Calibrated,
    /// BM25 of the word index, unchanged; meaning does not count.
    PlainBm25,
}

/// The priors and thresholds of one profile.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankingWeights {
    /// What relevance is.
    pub relevance: RelevanceFormula,
    /// Minimum cosine of a memory that contains none of the words.
    pub nearness: f64,
    /// The weight of a synonym; a word of the query itself has 1.
    pub synonyms: f64,
    /// Score bonus if the query names a file or symbol of the memory.
    pub named: f64,
    /// Factor for a memory outside the time the query names.
    pub outside_time: f64,
    /// Strength of all signals below together: 1 as they are, 0 off.
    pub signals: f64,
    /// Strength of recency.
    pub recency: f64,
    /// Half-life of recency in days.
    pub recency_days: f64,
    /// How many times slower durable kinds age: rules, decisions, facts, goals.
    pub durable: f64,
    /// Bonus for each tenfold of uses.
    pub used: f64,
    /// How much an impression counts as a use: 0 not at all, 1 like a use, as in lore.
    pub shown: f64,
    /// Bonus of the highest importance.
    pub importance: f64,
    /// Bonus for a use just now; fades with `recency_days`.
    pub recent_use: f64,
    /// Factor for a memory of the project the query comes from.
    pub same_project: f64,
    /// Strength of the kind.
    pub kind: f64,
    /// Strength of the provenance.
    pub provenance: f64,
    /// Strength of the confidence.
    pub confidence: f64,
    /// Strength of the penalty for code that changed or is gone.
    pub freshness: f64,
    /// Strength of the penalty for impressions without a use.
    pub unused: f64,
    /// Hits of a lower relevance, which is a probability, are dropped.
    pub floor: f64,
    /// Hits below this share of the best relevance are dropped.
    pub floor_of_best: f64,
}

impl RankingWeights {
    /// For an explicit search: relevance decides, the signals only break ties.
    pub const SEARCH: RankingWeights = RankingWeights {
        relevance: RelevanceFormula::Calibrated,
        nearness: 0.15,
        synonyms: 0.4,
        named: 0.2,
        outside_time: 0.25,
        signals: 0.02,
        recency: 1.0,
        recency_days: 30.0,
        durable: 6.0,
        used: 0.15,
        shown: 0.0,
        importance: 0.2,
        recent_use: 0.1,
        same_project: 1.5,
        kind: 0.0,
        provenance: 0.0,
        confidence: 0.0,
        freshness: 1.0,
        unused: 0.0,
        floor: 0.0,
        floor_of_best: 0.0,
    };

    /// For an injection nobody asked for: precision decides; among equals the recent, durable and sure come first.
    pub const INJECT: RankingWeights = RankingWeights {
        signals: 1.0,
        // At full strength, recency or kind alone would rank a half-right memory of last month above the right one of last year.
        recency: 0.15,
        kind: 0.25,
        provenance: 1.0,
        confidence: 1.0,
        unused: 1.0,
        named: 0.1,
        floor: 0.15,
        floor_of_best: 0.5,
        ..RankingWeights::SEARCH
    };

    /// The six signals of lore and nothing else: plain BM25, recency, use, importance, recent use, same project.
    pub const SIX_SIGNALS: RankingWeights = RankingWeights {
        relevance: RelevanceFormula::PlainBm25,
        synonyms: 0.0,
        named: 0.0,
        outside_time: 1.0,
        signals: 1.0,
        durable: 1.0,
        freshness: 0.0,
        ..RankingWeights::SEARCH
    };

    /// Turns the two knobs: 1 leaves a profile as it is. At a strictness of 0 nothing is left out; at 2 the odds that an injected memory
    /// is right must be twice as high.
    #[must_use]
    pub fn turned(self, recency: f64, strictness: f64) -> RankingWeights {
        RankingWeights {
            recency: self.recency * recency,
            floor: probability(odds(self.floor) * strictness),
            floor_of_best: self.floor_of_best * strictness.min(1.0),
            ..self
        }
    }

    pub(crate) fn is_calibrated(&self) -> bool {
        self.relevance == RelevanceFormula::Calibrated
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_leaves_a_profile_as_it_is_and_nought_turns_it_off() {
        for profile in [RankingWeights::SEARCH, RankingWeights::INJECT, RankingWeights::SIX_SIGNALS] {
            let same = profile.turned(1.0, 1.0);
            assert!((same.floor - profile.floor).abs() < 1e-12);
            assert_eq!(RankingWeights { floor: profile.floor, ..same }, profile);
            let off = profile.turned(0.0, 0.0);
            assert_eq!((off.recency, off.floor, off.floor_of_best), (0.0, 0.0, 0.0));
        }
        let strict = RankingWeights::INJECT.turned(1.0, 2.0);
        assert!(strict.floor > 0.25 && strict.floor < 0.27 && strict.floor_of_best <= 0.5);
    }
}
