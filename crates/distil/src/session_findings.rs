//! Everything worth a memory in the turns of a session, and what earlier runs made of them.
//!
//! Not here: how one part is read (`work`, `user_rules`, `answers`, …), what becomes of a finding (`reconcile`).

use crate::agent_notes::handoffs_of_agent;
use crate::failure_tracker::{FailureTracker, FixContext};
use crate::finding::{Comparing, Finding, subject_of_turn};
use crate::handoff::{self, WorkTreeState};
use crate::pipeline::GIT_PATIENCE;
use crate::rejected::Rejected;
use crate::session_notes::SessionNotes;
use crate::session_title::session_title;
use crate::tasks::SessionTasks;
use crate::titles::claims;
use crate::transcript::Turn;
use crate::work::PieceOfWork;
use crate::{
    DistilTrigger, Distillation, answers, causes, choice, compaction, numbered_answers, plans,
    prompt_commits, summary, traps, user_rules, work, writer,
};
use backstory_capture::git;
use backstory_memory::{
    Activity, ChangedSymbol, Content, Digest, EventId, EvidenceKind, Kind, Memory, RejectionReason,
};
use backstory_store::{OnRepeat, Session, Store, StoreError};
use std::collections::HashMap;

/// What a session is worth.
pub(super) struct SessionFindings {
    /// What becomes a memory.
    pub(super) findings: Vec<Finding>,
    /// What was considered and becomes none.
    pub(super) rejected: Vec<Rejected>,
    /// What the session is called.
    pub(super) title: Option<String>,
}

