//! `maintain`: the housekeeping that is due. Started by hooks at the end of a session, never waited for.

use crate::app::App;
use crate::failure::{Exit, Failure};
use clap::Args;
use serde::Serialize;

/// Arguments of `maintain`.
#[derive(Args, Debug)]
pub(crate) struct MaintainArgs {
    /// Answer in JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Serialize)]
struct Done {
    version: u32,
    events_removed: u64,
    bytes_freed: u64,
    backup: Option<String>,
}

/// Does the housekeeping.
pub(crate) fn run(args: &MaintainArgs, app: &App) -> Result<Exit, Failure> {
    let report = app.store()?.maintain(app.retention(), app.now)?;
    let backup = report.backup.map(|path| path.display().to_string());
    if args.json {
        let (events_removed, bytes_freed) = (report.events_removed, report.bytes_freed);
        app.ui.json(&Done { version: 1, events_removed, bytes_freed, backup })?;
        return Ok(Exit::Done);
    }
    app.ui.line(&format!(
        "old events removed: {}; bytes freed: {}",
        report.events_removed, report.bytes_freed
    ))?;
    if let Some(path) = backup {
        app.ui.line(&format!("copied the database to {path}"))?;
    }
    Ok(Exit::Done)
}
