//! `handoff`: where the work stands, for whoever goes on. Printed, brought up to date first; or written by hand.

use crate::commands::distil::distil_session;
use crate::commands::remember::{self, ContentArgs, RememberArgs};
use crate::exit::Exit;
use crate::ui::{Tone, Ui, one_line};
use backstory_app::{App, AppError, ProjectSelector, json};
use backstory_distil::DistilTrigger;
use backstory_memory::{Kind, Memory, clean};
use backstory_store::{Filter, Scope, Session, Store};
use clap::Args;
use serde::Serialize;

/// Arguments of `handoff`.
#[derive(Args, Debug)]
pub(crate) struct HandoffArgs {
    /// Write this as the handoff, instead of printing what the sessions left; `-` reads standard input
    #[arg(value_name = "TEXT")]
    pub(crate) text: Option<String>,
    /// Of this session: its number, the host's name for it, or `last` (default: the newest of the project)
    #[arg(long, value_name = "SESSION", conflicts_with = "text")]
    pub(crate) session: Option<String>,
    /// The project: its name, its number or a folder in it (default: the one of this folder)
    #[arg(long, value_name = "PROJECT")]
    pub(crate) project: Option<String>,
    /// Output as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Serialize)]
struct Handoff {
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
        return remember::run(
            RememberArgs { content, project: args.project, force: false, json: args.json },
            app,
            ui,
        );
    }
    let mut store = app.store()?;
    let projects = args.project.map_or(ProjectSelector::Here, ProjectSelector::Named);
    let found = match &args.session {
        Some(wanted) => {
            let session = app.find_session(&store, wanted, &projects)?;
            bring_up_to_date(&mut store, &session, app)?;
            of_session(&store, &session)?
        }
        None => newest(&mut store, &projects, app)?,
    };
    let Some(memory) = found else {
        if args.json {
            ui.json(&Handoff { version: 1, handoff: None })?;
        } else {
            ui.say(
                "no handoff yet: one is made when a session ends, or write one with `backstory handoff TEXT`",
            );
        }
        return Ok(Exit::No);
    };
    if args.json {
        ui.json(&Handoff { version: 1, handoff: Some(json::memory(&store, &memory)?) })?;
        return Ok(Exit::Done);
    }
    let title = ui.tone(Tone::Strong, &one_line(&memory.content.title));
    ui.line(&format!("{title}\n\n{}", clean(memory.content.body.trim_end())))?;
    Ok(Exit::Done)
}

/// Returns the newest handoff of a project; that of the session at work, if one is.
fn newest(store: &mut Store, projects: &ProjectSelector, app: &App) -> Result<Option<Memory>, AppError> {
    let Some(Scope::Project(project)) = app.scope(store, projects)? else { return Ok(None) };
    if let Some(latest) = store.sessions().list(Some(project), 1, 0)?.pop() {
        bring_up_to_date(store, &latest.session, app)?;
    }
    let filter = Filter { kinds: vec![Kind::Handoff], limit: 16, ..Filter::within(Scope::Project(project)) };
    let ids = store.search().list(&filter)?;
    Ok(store.memories().get_many(&ids)?.into_iter().max_by_key(|memory| memory.updated_at))
}

/// A session that still runs has moved on since its last handoff; one that ended said where it stood.
fn bring_up_to_date(store: &mut Store, session: &Session, app: &App) -> Result<(), AppError> {
    let trigger =
        if session.ended_at.is_some() { DistilTrigger::OnDemand } else { DistilTrigger::Compaction };
    distil_session(store, session.id, trigger, app).map(drop)
}

fn of_session(store: &Store, session: &Session) -> Result<Option<Memory>, AppError> {
    let ids = store.memories().of_session(session.id)?;
    let handoff = |memory: &Memory| memory.content.kind == Kind::Handoff;
    Ok(store.memories().get_many(&ids)?.into_iter().rfind(handoff))
}
