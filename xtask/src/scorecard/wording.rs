//! Whether a memory holds a label: compares keywords, ignoring their endings.

use backstory_memory::keywords;
use std::collections::HashSet;

/// How much of what is wanted must be there, in percent: a memory keeps the speaker's words, a label paraphrases them.
const ENOUGH: usize = 60;
/// Longer words are compared by their beginnings, and not by their stems as in a search: a label says "normalisation" where a memory says
/// "normalise".
const BEGINNING: usize = 5;

/// Whether a text holds most of the words of what is wanted.
pub(crate) fn holds(text: &str, wanted: &str) -> bool {
    let (present, wanted) = (beginnings(text), beginnings(wanted));
    !wanted.is_empty() && wanted.intersection(&present).count() * 100 >= wanted.len() * ENOUGH
}

fn beginnings(text: &str) -> HashSet<String> {
    keywords(text).iter().map(|word| word.chars().take(BEGINNING).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_and_small_words_do_not_count() {
        assert!(holds("We normalise every key to upper case", "The keys are normalised to upper case"));
        assert!(!holds("We normalise every key", "Retention is thirty days for audit logs"));
        assert!(!holds("anything", ""));
    }
}
