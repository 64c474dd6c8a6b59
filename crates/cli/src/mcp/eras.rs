//! The two eras of the protocol. Until 2025-11-25 a session begins with a handshake; since 2026-07-28 every request says which
//! version it speaks, and there is no session. Hosts of both are about: some probe the one and fall back to the other.

use super::tools;
use super::wire::{Refusal, UNSUPPORTED_VERSION};
use serde_json::{Map, Value, json};

/// Versions that begin with a handshake, oldest first.
const WITH_HANDSHAKE: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
/// What a client that asks for something else is offered.
const NEWEST_WITH_HANDSHAKE: &str = "2025-11-25";
/// Versions in which several messages may come as one array.
const WITH_BATCHES: [&str; 2] = ["2024-11-05", "2025-03-26"];
/// The version without sessions.
const STATELESS: &str = "2026-07-28";
/// Where a request of the stateless era names its version.
const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
/// How long a client may keep the list of tools: it changes with the binary only.
const LIST_HOLDS_MS: u32 = 3_600_000;

/// Which rules a request is answered by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Era {
    /// A session with a handshake; also where nobody said anything.
    Handshake,
    /// Every request for itself.
    Stateless,
}

impl Era {
    /// Returns the era a request belongs to.
    pub(crate) fn of(params: &Value) -> Result<Era, Refusal> {
        let version = params.get("_meta").and_then(|meta| meta.get(VERSION_KEY));
        match version.map(|version| version.as_str().unwrap_or_default()) {
            None => Ok(Era::Handshake),
            Some(STATELESS) => Ok(Era::Stateless),
            Some(version) if WITH_HANDSHAKE.contains(&version) => Ok(Era::Handshake),
            Some(version) => Err(Refusal {
                data: Some(json!({"supported": [STATELESS], "requested": version})),
                ..Refusal::new(UNSUPPORTED_VERSION, "unsupported protocol version")
            }),
        }
    }

    /// Makes a result complete, as the era wants it.
    pub(crate) fn result(self, mut fields: Map<String, Value>) -> Value {
        if self == Era::Stateless {
            fields.insert("resultType".to_owned(), json!("complete"));
        }
        Value::Object(fields)
    }

    /// The same for what a client may keep for a while.
    pub(crate) fn lasting_result(self, mut fields: Map<String, Value>) -> Value {
        if self == Era::Stateless {
            fields.insert("ttlMs".to_owned(), json!(LIST_HOLDS_MS));
            fields.insert("cacheScope".to_owned(), json!("private"));
        }
        self.result(fields)
    }
}

/// Returns the version a handshake agrees on: the client's, or the newest we know.
pub(crate) fn agree(wanted: Option<&str>) -> &'static str {
    let known = WITH_HANDSHAKE.into_iter().find(|version| Some(*version) == wanted);
    known.unwrap_or(NEWEST_WITH_HANDSHAKE)
}

/// Whether several messages may come at once.
pub(crate) fn takes_batches(agreed: Option<&str>) -> bool {
    agreed.is_some_and(|version| WITH_BATCHES.contains(&version))
}

/// Answers a handshake.
pub(crate) fn handshake(version: &str, may_write: bool) -> Value {
    json!({
        "protocolVersion": version,
        "capabilities": {"tools": {}},
        "serverInfo": server_info(),
        "instructions": tools::instructions(may_write),
    })
}

/// Says who we are to a client of the stateless era.
pub(crate) fn discovery(may_write: bool) -> Value {
    let mut fields = Map::new();
    fields.insert("supportedVersions".to_owned(), json!([STATELESS]));
    fields.insert("capabilities".to_owned(), json!({"tools": {}}));
    fields.insert("instructions".to_owned(), json!(tools::instructions(may_write)));
    fields.insert("_meta".to_owned(), json!({"io.modelcontextprotocol/serverInfo": server_info()}));
    Era::Stateless.lasting_result(fields)
}

fn server_info() -> Value {
    json!({"name": "backstory", "title": "Backstory", "version": env!("CARGO_PKG_VERSION")})
}
