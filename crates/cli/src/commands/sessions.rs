//! `sessions`: the conversations hosts have had, by what they did, newest first; `sessions show` shows one step by step and what was learnt from it.

use crate::args::how_many;
use crate::clock::{Clock, duration};
use crate::exit::Exit;
use crate::filter_args::{KindArgs, TimeArgs};
use crate::layout::{columns, fit, pad};
use crate::project_args::ProjectArgs;
use crate::ui::{Tone, Ui, memories, one_line};
use backstory_app::app::project_name;
use backstory_app::browse::SessionRow;
use backstory_app::json::{self, SessionListShape, SessionRecordShape};
use backstory_app::sessions::SessionsRequest;
use backstory_app::transcript::{StepKind, StepShape};
use backstory_app::{App, AppError};
use backstory_store::SessionSummary;
use clap::{Args, Subcommand};

/// Arguments of `sessions`.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct SessionsArgs {
    #[command(subcommand)]
    pub(crate) action: Option<Action>,
    #[command(flatten)]
    pub(crate) place: ProjectArgs,
    #[command(flatten)]
    pub(crate) kind: KindArgs,
    #[command(flatten)]
    pub(crate) time: TimeArgs,
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
    let request = SessionsRequest {
        projects: args.place.selector(),
        since: args.time.since(app)?,
        until: args.time.until(app)?,
        kinds: args.kind.kinds(),
        limit: args.limit,
        offset: args.offset,
    };
    let rows = app.session_rows(&store, &request)?;
    let exit = if rows.is_empty() { Exit::No } else { Exit::Done };
    if args.json {
        let sessions = rows.iter().map(|row| json::session(&store, &row.summary));
        ui.json(&SessionListShape { version: 1, sessions: sessions.collect::<Result<_, _>>()? })?;
        return Ok(exit);
    }
    if rows.is_empty() {
        ui.say("no sessions yet");
    }
    for row in &rows {
        let project = project_name(&store, row.summary.session.project)?;
        print_row(row, args.place.all_projects.then_some(project.as_str()), app, ui)?;
    }
    Ok(exit)
}

/// Prints one session: what it did on the first line, and below it when, how long, with whom.
fn print_row(row: &SessionRow, project: Option<&str>, app: &App, ui: &Ui) -> Result<(), AppError> {
    const NUMBER: usize = 6;
    let SessionSummary { session, memories: learnt, .. } = &row.summary;
    let first = pad(&ui.tone(Tone::Faint, &session.id.0.to_string()), NUMBER);
    ui.wrapped(&first, &ui.tone(Tone::Strong, &title_of(row)), NUMBER)?;
    let mut facts = vec![ui.ago(session.last_event_at, app.now)];
    facts.push(duration(session.started_at, session.last_event_at));
    facts.push(one_line(&session.host));
    facts.extend(project.map(one_line));
    facts.extend((*learnt > 0).then(|| memories(*learnt)));
    let facts = ui.tone(Tone::Faint, &facts.join(" · "));
    ui.wrapped(&" ".repeat(NUMBER), &facts, NUMBER)
}

/// Returns what a session did; before that is known what it was asked for, and where it was asked for nothing, its name at the host.
fn title_of(row: &SessionRow) -> String {
    /// A prompt may be a page.
    const PROMPT_CHARS: usize = 100;
    let session = &row.summary.session;
    let prompt = row.prompt.as_deref().map(one_line).filter(|prompt| !prompt.is_empty());
    match (&session.title, prompt) {
        (Some(title), _) => one_line(title),
        (None, Some(prompt)) => format!("\"{}\"", fit(&prompt, PROMPT_CHARS)),
        (None, None) => format!("session {}, without a prompt", one_line(&session.host_session)),
    }
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
    ui.answer(json, &record, || print_record(&record, full, app, ui))?;
    Ok(Exit::Done)
}

/// Prints a session: what it is, its steps, and what was learnt from it.
fn print_record(record: &SessionRecordShape, full: bool, app: &App, ui: &Ui) -> Result<(), AppError> {
    let session = &record.session;
    let (from, to) = (Clock::read(&session.started_at), Clock::read(&session.last_event_at));
    let number = format!("Session {}", session.id);
    let title = session.title.as_deref().map(|title| format!(": {}", one_line(title))).unwrap_or_default();
    ui.wrapped("", &ui.tone(Tone::Strong, &format!("{number}{title}")), 2)?;
    let facts = [
        one_line(&session.project),
        one_line(&session.host),
        ui.clock.both(from, app.now),
        duration(from, to),
        one_line(&session.host_session),
    ];
    ui.wrapped("", &ui.tone(Tone::Faint, &facts.join(" · ")), 0)?;
    if !record.steps.is_empty() {
        ui.line("")?;
    }
    for step in &record.steps {
        print_step(step, full, ui)?;
    }
    if !record.memories.is_empty() {
        ui.line(&format!("\n{}", ui.tone(Tone::Strong, "Remembered")))?;
    }
    for memory in &record.memories {
        let gone = memory.superseded_by.map(|by| format!(" (superseded by #{by})")).unwrap_or_default();
        let number = pad(&format!("#{}", memory.id), 6);
        let first = format!("{number} {} ", pad(&ui.kind(&memory.kind), 9));
        ui.wrapped(&first, &format!("{}{gone}", one_line(&memory.title)), columns(&first))?;
    }
    if !record.code_changes.is_empty() {
        ui.line(&format!("\n{}", ui.tone(Tone::Strong, "Code")))?;
    }
    for changed in &record.code_changes {
        let first = format!("{:<9} ", changed.change);
        let text =
            format!("{}: {}", ui.tone(Tone::Path, &one_line(&changed.path)), one_line(&changed.signature));
        ui.wrapped(&first, &text, columns(&first))?;
    }
    Ok(())
}

/// How far the output of a command is indented.
const DETAIL: usize = 17;

/// Prints a step: one line of it, or with `--full` all that is kept.
fn print_step(step: &StepShape, full: bool, ui: &Ui) -> Result<(), AppError> {
    let by = step.subagent.as_ref().map(|agent| format!(" ({})", one_line(agent))).unwrap_or_default();
    let time = ui.clock.time_of_day(Clock::read(&step.at));
    let tone = if step.what == StepKind::Failed { Tone::Bad } else { Tone::Knowledge };
    let what = pad(&ui.tone(tone, &step.what.to_string()), 10);
    let first = format!("{} {what}{by} ", ui.tone(Tone::Faint, &time));
    let text = one_line(&step.text);
    if !full {
        return ui.line(&format!("{first}{}", fit(&text, ui.width().saturating_sub(columns(&first)))));
    }
    ui.wrapped(&first, &text, columns(&first))?;
    let is_change = matches!(step.what, StepKind::Made | StepKind::Edited);
    for line in step.detail.iter().flat_map(|detail| detail.lines()) {
        let text = one_line(line);
        let text = match line.chars().next() {
            Some('+') if is_change => ui.tone(Tone::Good, &text),
            Some('-') if is_change => ui.tone(Tone::Bad, &text),
            _ => text,
        };
        ui.wrapped(&" ".repeat(DETAIL), &text, DETAIL + 2)?;
    }
    Ok(())
}
