//! The model of relevance: weights for ranking by a conditional logit, then a scale that makes the sum a probability.

#![expect(clippy::indexing_slicing, reason = "linear algebra over arrays whose lengths are in their types")]

use super::ranked_query::{FittedSet, RankedQuery};
use backstory_recall::{FEATURES, Features};
use std::fmt::Write as _;

/// Features that are the same for every candidate of a query: they rank nothing, and only tell whether anything fits.
const OF_THE_QUERY: [usize; 2] = [10, 11];
const ROUNDS: usize = 120;
const STEP: f64 = 0.05;
/// What the weights are drawn to where no set says otherwise: sets without sessions say nothing about neighbours.
const PRIOR: [f64; FEATURES] = [0.5, 4.0, 3.5, 2.5, 6.0, -0.5, 4.0, 2.0, 0.5, -1.0, 0.0, 0.0, 4.0];
/// Strong: a few sets of a few hundred queries say less of a stranger's memories than theory does. At 0.002 the sets left out came off worse.
const PENALTY: f64 = 0.1;
/// Which way a feature may count. Where the sets say otherwise, they say something of themselves: more of the query in a memory never
/// speaks against it, and a name that no memory knows never for one.
const SIGNS: [FeatureSign; FEATURES] = {
    use FeatureSign::{Against, Either, For};
    [For, For, For, For, For, Against, For, For, For, Either, Against, Either, For]
};
/// The best candidates of a query count when the scale is fitted: only they are ever shown.
const SCALED_ON: usize = 3;

/// Which way a feature may count.
#[derive(Clone, Copy)]
enum FeatureSign {
    For,
    Against,
    Either,
}

impl FeatureSign {
    fn allowed(self, weight: f64) -> f64 {
        match self {
            FeatureSign::For => weight.max(0.0),
            FeatureSign::Against => weight.min(0.0),
            FeatureSign::Either => weight,
        }
    }
}

/// Fitted weights.
#[derive(Clone, Debug)]
pub(crate) struct RelevanceModel {
    pub(crate) weights: [f64; FEATURES],
    pub(crate) bias: f64,
}

impl RelevanceModel {
    /// Fits on some sets. Every set counts alike, however many queries it has.
    pub(crate) fn fit<'s>(sets: impl Iterator<Item = &'s FittedSet>) -> RelevanceModel {
        let sets: Vec<&FittedSet> = sets.collect();
        let mut model = RelevanceModel { weights: ranking(&sets), bias: 0.0 };
        model.scale(&sets);
        model
    }

    /// Returns the weighted sum of a candidate.
    pub(crate) fn sum(&self, features: &[f64; FEATURES]) -> f64 {
        self.bias + features.iter().zip(self.weights).map(|(value, weight)| value * weight).sum::<f64>()
    }

    /// Returns the probability that a candidate is right.
    pub(crate) fn probability(&self, features: &[f64; FEATURES]) -> f64 {
        1.0 / (1.0 + (-self.sum(features)).exp())
    }

    /// Returns the candidates of a query, best first: whether each is right, and how probable.
    pub(crate) fn ranked(&self, query: &RankedQuery) -> Vec<(bool, f64)> {
        let mut ranked: Vec<(bool, f64)> =
            query.candidates.iter().map(|it| (it.is_gold, self.probability(&it.features))).collect();
        ranked.sort_by(|one, other| other.1.total_cmp(&one.1));
        ranked
    }

    /// Makes the sum a probability: logistic regression of being right on the sum and on what is known of the query.
    fn scale(&mut self, sets: &[&FittedSet]) {
        let mut rows: Vec<([f64; 4], f64, f64)> = Vec::new();
        for set in sets {
            let weight = 1.0 / set.queries.len().max(1) as f64;
            for query in &set.queries {
                let mut sums: Vec<(f64, &[f64; FEATURES], bool)> = query
                    .candidates
                    .iter()
                    .map(|it| (self.sum(&it.features), &it.features, it.is_gold))
                    .collect();
                sums.sort_by(|one, other| other.0.total_cmp(&one.0));
                for (sum, features, is_gold) in sums.into_iter().take(SCALED_ON) {
                    let [names, length] =
                        OF_THE_QUERY.map(|at| features.get(at).copied().unwrap_or_default());
                    rows.push(([1.0, sum, names, length], f64::from(is_gold), weight));
                }
            }
        }
        // On a scale of their own: Newton's steps run away where a sum is far from zero.
        let count = rows.len().max(1) as f64;
        let mean = rows.iter().map(|row| row.0[1]).sum::<f64>() / count;
        let spread = (rows.iter().map(|row| (row.0[1] - mean).powi(2)).sum::<f64>() / count).sqrt().max(1e-9);
        rows.iter_mut().for_each(|row| row.0[1] = (row.0[1] - mean) / spread);
        let mut fitted = logistic(&rows);
        for (input, at) in (2..).zip(OF_THE_QUERY) {
            let is_allowed = fitted.get(input) == fitted.get(input).map(|it| SIGNS[at].allowed(*it)).as_ref();
            if !is_allowed {
                rows.iter_mut().filter_map(|row| row.0.get_mut(input)).for_each(|value| *value = 0.0);
                fitted = logistic(&rows);
            }
        }
        let [bias, scale, names, length] = fitted;
        let (scale, bias) = (scale / spread, bias - scale * mean / spread);
        self.weights = self.weights.map(|weight| weight * scale);
        for (at, weight) in OF_THE_QUERY.into_iter().zip([names, length]) {
            if let Some(place) = self.weights.get_mut(at) {
                *place = weight;
            }
        }
        self.bias = bias;
    }

    /// Returns the source of the table.
    pub(crate) fn source(&self, sets: &[&str]) -> String {
        let mut source =
            String::from("//! The weights of relevance, written by `cargo xtask fit --write`.\n//!\n");
        writeln!(source, "//! Fitted on: {}.\n", sets.join(", ")).unwrap_or_default();
        source.push_str(
            "use super::FEATURES;\n\n/// The weight of each feature, in the order of `Features::NAMES`.\n",
        );
        source.push_str("#[rustfmt::skip]\npub(super) const WEIGHTS: [f64; FEATURES] = [\n");
        for (name, weight) in Features::NAMES.iter().zip(self.weights) {
            writeln!(source, "    {weight:.3}, // {name}").unwrap_or_default();
        }
        source.push_str("];\n/// What is added to the weighted sum.\n");
        writeln!(source, "pub(super) const BIAS: f64 = {:.3};", self.bias).unwrap_or_default();
        source
    }
}

