//! How alike two texts are, by their words. Decides whether a new memory is one we already have.

use crate::terms::words;
use std::collections::HashSet;

/// From here on two texts count as the same.
pub const NEAR_DUPLICATE: f64 = 0.7;

/// The words of a text, for who compares it with many.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WordSet(HashSet<String>);

impl WordSet {
    /// Returns the words of a text.
    #[must_use]
    pub fn of(text: &str) -> WordSet {
        WordSet(words(text).collect())
    }

    /// Returns the share of words two texts have in common, 0 to 1; 0 when either has none.
    #[must_use]
    pub fn likeness(&self, other: &WordSet) -> f64 {
        let (one, other) = (&self.0, &other.0);
        if one.is_empty() || other.is_empty() {
            return 0.0;
        }
        let common = one.intersection(other).count();
        common as f64 / (one.len() + other.len() - common) as f64
    }
}

/// Returns the share of words two texts have in common, 0 to 1; 0 when either has none.
#[must_use]
pub fn likeness(one: &str, other: &str) -> f64 {
    WordSet::of(one).likeness(&WordSet::of(other))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn rewording_lowers_it_and_punctuation_does_not() {
        assert_eq!(likeness("Use WAL mode.", "use WAL  mode"), 1.0);
        assert_eq!(likeness("a b c", "a b d"), 0.5);
        assert_eq!(likeness("", ""), 0.0);
        assert_eq!(likeness("!!!", "!!!"), 0.0);
    }

    proptest! {
        #[test]
        fn it_is_symmetric_and_bounded(one: String, other: String) {
            let value = likeness(&one, &other);
            prop_assert!((0.0..=1.0).contains(&value));
            prop_assert_eq!(value, likeness(&other, &one));
        }
    }
}
