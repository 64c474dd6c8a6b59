//! A memory with everything that is known of it, as the line it leaves as.

use crate::failure::Failure;
use crate::lines::MemoryRecord;
use backstory_memory::{Memory, ProjectId, ProjectKey, SessionId};
use backstory_store::{Project, Store};
use std::collections::HashMap;

/// Makes lines of memories, and remembers which projects and sessions it has seen.
pub(super) struct OutgoingLines<'a> {
    store: &'a Store,
    projects: HashMap<ProjectId, MemoryRecord>,
    sessions: HashMap<SessionId, Option<(String, String)>>,
}

impl<'a> OutgoingLines<'a> {
    pub(super) fn new(store: &'a Store) -> OutgoingLines<'a> {
        OutgoingLines { store, projects: HashMap::new(), sessions: HashMap::new() }
    }

    /// Returns the line of a memory.
    pub(super) fn line(&mut self, memory: &Memory) -> Result<MemoryRecord, Failure> {
        let mut line = MemoryRecord::of(memory);
        let project = self.project(memory.project)?;
        line.project.clone_from(&project.project);
        line.project_keys.clone_from(&project.project_keys);
        if let Some((host, session)) = memory.session.map(|id| self.session(id)).transpose()?.flatten() {
            (line.host, line.session) = (Some(host), Some(session));
        }
        line.carry(self.store.attachments(memory.id)?);
        line.relate(&self.store.memory_links(memory.id, &memory.uid)?);
        Ok(line)
    }

    /// Returns a line that tells a project and nothing else.
    fn project(&mut self, id: ProjectId) -> Result<&MemoryRecord, Failure> {
        if !self.projects.contains_key(&id) {
            let found = self.store.project(id)?.map(|project| project_line(&project)).unwrap_or_default();
            self.projects.insert(id, found);
        }
        Ok(self.projects.entry(id).or_default())
    }

    fn session(&mut self, id: SessionId) -> Result<Option<(String, String)>, Failure> {
        if let Some(known) = self.sessions.get(&id) {
            return Ok(known.clone());
        }
        let found = self.store.session(id)?.map(|session| (session.host, session.host_session));
        self.sessions.insert(id, found.clone());
        Ok(found)
    }
}

/// Tells a project by its name and what it is recognised by elsewhere too.
pub(super) fn project_line(project: &Project) -> MemoryRecord {
    // A path means little on another machine; but where there is nothing else, it keeps two projects of one name apart (law 8).
    let is_path = |key: &ProjectKey| matches!(key, ProjectKey::Path(_));
    let known_by_place = project.keys.iter().all(is_path);
    // The name is found anyway.
    let travels = |key: &&ProjectKey| match key {
        ProjectKey::Path(_) => known_by_place,
        ProjectKey::Named(name) => *name != project.name,
        _ => true,
    };
    MemoryRecord {
        project: Some(project.name.clone()),
        project_keys: project.keys.iter().filter(travels).map(ToString::to_string).collect(),
        ..MemoryRecord::default()
    }
}
