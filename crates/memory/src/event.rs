//! What a host reported, redacted and capped: the raw evidence from which memories are distilled.
//!
//! Not here: the hosts' own formats (`hosts`), how events are stored (`store`).

use crate::{Digest, Provenance, Timestamp, digest};
use std::fmt;
use std::str::FromStr;

/// What kind of thing happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EventKind {
    /// A session began, or came back.
    SessionStart,
    /// The user asked for something.
    Prompt,
    /// A tool is about to run.
    ToolStart,
    /// A tool ran.
    ToolUse,
    /// A tool ran and failed.
    ToolFailure,
    /// The agent ended its turn.
    TurnEnd,
    /// A subagent began.
    SubagentStart,
    /// A subagent ended its work.
    SubagentEnd,
    /// The host is about to compact its context, or has done so.
    Compaction,
    /// A session ended.
    SessionEnd,
    /// Something that has no kind of its own here.
    Other,
}

impl EventKind {
    const NAMES: [(EventKind, &'static str); 11] = [
        (EventKind::SessionStart, "session_start"),
        (EventKind::Prompt, "prompt"),
        (EventKind::ToolStart, "tool_start"),
        (EventKind::ToolUse, "tool_use"),
        (EventKind::ToolFailure, "tool_failure"),
        (EventKind::TurnEnd, "turn_end"),
        (EventKind::SubagentStart, "subagent_start"),
        (EventKind::SubagentEnd, "subagent_end"),
        (EventKind::Compaction, "compaction"),
        (EventKind::SessionEnd, "session_end"),
        (EventKind::Other, "other"),
    ];

    /// Returns the kind's name, as it is stored.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        Self::NAMES.iter().find(|(kind, _)| *kind == self).map_or("other", |(_, name)| name)
    }
}

impl fmt::Display for EventKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for EventKind {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::NAMES.iter().find(|(_, name)| *name == text).map(|(kind, _)| *kind).ok_or(())
    }
}

/// Identifies an event, so that a second delivery is recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IdempotencyKey(pub Digest);

impl IdempotencyKey {
    /// Derives the key from what identifies an event at its host.
    ///
    /// `sequence` is whatever the host numbers its events by (a tool-use id, a prompt id); `payload` distinguishes the rest.
    #[must_use]
    pub fn new(host: &str, host_session: &str, kind: EventKind, sequence: &str, payload: &str) -> Self {
        Self(digest([host, host_session, kind.as_str(), sequence, payload].map(str::as_bytes)))
    }
}

/// One thing that happened, capped. The store takes it as `Redacted<Event>` only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Identifies it, so that a second delivery is recognised.
    pub key: IdempotencyKey,
    /// The host's name.
    pub host: String,
    /// The host's own name for the session.
    pub host_session: String,
    /// What kind of thing happened.
    pub kind: EventKind,
    /// The tool, if one is involved.
    pub tool: Option<String>,
    /// When it happened.
    pub at: Timestamp,
    /// Who its content comes from.
    pub provenance: Provenance,
    /// The host's payload as JSON text.
    pub payload: String,
    /// Whether something was cut from the payload.
    pub truncated: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_kind_is_read_back_from_its_name() {
        for (kind, name) in EventKind::NAMES {
            assert_eq!(kind.as_str(), name);
            assert_eq!(name.parse(), Ok(kind));
        }
    }

    #[test]
    fn a_key_does_not_confuse_neighbouring_fields() {
        let key = |session, sequence| IdempotencyKey::new("h", session, EventKind::Prompt, sequence, "");
        assert_ne!(key("ab", "c"), key("a", "bc"));
        assert_eq!(key("ab", "c"), key("ab", "c"));
    }
}
