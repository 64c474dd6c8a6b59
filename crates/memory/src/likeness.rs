//! How alike two texts are, by their words. Decides whether a new memory is one we already have.

use crate::terms::words;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

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

/// So little of a text that very many can be held, and still enough to say of most pairs that they are not alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WordSketch {
    words: u32,
    /// Of each group of words, whether the text has an odd number. Grouped twice: two words that are taken for one in the first
    /// grouping are told apart in the second.
    odd: [u128; 2],
}

impl WordSketch {
    /// Sketches a text.
    #[must_use]
    pub fn of(text: &str) -> WordSketch {
        let words = WordSet::of(text).0;
        let mut odd = [0; 2];
        for word in &words {
            let mut hasher = DefaultHasher::new();
            word.hash(&mut hasher);
            let hash = hasher.finish();
            let [one, other] = &mut odd;
            *one ^= 1 << (hash % u64::from(u128::BITS));
            *other ^= 1 << ((hash >> 32) % u64::from(u128::BITS));
        }
        WordSketch { words: u32::try_from(words.len()).unwrap_or(u32::MAX), odd }
    }

    /// Whether two texts may be as alike as `least`. Where it says no, they are not.
    #[must_use]
    pub fn may_be_alike(&self, other: &WordSketch, least: f64) -> bool {
        // Texts that share `least` of their words differ in so many at most, and a word that only one of them has changes one group.
        let most = f64::from(self.words.saturating_add(other.words)) * (1.0 - least) / (1.0 + least) + 1e-6;
        let is_near = |(one, other): (&u128, &u128)| f64::from((one ^ other).count_ones()) <= most;
        f64::from(self.words.abs_diff(other.words)) <= most && self.odd.iter().zip(&other.odd).all(is_near)
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

    #[test]
    fn a_sketch_turns_away_what_has_other_words() {
        let sketch = WordSketch::of("We deploy to Fly on every merge into the main branch.");
        let other = WordSketch::of("Session tokens expire after fifteen minutes, not after thirty.");
        assert!(!sketch.may_be_alike(&other, NEAR_DUPLICATE));
        assert!(sketch.may_be_alike(&sketch, 1.0));
    }

    proptest! {
        #[test]
        fn it_is_symmetric_and_bounded(one: String, other: String) {
            let value = likeness(&one, &other);
            prop_assert!((0.0..=1.0).contains(&value));
            prop_assert_eq!(value, likeness(&other, &one));
        }

        #[test]
        fn a_sketch_never_turns_away_what_is_alike(
            one in prop::collection::vec("[a-h]{1,2}", 0..40),
            taken in 0_usize..10,
            added in prop::collection::vec("[a-h]{1,2}", 0..10),
        ) {
            let other = one.iter().skip(taken).chain(&added).cloned().collect::<Vec<_>>().join(" ");
            let one = one.join(" ");
            let may_be = |least| WordSketch::of(&one).may_be_alike(&WordSketch::of(&other), least);
            let alike = likeness(&one, &other);
            prop_assert!(may_be(alike));
            prop_assert!(alike < NEAR_DUPLICATE || may_be(NEAR_DUPLICATE));
        }
    }
}
