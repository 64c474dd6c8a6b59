//! JSON-RPC on a pipe: one message a line. Reading is lenient, writing is not; a line that is too long is passed over, not kept.

use backstory_app::AppError;
use serde_json::{Map, Value, json};
use std::io::{self, BufRead, Read, Write};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

/// The longest line that is read. A memory has 64 KiB at the most.
const MOST_LINE_BYTES: u64 = 1 << 20;

/// The line is not JSON.
pub(crate) const PARSE_ERROR: i32 = -32700;
/// The JSON is no message.
pub(crate) const INVALID_REQUEST: i32 = -32600;
/// There is no such method.
pub(crate) const METHOD_NOT_FOUND: i32 = -32601;
/// The method cannot be called like this.
pub(crate) const INVALID_PARAMS: i32 = -32602;
/// Our fault.
pub(crate) const INTERNAL_ERROR: i32 = -32603;
/// A protocol version nobody here speaks.
pub(crate) const UNSUPPORTED_VERSION: i32 = -32022;

/// What came in one line.
#[derive(Debug)]
pub(crate) enum Line {
    /// A text.
    Text(String),
    /// More than anyone reads.
    TooLong,
}

/// What one message means.
#[derive(Debug)]
pub(crate) enum Message {
    /// Something that wants an answer.
    Request { id: Value, method: String, params: Value },
    /// Something that wants none.
    Notification { method: String },
    /// The answer to a question of ours.
    Response { id: Value, result: Value },
    /// Nothing the protocol knows.
    Nonsense(Refusal),
}

/// An error as the protocol tells it.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) code: i32,
    pub(crate) message: String,
    pub(crate) data: Option<Value>,
}

impl Refusal {
    pub(crate) fn new(code: i32, message: impl Into<String>) -> Refusal {
        Refusal { code, message: message.into(), data: None }
    }
}

/// Reads lines on a thread of its own, so that whoever waits for one can look up from time to time.
pub(crate) fn listen() -> Result<Receiver<Line>, AppError> {
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

fn read_line(input: &mut impl BufRead) -> io::Result<Option<Line>> {
    let mut bytes = Vec::new();
    input.by_ref().take(MOST_LINE_BYTES).read_until(b'\n', &mut bytes)?;
    if bytes.is_empty() {
        return Ok(None);
    }
    if !bytes.ends_with(b"\n") && bytes.len() as u64 == MOST_LINE_BYTES {
        input.skip_until(b'\n')?;
        return Ok(Some(Line::TooLong));
    }
    Ok(Some(Line::Text(String::from_utf8_lossy(&bytes).into_owned())))
}

/// Reads a line as JSON; nothing where it is empty.
pub(crate) fn parse(line: &Line) -> Result<Option<Value>, Refusal> {
    let Line::Text(text) = line else {
        return Err(Refusal::new(INVALID_REQUEST, format!("a line may have {MOST_LINE_BYTES} bytes")));
    };
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Ok(None);
    }
    serde_json::from_str(text)
        .map(Some)
        .map_err(|error| Refusal::new(PARSE_ERROR, format!("no JSON: {error}")))
}

/// Makes sense of a message.
pub(crate) fn understand(message: Value) -> Message {
    let Value::Object(mut fields) = message else {
        return Message::Nonsense(Refusal::new(INVALID_REQUEST, "a message is a JSON object"));
    };
    let id = fields.remove("id");
    let Some(method) = fields.remove("method") else { return response(id, &mut fields) };
    let Value::String(method) = method else {
        return Message::Nonsense(Refusal::new(INVALID_REQUEST, "`method` is a text"));
    };
    match id {
        None => Message::Notification { method },
        Some(id @ (Value::String(_) | Value::Number(_))) => {
            Message::Request { id, method, params: fields.remove("params").unwrap_or_default() }
        }
        Some(_) => Message::Nonsense(Refusal::new(INVALID_REQUEST, "`id` is a text or a number")),
    }
}

fn response(id: Option<Value>, fields: &mut Map<String, Value>) -> Message {
    match (id, fields.remove("result"), fields.contains_key("error")) {
        (Some(id), result, is_error) if result.is_some() || is_error => {
            Message::Response { id, result: result.unwrap_or_default() }
        }
        _ => Message::Nonsense(Refusal::new(INVALID_REQUEST, "a request has a `method`")),
    }
}

/// Answers a request.
pub(crate) fn reply(id: &Value, answer: Result<Value, Refusal>) -> Value {
    match answer {
        Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
        Err(Refusal { code, message, data: None }) => {
            json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
        }
        Err(Refusal { code, message, data }) => {
            json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message, "data": data}})
        }
    }
}

/// Writes a message on a line of its own.
pub(crate) fn say(message: &Value) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(format!("{message}\n").as_bytes())?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_too_long_is_passed_over_and_the_next_is_read() {
        let long = "x".repeat(MOST_LINE_BYTES as usize + 10);
        let text = format!("{long}\n{{}}\nlast");
        let mut input = text.as_bytes();
        assert!(matches!(read_line(&mut input), Ok(Some(Line::TooLong))));
        assert!(matches!(read_line(&mut input), Ok(Some(Line::Text(line))) if line == "{}\n"));
        assert!(matches!(read_line(&mut input), Ok(Some(Line::Text(line))) if line == "last"));
        assert!(matches!(read_line(&mut input), Ok(None)));
    }
}
