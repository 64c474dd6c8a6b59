//! Attention: every token looks at every other, in twelve heads of 32 numbers each.
//!
//! Four queries are handled at a time, so that each key and value is loaded once for the four.

#![expect(clippy::indexing_slicing, reason = "hot loops over buffers whose sizes follow from the model's")]

use super::activation::exp;
use super::asset::{LANES, Lanes, ROW};
use crate::DIMENSION;
use crate::kernels::Kernel;

const HEADS: usize = 12;
const HEAD: usize = DIMENSION / HEADS;
/// How many `Lanes` make a head's share of a row.
const HEAD_LANES: usize = HEAD / LANES;
/// Queries handled together.
const QUERIES: usize = 4;
/// 1 / sqrt(32), by which scores are scaled.
const SCORE_SCALE: f32 = 0.176_776_7;

/// What one head needs, kept from head to head for its memory.
#[derive(Default)]
pub(super) struct Attention {
    tokens: usize,
    /// Blocks of 16 tokens; in each, number by number, the keys of the 16.
    keys: Vec<[Lanes; HEAD]>,
    /// The values, token by token.
    values: Vec<[Lanes; HEAD_LANES]>,
    /// The weights of all tokens for each of four queries, in blocks of 16 tokens.
    weights: [Vec<Lanes>; QUERIES],
}

impl Attention {
    /// Reads rows of queries, keys and values side by side; writes one row of context per token.
    #[inline(always)]
    pub(super) fn attend<K: Kernel>(&mut self, kernel: K, input: &[Lanes], context: &mut [Lanes]) {
        self.tokens = input.len() / (3 * ROW);
        for head in 0..HEADS {
            self.gather(head, input);
            for first in (0..self.tokens).step_by(QUERIES) {
                // Past the end the last query is repeated; what comes of it is dropped by `mix`.
                let queries = std::array::from_fn(|query| {
                    let token = (first + query).min(self.tokens - 1);
                    let lanes = &input[token * 3 * ROW + head * HEAD_LANES..][..HEAD_LANES];
                    std::array::from_fn(|number| lanes[number / LANES][number % LANES])
                });
                self.score(kernel, &queries);
                let totals = self.soften();
                self.mix(kernel, &totals, |query, lane, lanes| {
                    if first + query < self.tokens {
                        context[(first + query) * ROW + head * HEAD_LANES + lane] = lanes;
                    }
                });
            }
        }
    }

    /// Collects the keys, transposed, and the values of one head.
    #[inline(always)]
    fn gather(&mut self, head: usize, input: &[Lanes]) {
        let blocks = self.tokens.div_ceil(LANES);
        self.keys.resize(blocks, [[0.0; LANES]; HEAD]);
        self.values.resize(self.tokens, [[0.0; LANES]; HEAD_LANES]);
        for weights in &mut self.weights {
            weights.resize(blocks, [0.0; LANES]);
        }
        for (token, row) in input.chunks_exact(3 * ROW).enumerate() {
            let keys = row[ROW + head * HEAD_LANES..][..HEAD_LANES].as_flattened();
            for (transposed, key) in self.keys[token / LANES].iter_mut().zip(keys) {
                transposed[token % LANES] = *key;
            }
            let values = &row[2 * ROW + head * HEAD_LANES..][..HEAD_LANES];
            self.values[token].copy_from_slice(values);
        }
    }

    #[inline(always)]
    fn score<K: Kernel>(&mut self, kernel: K, queries: &[[f32; HEAD]; QUERIES]) {
        for (block, keys) in self.keys.iter().enumerate() {
            let mut scores = [[0.0; LANES]; QUERIES];
            for (number, keys) in keys.iter().enumerate() {
                accumulate(kernel, &mut scores, queries.each_ref().map(|query| query[number]), keys);
            }
            for (weights, scores) in self.weights.iter_mut().zip(&scores) {
                for (weight, score) in weights[block].iter_mut().zip(scores) {
                    *weight = score * SCORE_SCALE;
                }
            }
        }
    }

    /// Turns scores into weights, not yet divided by their total; returns the totals.
    #[inline(always)]
    fn soften(&mut self) -> [f32; QUERIES] {
        let mut totals = [0.0; QUERIES];
        for (weights, total) in self.weights.iter_mut().zip(&mut totals) {
            // Places past the last token must weigh nothing.
            weights.as_flattened_mut()[self.tokens..].fill(f32::MIN);
            *total = soften(weights);
        }
        totals
    }

    /// Adds up the values by their weights and hands on `(query, lane, numbers)`.
    #[inline(always)]
    fn mix<K: Kernel>(&self, kernel: K, totals: &[f32; QUERIES], mut store: impl FnMut(usize, usize, Lanes)) {
        let weights = self.weights.each_ref().map(|weights| &weights.as_flattened()[..self.tokens]);
        for lane in 0..HEAD_LANES {
            let mut sums = [[0.0; LANES]; QUERIES];
            for (token, values) in self.values.iter().enumerate() {
                accumulate(kernel, &mut sums, weights.map(|weights| weights[token]), &values[lane]);
            }
            for (query, mut sums) in sums.into_iter().enumerate() {
                for sum in &mut sums {
                    *sum /= totals[query];
                }
                store(query, lane, sums);
            }
        }
    }
}

/// Adds `lanes`, times the factor of each query, to the sums of that query.
#[inline(always)]
fn accumulate<K: Kernel>(kernel: K, sums: &mut [Lanes; QUERIES], factors: [f32; QUERIES], lanes: &Lanes) {
    for (sums, factor) in sums.iter_mut().zip(factors) {
        for (sum, value) in sums.iter_mut().zip(lanes) {
            *sum = kernel.multiply_add(factor, *value, *sum);
        }
    }
}

/// Replaces each score by its exponential, relative to the highest; returns their sum.
#[inline(always)]
fn soften(scores: &mut [Lanes]) -> f32 {
    let mut peaks = [f32::MIN; LANES];
    for lanes in scores.iter() {
        for (peak, score) in peaks.iter_mut().zip(lanes) {
            *peak = peak.max(*score);
        }
    }
    let peak = peaks.iter().copied().fold(f32::MIN, f32::max);
    let mut totals = [0.0; LANES];
    for lanes in scores {
        for (total, score) in totals.iter_mut().zip(lanes) {
            *score = exp(*score - peak);
            *total += *score;
        }
    }
    totals.iter().sum()
}
