//! The model of relevance: weights for the fit by a conditional logit, then weights of the evidence by a logistic regression.
//!
//! Both are drawn to what theory says, strongly: a few sets of a few hundred queries say less of a stranger's memories than theory does.

#![expect(clippy::indexing_slicing, reason = "linear algebra over arrays whose lengths are in their types")]

use super::ranked_query::{FittedSet, RankedQuery};
use backstory_recall::{BestFound, FEATURES, FeatureWeights, Features};
use std::fmt::Write as _;

/// What the weights of the fit are drawn to, and how strongly.
const FIT_PRIOR: [f64; FEATURES] = [3.0, 4.0, 6.0, 2.0, 1.0, 8.0, -1.5, 5.0, 2.0, 1.0, 1.0, -0.5, 0.0, 0.0];
const FIT_PENALTY: f64 = 0.06;
/// The same for the evidence. What a share says of a query is not evidence: everyday words are found somewhere.
const EVIDENCE_PRIOR: [f64; FEATURES] =
    [6.0, 0.0, 0.0, 0.0, 0.0, 6.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -4.0];
const EVIDENCE_PENALTY: f64 = 0.1;
const ROUNDS: usize = 150;
const STEP: f64 = 0.15;
/// From this round on steps are smaller.
const SETTLING: usize = 100;

/// Weights for the features, and what is added to their sum.
pub(crate) type RelevanceModel = FeatureWeights;

/// Fits on some sets. Every set counts alike for the fit, however many queries it has.
pub(crate) fn fitted_on<'s>(sets: impl Iterator<Item = &'s FittedSet>) -> RelevanceModel {
    let sets: Vec<&FittedSet> = sets.collect();
    let fit = descend(FIT_PRIOR, |weights| fit_gradient(&sets, weights));
    let mut model = RelevanceModel { fit, evidence: EVIDENCE_PRIOR, bias: 0.0 };
    let rows = first_hits(&sets, &model);
    // The bias is the one weight that nothing is known of: it comes last in the row.
    let start = std::array::from_fn(|at| if at == FEATURES { -6.0 } else { EVIDENCE_PRIOR[at] });
    let all: [f64; FEATURES + 1] = descend(start, |weights| evidence_gradient(&rows, weights));
    model.evidence = std::array::from_fn(|at| all[at]);
    model.bias = all[FEATURES];
    model
}

/// Returns the candidates of a query, best first: whether each is right, and how probable.
pub(crate) fn ranked(model: &RelevanceModel, query: &RankedQuery) -> Vec<(bool, f64)> {
    let found: Vec<Features> = query.candidates.iter().map(|it| Features(it.features)).collect();
    let best = BestFound::among(&found, model);
    let mut ranked: Vec<(bool, f64, f64)> = query
        .candidates
        .iter()
        .zip(&found)
        .map(|(it, features)| (it.is_gold, features.fit(model), best.probability(features, model)))
        .collect();
    ranked.sort_by(|one, other| other.1.total_cmp(&one.1));
    ranked.into_iter().map(|(is_gold, _, probability)| (is_gold, probability)).collect()
}

/// Returns the source of the table.
pub(crate) fn source(model: &RelevanceModel, provenance: &[String]) -> String {
    let mut source =
        String::from("//! The weights of relevance, written by `cargo xtask fit --write`.\n//!\n");
    source.push_str("//! How they were fitted, and on what:\n//!\n");
    for line in provenance {
        writeln!(source, "//! - {line}").unwrap_or_default();
    }
    source.push('\n');
    source.push_str(
        "use super::FeatureWeights;\n\n/// The fitted weights, in the order of `Features::NAMES`.\n",
    );
    source.push_str("#[rustfmt::skip]\npub(super) const FITTED: FeatureWeights = FeatureWeights {\n");
    for (list, weights) in [("fit", model.fit), ("evidence", model.evidence)] {
        writeln!(source, "    {list}: [").unwrap_or_default();
        for (name, weight) in Features::NAMES.iter().zip(weights) {
            writeln!(source, "        {weight:.3}, // {name}").unwrap_or_default();
        }
        source.push_str("    ],\n");
    }
    writeln!(source, "    bias: {:.3},\n}};", model.bias).unwrap_or_default();
    source
}

