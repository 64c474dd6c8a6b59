//! Where the work stands, for whoever goes on: made when a session ends and before its context is compacted.
//!
//! It says what was asked last and what became of it: what is in flight, what waits, what fails, what is not committed, what was
//! decided and not done. The agent's closing message counts for little in it.

use super::finding::{Comparing, Finding, distilled, evidence};
use super::session_notes::SessionNotes;
use super::summary::{evidence_of, items, of_session};
use super::transcript::Turn;
use crate::remote::remote_state;
use crate::titles::{request_title, title_of};
use crate::work::PieceOfWork;
use backstory_memory::{Details, HandoffDetails, Kind, Provenance};
use backstory_store::{OnRepeat, Session};

/// How things lie in the project's folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct WorkTreeState {
    /// The branch that is checked out.
    pub(super) branch: Option<String>,
    /// Files with changes nobody committed.
    pub(super) dirty: Vec<String>,
}

/// Tells where the work stands; nothing where nothing was done and nothing is open.
pub(super) fn handoff(
    session: &Session,
    notes: &SessionNotes<'_>,
    last_piece: Option<&PieceOfWork<'_>>,
    red: Vec<String>,
    tree: &WorkTreeState,
) -> Option<Finding> {
    let last = notes.last_work();
    let dirty = last_piece.map(|piece| uncommitted(piece, tree)).unwrap_or_default();
    // The last piece may be none worth a memory, and is still where the work stands.
    let is_kept = |piece: &&PieceOfWork<'_>| piece.finding(notes.tasks).is_some();
    let not_kept = last_piece.filter(|piece| !is_kept(piece));
    let not_kept = not_kept.and_then(|piece| piece.title(notes.tasks).or_else(|| piece.file_names()));
    let last_done = not_kept.or_else(|| last.map(|finding| finding.content.title.clone()));
    let in_flight = notes.in_flight();
    let details = HandoffDetails {
        last_request: notes.last_words_of_user().filter(|_| in_flight.is_empty()),
        last_done,
        in_flight: items(in_flight.into_iter()),
        next_steps: items(notes.next_steps().into_iter()),
        open_questions: items(notes.questions().into_iter()),
        failing_tests: items(red.into_iter()),
        branch: tree.branch.clone(),
        dirty_files: items(dirty.into_iter()),
        undone_decisions: items(notes.undone_decisions().into_iter()),
        remote: remote_state(notes.turns),
        closing_words: notes.closing_words(),
    };
    let title = title(&details)?;
    let mut content = distilled(Kind::Handoff, &title, &details.body(), Provenance::Assistant);
    content.details = Some(Details::Handoff(details));
    content.files = last.map(|finding| finding.content.files.clone()).unwrap_or_default();
    let last_turn: &Turn<'_> = notes.turns.last()?;
    Some(Finding {
        subject: of_session("handoff", session),
        content,
        events: evidence(last_turn.first().into_iter().chain(last_turn.last())),
        at: last_turn.last()?.at,
        again: OnRepeat::Replace,
        comparing: Comparing::Not,
        evidence: evidence_of(notes.turns),
        relates_to: Vec::new(),
    })
}

/// The files of the last piece that are not committed; without a commit of the session, everything that is not.
fn uncommitted(piece: &PieceOfWork<'_>, tree: &WorkTreeState) -> Vec<String> {
    let is_of_piece = |file: &&String| piece.files().contains(&file.as_str());
    let own: Vec<String> = tree.dirty.iter().filter(is_of_piece).cloned().collect();
    if own.is_empty() && !piece.is_committed() { tree.dirty.clone() } else { own }
}

/// The state in a line: what is open first, else what was done.
fn title(details: &HandoffDetails) -> Option<String> {
    let done = details.last_done.as_deref();
    let begun =
        details.in_flight.iter().find_map(|begun| request_title(begun).filter(|request| request.is_whole));
    let (state, what) = match () {
        () if begun.is_some() => ("In progress", begun.as_ref().map(|request| request.title.as_str())),
        () if !details.failing_tests.is_empty() => {
            ("Still failing", details.failing_tests.first().map(String::as_str))
        }
        () if !details.dirty_files.is_empty() && done.is_some() => ("Not committed", done),
        () if !details.next_steps.is_empty() => ("Next", details.next_steps.first().map(String::as_str)),
        () if !details.undone_decisions.is_empty() => {
            ("Decided, not done", details.undone_decisions.first().map(String::as_str))
        }
        () if !details.in_flight.is_empty() && done.is_some() => ("Interrupted after", done),
        () if done.is_some() => ("Done", done),
        () if !details.in_flight.is_empty() => ("Interrupted", details.in_flight.first().map(String::as_str)),
        () => ("Waiting for an answer", details.open_questions.first().map(String::as_str)),
    };
    what.map(|what| title_of(&format!("{state}: {what}")))
}
