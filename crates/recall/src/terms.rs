//! Which words a question becomes.

use backstory_memory::{companion, compounds, is_small, telling_words};
use backstory_store::WordQuery;

/// More words than this make a question slower, not better.
const MOST_TERMS: usize = 64;
/// A question longer than this is a paste; its beginning says what it is about.
const MOST_BYTES: usize = 16 * 1024;
/// Shorter words have too many endings to stand for a beginning.
const SHORTEST_PREFIX: usize = 3;

/// Turns a question into words to look for: what it says, what it writes together, the parts of its identifiers, and its last word
/// as a beginning.
#[must_use]
pub fn word_query(question: &str) -> WordQuery {
    let question = question.get(..question.floor_char_boundary(MOST_BYTES)).unwrap_or(question);
    let said = telling_words(question);
    let mut query = WordQuery::default();
    said.iter().take(MOST_TERMS).for_each(|word| query.word(word));
    compounds(question).iter().take(MOST_TERMS).for_each(|whole| query.word(whole));
    let parts = companion(question);
    parts.split(' ').filter(|part| !is_small(part)).take(MOST_TERMS).for_each(|part| query.word(part));
    if let Some(last) = said.last().filter(|last| last.chars().count() >= SHORTEST_PREFIX) {
        query.prefix(last);
    }
    query
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_becomes_its_telling_words() {
        assert_eq!(word_query("how do we run the migration"), word_query("run migration"));
        assert!(word_query("?! … \"*\"").is_empty());
    }
}
