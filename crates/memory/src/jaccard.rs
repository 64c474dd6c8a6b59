//! Compares two texts by their words, and decides whether they say the same.
//!
//! Shared words alone do not decide: "times out after 30 seconds" and "after 60 seconds" share nearly all of them. Not here: what
//! happens to the older of two contradicting memories (`distil`), and memories that are only about the same subject (`recall`).

use crate::terms::{keywords, words};
use std::collections::{BTreeSet, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

/// From this similarity on, two texts have nearly the same words.
pub const NEAR_DUPLICATE: f64 = 0.7;

/// The words of a text, to compare it with many others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WordSet(HashSet<String>);

impl WordSet {
    /// Returns the words of a text.
    #[must_use]
    pub fn from_text(text: &str) -> WordSet {
        WordSet(words(text).collect())
    }

    /// Returns the share of words two texts have in common, 0 to 1; 0 if either has none.
    #[must_use]
    pub fn jaccard(&self, other: &WordSet) -> f64 {
        let (one, other) = (&self.0, &other.0);
        if one.is_empty() || other.is_empty() {
            return 0.0;
        }
        let shared = one.intersection(other).count();
        shared as f64 / (one.len() + other.len() - shared) as f64
    }
}

/// A digest of a text's words: small enough to hold very many, and enough to rule out most pairs as not similar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WordSketch {
    words: u32,
    /// For each group of words, whether the text has an odd number of them. Words are grouped in two ways, because two words of one
    /// group are usually in different groups the second time.
    odd: [u128; 2],
}

impl WordSketch {
    /// Sketches a text.
    #[must_use]
    pub fn from_text(text: &str) -> WordSketch {
        let words = WordSet::from_text(text).0;
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

    /// Whether the similarity of two texts may reach `least`. A "no" is certain.
    #[must_use]
    pub fn may_be_alike(&self, other: &WordSketch, least: f64) -> bool {
        // Texts of similarity `least` differ in at most this many words, and each word that only one of them has changes one group.
        let most = f64::from(self.words.saturating_add(other.words)) * (1.0 - least) / (1.0 + least) + 1e-6;
        let is_near = |(one, other): (&u128, &u128)| f64::from((one ^ other).count_ones()) <= most;
        f64::from(self.words.abs_diff(other.words)) <= most && self.odd.iter().zip(&other.odd).all(is_near)
    }
}

/// Returns the share of words two texts have in common, 0 to 1; 0 if either has none.
#[must_use]
pub fn jaccard(one: &str, other: &str) -> f64 {
    WordSet::from_text(one).jaccard(&WordSet::from_text(other))
}

/// Whether two texts say nearly the same: nearly the same words, the same numbers, the same negations, and no subject exchanged for
/// another.
#[must_use]
pub fn says_the_same(one: &str, other: &str) -> bool {
    jaccard(one, other) >= NEAR_DUPLICATE
        && numbers(one) == numbers(other)
        && denials(one) == denials(other)
        && !is_exchanged(&subjects(one), &subjects(other))
}

/// Whether each text has a word the other lacks. If only one does, it says the same in more words.
fn is_exchanged(one: &BTreeSet<String>, other: &BTreeSet<String>) -> bool {
    !one.is_subset(other) && !other.is_subset(one)
}

/// Returns the numbers of a text; `18.4` is one.
fn numbers(text: &str) -> BTreeSet<&str> {
    let parts = text.split(|c: char| !c.is_ascii_digit() && c != '.').map(|part| part.trim_matches('.'));
    parts.filter(|number| !number.is_empty()).collect()
}

/// Returns how a text negates; "don't", "never" and "not" count as the same.
fn denials(text: &str) -> BTreeSet<&'static str> {
    let mut before = String::new();
    let mut denials = BTreeSet::new();
    for word in words(text) {
        let is_short_not = word == "t" && before.ends_with('n');
        denials.extend(if is_short_not { Some("not") } else { denial(&word) });
        before = word;
    }
    denials
}

fn denial(word: &str) -> Option<&'static str> {
    match word {
        "not" | "no" | "never" | "none" | "nothing" | "nobody" | "nowhere" | "neither" | "nor" | "cannot"
        | "dont" | "doesnt" | "isnt" | "avoid" | "stop" => Some("not"),
        "without" | "except" | "unless" => Some("without"),
        _ => None,
    }
}

/// Returns the stems of the words a text is about. Numbers and negations are compared separately, and words that only stress say
/// nothing.
fn subjects(text: &str) -> BTreeSet<String> {
    const STRESSING: [&str; 8] = ["always", "must", "ever", "really", "now", "remember", "note", "t"];
    let carries_meaning = |word: &String| {
        denial(word).is_none()
            && !STRESSING.contains(&word.as_str())
            && !word.contains(|c: char| c.is_ascii_digit())
    };
    stems(keywords(text).into_iter().filter(carries_meaning)).collect()
}

