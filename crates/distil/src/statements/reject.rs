//! The third stage: which sentences state nothing that holds. Silence beats noise, so doubt falls on this side.
//!
//! Questions, hedges, hypotheticals, plans, politeness, orders for the task at hand, reports of what others said, and
//! shapes that are no prose. Not here: what a sentence that does state something means (`classifier`).

mod wording;

use super::Speaker;
use crate::prose::{HIDDEN, Passage, PassageShape, Patterns, Token, fold, is_foreign};
use wording::{
    DOCUMENTS, EMPTY, FILLERS, MOMENTARY, OPINIONS, ORDERS, PROMISES, QUOTING_LEADS, SILENT_SECTIONS,
    STANDING,
};

const FEWEST_WORDS: usize = 3;
const MOST_WORDS: usize = 60;
/// Longer ones are checked no further: they are pasted text more often than a statement.
pub(super) const MOST_BYTES: usize = 500;

/// Whether a passage, by its shape or by what it stands under, says nothing that holds.
pub(super) fn is_silent_passage(passage: &Passage<'_>) -> bool {
    let is_task = passage.text.starts_with("[ ]") || passage.text.starts_with("[x]");
    matches!(passage.shape, PassageShape::Heading | PassageShape::Lead)
        || is_task
        || passage.section.is_some_and(is_silent_section)
        || (passage.shape == PassageShape::Item && passage.lead.is_some_and(is_silent_section))
}

fn is_silent_section(heading: &str) -> bool {
    let heading = heading.to_lowercase().replace('’', "'");
    SILENT_SECTIONS.iter().any(|silent| heading.contains(silent))
}

/// Whether from this passage on a user's text is somebody else's: a pasted document, ticket or prompt.
pub(super) fn opens_quotation(passage: &Passage<'_>, speaker: Speaker) -> bool {
    let opens = match passage.shape {
        PassageShape::Heading => {
            let heading = passage.text.to_lowercase();
            DOCUMENTS.iter().any(|document| heading.contains(document))
        }
        PassageShape::Lead => QUOTING_LEADS.are_in(&fold(passage.text)),
        PassageShape::Paragraph | PassageShape::Item => is_foreign(passage.text),
    };
    speaker == Speaker::User && opens
}

/// Whether a sentence gives an opinion.
pub(super) fn is_opinion(tokens: &[Token]) -> bool {
    OPINIONS.are_in(tokens)
}

/// Whether a sentence opens like an order or a question.
pub(super) fn opens_as_order(tokens: &[Token]) -> bool {
    tokens.first().is_some_and(|first| ORDERS.contains(&first.word.as_str())) && !is_subject(tokens)
}

/// "Commit messages are …": a word that could be an order names a sort of things, of which something is said.
fn is_subject(tokens: &[Token]) -> bool {
    let is_one_of =
        |at: usize, words: &[&str]| tokens.get(at).is_some_and(|token| words.contains(&token.word.as_str()));
    is_one_of(0, NAMING)
        && tokens.get(1).is_some_and(|things| {
            things.word.ends_with('s') || things.word.bytes().all(|byte| byte.is_ascii_digit())
        })
        && is_one_of(2, FINITE)
}

const NAMING: &[&str] = &["commit", "release", "test", "build", "review", "search", "port"];
const FINITE: &[&str] =
    &["is", "are", "go", "must", "should", "need", "use", "live", "come", "start", "follow", "have", "run"];

/// Clauses that state what holds, beside an order for the task at hand: "Add a picker, and remember: we never …".
static RULE_CLAUSES: Patterns = Patterns::new(&[
    "^ ~and|but|also ~please remember|note ~that|:|,",
    "^ ~and|but|also ~please keep in mind",
    "^ ~and|but|also we always|never|only",
]);

/// Returns the part of a user's sentence that states a rule, where the sentence begins as an order.
pub(super) fn beside_order(sentence: &str, speaker: Speaker) -> Option<&str> {
    let tokens = fold(sentence);
    if speaker != Speaker::User || !opens_as_order(without_fillers(&tokens)) {
        return None;
    }
    let ends =
        tokens.iter().enumerate().filter(|(_, token)| [",", ";", ":", "."].contains(&token.word.as_str()));
    let clauses = ends.filter_map(|(at, _)| tokens.get(at + 1..));
    let clause = clauses.into_iter().find(|clause| RULE_CLAUSES.are_in(clause))?;
    sentence.get(clause.first()?.start..)
}

/// Skips openings that carry no meaning, such as "so," or "by the way".
pub(super) fn without_fillers(mut tokens: &[Token]) -> &[Token] {
    while let Some(found) = FILLERS.find(tokens) {
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
    if PROMISES.are_in(tokens) {
        return DOUBTS.are_in(tokens);
    }
    EMPTY.are_in(tokens) || (speaker == Speaker::User && is_momentary_order(tokens))
}

static FORBIDS: Patterns = Patterns::new(&["^ do not"]);
/// "Use a map here" is for the code at hand, "use ruff" for the project.
static WISHES: Patterns = Patterns::new(&[
    "^ i|we need|want|would like ~you|us to",
    "^ use a|an",
    "^ use the|this|that * here",
    "^ log|print the|this|that|it",
]);
static OF_THE_CODE: Patterns = Patterns::new(&["^ use * here"]);
/// "Use tabs here, not spaces" settles which of two the project has.
static NAMES_BOTH: Patterns = Patterns::new(&["^ use * here , ~and not|never *"]);
/// What takes a promise back.
static DOUBTS: Patterns = Patterns::new(&["i think", "maybe", "might", "if we", "could"]);

/// Whether the user orders something for the task at hand only.
fn is_momentary_order(tokens: &[Token]) -> bool {
    let forbids = FORBIDS.are_in(tokens);
    let wishes = WISHES.are_in(tokens) || (OF_THE_CODE.are_in(tokens) && !NAMES_BOTH.are_in(tokens));
    let orders = (!forbids && opens_as_order(tokens)) || wishes;
    (orders && !STANDING.are_in(tokens)) || ((orders || forbids) && MOMENTARY.are_in(tokens))
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
