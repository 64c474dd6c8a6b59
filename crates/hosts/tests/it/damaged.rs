//! Damaged payloads: whatever can still be read is parsed, and the rest is kept as it is.

use crate::recorded::{RECORDINGS, all_payloads, captured, parse, recording};
use backstory_hosts::{EventOutcome, Host};
use backstory_memory::{Activity, ExitStatus};
use proptest::prelude::*;

/// The hook reads only the first part of a long payload.
#[test]
fn a_cut_payload_keeps_session_folder_and_event() {
    for recorded in all_payloads() {
        let (payload, whole) = (&recorded.payload, recorded.parse());
        // Cut only behind the fields that identify a payload.
        let known_by = [
            "\"hook_event_name\"",
            "\"cwd\"",
            "\"session_id\"",
            "\"sessionId\"",
            "\"parentAgentId\"",
            "\"directory\"",
        ];
        let ends = known_by.into_iter().filter_map(|name| payload.find(name).map(|at| at + name.len()));
        let known = ends.max().unwrap() + 40.max(whole.name.len() + 4);
        for end in (known..payload.len()).filter(|end| payload.is_char_boundary(*end)).step_by(7) {
            let parsed = recorded.parse_as(&payload.as_bytes()[..end]);
            assert_eq!((&parsed.host_session, &parsed.cwd), (&whole.host_session, &whole.cwd));
            assert_eq!(parsed.name, whole.name, "{}", &payload[..end]);
        }
    }
}

#[test]
fn the_beginning_of_a_long_output_is_kept() {
    let cut = r#"{"session_id":"s","cwd":"/p","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"make"},"tool_response":{"stdout":"line one\nline tw"#;
    let event = captured(parse(cut));
    let output = "line one\nline tw".into();
    assert_eq!(event.activity, Activity::Ran { command: "make".into(), output, status: ExitStatus::Success });
    assert_eq!((event.tool.as_deref(), event.sequence), (Some("Bash"), None));
}

#[test]
fn byte_order_marks_and_invalid_utf8_are_survived() {
    let text = |payload: &[u8]| match captured(parse(payload)).activity {
        Activity::Prompted { text } => text,
        other => panic!("{other:?}"),
    };
    let event = |prompt: &[u8]| {
        [&br#"{"hook_event_name":"UserPromptSubmit","prompt":""#[..], prompt, b"\"}"].concat()
    };
    assert_eq!(text(&[&b"\xef\xbb\xbf"[..], &event(b"hello")].concat()), "hello");
    assert_eq!(text(&event(b"a\xff\xfeb")), "a\u{fffd}\u{fffd}b");
    assert_eq!(text(&event(br"a\ud800b")), "a\u{fffd}b");
    assert_eq!(text(&event(b"raw\nline")), "raw\nline");
    assert_eq!(text(&event(br"\u0000nul")), "\u{0}nul");
}

#[test]
fn a_field_of_an_unexpected_type_costs_only_that_field() {
    for payload in [
        r#"{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":"make","tool_response":7,"tool_use_id":3,"session_id":"s"}"#,
        r#"{"hook_event_name":"PostToolUse","tool_name":["Bash"],"tool_input":null,"session_id":"s"}"#,
        r#"{"hook_event_name":"PostToolUse","tool_name":"Edit","tool_input":[],"tool_response":true,"session_id":"s"}"#,
        r#"{"hook_event_name":"PostToolUseFailure","tool_name":"Write","error":{"code":1},"session_id":"s"}"#,
        r#"{"hook_event_name":"Stop","last_assistant_message":null,"prompt_id":{},"cwd":4,"session_id":"s"}"#,
        r#"{"hook_event_name":"SubagentStart","agent_id":7,"session_id":"s"}"#,
    ] {
        let parsed = parse(payload);
        assert_eq!(parsed.host_session.as_deref(), Some("s"), "{payload}");
        assert!(matches!(parsed.outcome, EventOutcome::Captured(_)), "{payload}");
    }
}

#[test]
fn an_identifier_of_megabytes_is_dropped() {
    let vast = "x".repeat(1 << 20);
    let payload = format!(
        r#"{{"hook_event_name":"UserPromptSubmit","session_id":"{vast}","cwd":"{vast}","prompt_id":"{vast}","tool_name":"{vast}","prompt":"go on"}}"#
    );
    let parsed = parse(&payload);
    assert_eq!((parsed.host_session, parsed.cwd), (None, None));
    let event = captured(parse(&payload));
    assert_eq!((event.sequence, event.tool), (None, None));
    assert_eq!(event.activity, Activity::Prompted { text: "go on".into() });
}

#[test]
fn an_unreadable_payload_is_kept_as_it_is() {
    let deep = "[".repeat(100_000);
    for payload in ["", "nonsense", "null", "[1,2]", "\"text\"", "{}", "{\"session_id\":\"s\"", deep.as_str()]
    {
        assert_eq!(captured(parse(payload)).activity, Activity::Other { text: payload.to_owned() });
        assert_eq!(parse(payload).name, "unreadable");
    }
    assert_eq!(parse("{\"session_id\":\"s\",\"cwd\":\"/p\"").host_session.as_deref(), Some("s"));
    let unknown = r#"{"hook_event_name":"SomethingNew","session_id":"s","detail":1}"#;
    assert_eq!(captured(parse(unknown)).activity, Activity::Other { text: unknown.to_owned() });
    assert_eq!(parse(unknown).name, "SomethingNew");
}

#[test]
fn deep_nesting_hides_no_other_field() {
    let deep = format!("{}{}", "[".repeat(50_000), "]".repeat(50_000));
    let payload = format!(
        r#"{{"hook_event_name":"Stop","extra":{deep},"session_id":"s","last_assistant_message":"Done."}}"#
    );
    assert_eq!(parse(&payload).host_session.as_deref(), Some("s"));
    assert_eq!(captured(parse(&payload)).activity, Activity::TurnEnded { message: "Done.".into() });
}

/// Also hosts that never send anything.
#[test]
fn every_host_keeps_an_unreadable_payload() {
    let deep = "[".repeat(100_000);
    for host in Host::ALL {
        for payload in ["", "nonsense", "null", "[1,2]", "{}", "\u{feff}", deep.as_str()] {
            let parsed = host.parse(None, payload.as_bytes());
            assert_eq!((parsed.name.as_str(), &parsed.injection_point), ("unreadable", &None), "{host:?}");
            assert!(matches!(parsed.outcome, EventOutcome::Captured(_)), "{host:?}");
        }
        let parsed = host.parse(Some("SomethingNew"), b"{\"a\":");
        assert_eq!((parsed.name.as_str(), &parsed.injection_point), ("SomethingNew", &None), "{host:?}");
    }
}

proptest! {
    #[test]
    fn changed_bytes_are_still_parsed(at in 0..RECORDINGS.len(), line in any::<prop::sample::Index>(), changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..8)) {
        let (host, name) = RECORDINGS[at];
        let recorded = recording(host, name);
        let recorded = line.get(&recorded);
        let mut bytes = recorded.payload.clone().into_bytes();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let mut parsed = recorded.parse_as(&bytes);
        prop_assert!(!parsed.name.is_empty());
        recorded.host.complete_from_transcript(&mut parsed, &String::from_utf8_lossy(&bytes));
    }
}
