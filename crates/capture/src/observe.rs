//! From what a host said to an event that may be kept: redacted first, capped after, so that no half of a secret survives a cut.

use crate::Redactor;
use backstory_memory::{Event, EventKind, IdempotencyKey, Timestamp, Trust, cap};

/// What a host said, before anything of it is redacted. It must not reach a disk like this.
#[derive(Clone, Debug)]
pub struct Observation {
    /// The host's name.
    pub host: String,
    /// The host's own name for the session.
    pub host_session: String,
    /// What happened.
    pub kind: EventKind,
    /// The tool, where one is involved.
    pub tool: Option<String>,
    /// What the host numbers its events by.
    pub sequence: String,
    /// Who its content comes from.
    pub trust: Trust,
    /// The whole payload.
    pub payload: serde_json::Value,
}

/// Makes an event of what a host said: without secrets and private parts, at most `most_bytes` long.
#[must_use]
pub fn observe(mut observation: Observation, redactor: &Redactor, most_bytes: usize, at: Timestamp) -> Event {
    redactor.scrub_json(&mut observation.payload);
    let scrub = |text: &str| cap(redactor.scrub(text).as_str(), MOST_NAME_BYTES).text;
    let payload = observation.payload.to_string();
    let host_session = scrub(&observation.host_session);
    let key = IdempotencyKey::new(
        &observation.host,
        &host_session,
        observation.kind,
        &scrub(&observation.sequence),
        &payload,
    );
    let capped = cap(&payload, most_bytes);
    Event {
        key,
        host: observation.host,
        host_session,
        kind: observation.kind,
        tool: observation.tool.as_deref().map(scrub),
        at,
        trust: observation.trust,
        payload: capped.text,
        truncated: capped.truncated,
    }
}

/// A name longer than this is not one.
const MOST_NAME_BYTES: usize = 256;
