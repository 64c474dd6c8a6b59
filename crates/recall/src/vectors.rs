//! How vectors come to be and stay true: what waits in the store is embedded and put into the vector file.
//!
//! The store says which memories wait, newest first. Each batch is embedded without holding anything, then written in three short
//! steps under the file's lock: the store is told that rows are coming, they are appended, the store is told that they are there. Whoever is
//! killed between two steps leaves rows the store knows it has to take out again, and a memory that goes on waiting.
//!
//! **Locking.** One process embeds at a time; another finds that out at once and leaves the work to it. The file itself is locked for
//! the writing of one batch only, so that forgetting never waits long.
//!
//! Not here: when to embed and for how long (`cli`), searching (`recall`).

use backstory_embed::{Encoder, Quantised, Row, VectorFile, VectorFileError, VectorWriter};
use backstory_memory::{Content, Memory, MemoryId, MemoryScope, title_from};
use backstory_store::{ANY_PROJECT, Store, StoreError};
use std::collections::HashSet;
use std::fs::File;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// How many memories a core embeds before they are written: what a kill loses.
const PER_CORE: usize = 4;
/// The writing of one batch is shorter than this, so whoever waits so long waits for something else.
const PATIENCE: Duration = Duration::from_millis(500);
/// How long to wait before asking for the lock again.
const A_MOMENT: Duration = Duration::from_millis(2);
/// How much text a slow core embeds in a millisecond: decides what still fits before a deadline.
const BYTES_PER_MS: usize = 12;
/// With a deadline, an empty file is begun only where the store has no more memories than this.
const FEW: u64 = 20_000;

/// How to embed.
#[derive(Clone, Copy)]
pub struct EmbeddingJob<'a> {
    /// The model.
    pub encoder: &'a (dyn Encoder + Sync),
    /// How many cores to use.
    pub cores: usize,
    /// TimeRange to stop. What is not done by then goes on waiting.
    pub until: Option<Instant>,
}

impl EmbeddingJob<'_> {
    fn is_over(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }

    /// Whether a text can be embedded before the deadline. One that never could is left to whoever has none.
    fn has_time_for(&self, text: &str) -> bool {
        let left = self.until.map(|until| until.saturating_duration_since(Instant::now()));
        left.is_none_or(|left| text.len() / BYTES_PER_MS <= left.as_millis() as usize)
    }
}

/// What came of embedding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EmbeddingReport {
    /// How many memories have their vectors now that had none.
    pub memories: u64,
    /// Whether it was left to another process.
    pub is_left_to_another: bool,
}

