//! What was understood of a host's payload, before anything of it is redacted: it must not reach a disk like this.

use backstory_memory::{EventKind, Trust};
use std::fmt;

/// One payload, understood as far as it can be.
#[derive(Clone, Debug, PartialEq)]
pub struct Heard {
    /// What the host called it.
    pub name: String,
    /// What happened.
    pub kind: EventKind,
    /// The host's own name for the session, if it said.
    pub host_session: Option<String>,
    /// Where it happened, if the host said.
    pub cwd: Option<String>,
    /// The tool, where one is involved.
    pub tool: Option<String>,
    /// What the host numbers its events by.
    pub sequence: String,
    /// Who its content comes from.
    pub trust: Trust,
    /// The whole payload.
    pub payload: serde_json::Value,
}

impl Heard {
    /// What is kept of a payload nobody could read: its text.
    pub(crate) fn unreadable(payload: &[u8]) -> Heard {
        Heard {
            name: "unreadable".to_owned(),
            kind: EventKind::Other,
            host_session: None,
            cwd: None,
            tool: None,
            sequence: String::new(),
            trust: Trust::External,
            payload: String::from_utf8_lossy(payload).into_owned().into(),
        }
    }
}

/// A name that no host has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownHost(pub String);

impl fmt::Display for UnknownHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a host", self.0)
    }
}

impl std::error::Error for UnknownHost {}
