//! Which words a question becomes.

use crate::Synonyms;
use backstory_memory::{compounds, inner_parts, is_stop_word, keywords};
use backstory_store::WordQuery;

/// More words than this make a question slower, not better.
const MOST_TERMS: usize = 64;
/// A question longer than this is a paste; its beginning says what it is about.
const MOST_BYTES: usize = 16 * 1024;
/// Whoever types so few words may not have finished the last one.
const FEW_WORDS: usize = 2;
/// Shorter words have too many endings to stand for a beginning.
const SHORTEST_PREFIX: usize = 3;

/// Turns a question into words to look for: what it says, what it means exactly as written, the parts of its identifiers, and, of a
/// short one, its last word as a beginning.
#[must_use]
pub fn word_query(question: &str) -> WordQuery {
    let question = beginning(question);
    let said = keywords(question);
    let mut query = WordQuery::default();
    said.iter().take(MOST_TERMS).for_each(|word| query.word(word));
    let exact = compounds(question).into_iter().filter(|whole| is_exact(whole));
    exact.take(MOST_TERMS).for_each(|whole| query.word(&whole));
    let parts = inner_parts(question);
    parts.split(' ').filter(|part| !is_stop_word(part)).take(MOST_TERMS).for_each(|part| query.word(part));
    let last = said.last().filter(|last| said.len() <= FEW_WORDS && last.chars().count() >= SHORTEST_PREFIX);
    if let Some(last) = last {
        query.prefix(last);
    }
    query
}

/// Turns a question into the synonyms of its words.
pub(crate) fn synonym_query(question: &str, synonyms: &Synonyms) -> WordQuery {
    let mut said = keywords(beginning(question));
    said.truncate(MOST_TERMS);
    let mut query = WordQuery::default();
    synonyms.expand(&said).iter().for_each(|added| query.word(&added.word));
    query
}

/// Whether something written together is meant as it is written: a path, a version, an address, a code. `error-handling` is two words.
fn is_exact(whole: &str) -> bool {
    whole.contains(['.', '/', ':', '\\']) || whole.contains(|c: char| c.is_ascii_digit())
}

/// Returns what is read of a question.
pub(crate) fn beginning(question: &str) -> &str {
    question.get(..question.floor_char_boundary(MOST_BYTES)).unwrap_or(question)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_becomes_its_telling_words() {
        assert_eq!(word_query("how do we run the next migration"), word_query("run next migration"));
        assert!(word_query("?! … \"*\"").is_empty());
    }
}
