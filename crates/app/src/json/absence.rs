//! Why something became no memory, in JSON.

use super::memory::{HeadShape, head};
use crate::app::project_name;
use crate::forget::event_text;
use crate::missing::MissingResponse;
use crate::times;
use backstory_memory::{Memory, first_chars};
use backstory_store::{Rejection, Store, StoreError, StoredEvent};
use serde::Serialize;

/// How much of an event is quoted.
const QUOTED_CHARS: usize = 200;

/// What is known of something that became no memory, or not the one somebody expects.
#[derive(Debug, Serialize)]
pub struct MissingShape {
    pub version: u32,
    pub words: String,
    /// `unknown`, `remembered`, `rejected`, `pasted` or `captured`: the shortest answer.
    pub answer: &'static str,
    pub captured: usize,
    pub events: Vec<CapturedShape>,
    pub memories: Vec<OutcomeShape>,
    pub same_event: Vec<OutcomeShape>,
    pub rejections: Vec<RejectionShape>,
}

/// An event that says it.
#[derive(Debug, Serialize)]
pub struct CapturedShape {
    pub id: i64,
    pub session: i64,
    pub kind: &'static str,
    pub provenance: String,
    pub at: String,
    pub text: String,
}

/// A memory that says it.
#[derive(Debug, Serialize)]
pub struct OutcomeShape {
    #[serde(flatten)]
    pub head: HeadShape,
    pub why: &'static str,
}

/// What a writer turned down.
#[derive(Debug, Serialize)]
pub struct RejectionShape {
    pub at: String,
    pub project: String,
    pub session: Option<i64>,
    pub event: Option<i64>,
    pub writer: &'static str,
    pub kind: &'static str,
    pub text: String,
    pub reason: &'static str,
    pub why: &'static str,
    pub detail: Option<String>,
}

/// Returns what is known of something that somebody misses.
pub fn missing(store: &Store, words: &str, response: &MissingResponse) -> Result<MissingShape, StoreError> {
    let outcomes = |memories: &[Memory]| -> Result<Vec<OutcomeShape>, StoreError> {
        memories.iter().map(|memory| outcome(store, memory)).collect()
    };
    let answer = match () {
        () if response.is_unknown() => "unknown",
        () if !response.memories.is_empty() => "remembered",
        () if !response.rejections.is_empty() => "rejected",
        () if response.is_pasted => "pasted",
        () => "captured",
    };
    Ok(MissingShape {
        version: 1,
        words: words.to_owned(),
        answer,
        captured: response.captured,
        events: response.events.iter().map(captured).collect(),
        memories: outcomes(&response.memories)?,
        same_event: outcomes(&response.same_event)?,
        rejections: response.rejections.iter().map(|one| rejection(store, one)).collect::<Result<_, _>>()?,
    })
}

fn captured(stored: &StoredEvent) -> CapturedShape {
    let event = &stored.event;
    CapturedShape {
        id: stored.id.0,
        session: stored.session.0,
        kind: event.kind.as_str(),
        provenance: event.provenance.to_string(),
        at: times::iso(event.at),
        text: first_chars(&event_text(stored), QUOTED_CHARS).to_owned(),
    }
}

fn outcome(store: &Store, memory: &Memory) -> Result<OutcomeShape, StoreError> {
    Ok(OutcomeShape { head: head(store, memory)?, why: memory.standing_reason.explanation() })
}

fn rejection(store: &Store, one: &Rejection) -> Result<RejectionShape, StoreError> {
    Ok(RejectionShape {
        at: times::iso(one.at),
        project: project_name(store, one.project)?,
        session: one.session.map(|id| id.0),
        event: one.event.map(|id| id.0),
        writer: one.writer.as_str(),
        kind: one.kind.as_str(),
        text: one.text.clone(),
        reason: one.reason.as_str(),
        why: one.reason.explanation(),
        detail: one.detail.clone(),
    })
}
