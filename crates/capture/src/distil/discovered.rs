//! A question that was answered by reading: what was asked, which files answered, what the answer is.

use super::asked::{Intent, gist, intent};
use super::finding::{Comparing, Finding, distilled, evidence, subject_of_turn};
use super::story::Turn;
use crate::Closing;
use backstory_memory::{Kind, title_from};
use backstory_store::Again;

/// Fewer words than this answer nothing that could not be asked again for free.
const LEAST_WORDS: usize = 6;
const MOST_FILES: usize = 12;

/// Returns what a turn found out, if it changed nothing and answered something.
pub(super) fn discovery(turn: &Turn<'_>, closing: &Closing) -> Option<Finding> {
    let looked = turn.looked_at();
    let (said, _) = turn.closing()?;
    let asked = gist(turn.prompt())?;
    let answer = match intent(turn.prompt()) {
        Intent::Know if !looked.is_empty() || turn.commands().next().is_some() => {
            closing.answer.as_ref().or(closing.claim.as_ref())?
        }
        // Asked for work, the agent read, changed nothing and said how things are: that is what was found out.
        Intent::Fix | Intent::Add | Intent::Rearrange | Intent::Unclear if !looked.is_empty() => {
            closing.answer.as_ref()?
        }
        _ => return None,
    };
    if answer.split_whitespace().count() < LEAST_WORDS {
        return None;
    }
    let title = closing.claim.clone().unwrap_or_else(|| title_from(answer));
    let mut content =
        distilled(Kind::Discovery, &title, &format!("Asked: {asked}\n\n{answer}"), turn.trust());
    content.facts = closing.learned.clone();
    let named = |file: &&&str| file.rsplit('/').next().is_some_and(|name| answer.contains(name));
    let (named, others): (Vec<&&str>, Vec<&&str>) = looked.iter().filter(|at| is_file(at)).partition(named);
    let files = if named.is_empty() { others } else { named };
    content.files = files.into_iter().take(MOST_FILES).map(|file| (*file).to_owned()).collect();
    Some(Finding {
        subject: subject_of_turn("discovery", turn),
        content,
        events: evidence(turn.first().into_iter().chain([said])),
        at: said.at,
        again: Again::Replaces,
        comparing: Comparing::Words,
        relates_to: Vec::new(),
    })
}

/// Searches are written `pattern in place`; a file has a name and no spaces.
fn is_file(at: &str) -> bool {
    !at.contains(' ') && at.rsplit('/').next().is_some_and(|name| name.contains('.')) && !at.contains('*')
}
