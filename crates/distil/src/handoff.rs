//! Where the work stands, for whoever goes on: made when a session ends and before its context is compacted.

use super::finding::{Comparing, Finding, distilled, evidence};
use super::session_notes::SessionNotes;
use super::summary::{evidence_of, items, of_session};
use super::transcript::Turn;
use backstory_memory::{Details, HandoffDetails, Kind, Provenance, title_from};
use backstory_store::{OnRepeat, Session};

/// How things lie in the project's folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct WorkTreeState {
    /// The branch that is checked out.
    pub(super) branch: Option<String>,
    /// Files with changes nobody committed.
    pub(super) dirty: Vec<String>,
}

/// Tells where the work stands; nothing where no work was done and nothing is open.
pub(super) fn handoff(
    session: &Session,
    turns: &[Turn<'_>],
    notes: &SessionNotes<'_>,
    red: Vec<String>,
    tree: &WorkTreeState,
) -> Option<Finding> {
    let stands_at = notes.stands_at();
    let (next, questions) = (notes.next_steps(), notes.questions());
    let did_work = stands_at.is_some_and(|finding| finding.content.kind != Kind::Discovery);
    // A question that was answered leaves nothing to go on with: its discovery says it all.
    if !did_work && next.is_empty() && questions.is_empty() && red.is_empty() {
        return None;
    }
    let last = stands_at.map(|finding| finding.content.title.clone());
    let title = match (next.first(), red.first(), &last) {
        (Some(step), _, _) => format!("Next: {step}"),
        (None, Some(test), _) => format!("Still failing: {test}"),
        (None, None, Some(done)) if is_cut_off(turns) => format!("In the middle of: {done}"),
        (None, None, Some(done)) => match questions.first() {
            Some(question) => format!("Open question: {question}"),
            None if !tree.dirty.is_empty() => format!("Not committed yet: {done}"),
            None => format!("Done, nothing open: {done}"),
        },
        (None, None, None) => return None,
    };
    let details = HandoffDetails {
        last_done: last,
        next_steps: items(next.into_iter()),
        open_questions: items(questions.into_iter()),
        failing_tests: items(red.into_iter()),
        branch: tree.branch.clone(),
        dirty_files: items(tree.dirty.iter().cloned()),
    };
    let mut content = distilled(Kind::Handoff, &title_from(&title), &details.body(), Provenance::Assistant);
    content.details = Some(Details::Handoff(details));
    content.files = stands_at.map(|finding| finding.content.files.clone()).unwrap_or_default();
    let last_turn = turns.last()?;
    Some(Finding {
        subject: of_session("handoff", session),
        content,
        events: evidence(last_turn.first().into_iter().chain(last_turn.last())),
        at: last_turn.last()?.at,
        again: OnRepeat::Replace,
        comparing: Comparing::Not,
        evidence: evidence_of(turns),
        relates_to: Vec::new(),
    })
}

/// Whether the last turn was interrupted, or goes on: the agent has not closed it.
fn is_cut_off(turns: &[Turn<'_>]) -> bool {
    turns.last().is_some_and(|turn| turn.closing().is_none())
}