/// Follows a gradient from a start, and never lets a weight cross zero: which way a feature counts, theory says.
fn descend<const N: usize>(start: [f64; N], gradient_at: impl Fn(&[f64; N]) -> [f64; N]) -> [f64; N] {
    let mut weights = start;
    let (mut mean, mut square) = ([0.0; N], [0.0; N]);
    for round in 1..=ROUNDS {
        let gradient = gradient_at(&weights);
        let step = if round < SETTLING { STEP } else { STEP / 5.0 };
        for at in 0..N {
            mean[at] = 0.9 * mean[at] + 0.1 * gradient[at];
            square[at] = 0.99 * square[at] + 0.01 * gradient[at] * gradient[at];
            let corrected = mean[at] / (1.0 - 0.9_f64.powi(round as i32));
            let spread: f64 = square[at] / (1.0 - 0.99_f64.powi(round as i32));
            weights[at] -= step * corrected / (spread.sqrt() + 1e-6);
            if weights[at] * start[at] <= 0.0 {
                weights[at] = 0.0;
            }
        }
    }
    weights
}

/// What the right candidates lack against the expectation, over all sets, and the pull of the prior.
fn fit_gradient(sets: &[&FittedSet], weights: &[f64; FEATURES]) -> [f64; FEATURES] {
    let mut gradient = std::array::from_fn(|at| 2.0 * FIT_PENALTY * (weights[at] - FIT_PRIOR[at]));
    for set in sets {
        let answered: Vec<&RankedQuery> =
            set.queries.iter().filter(|query| query.candidates.iter().any(|it| it.is_gold)).collect();
        let share = 1.0 / (answered.len().max(1) * sets.len()) as f64;
        for query in answered {
            add_gradient(query, weights, share, &mut gradient);
        }
    }
    gradient
}

/// Adds the gradient of one query.
fn add_gradient(query: &RankedQuery, weights: &[f64; FEATURES], share: f64, gradient: &mut [f64; FEATURES]) {
    let sum = |features: &[f64; FEATURES]| -> f64 {
        features.iter().zip(weights).map(|(value, weight)| value * weight).sum()
    };
    let sums: Vec<f64> = query.candidates.iter().map(|it| sum(&it.features)).collect();
    let most = sums.iter().copied().fold(f64::MIN, f64::max);
    let (mut all, mut right) = (0.0, 0.0);
    for (candidate, sum) in query.candidates.iter().zip(&sums) {
        all += (sum - most).exp();
        right += if candidate.is_gold { (sum - most).exp() } else { 0.0 };
    }
    for (candidate, sum) in query.candidates.iter().zip(&sums) {
        let likely = (sum - most).exp();
        let pull = likely / all - if candidate.is_gold { likely / right } else { 0.0 };
        for (place, value) in gradient.iter_mut().zip(candidate.features) {
            *place += share * pull * value;
        }
    }
}

/// The first hit of a query: its features and a one for the bias, whether it is right, how much it counts.
struct FirstHit {
    inputs: [f64; FEATURES + 1],
    /// What is added to the weighted sum.
    offset: f64,
    is_gold: bool,
    weight: f64,
}

/// Returns the first hit of every query. A large set counts more, but not as much more as it is larger.
fn first_hits(sets: &[&FittedSet], model: &RelevanceModel) -> Vec<FirstHit> {
    let mut rows = Vec::new();
    for set in sets {
        let weight = 1.0 / (set.queries.len().max(1) as f64).sqrt();
        for query in &set.queries {
            let mut fits: Vec<(f64, usize)> = query
                .candidates
                .iter()
                .enumerate()
                .map(|(at, it)| (Features(it.features).fit(model), at))
                .collect();
            fits.sort_by(|one, other| other.0.total_cmp(&one.0));
            let Some((best, at)) = fits.first().copied() else { continue };
            let first = &query.candidates[at];
            let inputs = std::array::from_fn(|at| first.features.get(at).copied().unwrap_or(1.0));
            let offset = Features(first.features).standing_out(best, fits.get(1).map(|next| next.0));
            rows.push(FirstHit { inputs, offset, is_gold: first.is_gold, weight });
        }
    }
    rows
}

fn evidence_gradient(rows: &[FirstHit], weights: &[f64; FEATURES + 1]) -> [f64; FEATURES + 1] {
    let mut gradient = std::array::from_fn(|at| {
        EVIDENCE_PRIOR.get(at).map_or(0.0, |prior| EVIDENCE_PENALTY * (weights[at] - prior))
    });
    let whole: f64 = rows.iter().map(|row| row.weight).sum();
    for row in rows {
        let sum: f64 = row.inputs.iter().zip(weights).map(|(value, weight)| value * weight).sum();
        let likely = 1.0 / (1.0 + (-sum - row.offset).exp());
        let pull = row.weight / whole * (likely - f64::from(row.is_gold));
        gradient.iter_mut().zip(row.inputs).for_each(|(place, value)| *place += pull * value);
    }
    gradient
}
