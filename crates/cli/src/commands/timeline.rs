//! `timeline`: what came before and after a memory, or the newest of a project.

use crate::args::{how_many, memory_id};
use crate::exit::Exit;
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
        let today: String = memory.created_at.chars().take(10).collect();
        if today != day {
            ui.line(&ui.tone(Tone::Faint, &today))?;
            day = today;
        }
        let mark = if Some(MemoryId(memory.id)) == args.id { ">" } else { " " };
        let replaced = memory.superseded_by.map(|by| format!(" (superseded by #{by})")).unwrap_or_default();
        ui.line(&format!(
            "{mark} #{:<5} {:<9} {}{replaced}",
            memory.id,
            memory.kind,
            one_line(&memory.title)
        ))?;
    }
    Ok(exit)
}
