//! The session as a whole: what was asked, looked into, done and decided, and what comes next. Kept current turn by turn.

use super::finding::{Comparing, Finding, distilled, evidence, subject};
use super::session_notes::SessionNotes;
use super::transcript::Turn;
use crate::titles::title_of;
use backstory_memory::{Details, EvidenceKind, Kind, Provenance, SummaryDetails};
use backstory_store::{OnRepeat, Session};

/// Fewer pieces of work say it all themselves.
const LEAST_FINDINGS: usize = 4;
const MOST_ITEMS: usize = 6;
const MOST_FILES: usize = 24;

/// Summarises a session that did more than one thing.
pub(super) fn summary(session: &Session, notes: &SessionNotes<'_>) -> Option<Finding> {
    let completed = notes.titles(&[Kind::Feature, Kind::Bugfix, Kind::Refactor, Kind::Change]);
    let learned = notes.titles(&[Kind::Discovery, Kind::Fact, Kind::Failure]);
    let decided = notes.titles(&[Kind::Decision, Kind::Goal]);
    if completed.len() < LEAST_FINDINGS {
        return None;
    }
    let title = format!("{}, and {} more pieces of work", completed.first()?, completed.len() - 1);
    let details = SummaryDetails {
        requests: Vec::new(),
        investigated: Vec::new(),
        learned: items(learned.into_iter()),
        completed: items(completed.into_iter()),
        decisions: items(decided.into_iter()),
        next_steps: items(notes.next_steps().into_iter()),
    };
    let mut content = distilled(Kind::Summary, &title_of(&title), &details.body(), Provenance::Assistant);
    content.details = Some(Details::Summary(details));
    content.files =
        unique(notes.findings.iter().flat_map(|finding| finding.content.files.clone()), MOST_FILES);
    content.concepts =
        unique(notes.findings.iter().flat_map(|finding| finding.content.concepts.clone()), MOST_ITEMS * 2);
    let said = notes.turns.iter().filter_map(|turn| turn.closing().map(|(entry, _)| entry));
    Some(Finding {
        subject: of_session("summary", session),
        content,
        events: evidence(said),
        at: notes.turns.last()?.last()?.at,
        again: OnRepeat::Replace,
        comparing: Comparing::Not,
        evidence: evidence_of(notes.turns),
        relates_to: Vec::new(),
    })
}

/// The subject of something there is one of in a session.
pub(super) fn of_session(sort: &str, session: &Session) -> backstory_memory::Digest {
    subject(sort, &[session.host.as_bytes(), session.host_session.as_bytes()])
}

/// Whether something was done in the session, or only said.
pub(super) fn evidence_of(turns: &[Turn<'_>]) -> EvidenceKind {
    if turns.iter().any(Turn::did_something) { EvidenceKind::Structure } else { EvidenceKind::Words }
}

/// Returns the items of one line of a summary or a handoff, each once.
pub(super) fn items(items: impl Iterator<Item = String>) -> Vec<String> {
    unique(items, MOST_ITEMS)
}

/// The last of a list, where it is too long: what was finished first is what somebody asks for least.
pub(super) fn newest_items(items: Vec<String>) -> Vec<String> {
    let mut newest = unique(items.into_iter().rev(), MOST_ITEMS);
    newest.reverse();
    newest
}

fn unique(items: impl Iterator<Item = String>, most: usize) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for item in items {
        if kept.len() < most && !kept.contains(&item) {
            kept.push(item);
        }
    }
    kept
}
