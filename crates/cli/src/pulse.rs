//! Giving up on a hub that takes everything and says nothing.

use crate::app::App;
use crate::failure::Failure;
use crate::log;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

/// What it is called that a hub was given up.
pub(crate) const SILENT: &str = "hub_silent";

/// Notices that a hub says nothing any more. No call to it can be broken off from outside, so the process ends: nothing is lost by that.
pub(crate) struct Pulse {
    beats: Arc<AtomicU64>,
}

impl Pulse {
    /// Watches from now on, until it is dropped.
    pub(crate) fn watch(app: &App) -> Pulse {
        let beats = Arc::new(AtomicU64::new(0));
        let patience = app.config.team.patience();
        let (home, ui, now) = (app.home.clone(), app.ui, app.now);
        let watched = Arc::downgrade(&beats);
        std::thread::spawn(move || {
            let mut before = u64::MAX;
            loop {
                wait(patience);
                let Some(beats) = watched.upgrade() else { return };
                let seen = beats.load(Ordering::Relaxed);
                if seen == before {
                    let failure = silent();
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

/// Waits for an answer that may not come, all in all as long as for one word of a hub, and then goes on without it: who was asked is left
/// behind in a thread of its own.
pub(crate) fn in_time<T: Send + 'static>(
    app: &App,
    ask: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || drop(tell.send(ask())));
    match told.recv_timeout(app.config.team.patience()) {
        Ok(answer) => answer,
        Err(mpsc::RecvTimeoutError::Timeout) => Err(silent()),
        Err(mpsc::RecvTimeoutError::Disconnected) => {
            Err(Failure::internal("asking the team's hub broke off"))
        }
    }
}

fn silent() -> Failure {
    Failure::user("the team's hub does not answer any more")
        .hint("nothing is lost: it is told when the hub answers again")
        .named(SILENT)
}

/// Waits, whatever wakes us meanwhile.
pub(crate) fn wait(time: Duration) {
    let until = Instant::now() + time;
    while let Some(left) = until.checked_duration_since(Instant::now()) {
        std::thread::park_timeout(left);
    }
}
