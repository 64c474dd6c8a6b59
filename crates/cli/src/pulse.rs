//! Giving up on a hub that takes everything and says nothing.

use crate::app::App;
use crate::failure::Failure;
use crate::log;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Notices that a hub says nothing any more. No call to it can be broken off from outside, so the process ends: nothing is lost by that.
pub(crate) struct Pulse {
    beats: Arc<AtomicU64>,
}

impl Pulse {
    /// Watches from now on, until it is dropped.
    pub(crate) fn watch(app: &App) -> Pulse {
        let beats = Arc::new(AtomicU64::new(0));
        let patience = Duration::from_secs(u64::from(app.config.team.patience_seconds.max(1)));
        let (home, ui, now) = (app.home.clone(), app.ui, app.now);
        let watched = Arc::downgrade(&beats);
        std::thread::spawn(move || {
            let mut before = u64::MAX;
            loop {
                wait(patience);
                let Some(beats) = watched.upgrade() else { return };
                let seen = beats.load(Ordering::Relaxed);
                if seen == before {
                    let failure = Failure::user("the team's hub does not answer any more")
                        .hint("nothing is lost: it is told when the hub answers again");
                    log::line(&home, now, &format!("team: {}", failure.line()));
                    ui.fail(&failure);
                    std::process::exit(1);
                }
                before = seen;
            }
        });
        Pulse { beats }
    }

    /// Notes that the hub has answered.
    pub(crate) fn beat(&self) {
        self.beats.fetch_add(1, Ordering::Relaxed);
    }
}

/// Waits, whatever wakes us meanwhile.
pub(crate) fn wait(time: Duration) {
    let until = Instant::now() + time;
    while let Some(left) = until.checked_duration_since(Instant::now()) {
        std::thread::park_timeout(left);
    }
}
