//! `sessions`: the conversations hosts have had, newest first; `sessions show` tells one step by step and what was learnt from it.

use crate::app::{App, ProjectArgs, project_name};
use crate::args::how_many;
use crate::failure::{Exit, Failure};
use crate::replay::{StepShape, step};
use crate::shapes::{self, CodeChangeShape, HeadShape, SessionShape};
use crate::times;
use crate::ui::{Tone, one_line};
use backstory_memory::{EventId, SessionId, first_chars};
use backstory_store::{Scope, Session, SessionSummary, Store};
use clap::{Args, Subcommand};
use serde::Serialize;

/// Arguments of `sessions`.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct SessionsArgs {
    #[command(subcommand)]
    pub(crate) action: Option<Action>,
    #[command(flatten)]
    pub(crate) place: ProjectArgs,
    /// How many at the most
    #[arg(long, short = 'n', value_name = "N", value_parser = how_many)]
    pub(crate) limit: Option<u32>,
    /// How many to pass over
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) offset: u32,
    /// Answer in JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// What can be done with sessions.
#[derive(Debug, Subcommand)]
pub(crate) enum Action {
    /// Tell one session step by step, and what was learnt from it
    Show {
        /// Its number, the host's name for it or the beginning of that, or `last` for the newest of the project
        session: String,
        #[command(flatten)]
        place: ProjectArgs,
        /// Show what commands printed and what edits replaced, too
        #[arg(long)]
        full: bool,
        /// Answer in JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Serialize)]
struct Sessions {
    version: u32,
    sessions: Vec<SessionShape>,
}

#[derive(Serialize)]
struct Replay {
    version: u32,
    session: SessionShape,
    steps: Vec<StepShape>,
    memories: Vec<HeadShape>,
    code_changes: Vec<CodeChangeShape>,
}

/// Lists sessions, or tells one.
pub(crate) fn run(args: &SessionsArgs, app: &App) -> Result<Exit, Failure> {
    match &args.action {
        Some(Action::Show { session, place, full, json }) => {
            app.ui.or_refusal(*json, show(session, place, *full, *json, app))
        }
        None => app.ui.or_refusal(args.json, list(args, app)),
    }
}

fn list(args: &SessionsArgs, app: &App) -> Result<Exit, Failure> {
    let store = app.store_to_read()?;
    let limit = args.limit.unwrap_or(app.config.search.limit);
    let found = newest(&store, &args.place, limit, args.offset, app)?;
    let sessions = found.into_iter().map(|summary| shape(&store, summary)).collect::<Result<Vec<_>, _>>()?;
    let exit = if sessions.is_empty() { Exit::No } else { Exit::Done };
    if args.json {
        app.ui.json(&Sessions { version: 1, sessions })?;
        return Ok(exit);
    }
    if sessions.is_empty() {
        app.ui.say("no sessions yet");
    }
    for session in &sessions {
        app.ui.line(&format!(
            "{:<5} {} {:<12} {:<16} {:>5} events {:>4} memories  {}",
            session.id,
            minute(&session.last_event_at),
            one_line(&session.host),
            one_line(&session.project),
            session.events,
            session.memories,
            one_line(&session.host_session)
        ))?;
    }
    Ok(exit)
}

/// Returns the newest sessions of the project that is meant.
fn newest(
    store: &Store,
    place: &ProjectArgs,
    limit: u32,
    offset: u32,
    app: &App,
) -> Result<Vec<SessionSummary>, Failure> {
    Ok(match app.reach(store, place)? {
        Some(Scope::Project(id)) => store.sessions(Some(id), limit, offset)?,
        Some(Scope::Everywhere) => store.sessions(None, limit, offset)?,
        None => Vec::new(),
    })
}

/// Tells of a session.
pub(crate) fn shape(store: &Store, summary: SessionSummary) -> Result<SessionShape, Failure> {
    let session = summary.session;
    Ok(SessionShape {
        id: session.id.0,
        project: project_name(store, session.project)?,
        host: session.host,
        host_session: session.host_session,
        started_at: times::iso(session.started_at),
        last_event_at: times::iso(session.last_event_at),
        ended_at: session.ended_at.map(times::iso),
        events: summary.events,
        memories: summary.memories,
    })
}

fn minute(at: &str) -> String {
    at.get(..16).unwrap_or_default().replace('T', " ")
}

/// Finds a session by number, by the host's name for it or the beginning of that; `last` is the newest of the project (law 8).
pub(crate) fn session_called(
    store: &Store,
    wanted: &str,
    place: &ProjectArgs,
    app: &App,
) -> Result<Session, Failure> {
    if wanted == "last" {
        let last = newest(store, place, 1, 0, app)?.pop().map(|summary| summary.session);
        return last.ok_or_else(|| {
            Failure::user("no sessions of this project yet")
                .hint("`backstory sessions --all-projects` shows those of others")
                .hint("`backstory doctor` looks whether hooks run")
        });
    }
    let by_number = wanted.trim_start_matches('#').parse().ok().map(SessionId);
    if let Some(session) = by_number.map(|id| store.session(id)).transpose()?.flatten() {
        return Ok(session);
    }
    let mut found = store.sessions_named(wanted)?;
    let hint = "`backstory sessions --all-projects` shows them all";
    match (found.pop(), found.len()) {
        (Some(session), 0) => Ok(session),
        (Some(_), more) => {
            Err(Failure::user(format!("{} sessions begin with `{wanted}`", more + 1)).hint(hint))
        }
        (None, _) => Err(Failure::user(format!("there is no session `{wanted}`")).hint(hint)),
    }
}

fn show(wanted: &str, place: &ProjectArgs, full: bool, json: bool, app: &App) -> Result<Exit, Failure> {
    let store = app.store_to_read()?;
    let session = session_called(&store, wanted, place, app)?;
    let steps: Vec<StepShape> = store.events(session.id, EventId(0))?.iter().map(step).collect();
    let ids = store.memories_of_session(session.id)?;
    let memories = store.memories(&ids)?;
    let memories =
        memories.iter().map(|memory| shapes::head(&store, memory)).collect::<Result<Vec<_>, _>>()?;
    let changed = store.code_changes(session.project, Some(session.id), MOST_CHANGES)?;
    let code_changes = changed.iter().rev().map(shapes::code_change).collect();
    let summary = SessionSummary { session, events: steps.len() as u64, memories: memories.len() as u64 };
    let replay = Replay { version: 1, session: shape(&store, summary)?, steps, memories, code_changes };
    if json {
        app.ui.json(&replay)?;
    } else {
        app.ui.raw(&words(&replay, full, app))?;
    }
    Ok(Exit::Done)
}

/// More changed symbols than this are not listed.
const MOST_CHANGES: u32 = 500;
/// How wide a step is told when only its gist is wanted.
const GIST_CHARS: usize = 96;

fn words(replay: &Replay, full: bool, app: &App) -> String {
    let session = &replay.session;
    let name =
        format!("Session {} of {} · {}", session.id, one_line(&session.project), one_line(&session.host));
    let when = format!("{} · {}", minute(&session.started_at), one_line(&session.host_session));
    let mut text = format!("{}\n{}\n\n", app.ui.tone(Tone::Strong, &name), app.ui.tone(Tone::Faint, &when));
    for step in &replay.steps {
        let by = step.subagent.as_ref().map(|agent| format!(" ({})", one_line(agent))).unwrap_or_default();
        let told = one_line(&step.text);
        let told = if full { told.as_str() } else { first_chars(&told, GIST_CHARS) };
        text += &format!("{} {:<10}{by} {told}\n", step.at.get(11..16).unwrap_or_default(), step.what);
        for line in step.detail.iter().filter(|_| full).flat_map(|detail| detail.lines()) {
            text += &format!("                 {}\n", one_line(line));
        }
    }
    let part = |heading: &str, lines: Vec<String>| match lines.is_empty() {
        true => String::new(),
        false => format!("\n{}\n{}", app.ui.tone(Tone::Strong, heading), lines.concat()),
    };
    let remembered = replay.memories.iter().map(|memory| {
        let gone = memory.superseded_by.map(|by| format!(" (superseded by #{by})")).unwrap_or_default();
        format!("#{:<5} {:<9} {}{gone}\n", memory.id, memory.kind, one_line(&memory.title))
    });
    let code = replay.code_changes.iter().map(|changed| {
        format!("{:<9} {}: {}\n", changed.change, one_line(&changed.path), one_line(&changed.signature))
    });
    text + &part("Remembered", remembered.collect()) + &part("Code", code.collect())
}
