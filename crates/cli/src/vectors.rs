//! When vectors are made, and for how long: a hook has a moment, a command a little longer, `import` and `index` all the time there is.
//!
//! Vectors are extra: what fails here is a line in the log, never the end of a command.

use crate::app::App;
use crate::config::Config;
use crate::failure::Failure;
use crate::log;
use crate::progress::Progress;
use backstory_embed::MiniLm;
use backstory_memory::Timestamp;
use backstory_recall::{EmbedError, Embedded, Embedding, embed_waiting, take_out_vectors};
use backstory_store::{Home, Store};
use std::num::NonZero;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

/// What to do about memories without vectors.
pub(crate) const MAKES_VECTORS: &str =
    "`backstory index --vectors` makes them; words find all of them already";
/// How long a command that wrote a memory stays to embed it.
const A_COMMANDS_TIME: Duration = Duration::from_millis(500);

/// Embeds what waits, newest first, for a moment and on one core.
pub(crate) fn embed_until(
    store: &mut Store,
    config: &Config,
    until: Instant,
) -> Result<Embedded, EmbedError> {
    if !config.recall.vectors {
        return Ok(Embedded::default());
    }
    let model = MiniLm::load();
    embed_waiting(store, &Embedding { encoder: &model, cores: 1, until: Some(until) }, |_| {})
}

/// Embeds what a command has just written.
pub(crate) fn follow(store: &mut Store, app: &App) {
    follow_for(store, app, A_COMMANDS_TIME);
}

/// Embeds what waits for so long at the most; returns how many memories.
pub(crate) fn follow_for(store: &mut Store, app: &App, time: Duration) -> u64 {
    let done = embed_until(store, &app.config, Instant::now() + time);
    note_failure(&app.home, app.now, done).memories
}

/// Embeds all that waits, on every core, with a bar. Interrupted, it is gone on with by the next.
pub(crate) fn embed_all(store: &mut Store) -> Result<Embedded, Failure> {
    store.note_vectors_begun()?;
    let model = MiniLm::load();
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let mut progress = Progress::new(store.count_stale_vectors()?, "vectors");
    let work = Embedding { encoder: &model, cores, until: None };
    let done = embed_waiting(store, &work, |done| progress.at(done));
    progress.finish();
    let embedded = done.map_err(failure)?;
    if store.count_stale_vectors()? == 0 {
        store.note_vectors_done()?;
    }
    Ok(embedded)
}

/// Overwrites the vectors of what was forgotten. Returns the file that may still hold them, where that could not be done.
pub(crate) fn forget(store: &mut Store, app: &App) -> Option<PathBuf> {
    let done = take_out_vectors(store, &MiniLm::load());
    let is_done = done.is_ok();
    note_failure(&app.home, app.now, done);
    (!is_done).then(|| app.home.vectors())
}

/// Says in the log what went wrong, and goes on.
pub(crate) fn note_failure<T: Default>(home: &Home, now: Timestamp, done: Result<T, EmbedError>) -> T {
    done.unwrap_or_else(|error| {
        log::line(home, now, &format!("vectors: {}", failure(error).line()));
        T::default()
    })
}

/// Says why vectors could not be made.
pub(crate) fn failure(error: EmbedError) -> Failure {
    match error {
        EmbedError::Store(error) => error.into(),
        EmbedError::File(error) => Failure::user("cannot make vectors")
            .because(&error)
            .hint("memories are found by their words all the same; `backstory index --vectors` tries again"),
    }
}
