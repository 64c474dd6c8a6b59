//! Sessions: listed, and one turn by turn: the prompt, what was done, the closing message, what was learnt and injected.

use super::injections::{self, InjectionShape};
use super::json;
use super::memories::{self, MemoryRowShape};
use super::parameters::next_page;
use crate::{ApiReply, ApiRequest};
use backstory_app::json::{self as shapes, SessionShape};
use backstory_app::transcript::{StepShape, step};
use backstory_app::{App, AppError, ErrorCode};
use backstory_capture::body_of;
use backstory_memory::{Activity, EventId, SessionId, Timestamp, first_chars};
use backstory_store::{PageRequest, SessionSummary, Store, StoredEvent};
use serde::Serialize;

/// How much of the first prompt a list shows.
const PROMPT_CHARS: usize = 120;
/// More memories or injections of one session are left out.
const MOST: u32 = 500;

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
}

#[derive(Serialize)]
struct TurnShape {
    prompt: Option<String>,
    at: String,
    events: Vec<StepShape>,
    closing: Option<String>,
    memories: Vec<MemoryRowShape>,
    injections: Vec<InjectionShape>,
    #[serde(skip)]
    began: (EventId, Timestamp),
}

pub(super) fn list(request: &ApiRequest, store: &Store, app: &App) -> Result<ApiReply, AppError> {
    let page = request.page(store, app)?;
    let found = store.browse().sessions(&page)?;
    let next = next_page(&page, found.len(), found.last().map(|summary| summary.session.id.0));
    let sessions = found.iter().map(|summary| row(store, summary)).collect::<Result<_, _>>()?;
    json(&SessionListShape { version: 1, sessions, next })
}

fn row(store: &Store, summary: &SessionSummary) -> Result<SessionRowShape, AppError> {
    let prompt = store.events().first_prompt(summary.session.id)?.and_then(|event| prompt_of(&event));
    let prompt = prompt.map(|prompt| {
        let one_line = prompt.split_whitespace().collect::<Vec<_>>().join(" ");
        first_chars(&one_line, PROMPT_CHARS).to_owned()
    });
    Ok(SessionRowShape {
        project_id: summary.session.project.0,
        session: shapes::session(store, summary)?,
        prompt,
    })
}

fn prompt_of(stored: &StoredEvent) -> Option<String> {
    match body_of(&stored.event)?.activity {
        Activity::Prompted { text } => Some(text),
        _ => None,
    }
}

pub(super) fn turns_of_session(request: &ApiRequest, store: &Store) -> Result<ApiReply, AppError> {
    let id = SessionId(request.id());
    let session = store.sessions().get(id)?.ok_or_else(|| {
        AppError::new(ErrorCode::NoSuchSession, format!("there is no session {id}"))
            .hint("`/api/sessions` lists them all")
    })?;
    let events = store.events().of_session(id, EventId(0))?;
    let page = PageRequest { session: Some(id), limit: MOST, ..PageRequest::default() };
    let found = store.browse().memories(&page)?;
    let memories = found.len() as u64;
    let summary = SessionSummary { events: events.len() as u64, memories, session };
    let mut turns = turns(&events);
    for memory in found.into_iter().rev() {
        // What was made of events belongs to their turn, however much later it was made.
        let last = store.memories().evidence(memory.id)?.into_iter().max();
        let at = memory.created_at;
        let turn =
            turns.iter().rposition(|turn| last.map_or(turn.began.1 <= at, |last| turn.began.0 <= last));
        if let Some(turn) = turns.get_mut(turn.unwrap_or(0)) {
            turn.memories.push(memories::row(memory));
        }
    }
    for injection in store.browse().injections(&page)?.into_iter().rev() {
        let turn = turns.iter().rposition(|turn| turn.began.1 <= injection.at);
        if let Some(turn) = turns.get_mut(turn.unwrap_or(0)) {
            turn.injections.push(injections::row(injection));
        }
    }
    json(&TurnsShape { version: 1, session: row(store, &summary)?, turns })
}

/// Divides what happened into turns. What came before the first prompt is a turn without one.
fn turns(events: &[StoredEvent]) -> Vec<TurnShape> {
    let mut turns: Vec<TurnShape> = Vec::new();
    for stored in events {
        let step = step(stored);
        let prompt = prompt_of(stored);
        if prompt.is_some() || turns.is_empty() {
            turns.push(TurnShape {
                at: step.at.clone(),
                events: Vec::new(),
                closing: None,
                memories: Vec::new(),
                injections: Vec::new(),
                began: (stored.id, stored.event.at),
                prompt: prompt.clone(),
            });
        }
        let Some(turn) = turns.last_mut() else { continue };
        match step.what {
            _ if prompt.is_some() => {}
            "said" if !step.text.is_empty() => turn.closing = Some(step.text),
            _ => turn.events.push(step),
        }
    }
    turns
}
