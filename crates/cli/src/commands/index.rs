//! `index`: makes anew what is derived from the memories.

use crate::exit::Exit;
use crate::progress::Progress;
use crate::ui;
use crate::ui::Ui;
use backstory_app::{App, AppError, vectors};
use backstory_embed::MiniLm;
use backstory_recall::rebuild_vectors;
use backstory_store::Store;
use clap::Args;
use serde::Serialize;

/// Arguments of `index`.
#[derive(Args, Debug)]
pub(crate) struct IndexArgs {
    /// Make all vectors anew, or go on where that was broken off (default: the word index anew, and the vectors that are missing)
    #[arg(long)]
    pub(crate) vectors: bool,
    /// Answer in JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Default, Serialize)]
struct Indexed {
    ok: bool,
    memories: u64,
    embedded: u64,
    vectors_waiting: u64,
}

/// Rebuilds the word index, or the vectors.
pub(crate) fn run(args: &IndexArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    let mut store = app.store()?;
    let mut done = Indexed { ok: true, ..Indexed::default() };
    if args.vectors {
        begin_vectors(&mut store, app)?;
    } else {
        let mut progress = Progress::new(store.memories().count()?, "memories");
        done.memories = store.upkeep_mut().rebuild_word_index(|done| progress.at(done))?;
        progress.finish();
    }
    let mut is_left_to_another = false;
    if app.config.recall.vectors {
        let embedded = crate::progress::embed_all(&mut store)?;
        (done.embedded, is_left_to_another) = (embedded.memories, embedded.is_left_to_another);
    }
    done.vectors_waiting = store.vectors().count_stale()?;
    if args.json {
        ui.json(&done)?;
        return Ok(Exit::Done);
    }
    if !args.vectors {
        ui.line(&format!("indexed {}", ui::memories(done.memories)))?;
    }
    if args.vectors || done.embedded > 0 {
        ui.line(&format!("made the vectors of {}", ui::memories(done.embedded)))?;
    }
    if is_left_to_another {
        ui.say("note: another process makes vectors just now; the rest is left to it");
    }
    Ok(Exit::Done)
}

/// Begins with an empty file, unless that was done before and never came to its end.
fn begin_vectors(store: &mut Store, app: &App) -> Result<(), AppError> {
    if !app.config.recall.vectors {
        return Err(AppError::usage("vectors are turned off").hint("set `recall.vectors = true`"));
    }
    if store.vectors().is_rebuild_pending()? {
        return Ok(());
    }
    store.vectors_mut().begin_rebuild()?;
    rebuild_vectors(store, &MiniLm::load()).map_err(vectors::failure)
}
