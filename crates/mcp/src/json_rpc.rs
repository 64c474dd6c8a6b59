//! JSON-RPC 2.0 on a pipe: one message a line. Reading is lenient, writing is strict; a line that is too long is skipped without
//! being buffered. Not here: what a method means.

use backstory_app::AppError;
use serde_json::{Map, Value, json};
use std::io::{self, BufRead, Read, Write};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

/// The longest line that is read. A memory has 64 KiB at the most.
const MAX_LINE_BYTES: u64 = 1 << 20;

/// The line is not JSON.
pub(crate) const PARSE_ERROR: i32 = -32700;
/// The JSON is not a JSON-RPC message.
pub(crate) const INVALID_REQUEST: i32 = -32600;
/// There is no such method.
pub(crate) const METHOD_NOT_FOUND: i32 = -32601;
/// The parameters do not fit the method.
pub(crate) const INVALID_PARAMS: i32 = -32602;
/// A bug of ours.
pub(crate) const INTERNAL_ERROR: i32 = -32603;
/// A protocol version that is not supported.
pub(crate) const UNSUPPORTED_VERSION: i32 = -32022;

/// One line of input.
#[derive(Debug)]
pub(crate) enum InputLine {
    /// Its text.
    Text(String),
    /// Longer than the limit; its text was not kept.
    TooLong,
}

/// One message, by its kind.
#[derive(Debug)]
pub(crate) enum RpcMessage {
    /// Expects a reply.
    Request { id: Value, method: String, params: Value },
    /// Expects no reply.
    Notification { method: String },
    /// The reply to a request of ours.
    Response { id: Value, result: Value },
    /// Not a message of the protocol.
    Invalid(RpcError),
}

/// An error of the protocol.
#[derive(Debug)]
pub(crate) struct RpcError {
    pub(crate) code: i32,
    pub(crate) message: String,
    pub(crate) data: Option<Value>,
}

impl RpcError {
    pub(crate) fn new(code: i32, message: impl Into<String>) -> RpcError {
        RpcError { code, message: message.into(), data: None }
    }
}

/// Reads standard input on a thread of its own, so that the receiver can wait with a timeout.
pub(crate) fn read_lines() -> Result<Receiver<InputLine>, AppError> {
    // One line at a time: what a client sends faster than we answer waits in the pipe, not in our memory.
    let (sender, lines) = sync_channel(1);
    let reader = move || {
        let mut input = io::stdin().lock();
        while let Ok(Some(line)) = read_line(&mut input) {
            if sender.send(line).is_err() {
                return;
            }
        }
    };
    let started = thread::Builder::new().name("mcp-reader".to_owned()).spawn(reader);
    started.map_err(|error| AppError::user("cannot read standard input").because(&error))?;
    Ok(lines)
}

fn read_line(input: &mut impl BufRead) -> io::Result<Option<InputLine>> {
    let mut bytes = Vec::new();
    input.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut bytes)?;
    if bytes.is_empty() {
        return Ok(None);
    }
    if !bytes.ends_with(b"\n") && bytes.len() as u64 == MAX_LINE_BYTES {
        input.skip_until(b'\n')?;
        return Ok(Some(InputLine::TooLong));
    }
    Ok(Some(InputLine::Text(String::from_utf8_lossy(&bytes).into_owned())))
}

/// Reads a line as JSON; nothing where it is empty.
pub(crate) fn parse(line: &InputLine) -> Result<Option<Value>, RpcError> {
    let InputLine::Text(text) = line else {
        return Err(RpcError::new(
            INVALID_REQUEST,
            format!("a line may have at most {MAX_LINE_BYTES} bytes"),
        ));
    };
    // A stream may begin with a byte order mark.
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Ok(None);
    }
    serde_json::from_str(text)
        .map(Some)
        .map_err(|error| RpcError::new(PARSE_ERROR, format!("not JSON: {error}")))
}

/// Sorts a message into its kind.
pub(crate) fn classify(message: Value) -> RpcMessage {
    let Value::Object(mut fields) = message else {
        return RpcMessage::Invalid(RpcError::new(INVALID_REQUEST, "a message is a JSON object"));
    };
    let id = fields.remove("id");
    let Some(method) = fields.remove("method") else { return response(id, &mut fields) };
    let Value::String(method) = method else {
        return RpcMessage::Invalid(RpcError::new(INVALID_REQUEST, "`method` is a text"));
    };
    match id {
        None => RpcMessage::Notification { method },
        Some(id @ (Value::String(_) | Value::Number(_))) => {
            RpcMessage::Request { id, method, params: fields.remove("params").unwrap_or_default() }
        }
        Some(_) => RpcMessage::Invalid(RpcError::new(INVALID_REQUEST, "`id` is a text or a number")),
    }
}

fn response(id: Option<Value>, fields: &mut Map<String, Value>) -> RpcMessage {
    match (id, fields.remove("result"), fields.contains_key("error")) {
        (Some(id), result, is_error) if result.is_some() || is_error => {
            RpcMessage::Response { id, result: result.unwrap_or_default() }
        }
        _ => RpcMessage::Invalid(RpcError::new(INVALID_REQUEST, "a request has a `method`")),
    }
}

/// Writes the response to a request.
pub(crate) fn reply(id: &Value, outcome: Result<Value, RpcError>) -> Value {
    match outcome {
        Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
        Err(RpcError { code, message, data: None }) => {
            json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
        }
        Err(RpcError { code, message, data }) => {
            json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message, "data": data}})
        }
    }
}

/// Writes a message on a line of its own.
pub(crate) fn send(message: &Value) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(format!("{message}\n").as_bytes())?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_too_long_is_passed_over_and_the_next_is_read() {
        let long = "x".repeat(MAX_LINE_BYTES as usize + 10);
        let text = format!("{long}\n{{}}\nlast");
        let mut input = text.as_bytes();
        assert!(matches!(read_line(&mut input), Ok(Some(InputLine::TooLong))));
        assert!(matches!(read_line(&mut input), Ok(Some(InputLine::Text(line))) if line == "{}\n"));
        assert!(matches!(read_line(&mut input), Ok(Some(InputLine::Text(line))) if line == "last"));
        assert!(matches!(read_line(&mut input), Ok(None)));
    }
}
