//! Turns a query into words to look up.

use crate::Synonyms;
use backstory_memory::{compounds, inner_parts, is_stop_word, keywords};
use backstory_store::WordQuery;

/// More words than this make a search slower, not better.
const MOST_TERMS: usize = 64;
/// A longer query is a paste; its beginning says what it is about.
const MOST_BYTES: usize = 16 * 1024;
/// In a query of so few words the last one may be unfinished.
const FEW_WORDS: usize = 2;
/// Shorter words have too many endings to stand for a beginning.
const SHORTEST_PREFIX: usize = 3;

/// Turns a query into words to look up: its keywords, its paths and versions as written, the parts of its identifiers, and, in a
/// short query, its last word as a prefix.
#[must_use]
pub fn word_query(text: &str) -> WordQuery {
    let text = beginning(text);
    let said = keywords(text);
    let mut query = WordQuery::default();
    said.iter().take(MOST_TERMS).for_each(|word| query.word(word));
    let exact = compounds(text).into_iter().filter(|whole| is_exact(whole));
    exact.take(MOST_TERMS).for_each(|whole| query.word(&whole));
    let parts = inner_parts(text);
    parts.split(' ').filter(|part| !is_stop_word(part)).take(MOST_TERMS).for_each(|part| query.word(part));
    let last = said.last().filter(|last| said.len() <= FEW_WORDS && last.chars().count() >= SHORTEST_PREFIX);
    if let Some(last) = last {
        query.prefix(last);
    }
    query
}

/// Turns a query into the synonyms of its words.
pub(crate) fn synonym_query(text: &str, synonyms: &Synonyms) -> WordQuery {
    let mut said = keywords(beginning(text));
    said.truncate(MOST_TERMS);
    let mut query = WordQuery::default();
    synonyms.expand(&said).iter().for_each(|added| query.word(&added.word));
    query
}

/// Whether a compound is searched as written: a path, a version, an address, a code. `error-handling` is two words.
fn is_exact(whole: &str) -> bool {
    whole.contains(['.', '/', ':', '\\']) || whole.contains(|c: char| c.is_ascii_digit())
}

/// Returns the part of a query that is read.
pub(crate) fn beginning(text: &str) -> &str {
    text.get(..text.floor_char_boundary(MOST_BYTES)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_becomes_its_keywords() {
        assert_eq!(word_query("how do we run the next migration"), word_query("run next migration"));
        assert!(word_query("?! … \"*\"").is_empty());
    }
}