/// Returns the stems of words.
pub fn stems<W: AsRef<str>>(words: impl IntoIterator<Item = W>) -> impl Iterator<Item = String> {
    words.into_iter().map(|word| stem(word.as_ref()).to_owned())
}

/// Returns a word without its endings: `caches`, `cached` and `caching` have one stem.
#[must_use]
pub fn stem(mut word: &str) -> &str {
    const ENDINGS: [&str; 8] = ["ing", "ies", "ied", "ed", "es", "s", "e", "y"];
    const SHORTEST: usize = 2;
    let is_long = |stem: &&str| stem.len() >= SHORTEST;
    while !word.ends_with("ss")
        && let Some(stem) = ENDINGS.iter().filter_map(|ending| word.strip_suffix(ending)).find(is_long)
    {
        word = stem;
    }
    // `running` and `run`.
    match word.as_bytes() {
        [.., one, other] if one == other && word.len() > 3 => word.get(..word.len() - 1).unwrap_or(word),
        _ => word,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn rewording_lowers_it_and_punctuation_does_not() {
        assert_eq!(jaccard("Use WAL mode.", "use WAL  mode"), 1.0);
        assert_eq!(jaccard("a b c", "a b d"), 0.5);
        assert_eq!(jaccard("", ""), 0.0);
        assert_eq!(jaccard("!!!", "!!!"), 0.0);
    }

    #[test]
    fn another_number_a_no_or_another_subject_says_something_else() {
        for (one, other) in [
            ("Always run make lint before committing", "Never run make lint before committing"),
            ("Redis is used for caching", "Redis is not used for caching"),
            ("Redis is used for caching pages in the shop", "Redis isn't used for caching pages in the shop"),
            (
                "The worker starts with the scheduler enabled",
                "The worker starts without the scheduler enabled",
            ),
            ("The API times out after 30 seconds", "The API times out after 60 seconds"),
            ("Node 20 is required in CI", "Node 22 is required in CI"),
            (
                "Clients need at least protocol 1.3 to connect",
                "Clients need at least protocol 3.1 to connect",
            ),
            ("Never delete rows in the orders table", "Never delete rows in the invoices table"),
            ("The lock is taken before the queue is read", "The lock is taken after the queue is read"),
            (
                "Service number 7 listens on port 9007 and is owned by team 3",
                "Service number 8 listens on port 9008 and is owned by team 3",
            ),
        ] {
            assert!(!says_the_same(one, other) && !says_the_same(other, one), "{one} / {other}");
        }
    }

    #[test]
    fn order_endings_small_words_and_punctuation_say_the_same() {
        for (one, other) in [
            ("Always run make lint before committing.", "Before committing, always run make lint"),
            (
                "Don't delete any rows in the orders table by hand",
                "Never delete any rows in the orders table by hand!",
            ),
            ("The API times out after 30 seconds", "API times out after 30 seconds."),
            ("Keep the session cache of the API in Redis", "Keep the session caches of the API in Redis"),
            ("Redis is used for caching the sessions", "Redis is used for caching all the sessions"),
            ("We must run the migrations on staging first", "We always run the migrations on staging first"),
        ] {
            assert!(says_the_same(one, other) && says_the_same(other, one), "{one} / {other}");
        }
    }

    #[test]
    fn a_sketch_turns_away_what_has_other_words() {
        let sketch = WordSketch::from_text("We deploy to Fly on every merge into the main branch.");
        let other = WordSketch::from_text("Session tokens expire after fifteen minutes, not after thirty.");
        assert!(!sketch.may_be_alike(&other, NEAR_DUPLICATE));
        assert!(sketch.may_be_alike(&sketch, 1.0));
    }

    proptest! {
        #[test]
        fn it_is_symmetric_and_bounded(one: String, other: String) {
            let value = jaccard(&one, &other);
            prop_assert!((0.0..=1.0).contains(&value));
            prop_assert_eq!(value, jaccard(&other, &one));
        }

        #[test]
        fn what_has_the_same_words_says_the_same(one: String) {
            prop_assert_eq!(says_the_same(&one, &one), words(&one).next().is_some());
        }

        #[test]
        fn a_sketch_never_turns_away_what_is_alike(
            one in prop::collection::vec("[a-h]{1,2}", 0..40),
            taken in 0_usize..10,
            added in prop::collection::vec("[a-h]{1,2}", 0..10),
        ) {
            let other = one.iter().skip(taken).chain(&added).cloned().collect::<Vec<_>>().join(" ");
            let one = one.join(" ");
            let may_be = |least| WordSketch::from_text(&one).may_be_alike(&WordSketch::from_text(&other), least);
            let alike = jaccard(&one, &other);
            prop_assert!(may_be(alike));
            prop_assert!(alike < NEAR_DUPLICATE || may_be(NEAR_DUPLICATE));
        }
    }
}
