//! The words somebody looks for in texts that no index holds: events, and what was turned down.
//!
//! Not here: searching memories (`recall`).

use crate::{keywords, stem, words};
use std::collections::HashSet;

/// The words of a query, by their stems.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WantedWords(HashSet<String>);

impl WantedWords {
    /// Of so many words one may be missing: people remember what they said, not how they said it.
    const WORDS_PER_MISSING: usize = 4;

    /// Takes the words of a query that say what it is about.
    #[must_use]
    pub fn new(query: &str) -> WantedWords {
        WantedWords(keywords(query).iter().map(|word| stem(word).to_owned()).collect())
    }

    /// Whether there is nothing to look for.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a text holds them, in any form and order; of many words not quite all.
    #[must_use]
    pub fn are_in(&self, text: &str) -> bool {
        let mut missing = self.0.clone();
        let most_missing = self.0.len() / Self::WORDS_PER_MISSING;
        !self.is_empty()
            && words(text).any(|word| {
                missing.remove(stem(&word));
                missing.len() <= most_missing
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_in_any_form_and_order_and_a_few_must_not_be_missing() {
        let text = "Please never commit generated files, they are built in CI";
        for query in ["generated files", "committing a generated file", "commit the generated files build"] {
            assert!(WantedWords::new(query).are_in(text), "{query}");
        }
        for query in ["", "generated schema", "commit generated files schema docs"] {
            assert!(!WantedWords::new(query).are_in(text), "{query}");
        }
    }
}
