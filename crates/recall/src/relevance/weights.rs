//! The weights of relevance, written by `cargo xtask fit --write`.
//!
//! Fitted on: coding-agent-life-v1, remem, mcp-memory-devbench, devmembench, locomo-turn.

use super::FEATURES;

/// The weight of each feature, in the order of `Features::NAMES`.
#[rustfmt::skip]
pub(super) const WEIGHTS: [f64; FEATURES] = [
    0.005, // bm25
    1.314, // words
    1.058, // passage
    0.896, // title
    1.911, // meaning
    -0.141, // chunks
    1.573, // words beside it
    0.804, // meaning beside it
    0.165, // said by the user
    -1.020, // rarity
    0.563, // missing names
    0.818, // length of the query
    1.293, // both
];
/// What is added to the weighted sum.
pub(super) const BIAS: f64 = -3.274;
