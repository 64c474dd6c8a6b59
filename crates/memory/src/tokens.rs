//! What a text costs an agent to read.

use std::iter::Sum;
use std::ops::Add;

/// A number of tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tokens(pub u32);

impl Add for Tokens {
    type Output = Tokens;

    fn add(self, other: Tokens) -> Tokens {
        Tokens(self.0.saturating_add(other.0))
    }
}

impl Sum for Tokens {
    fn sum<I: Iterator<Item = Tokens>>(items: I) -> Tokens {
        items.fold(Tokens(0), Add::add)
    }
}

/// Estimates what a text costs.
#[must_use]
pub fn estimate(text: &str) -> Tokens {
    Tokens(u32::try_from((text.len() * 2).div_ceil(7)).unwrap_or(u32::MAX))
}
