//! The weights of relevance, written by `cargo xtask fit --write`.
//!
//! Fitted on: coding-agent-life-v1, remem, mcp-memory-devbench, devmembench, locomo-turn, locomo-session, sde-conversation, longmemeval-pooled, beam-128k, beam-500k-coding.

use super::FeatureWeights;

/// The fitted weights, in the order of `Features::NAMES`.
#[rustfmt::skip]
pub(super) const FITTED: FeatureWeights = FeatureWeights {
    fit: [
        2.845, // bm25
        3.881, // words
        5.813, // passage
        1.824, // sentence
        1.005, // title
        7.976, // meaning
        -1.578, // chunks
        5.035, // words beside it
        2.003, // meaning beside it
        1.290, // said by the user
        1.043, // its speaker is named
        -0.483, // it only asks
        0.000, // rarity found
        0.000, // missing names
    ],
    evidence: [
        5.844, // bm25
        0.000, // words
        0.000, // passage
        0.000, // sentence
        0.000, // title
        5.883, // meaning
        0.000, // chunks
        0.000, // words beside it
        0.000, // meaning beside it
        0.000, // said by the user
        0.000, // its speaker is named
        0.000, // it only asks
        0.000, // rarity found
        -3.902, // missing names
    ],
    bias: -6.266,
};