/// Fits weights so that the right candidates of a query outweigh the others.
fn ranking(sets: &[&FittedSet]) -> [f64; FEATURES] {
    let mut weights = PRIOR;
    let (mut mean, mut square) = ([0.0; FEATURES], [0.0; FEATURES]);
    for round in 1..=ROUNDS {
        let mut gradient = [0.0; FEATURES];
        for at in 0..FEATURES {
            gradient[at] = PENALTY * (weights[at] - PRIOR[at]);
        }
        for set in sets {
            let answered = set.queries.iter().filter(|query| query.candidates.iter().any(|it| it.is_gold));
            let answered: Vec<&RankedQuery> = answered.collect();
            let share = 1.0 / (answered.len().max(1) * sets.len()) as f64;
            for query in answered {
                add_gradient(query, &weights, share, &mut gradient);
            }
        }
        for at in OF_THE_QUERY {
            gradient[at] = 0.0;
        }
        for at in 0..FEATURES {
            mean[at] = 0.9 * mean[at] + 0.1 * gradient[at];
            square[at] = 0.999 * square[at] + 0.001 * gradient[at] * gradient[at];
            let corrected = mean[at] / (1.0 - 0.9_f64.powi(round as i32));
            let spread: f64 = square[at] / (1.0 - 0.999_f64.powi(round as i32));
            let stepped = weights[at] - 2.0 * STEP * corrected / (spread.sqrt() + 1e-8);
            weights[at] = SIGNS[at].allowed(stepped);
        }
    }
    weights
}

/// Adds the gradient of one query: what the right candidates lack against the expectation.
fn add_gradient(query: &RankedQuery, weights: &[f64; FEATURES], share: f64, gradient: &mut [f64; FEATURES]) {
    let sums: Vec<f64> = query
        .candidates
        .iter()
        .map(|it| it.features.iter().zip(weights).map(|(value, weight)| value * weight).sum())
        .collect();
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

/// Logistic regression by Newton's steps: rows of inputs, outcome and weight.
fn logistic(rows: &[([f64; 4], f64, f64)]) -> [f64; 4] {
    let mut weights = [0.0; 4];
    for _ in 0..25 {
        let mut gradient = [0.0; 4];
        let mut curve = [[0.0; 4]; 4];
        for (inputs, outcome, weight) in rows {
            let sum: f64 = inputs.iter().zip(weights).map(|(value, weight)| value * weight).sum();
            let likely = 1.0 / (1.0 + (-sum).exp());
            for one in 0..4 {
                gradient[one] += weight * (likely - outcome) * inputs[one];
                for other in 0..4 {
                    curve[one][other] += weight * likely * (1.0 - likely) * inputs[one] * inputs[other];
                }
            }
        }
        for (at, row) in curve.iter_mut().enumerate() {
            row[at] += 1e-3;
        }
        let step = solve(curve, gradient);
        for (weight, step) in weights.iter_mut().zip(step) {
            *weight -= step.clamp(-1.0, 1.0);
        }
    }
    weights
}

/// Solves four equations by elimination.
fn solve(mut rows: [[f64; 4]; 4], mut right: [f64; 4]) -> [f64; 4] {
    for at in 0..4 {
        let pivot = (at..4).max_by(|one, other| rows[*one][at].abs().total_cmp(&rows[*other][at].abs()));
        let pivot = pivot.unwrap_or(at);
        rows.swap(at, pivot);
        right.swap(at, pivot);
        for below in at + 1..4 {
            let factor = rows[below][at] / rows[at][at];
            let pivot = rows[at];
            rows[below].iter_mut().zip(pivot).skip(at).for_each(|(cell, above)| *cell -= factor * above);
            right[below] -= factor * right[at];
        }
    }
    let mut solved = [0.0; 4];
    for at in (0..4).rev() {
        let known: f64 = (at + 1..4).map(|column| rows[at][column] * solved[column]).sum();
        solved[at] = (right[at] - known) / rows[at][at];
    }
    solved
}
