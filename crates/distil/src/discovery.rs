//! A question that was answered by reading: what was asked, which files answered, what the answer is.

use super::finding::{Comparing, Finding, distilled, evidence, subject_of_turn};
use super::request::{Intent, intent, subject_of_prompt};
use super::transcript::Turn;
use crate::Closing;
use crate::prose::own_words;
use backstory_memory::{Details, EvidenceKind, Kind, Provenance, WorkDetails, title_from};
use backstory_store::OnRepeat;

/// Fewer words than this answer nothing that could not be asked again for free.
const LEAST_WORDS: usize = 6;
const MOST_FILES: usize = 12;

/// Returns what a turn found out, if it changed nothing and answered something.
pub(super) fn discovery(turn: &Turn<'_>, closing: &Closing) -> Option<Finding> {
    let (said, message) = turn.closing()?;
    let request = subject_of_prompt(turn.prompt())?;
    let answer = answer(turn, closing)?;
    let title = closing.claim.clone().unwrap_or_else(|| title_from(answer));
    let words = Some(own_words(message)).filter(|words| !words.is_empty());
    let details = WorkDetails { request: Some(request), commits: Vec::new() };
    let body = details.body(words.as_deref().unwrap_or(answer));
    let mut content = distilled(Kind::Discovery, &title, &body, Provenance::Assistant);
    content.facts = closing.learned.clone();
    content.details = Some(Details::WorkDone(details));
    content.files = files(turn, &body);
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

/// Returns the answer to a question, or how things are where the agent was asked for work, read, and changed nothing.
fn answer<'a>(turn: &Turn<'_>, closing: &'a Closing) -> Option<&'a str> {
    let has_read = !turn.looked_at().is_empty();
    let answer = match intent(turn.prompt()) {
        Intent::Know if has_read || turn.commands().next().is_some() => {
            closing.answer.as_ref().or(closing.claim.as_ref())?
        }
        Intent::Fix | Intent::Add | Intent::Rearrange | Intent::Unclear if has_read => {
            closing.answer.as_ref()?
        }
        _ => return None,
    };
    (answer.split_whitespace().count() >= LEAST_WORDS).then_some(answer)
}

/// Returns the files that were looked at: those the answer names, if it names any.
fn files(turn: &Turn<'_>, answer: &str) -> Vec<String> {
    let looked = turn.looked_at();
    let named = |file: &&&str| file.rsplit('/').next().is_some_and(|name| answer.contains(name));
    let (named, others): (Vec<&&str>, Vec<&&str>) = looked.iter().filter(|at| is_file(at)).partition(named);
    let files = if named.is_empty() { others } else { named };
    files.into_iter().take(MOST_FILES).map(|file| (*file).to_owned()).collect()
}

/// Searches are written `pattern in place`; a file has a name and no spaces.
fn is_file(at: &str) -> bool {
    !at.contains(' ') && at.rsplit('/').next().is_some_and(|name| name.contains('.')) && !at.contains('*')
}
