//! The handoff: where the work stands, for whoever goes on.

use crate::app::{App, ProjectSelector};
use crate::error::AppError;
use backstory_distil::DistilTrigger;
use backstory_memory::{Kind, Memory, ProjectId};
use backstory_store::{Filter, Scope, Session, Store, StoreError};

/// Which handoff is wanted.
#[derive(Clone, Debug, Default)]
pub struct HandoffRequest {
    /// The session: its number, the host's name for it, or `last`; without it, the newest of the project.
    pub session: Option<String>,
    /// The project.
    pub projects: ProjectSelector,
}

impl App {
    /// Returns a handoff, brought up to date first.
    pub fn handoff(&self, store: &mut Store, request: &HandoffRequest) -> Result<Option<Memory>, AppError> {
        if let Some(wanted) = &request.session {
            let session = self.find_session(store, wanted, &request.projects)?;
            self.update_handoff(store, &session)?;
            let ids = store.memories().of_session(session.id)?;
            let memories = store.memories().get_many(&ids)?.into_iter();
            return Ok({ memories }.rfind(|memory| memory.content.kind == Kind::Handoff));
        }
        let Some(Scope::Project(project)) = self.scope(store, &request.projects)? else { return Ok(None) };
        if let Some(latest) = store.sessions().list(Some(project), 1, 0)?.pop() {
            self.update_handoff(store, &latest.session)?;
        }
        Ok(newest_handoff(store, project)?)
    }

    /// A session that still runs has moved on since its last handoff; one that ended said where it stood.
    fn update_handoff(&self, store: &mut Store, session: &Session) -> Result<(), AppError> {
        let trigger =
            if session.ended_at.is_some() { DistilTrigger::OnDemand } else { DistilTrigger::Compaction };
        self.distil_session(store, session.id, trigger).map(drop)
    }
}

/// Returns the newest handoff of a project as it stands.
pub fn newest_handoff(store: &Store, project: ProjectId) -> Result<Option<Memory>, StoreError> {
    let filter = Filter { kinds: vec![Kind::Handoff], limit: 16, ..Filter::within(Scope::Project(project)) };
    let ids = store.search().list(&filter)?;
    Ok(store.memories().get_many(&ids)?.into_iter().max_by_key(|memory| memory.updated_at))
}
