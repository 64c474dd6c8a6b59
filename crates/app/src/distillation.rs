//! Deriving memories from sessions on request. Hooks do it at the end of each turn; doing it twice changes nothing.

use crate::app::{App, ProjectSelector, folder_of_project};
use crate::error::AppError;
use crate::vectors;
use backstory_distil::{DistilReport, DistilTrigger, Distillation, distil};
use backstory_memory::{Memory, MemoryId, SessionId, Timestamp};
use backstory_store::Store;

/// How many sessions one request reads.
const MOST_SESSIONS: u32 = 10_000;

/// What was derived from sessions.
#[derive(Clone, Debug, Default)]
pub struct DistilResponse {
    /// How many sessions were read.
    pub sessions: u64,
    /// Memories that are new.
    pub written: Vec<Memory>,
    /// Memories that say something else now.
    pub updated: Vec<MemoryId>,
}

impl App {
    /// Derives memories from one session, or from every session with something new.
    pub fn distil(&self, store: &mut Store, session: Option<&str>) -> Result<DistilResponse, AppError> {
        let sessions = match session {
            Some(wanted) => vec![self.find_session(store, wanted, &ProjectSelector::Here)?.id],
            None => store.sessions().undistilled(Timestamp(i64::MAX), MOST_SESSIONS)?,
        };
        let mut response = DistilResponse { sessions: sessions.len() as u64, ..DistilResponse::default() };
        let mut written: Vec<MemoryId> = Vec::new();
        for id in sessions {
            let report = self.distil_session(store, id, DistilTrigger::OnDemand)?;
            written.extend(report.written);
            response.updated.extend(report.updated.into_iter().filter(|id| !written.contains(id)));
        }
        response.written = store.memories().get_many(&written)?;
        vectors::follow(store, self);
        self.finish_writing(store);
        Ok(response)
    }

    /// Distils one session, and looks at its folder if that still exists.
    pub(crate) fn distil_session(
        &self,
        store: &mut Store,
        id: SessionId,
        trigger: DistilTrigger,
    ) -> Result<DistilReport, AppError> {
        let session = store.sessions().get(id)?.ok_or_else(|| AppError::internal("a session is gone"))?;
        let (root, redactor) = (folder_of_project(store, session.project)?, self.redactor());
        let distillation =
            Distillation { trigger, root: root.as_deref(), redactor: &redactor, now: self.now, until: None };
        Ok(distil(store, id, &distillation)?)
    }
}
