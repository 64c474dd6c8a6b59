//! The weights of relevance, written by `cargo xtask fit --write`.
//!
//! Fitted on: x.

use super::FeatureWeights;

/// The fitted weights, in the order of `Features::NAMES`.
#[rustfmt::skip]
pub(super) const FITTED: FeatureWeights = FeatureWeights {
    fit: [
        2.7, // bm25
        3.8, // words
        5.6, // passage
        1.6, // sentence
        1.0, // title
        8.0, // meaning
        -1.6, // chunks
        5.1, // words beside it
        2.0, // meaning beside it
        1.4, // said by the user
        1.1, // its speaker is named
        -0.4, // it only asks
        0.0, // missing names
    ],
    evidence: [
        5.86, // bm25
        0.0, // words
        0.0, // passage
        0.0, // sentence
        0.0, // title
        5.89, // meaning
        0.0, // chunks
        0.0, // words beside it
        0.0, // meaning beside it
        0.0, // said by the user
        0.0, // its speaker is named
        0.0, // it only asks
        -3.9, // missing names
    ],
    bias: -6.100,
};
