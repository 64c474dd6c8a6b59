//! A question that was answered by reading code: what was asked, which files answered, what the answer is.

use super::finding::{Comparing, Finding, distilled, evidence, subject_of_turn};
use super::request::{Intent, intent};
use super::transcript::Turn;
use crate::plain::{LineShape, account, lines};
use crate::sentences::sentences;
use crate::titles::{title_of, title_of_request, weight};
use backstory_memory::{Details, EvidenceKind, Kind, Provenance, WorkDetails, words};
use backstory_store::OnRepeat;

/// A shorter answer can be had again for free.
const LEAST_ANSWER_CHARS: usize = 80;
const LEAST_WEIGHT: usize = 5;
const MOST_FILES: usize = 12;

/// Returns what a turn found out, if it changed nothing and answered a question from files it names.
pub(super) fn discovery(turn: &Turn<'_>) -> Option<Finding> {
    let (said, message) = turn.closing()?;
    let files = files(turn, message);
    let is_answer = intent(turn.prompt()) == Intent::Know && message.chars().count() >= LEAST_ANSWER_CHARS;
    if !is_answer || files.is_empty() {
        return None;
    }
    let title = answer(message)?;
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

/// The first sentence that says how things are, as a title: nobody speaks to somebody in it.
fn answer(message: &str) -> Option<String> {
    let is_addressed = |sentence: &str| {
        words(sentence).any(|word| {
            matches!(word.as_str(), "i" | "you" | "your" | "me" | "let" | "ll" | "ve" | "here" | "yes" | "no")
        })
    };
    let lines = lines(message);
    let spoken = lines.iter().filter(|line| line.shape == LineShape::Text && !line.text.ends_with(':'));
    let says = |sentence: &&str| {
        weight(sentence) >= LEAST_WEIGHT && !is_addressed(sentence) && !sentence.ends_with('?')
    };
    spoken.flat_map(|line| sentences(&line.text)).find(says).map(title_of)
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
