//! What a question names that no memory ever did: a sign that no memory answers it.
//!
//! That an everyday word is missing from the memories is chance: they say it in other words. A name has no other words. Where nobody
//! ever wrote `kubernetes`, what is said about containers does not answer a question about it, however near it is in meaning.

use backstory_embed::is_everyday;
use backstory_memory::{keywords, words};

/// A longer question is a paste, in which names are chance.
const MOST_WORDS: usize = 64;

/// Returns the share of what a question names that is among the words no memory holds, 0 to 1.
///
/// A question that mostly consists of names is in another language than the model's: of such a one nothing can be said.
pub(crate) fn share_unheard(question: &str, unheard: &[String]) -> f64 {
    let said = keywords(question);
    let names: Vec<&String> = said.iter().take(MOST_WORDS).filter(|word| is_name(word)).collect();
    if names.is_empty() || names.len() * 2 > words(question).count() {
        return 0.0;
    }
    let missing = names.iter().filter(|name| unheard.contains(name)).count();
    missing as f64 / names.len() as f64
}

/// Whether a word is a name or a term of a trade. Other scripts have no everyday words to tell them from.
fn is_name(word: &str) -> bool {
    word.len() > 1 && word.is_ascii() && !word.bytes().all(|byte| byte.is_ascii_digit()) && !is_everyday(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(question: &str, unheard: &[&str]) -> f64 {
        share_unheard(question, &unheard.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn of_what_is_named_the_missing_share_counts() {
        assert!(
            (share("Does the ecommerce service expose graphql?", &["graphql", "expose"]) - 0.5).abs() < 1e-9
        );
        assert!((share("is kubernetes used anywhere", &["kubernetes"]) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn everyday_words_numbers_and_other_languages_say_nothing() {
        assert!(share("what was the reason for the delay in 20251", &["reason", "delay", "20251"]) <= 0.0);
        assert!(share("welche Datenbankverbindung verwenden Tests", &["welche", "verwenden"]) <= 0.0);
        assert!(share("数据库迁移", &["数据库迁移"]) <= 0.0);
    }
}
