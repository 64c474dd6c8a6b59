//! `forget`: removes memories for good. Only a tombstone stays, so that they cannot come back.

use crate::app::App;
use crate::failure::{Exit, Failure};
use backstory_memory::{MemoryId, clean};
use backstory_store::StoreError;
use clap::Args;
use serde::Serialize;

/// Arguments of `forget`.
#[derive(Args, Debug)]
pub(crate) struct ForgetArgs {
    /// The memories' numbers
    #[arg(required = true)]
    pub(crate) ids: Vec<i64>,
    /// Do it without asking
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Answer in JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Serialize)]
struct Forgotten {
    ok: bool,
    forgotten: Vec<i64>,
    remains_in: Vec<String>,
}

/// Forgets memories.
pub(crate) fn run(args: &ForgetArgs, app: &App) -> Result<Exit, Failure> {
    let mut ids: Vec<MemoryId> = args.ids.iter().copied().map(MemoryId).collect();
    ids.sort_unstable();
    ids.dedup();
    let mut store = app.store()?;
    for id in &ids {
        let memory = store.memory(*id)?.ok_or(StoreError::NoSuchMemory(*id))?;
        if !args.yes {
            app.ui.say(&format!("#{id} {} {}", memory.content.kind, clean(&memory.content.title)));
        }
    }
    if !args.yes {
        match app.ui.confirm(&format!("Forget {} for good?", count(ids.len()))) {
            Some(true) => {}
            Some(false) => return Ok(Exit::No),
            None => {
                return Err(
                    Failure::usage("forgetting cannot be undone").hint("say `--yes` to do it without asking")
                );
            }
        }
    }
    let done = store.forget(&ids, app.now)?;
    let remains_in: Vec<String> = done.remains_in.iter().map(|path| path.display().to_string()).collect();
    if args.json {
        app.ui.json(&Forgotten {
            ok: true,
            forgotten: done.forgotten.iter().map(|id| id.0).collect(),
            remains_in,
        })?;
        return Ok(Exit::Done);
    }
    app.ui.line(&format!("forgot {}", count(done.forgotten.len())))?;
    for path in remains_in {
        app.ui.say(&format!("note: traces may remain in `{path}`, which could not be changed; remove it if you can do without it"));
    }
    Ok(Exit::Done)
}

fn count(memories: usize) -> String {
    if memories == 1 { "1 memory".to_owned() } else { format!("{memories} memories") }
}
