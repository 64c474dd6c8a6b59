//! Memories that arrive as lines, from a file or a folder: understood, made fit to be stored, and written in batches.
//!
//! Not here: where the lines come from and what is said about them (`file`).

use crate::app::App;
use crate::documents::Document;
use crate::failure::Failure;
use crate::lines::MemoryRecord;
use backstory_capture::{Redactor, prepare, safe_project_ref};
use backstory_memory::{
    Checksum, Content, Memory, ProjectId, ProjectKey, ProjectRef, Provenance, SessionId, Timestamp, Uid,
    digest,
};
use backstory_store::{
    Attachments, InsertOutcome, MemoryLinks, MemoryOrigin, NewMemory, Store, StoreError, UsageHistory,
};
use std::collections::HashMap;

/// How many memories are written in one transaction: hooks wait for it.
const PER_TRANSACTION: usize = 250;

/// A line that was understood. What it says is fit to be stored.
pub(crate) struct Understood {
    pub(crate) uid: Uid,
    line: MemoryRecord,
    content: Content,
    created_at: Timestamp,
    past: UsageHistory,
    carried: Attachments,
}

/// Understands a line, or says why not; it is believed no more than `most`.
pub(crate) fn understand(
    mut line: MemoryRecord,
    redactor: &Redactor,
    most: &Provenance,
    now: Timestamp,
) -> Result<Understood, Failure> {
    line.scrub_names(redactor)?;
    let draft = line.draft(Provenance::Import, now)?;
    let provenance = draft.provenance.clone().min(most.clone());
    let content = prepare(Content { provenance, ..draft }, redactor);
    let (created_at, past) = (line.created_at(now)?, line.past(now)?);
    let uid = line.uid()?.unwrap_or_else(|| uid_of(&line, &content, created_at));
    let carried = line.carried(redactor, now)?;
    Ok(Understood { uid, line, content, created_at, past, carried })
}

/// Returns what a memory says after an edit of its document, unless it says so already.
///
/// An edit counts for what people write. How sure we are and who said it are not theirs to raise; and a document that is believed less
/// than its reader's own words does not reach further than before, nor stay in view.
pub(crate) fn edit_of(understood: &Understood, memory: &Memory) -> Option<Content> {
    let (before, said) = (&memory.content, &understood.content);
    let edited = Content {
        confidence: before.confidence,
        provenance: before.provenance.clone(),
        valid_from: said.valid_from.or(before.valid_from),
        valid_to: said.valid_to.or(before.valid_to),
        ..said.clone()
    };
    let provenance = before.provenance.clone().min(said.provenance.clone());
    let is_own = said.provenance == Provenance::User;
    let (scope, pinned) = if is_own { (edited.scope, edited.pinned) } else { (before.scope, before.pinned) };
    let edited = Content { scope, pinned, ..edited };
    (edited != *before).then_some(Content { provenance, ..edited })
}

/// What became of the lines.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Arrived {
    pub(super) imported: u64,
    pub(super) known: u64,
    pub(super) revised: u64,
    pub(super) forgotten: u64,
}

/// Takes lines, writes them in batches, and remembers what it has resolved.
pub(super) struct Arriving<'a> {
    app: &'a App,
    provenance: &'a Provenance,
    project: Option<&'a str>,
    store: Store,
    redactor: Redactor,
    projects: HashMap<String, ProjectId>,
    sessions: HashMap<(String, String), SessionId>,
    batch: Vec<(NewMemory, Attachments)>,
    ties: Vec<MemoryLinks>,
    arrived: Arrived,
}

impl<'a> Arriving<'a> {
    /// Begins. Lines that name no project belong to `project`, and none is believed more than `provenance`.
    pub(super) fn new(
        app: &'a App,
        project: Option<&'a str>,
        provenance: &'a Provenance,
    ) -> Result<Self, Failure> {
        let store = app.store()?;
        store.prepare_bulk_write()?;
        Ok(Arriving {
            app,
            provenance,
            project,
            store,
            redactor: app.redactor(),
            projects: HashMap::new(),
            sessions: HashMap::new(),
            batch: Vec::new(),
            ties: Vec::new(),
            arrived: Arrived::default(),
        })
    }

    /// Understands a line, or says why not.
    pub(super) fn read(&self, line: MemoryRecord) -> Result<Understood, Failure> {
        understand(line, &self.redactor, self.provenance, self.app.now)
    }

