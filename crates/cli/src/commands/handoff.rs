//! `handoff`: where the work stands, for whoever goes on. Printed, brought up to date first; or written by hand.

use crate::commands::remember::{self, ContentArgs, RememberArgs};
use crate::exit::Exit;
use crate::layout::wrap_lines;
use crate::ui::{Tone, Ui, one_line};
use backstory_app::handoff::HandoffRequest;
use backstory_app::{App, AppError, ProjectSelector, json};
use backstory_memory::{Kind, clean};
use clap::Args;
use serde::Serialize;

/// Arguments of `handoff`.
#[derive(Args, Debug)]
pub(crate) struct HandoffArgs {
    /// Write this as the handoff, instead of printing what the sessions left; `-` reads standard input
    #[arg(value_name = "TEXT")]
    pub(crate) text: Option<String>,
    /// The session: its number, the host's name for it, or `last` (default: the newest of the project)
    #[arg(long, value_name = "SESSION", conflicts_with = "text")]
    pub(crate) session: Option<String>,
    /// The project: its name, its number or a folder in it (default: the one of this folder)
    #[arg(long, short, value_name = "PROJECT")]
    pub(crate) project: Option<String>,
    /// Output as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Serialize)]
struct HandoffShape {
    version: u32,
    handoff: Option<json::MemoryShape>,
}

/// Prints a handoff, or writes one.
pub(crate) fn run(args: HandoffArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    if let Some(text) = args.text {
        if text.trim().is_empty() {
            return Err(AppError::user("a handoff needs words")
                .hint("`backstory handoff \"TEXT\"` writes one; without a text it prints the newest"));
        }
        let content =
            ContentArgs { text: Some(text), kind: Some(Kind::Handoff.to_string()), ..ContentArgs::default() };
        let args = RememberArgs { content, project: args.project, force: false, json: args.json };
        return remember::run(args, app, ui);
    }
    let mut store = app.store()?;
    let projects = args.project.map_or(ProjectSelector::Here, ProjectSelector::Named);
    let memory = app.handoff(&mut store, &HandoffRequest { session: args.session, projects })?;
    if args.json {
        let handoff = memory.as_ref().map(|memory| json::memory(&store, memory)).transpose()?;
        ui.json(&HandoffShape { version: 1, handoff })?;
    } else if let Some(memory) = &memory {
        let title = ui.tone(Tone::Strong, &one_line(&memory.content.title));
        let body = wrap_lines(&clean(memory.content.body.trim_end()), ui.width(), 0);
        ui.line(&format!("{title}\n\n{body}"))?;
    } else {
        ui.say("no handoff yet: one is made when a session ends, or write one with `backstory handoff TEXT`");
    }
    Ok(if memory.is_some() { Exit::Done } else { Exit::No })
}
