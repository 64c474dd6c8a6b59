//! The weights of relevance, written by `cargo xtask fit --write`.
//!
//! Fitted on: coding-agent-life-v1, remem, mcp-memory-devbench, devmembench, locomo-turn, locomo-session.

use super::FEATURES;

/// The weight of each feature, in the order of `Features::NAMES`.
#[rustfmt::skip]
pub(super) const WEIGHTS: [f64; FEATURES] = [
    0.149, // bm25
    1.259, // words
    1.099, // passage
    0.778, // title
    1.907, // meaning
    -0.160, // chunks
    1.300, // words beside it
    0.646, // meaning beside it
    0.160, // said by the user
    -0.354, // rarity
    0.000, // missing names
    0.573, // length of the query
    1.269, // both
];
/// What is added to the weighted sum.
pub(super) const BIAS: f64 = -3.493;
