//! What our plugin forwards from OpenCode, beyond its recordings.

use crate::recorded::{RecordedPayload, parse_json, recording};
use backstory_hosts::{EventOutcome, Host, HostReply, ParsedEvent};
use backstory_memory::{InjectionPoint, Moment};
use serde_json::{Value, json};

fn parse(event: &str, payload: &Value) -> ParsedEvent {
    parse_json(Host::OpenCode, Some(event), payload)
}

#[test]
fn only_what_the_user_typed_is_a_prompt() {
    let parts = json!([
        {"type": "text", "text": "fix the parser\n"},
        {"type": "text", "text": "Called the Read tool", "synthetic": true},
        {"type": "text", "text": "shown only", "ignored": true},
        {"type": "text", "text": "and its tests"},
    ]);
    let session = json!({"id": "s", "root": "s", "directory": "/p"});
    let parsed = parse("chat.message", &json!({"session": session, "turn": "m", "said": {"parts": parts}}));
    assert_eq!(
        parsed.injection_point,
        Some(InjectionPoint::Prompt { text: "fix the parser\nand its tests".to_owned() })
    );

    let nothing = json!([{"type": "text", "text": "all ours", "synthetic": true}]);
    let parsed = parse("chat.message", &json!({"session": session, "said": {"parts": nothing}}));
    assert_eq!(parsed.outcome, EventOutcome::Ignored("nothing said"));
}

#[test]
fn a_subagent_gets_no_injection() {
    let parsed: Vec<ParsedEvent> =
        recording(Host::OpenCode, "tools").iter().map(RecordedPayload::parse).collect();
    let of_subagent = parsed.into_iter().filter(|parsed| match &parsed.outcome {
        EventOutcome::Captured(event) => event.subagent.is_some(),
        EventOutcome::Ignored(why) => *why == "prompted by an agent",
    });
    let points: Vec<Option<InjectionPoint>> = of_subagent.map(|parsed| parsed.injection_point).collect();
    assert_eq!(points, [None, None, None, None]);
}

#[test]
fn a_renamed_field_of_the_plugin_costs_only_its_content() {
    for recorded in ["tools", "lifecycle"].into_iter().flat_map(|name| recording(Host::OpenCode, name)) {
        let payload = recorded.payload.replace("\"said\":", "\"renamed\":");
        let parsed = recorded.parse_as(payload.as_bytes());
        let is_noticed =
            matches!(parsed.name.as_str(), "chat.message" | "tool.execute.after" | "tool.failed");
        assert_eq!(parsed.missing.is_empty(), !is_noticed, "{payload}");
        assert_eq!(Some(parsed.name), recorded.event);
        assert_eq!(parsed.host_session, recorded.parse().host_session);
    }
    let unreadable = Host::OpenCode.parse(Some("session.idle"), b"\xff{{{");
    assert_eq!((unreadable.name.as_str(), unreadable.host_session), ("session.idle", None));
}

#[test]
fn a_reply_to_the_plugin_is_one_object() {
    let reply = |context, to_user| Host::OpenCode.reply(Moment::Prompt, HostReply { context, to_user });
    assert_eq!(reply(None, None), None);
    assert_eq!(reply(Some("a \"b\""), None).unwrap(), r#"{"context":"a \"b\""}"#);
    assert_eq!(reply(Some("a"), Some("b")).unwrap(), r#"{"context":"a","to_user":"b"}"#);
    let check = |stdout: &str| Host::OpenCode.check_reply("chat.message", stdout.as_bytes()).is_ok();
    assert!(check("") && check(r#"{"context":"a","to_user":"b"}"#));
    for wrong in ["words", "[]", r#"{"context":1}"#, r#"{"decision":"block"}"#, "{} {}"] {
        assert!(!check(wrong), "{wrong}");
    }
}
