//! A data set in a store that is kept between runs.

use crate::TaskResult;
use crate::datasets;
use crate::datasets::converted::{ConvertedSet, SetDocument, SetQuery};
use crate::datasets::own_sets;
use backstory_capture::{Redactor, RedactorOptions, prepare, unlocated_project_ref};
use backstory_embed::MiniLm;
use backstory_memory::{
    ContentRecord, MemoryId, ProjectId, ProjectKey, Provenance, SessionId, Timestamp, time_from_json,
};
use backstory_recall::{EmbeddingJob, embed_pending};
use backstory_store::{Home, InsertOutcome, MemoryOrigin, NewMemory, Purpose, Store};
use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;

/// The time of a document or a query that names none.
pub(crate) const NOW: Timestamp = Timestamp(1_800_000_000_000);
/// Documents written in one transaction.
const PER_TRANSACTION: usize = 1_000;
/// Of so many queries one is also put to a corpus that cannot answer it.
const STRANGE_EVERY: usize = 3;

/// A set, its corpora and its questions.
pub(crate) struct PreparedSet {
    pub(crate) name: String,
    pub(crate) documents: Vec<SetDocument>,
    pub(crate) queries: Vec<SetQuery>,
}

/// The store of a set.
pub(crate) struct SetStore {
    pub(crate) home: Home,
    pub(crate) store: Store,
    pub(crate) projects: HashMap<String, ProjectId>,
    pub(crate) documents: HashMap<MemoryId, String>,
}

/// Reads every set: published ones by their own format, others by the format of `eval`, those of our own, and recorded prompts.
pub(crate) fn all(data: &Path, recorded: &Path, most_chars: usize) -> TaskResult<Vec<PreparedSet>> {
    let mut sets = in_folder(data, most_chars)?;
    let own = own_sets::small().into_iter().chain(own_sets::recorded_prompts(recorded)?);
    sets.extend(own.map(|set| PreparedSet {
        name: set.name,
        documents: set.documents,
        queries: set.queries,
    }));
    // The small ones come first: they show what is wrong soonest.
    sets.sort_by_key(|set| set.documents.iter().map(|document| document.text.len()).sum::<usize>());
    Ok(sets)
}

fn in_folder(data: &Path, most_chars: usize) -> TaskResult<Vec<PreparedSet>> {
    let mut paths: Vec<_> = fs::read_dir(data)?.map(|entry| Ok(entry?.path())).collect::<TaskResult<_>>()?;
    paths.sort();
    let mut sets = Vec::new();
    for path in paths {
        if let Ok(set) = datasets::read(&path) {
            sets.push(PreparedSet::sampled(set, most_chars));
        }
    }
    Ok(sets)
}

impl PreparedSet {
    /// Keeps whole corpora, as many as stay below a number of characters, and adds queries that nothing answers.
    fn sampled(set: ConvertedSet, most_chars: usize) -> PreparedSet {
        let mut chars: Vec<(&str, usize)> = Vec::new();
        for document in &set.documents {
            match chars.iter_mut().find(|(corpus, _)| *corpus == document.corpus) {
                Some((_, chars)) => *chars += document.text.len(),
                None => chars.push((&document.corpus, document.text.len())),
            }
        }
        let mut total = 0;
        let kept = chars.iter().enumerate().take_while(|(at, (_, chars))| {
            total += chars;
            *at == 0 || total <= most_chars
        });
        let kept: Vec<String> = kept.map(|(_, (corpus, _))| (*corpus).to_owned()).collect();
        let is_kept: HashSet<String> = kept.iter().cloned().collect();
        let mut queries: Vec<SetQuery> =
            set.queries.into_iter().filter(|query| is_kept.contains(&query.corpus)).collect();
        let next = |corpus: &str| {
            kept.iter().position(|it| it == corpus).and_then(|at| kept.get((at + 1) % kept.len()))
        };
        let strange: Vec<SetQuery> = queries
            .iter()
            .step_by(STRANGE_EVERY)
            .filter_map(|query| {
                let corpus = next(&query.corpus).filter(|corpus| **corpus != query.corpus)?;
                let id = format!("{} elsewhere", query.id);
                Some(SetQuery { id, corpus: corpus.clone(), gold: Vec::new(), ..query.clone() })
            })
            .collect();
        queries.extend(strange);
        let documents =
            set.documents.into_iter().filter(|document| is_kept.contains(&document.corpus)).collect();
        PreparedSet { name: set.name, documents, queries }
    }

