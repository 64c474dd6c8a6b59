//! Replies to hosts, byte for byte, and the checks of each host's own rules.

use crate::recorded::{RECORDINGS, parse_json, recording};
use backstory_hosts::{Host, HostReply};
use backstory_memory::{InjectionPoint, Moment};
use insta::assert_snapshot;
use proptest::prelude::*;
use serde_json::{Value, json};

const MOMENTS: [Moment; 4] = [Moment::SessionStart, Moment::Prompt, Moment::Tool, Moment::Compaction];

fn reply(moment: Moment, context: Option<&str>, to_user: Option<&str>) -> Option<String> {
    Host::ClaudeCode.reply(moment, HostReply { context, to_user })
}

/// Claude Code drops a reply that does not name its event, without a word.
#[test]
fn a_reply_names_its_event() {
    let text = Some("<backstory-1a2b3c4d>\n\"quoted\" \\ \u{1}\n</backstory-1a2b3c4d>");
    assert_snapshot!(reply(Moment::SessionStart, text, None).unwrap(), @r#"{"hookSpecificOutput":{"additionalContext":"<backstory-1a2b3c4d>\n\"quoted\" \\ \u0001\n</backstory-1a2b3c4d>","hookEventName":"SessionStart"}}"#);
    assert_snapshot!(reply(Moment::Prompt, Some("x"), None).unwrap(), @r#"{"hookSpecificOutput":{"additionalContext":"x","hookEventName":"UserPromptSubmit"}}"#);
    assert_snapshot!(reply(Moment::Tool, Some("x"), None).unwrap(), @r#"{"hookSpecificOutput":{"additionalContext":"x","hookEventName":"PreToolUse"}}"#);
}

#[test]
fn a_message_to_the_user_is_kept_apart_from_the_context() {
    assert_snapshot!(reply(Moment::SessionStart, Some("x"), Some("for you")).unwrap(), @r#"{"hookSpecificOutput":{"additionalContext":"x","hookEventName":"SessionStart"},"systemMessage":"for you"}"#);
    assert_snapshot!(reply(Moment::SessionStart, None, Some("for you")).unwrap(), @r#"{"systemMessage":"for you"}"#);
}

#[test]
fn a_reply_to_a_compaction_is_plain_text() {
    assert_eq!(
        reply(Moment::Compaction, Some("--- x ---\n"), Some("for you")).as_deref(),
        Some("--- x ---\n")
    );
}

#[test]
fn an_empty_reply_prints_nothing() {
    for moment in MOMENTS {
        assert_eq!(reply(moment, None, None), None);
    }
}

#[test]
fn law_1_a_reply_never_carries_a_decision() {
    for moment in [Moment::SessionStart, Moment::Prompt, Moment::Tool] {
        let answer: Value = serde_json::from_str(&reply(moment, Some("x"), Some("y")).unwrap()).unwrap();
        let names: Vec<&String> = answer.as_object().unwrap().keys().collect();
        assert_eq!(names, ["hookSpecificOutput", "systemMessage"]);
        assert_eq!(answer["hookSpecificOutput"].as_object().unwrap().len(), 2);
    }
}

#[test]
fn a_prompt_nobody_typed_is_no_injection_point() {
    let injection_point = |fields: Value| {
        let mut payload =
            json!({"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": "Fix the build"});
        payload.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        parse_json(Host::ClaudeCode, None, &payload).injection_point
    };
    assert_eq!(
        injection_point(json!({"source": "user"})),
        Some(InjectionPoint::Prompt { text: "Fix the build".into() })
    );
    for fields in [
        json!({"source": "loop_wakeup"}),
        json!({"agent_id": "a1", "agent_type": "general-purpose"}),
        json!({"prompt": "/review 12"}),
        json!({"prompt": "<task-notification>done</task-notification>"}),
        json!({"prompt": 7}),
        json!({"prompt": null}),
    ] {
        assert!(
            !matches!(injection_point(fields.clone()), Some(InjectionPoint::Prompt { text }) if text != "7"),
            "{fields}"
        );
    }
}

#[test]
fn every_host_gets_replies_in_its_own_shape() {
    let mut replies = String::new();
    for host in Host::ALL {
        for moment in MOMENTS {
            let reply = host.reply(moment, HostReply { context: Some("x"), to_user: Some("y") });
            if let Some(reply) = reply {
                replies += &format!("{} {moment:?} {reply}\n", host.as_str());
            }
        }
    }
    assert_snapshot!(replies, @r#"
        claude-code SessionStart {"hookSpecificOutput":{"additionalContext":"x","hookEventName":"SessionStart"},"systemMessage":"y"}
        claude-code Prompt {"hookSpecificOutput":{"additionalContext":"x","hookEventName":"UserPromptSubmit"},"systemMessage":"y"}
        claude-code Tool {"hookSpecificOutput":{"additionalContext":"x","hookEventName":"PreToolUse"},"systemMessage":"y"}
        claude-code Compaction x
        opencode SessionStart {"context":"x","to_user":"y"}
        opencode Prompt {"context":"x","to_user":"y"}
        opencode Tool {"context":"x","to_user":"y"}
        opencode Compaction {"context":"x","to_user":"y"}
        codex SessionStart {"hookSpecificOutput":{"additionalContext":"x","hookEventName":"SessionStart"},"systemMessage":"y"}
        codex Prompt {"hookSpecificOutput":{"additionalContext":"x","hookEventName":"UserPromptSubmit"},"systemMessage":"y"}
        codex Tool {"hookSpecificOutput":{"additionalContext":"x","hookEventName":"PreToolUse"},"systemMessage":"y"}
        gemini-cli SessionStart {"hookSpecificOutput":{"additionalContext":"x","hookEventName":"SessionStart"},"systemMessage":"y"}
        gemini-cli Prompt {"hookSpecificOutput":{"additionalContext":"x","hookEventName":"BeforeAgent"},"systemMessage":"y"}
        copilot-cli SessionStart {"additionalContext":"x"}
        copilot-cli Prompt {"additionalContext":"x"}
        copilot-cli Tool {"additionalContext":"x"}
        cursor SessionStart {"additional_context":"x"}
        cursor Prompt {"additional_context":"x"}
        "#);
}

/// Returns the events of the moments, by the names of a host.
fn events(host: Host) -> [&'static str; 4] {
    match host {
        Host::Gemini => ["SessionStart", "BeforeAgent", "BeforeTool", "PreCompress"],
        Host::Copilot => ["sessionStart", "userPromptSubmitted", "preToolUse", "preCompact"],
        Host::Cursor => ["sessionStart", "beforeSubmitPrompt", "preToolUse", "preCompact"],
        _ => ["SessionStart", "UserPromptSubmit", "PreToolUse", "PreCompact"],
    }
}

proptest! {
    /// Whatever its length and letters. A context that does not fit is left out.
    #[test]
    fn every_reply_passes_the_hosts_own_rules(
        text in prop_oneof!["\\PC{0,40}", "[{}\\[\\]\"\\\\\u{0}-\u{1f}]{0,40}"],
        times in prop_oneof![Just(1_usize), 1_usize..2000],
        to_user in prop::option::of("\\PC{0,40}"),
    ) {
        let text = text.repeat(times);
        for host in Host::ALL {
            for (moment, event) in MOMENTS.into_iter().zip(events(host)) {
                let reply = HostReply { context: Some(&text), to_user: to_user.as_deref() };
                let printed = host.reply(moment, reply).unwrap_or_default();
                prop_assert_eq!(host.check_reply(event, printed.as_bytes()), Ok(()), "{:?} {}", host, printed);
            }
        }
    }
}

/// A host drops each of these, misreads it, or takes it for a decision.
#[test]
fn a_reply_the_host_would_reject_fails_the_check() {
    let nested = |name: &str| {
        json!({"hookSpecificOutput": {"hookEventName": name, "additionalContext": "x"}}).to_string()
    };
    let right = nested("SessionStart");
    let long = |unit: &str, times| {
        let context = unit.repeat(times);
        json!({"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": context}})
            .to_string()
    };
    let check = |host: Host, event: &str, answer: &str| host.check_reply(event, answer.as_bytes());
    for host in [Host::ClaudeCode, Host::Codex, Host::Gemini] {
        assert_eq!(check(host, "SessionStart", &right), Ok(()));
        for wrong in [
            "plain words",
            "[]",
            "{",
            &format!("noise\n{right}"),
            &format!("{right} trailing"),
            &format!("{right}{right}"),
            r#"{"additionalContext":"x"}"#,
            r#"{"hookSpecificOutput":{"additionalContext":"x"}}"#,
            r#"{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"x","permissionDecision":"deny"}}"#,
            r#"{"hookSpecificOutput":"x"}"#,
            r#"{"systemMessage":1}"#,
            r#"{"continue":false}"#,
            r#"{"decision":"block","reason":"x"}"#,
            &nested("Stop"),
            &long("x", 10_001),
        ] {
            assert!(check(host, "SessionStart", wrong).is_err(), "{host:?} {wrong}");
        }
        assert!(check(host, "Stop", &nested("Stop")).is_err());
    }
    // Claude Code limits the number of characters, Codex that of bytes.
    assert_eq!(check(Host::ClaudeCode, "SessionStart", &long("漢", 9000)), Ok(()));
    assert!(check(Host::Codex, "SessionStart", &long("漢", 9000)).is_err());
    assert!(check(Host::ClaudeCode, "SessionStart", &long("😀", 5001)).is_err());
    assert!(check(Host::ClaudeCode, "PreCompact", &right).is_err());
    assert!(check(Host::Codex, "PreCompact", "plain words").is_err());
    assert!(check(Host::Gemini, "BeforeTool", &nested("BeforeTool")).is_err());
    assert!(Host::ClaudeCode.check_reply("SessionStart", b"\xff").is_err());
    assert_eq!(check(Host::Copilot, "sessionStart", r#"{"additionalContext":"x"}"#), Ok(()));
    assert!(check(Host::Copilot, "sessionStart", &right).is_err());
    assert_eq!(check(Host::Cursor, "sessionStart", r#"{"additional_context":"x"}"#), Ok(()));
    assert!(check(Host::Cursor, "sessionStart", r#"{"additionalContext":"x"}"#).is_err());
    assert!(check(Host::Zed, "anything", "x").is_err());
    for host in Host::ALL {
        assert_eq!(check(host, "anything", ""), Ok(()));
    }
}

#[test]
fn hooks_are_installed_only_for_events_we_use() {
    let with_hooks = Host::ALL.into_iter().filter(|host| !host.events().is_empty());
    let events: String =
        with_hooks.map(|host| format!("{}: {}\n", host.as_str(), host.events().join(" "))).collect();
    assert_snapshot!(events, @r#"
        claude-code: SessionStart UserPromptSubmit PreToolUse PostToolUse PostToolUseFailure Stop StopFailure SubagentStart SubagentStop PreCompact PostCompact SessionEnd
        opencode: session.started chat.message tool.execute.after tool.failed session.idle session.error experimental.session.compacting session.compacted session.ended
        codex: SessionStart UserPromptSubmit PreToolUse PostToolUse Stop SubagentStart SubagentStop PreCompact SessionEnd
        gemini-cli: SessionStart BeforeAgent AfterTool AfterAgent SessionEnd
        copilot-cli: sessionStart userPromptSubmitted preToolUse postToolUse postToolUseFailure agentStop errorOccurred subagentStart subagentStop preCompact sessionEnd
        cursor: sessionStart beforeSubmitPrompt postToolUse postToolUseFailure afterFileEdit afterAgentResponse subagentStart subagentStop preCompact sessionEnd
        "#);
}

/// `doctor` runs hooks with samples, so each must be a payload that a host really sent.
#[test]
fn samples_are_recorded_payloads() {
    let folder = std::path::Path::new("/home/dev/project");
    for host in Host::ALL {
        let recorded: Vec<String> = RECORDINGS
            .into_iter()
            .filter(|(of, _)| *of == host)
            .flat_map(|(host, name)| recording(host, name))
            .map(|recorded| recorded.payload)
            .collect();
        let samples = host.samples(folder);
        assert_eq!(samples.is_empty(), host.events().is_empty(), "{host:?}");
        for sample in samples {
            assert!(recorded.contains(&sample.payload), "{sample:?}");
            assert!(host.events().contains(&sample.event.as_str()), "{sample:?}");
            assert!(
                host.parse(Some(&sample.event), sample.payload.as_bytes()).missing.is_empty(),
                "{sample:?}"
            );
        }
    }
}
