//! One calibrated relevance: what is known of a memory and a query, weighed into the probability that the one answers the other.
//!
//! Two sums of the same few features. `fit` ranks: it compares the memories of one query, by shares that mean the same in every store.
//! `evidence` says how likely the best of them is right at all: for that a share is no help, because a query of everyday words finds
//! all of them somewhere; what counts is how much was found, how near it is, and whether names are missing. The others are less likely
//! than the best by as much as they fit less.
//!
//! `cargo xtask fit` fits the weights on public sets, each set tried with the weights fitted on the others;
//! `relevance/fitted_table.rs` is what it wrote. The same number means the same in a store of twenty memories and of two hundred
//! thousand, so one threshold serves all.

mod fitted_table;

use fitted_table::FITTED;

/// How many features there are.
pub const FEATURES: usize = 14;
// The next four are set by hand, on the curves of silence that `fit` prints.
/// How fast the likelihood falls, in nats for each unit of fit that a memory has less than the best.
const FALL: f64 = 0.25;
/// What it adds to the evidence if the best stands out, for each unit of fit that the next one lacks, and of how many at most. It
/// separated questions with an answer from those without a little better on four public sets, and worse on none of six.
const STANDS_OUT: f64 = 0.2;
const MOST_CLEARANCE: f64 = 4.0;
/// More evidence makes no surer: of the best hits of public sets no more than these odds were right.
const MOST_EVIDENCE: f64 = 2.0;

/// The weights of the two sums.
#[derive(Clone, Debug, PartialEq)]
pub struct FeatureWeights {
    /// How much each feature counts for the fit, in the order of [`Features::NAMES`].
    pub fit: [f64; FEATURES],
    /// How much each counts as evidence.
    pub evidence: [f64; FEATURES],
    /// What is added to the evidence.
    pub bias: f64,
}

impl FeatureWeights {
    /// The weights that were fitted.
    pub const FITTED: FeatureWeights = FITTED;
}

/// What is known of one memory and one query, as numbers near 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Features(pub [f64; FEATURES]);

impl Features {
    /// The name of each feature, in their order.
    pub const NAMES: [&'static str; FEATURES] = [
        "bm25",
        "words",
        "passage",
        "sentence",
        "title",
        "meaning",
        "chunks",
        "words beside it",
        "meaning beside it",
        "said by the user",
        "its speaker is named",
        "it only asks",
        "rarity found",
        "missing names",
    ];

    /// Returns how well the memory fits, compared with the others that were found for the query.
    #[must_use]
    pub fn fit(&self, weights: &FeatureWeights) -> f64 {
        self.weighed(&weights.fit)
    }

    /// Returns the evidence that it answers the query if none fits better, in nats.
    #[must_use]
    pub fn evidence(&self, weights: &FeatureWeights) -> f64 {
        self.weighed(&weights.evidence) + weights.bias
    }

    /// Returns what it adds to the evidence that this one, the best, fits better than the next. The nearest to a name that nobody knows
    /// stands out, and is not meant.
    #[must_use]
    pub fn standing_out(&self, best: f64, next: Option<f64>) -> f64 {
        let [.., missing_names] = self.0;
        let clearance = next.map_or(0.0, |next| (best - next).clamp(0.0, MOST_CLEARANCE));
        STANDS_OUT * clearance * (1.0 - missing_names)
    }

    /// Returns the share of the query's rarity in the best passage.
    pub(crate) fn passage(&self) -> f64 {
        let [_, _, passage, ..] = self.0;
        passage
    }

    fn weighed(&self, weights: &[f64; FEATURES]) -> f64 {
        self.0.iter().zip(weights).map(|(value, weight)| value * weight).sum()
    }
}

/// The best that was found for a query, against which everything else is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BestFound {
    fit: f64,
    evidence: f64,
}

impl BestFound {
    /// The best of so many have a say in the evidence: the very best may fit by accident.
    const CONSULTED: usize = 3;

    /// Looks through everything that was found.
    #[must_use]
    pub fn among(found: &[Features], weights: &FeatureWeights) -> BestFound {
        let mut ranked: Vec<(f64, &Features)> = found.iter().map(|it| (it.fit(weights), it)).collect();
        ranked.sort_by(|one, other| other.0.total_cmp(&one.0));
        let Some((fit, best)) = ranked.first().copied() else { return BestFound::default() };
        let consulted = ranked.iter().take(BestFound::CONSULTED).map(|(_, it)| it.evidence(weights));
        let evidence =
            consulted.fold(f64::MIN, f64::max) + best.standing_out(fit, ranked.get(1).map(|next| next.0));
        BestFound { fit, evidence: evidence.min(MOST_EVIDENCE) }
    }

    /// Returns the probability that a memory answers the query.
    #[must_use]
    pub fn probability(&self, features: &Features, weights: &FeatureWeights) -> f64 {
        let nats = self.evidence - FALL * (self.fit - features.fit(weights));
        1.0 / (1.0 + (-nats).exp())
    }
}
