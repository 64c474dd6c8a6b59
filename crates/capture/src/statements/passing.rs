//! What a user says of the moment: what lies on the screen, what they have just done, what they saw happen. None of it holds tomorrow.
//!
//! Not here: orders for the task at hand (`silence`).

use crate::prose::{Patterns, Token};

/// Whether a user's sentence is about the moment. A reason makes it more than that.
pub(super) fn is_of_the_moment(tokens: &[Token]) -> bool {
    POINTING.are_in(tokens)
        || names_an_option(tokens)
        || (!REASONS.are_in(tokens) && (DEEDS.are_in(tokens) || SEEN.are_in(tokens)))
}

/// What is pointed at is gone with the screen it was on.
static POINTING: Patterns = Patterns::new(&[
    "the other|first|second|third|last|latter|former one|file|way|branch|approach|option|version",
    "this|that one",
    "for now",
    "for testing",
    "try|run|do it ~once again",
    "try again",
    "ignore|revert|undo|skip it|that|this",
    "next task|item|ticket|step",
    "the wrong file|one|branch|folder|line|version|directory",
    "my changes",
    "be quick",
]);

/// What somebody did with their own hands is a report.
static DEEDS: Patterns = Patterns::new(&[
    "^ i ~have ~just|already added|moved|set|changed|updated|removed|deleted|renamed|pushed|committed|restarted|copied|installed|reverted|merged|rebased|tried|tested|checked|opened|closed|edited|put|pasted|saved",
    "^ i am ~just keeping|leaving|going|taking|moving|heading|trying|testing|looking",
    "^ we are ~just moving|going on|back|ahead",
]);

/// What somebody saw a program do is an observation: "always returns null for me".
static SEEN: Patterns = Patterns::new(&[
    "^ always|never|sometimes|still returns|fails|throws|crashes|gives|shows|prints|hangs|happens|works|says|breaks",
    "^ it|this|that ~still|now|only|always|never works|fails|crashes|hangs|returns|throws|breaks|happens",
]);

static REASONS: Patterns = Patterns::new(&["because", "since", "so that", "otherwise"]);

/// "Option 2", "option B": which one that is stands in a list that nobody will see again.
fn names_an_option(tokens: &[Token]) -> bool {
    let is_letter = |word: &str| word.len() == 1 && word.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_name = |word: &str| is_letter(word) || word.bytes().all(|byte| byte.is_ascii_digit());
    let mut pairs = tokens.iter().zip(tokens.iter().skip(1));
    pairs.any(|(one, two)| one.word == "option" && is_name(&two.word))
}
