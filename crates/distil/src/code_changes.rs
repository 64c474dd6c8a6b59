//! The code map of what a session edited, and the anchors of what was written about it.
//!
//! Not here: reading a source file (`capture`).

use crate::pipeline::GIT_PATIENCE;
use crate::session_findings::is_fresh;
use crate::transcript::{TranscriptEntry, Turn};
use crate::{DistilTrigger, Distillation};
use backstory_capture::{
    FreshnessLimit, TrackingContext, anchor, anchor_named, edited_files, follow_renames, freshness, track,
};
use backstory_memory::{Content, Freshness, Kind, Memory, MemoryId, Provenance, StandingReason};
use backstory_store::{FileUpdate, Filter, Scope, Session, Store, StoreError};

/// Brings the code map up to date with what was edited since the last run.
pub(super) fn read_code(
    store: &mut Store,
    session: &Session,
    turns: &[Turn<'_>],
    how: &Distillation<'_>,
) -> Result<Vec<FileUpdate>, StoreError> {
    // Long after, the files hold what others did to them since.
    let Some(root) = how.root.filter(|_| how.trigger != DistilTrigger::OnDemand) else {
        return Ok(Vec::new());
    };
    // Of a turn that goes on, all: somebody may have asked for a distillation in its middle, which does not look at files.
    let fresh = turns.iter().filter(|turn| is_fresh(turn, session)).flat_map(|turn| turn.entries);
    let edited = edited_files(fresh.map(TranscriptEntry::activity));
    let place = TrackingContext { project: session.project, root, redactor: how.redactor, until: how.until };
    track(store, place, session.id, &edited, how.now)
}

/// Anchors what was written in the code it speaks of, and follows files that have another name now.
pub(super) fn anchor_all(
    store: &mut Store,
    session: &Session,
    written: &[(MemoryId, &Content)],
    readings: &[FileUpdate],
    how: &Distillation<'_>,
) -> Result<(), StoreError> {
    let Some(root) = how.root.filter(|_| how.trigger != DistilTrigger::OnDemand) else { return Ok(()) };
    let holds_in_code = |content: &Content| !content.kind.is_session_account() && !content.files.is_empty();
    for (id, content) in written.iter().filter(|(_, content)| holds_in_code(content)) {
        if says_how_code_is(content) {
            anchor_named(store, (*id, content), root, how.redactor)?;
            continue;
        }
        let of_memory = readings.iter().filter(|reading| content.files.contains(&reading.path));
        anchor(store, *id, root, &content.files, &of_memory.cloned().collect::<Vec<_>>())?;
    }
    if how.trigger == DistilTrigger::SessionEnd {
        follow_renames(store, session.project, root, how.redactor, GIT_PATIENCE)?;
    }
    Ok(())
}

/// The most memories whose code is compared at once, and the most files that are read for it.
const MOST_COMPARED: u32 = 64;

/// Retires what was said of code that is not so any more. At the end of a session everything is compared: people edit files, too. Without
/// time nothing is: what is injected says itself that its code changed.
pub(super) fn retire_changed(
    store: &mut Store,
    session: &Session,
    turns: &[Turn<'_>],
    how: &Distillation<'_>,
) -> Result<Vec<MemoryId>, StoreError> {
    let Some(root) = how.root.filter(|_| how.trigger != DistilTrigger::OnDemand && !how.is_late()) else {
        return Ok(Vec::new());
    };
    let filter = Filter {
        kinds: vec![Kind::Discovery, Kind::Fact],
        limit: MOST_COMPARED,
        ..Filter::within(Scope::Project(session.project))
    };
    let ids = if how.trigger == DistilTrigger::SessionEnd {
        store.search().list(&filter)?
    } else {
        let fresh = turns.iter().filter(|turn| is_fresh(turn, session));
        let edited: Vec<String> = fresh.flat_map(Turn::edited).map(str::to_owned).collect();
        if edited.is_empty() { Vec::new() } else { store.search().about_files(&edited, &filter)? }
    };
    let known = store.memories().get_many(&ids)?;
    let is_own = |memory: &&Memory| memory.project == session.project && is_claim(memory);
    let said: Vec<MemoryId> = known.iter().filter(is_own).map(|memory| memory.id).collect();
    let limit = how.until.map(|until| FreshnessLimit { until, files: MOST_COMPARED as usize });
    let states = freshness(store, session.project, root, &said, limit)?;
    let is_over = |id: &MemoryId| matches!(states.get(id), Some(Freshness::Changed | Freshness::Gone));
    let over: Vec<MemoryId> = said.into_iter().filter(is_over).collect();
    store.memories_mut().retire(&over, StandingReason::Changed, how.now)?;
    Ok(over)
}

/// Whether somebody but the user says it of code. What the user said is shown as changed, and stays theirs.
fn is_claim(memory: &Memory) -> bool {
    says_how_code_is(&memory.content) && !memory.is_users_own()
}

/// Whether it says how code is, rather than what was done or how a command ends.
#[must_use]
pub fn says_how_code_is(content: &Content) -> bool {
    match content.kind {
        Kind::Discovery => true,
        Kind::Fact => content.provenance == Provenance::Assistant,
        _ => false,
    }
}
