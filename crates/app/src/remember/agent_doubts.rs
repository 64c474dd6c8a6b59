//! What an agent may note only as a proposal, with the reason on record; what a project's own files say is refused.
//!
//! Not here: the reasons (`distil`).

use crate::app::{App, folder_of_project};
use crate::caller::Caller;
use crate::error::{AppError, ErrorCode};
use backstory_distil::note_doubt;
use backstory_memory::{EvidenceKind, RejectionReason, Writer};
use backstory_store::{NewMemory, NewRejection, Store};

impl App {
    /// Lowers an agent's note for which there is a reason, and returns the reason to record. A person is believed.
    pub(super) fn doubt(&self, store: &Store, memory: &mut NewMemory) -> Result<Vec<NewRejection>, AppError> {
        if self.caller == Caller::User {
            return Ok(Vec::new());
        }
        let own = store.projects().own_addresses(memory.project)?;
        let root = folder_of_project(store, memory.project)?;
        let Some(doubt) = note_doubt(&memory.content, &own, root.as_deref()) else { return Ok(Vec::new()) };
        if doubt.reason == RejectionReason::InProjectFile {
            let file = doubt.detail.unwrap_or_default();
            return Err(AppError::new(ErrorCode::NearDuplicate, format!("{file} says nearly the same")));
        }
        memory.origin.evidence = EvidenceKind::Hint;
        let redactor = self.redactor();
        Ok(vec![NewRejection {
            project: memory.project,
            session: memory.origin.session,
            event: memory.origin.events.first().copied(),
            at: self.now,
            writer: Writer::Agent,
            kind: memory.content.kind,
            text: redactor.scrub(&memory.content.title),
            reason: doubt.reason,
            detail: None,
        }])
    }
}
