//! The third stage: which sentences state nothing that holds. Silence beats noise, so doubt falls on this side.
//!
//! Questions, hedges, hypotheticals, plans, politeness, orders for the task at hand, reports of what others said, and
//! shapes that are no prose. Not here: what a sentence that does state something means (`cues`).

mod phrases;

use super::Speaker;
use super::patterns::{find, says};
use super::tokens::{HIDDEN, Token};
use phrases::{ANNOUNCEMENTS, EMPTY, FILLERS, OPINIONS, ORDERS, PASSING, PROMISES, STANDING};

const FEWEST_WORDS: usize = 3;
const MOST_WORDS: usize = 60;
/// Longer ones are checked no further: they are pasted text more often than a statement.
pub(super) const MOST_BYTES: usize = 500;

/// Whether the user says that what follows is to be remembered.
pub(super) fn is_announced(tokens: &[Token], speaker: Speaker) -> bool {
    speaker == Speaker::User && says(ANNOUNCEMENTS, tokens)
}

/// Whether a sentence gives an opinion.
pub(super) fn is_opinion(tokens: &[Token]) -> bool {
    says(OPINIONS, tokens)
}

/// Whether a sentence opens like an order or a question.
pub(super) fn opens_as_order(tokens: &[Token]) -> bool {
    tokens.first().is_some_and(|first| ORDERS.contains(&first.word.as_str()))
}

/// Skips openings that carry no meaning, such as "so," or "by the way".
pub(super) fn without_fillers(mut tokens: &[Token]) -> &[Token] {
    while let Some(found) = FILLERS.iter().find_map(|filler| find(filler, tokens)) {
        let Some(rest) = tokens.get(found.end..).filter(|rest| !rest.is_empty()) else {
            break;
        };
        tokens = rest;
    }
    tokens
}

/// Whether a sentence, without its fillers, states nothing that holds.
pub(super) fn is_silent(sentence: &str, tokens: &[Token], speaker: Speaker) -> bool {
    let words = tokens.iter().filter(|token| token.word.starts_with(char::is_alphanumeric)).count();
    if !(FEWEST_WORDS..=MOST_WORDS).contains(&words) || is_no_prose(sentence, tokens) {
        return true;
    }
    if tokens.iter().any(|token| token.word == "?") {
        return true;
    }
    if says(PROMISES, tokens) {
        return says(&["i think", "maybe", "might", "if we", "could"], tokens);
    }
    says(EMPTY, tokens) || (speaker == Speaker::User && is_passing_order(tokens))
}

/// Whether the user orders something for the task at hand only.
fn is_passing_order(tokens: &[Token]) -> bool {
    let forbids = find("^ do not", tokens).is_some();
    let orders = (!forbids && opens_as_order(tokens))
        || find("^ i|we need|want|would like ~you|us to", tokens).is_some();
    (orders && !says(STANDING, tokens)) || ((orders || forbids) && says(PASSING, tokens))
}

/// Whether a sentence looks like code, a path or a line of a log rather than like words.
fn is_no_prose(sentence: &str, tokens: &[Token]) -> bool {
    let counted = sentence.chars().filter(|c| !c.is_whitespace()).count();
    let letters = sentence.chars().filter(|c| c.is_alphabetic()).count();
    let hidden = tokens.iter().filter(|token| token.word == HIDDEN).count();
    let digits = sentence.chars().filter(char::is_ascii_digit).count();
    letters * 2 < counted
        || (letters + digits) * 10 < counted * 7
        || hidden * 2 > tokens.len()
        || ["::", "();", "==", "&&", "||", "=>", "->", "{", "}", "</"].iter().any(|code| {
            // Inline code may hold anything; the words around it may not.
            sentence.contains(code) && !sentence.contains('`')
        })
}
