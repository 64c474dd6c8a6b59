//! `timeline`: what came before and after a memory, or the newest of a project.

use crate::args::{how_many, memory_id};
use crate::clock::Clock;
use crate::exit::Exit;
use crate::filter_args::{KindArgs, TimeArgs};
use crate::layout::{columns, pad};
use crate::project_args::ProjectArgs;
use crate::ui::{Tone, Ui, one_line};
use backstory_app::timeline::TimelineRequest;
use backstory_app::{App, AppError, json};
use backstory_memory::MemoryId;
use clap::Args;

/// Arguments of `timeline`.
#[derive(Args, Debug)]
pub(crate) struct TimelineArgs {
    /// The memory in the middle (default: the newest memories)
    #[arg(value_parser = memory_id, conflicts_with_all = ["kinds", "since", "until"])]
    pub(crate) id: Option<MemoryId>,
    /// How many before it
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) before: u32,
    /// How many after it
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) after: u32,
    #[command(flatten)]
    pub(crate) place: ProjectArgs,
    #[command(flatten)]
    pub(crate) kind: KindArgs,
    #[command(flatten)]
    pub(crate) time: TimeArgs,
    /// Maximum number of memories, without one in the middle
    #[arg(long, short = 'n', value_name = "N", value_parser = how_many)]
    pub(crate) limit: Option<u32>,
    /// Output as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Shows a timeline, oldest first.
pub(crate) fn run(args: &TimelineArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    let store = app.store_to_read()?;
    let request = TimelineRequest {
        anchor: args.id,
        before: args.before,
        after: args.after,
        projects: args.place.selector(),
        since: args.time.since(app)?,
        until: args.time.until(app)?,
        kinds: args.kind.kinds(),
        limit: args.limit,
    };
    let timeline = json::timeline(&store, args.id, &app.timeline(&store, &request)?)?;
    let memories = &timeline.memories;
    let exit = if memories.is_empty() { Exit::No } else { Exit::Done };
    if args.json {
        ui.json(&timeline)?;
        return Ok(exit);
    }
    if memories.is_empty() {
        ui.say("nothing has happened here yet");
    }
    let mut day = String::new();
    for memory in memories {
        let at = Clock::read(&memory.created_at);
        let its_day = ui.clock.day_heading(at, app.now);
        if its_day != day {
            ui.line(&ui.tone(Tone::Strong, &its_day))?;
            day = its_day;
        }
        let mark = if Some(MemoryId(memory.id)) == args.id { ">" } else { " " };
        let replaced = memory.superseded_by.map(|by| format!(" (superseded by #{by})")).unwrap_or_default();
        let time = ui.clock.time_of_day(at);
        let number = pad(&format!("#{}", memory.id), 6);
        let kind = pad(&ui.kind(&memory.kind), 9);
        let first = format!("{mark} {} {number} {kind} ", ui.tone(Tone::Faint, &time));
        let title = format!("{}{}", one_line(&memory.title), ui.tone(Tone::Faint, &replaced));
        ui.wrapped(&first, &title, columns(&first))?;
    }
    Ok(exit)
}
