//! Sessions in JSON.

use super::memory::{HeadShape, heads};
use crate::app::project_name;
use crate::sessions::SessionRecord;
use crate::times;
use crate::transcript::{StepShape, step};
use backstory_memory::ChangedSymbol;
use backstory_store::{SessionSummary, Store, StoreError};
use serde::Serialize;

/// One session of `sessions --json`.
#[derive(Debug, Serialize)]
pub struct SessionShape {
    pub id: i64,
    pub project: String,
    pub host: String,
    pub host_session: String,
    pub title: Option<String>,
    pub started_at: String,
    pub last_event_at: String,
    pub ended_at: Option<String>,
    pub events: u64,
    pub memories: u64,
}

/// A symbol a session changed.
#[derive(Debug, Serialize)]
pub struct CodeChangeShape {
    pub path: String,
    pub symbol: String,
    pub kind: &'static str,
    pub change: &'static str,
    pub signature: String,
    pub at: String,
}

/// Returns a symbol a session changed.
pub fn code_change(changed: &ChangedSymbol) -> CodeChangeShape {
    CodeChangeShape {
        path: changed.path.clone(),
        symbol: changed.qualified_name.clone(),
        kind: changed.kind.as_str(),
        change: changed.change.as_str(),
        signature: changed.signature.clone(),
        at: times::iso(changed.at),
    }
}

/// Sessions of `sessions --json`.
#[derive(Debug, Serialize)]
pub struct SessionListShape {
    pub version: u32,
    pub sessions: Vec<SessionShape>,
}

/// One session of `sessions show --json`, step by step.
#[derive(Debug, Serialize)]
pub struct SessionRecordShape {
    pub version: u32,
    pub session: SessionShape,
    pub steps: Vec<StepShape>,
    pub memories: Vec<HeadShape>,
    pub code_changes: Vec<CodeChangeShape>,
}

/// Returns a session.
pub fn session(store: &Store, summary: &SessionSummary) -> Result<SessionShape, StoreError> {
    let session = &summary.session;
    Ok(SessionShape {
        id: session.id.0,
        project: project_name(store, session.project)?,
        host: session.host.clone(),
        host_session: session.host_session.clone(),
        title: session.title.clone(),
        started_at: times::iso(session.started_at),
        last_event_at: times::iso(session.last_event_at),
        ended_at: session.ended_at.map(times::iso),
        events: summary.events,
        memories: summary.memories,
    })
}

/// Returns a session step by step.
pub fn session_record(store: &Store, record: &SessionRecord) -> Result<SessionRecordShape, StoreError> {
    Ok(SessionRecordShape {
        version: 1,
        session: session(store, &record.summary)?,
        steps: record.events.iter().map(step).collect(),
        memories: heads(store, &record.memories)?,
        code_changes: record.code_changes.iter().map(code_change).collect(),
    })
}
