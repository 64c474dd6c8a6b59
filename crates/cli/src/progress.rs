//! Progress of long work: on stderr, on a terminal only, and not before a quarter of a second has passed.

use backstory_app::{AppError, vectors};
use backstory_recall::EmbeddingReport;
use backstory_store::Store;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::{Duration, Instant};

/// Work that finishes sooner needs no bar.
const PATIENCE: Duration = Duration::from_millis(250);

/// Embeds everything that waits, with a bar.
pub(crate) fn embed_all(store: &mut Store) -> Result<EmbeddingReport, AppError> {
    let mut progress = Progress::new(store.vectors().count_stale()?, "vectors");
    let done = vectors::embed_all(store, |done| progress.at(done));
    progress.finish();
    done
}

/// A bar that shows itself when the work turns out to be long.
#[derive(Debug)]
pub(crate) struct Progress {
    bar: ProgressBar,
    begun: Instant,
    shown: bool,
}

impl Progress {
    /// Starts counting towards `total`, in things called `what`; 0 where the total is not known.
    pub(crate) fn new(total: u64, what: &'static str) -> Progress {
        let bar = if total == 0 { ProgressBar::no_length() } else { ProgressBar::new(total) };
        bar.set_draw_target(ProgressDrawTarget::hidden());
        let template = if total == 0 {
            "{spinner} {human_pos} {msg} ({per_sec})"
        } else {
            "{bar:30} {human_pos}/{human_len} {msg} ({per_sec}, {eta} left)"
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_message(what);
        Progress { bar, begun: Instant::now(), shown: false }
    }

    /// Starts counting towards so many bytes.
    pub(crate) fn of_bytes(total: u64) -> Progress {
        let progress = Progress::new(total, "");
        let template = "{bar:30} {decimal_bytes}/{decimal_total_bytes} ({decimal_bytes_per_sec}, {eta} left)";
        if let Ok(style) = ProgressStyle::with_template(template) {
            progress.bar.set_style(style);
        }
        progress
    }

    /// Notes how far the work is.
    pub(crate) fn at(&mut self, position: u64) {
        if !self.shown && self.begun.elapsed() > PATIENCE {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
            self.shown = true;
        }
        self.bar.set_position(position);
    }

    /// Takes the bar away.
    pub(crate) fn finish(self) -> Duration {
        self.bar.finish_and_clear();
        self.begun.elapsed()
    }
}