/// Why vectors could not be made. What waits goes on waiting.
#[derive(Debug, thiserror::Error)]
pub enum EmbedError {
    /// The store could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The vector file could not be written.
    #[error(transparent)]
    File(#[from] VectorFileError),
}

/// Embeds what waits, newest first, until nothing waits or the time is over. `progress` is told how many are done.
///
/// A vector file that is missing, damaged or of another model is begun anew.
pub fn embed_pending(
    store: &mut Store,
    work: &EmbeddingJob<'_>,
    mut progress: impl FnMut(u64),
) -> Result<EmbeddingReport, EmbedError> {
    let file = store.home().vectors();
    let mut embedded = EmbeddingReport::default();
    let Some(_alone) = alone(&file)? else {
        return Ok(EmbeddingReport { is_left_to_another: true, ..embedded });
    };
    if store.count_stale_vectors()? == 0 && file.exists() {
        return Ok(embedded);
    }
    if let Err(error) = VectorFile::open(&file, work.encoder.model_name()) {
        if !error.is_stale() {
            return Err(error.into());
        }
        if work.until.is_some() && store.count_memories()? > FEW {
            return Ok(embedded);
        }
        rebuild_vectors(store, work.encoder)?;
    }
    let mut note = |more| {
        embedded.memories += more;
        progress(embedded.memories);
    };
    // What changes meanwhile is met by the next pass.
    loop {
        match pass(store, work, &mut note) {
            Ok(true) => {}
            Ok(false) => return Ok(embedded),
            Err(EmbedError::File(VectorFileError::Busy { .. })) => {
                return Ok(EmbeddingReport { is_left_to_another: true, ..embedded });
            }
            Err(error) => return Err(error),
        }
    }
}

/// Puts an empty vector file in the place of the one in use, and lets every memory wait.
///
/// The store is told first: who is killed in between finds the old file, and every row of it to be made again.
pub fn rebuild_vectors(store: &mut Store, encoder: &dyn Encoder) -> Result<(), EmbedError> {
    let empty = patiently(|| VectorWriter::rebuild(&store.home().vectors(), encoder.model_name()))?;
    store.mark_all_vectors_stale()?;
    Ok(empty.finish()?)
}

/// Overwrites the vectors of what was forgotten or changed, and waits until that is on the disk.
pub fn remove_dead_vectors(store: &mut Store, encoder: &dyn Encoder) -> Result<(), EmbedError> {
    match take_out(store, encoder, VectorWriter::sync) {
        // Nothing of such a file is ever found again, but it must not keep what was forgotten either.
        Err(EmbedError::File(error)) if error.is_stale() => rebuild_vectors(store, encoder),
        done => done,
    }
}

/// Lets those memories wait whose vectors a power cut has taken, or whoever else changed the file. Returns how many.
pub fn requeue_missing_vectors(store: &mut Store, encoder: &dyn Encoder) -> Result<u64, EmbedError> {
    let Ok(file) = VectorFile::open(&store.home().vectors(), encoder.model_name()) else { return Ok(0) };
    let known: HashSet<i64> = file.memories().collect();
    let mut missing = Vec::new();
    store.each_memory(|memory| {
        if !known.contains(&memory.id.0) && !text_of(&memory.content).trim().is_empty() {
            missing.push(memory.id);
        }
    })?;
    store.mark_vectors_missing(&missing)?;
    Ok(missing.len() as u64)
}

/// Goes once through what waits, newest first; what arrives meanwhile is newest. Returns whether there was anything to embed.
fn pass(
    store: &mut Store,
    work: &EmbeddingJob<'_>,
    progress: &mut dyn FnMut(u64),
) -> Result<bool, EmbedError> {
    let mut has_embedded = false;
    let batch = work.cores.max(1) * if work.cores > 1 { PER_CORE } else { 1 };
    let mut gone_through: Option<RangeInclusive<MemoryId>> = None;
    while !work.is_over() {
        // A power cut may bring such rows back to standing; they are not worth waiting for the disk.
        take_out(store, work.encoder, |_| Ok(()))?;
        let ids = store.stale_vectors(gone_through.as_ref(), batch)?;
        let (Some(newest), Some(oldest)) = (ids.first(), ids.last()) else { break };
        gone_through = Some(match gone_through {
            Some(range) => *oldest.min(range.start())..=*newest.max(range.end()),
            None => *oldest..=*newest,
        });
        // A memory that cannot be read keeps no other from being embedded.
        let memories = ids.iter().filter_map(|id| store.memory(*id).ok().flatten());
        let texts = memories.map(|memory| (text_of(&memory.content), memory));
        let (texts, memories): (Vec<String>, Vec<Memory>) =
            texts.filter(|(text, _)| work.has_time_for(text)).unzip();
        if !memories.is_empty() {
            let vectors = encode_all(work, &texts);
            progress(write(store, work.encoder, &memories, &vectors)?);
            has_embedded = true;
        }
    }
    Ok(has_embedded)
}

/// Overwrites the rows that should not be there. The file stays locked until the store knows.
fn take_out(
    store: &mut Store,
    encoder: &dyn Encoder,
    seal: impl FnOnce(&VectorWriter) -> Result<(), VectorFileError>,
) -> Result<(), EmbedError> {
    if store.vectors_to_remove()?.is_empty() {
        return Ok(());
    }
    let mut writer = open(store, encoder)?;
    let ids = store.vectors_to_remove()?;
    writer.forget(&ids.iter().map(|id| id.0).collect::<Vec<_>>())?;
    seal(&writer)?;
    Ok(store.mark_vectors_removed(&ids)?)
}

/// Puts the vectors of memories into the file, where they are still as they were read. Returns for how many.
fn write(
    store: &mut Store,
    encoder: &dyn Encoder,
    memories: &[Memory],
    vectors: &[Vec<Quantised>],
) -> Result<u64, EmbedError> {
    let mut writer = open(store, encoder)?;
    let coming = store.begin_vector_append(memories)?;
    let pairs = memories.iter().zip(vectors).filter(|(memory, _)| coming.contains(&memory.id));
    let rows = pairs.flat_map(|(memory, vectors)| {
        let project = place_of(memory);
        vectors.iter().map(move |vector| Row { memory: memory.id.0, project, vector })
    });
    writer.append(&rows.collect::<Vec<_>>())?;
    store.mark_vectors_fresh(memories)?;
    Ok(coming.len() as u64)
}

/// Returns the project a memory's rows stand under.
fn place_of(memory: &Memory) -> i64 {
    match memory.content.scope {
        MemoryScope::Project => memory.project.0,
        MemoryScope::User => ANY_PROJECT.0,
    }
}

/// Returns what of a memory is embedded: title, text and facts, the title not twice where the text begins with it.
fn text_of(content: &Content) -> String {
    let says_it = content.body.starts_with(&content.title) || title_from(&content.body) == content.title;
    let title = Some(content.title.as_str()).filter(|_| !says_it);
    let body = Some(content.body.as_str()).filter(|body| !body.is_empty());
    let parts = title.into_iter().chain(body).chain(content.facts.iter().map(String::as_str));
    parts.collect::<Vec<_>>().join("\n")
}

/// Embeds texts, on several cores where that is asked for: each takes the next text that nobody has taken.
fn encode_all(work: &EmbeddingJob<'_>, texts: &[String]) -> Vec<Vec<Quantised>> {
    let encode = |text: &String| -> Vec<Quantised> {
        work.encoder.encode(text).iter().map(backstory_embed::Vector::quantise).collect()
    };
    let cores = work.cores.min(texts.len());
    if cores < 2 {
        return texts.iter().map(encode).collect();
    }
    let next = AtomicUsize::new(0);
    let take = || {
        let at = next.fetch_add(1, Ordering::Relaxed);
        texts.get(at).map(|text| (at, encode(text)))
    };
    let encode_some = || std::iter::from_fn(take).collect::<Vec<_>>();
    let mut done: Vec<(usize, Vec<Quantised>)> = thread::scope(|scope| {
        let threads: Vec<_> = (0..cores).map(|_| scope.spawn(encode_some)).collect();
        let joined = threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        joined.flatten().collect()
    });
    done.sort_unstable_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, vectors)| vectors).collect()
}

/// Returns the right to embed, unless another process has it. It ends with the process at the latest.
fn alone(file: &Path) -> Result<Option<File>, EmbedError> {
    let mut name = file.as_os_str().to_owned();
    name.push(".embedding");
    let path = PathBuf::from(name);
    let failed = |source| VectorFileError::Io { act: "lock", path: path.clone(), source };
    Ok(backstory_platform::try_lock_private(&path).map_err(failed)?)
}

fn open(store: &Store, encoder: &dyn Encoder) -> Result<VectorWriter, VectorFileError> {
    patiently(|| VectorWriter::open(&store.home().vectors(), encoder.model_name()))
}

/// Opens the file, waiting a moment for the batch another process is writing.
fn patiently(
    open: impl Fn() -> Result<VectorWriter, VectorFileError>,
) -> Result<VectorWriter, VectorFileError> {
    let begun = Instant::now();
    loop {
        match open() {
            Err(VectorFileError::Busy { .. }) if begun.elapsed() < PATIENCE => thread::park_timeout(A_MOMENT),
            opened => return opened,
        }
    }
}
