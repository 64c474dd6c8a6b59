//! A host that is updated and calls things by other names: what can still be understood is, the rest is silence, and nothing
//! breaks.

use crate::recorded::{Recorded, SCENES, scene};
use backstory_hosts::{EventOutcome, ParsedEvent};
use backstory_memory::{Activity, InjectionPoint};
use serde_json::{Map, Value};

/// Gives every field of a name another one, wherever it stands at the top of a payload.
fn renamed(recorded: &Recorded, field: &str) -> Option<ParsedEvent> {
    let fields: Map<String, Value> = serde_json::from_str(&recorded.payload).unwrap();
    let has_it = fields.contains_key(field);
    let fields = fields
        .into_iter()
        .map(|(name, value)| (if name == field { format!("{name}V2") } else { name }, value));
    let payload = Value::Object(fields.collect()).to_string();
    has_it.then(|| recorded.parse_as(payload.as_bytes()))
}

fn fields() -> Vec<(Recorded, String)> {
    let recorded = SCENES.into_iter().flat_map(|(host, name)| scene(host, name));
    let named = recorded.flat_map(|recorded| {
        let fields: Map<String, Value> = serde_json::from_str(&recorded.payload).unwrap();
        fields.into_iter().map(move |(field, _)| (recorded.clone(), field))
    });
    named.collect()
}

/// Whichever field it is, of every host and event ever recorded.
#[test]
fn a_field_by_another_name_costs_that_field() {
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

/// Where it is not known what is about to happen, nothing is said about it.
#[test]
fn what_is_not_understood_is_not_answered() {
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

/// An event nobody has parsed of yet is kept as it is.
#[test]
fn an_event_by_another_name_is_kept() {
    for recorded in SCENES.into_iter().flat_map(|(host, name)| scene(host, name)) {
        let name = recorded.parse().name;
        let payload = recorded.payload.replace(&format!("\"{name}\""), &format!("\"{name}V2\""));
        let event = recorded.event.as_ref().map(|event| format!("{event}V2"));
        let parsed = recorded.host.parse(event.as_deref(), payload.as_bytes());
        assert_eq!((parsed.name, parsed.injection_point), (format!("{name}V2"), None));
        let EventOutcome::Captured(event) = parsed.outcome else { panic!("{payload}") };
        assert_eq!(event.activity, Activity::Other { text: payload });
    }
}

/// What a receipt says then, so that `doctor` can.
#[test]
fn what_a_payload_lacks_is_noticed() {
    for (recorded, field) in fields() {
        let before = recorded.parse();
        assert!(before.missing.is_empty(), "{:?} of {recorded:?}", before.missing);
        let lacks = renamed(&recorded, &field).unwrap().missing;
        let expected = match field.as_str() {
            "session_id" | "sessionId" if before.host_session.is_some() => "session",
            "cwd" => "folder",
            _ => continue,
        };
        // Cursor says either twice, and Copilot whose subagent it is.
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
