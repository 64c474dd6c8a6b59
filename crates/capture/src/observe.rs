//! From what a host said to an event that may be kept: redacted first, capped after, so that no half of a secret survives a cut.

use crate::Redactor;
use backstory_memory::{Event, EventKind, IdempotencyKey, Timestamp, Trust, cap, digest};
use serde_json::Value;

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
    pub payload: Value,
}

/// Makes an event of what a host said: without secrets and private parts, at most `most_bytes` long.
#[must_use]
pub fn observe(mut observation: Observation, redactor: &Redactor, most_bytes: usize, at: Timestamp) -> Event {
    // Far longer than what is kept, so that whatever a cut tears apart here is cut away below.
    flatten_if_vast(&mut observation.payload);
    shorten(&mut observation.payload, most_bytes.saturating_mul(4).max(SHORTEST_CUT));
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

/// Makes one text of a payload that is vast altogether, however small its parts: its middle can then be cut like any other.
fn flatten_if_vast(payload: &mut Value) {
    let whole = payload.to_string();
    if whole.len() > VAST {
        *payload = Value::String(whole);
    }
}

/// Cuts the middle out of texts nobody could keep, so that the time an event takes is bounded whatever a tool printed.
///
/// A digest stands for what was cut: two events that differ only there are two events.
fn shorten(value: &mut Value, longest: usize) {
    match value {
        Value::String(text) if text.len() > longest => {
            let whole = digest([text.as_bytes()]);
            let room = longest / 2;
            let head = text.get(..text.floor_char_boundary(room)).unwrap_or_default();
            let tail = text.get(text.ceil_char_boundary(text.len() - room)..).unwrap_or_default();
            *text = format!("{head}\n[… of {} bytes, {whole} …]\n{tail}", text.len());
        }
        Value::Array(items) => items.iter_mut().for_each(|item| shorten(item, longest)),
        Value::Object(fields) => fields.values_mut().for_each(|field| shorten(field, longest)),
        _ => {}
    }
}

/// More than this is never redacted leaf by leaf.
const VAST: usize = 1 << 20;

/// Shorter texts are not cut before they are redacted, however little is kept of an event.
const SHORTEST_CUT: usize = 64 * 1024;

/// A name longer than this is not one.
const MOST_NAME_BYTES: usize = 256;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RedactorOptions;
    use serde_json::json;

    fn observation(text: &str) -> Observation {
        Observation {
            host: "host".into(),
            host_session: "session".into(),
            kind: EventKind::ToolUse,
            tool: None,
            sequence: String::new(),
            trust: Trust::Tool,
            payload: json!({"output": [text]}),
        }
    }

    fn event(text: &str) -> Event {
        observe(observation(text), &Redactor::new(RedactorOptions::default()), 1000, Timestamp(0))
    }

    #[test]
    fn many_small_texts_are_cut_like_a_large_one() {
        let mut observation = observation("");
        observation.payload = json!(vec!["some words"; 200_000]);
        let event = observe(observation, &Redactor::new(RedactorOptions::default()), 1000, Timestamp(0));
        assert!(event.truncated && event.payload.len() <= 1000);
        assert!(event.payload.contains("some words") && event.payload.contains("bytes"));
    }

    #[test]
    fn a_text_nobody_could_keep_is_cut_and_still_told_from_others() {
        let text =
            |middle: &str| format!("begins {} {middle} {} ends", "x ".repeat(90_000), "y ".repeat(90_000));
        let (one, other) = (event(&text("one")), event(&text("two")));
        assert!(one.truncated && one.payload.len() <= 1000);
        assert!(one.payload.contains("begins") && one.payload.contains("ends"));
        assert_ne!(one.key, other.key);
        assert_eq!(one.key, event(&text("one")).key);
    }
}
