//! `maintain`: the housekeeping that is due. Started by hooks at the end of a session, never waited for.

use crate::commands::distil::distil_session;
use crate::exit::Exit;
use crate::ui::{Ui, memories};
use backstory_app::{App, AppError, log, vectors};
use backstory_distil::DistilTrigger;
use backstory_store::Store;
use clap::Args;
use serde::Serialize;
use std::time::Duration;

/// Arguments of `maintain`.
#[derive(Args, Debug)]
pub(crate) struct MaintainArgs {
    /// Output as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Serialize)]
struct Done {
    version: u32,
    sessions_distilled: u64,
    events_removed: u64,
    bytes_freed: u64,
    backup: Option<String>,
    embedded: u64,
}

/// Does the housekeeping.
pub(crate) fn run(args: &MaintainArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    let mut store = app.store()?;
    let sessions_distilled = distil_leftovers(&mut store, app)?;
    let report = store.upkeep_mut().maintain(app.retention(), app.now)?;
    let embedded = vectors::follow_for(&mut store, app, TIME_TO_EMBED);
    let backup = report.backup.map(|path| path.display().to_string());
    if args.json {
        let (events_removed, bytes_freed) = (report.events_removed, report.bytes_freed);
        ui.json(&Done { version: 1, sessions_distilled, events_removed, bytes_freed, backup, embedded })?;
        return Ok(Exit::Done);
    }
    if sessions_distilled > 0 {
        ui.line(&format!("sessions distilled that had been left: {sessions_distilled}"))?;
    }
    ui.line(&format!("old events removed: {}; bytes freed: {}", report.events_removed, report.bytes_freed))?;
    if let Some(path) = backup {
        ui.line(&format!("copied the database to {path}"))?;
    }
    if embedded > 0 {
        ui.line(&format!("made the vectors of {}", memories(embedded)))?;
    }
    Ok(Exit::Done)
}

/// After this long without an event a session has ended, whether or not its host said so.
const QUIET_MS: i64 = 30 * 60_000;
/// How long one run makes vectors: what is left by an import that was cut short is done little by little.
const TIME_TO_EMBED: Duration = Duration::from_secs(60);
/// How many sessions one run takes on.
const MOST_SESSIONS: u32 = 100;

/// Distils what hosts that crashed or were killed never closed, before its events grow old.
fn distil_leftovers(store: &mut Store, app: &App) -> Result<u64, AppError> {
    let left = store.sessions().undistilled(app.now.plus_ms(-QUIET_MS), MOST_SESSIONS)?;
    for id in &left {
        // One session that cannot be read must not keep the copies from being made.
        if let Err(failure) = distil_session(store, *id, DistilTrigger::OnDemand, app) {
            log::line(&app.home, app.now, &format!("maintain: session {id}: {}", failure.line()));
        }
    }
    Ok(left.len() as u64)
}
