//! When vectors are made, and for how long: a hook leaves them to a process beside it, a command takes a moment, `import` and `index`
//! all the time there is.
//!
//! Vectors are extra: what fails here is a line in the log, never the end of a command.

pub use backstory_embed::model_name;

use crate::app::App;
use crate::config::Config;
use crate::error::AppError;
use crate::log;
use crate::progress::{OnProgress, count};
use backstory_embed::MiniLm;
use backstory_memory::Timestamp;
use backstory_recall::{
    EmbedError, EmbeddingJob, EmbeddingReport, embed_pending, is_embedding, remove_dead_vectors,
};
use backstory_store::{Home, Store};
use std::num::NonZero;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

/// What to do about memories without vectors.
pub const MAKES_VECTORS: &str = "`backstory index --vectors` makes them; words find all of them already";
/// The hidden command that makes the vectors of what a hook has written.
pub const COMMAND: &str = "make-vectors";
/// How long it works. An interrupted import may leave more; the next one goes on.
const A_BACKGROUND_TIME: Duration = Duration::from_secs(60);
/// How long a command that wrote a memory stays to embed it.
const A_COMMANDS_TIME: Duration = Duration::from_millis(500);

/// Returns how many memories wait for their vectors; none where vectors are turned off.
pub fn waiting(store: &Store, config: &Config) -> Result<u64, AppError> {
    if !config.recall.vectors {
        return Ok(0);
    }
    Ok(store.vectors().count_stale()?)
}

/// Whether memories wait for their vectors and no process makes them yet.
pub(crate) fn must_start_embedding(store: &Store, config: &Config) -> Result<bool, AppError> {
    Ok(waiting(store, config)? > 0 && !is_embedding(store))
}

/// Makes the vectors that wait, beside the hook that started this.
///
/// # Errors
///
/// When the store cannot be opened.
pub fn make_waiting(app: &App) -> Result<(), AppError> {
    let mut store = app.store()?;
    loop {
        let made = follow_for(&mut store, app, A_BACKGROUND_TIME);
        // A hook that wrote while this process finished saw that it still worked, and started no other.
        if made == 0 || !must_start_embedding(&store, &app.config)? {
            return Ok(());
        }
    }
}

/// Embeds what waits, newest first, for a moment and on one core.
fn embed_until(store: &mut Store, config: &Config, until: Instant) -> Result<EmbeddingReport, EmbedError> {
    if !config.recall.vectors {
        return Ok(EmbeddingReport::default());
    }
    let model = MiniLm::load();
    embed_pending(store, &EmbeddingJob { encoder: &model, cores: 1, until: Some(until) }, |_| {})
}

/// Embeds what a command has just written.
pub fn follow(store: &mut Store, app: &App) {
    follow_for(store, app, A_COMMANDS_TIME);
}

/// Embeds what waits for so long at the most; returns how many memories.
pub fn follow_for(store: &mut Store, app: &App, time: Duration) -> u64 {
    let done = embed_until(store, &app.config, Instant::now() + time);
    note_failure(&app.home, app.now, done).memories
}

/// Embeds everything that waits, on every core. Whoever is interrupted is continued by the next.
pub fn embed_all(store: &mut Store, on_progress: OnProgress<'_>) -> Result<EmbeddingReport, AppError> {
    let total = store.vectors().count_stale()?;
    store.vectors_mut().begin_rebuild()?;
    let model = MiniLm::load();
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let work = EmbeddingJob { encoder: &model, cores, until: None };
    let embedded = embed_pending(store, &work, count(on_progress, "vectors", total)).map_err(failure)?;
    if store.vectors().count_stale()? == 0 {
        store.vectors_mut().finish_rebuild()?;
    }
    Ok(embedded)
}

/// Overwrites the vectors of what was forgotten. Returns the file that may still hold them, where that could not be done.
pub fn forget(store: &mut Store, app: &App) -> Option<PathBuf> {
    let done = remove_dead_vectors(store, &MiniLm::load());
    let is_done = done.is_ok();
    note_failure(&app.home, app.now, done);
    (!is_done).then(|| app.home.vectors())
}

/// Says in the log what went wrong, and goes on.
pub fn note_failure<T: Default>(home: &Home, now: Timestamp, done: Result<T, EmbedError>) -> T {
    done.unwrap_or_else(|error| {
        log::line(home, now, &format!("vectors: {}", failure(error).line()));
        T::default()
    })
}

/// Says why vectors could not be made.
pub fn failure(error: EmbedError) -> AppError {
    match error {
        EmbedError::Store(error) => error.into(),
        EmbedError::File(error) => AppError::user("cannot make vectors")
            .because(&error)
            .hint("memories are found by their words all the same; `backstory index --vectors` tries again"),
    }
}
