//! The semantic arm: memories near in meaning, from the mapped vector file.
//!
//! Not here: making vectors (`vectors`), the model itself (`embed`). Without vectors there is no `SemanticIndex`, and words decide.

use backstory_embed::{Encoder, MiniLm, Quantised, Vector, VectorFile, VectorScope};
use backstory_memory::{MemoryId, first_chars};
use backstory_store::{ANY_PROJECT, Scope};
use std::collections::HashMap;
use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// A model and the vectors it made.
pub struct SemanticIndex {
    encoder: MiniLm,
    vectors: Arc<VectorFile>,
    /// A query that was encoded ahead, and its vector.
    encoded: Option<(String, Option<Vector>)>,
}

/// Keeps the vector file mapped between the searches of one process: mapping takes longer than scanning.
#[derive(Clone, Debug, Default)]
pub struct VectorCache {
    last: Arc<Mutex<Option<Arc<VectorFile>>>>,
    unloads_model: bool,
}

impl VectorCache {
    /// For a process that may idle for hours between two searches: it keeps the vectors mapped, and unloads the model.
    #[must_use]
    pub fn for_server() -> VectorCache {
        VectorCache { unloads_model: true, ..VectorCache::default() }
    }

    /// Returns the vectors at a path as they are now.
    fn open(&self, path: &Path, model: &str) -> Option<Arc<VectorFile>> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.take_if(|kept| !kept.is_still(path));
        if let Some(kept) = &*last {
            return Some(kept.clone());
        }
        // Opening a pipe would block until somebody writes into it.
        let path = Some(path).filter(|path| path.is_file())?;
        let opened = Arc::new(VectorFile::open(path, model).ok()?);
        *last = (opened.bytes() <= MOST_KEPT).then(|| opened.clone());
        Some(opened)
    }
}

/// Larger files are mapped anew for every search, because mapped pages count towards our resident memory.
const MOST_KEPT: usize = 64 << 20;

/// The vector of a query, and the memories nearest to it, nearest first.
pub(crate) struct Neighbours {
    pub(crate) query: Vector,
    pub(crate) memories: Vec<(MemoryId, f64)>,
}

impl fmt::Debug for SemanticIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SemanticIndex").field("model", &self.encoder.model_name()).finish_non_exhaustive()
    }
}

impl SemanticIndex {
    /// Opens the vectors of the built-in model. Returns `None` if there are none, or another model made them: until the file is
    /// rebuilt, words alone decide.
    #[must_use]
    pub fn open(vectors: &Path, cache: &VectorCache) -> Option<SemanticIndex> {
        let encoder = MiniLm::load();
        let encoder = if cache.unloads_model { encoder.unloading_after_query() } else { encoder };
        let vectors = cache.open(vectors, encoder.model_name())?;
        Some(SemanticIndex { encoder, vectors, encoded: None })
    }

    /// Encodes a query before it is searched for.
    pub fn encode_ahead(&mut self, query: &str) {
        let query = first_chars(query, MOST_QUERY_CHARS);
        self.encoded = Some((query.to_owned(), query_vector(&self.encoder, query)));
    }

    /// Finds the memories nearest to a query within a scope. Returns `None` if the model cannot read the query; a file that cannot
    /// be read any more has no memories.
    pub(crate) fn nearest(&self, query: &str, scope: Scope, count: usize) -> Option<Neighbours> {
        let query = first_chars(query, MOST_QUERY_CHARS);
        let vector = match &self.encoded {
            Some((encoded, vector)) if encoded == query => vector.clone(),
            _ => query_vector(&self.encoder, query),
        }?;
        let scanned = within(scope, |scope| self.vectors.scan(&vector, scope, count)).unwrap_or_default();
        let memories = scanned.into_iter().map(|near| (MemoryId(near.memory), f64::from(near.cosine)));
        Some(Neighbours { memories: memories.collect(), query: vector })
    }

    /// Returns the cosine of each memory that has a vector.
    pub(crate) fn cosines(&self, query: &Vector, scope: Scope, ids: &[MemoryId]) -> HashMap<MemoryId, f64> {
        let ids: Vec<i64> = ids.iter().map(|id| id.0).collect();
        let scored = within(scope, |scope| self.vectors.scores_for(query, scope, &ids)).unwrap_or_default();
        scored.into_iter().map(|near| (MemoryId(near.memory), f64::from(near.cosine))).collect()
    }

    /// Returns the first vector of each memory that has one.
    pub(crate) fn first_vectors(&self, scope: Scope, ids: &[MemoryId]) -> HashMap<MemoryId, Quantised> {
        let ids: Vec<i64> = ids.iter().map(|id| id.0).collect();
        let rows = within(scope, |scope| self.vectors.rows_of(scope, &ids)).unwrap_or_default();
        let mut first = HashMap::new();
        for (memory, vector) in rows {
            first.entry(MemoryId(memory)).or_insert(vector);
        }
        first
    }
}

/// Encodes a query. Returns `None` for one that is not mostly in Latin letters, which are all the model has learnt to read.
#[must_use]
pub fn query_vector(encoder: &dyn Encoder, query: &str) -> Option<Vector> {
    let query = first_chars(query, MOST_QUERY_CHARS);
    if is_mostly_latin(query) { encoder.encode_query(query) } else { None }
}

/// Whether at least half of the letters are Latin. Of other scripts the model knows some letters and no words: all texts in them
/// look alike to it.
fn is_mostly_latin(text: &str) -> bool {
    let letters = || text.chars().filter(|c| c.is_alphabetic());
    // Latin ends with its additions, before the Greek block.
    let latin = letters().filter(|c| *c < '\u{370}').count();
    latin > 0 && 2 * latin >= letters().count()
}

/// A long query says in its beginning what it is about, and encoding all of it takes ten times as long.
const MOST_QUERY_CHARS: usize = 500;

fn within<T>(scope: Scope, look_up: impl FnOnce(VectorScope<'_>) -> T) -> T {
    match scope {
        Scope::Project(project) => look_up(VectorScope::Projects(&[project.0, ANY_PROJECT.0])),
        Scope::Everywhere => look_up(VectorScope::Everything),
    }
}
