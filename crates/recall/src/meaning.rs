//! The semantic arm: what is near in meaning, from the mapped vectors.
//!
//! Not here: making vectors (`capture`), the model itself (`embed`). Whoever has no vectors has no `Meaning`, and words carry.

use backstory_embed::{Encoder, MiniLm, Quantised, Vector, VectorFile, VectorScope};
use backstory_memory::{MemoryId, first_chars};
use backstory_store::{ANY_PROJECT, Scope};
use std::collections::HashMap;
use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// A model and the vectors it made.
pub struct Meaning {
    encoder: Box<dyn Encoder>,
    vectors: Arc<VectorFile>,
    /// A question that was read before it was asked, and where it points.
    read: Option<(String, Option<Vector>)>,
}

/// The vectors that were opened last, for a process that asks again and again: mapping them anew takes longer than looking through
/// them does.
#[derive(Clone, Debug, Default)]
pub struct KeptVectors {
    last: Arc<Mutex<Option<Arc<VectorFile>>>>,
    is_of_a_server: bool,
}

impl KeptVectors {
    /// For a process that may wait for hours between two questions: it holds the vectors, and not the model.
    #[must_use]
    pub fn of_a_server() -> KeptVectors {
        KeptVectors { is_of_a_server: true, ..KeptVectors::default() }
    }

    /// Returns the vectors at a path as they are now.
    fn at(&self, path: &Path, model: &str) -> Option<Arc<VectorFile>> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.take_if(|kept| !kept.is_still(path));
        if let Some(kept) = &*last {
            return Some(kept.clone());
        }
        // Opening a pipe would wait for who writes into it.
        let path = Some(path).filter(|path| path.is_file())?;
        let opened = Arc::new(VectorFile::open(path, model).ok()?);
        *last = (opened.bytes() <= MOST_KEPT).then(|| opened.clone());
        Some(opened)
    }
}

/// Larger files are opened for every question: what is mapped counts as ours.
const MOST_KEPT: usize = 64 << 20;

/// Where a question points, and what lies there, nearest first.
pub(crate) struct Near {
    pub(crate) direction: Vector,
    pub(crate) memories: Vec<(MemoryId, f64)>,
}

impl fmt::Debug for Meaning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Meaning").field("model", &self.encoder.model_name()).finish_non_exhaustive()
    }
}

impl Meaning {
    /// Opens the vectors the built-in model made; nothing where there are none, or another model made them.
    ///
    /// Why there are none is for whoever makes them to say: a question is answered by words meanwhile.
    #[must_use]
    pub fn open(vectors: &Path) -> Option<Meaning> {
        Meaning::open_again(vectors, &KeptVectors::default())
    }

    /// The same for whoever keeps the vectors from one question to the next.
    #[must_use]
    pub fn open_again(vectors: &Path, kept: &KeptVectors) -> Option<Meaning> {
        let encoder = MiniLm::load();
        let encoder = if kept.is_of_a_server { encoder.giving_back() } else { encoder };
        let vectors = kept.at(vectors, encoder.model_name())?;
        Some(Meaning { encoder: Box::new(encoder), vectors, read: None })
    }

    /// Opens the vectors another model made.
    #[must_use]
    pub fn with(encoder: Box<dyn Encoder>, vectors: &Path) -> Option<Meaning> {
        let vectors = KeptVectors::default().at(vectors, encoder.model_name())?;
        Some(Meaning { encoder, vectors, read: None })
    }

    /// Reads a question that will be asked: whoever can do so while something else is prepared does not wait for it then.
    pub fn read(&mut self, question: &str) {
        let question = first_chars(question, MOST_READ);
        self.read = Some((question.to_owned(), self.direction(question)));
    }

    /// Returns where a question points. Nothing where it is not written in letters the model has learnt to read.
    fn direction(&self, question: &str) -> Option<Vector> {
        direction(self.encoder.as_ref(), question)
    }

    /// Reads a question and finds the memories nearest to it within reach. Nothing where the model cannot read it; a
    /// file that cannot be read any more has no memories.
    pub(crate) fn look(&self, question: &str, reach: Scope, count: usize) -> Option<Near> {
        let question = first_chars(question, MOST_READ);
        let direction = match &self.read {
            Some((read, direction)) if read == question => direction.clone(),
            _ => self.direction(question),
        }?;
        let found = within(reach, |scope| self.vectors.scan(&direction, scope, count));
        let found = found.unwrap_or_default().into_iter();
        let memories = found.map(|near| (MemoryId(near.memory), f64::from(near.cosine))).collect();
        Some(Near { direction, memories })
    }

    /// Returns how near each memory is that has a vector.
    pub(crate) fn cosines(
        &self,
        question: &Vector,
        reach: Scope,
        ids: &[MemoryId],
    ) -> HashMap<MemoryId, f64> {
        let ids: Vec<i64> = ids.iter().map(|id| id.0).collect();
        let found = within(reach, |scope| self.vectors.scores_for(question, scope, &ids));
        let found = found.unwrap_or_default().into_iter();
        found.map(|near| (MemoryId(near.memory), f64::from(near.cosine))).collect()
    }

    /// Returns the first vector of each memory that has one.
    pub(crate) fn of(&self, reach: Scope, ids: &[MemoryId]) -> HashMap<MemoryId, Quantised> {
        let ids: Vec<i64> = ids.iter().map(|id| id.0).collect();
        let found = within(reach, |scope| self.vectors.rows_of(scope, &ids));
        let mut first = HashMap::new();
        for (memory, vector) in found.unwrap_or_default() {
            first.entry(MemoryId(memory)).or_insert(vector);
        }
        first
    }
}

/// Returns where a question points, for whoever keeps vectors elsewhere. Nothing where it is not written in letters the model has learnt to
/// read.
#[must_use]
pub fn direction(encoder: &dyn Encoder, question: &str) -> Option<Vector> {
    let question = first_chars(question, MOST_READ);
    if is_mostly_latin(question) { encoder.encode_question(question) } else { None }
}

/// Whether at least half of the letters are Latin. Of other scripts the model knows some letters and no words: it finds everything
/// in them alike.
fn is_mostly_latin(text: &str) -> bool {
    let letters = || text.chars().filter(|c| c.is_alphabetic());
    // Latin ends with its additions, before the Greek block.
    let latin = letters().filter(|c| *c < '\u{370}').count();
    latin > 0 && 2 * latin >= letters().count()
}

/// A long question says in its beginning what it is about, and reading all of it takes ten times as long.
const MOST_READ: usize = 500;

fn within<T>(reach: Scope, look: impl FnOnce(VectorScope<'_>) -> T) -> T {
    match reach {
        Scope::Project(project) => look(VectorScope::Projects(&[project.0, ANY_PROJECT.0])),
        Scope::Everywhere => look(VectorScope::Everything),
    }
}
