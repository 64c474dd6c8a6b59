//! A host that renames fields and events in an update: every other field is still parsed, and nothing is injected by guesswork.

use crate::recorded::{RecordedPayload, all_payloads};
use backstory_hosts::{EventOutcome, ParsedEvent};
use backstory_memory::{Activity, InjectionPoint};
use serde_json::{Map, Value};

/// Parses a payload with one of its fields renamed.
fn renamed(recorded: &RecordedPayload, field: &str) -> Option<ParsedEvent> {
    let fields: Map<String, Value> = serde_json::from_str(&recorded.payload).unwrap();
    let has_it = fields.contains_key(field);
    let fields = fields
        .into_iter()
        .map(|(name, value)| (if name == field { format!("{name}V2") } else { name }, value));
    let payload = Value::Object(fields.collect()).to_string();
    has_it.then(|| recorded.parse_as(payload.as_bytes()))
}

fn fields() -> Vec<(RecordedPayload, String)> {
    let named = all_payloads().flat_map(|recorded| {
        let fields: Map<String, Value> = serde_json::from_str(&recorded.payload).unwrap();
        fields.into_iter().map(move |(field, _)| (recorded.clone(), field))
    });
    named.collect()
}

/// Tries every field of every payload ever recorded.
#[test]
fn a_renamed_field_costs_only_that_field() {
    let mut tried = 0;
    for (recorded, field) in fields() {
        let before = recorded.parse();
        let after = renamed(&recorded, &field).unwrap();
        let session = ["session_id", "sessionId", "conversation_id", "parentAgentId", "session"];
        if !session.contains(&field.as_str()) {
            assert_eq!(after.host_session, before.host_session, "{field} of {recorded:?}");
        }
        if !["cwd", "workspace_roots", "session"].contains(&field.as_str()) {
            assert_eq!(after.cwd, before.cwd, "{field} of {recorded:?}");
        }
        if field == "hook_event_name" && recorded.event.is_none() {
            assert_eq!((after.name.as_str(), &after.injection_point), ("unreadable", &None));
            let EventOutcome::Captured(event) = &after.outcome else { panic!("{recorded:?}") };
            assert!(
                matches!(&event.activity, Activity::Other { text } if text.contains("hook_event_nameV2"))
            );
        } else {
            assert_eq!(after.name, before.name);
        }
        tried += 1;
    }
    assert!(tried > 2000, "{tried}");
}

#[test]
fn without_the_field_it_needs_an_injection_point_is_dropped() {
    for (recorded, field) in fields() {
        let (before, after) = (recorded.parse(), renamed(&recorded, &field).unwrap());
        let is_needed = match before.injection_point {
            Some(InjectionPoint::Prompt { .. }) => field == "prompt",
            Some(InjectionPoint::Command { .. } | InjectionPoint::Edit { .. }) => {
                ["tool_name", "toolName", "tool_input", "toolArgs"].contains(&field.as_str())
            }
            _ => false,
        };
        if is_needed {
            assert_eq!(after.injection_point, None, "{field} of {recorded:?}");
        }
    }
}

#[test]
fn a_renamed_event_is_kept_as_it_is() {
    for recorded in all_payloads() {
        let name = recorded.parse().name;
        let payload = recorded.payload.replace(&format!("\"{name}\""), &format!("\"{name}V2\""));
        let event = recorded.event.as_ref().map(|event| format!("{event}V2"));
        let parsed = recorded.host.parse(event.as_deref(), payload.as_bytes());
        assert_eq!((parsed.name, parsed.injection_point), (format!("{name}V2"), None));
        let EventOutcome::Captured(event) = parsed.outcome else { panic!("{payload}") };
        assert_eq!(event.activity, Activity::Other { text: payload });
    }
}

/// A receipt holds them, and `doctor` shows them.
#[test]
fn missing_fields_are_listed() {
    for (recorded, field) in fields() {
        let before = recorded.parse();
        assert!(before.missing.is_empty(), "{:?} of {recorded:?}", before.missing);
        let lacks = renamed(&recorded, &field).unwrap().missing;
        let expected = match field.as_str() {
            "session_id" | "sessionId" if before.host_session.is_some() => "session",
            "cwd" => "folder",
            _ => continue,
        };
        // Cursor sends both fields twice, and Copilot names the session of a subagent in `parentAgentId`.
        let is_said_otherwise =
            recorded.payload.contains("conversation_id") || recorded.payload.contains("parentAgentId");
        assert!(is_said_otherwise || lacks.contains(&expected), "{field} of {recorded:?}: {lacks:?}");
    }
    let lacks = |payload: &str| backstory_hosts::Host::Codex.parse(None, payload.as_bytes()).missing;
    let known = r#""session_id":"s","cwd":"/p""#;
    assert_eq!(lacks(&format!(r#"{{"hook_event_name":"UserPromptSubmit",{known}}}"#)), ["prompt"]);
    assert_eq!(lacks(&format!(r#"{{"hook_event_name":"PreToolUse",{known}}}"#)), ["tool", "input"]);
    assert_eq!(
        lacks(&format!(r#"{{"hook_event_name":"PostToolUse",{known}}}"#)),
        ["tool", "input", "response"]
    );
    assert_eq!(lacks(r#"{"hook_event_name":"Stop"}"#), ["session", "folder"]);
}
