//! `index`: makes anew what is derived from the memories.

use crate::app::App;
use crate::failure::{Exit, Failure};
use crate::progress::Progress;
use crate::ui;
use clap::Args;
use serde::Serialize;

/// Arguments of `index`.
#[derive(Args, Debug)]
pub(crate) struct IndexArgs {
    /// Answer in JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Serialize)]
struct Indexed {
    ok: bool,
    memories: u64,
}

/// Rebuilds the word index.
pub(crate) fn run(args: &IndexArgs, app: &App) -> Result<Exit, Failure> {
    let mut store = app.store()?;
    let mut progress = Progress::new(store.count_memories()?, "memories");
    let memories = store.rebuild_words(|done| progress.at(done))?;
    progress.finish();
    if args.json {
        app.ui.json(&Indexed { ok: true, memories })?;
    } else {
        app.ui.line(&format!("indexed {}", ui::memories(memories)))?;
    }
    Ok(Exit::Done)
}
