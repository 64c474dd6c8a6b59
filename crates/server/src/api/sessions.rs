//! Sessions: listed, and one turn by turn: the prompt, what was done, the closing message, what was learnt and injected, and what was
//! turned down.

use super::injections::{self, InjectionShape};
use super::json;
use super::memories::{self, MemoryRowShape};
use crate::{ApiReply, ApiRequest};
use backstory_app::browse::SessionRow;
use backstory_app::json::{self as shapes, SessionShape, TurnedDownShape};
use backstory_app::session_turns::Turn;
use backstory_app::transcript::StepShape;
use backstory_app::{App, AppError, times};
use backstory_memory::{SessionId, first_chars};
use backstory_store::Store;
use serde::Serialize;

/// How much of the first prompt a list shows.
const PROMPT_CHARS: usize = 120;

#[derive(Serialize)]
struct SessionListShape {
    version: u32,
    sessions: Vec<SessionRowShape>,
    next: Option<i64>,
}

#[derive(Serialize)]
struct SessionRowShape {
    #[serde(flatten)]
    session: SessionShape,
    project_id: i64,
    prompt: Option<String>,
}

#[derive(Serialize)]
struct TurnsShape {
    version: u32,
    session: SessionRowShape,
    turns: Vec<TurnShape>,
    rejected: Vec<RejectedShape>,
}

/// What was turned down, or only proposed: then `memory` holds it.
#[derive(Serialize)]
struct RejectedShape {
    #[serde(flatten)]
    note: TurnedDownShape,
    memory: Option<i64>,
}

#[derive(Serialize)]
struct TurnShape {
    prompt: Option<String>,
    at: String,
    events: Vec<StepShape>,
    closing: Option<String>,
    memories: Vec<MemoryRowShape>,
    injections: Vec<InjectionShape>,
}

pub(super) fn list(request: &ApiRequest, store: &Store, app: &App) -> Result<ApiReply, AppError> {
    let page = app.browse_sessions(store, &request.page(store, app)?)?;
    let sessions = page.rows.iter().map(|session| row(store, session)).collect::<Result<_, _>>()?;
    json(&SessionListShape { version: 1, sessions, next: page.next })
}

fn row(store: &Store, row: &SessionRow) -> Result<SessionRowShape, AppError> {
    let prompt = row.prompt.as_ref().map(|prompt| {
        let one_line = prompt.split_whitespace().collect::<Vec<_>>().join(" ");
        first_chars(&one_line, PROMPT_CHARS).to_owned()
    });
    let session = shapes::session(store, &row.summary)?;
    Ok(SessionRowShape { project_id: row.summary.session.project.0, session, prompt })
}

pub(super) fn turns_of_session(request: &ApiRequest, store: &Store, app: &App) -> Result<ApiReply, AppError> {
    let session = app.session_turns(store, SessionId(request.id()))?;
    let turns = session.turns.into_iter().map(turn).collect();
    let rejected = session.rejected.iter().map(|rejected| RejectedShape {
        note: shapes::turned_down(&rejected.rejection),
        memory: rejected.memory.map(|id| id.0),
    });
    json(&TurnsShape {
        version: 1,
        session: row(store, &session.session)?,
        turns,
        rejected: rejected.collect(),
    })
}

fn turn(turn: Turn) -> TurnShape {
    TurnShape {
        prompt: turn.prompt,
        at: times::iso(turn.at),
        events: turn.steps,
        closing: turn.closing,
        memories: turn.memories.into_iter().map(memories::row).collect(),
        injections: turn.injections.into_iter().map(injections::row).collect(),
    }
}
