//! The handoff: where the work stands, for the session that continues it.

use crate::app::{App, ProjectSelector};
use crate::error::AppError;
use backstory_capture::prepare;
use backstory_distil::{DistilTrigger, agents_handoff, handoffs_of_agent};
use backstory_memory::{HandoffDetails, Kind, Memory, ProjectId};
use backstory_store::{Filter, NewMemory, Scope, Session, Store, StoreError};

/// Which handoff is wanted.
#[derive(Clone, Debug, Default)]
pub struct HandoffRequest {
    /// The session: its number, the host's name for it, or `last`; without it, the newest of the project.
    pub session: Option<String>,
    /// The project.
    pub projects: ProjectSelector,
}

impl App {
    /// Returns a handoff after bringing it up to date.
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

    /// Writes where the work stands, in place of the handoff that this session's agent wrote before.
    pub fn write_handoff(&self, store: &mut Store, details: HandoffDetails) -> Result<Memory, AppError> {
        if details == HandoffDetails::default() {
            return Err(AppError::usage("a handoff says where the work stands")
                .hint("give at least one of `done`, `in_flight`, `next_steps`, `open_questions`"));
        }
        let project = self.project_to_write(store, None)?;
        let note = agents_handoff(store, project, details, self.now)?;
        let content = prepare(note.content, &self.redactor());
        let session = note.origin.session;
        let memory = NewMemory { uid: None, project, origin: note.origin, content, created_at: self.now };
        let id = store.memories_mut().remember(&memory)?;
        let session = session.map(|session| store.sessions().get(session)).transpose()?.flatten();
        for before in
            session.map(|session| handoffs_of_agent(store, &session)).transpose()?.unwrap_or_default()
        {
            // The same words again are the same memory, which must not supersede itself.
            if before != id {
                store.memories_mut().mark_superseded(before, id, self.now)?;
            }
        }
        self.memory(store, id)
    }

    /// Distils a session again, which writes its handoff. A session that still runs is treated as if it were compacted now, because it has
    /// moved on since its last handoff.
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
