//! A temporary store with the documents of a set, and the set's queries run against it.
//!
//! A corpus becomes a project, so that a query sees only its own documents. Documents are written in the order of the file. The store is
//! deleted with the bench; the user's own is never opened.

use super::arm::{ArmContext, EvalArm};
use super::data_set::{DataSet, EvalDocument, EvalQuery};
use crate::app::{App, redactor};
use crate::engine::{Profile, open_engine};
use crate::error::AppError;
use crate::progress::{OnProgress, count};
use crate::vectors;
use backstory_capture::{Redactor, prepare, unlocated_project_ref};
use backstory_memory::{
    Content, ContentRecord, MemoryId, ProjectId, ProjectKey, Redacted, SessionId, Timestamp,
};
use backstory_recall::{RecallEngine, VectorCache};
use backstory_store::{Filter, Home, InsertOutcome, MemoryOrigin, NewMemory, Purpose, Scope, Store};
use std::collections::HashMap;
use std::num::NonZero;
use std::panic::resume_unwind;
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Hits per query.
pub(crate) const DEPTH: u32 = 10;
/// Documents written in one transaction.
const PER_TRANSACTION: usize = 1_000;

/// A store with a set in it.
pub(crate) struct EvalBench<'set> {
    set: &'set DataSet,
    store: Store,
    projects: HashMap<&'set str, ProjectId>,
    documents: HashMap<MemoryId, &'set str>,
    /// Bytes on disk, indexes included.
    pub(crate) bytes: u64,
    now: Timestamp,
    search: RecallEngine,
    inject: RecallEngine,
    /// Deletes the store on drop.
    _folder: TempDir,
}

/// The answer of one arm to one query.
#[derive(Clone, Debug)]
pub(crate) struct ArmAnswer<'set> {
    /// Document ids, best first, with scores.
    pub(crate) hits: Vec<(&'set str, f64)>,
    /// How long it took.
    pub(crate) took: Duration,
}

impl<'set> EvalBench<'set> {
    /// Writes the documents of a set into a temporary store.
    pub(crate) fn new(
        set: &'set DataSet,
        app: &App,
        on_progress: OnProgress<'_>,
    ) -> Result<EvalBench<'set>, AppError> {
        let folder = tempfile::tempdir()
            .map_err(|error| AppError::user("cannot make a temporary directory").because(&error))?;
        let home = Home::new(folder.path().join("home"));
        let open = || Store::open(&home, Purpose::Command, app.now);
        let bytes = |path| std::fs::metadata(path).map_or(0, |file| file.len());
        let size = || bytes(home.database()) + bytes(home.vectors());
        // Closed before measuring: only the last close moves the write-ahead log into the database file.
        drop(open()?);
        let empty = size();
        let redactor = redactor(&app.config, &app.environment, &home);
        let mut writer = DocumentWriter {
            store: open()?,
            redactor,
            now: app.now,
            projects: HashMap::new(),
            sessions: HashMap::new(),
        };
        let documents = writer.write_all(&set.documents, &mut *on_progress)?;
        if app.config.recall.vectors {
            vectors::embed_all(&mut writer.store, on_progress)?;
        }
        let projects = writer.projects;
        drop(writer.store);
        let bytes = size().saturating_sub(empty);
        let engine =
            |profile| open_engine(&app.config, &app.environment, &home, profile, &VectorCache::default());
        let (search, inject) = (engine(Profile::Search), engine(Profile::Inject));
        Ok(EvalBench {
            set,
            store: open()?,
            projects,
            documents,
            bytes,
            now: app.now,
            search,
            inject,
            _folder: folder,
        })
    }

    /// Runs every query on an arm, in order.
    pub(crate) fn run_all(
        &self,
        arm: EvalArm,
        on_progress: OnProgress<'_>,
    ) -> Result<Vec<ArmAnswer<'set>>, AppError> {
        let mut on_done = count(on_progress, "queries", self.set.queries.len() as u64);
        let mut answers = Vec::new();
        for query in &self.set.queries {
            answers.push(self.run(arm, query)?);
            on_done(answers.len() as u64);
        }
        Ok(answers)
    }

    fn run(&self, arm: EvalArm, query: &EvalQuery) -> Result<ArmAnswer<'set>, AppError> {
        let Some(filter) = self.filter(query)? else {
            return Ok(ArmAnswer { hits: Vec::new(), took: Duration::ZERO });
        };
        let at = query.time(self.now)?.unwrap_or(self.now);
        let context = ArmContext { store: &self.store, search: &self.search, inject: &self.inject };
        let started = Instant::now();
        let hits = arm.hits(&context, &query.text, at, &filter)?;
        let took = started.elapsed();
        let named = |(memory, score)| Some((*self.documents.get(&memory)?, score));
        Ok(ArmAnswer { hits: hits.into_iter().filter_map(named).collect(), took })
    }

    /// Returns the filter of a query; none if its corpus has no documents.
    fn filter(&self, query: &EvalQuery) -> Result<Option<Filter>, AppError> {
        let put_at = query.time(self.now)?;
        let Some(project) = self.projects.get(query.corpus.as_str()) else { return Ok(None) };
        // Exclusive bound: a document of the same instant still counts.
        let until = put_at.filter(|_| self.set.hide_later).map(|at| at.plus_ms(1));
        Ok(Some(Filter { limit: DEPTH, until, ..Filter::within(Scope::Project(*project)) }))
    }
}

