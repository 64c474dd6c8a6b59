//! Keeps the vector file up to date: embeds the memories the store lists as pending, and removes the rows of forgotten ones.
//!
//! The store lists pending memories, newest first. Each batch is embedded without a lock, then written in three short steps under the
//! file's lock: the store notes that rows are coming, they are appended, the store notes that they are there. A process killed between
//! two steps leaves rows the store knows it must remove, and a memory that stays pending.
//!
//! **Locking.** One process embeds at a time; a second one finds that out at once and leaves the work to the first. The file itself is
//! locked only while one batch is written, so that forgetting never waits long.
//!
//! Not here: when to embed and for how long (`app`), searching (`semantic_index`).

use backstory_embed::{Encoder, Quantised, VectorFile, VectorFileError, VectorRow, VectorWriter};
use backstory_memory::{Content, Memory, MemoryId, MemoryScope, title_from};
use backstory_store::{ANY_PROJECT, Store, StoreError};
use std::collections::HashSet;
use std::fs::File;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// How many memories a core embeds before they are written; a kill loses at most that many.
const PER_CORE: usize = 4;
/// Writing one batch takes less than this; after so long the lock is held for another reason.
const LOCK_TIMEOUT: Duration = Duration::from_millis(500);
/// How long to wait before trying the lock again.
const LOCK_RETRY: Duration = Duration::from_millis(2);
/// How much text a slow core embeds in a millisecond; decides what still fits before a deadline.
const BYTES_PER_MS: usize = 12;
/// With a deadline, an empty file is started only if the store has no more memories than this.
const MOST_TO_REBUILD: u64 = 20_000;

/// How to embed.
#[derive(Clone, Copy)]
pub struct EmbeddingJob<'a> {
    /// The model.
    pub encoder: &'a (dyn Encoder + Sync),
    /// How many cores to use.
    pub cores: usize,
    /// When to stop. What is not done by then stays pending.
    pub until: Option<Instant>,
}

impl EmbeddingJob<'_> {
    fn is_over(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }

    /// Whether a text can be embedded before the deadline. One too long for any deadline is left to a run without one.
    fn has_time_for(&self, text: &str) -> bool {
        let left = self.until.map(|until| until.saturating_duration_since(Instant::now()));
        left.is_none_or(|left| text.len() / BYTES_PER_MS <= left.as_millis() as usize)
    }
}

/// The result of embedding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EmbeddingReport {
    /// How many memories got their vectors.
    pub memories: u64,
    /// Whether another process was already embedding.
    pub another_process_embeds: bool,
}

