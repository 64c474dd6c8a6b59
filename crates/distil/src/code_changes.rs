//! The code map of what a session edited, and the anchors of what was written about it.
//!
//! Not here: reading a source file (`capture`).

use crate::pipeline::GIT_PATIENCE;
use crate::session_findings::is_fresh;
use crate::transcript::{TranscriptEntry, Turn};
use crate::{DistilTrigger, Distillation};
use backstory_capture::{TrackingContext, anchor, edited_files, follow_renames, track};
use backstory_memory::{Content, MemoryId};
use backstory_store::{FileUpdate, Session, Store, StoreError};

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
        let of_memory = readings.iter().filter(|reading| content.files.contains(&reading.path));
        anchor(store, *id, root, &content.files, &of_memory.cloned().collect::<Vec<_>>())?;
    }
    if how.trigger == DistilTrigger::SessionEnd {
        follow_renames(store, session.project, root, how.redactor, GIT_PATIENCE)?;
    }
    Ok(())
}