/// Finds everything worth a memory.
pub(super) fn findings(
    store: &Store,
    session: &Session,
    turns: &[Turn<'_>],
    code: &[ChangedSymbol],
    how: &Distillation<'_>,
) -> Result<SessionFindings, StoreError> {
    let failures = FailureTracker::follow(turns);
    let tasks = SessionTasks::follow(turns);
    let pieces = work::pieces(turns, &failures, code);
    let mut findings: Vec<Finding> = Vec::new();
    let mut rejected: Vec<Rejected> = failures.rejected().collect();
    let mut fix_contexts: HashMap<usize, FixContext> = HashMap::new();
    let mut worked_in: Vec<usize> = Vec::new();
    for piece in &pieces {
        let is_fresh = piece.turns.iter().filter_map(|at| turns.get(*at)).any(|turn| is_fresh(turn, session));
        let known = || {
            piece
                .turns
                .first()
                .and_then(|at| turns.get(*at))
                .map(|turn| as_known(store, session, "work", turn))
        };
        // What is over is described as it was then: an earlier run knew the code as it was.
        let done = match is_fresh {
            true => piece.finding(&tasks),
            false => known().transpose()?.flatten().or_else(|| piece.finding(&tasks)),
        };
        worked_in.extend(&piece.turns);
        let Some(done) = done else {
            rejected.extend(not_kept(piece, turns));
            continue;
        };
        for at in &piece.turns {
            fix_contexts.insert(
                *at,
                FixContext { work: Some(done.subject), summary: done.content.title.clone(), cause: None },
            );
        }
        findings.push(done);
    }
    for (at, turn) in turns.iter().enumerate() {
        if !worked_in.contains(&at) && !failures.fixes(at) {
            rejected.extend(only_claimed(turn));
        }
        if let Some((_, message)) = turn.closing().filter(|_| failures.fixes(at)) {
            let messages = std::iter::once(message).chain(turn.results_of_subagents());
            let cause = messages.flat_map(|message| causes::causes(message, &turn.edited())).next();
            fix_contexts.entry(at).or_insert_with(|| FixContext {
                work: None,
                summary: String::new(),
                cause: None,
            });
            if let (Some(cause), Some(context)) = (cause, fix_contexts.get_mut(&at)) {
                context.summary.clone_from(&cause);
                context.cause = Some(cause);
            }
        }
        if is_fresh(turn, session) || how.trigger == DistilTrigger::OnDemand {
            findings.extend(said_by_user(turns, at, &mut rejected));
        }
    }
    findings.extend(failures.findings(&fix_contexts));
    let decided = (0..turns.len()).filter(|at| is_decided(turns, *at, session, how));
    // The cause of a failure that was fixed stands in its own memory.
    let decided = decided.filter(|at| !failures.fixes(*at));
    findings.extend(decided.filter_map(|at| causes::found_cause(turns, at)));
    findings.extend(traps::traps(store, session, turns, &findings)?);
    findings.extend(prompt_commits::found(session, turns));
    for turn in turns.iter().filter(|turn| is_fresh(turn, session)) {
        let summarised = compaction::findings(turns, turn, &findings);
        findings.extend(summarised);
    }
    let known = store.memories().get_many(&store.memories().of_session(session.id)?)?;
    let title = session_title(turns, &known, &findings);
    let stated_before = stated_before(known, &findings);
    let notes = SessionNotes { findings: &findings, stated_before: &stated_before, tasks: &tasks, turns };
    // A model wrote what there is to know of what happened so far: it stands until more happens.
    let is_written = session.written_to > EventId(0) && !turns.iter().any(|turn| goes_on(turn, session));
    let summary = match how.trigger {
        _ if is_written => None,
        DistilTrigger::BatchPart => None,
        _ => summary::summary(session, &notes),
    };
    let handoff = match how.trigger {
        _ if is_written => None,
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
        _ if agent_said_where_it_stands(store, session, turns)? => None,
        _ => handoff::handoff(session, &notes, pieces.last(), failures.still_red(), &work_tree(how)),
    };
    findings.extend(summary.into_iter().chain(handoff));
    if is_written {
        findings.retain(|finding| !writer::gives_way(&finding.content));
    }
    Ok(SessionFindings { findings, rejected, title })
}

/// What the user's words of a turn are worth: rules, answers, choices.
fn said_by_user(turns: &[Turn<'_>], at: usize, rejected: &mut Vec<Rejected>) -> Vec<Finding> {
    let Some(turn) = turns.get(at) else { return Vec::new() };
    let before = at.checked_sub(1).and_then(|before| turns.get(before));
    // Answers by number are decisions: taken for sentences of their own they would be read without their questions.
    let numbered = before.and_then(|before| numbered_answers::decisions(before, turn));
    let said = if numbered.is_none() { turn.prompt() } else { numbered_answers::said_beside(turn.prompt()) };
    let mut findings = user_rules::rules(turns, at, said, rejected);
    findings.extend(answers::decisions(turn));
    rejected.extend(answers::rejected(turn));
    if let Some(before) = before.filter(|_| numbered.is_none()) {
        findings.extend(choice::choice(before, turn));
        rejected.extend(choice::unclear(before, turn));
    }
    findings.extend(numbered.unwrap_or_default());
    findings.extend(plans::decisions(turn));
    findings
}

/// What a turn that did nothing says was done.
fn only_claimed(turn: &Turn<'_>) -> Vec<Rejected> {
    let Some((entry, message)) = turn.closing() else { return Vec::new() };
    let rejected =
        |claimed: &String| Rejected::new(entry, Kind::Change, claimed, RejectionReason::OnlyClaimed);
    claims(message).iter().map(rejected).collect()
}

/// Work that nobody gave a name, or that its documents tell themselves: by its files.
fn not_kept(piece: &PieceOfWork<'_>, turns: &[Turn<'_>]) -> Option<Rejected> {
    let entry = piece.turns.first().and_then(|at| turns.get(*at)).and_then(Turn::first)?;
    let files = piece.files().join(", ");
    let reason = match piece.is_said_by_documents() {
        true => RejectionReason::InProjectFile,
        false => RejectionReason::SaysNothing,
    };
    Some(Rejected::new(entry, Kind::Change, &files, reason))
}

/// Whether the agent wrote a handoff since the user last said something: nobody knows better where the work stands.
fn agent_said_where_it_stands(
    store: &Store,
    session: &Session,
    turns: &[Turn<'_>],
) -> Result<bool, StoreError> {
    let Some(prompted_at) = turns.last().and_then(Turn::first).map(|entry| entry.at) else {
        return Ok(false);
    };
    let written = store.memories().get_many(&handoffs_of_agent(store, session)?)?;
    Ok(written.iter().any(|memory| memory.updated_at >= prompted_at))
}

/// Of how many turns failures are followed. What came before has been distilled before.
pub(super) const RECENT_TURNS: usize = 24;

/// Whether something of a turn has not been distilled yet.
pub(super) fn is_fresh(turn: &Turn<'_>, session: &Session) -> bool {
    turn.entries.iter().any(|entry| entry.id > session.distilled_to)
}

/// Whether it is known only now what the user made of a turn: by the next prompt, or because none will come.
fn is_decided(turns: &[Turn<'_>], at: usize, session: &Session, how: &Distillation<'_>) -> bool {
    match turns.get(at + 1) {
        Some(next) => is_fresh(next, session),
        None => !matches!(how.trigger, DistilTrigger::TurnEnd | DistilTrigger::BatchPart),
    }
}

/// Whether something happened in a turn after a model's notes were taken.
fn goes_on(turn: &Turn<'_>, session: &Session) -> bool {
    let is_more = |activity: &Activity| {
        !matches!(activity, Activity::SessionStarted { .. } | Activity::SessionEnded { .. })
    };
    turn.entries.iter().any(|entry| entry.id > session.written_to && is_more(entry.activity()))
}

/// Returns what earlier runs found stated in this session, also what has been put right since: a summary says what happened.
fn stated_before(known: Vec<Memory>, now: &[Finding]) -> Vec<Memory> {
    let is_stated = |memory: &Memory| memory.content.kind.traits().is_durable;
    let is_same = |one: &Content, other: &Content| one.kind == other.kind && one.title == other.title;
    let said_now = |memory: &Memory| now.iter().any(|finding| is_same(&finding.content, &memory.content));
    known.into_iter().filter(|memory| is_stated(memory) && !said_now(memory)).collect()
}

/// Returns what an earlier run made of a turn.
fn as_known(
    store: &Store,
    session: &Session,
    sort: &str,
    turn: &Turn<'_>,
) -> Result<Option<Finding>, StoreError> {
    let subject = subject_of_turn(sort, turn);
    let known = store.memories().with_subject(session.project, subject)?;
    Ok(known.map(|memory| unchanged(subject, memory)))
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
