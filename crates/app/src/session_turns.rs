//! A session turn by turn: the prompt, what was done, the closing message, what was learnt and injected.

use crate::app::App;
use crate::browse::SessionRow;
use crate::error::{AppError, ErrorCode};
use crate::transcript::{StepKind, StepShape, prompt_of, step};
use backstory_memory::{EventId, MemoryId, SessionId, Timestamp};
use backstory_store::{InjectionRow, MemoryRow, PageRequest, Rejection, SessionSummary, Store, StoredEvent};

/// How many memories, and how many injections, are read of one session.
const MOST: u32 = 500;

/// A session turn by turn.
#[derive(Debug)]
pub struct SessionTurns {
    /// The session.
    pub session: SessionRow,
    /// Its turns, in order.
    pub turns: Vec<Turn>,
    /// What was turned down, or only proposed, in the order it was said.
    pub rejected: Vec<SessionRejection>,
}

/// What a writer turned down of a session.
#[derive(Debug)]
pub struct SessionRejection {
    /// What was said, by whom, and why it was turned down.
    pub rejection: Rejection,
    /// The memory that holds it all the same, if it was only proposed.
    pub memory: Option<MemoryId>,
}

/// What happened from one prompt to the next.
#[derive(Debug)]
pub struct Turn {
    /// The prompt; what came before the first one is a turn without.
    pub prompt: Option<String>,
    /// When it began.
    pub at: Timestamp,
    /// The event that began it.
    pub first_event: EventId,
    /// What was done, in order.
    pub steps: Vec<StepShape>,
    /// What the agent said at the end.
    pub closing: Option<String>,
    /// What was learnt from it, oldest first.
    pub memories: Vec<MemoryRow>,
    /// What was injected into it, oldest first.
    pub injections: Vec<InjectionRow>,
}

impl App {
    /// Reads a session turn by turn.
    pub fn session_turns(&self, store: &Store, id: SessionId) -> Result<SessionTurns, AppError> {
        let session = store.sessions().get(id)?.ok_or_else(|| {
            AppError::new(ErrorCode::NoSuchSession, format!("there is no session {id}"))
                .hint("`/api/sessions` lists them all")
        })?;
        let events = store.events().of_session(id, EventId(0))?;
        let page = PageRequest { session: Some(id), limit: MOST, ..PageRequest::default() };
        let found = store.browse().memories(&page)?;
        let memories = found.len() as u64;
        let kept_as =
            |rejection: &Rejection| found.iter().find(|row| row.title == rejection.text).map(|row| row.id);
        let rejections = store.rejections().of_session(id)?.into_iter();
        let rejected =
            rejections.map(|rejection| SessionRejection { memory: kept_as(&rejection), rejection }).collect();
        let summary = SessionSummary { events: events.len() as u64, memories, session };
        let mut turns = turns(&events);
        for memory in found.into_iter().rev() {
            // A memory belongs to the turn of the events it was made from, however much later it was written.
            let last = store.memories().evidence(memory.id)?.into_iter().max();
            let at = memory.created_at;
            let began = |turn: &Turn| last.map_or(turn.at <= at, |last| turn.first_event <= last);
            if let Some(turn) = last_turn(&mut turns, began) {
                turn.memories.push(memory);
            }
        }
        for injection in store.browse().injections(&page)?.into_iter().rev() {
            if let Some(turn) = last_turn(&mut turns, |turn| turn.at <= injection.at) {
                turn.injections.push(injection);
            }
        }
        Ok(SessionTurns { session: self.session_row(store, summary)?, turns, rejected })
    }
}

/// Returns the last turn that had begun, or the first.
fn last_turn(turns: &mut [Turn], began: impl Fn(&Turn) -> bool) -> Option<&mut Turn> {
    let last = turns.iter().rposition(began);
    turns.get_mut(last.unwrap_or(0))
}

/// Divides what happened into turns.
fn turns(events: &[StoredEvent]) -> Vec<Turn> {
    let mut turns: Vec<Turn> = Vec::new();
    for stored in events {
        let step = step(stored);
        let prompt = prompt_of(stored);
        let is_prompt = prompt.is_some();
        if is_prompt || turns.is_empty() {
            turns.push(Turn {
                prompt,
                at: stored.event.at,
                first_event: stored.id,
                steps: Vec::new(),
                closing: None,
                memories: Vec::new(),
                injections: Vec::new(),
            });
        }
        let Some(turn) = turns.last_mut() else { continue };
        match step.what {
            _ if is_prompt => {}
            StepKind::Said if !step.text.is_empty() => turn.closing = Some(step.text),
            _ => turn.steps.push(step),
        }
    }
    turns
}
