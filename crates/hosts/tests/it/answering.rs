//! What Claude Code is told, byte for byte, and when.

use crate::recorded::{hear, payloads};
use backstory_hosts::{Host, Opening, Reply};
use backstory_memory::Moment;
use insta::assert_snapshot;
use serde_json::{Value, json};

fn reply(moment: Moment, context: Option<&str>, to_user: Option<&str>) -> Option<String> {
    Host::ClaudeCode.reply(moment, Reply { context, to_user })
}

/// C7: an answer that does not name its event is dropped in silence.
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
    let told = |name: &str| {
        let openings = payloads(name).into_iter().filter_map(|payload| hear(payload).opening);
        openings.map(|opening| format!("{opening:?}\n")).collect::<String>()
    };
    assert_snapshot!(told("lifecycle"), @r#"
        Session { how: "startup" }
        Prompt { text: "first" }
        Compaction
        Session { how: "compact" }
        Prompt { text: "after compaction" }
        Session { how: "clear" }
        Prompt { text: "after clearing" }
        Prompt { text: "a lot to read" }
        Prompt { text: "after a lot" }
        Compaction
        Session { how: "compact" }
        Session { how: "resume" }
        Prompt { text: "again" }
        Session { how: "fork" }
        Prompt { text: "on the side" }
        "#);
    assert_snapshot!(told("bugfix-session"), @r#"
        Session { how: "startup" }
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
        hear(payload.to_string()).opening
    };
    assert_eq!(opening(json!({"source": "user"})), Some(Opening::Prompt { text: "Fix the build".into() }));
    for fields in [
        json!({"source": "loop_wakeup"}),
        json!({"agent_id": "a1", "agent_type": "general-purpose"}),
        json!({"prompt": "/review 12"}),
        json!({"prompt": "<task-notification>done</task-notification>"}),
        json!({"prompt": 7}),
        json!({"prompt": null}),
    ] {
        assert!(
            !matches!(opening(fields.clone()), Some(Opening::Prompt { text }) if text != "7"),
            "{fields}"
        );
    }
}
