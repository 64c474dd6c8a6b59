//! Distillation, maintenance, indexing and redaction in JSON.

use super::numbers;
use crate::distillation::DistilResponse;
use serde::Serialize;

/// What `distil --json` answers.
#[derive(Debug, Serialize)]
pub struct DistilShape {
    pub version: u32,
    pub sessions: u64,
    pub written: Vec<i64>,
    pub updated: Vec<i64>,
}

/// What `index --json` answers.
#[derive(Debug, Default, Serialize)]
pub struct IndexShape {
    pub ok: bool,
    pub memories: u64,
    pub embedded: u64,
    pub vectors_waiting: u64,
    /// Whether another process makes the vectors that are waiting.
    #[serde(skip)]
    pub another_process_embeds: bool,
}

/// What `maintain --json` answers.
#[derive(Debug, Serialize)]
pub struct MaintenanceShape {
    pub version: u32,
    pub sessions_distilled: u64,
    pub events_removed: u64,
    pub bytes_freed: u64,
    pub backup: Option<String>,
    pub embedded: u64,
}

/// What `redact --json` answers.
#[derive(Debug, Serialize)]
pub struct RedactionShape {
    pub version: u32,
    pub text: String,
    pub found: Vec<SecretShape>,
    pub private_parts: usize,
}

/// Where a secret was in the text.
#[derive(Debug, Serialize)]
pub struct SecretShape {
    pub rule: &'static str,
    pub start: usize,
    pub end: usize,
}

/// Returns what was distilled.
pub fn distilled(response: &DistilResponse) -> DistilShape {
    DistilShape {
        version: 1,
        sessions: response.sessions,
        written: response.written.iter().map(|memory| memory.id.0).collect(),
        updated: numbers(&response.updated),
    }
}
