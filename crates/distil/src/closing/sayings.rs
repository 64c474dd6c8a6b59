//! What one sentence of a closing message says.
//!
//! Not here: the phrases (`phrases`), and which of the sentences stand for the message (`closing`).

use super::line::{item, title};
use super::phrases::{
    ANNOUNCEMENTS, ASIDE_HEADINGS, CHOICES, DONE, HOLLOW, HOLLOW_WORK, LEANED_ON, LEANING, LEARNED,
    LEARNED_OPENINGS, LOOKED, NEXT_HEADINGS, NEXT_OPENINGS, NEXT_SENTENCES, NO_STEPS, OFFERS, OPENINGS,
    QUESTION_OPENINGS, RHETORICAL, WORK_HEADINGS, WORK_LABELS, WORK_OPENINGS,
};
use crate::prose::{Patterns, Token, fold};

/// What a part of a message is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Topic {
    /// What was done or found.
    Work,
    NextSteps,
    /// Tests, commands, files: nothing a title is made of.
    Aside,
}

/// What a sentence says.
#[derive(Debug)]
pub(super) enum Saying {
    Nothing,
    /// That work was done, but not which.
    SomeWork,
    Work {
        title: String,
        leans: bool,
    },
    Fact {
        title: String,
        leans: bool,
    },
    NextStep(String),
    Question {
        text: String,
        asks_user: bool,
    },
}

const FEWEST_WORDS: usize = 3;
/// A label is a few words before a colon.
const MOST_LABEL_TOKENS: usize = 5;

/// Returns what stands under a heading or after a lead.
pub(super) fn topic(heading: &str) -> Topic {
    topic_of(&fold(heading))
}

fn topic_of(tokens: &[Token]) -> Topic {
    if NEXT_HEADINGS.are_in(tokens) {
        Topic::NextSteps
    } else if ASIDE_HEADINGS.are_in(tokens) {
        Topic::Aside
    } else {
        Topic::Work
    }
}

/// Whether what stands under a heading or after a lead was done.
pub(super) fn announces_work(heading: &str) -> bool {
    WORK_HEADINGS.are_in(&fold(heading))
}

/// Returns what a sentence says.
pub(super) fn saying(sentence: &str) -> Saying {
    let all = fold(sentence);
    if all.last().is_some_and(|last| last.word == "?") {
        return question(sentence, &all);
    }
    if OFFERS.are_in(&all) {
        return Saying::Nothing;
    }
    let (label, rest) = labelled(&all);
    match topic_of(label) {
        Topic::NextSteps => return step(sentence, rest),
        Topic::Aside => return Saying::Nothing,
        Topic::Work => {}
    }
    if NEXT_SENTENCES.are_in(&all) {
        return step(sentence, &all);
    }
    claimed(sentence, &all)
}

fn claimed(sentence: &str, all: &[Token]) -> Saying {
    let tokens = without(&OPENINGS, all);
    if HOLLOW_WORK.are_in(tokens) {
        return Saying::SomeWork;
    }
    let says_work =
        WORK_OPENINGS.are_in(tokens) || DONE.are_in(tokens) || WORK_LABELS.are_in(labelled(all).0);
    let tokens = without(&LOOKED, tokens);
    let words = tokens
        .iter()
        .filter(|token| token.word.starts_with(|c: char| c.is_alphanumeric() || c == '§'))
        .count();
    if words < FEWEST_WORDS || HOLLOW.are_in(tokens) {
        // "Nothing had to change: the type is in use everywhere" says it after the colon.
        if let (_, rest @ [_, ..]) = parted(tokens) {
            return claimed(sentence, rest);
        }
        return if says_work { Saying::SomeWork } else { Saying::Nothing };
    }
    let leans = LEANING.are_in(tokens) || LEANED_ON.are_in(tokens.get(1..).unwrap_or_default());
    match (title(from(sentence, tokens)), says_work) {
        (title, true) => Saying::Work { title, leans },
        (title, false) => Saying::Fact { title, leans },
    }
}

/// Returns a sentence without what only announces it: "Short answer: …".
pub(super) fn unannounced(sentence: &str) -> &str {
    from(sentence, without(&ANNOUNCEMENTS, &fold(sentence)))
}

/// Returns the step a sentence names, without "you may want to".
pub(super) fn next_step(sentence: &str) -> Option<String> {
    let all = fold(sentence);
    match (OFFERS.are_in(&all), step(sentence, &all)) {
        (false, Saying::NextStep(step)) => Some(step),
        _ => None,
    }
}

fn step(sentence: &str, tokens: &[Token]) -> Saying {
    if NO_STEPS.are_in(tokens) {
        return Saying::Nothing;
    }
    let line = item(from(sentence, without(&NEXT_OPENINGS, tokens)));
    if line.contains(' ') { Saying::NextStep(line) } else { Saying::Nothing }
}

fn question(sentence: &str, all: &[Token]) -> Saying {
    // "One thing is open: should it …?" asks what follows the colon.
    let question = all
        .iter()
        .rposition(|token| token.word == ":")
        .and_then(|at| all.get(at + 1..))
        .filter(|rest| QUESTION_OPENINGS.are_in(rest))
        .unwrap_or(all);
    let is_offer = OFFERS.are_in(question) && !CHOICES.are_in(question);
    if is_offer || question.len() <= FEWEST_WORDS {
        return Saying::Nothing;
    }
    Saying::Question {
        text: item(from(sentence, without(&OPENINGS, question))),
        asks_user: !RHETORICAL.are_in(question),
    }
}

/// Returns what a sentence says that the agent came upon.
pub(super) fn learned(sentence: &str) -> Option<String> {
    let all = fold(sentence);
    let is_learned =
        LEARNED.are_in(&all) && !OFFERS.are_in(&all) && all.last().is_none_or(|last| last.word != "?");
    let line = item(from(sentence, without(&LEARNED_OPENINGS, &all)));
    (is_learned && line.contains(' ')).then_some(line)
}

/// A sentence's label and what it labels: "Root cause: …".
fn labelled(tokens: &[Token]) -> (&[Token], &[Token]) {
    let (label, rest) = parted(tokens);
    if label.len() < MOST_LABEL_TOKENS && !rest.is_empty() { (label, rest) } else { (&[], tokens) }
}

/// What stands before and after the first colon.
fn parted(tokens: &[Token]) -> (&[Token], &[Token]) {
    let colon = tokens.iter().position(|token| token.word == ":").unwrap_or(tokens.len());
    (tokens.get(..colon).unwrap_or_default(), tokens.get(colon + 1..).unwrap_or_default())
}

/// Skips openings as long as words are left.
fn without<'a>(openings: &Patterns, mut tokens: &'a [Token]) -> &'a [Token] {
    while let Some(rest) = openings.find(tokens).and_then(|found| tokens.get(found.end..)) {
        if rest.is_empty() {
            break;
        }
        tokens = rest;
    }
    tokens
}

fn from<'a>(sentence: &'a str, tokens: &[Token]) -> &'a str {
    tokens.first().and_then(|token| sentence.get(token.start..)).unwrap_or_default()
}
