//! Upkeep of the store: regular maintenance, and rebuilding the word index and the vectors from the memories.

use crate::app::App;
use crate::error::AppError;
use crate::json::{IndexShape, MaintenanceShape};
use crate::program::start_in_background;
use crate::progress::{OnProgress, count};
use crate::{background_writer, log, vectors};
use backstory_distil::{DistilTrigger, reconcile_stored};
use backstory_embed::MiniLm;
use backstory_recall::rebuild_vectors;
use backstory_store::Store;
use std::time::Duration;

/// A session without an event for this long counts as ended, even if its host did not report the end.
const QUIET_MS: i64 = 30 * 60_000;
/// How long one maintenance run makes vectors. An interrupted import may leave more; later runs continue.
const TIME_TO_EMBED: Duration = Duration::from_secs(60);
/// How many sessions one maintenance run distils at most.
const MOST_SESSIONS: u32 = 100;

/// What [`App::index`] rebuilds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RebuildTarget {
    /// The word index; vectors that are missing are made as well.
    Words,
    /// All vectors. If an earlier rebuild was interrupted, only the rest of them.
    Vectors,
}

/// Copies what was written to the mirror. Closing a store does it, too; this is for one that stays open.
pub fn follow_mirror(store: &mut Store) -> Result<(), AppError> {
    Ok(store.upkeep_mut().follow_mirror()?)
}

impl App {
    /// Rebuilds the word index or all vectors, then makes the vectors that are missing.
    pub fn index(
        &self,
        store: &mut Store,
        scope: RebuildTarget,
        on_progress: OnProgress<'_>,
    ) -> Result<IndexShape, AppError> {
        let mut done = IndexShape { ok: true, ..IndexShape::default() };
        match scope {
            RebuildTarget::Vectors => self.begin_vectors(store)?,
            RebuildTarget::Words => {
                let total = store.memories().count()?;
                let on_done = count(&mut *on_progress, "memories", total);
                done.memories = store.upkeep_mut().rebuild_word_index(on_done)?;
            }
        }
        if self.config.recall.vectors {
            let embedded = vectors::embed_all(store, on_progress)?;
            (done.embedded, done.another_process_embeds) =
                (embedded.memories, embedded.another_process_embeds);
        }
        done.vectors_waiting = store.vectors().count_stale()?;
        Ok(done)
    }

    /// Replaces the vector file by an empty one, unless an unfinished rebuild can be continued.
    fn begin_vectors(&self, store: &mut Store) -> Result<(), AppError> {
        if !self.config.recall.vectors {
            return Err(AppError::usage("vectors are turned off").hint("set `recall.vectors = true`"));
        }
        if store.vectors().is_rebuild_pending()? {
            return Ok(());
        }
        store.vectors_mut().begin_rebuild()?;
        rebuild_vectors(store, &MiniLm::load()).map_err(vectors::failure)
    }

    /// Compares what was written with what is known, and starts maintenance beside this process if it was not done for a day. Every
    /// request that writes ends with this, because some people work without hooks.
    pub(crate) fn finish_writing(&self, store: &mut Store) {
        self.reconcile_written(store);
        let is_due = store.upkeep().is_maintenance_due(self.config.retention.backup_hours, self.now);
        if is_due.unwrap_or(false)
            && let Err(error) = start_in_background("maintain")
        {
            log::line(&self.home, self.now, &format!("cannot start `maintain`: {error}"));
        }
    }

    /// Compares what was written with what is known, whoever wrote it. What fails is tried again by the next request.
    pub(crate) fn reconcile_written(&self, store: &mut Store) {
        if let Err(error) = reconcile_stored(store, &self.redactor(), self.now) {
            log::line(&self.home, self.now, &format!("memories are not compared: {error}"));
        }
    }

    /// Does the maintenance that is due.
    pub fn maintain(&self, store: &mut Store) -> Result<MaintenanceShape, AppError> {
        // Distil before `maintain` removes old events, which distilling needs.
        let sessions_distilled = self.distil_leftovers(store)?;
        let report = store.upkeep_mut().maintain(self.retention(), self.now)?;
        if background_writer::is_due(store, &self.config, self.now)?
            && let Err(error) = start_in_background(background_writer::COMMAND)
        {
            log::line(
                &self.home,
                self.now,
                &format!("cannot start `{}`: {error}", background_writer::COMMAND),
            );
        }
        Ok(MaintenanceShape {
            version: 1,
            sessions_distilled,
            events_removed: report.events_removed,
            bytes_freed: report.bytes_freed,
            backup: report.backup.map(|path| path.display().to_string()),
            embedded: vectors::follow_for(store, self, TIME_TO_EMBED),
        })
    }

    /// Distils sessions that were never closed, because their host crashed or was killed.
    ///
    /// Returns how many.
    fn distil_leftovers(&self, store: &mut Store) -> Result<u64, AppError> {
        let left = store.sessions().undistilled(self.now.plus_ms(-QUIET_MS), MOST_SESSIONS)?;
        let mut distilled = 0;
        for id in left {
            match self.distil_session(store, id, DistilTrigger::OnDemand) {
                Ok(_) => distilled += 1,
                // One session that cannot be distilled must not keep the rest of maintenance, such as backups,
                // from being done.
                Err(error) => {
                    log::line(&self.home, self.now, &format!("maintain: session {id}: {}", error.line()));
                }
            }
        }
        Ok(distilled)
    }
}
