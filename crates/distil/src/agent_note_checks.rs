//! Why a note of the session's own agent is not believed though its quote is the user's: what a background model is not believed for either.
//!
//! Not here: whose words a note is (`agent_notes`), what is checked of a model's notes beside this (`writer`).

use crate::project_files::{FileAnswer, ProjectFiles};
use crate::writer::checks::{is_of_the_moment, proposes};
use backstory_memory::{Content, OwnAddresses, Provenance, RejectionReason, requested_action};
use std::path::Path;

/// A reason against a note, and what it speaks of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoteDoubt {
    /// The reason.
    pub reason: RejectionReason,
    /// The file that says it already.
    pub detail: Option<String>,
}

/// Returns why a note should wait for the user, or why it is not needed: a file that every session reads says it.
#[must_use]
pub fn note_doubt(content: &Content, own: &OwnAddresses, root: Option<&Path>) -> Option<NoteDoubt> {
    let asks = |text: &String| requested_action(text, own).is_some();
    let reason = match () {
        () if is_of_the_moment(&content.title) => RejectionReason::OfTheMoment,
        () if proposes(
            content.kind,
            (&content.title, &content.body),
            content.provenance == Provenance::User,
        ) =>
        {
            RejectionReason::Proposal
        }
        () if content.provenance != Provenance::User && (asks(&content.title) || asks(&content.body)) => {
            RejectionReason::AsksForAction
        }
        () => match ProjectFiles::new(root).answer(&content.title) {
            FileAnswer::Says(file) => {
                return Some(NoteDoubt { reason: RejectionReason::InProjectFile, detail: Some(file) });
            }
            FileAnswer::Contradicts(_) | FileAnswer::Silent => return None,
        },
    };
    Some(NoteDoubt { reason, detail: None })
}
