//! `sessions`: the conversations hosts have had, newest first; `sessions show` shows one step by step and what was learnt from it.

use crate::args::how_many;
use crate::exit::Exit;
use crate::project_args::ProjectArgs;
use crate::ui::{Tone, Ui, one_line};
use backstory_app::json::{self, SessionListShape, SessionRecordShape};
use backstory_app::sessions::SessionsRequest;
use backstory_app::{App, AppError};
use backstory_memory::first_chars;
use clap::{Args, Subcommand};

/// Arguments of `sessions`.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct SessionsArgs {
    #[command(subcommand)]
    pub(crate) action: Option<Action>,
    #[command(flatten)]
    pub(crate) place: ProjectArgs,
    /// Maximum number of sessions
    #[arg(long, short = 'n', value_name = "N", value_parser = how_many)]
    pub(crate) limit: Option<u32>,
    /// Number of sessions to skip
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) offset: u32,
    /// Output as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// What can be done with sessions.
#[derive(Debug, Subcommand)]
pub(crate) enum Action {
    /// Show one session step by step, and what was learnt from it
    Show {
        /// Its number, the host's name for it or the beginning of that, or `last` for the newest of the project
        session: String,
        #[command(flatten)]
        place: ProjectArgs,
        /// Include the output of commands and the text of edits
        #[arg(long)]
        full: bool,
        /// Output as JSON
        #[arg(long)]
        json: bool,
    },
}

/// Lists sessions, or shows one.
pub(crate) fn run(args: &SessionsArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    match &args.action {
        Some(Action::Show { session, place, full, json }) => show(session, place, *full, *json, app, ui),
        None => list(args, app, ui),
    }
}

fn list(args: &SessionsArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    let store = app.store_to_read()?;
    let request = SessionsRequest { projects: args.place.selector(), limit: args.limit, offset: args.offset };
    let listed = app.sessions(&store, &request)?;
    let sessions =
        listed.iter().map(|summary| json::session(&store, summary)).collect::<Result<Vec<_>, _>>()?;
    let exit = if sessions.is_empty() { Exit::No } else { Exit::Done };
    if args.json {
        ui.json(&SessionListShape { version: 1, sessions })?;
        return Ok(exit);
    }
    if sessions.is_empty() {
        ui.say("no sessions yet");
    }
    for session in &sessions {
        ui.line(&format!(
            "{:<5} {} {:<12} {:<16} {:>4} memories  {}",
            session.id,
            minute(&session.last_event_at),
            one_line(&session.host),
            one_line(&session.project),
            session.memories,
            one_line(session.title.as_ref().unwrap_or(&session.host_session))
        ))?;
    }
    Ok(exit)
}

fn minute(at: &str) -> String {
    at.get(..16).unwrap_or_default().replace('T', " ")
}

fn show(
    wanted: &str,
    place: &ProjectArgs,
    full: bool,
    json: bool,
    app: &App,
    ui: &Ui,
) -> Result<Exit, AppError> {
    let store = app.store_to_read()?;
    let session = app.find_session(&store, wanted, &place.selector())?;
    let record = json::session_record(&store, &app.session_record(&store, session)?)?;
    ui.answer(json, &record, || ui.raw(&words(&record, full, ui)))?;
    Ok(Exit::Done)
}

/// How much of a step is shown without `--full`.
const STEP_CHARS: usize = 96;

fn words(record: &SessionRecordShape, full: bool, ui: &Ui) -> String {
    let session = &record.session;
    let name =
        format!("Session {} of {} · {}", session.id, one_line(&session.project), one_line(&session.host));
    let when = format!("{} · {}", minute(&session.started_at), one_line(&session.host_session));
    let title = session.title.as_deref().map(|title| format!("{}\n", one_line(title))).unwrap_or_default();
    let mut text = format!("{}\n{title}{}\n\n", ui.tone(Tone::Strong, &name), ui.tone(Tone::Faint, &when));
    for step in &record.steps {
        let by = step.subagent.as_ref().map(|agent| format!(" ({})", one_line(agent))).unwrap_or_default();
        let line = one_line(&step.text);
        let line = if full { line.as_str() } else { first_chars(&line, STEP_CHARS) };
        text += &format!("{} {:<10}{by} {line}\n", step.at.get(11..16).unwrap_or_default(), step.what);
        for line in step.detail.iter().filter(|_| full).flat_map(|detail| detail.lines()) {
            text += &format!("                 {}\n", one_line(line));
        }
    }
    let part = |heading: &str, lines: Vec<String>| match lines.is_empty() {
        true => String::new(),
        false => format!("\n{}\n{}", ui.tone(Tone::Strong, heading), lines.concat()),
    };
    let remembered = record.memories.iter().map(|memory| {
        let gone = memory.superseded_by.map(|by| format!(" (superseded by #{by})")).unwrap_or_default();
        format!("#{:<5} {:<9} {}{gone}\n", memory.id, memory.kind, one_line(&memory.title))
    });
    let code = record.code_changes.iter().map(|changed| {
        format!("{:<9} {}: {}\n", changed.change, one_line(&changed.path), one_line(&changed.signature))
    });
    text + &part("Remembered", remembered.collect()) + &part("Code", code.collect())
}
