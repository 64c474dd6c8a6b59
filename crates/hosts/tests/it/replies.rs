//! What hosts are told, byte for byte, and when.

use crate::recorded::{parse, payloads};
use backstory_hosts::{Host, HostReply};
use backstory_memory::{InjectionPoint, Moment};
use insta::assert_snapshot;
use proptest::prelude::*;
use serde_json::{Value, json};

const MOMENTS: [Moment; 4] = [Moment::SessionStart, Moment::Prompt, Moment::Tool, Moment::Compaction];

fn reply(moment: Moment, context: Option<&str>, to_user: Option<&str>) -> Option<String> {
    Host::ClaudeCode.reply(moment, HostReply { context, to_user })
}

/// An answer that does not name its event is dropped in silence.
#[test]
fn an_answer_names_its_event() {
    let text = Some("<backstory-1a2b3c4d>\n\"quoted\" \\ \u{1}\n</backstory-1a2b3c4d>");
    assert_snapshot!(reply(Moment::SessionStart, text, None).unwrap(), @r#"{"hookSpecificOutput":{"additionalContext":"<backstory-1a2b3c4d>\n\"quoted\" \\ \u0001\n</backstory-1a2b3c4d>","hookEventName":"SessionStart"}}"#);
    assert_snapshot!(reply(Moment::Prompt, Some("x"), None).unwrap(), @r#"{"hookSpecificOutput":{"additionalContext":"x","hookEventName":"UserPromptSubmit"}}"#);
    assert_snapshot!(reply(Moment::Tool, Some("x"), None).unwrap(), @r#"{"hookSpecificOutput":{"additionalContext":"x","hookEventName":"PreToolUse"}}"#);
}

#[test]
fn what_is_for_the_user_does_not_reach_the_agent() {
    assert_snapshot!(reply(Moment::SessionStart, Some("x"), Some("for you")).unwrap(), @r#"{"hookSpecificOutput":{"additionalContext":"x","hookEventName":"SessionStart"},"systemMessage":"for you"}"#);
    assert_snapshot!(reply(Moment::SessionStart, None, Some("for you")).unwrap(), @r#"{"systemMessage":"for you"}"#);
}

#[test]
fn a_compaction_is_told_in_plain_words() {
    assert_eq!(
        reply(Moment::Compaction, Some("--- x ---\n"), Some("for you")).as_deref(),
        Some("--- x ---\n")
    );
}

#[test]
fn nothing_to_say_is_nothing_said() {
    for moment in [Moment::SessionStart, Moment::Prompt, Moment::Tool, Moment::Compaction] {
        assert_eq!(reply(moment, None, None), None);
    }
}

/// Law 1: no answer ever decides about what the host was going to do.
#[test]
fn an_answer_never_decides() {
    for moment in [Moment::SessionStart, Moment::Prompt, Moment::Tool] {
        let answer: Value = serde_json::from_str(&reply(moment, Some("x"), Some("y")).unwrap()).unwrap();
        let names: Vec<&String> = answer.as_object().unwrap().keys().collect();
        assert_eq!(names, ["hookSpecificOutput", "systemMessage"]);
        assert_eq!(answer["hookSpecificOutput"].as_object().unwrap().len(), 2);
    }
}

#[test]
fn a_session_can_be_told_something_where_it_is_worth_it() {
    let points = |name: &str| {
        let openings = payloads(name).into_iter().filter_map(|payload| parse(payload).injection_point);
        openings.map(|opening| format!("{opening:?}\n")).collect::<String>()
    };
    assert_snapshot!(points("lifecycle"), @r#"
        SessionStart { reason: Startup }
        Prompt { text: "first" }
        Compaction
        SessionStart { reason: Compact }
        Prompt { text: "after compaction" }
        SessionStart { reason: Clear }
        Prompt { text: "after clearing" }
        Prompt { text: "a lot to read" }
        Prompt { text: "after a lot" }
        Compaction
        SessionStart { reason: Compact }
        SessionStart { reason: Resume }
        Prompt { text: "again" }
        SessionStart { reason: Fork }
        Prompt { text: "on the side" }
        "#);
    assert_snapshot!(points("bugfix-session"), @r#"
        SessionStart { reason: Startup }
        Prompt { text: "Fix the failing test in tests/test_pages.py" }
        Command { command: "python3 -m unittest" }
        Edit { file: "/home/dev/project/pager/pages.py" }
        Command { command: "python3 -m unittest" }
        Command { command: "git add -A && git commit -m \"Fix off-by-one in page_count\"" }
        Prompt { text: "No, we use pytest-style asserts here, not assertEqual." }
        "#);
}

#[test]
fn what_nobody_typed_is_no_question() {
    let opening = |fields: Value| {
        let mut payload =
            json!({"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": "Fix the build"});
        payload.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        parse(payload.to_string()).injection_point
    };
    assert_eq!(
        opening(json!({"source": "user"})),
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
            !matches!(opening(fields.clone()), Some(InjectionPoint::Prompt { text }) if text != "7"),
            "{fields}"
        );
    }
}

/// What each host is told at each moment, and at which of its events it reads it.
#[test]
fn every_host_is_told_in_its_own_shape() {
    let mut event = String::new();
    for host in Host::ALL {
        for moment in MOMENTS {
            let reply = host.reply(moment, HostReply { context: Some("x"), to_user: Some("y") });
            if let Some(reply) = reply {
                event += &format!("{} {moment:?} {reply}\n", host.as_str());
            }
        }
    }
    assert_snapshot!(event, @r#"
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

/// The events of the moments, as hosts call them.
fn events(host: Host) -> [&'static str; 4] {
    match host {
        Host::Gemini => ["SessionStart", "BeforeAgent", "BeforeTool", "PreCompress"],
        Host::Copilot => ["sessionStart", "userPromptSubmitted", "preToolUse", "preCompact"],
        Host::Cursor => ["sessionStart", "beforeSubmitPrompt", "preToolUse", "preCompact"],
        _ => ["SessionStart", "UserPromptSubmit", "PreToolUse", "PreCompact"],
    }
}

proptest! {
    /// However long, in whatever letters: what is written passes the host's own rules, and what does not fit is not said.
    #[test]
    fn every_answer_passes_the_hosts_own_rules(
        text in prop_oneof!["\\PC{0,40}", "[{}\\[\\]\"\\\\\u{0}-\u{1f}]{0,40}"],
        times in prop_oneof![Just(1_usize), 1_usize..2000],
        to_user in prop::option::of("\\PC{0,40}"),
    ) {
        let text = text.repeat(times);
        for host in Host::ALL {
            for (moment, event) in MOMENTS.into_iter().zip(events(host)) {
                let reply = HostReply { context: Some(&text), to_user: to_user.as_deref() };
                let answer = host.reply(moment, reply).unwrap_or_default();
                prop_assert_eq!(host.check_reply(event, answer.as_bytes()), Ok(()), "{:?} {}", host, answer);
            }
        }
    }
}

/// Each of these a host drops, misreads, or takes for a decision.
#[test]
fn an_answer_a_host_would_not_take_is_found_out() {
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
    // Claude Code counts letters, Codex bytes.
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

/// What a host is hooked for is what is kept or answered.
#[test]
fn a_hook_is_worth_its_process() {
    let hooked = Host::ALL.into_iter().filter(|host| !host.events().is_empty());
    let events: String =
        hooked.map(|host| format!("{}: {}\n", host.as_str(), host.events().join(" "))).collect();
    assert_snapshot!(events, @r#"
        claude-code: SessionStart UserPromptSubmit PreToolUse PostToolUse PostToolUseFailure Stop StopFailure SubagentStart SubagentStop PreCompact PostCompact SessionEnd
        opencode: session.started chat.message tool.execute.after tool.failed session.idle session.error experimental.session.compacting session.compacted session.ended
        codex: SessionStart UserPromptSubmit PreToolUse PostToolUse Stop SubagentStart SubagentStop PreCompact SessionEnd
        gemini-cli: SessionStart BeforeAgent AfterTool AfterAgent SessionEnd
        copilot-cli: sessionStart userPromptSubmitted preToolUse postToolUse postToolUseFailure agentStop errorOccurred subagentStart subagentStop preCompact sessionEnd
        cursor: sessionStart beforeSubmitPrompt postToolUse postToolUseFailure afterFileEdit afterAgentResponse subagentStart subagentStop preCompact sessionEnd
        "#);
}

/// What hooks are tried with is what was recorded, and lacks nothing.
#[test]
fn samples_are_recorded_payloads() {
    let folder = std::path::Path::new("/home/dev/project");
    for host in Host::ALL {
        let recorded: Vec<String> = crate::recorded::SCENES
            .into_iter()
            .filter(|(of, _)| *of == host)
            .flat_map(|(host, name)| crate::recorded::scene(host, name))
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
