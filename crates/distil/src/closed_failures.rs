//! Failures of any session that a run of this session shows to be over: the same command or test passes.
//!
//! A failure that a command fixed may come back with the machine, and stays in force with its fix; any other is retired. Not here:
//! what a run shows (`failures`), failures that a session meets and fixes itself (`failure_tracker`).

use crate::Distillation;
use crate::failure_tracker::{PlacedStep, fix_steps, steps_of_turns};
use crate::failures::{FailureStep, FixAttempt, clears};
use crate::transcript::Turn;
use backstory_capture::prepare;
use backstory_memory::{
    Details, EventId, FailureDetails, FixDetails, Kind, Memory, MemoryId, Provenance, StandingReason,
    Timestamp,
};
use backstory_store::{Filter, Scope, Session, Store, StoreError};

/// More open failures than this are not followed: the newest count.
const MOST_OPEN: u32 = 200;

/// Closes the project's open failures that a run of this session clears, as far as there is time: what stays open is closed by the next
/// run that passes. Returns which.
pub(super) fn close_failures(
    store: &mut Store,
    session: &Session,
    turns: &[Turn<'_>],
    how: &Distillation<'_>,
) -> Result<Vec<MemoryId>, StoreError> {
    let steps: Vec<PlacedStep<'_>> = steps_of_turns(turns).collect();
    let is_fresh = |placed: &PlacedStep<'_>| placed.entry.id > session.distilled_to;
    let passes = |placed: &PlacedStep<'_>| match placed.step {
        // Of a red run some tests may pass that did not.
        FailureStep::Command(ran) => !ran.failed() || ran.test_run().is_some(),
        FailureStep::Edit { .. } => false,
    };
    if how.is_late() || !steps.iter().any(|placed| is_fresh(placed) && passes(placed)) {
        return Ok(Vec::new());
    }
    let mut closed = Vec::new();
    for (memory, failure) in open_failures(store, session)? {
        if how.is_late() {
            break;
        }
        // A person who confirmed, pinned or reworded one says themselves when it is over; what merely came from elsewhere has no such person.
        let is_persons = memory.content.pinned || memory.standing_reason == StandingReason::User;
        let is_local = !matches!(memory.content.provenance, Provenance::Team(_) | Provenance::Import);
        if is_persons || is_local && store.memories().is_taken_over(memory.id)? {
            continue;
        }
        let failed = store.memories().evidence(memory.id)?;
        let Some(fix) = fix_in(&steps, &memory, &failure, &failed) else { continue };
        close(store, &memory, (&failure, fix), how)?;
        closed.push(memory.id);
    }
    Ok(closed)
}

fn open_failures(store: &Store, session: &Session) -> Result<Vec<(Memory, FailureDetails)>, StoreError> {
    let filter = Filter {
        kinds: vec![Kind::Failure],
        limit: MOST_OPEN,
        ..Filter::within(Scope::Project(session.project))
    };
    let known = store.memories().get_many(&store.search().list(&filter)?)?;
    // What holds for the user everywhere is listed with the project's own (law 8).
    let own = known.into_iter().filter(|memory| memory.project == session.project);
    let open = own.filter_map(|memory| {
        let failure = memory.content.details.as_ref()?.failure()?.clone();
        failure.is_open().then_some((memory, failure))
    });
    Ok(open.collect())
}

/// What was seen to fix a failure: empty where it passes and nobody saw why; none where it does not pass.
fn fix_in(
    steps: &[PlacedStep<'_>],
    memory: &Memory,
    failure: &FailureDetails,
    failed: &[EventId],
) -> Option<FixDetails> {
    let last = failed.last().copied();
    let is_later = |placed: &&PlacedStep<'_>| {
        last.is_none_or(|last| placed.entry.id > last) && placed.entry.at > memory.created_at
    };
    let cleared_at = steps.iter().position(|placed| {
        matches!(placed.step, FailureStep::Command(ran) if is_later(&placed) && clears(ran, failure))
    })?;
    let before: Vec<&PlacedStep<'_>> = steps.iter().take(cleared_at).collect();
    // What a session did that met the failure was about it; another may have edited anything.
    let is_it = |placed: &&PlacedStep<'_>| match placed.step {
        FailureStep::Command(ran) if ran.failed() => {
            ran.signature().is_some_and(|signature| signature.digest == failure.signature)
        }
        _ => false,
    };
    let met_at = before.iter().rposition(is_it);
    let attempts: Vec<FixAttempt> = match met_at {
        Some(at) => before.iter().skip(at + 1).filter_map(|placed| placed.attempt()).collect(),
        None => before.iter().filter(is_edit_of(memory)).filter_map(|placed| placed.attempt()).collect(),
    };
    Some(FixDetails { steps: fix_steps(&attempts), ..FixDetails::default() })
}

/// Whether a step edits a file that the failure names.
fn is_edit_of(memory: &Memory) -> impl Fn(&&&PlacedStep<'_>) -> bool {
    |placed| match placed.step {
        FailureStep::Edit { file } => {
            let name = file.rsplit('/').next().unwrap_or(file);
            memory.content.files.iter().any(|known| known == file) || memory.content.body.contains(name)
        }
        FailureStep::Command(_) => false,
    }
}

fn close(
    store: &mut Store,
    memory: &Memory,
    (failure, fix): (&FailureDetails, FixDetails),
    how: &Distillation<'_>,
) -> Result<(), StoreError> {
    let may_return = fix.steps.files.is_empty() && !fix.steps.commands.is_empty();
    let mut now = failure.clone();
    if fix.steps.is_empty() {
        now.has_passed_since = true;
    } else {
        now.fix = Some(fix);
    }
    let mut content = memory.content.clone();
    content.body = now.body_after(failure, &content.body);
    content.facts = now.statements();
    content.details = Some(Details::Failure(now));
    let at: Timestamp = how.now;
    store.memories_mut().update_distilled(memory.id, &prepare(content, how.redactor), at)?;
    if !may_return {
        store.memories_mut().retire(&[memory.id], StandingReason::Fixed, at)?;
    }
    Ok(())
}
