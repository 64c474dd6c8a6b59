//! Writes imported memories to the store. All of them come this way: prepared, resolved, checked for duplicates, and written in
//! batches, one transaction each.
//!
//! Not here: reading the sources, and how far each is trusted (`memories`, `files`).

use super::project_resolver::ProjectResolver;
use super::session_work::KnownSessionWork;
use crate::imported::{ImportedProject, ImportedSession};
use backstory_memory::{
    Content, EvidenceKind, MemoryId, ProjectId, Redacted, SessionId, Standing, StandingReason, Timestamp, Uid,
};
use backstory_store::{
    Attachments, ImportProgress, InsertOutcome, MemoryLinks, MemoryOrigin, NewMemory, Store, StoreError,
    UsageHistory,
};
use std::collections::HashMap;

/// How many memories one transaction writes; small, because hooks wait for it.
const BATCH: usize = 250;

/// A memory that is ready to be stored: redacted, and with a provenance no higher than its source allows.
#[derive(Clone, Debug)]
pub(crate) struct PreparedMemory {
    pub(crate) uid: Uid,
    pub(crate) project: ImportedProject,
    pub(crate) session: Option<ImportedSession>,
    pub(crate) created_at: Timestamp,
    pub(crate) content: Redacted<Content>,
    pub(crate) history: Option<UsageHistory>,
    pub(crate) evidence: EvidenceKind,
    /// How it stood where it comes from, where that is believed.
    pub(crate) standing: Option<(Standing, StandingReason)>,
    pub(crate) attachments: Redacted<Attachments>,
    pub(crate) links: MemoryLinks,
}

/// Which memories are duplicates, and therefore skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DuplicateRule {
    /// Those with a known uid, or with the same text as a memory of the project: other programs may give one memory several names.
    SameContent,
    /// Those with a known uid alone: our own exports name each memory for good.
    SameUid,
}

/// What happened to one memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Admission {
    /// It is written with its batch, or counted as known.
    Accepted,
    /// Its project is excluded from the import.
    ProjectExcluded,
}

/// What happened to all of them.
#[derive(Debug, Default)]
pub(crate) struct ImporterReport {
    pub(crate) written: Vec<MemoryId>,
    pub(crate) known: Vec<MemoryId>,
    pub(crate) forgotten: u64,
}

/// Writes memories in batches, and remembers the projects and sessions it has resolved.
pub(crate) struct Importer<'a> {
    resolver: ProjectResolver<'a>,
    duplicates: DuplicateRule,
    sessions: HashMap<ImportedSession, SessionId>,
    session_work: KnownSessionWork,
    batch: Vec<(NewMemory, Redacted<Attachments>)>,
    links: Vec<MemoryLinks>,
    report: ImporterReport,
}

impl<'a> Importer<'a> {
    pub(crate) fn new(resolver: ProjectResolver<'a>, duplicates: DuplicateRule) -> Importer<'a> {
        Importer {
            resolver,
            duplicates,
            sessions: HashMap::new(),
            session_work: KnownSessionWork::default(),
            batch: Vec::new(),
            links: Vec::new(),
            report: ImporterReport::default(),
        }
    }

    /// Adds a memory to the batch, and writes the batch when it is full.
    pub(crate) fn add(&mut self, store: &mut Store, memory: PreparedMemory) -> Result<Admission, StoreError> {
        let Some(project) = self.resolver.resolve(store, &memory.project)? else {
            return Ok(Admission::ProjectExcluded);
        };
        let PreparedMemory {
            uid,
            session,
            created_at,
            content,
            history,
            evidence,
            standing,
            attachments,
            links,
            ..
        } = memory;
        // Before the check for duplicates: a known memory may come with new links.
        if links.superseded_by.is_some() || !links.links.is_empty() {
            self.links.push(links);
        }
        if let Some(same) = self.duplicate(store, project, &uid, (&content, created_at))? {
            self.report.known.push(same);
            return Ok(Admission::Accepted);
        }
        let session = session.map(|session| self.session(store, project, session, created_at)).transpose()?;
        let origin = MemoryOrigin { session, usage: history, evidence, standing, ..MemoryOrigin::default() };
        self.batch.push((NewMemory { uid: Some(uid), project, origin, content, created_at }, attachments));
        if self.batch.len() >= BATCH {
            self.write(store)?;
        }
        Ok(Admission::Accepted)
    }

    fn duplicate(
        &mut self,
        store: &Store,
        project: ProjectId,
        uid: &Uid,
        (content, at): (&Content, Timestamp),
    ) -> Result<Option<MemoryId>, StoreError> {
        // The store handles a known uid by itself, including the uids of forgotten memories.
        if self.duplicates == DuplicateRule::SameUid || store.memories().by_uid(uid)?.is_some() {
            return Ok(None);
        }
        match store.memories().with_text(project, content)? {
            Some(same) => Ok(Some(same)),
            None => self.session_work.find(store, project, (content, at)),
        }
    }

    fn session(
        &mut self,
        store: &mut Store,
        project: ProjectId,
        session: ImportedSession,
        at: Timestamp,
    ) -> Result<SessionId, StoreError> {
        if let Some(id) = self.sessions.get(&session) {
            return Ok(*id);
        }
        let name = self.resolver.redact(&session.name);
        let id = store.sessions_mut().find_or_create(project, &session.host, &name, at)?;
        self.sessions.insert(session, id);
        Ok(id)
    }

    fn write(&mut self, store: &mut Store) -> Result<(), StoreError> {
        for kept in store.memories_mut().insert_transferred(&self.batch)? {
            match kept {
                InsertOutcome::Written(id) => self.report.written.push(id),
                InsertOutcome::Known(id) => self.report.known.push(id),
                InsertOutcome::Forgotten => self.report.forgotten += 1,
            }
        }
        self.batch.clear();
        Ok(())
    }

    /// Writes the last batch and then the links, because both ends of a link must exist.
    pub(crate) fn finish(
        mut self,
        store: &mut Store,
        named: Vec<MemoryLinks>,
    ) -> Result<ImporterReport, StoreError> {
        self.write(store)?;
        self.links.extend(named);
        store.memories_mut().link_transferred(&self.links)?;
        Ok(self.report)
    }
}

/// Records that a source was read to its end, so that it is skipped until it changes.
pub(crate) fn mark_done(store: &mut Store, state: ImportProgress, now: Timestamp) -> Result<(), StoreError> {
    store.imports_mut().save_progress(&ImportProgress { is_done: true, ..state }, now)
}