/// Writes documents, and caches the ids of projects and sessions.
struct DocumentWriter<'set> {
    store: Store,
    redactor: Redactor,
    now: Timestamp,
    projects: HashMap<&'set str, ProjectId>,
    sessions: HashMap<(&'set str, &'set str), SessionId>,
}

impl<'set> DocumentWriter<'set> {
    /// Writes all documents, and returns the document id of each memory.
    fn write_all(
        &mut self,
        documents: &'set [EvalDocument],
        on_progress: OnProgress<'_>,
    ) -> Result<HashMap<MemoryId, &'set str>, AppError> {
        let mut on_done = count(on_progress, "documents", documents.len() as u64);
        let mut written = HashMap::new();
        for batch in documents.chunks(PER_TRANSACTION) {
            let contents = self.prepare_all(batch)?;
            let memories =
                batch.iter().zip(contents).map(|(document, content)| self.memory(document, content));
            let memories: Vec<NewMemory> = memories.collect::<Result<_, _>>()?;
            for (document, kept) in batch.iter().zip(self.store.memories_mut().remember_all(&memories)?) {
                let (InsertOutcome::Written(id) | InsertOutcome::Known(id)) = kept else { continue };
                written.insert(id, document.id.as_str());
            }
            on_done(written.len() as u64);
        }
        Ok(written)
    }

    /// Redacts and caps the documents on every core, because that takes half of the time of a large set.
    fn prepare_all(&self, documents: &[EvalDocument]) -> Result<Vec<Redacted<Content>>, AppError> {
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        let (redactor, now) = (&self.redactor, self.now);
        thread::scope(|scope| {
            let parts = documents.chunks(documents.len().div_ceil(cores).max(1));
            let prepare_part = |part: &'_ [EvalDocument]| {
                part.iter().map(|document| content(document, redactor, now)).collect()
            };
            let threads: Vec<_> = parts.map(|part| scope.spawn(move || prepare_part(part))).collect();
            let prepared =
                threads.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
            let prepared: Vec<Vec<Redacted<Content>>> = prepared.collect::<Result<_, AppError>>()?;
            Ok(prepared.into_iter().flatten().collect())
        })
    }

    fn memory(
        &mut self,
        document: &'set EvalDocument,
        content: Redacted<Content>,
    ) -> Result<NewMemory, AppError> {
        let created_at = document.written_at(self.now)?.unwrap_or(self.now);
        let project = self.project(&document.corpus)?;
        let session = document.session.as_deref();
        let session = session.map(|name| self.session(&document.corpus, name, created_at)).transpose()?;
        let origin = MemoryOrigin { session, ..MemoryOrigin::default() };
        Ok(NewMemory { uid: None, project, origin, content, created_at })
    }

    fn project(&mut self, corpus: &'set str) -> Result<ProjectId, AppError> {
        if let Some(id) = self.projects.get(corpus) {
            return Ok(*id);
        }
        let name = format!("corpus {corpus}");
        let project_ref = unlocated_project_ref(&name, &[ProjectKey::Named(name.clone())], &self.redactor);
        let id = self.store.projects_mut().find_or_create(&project_ref, self.now)?;
        self.projects.insert(corpus, id);
        Ok(id)
    }

    fn session(&mut self, corpus: &'set str, name: &'set str, at: Timestamp) -> Result<SessionId, AppError> {
        if let Some(id) = self.sessions.get(&(corpus, name)) {
            return Ok(*id);
        }
        let project = self.project(corpus)?;
        let host_session = self.redactor.scrub(&format!("{corpus}/{name}"));
        let id = self.store.sessions_mut().find_or_create(project, "eval", &host_session, at)?;
        self.sessions.insert((corpus, name), id);
        Ok(id)
    }
}

/// Turns a document into the content of a memory, as `import` does.
fn content(
    document: &EvalDocument,
    redactor: &Redactor,
    now: Timestamp,
) -> Result<Redacted<Content>, AppError> {
    let line = ContentRecord {
        title: document.title.clone(),
        body: Some(document.text.clone()),
        kind: document.kind.clone(),
        ..ContentRecord::default()
    };
    let draft = line.into_content(document.provenance(), now).map_err(|failure| {
        AppError::user(format!("document `{}` cannot be a memory: {failure}", document.id))
    })?;
    Ok(prepare(draft, redactor))
}
