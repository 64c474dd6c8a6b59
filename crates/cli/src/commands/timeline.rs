//! `timeline`: what came before and after a memory, or the newest of a project.

use crate::app::{App, ProjectArgs};
use crate::args::{how_many, memory_id};
use crate::failure::{Exit, Failure};
use crate::shapes::{self, HeadShape};
use crate::ui::{Tone, one_line};
use backstory_memory::MemoryId;
use backstory_store::{Filter, StandingFilter, Store};
use clap::Args;
use serde::Serialize;

/// Arguments of `timeline`.
#[derive(Args, Debug)]
pub(crate) struct TimelineArgs {
    /// The memory in the middle; without one, the newest
    #[arg(value_parser = memory_id)]
    pub(crate) id: Option<MemoryId>,
    /// How many before it
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) before: u32,
    /// How many after it
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) after: u32,
    #[command(flatten)]
    pub(crate) place: ProjectArgs,
    /// How many of the newest, without a memory in the middle
    #[arg(long, short = 'n', value_name = "N", value_parser = how_many)]
    pub(crate) limit: Option<u32>,
    /// Answer in JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// What came before and after a memory, for other programs.
#[derive(Serialize)]
pub(crate) struct Timeline {
    version: u32,
    anchor: Option<i64>,
    memories: Vec<HeadShape>,
}

/// Shows a timeline, oldest first.
pub(crate) fn run(args: &TimelineArgs, app: &App) -> Result<Exit, Failure> {
    let store = app.store_to_read()?;
    let timeline = told(args, &store, app)?;
    let memories = &timeline.memories;
    let exit = if memories.is_empty() { Exit::No } else { Exit::Done };
    if args.json {
        app.ui.json(&timeline)?;
        return Ok(exit);
    }
    if memories.is_empty() {
        app.ui.say("nothing has happened here yet");
    }
    let mut day = String::new();
    for memory in memories {
        let today: String = memory.created_at.chars().take(10).collect();
        if today != day {
            app.ui.line(&app.ui.tone(Tone::Faint, &today))?;
            day = today;
        }
        let mark = if Some(MemoryId(memory.id)) == args.id { ">" } else { " " };
        let replaced = memory.superseded_by.map(|by| format!(" (superseded by #{by})")).unwrap_or_default();
        app.ui.line(&format!(
            "{mark} #{:<5} {:<9} {}{replaced}",
            memory.id,
            memory.kind,
            one_line(&memory.title)
        ))?;
    }
    Ok(exit)
}

/// Tells what came before and after a memory, oldest first. Every door that speaks JSON tells it through here.
pub(crate) fn told(args: &TimelineArgs, store: &Store, app: &App) -> Result<Timeline, Failure> {
    let ids = match args.id {
        Some(id) => store.timeline(id, args.before, args.after)?,
        None => match app.reach(store, &args.place)? {
            Some(reach) => {
                let limit = args.limit.unwrap_or(app.config.search.limit);
                let mut newest =
                    store.list(&Filter { limit, standing: StandingFilter::Any, ..Filter::within(reach) })?;
                newest.reverse();
                newest
            }
            None => Vec::new(),
        },
    };
    let mut memories = Vec::new();
    for memory in store.memories(&ids)? {
        memories.push(shapes::head(store, &memory)?);
    }
    Ok(Timeline { version: 1, anchor: args.id.map(|id| id.0), memories })
}
