//! Everything worth a memory in the turns of a session, and what earlier runs made of them.
//!
//! Not here: how one turn is read (`work`, `discovery`, `stated`, …), what becomes of a finding (`reconcile`).

use crate::failure_tracker::{FailureTracker, FixContext};
use crate::finding::{Comparing, Finding, subject_of_turn};
use crate::handoff::{self, WorkTreeState};
use crate::pipeline::GIT_PATIENCE;
use crate::session_notes::SessionNotes;
use crate::transcript::Turn;
use crate::{
    Closing, DistilTrigger, Distillation, choice, closing, discovery, discussion, stated, summary, work,
};
use backstory_capture::git;
use backstory_memory::{ChangedSymbol, Content, Digest, EvidenceKind, Kind, Memory};
use backstory_store::{OnRepeat, Session, Store, StoreError};
use std::collections::HashMap;

/// Finds everything worth a memory.
pub(super) fn findings(
    store: &Store,
    session: &Session,
    turns: &[Turn<'_>],
    code: &[ChangedSymbol],
    how: &Distillation<'_>,
) -> Result<Vec<Finding>, StoreError> {
    let failures = FailureTracker::follow(turns);
    let recent = turns.len().saturating_sub(RECENT_TURNS);
    let read = |(at, turn): (usize, &Turn<'_>)| match turn.closing() {
        Some((_, message)) if at >= recent => closing(message),
        _ => Closing::default(),
    };
    let closings: Vec<Closing> = turns.iter().enumerate().map(read).collect();
    let mut findings: Vec<Finding> = Vec::new();
    let mut fix_contexts: HashMap<usize, FixContext> = HashMap::new();
    for (at, (turn, closing)) in turns.iter().zip(&closings).enumerate() {
        let known = as_known(store, session, turn)?;
        let found = || {
            work::TurnWork::from_turn(at, turn, closing, &failures, code)
                .and_then(|work| work.finding())
                // What was found out while a failure was mended is told with the failure.
                .or_else(|| match failures.fixes(at) {
                    true => None,
                    false => discovery::discovery(turn, closing),
                })
        };
        // What is over is told as it was then; what goes on is looked at again, and may have less to say now than it had.
        let done = if is_fresh(turn, session) { found().or(known) } else { known.or_else(found) };
        let did_work = done.as_ref().is_some_and(|done| done.content.kind != Kind::Discovery);
        let context = match done.as_ref().filter(|_| did_work) {
            Some(done) => Some(FixContext { work: Some(done.subject), summary: done.content.title.clone() }),
            None => closing.claim.clone().map(|summary| FixContext { work: None, summary }),
        };
        fix_contexts.extend(context.map(|context| (at, context)));
        let is_to_be_read = is_fresh(turn, session) || how.trigger == DistilTrigger::OnDemand;
        let stated = if is_to_be_read { stated::stated(turn, done.as_ref()) } else { Vec::new() };
        let talked = if is_to_be_read && done.is_none() { discussion::talk(turn, &stated) } else { None };
        let before = at.checked_sub(1).and_then(|before| turns.get(before)).filter(|_| is_to_be_read);
        let chosen = before.and_then(|before| choice::choice(before, turn));
        findings.extend(done.into_iter().chain(stated).chain(talked).chain(chosen));
    }
    findings.extend(failures.findings(&fix_contexts));
    let stated_before = stated_before(store, session, &findings)?;
    let notes =
        SessionNotes { findings: &findings, stated_before: &stated_before, closings: &closings, turns };
    let summary = match how.trigger {
        DistilTrigger::BatchPart => None,
        _ => summary::summary(session, turns, &notes),
    };
    let handoff = match how.trigger {
        DistilTrigger::TurnEnd | DistilTrigger::BatchPart => None,
        // The folder has moved on since: better the handoff that was made then.
        DistilTrigger::OnDemand
            if store
                .memories()
                .with_subject(session.project, summary::of_session("handoff", session))?
                .is_some() =>
        {
            None
        }
        _ => handoff::handoff(session, turns, &notes, failures.still_red(), &work_tree(how)),
    };
    findings.extend(summary.into_iter().chain(handoff));
    Ok(findings)
}

/// Of how many turns closing messages are read and failures followed. What came before has been distilled before.
pub(super) const RECENT_TURNS: usize = 24;

/// Whether something of a turn has not been distilled yet.
pub(super) fn is_fresh(turn: &Turn<'_>, session: &Session) -> bool {
    turn.last().is_some_and(|last| last.id > session.distilled_to)
}

/// Returns what earlier runs found stated in this session, also what has been put right since: a summary tells what happened.
fn stated_before(store: &Store, session: &Session, now: &[Finding]) -> Result<Vec<Memory>, StoreError> {
    let is_stated = |memory: &Memory| memory.content.kind.traits().is_durable;
    let is_same = |one: &Content, other: &Content| one.kind == other.kind && one.title == other.title;
    let said_now = |memory: &Memory| now.iter().any(|finding| is_same(&finding.content, &memory.content));
    let known = store.memories().get_many(&store.memories().of_session(session.id)?)?;
    Ok(known.into_iter().filter(|memory| is_stated(memory) && !said_now(memory)).collect())
}

/// Returns what an earlier run made of a turn: it knew the code as it was then.
fn as_known(store: &Store, session: &Session, turn: &Turn<'_>) -> Result<Option<Finding>, StoreError> {
    for sort in ["work", "discovery"] {
        let subject = subject_of_turn(sort, turn);
        if let Some(memory) = store.memories().with_subject(session.project, subject)? {
            return Ok(Some(unchanged(subject, memory)));
        }
    }
    Ok(None)
}

fn unchanged(subject: Digest, memory: Memory) -> Finding {
    Finding {
        subject,
        at: memory.created_at,
        content: memory.content,
        events: Vec::new(),
        again: OnRepeat::Reinforce,
        comparing: Comparing::Not,
        evidence: EvidenceKind::Words,
        relates_to: Vec::new(),
    }
}

/// Looks how things lie in the project's folder; not long after, when it says nothing of the session any more.
fn work_tree(how: &Distillation<'_>) -> WorkTreeState {
    match how.root.filter(|_| how.trigger != DistilTrigger::OnDemand) {
        Some(root) => {
            WorkTreeState { branch: git::branch(root), dirty: git::dirty_files(root, GIT_PATIENCE) }
        }
        None => WorkTreeState::default(),
    }
}
