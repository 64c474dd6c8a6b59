//! What differs between protocol versions. Up to 2025-11-25 a session begins with a handshake; since 2026-07-28 every request
//! names its version and there is no session. Hosts of both kinds are in use, and some probe one and fall back to the other.

use crate::json_rpc::{RpcError, UNSUPPORTED_VERSION};
use crate::tool_schemas;
use backstory_app::config::McpWrite;
use serde_json::{Map, Value, json};

/// Versions that begin with a handshake, oldest first.
const WITH_HANDSHAKE: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
/// The version we offer to a client that requests an unknown one.
const NEWEST_WITH_HANDSHAKE: &str = "2025-11-25";
/// Versions in which several messages may come as one array.
const WITH_BATCHES: [&str; 2] = ["2024-11-05", "2025-03-26"];
/// The version without sessions.
const STATELESS: &str = "2026-07-28";
/// Where a stateless request names its version.
const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
/// How long a client may cache the list of tools: it changes only with the binary.
const LIST_TTL_MS: u32 = 3_600_000;

/// Which rules apply to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProtocolEra {
    /// A session with a handshake; also if the request names no version.
    Handshake,
    /// No session: every request stands alone.
    Stateless,
}

impl ProtocolEra {
    /// Reads the era from the parameters of a request.
    pub(crate) fn from_params(params: &Value) -> Result<ProtocolEra, RpcError> {
        let version = params.get("_meta").and_then(|meta| meta.get(VERSION_KEY));
        match version.map(|version| version.as_str().unwrap_or_default()) {
            None => Ok(ProtocolEra::Handshake),
            Some(STATELESS) => Ok(ProtocolEra::Stateless),
            Some(version) if WITH_HANDSHAKE.contains(&version) => Ok(ProtocolEra::Handshake),
            Some(version) => Err(RpcError {
                data: Some(json!({"supported": [STATELESS], "requested": version})),
                ..RpcError::new(UNSUPPORTED_VERSION, "unsupported protocol version")
            }),
        }
    }

    /// Adds the fields that the era requires of every result.
    pub(crate) fn result(self, mut fields: Map<String, Value>) -> Value {
        if self == ProtocolEra::Stateless {
            fields.insert("resultType".to_owned(), json!("complete"));
        }
        Value::Object(fields)
    }

    /// The same for a result that the client may cache.
    pub(crate) fn cacheable_result(self, mut fields: Map<String, Value>) -> Value {
        if self == ProtocolEra::Stateless {
            fields.insert("ttlMs".to_owned(), json!(LIST_TTL_MS));
            fields.insert("cacheScope".to_owned(), json!("private"));
        }
        self.result(fields)
    }
}

/// Returns the version of a handshake: the client's if we know it, else the newest.
pub(crate) fn negotiate(wanted: Option<&str>) -> &'static str {
    let known = WITH_HANDSHAKE.into_iter().find(|version| Some(*version) == wanted);
    known.unwrap_or(NEWEST_WITH_HANDSHAKE)
}

/// Whether a version has batches.
pub(crate) fn has_batches(version: Option<&str>) -> bool {
    version.is_some_and(|version| WITH_BATCHES.contains(&version))
}

/// Returns the result of `initialize`.
pub(crate) fn handshake(version: &str, may_write: McpWrite) -> Value {
    json!({
        "protocolVersion": version,
        "capabilities": {"tools": {}},
        "serverInfo": server_info(),
        "instructions": tool_schemas::instructions(may_write),
    })
}

/// Returns the result of `server/discover`, the stateless counterpart of `initialize`.
pub(crate) fn discovery(may_write: McpWrite) -> Value {
    let mut fields = Map::new();
    fields.insert("supportedVersions".to_owned(), json!([STATELESS]));
    fields.insert("capabilities".to_owned(), json!({"tools": {}}));
    fields.insert("instructions".to_owned(), json!(tool_schemas::instructions(may_write)));
    fields.insert("_meta".to_owned(), json!({"io.modelcontextprotocol/serverInfo": server_info()}));
    ProtocolEra::Stateless.cacheable_result(fields)
}

fn server_info() -> Value {
    json!({"name": "backstory", "title": "Backstory", "version": env!("CARGO_PKG_VERSION")})
}
