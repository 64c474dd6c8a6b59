//! Builds the record of a memory: with its project, its session, its revisions and its links.

use crate::record::MemoryRecord;
use backstory_memory::{Memory, ProjectId, ProjectKey, SessionId};
use backstory_store::{Project, Store, StoreError};
use std::collections::HashMap;

/// Builds records, and remembers the projects and sessions it has read.
pub(super) struct RecordBuilder<'a> {
    store: &'a Store,
    projects: HashMap<ProjectId, MemoryRecord>,
    sessions: HashMap<SessionId, Option<(String, String)>>,
}

impl<'a> RecordBuilder<'a> {
    pub(super) fn new(store: &'a Store) -> RecordBuilder<'a> {
        RecordBuilder { store, projects: HashMap::new(), sessions: HashMap::new() }
    }

    /// Returns the record of a memory.
    pub(super) fn record(&mut self, memory: &Memory) -> Result<MemoryRecord, StoreError> {
        let mut record = MemoryRecord::from_memory(memory);
        let project = self.project(memory.project)?;
        record.project.clone_from(&project.project);
        record.project_keys.clone_from(&project.project_keys);
        if let Some((host, session)) = memory.session.map(|id| self.session(id)).transpose()?.flatten() {
            (record.host, record.session) = (Some(host), Some(session));
        }
        record.attach(self.store.memories().attachments(memory.id)?);
        record.add_links(&self.store.memories().links_by_uid(memory.id, &memory.uid)?);
        Ok(record)
    }

    /// Returns a record that names a project and nothing else.
    fn project(&mut self, id: ProjectId) -> Result<&MemoryRecord, StoreError> {
        if !self.projects.contains_key(&id) {
            let record =
                self.store.projects().get(id)?.map(|project| project_record(&project)).unwrap_or_default();
            self.projects.insert(id, record);
        }
        Ok(self.projects.entry(id).or_default())
    }

    fn session(&mut self, id: SessionId) -> Result<Option<(String, String)>, StoreError> {
        if let Some(known) = self.sessions.get(&id) {
            return Ok(known.clone());
        }
        let names = self.store.sessions().get(id)?.map(|session| (session.host, session.host_session));
        self.sessions.insert(id, names.clone());
        Ok(names)
    }
}

/// Returns a record that names a project by its name and by what it is recognised by on other machines.
pub(super) fn project_record(project: &Project) -> MemoryRecord {
    // A path means little on another machine; but where there is nothing else, it keeps two projects of one name apart (law 8).
    let is_path = |key: &ProjectKey| matches!(key, ProjectKey::Path(_) | ProjectKey::Link(_));
    let has_only_paths = project.keys.iter().all(is_path);
    // The name stands in the record anyway.
    let is_exported = |key: &&ProjectKey| match key {
        ProjectKey::Link(_) => false,
        ProjectKey::Path(_) => has_only_paths,
        ProjectKey::Named(name) => *name != project.name,
        _ => true,
    };
    MemoryRecord {
        project: Some(project.name.clone()),
        project_keys: project.keys.iter().filter(is_exported).map(ToString::to_string).collect(),
        ..MemoryRecord::default()
    }
}
