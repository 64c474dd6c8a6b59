//! Finds names in a query that occur in no memory: a sign that no memory answers the query.
//!
//! A missing everyday word proves nothing, because memories may use a synonym. A name has no synonym: if no
//! memory says `kubernetes`, a memory about containers does not answer a query about it, however near its
//! meaning.

use backstory_embed::is_everyday;
use backstory_memory::{keywords, words};

/// Only so many keywords are checked: the search looks up no more (`terms::MOST_TERMS`), so it cannot report
/// that a later one is missing.
const MOST_WORDS: usize = 64;

/// Returns the share, 0 to 1, of a query's names that are among `missing_words`: its words that occur in no
/// memory.
///
/// Returns 0 if more than half of the query's words look like names. It is then probably not in English, the
/// only language whose everyday words we know.
pub(crate) fn share_out_of_vocabulary(query: &str, missing_words: &[String]) -> f64 {
    let said = keywords(query);
    let names: Vec<&String> = said.iter().take(MOST_WORDS).filter(|word| is_name(word)).collect();
    if names.is_empty() || names.len() * 2 > words(query).count() {
        return 0.0;
    }
    let missing = names.iter().filter(|name| missing_words.contains(name)).count();
    missing as f64 / names.len() as f64
}

/// Whether a word is a name or a technical term, that is, not an everyday English word.
///
/// Never true for a word with other than ASCII characters: our list of everyday words is English.
fn is_name(word: &str) -> bool {
    word.len() > 1 && word.is_ascii() && !word.bytes().all(|byte| byte.is_ascii_digit()) && !is_everyday(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(query: &str, missing_words: &[&str]) -> f64 {
        share_out_of_vocabulary(
            query,
            &missing_words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>(),
        )
    }

    #[test]
    fn the_share_of_missing_names_is_returned() {
        assert!(
            (share("Does the ecommerce service expose graphql?", &["graphql", "expose"]) - 0.5).abs() < 1e-9
        );
        assert!((share("is kubernetes used anywhere", &["kubernetes"]) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn everyday_words_numbers_and_other_languages_do_not_count() {
        assert!(share("what was the reason for the delay in 20251", &["reason", "delay", "20251"]) <= 0.0);
        assert!(share("welche Datenbankverbindung verwenden Tests", &["welche", "verwenden"]) <= 0.0);
        assert!(share("数据库迁移", &["数据库迁移"]) <= 0.0);
    }
}
