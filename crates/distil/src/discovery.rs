//! A question that was answered by reading code: what was asked, which files answered, what the answer is.

use super::finding::{Comparing, Finding, distilled, evidence, subject_of_turn};
use super::request::{Intent, intent};
use super::transcript::Turn;
use crate::causes::names_thing;
use crate::plain::{LineShape, account, lines};
use crate::sentences::sentences;
use crate::titles::{begins_pointing, title_of_request, weight, whole_title};
use backstory_memory::{Details, EvidenceKind, Kind, Provenance, WorkDetails, keywords, typed_words, words};
use backstory_store::OnRepeat;
use std::collections::HashSet;

/// A shorter answer can be had again for free.
const LEAST_ANSWER_CHARS: usize = 80;
const LEAST_WEIGHT: usize = 5;
/// A sentence that says so much can be understood alone.
const WEIGHTY: usize = 7;
/// So many words of the question stand in its answer.
const LEAST_SHARED: usize = 2;
const MOST_FILES: usize = 12;

/// Returns what a turn found out, if it changed nothing and answered a question from files it names.
pub(super) fn discovery(turn: &Turn<'_>) -> Option<Finding> {
    let (said, message) = turn.closing()?;
    let files = files(turn, message);
    let is_answer = intent(turn.prompt()) == Intent::Know && message.chars().count() >= LEAST_ANSWER_CHARS;
    if !is_answer || files.is_empty() {
        return None;
    }
    let title = answer(turn.prompt(), message)?;
    let details = WorkDetails { request: title_of_request(turn.prompt()), commits: Vec::new() };
    let mut content =
        distilled(Kind::Discovery, &title, &details.body(&account(message)), Provenance::Assistant);
    content.details = Some(Details::WorkDone(details));
    content.files = files;
    Some(Finding {
        subject: subject_of_turn("discovery", turn),
        content,
        events: evidence(turn.first().into_iter().chain([said])),
        at: said.at,
        again: OnRepeat::Replace,
        comparing: Comparing::Words,
        evidence: EvidenceKind::Words,
        relates_to: Vec::new(),
    })
}

/// The sentence that answers, as a title: of those that say how things are and speak to nobody, the one that shares most with the
/// question or names a thing. Any other needs the question beside it, and a title has no room for both.
fn answer(question: &str, message: &str) -> Option<String> {
    let is_addressed = |sentence: &str| {
        words(sentence).any(|word| {
            matches!(word.as_str(), "i" | "you" | "your" | "me" | "let" | "ll" | "ve" | "here" | "yes" | "no")
        })
    };
    let question_words: HashSet<String> = keywords(&typed_words(question)).into_iter().collect();
    let shared = |sentence: &str| {
        let words = keywords(sentence).iter().filter(|word| question_words.contains(*word)).count();
        // A sentence that names a thing of the code is worth as much as two words of the question.
        words + if names_thing(sentence) { LEAST_SHARED } else { 0 }
    };
    let lines = lines(message);
    let spoken = lines.iter().filter(|line| line.shape == LineShape::Text && !line.text.ends_with(':'));
    let says = |sentence: &&str| {
        weight(sentence) >= LEAST_WEIGHT && !is_addressed(sentence) && !sentence.ends_with('?')
    };
    let answers: Vec<&str> = spoken.flat_map(|line| sentences(&line.text)).filter(says).collect();
    let first = answers.first().copied().filter(|first| weight(first) >= WEIGHTY);
    let best = answers.into_iter().rev().max_by_key(|sentence| shared(sentence))?;
    // An answer that begins with a weighty sentence begins with the point.
    let best = first.filter(|_| shared(best) <= LEAST_SHARED).unwrap_or(best);
    let title = whole_title(best).filter(|title| !begins_pointing(title))?;
    (shared(best) >= LEAST_SHARED || weight(best) >= WEIGHTY).then_some(title)
}

/// Returns the files that were looked at and that the answer names.
fn files(turn: &Turn<'_>, answer: &str) -> Vec<String> {
    let named =
        |file: &&str| is_file(file) && file.rsplit('/').next().is_some_and(|name| answer.contains(name));
    turn.looked_at().into_iter().filter(named).take(MOST_FILES).map(str::to_owned).collect()
}

/// Searches are written `pattern in place`; a file has a name and no spaces.
fn is_file(at: &str) -> bool {
    !at.contains(' ') && at.rsplit('/').next().is_some_and(|name| name.contains('.')) && !at.contains('*')
}