    /// Takes a line. What fails now is not the line's fault.
    pub(super) fn take(&mut self, understood: Understood) -> Result<(), Failure> {
        let Understood { mut line, content, uid, created_at, past, carried } = understood;
        let project = self.project(&line)?;
        let session = match &line.session {
            Some(name) => {
                Some(self.session(project, line.host.as_deref().unwrap_or("import"), name, created_at)?)
            }
            None => None,
        };
        let origin = MemoryOrigin { session, usage: Some(past), ..MemoryOrigin::default() };
        let ties = line.ties(&uid);
        if ties.superseded_by.is_some() || !ties.links.is_empty() {
            self.ties.push(ties);
        }
        let memory = NewMemory { uid: Some(uid), project, origin, content, created_at };
        self.batch.push((memory, carried));
        if self.batch.len() >= PER_TRANSACTION { self.write() } else { Ok(()) }
    }

    /// Takes a document. One that was edited revises its memory, where that is known.
    pub(super) fn take_document(&mut self, document: Document) -> Result<Result<(), Failure>, Failure> {
        let may_revise = document.is_edited && document.line.uid.is_some();
        let understood = match self.read(document.line) {
            Ok(understood) => understood,
            Err(failure) => return Ok(Err(failure)),
        };
        if may_revise
            && let Some(memory) = self.store.memory_by_uid(&understood.uid)?
            && let Some(edited) = edit_of(&understood, &memory)
        {
            match self.store.revise(memory.id, &edited, self.app.now) {
                Ok(()) => self.arrived.revised += 1,
                Err(StoreError::Forgotten { .. }) => self.arrived.forgotten += 1,
                Err(error) => return Err(error.into()),
            }
            return Ok(Ok(()));
        }
        self.take(understood).map(Ok)
    }

    /// Finds or makes the project a line belongs to: by folder, by what it is recognised by, by name, else the one given.
    fn project(&mut self, line: &MemoryRecord) -> Result<ProjectId, Failure> {
        let wanted = (&line.project_path, &line.project_keys, &line.project);
        let known_as = format!("{wanted:?}");
        if let Some(id) = self.projects.get(&known_as) {
            return Ok(*id);
        }
        let mut keys: Vec<ProjectKey> = line.project_keys.iter().filter_map(|key| key.parse().ok()).collect();
        // A place belongs to whoever stands there: a file must not move it to a project that is known by something else.
        let is_path = |key: &ProjectKey| matches!(key, ProjectKey::Path(_));
        if !keys.iter().all(is_path) {
            keys.retain(|key| !is_path(key));
        }
        let named =
            |name: &str, keys| ProjectRef { keys, name: name.to_owned(), root: String::new(), parent: None };
        let now = self.app.now;
        let id = match (&line.project_path, &line.project) {
            (Some(path), _) => {
                self.store.find_or_create_project(&safe_project_ref(path.as_ref(), &self.redactor), now)?
            }
            (None, Some(name)) if !keys.is_empty() => {
                self.store.find_or_create_project(&named(name, keys), now)?
            }
            (None, Some(name)) => match self.store.projects_named(name)?.as_slice() {
                [only] => only.id,
                _ => self
                    .store
                    .find_or_create_project(&named(name, vec![ProjectKey::Named(name.clone())]), now)?,
            },
            (None, None) => self.app.project_to_write(&mut self.store, self.project)?,
        };
        self.projects.insert(known_as, id);
        Ok(id)
    }

    fn session(
        &mut self,
        project: ProjectId,
        host: &str,
        name: &str,
        at: Timestamp,
    ) -> Result<SessionId, Failure> {
        let known_as = (host.to_owned(), name.to_owned());
        if let Some(id) = self.sessions.get(&known_as) {
            return Ok(*id);
        }
        let id = self.store.find_or_create_session(project, host, name, at)?;
        self.sessions.insert(known_as, id);
        Ok(id)
    }

    fn write(&mut self) -> Result<(), Failure> {
        for kept in self.store.insert_transferred(&self.batch)? {
            match kept {
                InsertOutcome::Written(_) => self.arrived.imported += 1,
                InsertOutcome::Known(_) => self.arrived.known += 1,
                InsertOutcome::Forgotten => self.arrived.forgotten += 1,
            }
        }
        self.batch.clear();
        Ok(())
    }

    /// Writes the rest, and notes which memories relate to which: both had to be there first.
    pub(super) fn finish(mut self) -> Result<(Arrived, Store), Failure> {
        self.write()?;
        self.store.link_transferred(&self.ties)?;
        Ok((self.arrived, self.store))
    }
}

/// Names a line that has no uid by what it says, so that importing it again adds nothing.
fn uid_of(line: &MemoryRecord, content: &Content, created_at: Timestamp) -> Uid {
    let place =
        format!("{:?}", (&line.project_path, &line.project_keys, &line.project, &line.host, &line.session));
    // Without a time of its own a line would be another one every time.
    let time = if line.created_at.is_some() { created_at.0 } else { 0 };
    let said = digest([Checksum::of_content(content).0.0.as_slice(), place.as_bytes(), &time.to_le_bytes()]);
    let [name @ .., _, _, _, _, _, _] = said.0;
    Uid::from_parts(time, name)
}