/// Why vectors could not be made. Pending memories stay pending.
#[derive(Debug, thiserror::Error)]
pub enum EmbedError {
    /// The store could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The vector file could not be written.
    #[error(transparent)]
    File(#[from] VectorFileError),
}

/// Embeds pending memories, newest first, until none is left or the time is over. `progress` gets how many are done.
///
/// A vector file that is missing, damaged or of another model is rebuilt.
pub fn embed_pending(
    store: &mut Store,
    work: &EmbeddingJob<'_>,
    mut progress: impl FnMut(u64),
) -> Result<EmbeddingReport, EmbedError> {
    let file = store.home().vectors();
    let mut embedded = EmbeddingReport::default();
    let Some(_lock) = lock_embedding(&file)? else {
        return Ok(EmbeddingReport { another_process_embeds: true, ..embedded });
    };
    if store.vectors().count_stale()? == 0 && file.exists() {
        return Ok(embedded);
    }
    if let Err(error) = VectorFile::open(&file, work.encoder.model_name()) {
        if !error.is_stale() {
            return Err(error.into());
        }
        if work.until.is_some() && store.memories().count()? > MOST_TO_REBUILD {
            return Ok(embedded);
        }
        rebuild_vectors(store, work.encoder)?;
    }
    let mut note = |more| {
        embedded.memories += more;
        progress(embedded.memories);
    };
    // The next pass embeds what changed meanwhile.
    loop {
        match embed_once(store, work, &mut note) {
            Ok(true) => {}
            Ok(false) => return Ok(embedded),
            Err(EmbedError::File(VectorFileError::Busy { .. })) => {
                return Ok(EmbeddingReport { another_process_embeds: true, ..embedded });
            }
            Err(error) => return Err(error),
        }
    }
}

/// Replaces the vector file by an empty one, and marks every memory as pending.
///
/// The store comes first: after a kill in between the old file is there, with every row of it to be made again.
pub fn rebuild_vectors(store: &mut Store, encoder: &dyn Encoder) -> Result<(), EmbedError> {
    let empty = with_lock_timeout(|| VectorWriter::rebuild(&store.home().vectors(), encoder.model_name()))?;
    store.vectors_mut().mark_all_stale()?;
    Ok(empty.finish()?)
}

/// Overwrites the vectors of forgotten or changed memories, and waits until that is on the disk.
pub fn remove_dead_vectors(store: &mut Store, encoder: &dyn Encoder) -> Result<(), EmbedError> {
    match remove_rows(store, encoder, VectorWriter::sync) {
        // No search reads such a file, but it must not keep forgotten memories either.
        Err(EmbedError::File(error)) if error.is_stale() => rebuild_vectors(store, encoder),
        done => done,
    }
}

/// Marks memories as pending whose vectors are missing from the file, for example after a power cut. Returns how many.
pub fn requeue_missing_vectors(store: &mut Store, encoder: &dyn Encoder) -> Result<u64, EmbedError> {
    let Ok(file) = VectorFile::open(&store.home().vectors(), encoder.model_name()) else { return Ok(0) };
    let known: HashSet<i64> = file.memories().collect();
    let mut missing = Vec::new();
    store.memories().for_each(|memory| {
        if !known.contains(&memory.id.0) && !embedded_text(&memory.content).trim().is_empty() {
            missing.push(memory.id);
        }
    })?;
    store.vectors_mut().mark_missing(&missing)?;
    Ok(missing.len() as u64)
}

/// Goes once through the pending memories, newest first. Returns whether there was anything to embed.
fn embed_once(
    store: &mut Store,
    work: &EmbeddingJob<'_>,
    progress: &mut dyn FnMut(u64),
) -> Result<bool, EmbedError> {
    let mut has_embedded = false;
    let batch = work.cores.max(1) * if work.cores > 1 { PER_CORE } else { 1 };
    let mut visited: Option<RangeInclusive<MemoryId>> = None;
    while !work.is_over() {
        // Not synced to the disk: a power cut may bring these rows back, and the next run removes them again.
        remove_rows(store, work.encoder, |_| Ok(()))?;
        let ids = store.vectors().stale(visited.as_ref(), batch)?;
        let (Some(newest), Some(oldest)) = (ids.first(), ids.last()) else { break };
        visited = Some(match visited {
            Some(range) => *oldest.min(range.start())..=*newest.max(range.end()),
            None => *oldest..=*newest,
        });
        // A memory that cannot be read does not stop the others.
        let memories = ids.iter().filter_map(|id| store.memories().get(*id).ok().flatten());
        let texts = memories.map(|memory| (embedded_text(&memory.content), memory));
        let (texts, memories): (Vec<String>, Vec<Memory>) =
            texts.filter(|(text, _)| work.has_time_for(text)).unzip();
        if !memories.is_empty() {
            let vectors = encode_all(work, &texts);
            progress(write_rows(store, work.encoder, &memories, &vectors)?);
            has_embedded = true;
        }
    }
    Ok(has_embedded)
}

/// Overwrites the rows the store lists for removal. The file stays locked until the store has noted it.
fn remove_rows(
    store: &mut Store,
    encoder: &dyn Encoder,
    seal: impl FnOnce(&VectorWriter) -> Result<(), VectorFileError>,
) -> Result<(), EmbedError> {
    if store.vectors().to_remove()?.is_empty() {
        return Ok(());
    }
    let mut writer = open(store, encoder)?;
    let ids = store.vectors().to_remove()?;
    writer.forget(&ids.iter().map(|id| id.0).collect::<Vec<_>>())?;
    seal(&writer)?;
    Ok(store.vectors_mut().mark_removed(&ids)?)
}

/// Writes the vectors of memories that have not changed since they were read. Returns of how many.
fn write_rows(
    store: &mut Store,
    encoder: &dyn Encoder,
    memories: &[Memory],
    vectors: &[Vec<Quantised>],
) -> Result<u64, EmbedError> {
    let mut writer = open(store, encoder)?;
    let coming = store.vectors_mut().begin_append(memories)?;
    let pairs = memories.iter().zip(vectors).filter(|(memory, _)| coming.contains(&memory.id));
    let rows = pairs.flat_map(|(memory, vectors)| {
        let project = row_project(memory);
        vectors.iter().map(move |vector| VectorRow { memory: memory.id.0, project, vector })
    });
    writer.append(&rows.collect::<Vec<_>>())?;
    store.vectors_mut().mark_fresh(memories)?;
    Ok(coming.len() as u64)
}

/// Returns the project a memory's rows are filed under.
fn row_project(memory: &Memory) -> i64 {
    match memory.content.scope {
        MemoryScope::Project => memory.project.0,
        MemoryScope::User => ANY_PROJECT.0,
    }
}

/// Returns the text of a memory to embed: title, body and facts, without the title if the body begins with it.
fn embedded_text(content: &Content) -> String {
    let repeats_title =
        content.body.starts_with(&content.title) || title_from(&content.body) == content.title;
    let title = Some(content.title.as_str()).filter(|_| !repeats_title);
    let body = Some(content.body.as_str()).filter(|body| !body.is_empty());
    let parts = title.into_iter().chain(body).chain(content.facts.iter().map(String::as_str));
    parts.collect::<Vec<_>>().join("\n")
}

/// Embeds texts on several cores: each takes the next text no other has taken.
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

/// Takes the lock of embedding; `None` if another process has it. The system releases it when the process ends.
fn lock_embedding(file: &Path) -> Result<Option<File>, EmbedError> {
    let mut name = file.as_os_str().to_owned();
    name.push(".embedding");
    let path = PathBuf::from(name);
    let failed = |source| VectorFileError::Io { act: "lock", path: path.clone(), source };
    Ok(backstory_platform::try_lock_private(&path).map_err(failed)?)
}

/// Whether a process embeds right now. It goes on until nothing is left, so whoever finds it need not start another.
#[must_use]
pub fn is_embedding(store: &Store) -> bool {
    matches!(lock_embedding(&store.home().vectors()), Ok(None))
}

fn open(store: &Store, encoder: &dyn Encoder) -> Result<VectorWriter, VectorFileError> {
    with_lock_timeout(|| VectorWriter::open(&store.home().vectors(), encoder.model_name()))
}

/// Opens the file, waiting for the batch another process is writing.
fn with_lock_timeout(
    open: impl Fn() -> Result<VectorWriter, VectorFileError>,
) -> Result<VectorWriter, VectorFileError> {
    let begun = Instant::now();
    loop {
        match open() {
            Err(VectorFileError::Busy { .. }) if begun.elapsed() < LOCK_TIMEOUT => {
                thread::park_timeout(LOCK_RETRY);
            }
            opened => return opened,
        }
    }
}
