//! The session as a whole: what was asked, looked into, learnt, done and decided, and what comes next. Kept current turn by turn.

use super::finding::{Comparing, Finding, distilled, evidence, subject};
use super::request::{Intent, intent, subject_of_prompt};
use super::session_notes::SessionNotes;
use super::transcript::Turn;
use backstory_memory::{Details, EvidenceKind, Kind, Provenance, SummaryDetails};
use backstory_store::{OnRepeat, Session};

/// A session that only stated something and was asked for less needs no summary: what it stated says it all.
const LEAST_REQUESTS: usize = 3;
const MOST_ITEMS: usize = 6;
const MOST_FILES: usize = 24;

/// Summarises a session.
pub(super) fn summary(session: &Session, turns: &[Turn<'_>], notes: &SessionNotes<'_>) -> Option<Finding> {
    let asks = |turn: &Turn<'_>| {
        subject_of_prompt(turn.prompt()).filter(|_| intent(turn.prompt()) != Intent::Unclear)
    };
    let requests: Vec<String> = turns.iter().filter_map(asks).collect();
    let kinds = notes.findings.iter().map(|finding| finding.content.kind);
    let mut kinds = kinds.chain(notes.stated_before.iter().map(|memory| memory.content.kind));
    // A note tells what was asked and answered; without more, a summary would only list the questions.
    let has_more = kinds.any(|kind| kind != Kind::Note);
    if notes.stands_at().is_none() && (requests.len() < LEAST_REQUESTS || !has_more) {
        return None;
    }
    let request = turns.iter().find_map(|turn| subject_of_prompt(turn.prompt()))?;
    let completed = notes.titles(&[Kind::Feature, Kind::Bugfix, Kind::Refactor, Kind::Change]);
    let found = notes.titles(&[Kind::Discovery]);
    let learned = notes.titles(&[Kind::Fact, Kind::Rule]);
    let decided = notes.titles(&[Kind::Decision, Kind::Goal]);
    let looked = turns.iter().flat_map(Turn::looked_at).collect::<Vec<_>>();
    let title = completed.first().or(found.first()).unwrap_or(&request).clone();
    let details = SummaryDetails {
        requests: items(std::iter::once(request.clone()).chain(requests)),
        investigated: items(looked.into_iter().map(str::to_owned)),
        learned: items(found.into_iter().chain(learned).chain(notes.learned())),
        completed: items(completed.into_iter()),
        decisions: items(decided.into_iter()),
        next_steps: items(notes.next_steps().into_iter()),
    };
    let mut content = distilled(Kind::Summary, &title, &details.body(), Provenance::Assistant);
    content.details = Some(Details::Summary(details));
    content.files =
        unique(notes.findings.iter().flat_map(|finding| finding.content.files.clone()), MOST_FILES);
    content.concepts =
        unique(notes.findings.iter().flat_map(|finding| finding.content.concepts.clone()), MOST_ITEMS * 2);
    let said = turns.iter().filter_map(|turn| turn.closing().map(|(entry, _)| entry));
    Some(Finding {
        subject: of_session("summary", session),
        content,
        events: evidence(said),
        at: turns.last()?.last()?.at,
        again: OnRepeat::Replace,
        comparing: Comparing::Not,
        evidence: evidence_of(turns),
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

fn unique(items: impl Iterator<Item = String>, most: usize) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for item in items {
        if kept.len() < most && !kept.contains(&item) {
            kept.push(item);
        }
    }
    kept
}
