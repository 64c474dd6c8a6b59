//! `sessions`: the conversations hosts have had, newest first.

use crate::app::{App, ProjectArgs};
use crate::failure::{Exit, Failure};
use crate::shapes::SessionShape;
use crate::times;
use crate::ui::one_line;
use backstory_store::Reach;
use clap::Args;
use serde::Serialize;

/// Arguments of `sessions`.
#[derive(Args, Debug)]
pub(crate) struct SessionsArgs {
    #[command(flatten)]
    pub(crate) place: ProjectArgs,
    /// How many at the most
    #[arg(long, short = 'n', value_name = "N")]
    pub(crate) limit: Option<u32>,
    /// How many to pass over
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) offset: u32,
    /// Answer in JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Serialize)]
struct Sessions {
    version: u32,
    sessions: Vec<SessionShape>,
}

/// Lists sessions.
pub(crate) fn run(args: &SessionsArgs, app: &App) -> Result<Exit, Failure> {
    let store = app.store_to_read()?;
    let limit = args.limit.unwrap_or(app.config.search.limit);
    let found = match app.reach(&store, &args.place)? {
        Some(Reach::Project(id)) => store.sessions(Some(id), limit, args.offset)?,
        Some(Reach::Everywhere) => store.sessions(None, limit, args.offset)?,
        None => Vec::new(),
    };
    let mut sessions = Vec::new();
    for summary in found {
        let session = summary.session;
        sessions.push(SessionShape {
            id: session.id.0,
            project: store.project(session.project)?.map(|project| project.name).unwrap_or_default(),
            host: session.host,
            host_session: session.host_session,
            started_at: times::iso(session.started_at),
            last_event_at: times::iso(session.last_event_at),
            ended_at: session.ended_at.map(times::iso),
            events: summary.events,
            memories: summary.memories,
        });
    }
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
            session.last_event_at.get(..16).unwrap_or_default().replace('T', " "),
            one_line(&session.host),
            one_line(&session.project),
            session.events,
            session.memories,
            one_line(&session.host_session)
        ))?;
    }
    Ok(exit)
}
