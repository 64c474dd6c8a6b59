//! `forget`: removes memories for good. Only a tombstone stays, so that they cannot come back.

use crate::app::App;
use crate::args::memory_id;
use crate::failure::{Exit, Failure};
use crate::ui::{memories, one_line};
use crate::vectors;
use backstory_memory::MemoryId;
use backstory_store::{Store, StoreError};
use clap::Args;
use serde::Serialize;

/// Arguments of `forget`.
#[derive(Args, Debug)]
pub(crate) struct ForgetArgs {
    /// The memories' numbers
    #[arg(required = true, value_parser = memory_id)]
    pub(crate) ids: Vec<MemoryId>,
    /// Do it without asking
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Answer in JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// What became of memories that were to be forgotten.
#[derive(Debug, Serialize)]
pub(crate) struct Forgotten {
    ok: bool,
    forgotten: Vec<i64>,
    revived: Vec<i64>,
    said_in: Vec<i64>,
    remains_in: Vec<String>,
}

/// Forgets memories.
pub(crate) fn run(args: &ForgetArgs, app: &App) -> Result<Exit, Failure> {
    app.ui.or_refusal(args.json, forget(args, app))
}

fn forget(args: &ForgetArgs, app: &App) -> Result<Exit, Failure> {
    let mut ids = args.ids.clone();
    ids.sort_unstable();
    ids.dedup();
    let mut store = app.store()?;
    for id in &ids {
        let memory = store.memory(*id)?.ok_or(StoreError::NoSuchMemory(*id))?;
        if !args.yes {
            app.ui.say(&format!("#{id} {} {}", memory.content.kind, one_line(&memory.content.title)));
        }
    }
    app.say_if_elsewhere(&store, &ids)?;
    if !args.yes {
        match app.ui.confirm(&format!("Forget {} for good?", memories(ids.len() as u64))) {
            Some(true) => {}
            Some(false) => return Ok(Exit::No),
            None => {
                return Err(
                    Failure::usage("forgetting cannot be undone").hint("say `--yes` to do it without asking")
                );
            }
        }
    }
    let done = erase(&mut store, &ids, app)?;
    if args.json {
        app.ui.json(&done)?;
        return Ok(Exit::Done);
    }
    app.ui.line(&done.line())?;
    done.notes().iter().for_each(|note| app.ui.say(note));
    Ok(Exit::Done)
}

/// Forgets memories that are there. Every door forgets through here.
pub(crate) fn erase(store: &mut Store, ids: &[MemoryId], app: &App) -> Result<Forgotten, Failure> {
    let titles: Vec<String> = store.memories(ids)?.into_iter().map(|memory| memory.content.title).collect();
    let mut done = store.forget(ids, app.now)?;
    done.remains_in.extend(vectors::forget(store, app));
    let mut said_in: Vec<i64> = Vec::new();
    for title in &titles {
        said_in.extend(store.memories_containing(title)?.iter().map(|id| id.0));
    }
    said_in.sort_unstable();
    said_in.dedup();
    Ok(Forgotten {
        ok: true,
        forgotten: done.forgotten.iter().map(|id| id.0).collect(),
        revived: done.revived.iter().map(|id| id.0).collect(),
        said_in,
        remains_in: done.remains_in.iter().map(|path| path.display().to_string()).collect(),
    })
}

impl Forgotten {
    /// Says what was done.
    pub(crate) fn line(&self) -> String {
        format!("forgot {}", memories(self.forgotten.len() as u64))
    }

    /// Says what else has to be known about it.
    pub(crate) fn notes(&self) -> Vec<String> {
        let revived = |id| format!("note: #{id} is in force again: what had replaced it is gone");
        let mut notes: Vec<String> = self.revived.iter().map(revived).collect();
        if !self.said_in.is_empty() {
            let numbers: Vec<String> = self.said_in.iter().map(ToString::to_string).collect();
            let numbers = numbers.join(" ");
            notes.push(format!("note: the title still stands in what was made from it: `backstory forget {numbers}` forgets that too"));
        }
        let remains = |path| {
            format!(
                "note: traces may remain in `{path}`, which could not be changed; remove it if you can do without it"
            )
        };
        notes.extend(self.remains_in.iter().map(remains));
        notes
    }
}