    /// Opens the store of the set, and writes and embeds what it lacks.
    pub(crate) fn store(&self, folder: &Path) -> TaskResult<SetStore> {
        let home = Home::new(folder.join("home"));
        let mut store = Store::open(&home, Purpose::Command, NOW)?;
        let redactor =
            Redactor::new(RedactorOptions { literals: Vec::new(), environment: Vec::new(), key: [7; 32] });
        let mut projects: HashMap<String, ProjectId> = HashMap::new();
        let mut sessions: HashMap<(String, String), SessionId> = HashMap::new();
        let mut documents = HashMap::new();
        let list = folder.join("written.json");
        let known: Vec<(i64, i64, usize)> =
            fs::read(&list).ok().and_then(|list| serde_json::from_slice(&list).ok()).unwrap_or_default();
        for (memory, project, at) in &known {
            if let Some(document) = self.documents.get(*at) {
                documents.insert(MemoryId(*memory), document.id.clone());
                projects.insert(document.corpus.clone(), ProjectId(*project));
            }
        }
        let is_whole = !known.is_empty();
        if !is_whole && store.memories().count()? > 0 {
            return Err(format!("`{}` holds a part of a set; remove it", folder.display()).into());
        }
        let mut written: Vec<(i64, i64, usize)> = Vec::new();
        let missing = if is_whole { &[][..] } else { &self.documents[..] };
        for batch in missing.chunks(PER_TRANSACTION) {
            let mut memories = Vec::new();
            for document in batch {
                let created_at = time(document.at.as_ref());
                let project = match projects.get(&document.corpus) {
                    Some(project) => *project,
                    None => {
                        let name = format!("corpus {}", document.corpus);
                        let named =
                            unlocated_project_ref(&name, &[ProjectKey::Named(name.clone())], &redactor);
                        let project = store.projects_mut().find_or_create(&named, NOW)?;
                        projects.insert(document.corpus.clone(), project);
                        project
                    }
                };
                let mut session = None;
                if let Some(name) = &document.session {
                    let key = (document.corpus.clone(), name.clone());
                    if !sessions.contains_key(&key) {
                        let scrubbed = redactor.scrub(&format!("{}/{name}", document.corpus));
                        let id =
                            store.sessions_mut().find_or_create(project, "eval", &scrubbed, created_at)?;
                        sessions.insert(key.clone(), id);
                    }
                    session = sessions.get(&key).copied();
                }
                let content = prepare(content(document)?, &redactor);
                let origin = MemoryOrigin { session, ..MemoryOrigin::default() };
                memories.push(NewMemory { uid: None, project, origin, content, created_at });
            }
            let kept = store.memories_mut().remember_all(&memories)?;
            for ((document, memory), kept) in batch.iter().zip(&memories).zip(kept) {
                if let InsertOutcome::Written(id) | InsertOutcome::Known(id) = kept {
                    documents.insert(id, document.id.clone());
                    let at = self.documents.iter().position(|it| std::ptr::eq(it, document));
                    written.extend(at.map(|at| (id.0, memory.project.0, at)));
                }
            }
        }
        if !is_whole {
            fs::write(&list, serde_json::to_vec(&written)?)?;
        }
        let model = MiniLm::load();
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        embed_pending(&mut store, &EmbeddingJob { encoder: &model, cores, until: None }, |_| {})?;
        Ok(SetStore { home, store, projects, documents })
    }
}

/// Returns a document as a memory: who spoke is its provenance.
fn content(document: &SetDocument) -> TaskResult<backstory_memory::Content> {
    let line = ContentRecord {
        title: document.title.clone(),
        body: Some(document.text.clone()),
        kind: document.kind.clone(),
        ..ContentRecord::default()
    };
    let role = document.said_by.as_deref().or_else(|| Some(document.text.split_once(':')?.0));
    let provenance = match role {
        Some("user" | "User") => Provenance::User,
        Some("assistant" | "Assistant") => Provenance::Assistant,
        _ => Provenance::Import,
    };
    Ok(line.into_content(provenance, NOW)?)
}

/// Returns the time of a document or a query.
pub(crate) fn time(at: Option<&serde_json::Value>) -> Timestamp {
    at.and_then(|at| time_from_json(at, NOW)).unwrap_or(NOW)
}
