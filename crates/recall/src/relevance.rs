//! One calibrated relevance: what is known of a memory and a query, weighed into the probability that the one answers the other.
//!
//! A logistic model over a few features. `cargo xtask fit` fits its weights on public sets, each set tried with the weights fitted on the
//! others; `relevance/fitted_table.rs` is what it wrote. The same number means the same in a store of twenty memories and of two hundred
//! thousand, so one threshold serves all.

mod fitted_table;

use fitted_table::{BIAS, WEIGHTS};

/// How many features there are.
pub const FEATURES: usize = 13;

/// What is known of one memory and one query, as numbers near 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Features(pub [f64; FEATURES]);

impl Features {
    /// The name of each feature, in their order.
    pub const NAMES: [&'static str; FEATURES] = [
        "bm25",
        "words",
        "passage",
        "title",
        "meaning",
        "chunks",
        "words beside it",
        "meaning beside it",
        "said by the user",
        "rarity",
        "missing names",
        "length of the query",
        "both",
    ];

    /// Returns the probability that the memory answers the query.
    #[must_use]
    pub fn probability(&self) -> f64 {
        let sum: f64 = self.0.iter().zip(WEIGHTS).map(|(value, weight)| value * weight).sum();
        1.0 / (1.0 + (-(sum + BIAS)).exp())
    }
}
