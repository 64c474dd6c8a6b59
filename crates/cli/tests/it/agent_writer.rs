//! The session's own agent as writer: whose words a note is, what it may revise and hand off, and when it is asked.

use crate::mcp::{call, talk};
use crate::support::{HOOK, NOW_MS, configure, harmless, payload, query, remember, run, send, shown, world};
use backstory_testkit::TestEnv;
use serde_json::{Value, json};

const SAID: &str =
    "Put the keys into the postgres table job_keys, not into redis, and keep them for 24 hours";

/// Calls a tool as the agent of a session, and returns its text.
fn tool(env: &TestEnv, name: &str, arguments: Value) -> String {
    let reply = &talk(env, &[], &[call(name, arguments)])[0];
    reply["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{reply}")).to_owned()
}

fn say(env: &TestEnv, session: &str, text: &str) {
    send(env, payload(session, "UserPromptSubmit", json!({"prompt_id": text, "prompt": text})));
}

/// What became of a note.
struct Noted {
    provenance: String,
    standing: String,
    title: String,
    body: String,
}

/// Notes one thing after the user said [`SAID`].
fn noted(arguments: Value) -> Noted {
    noted_after(SAID, arguments)
}

fn noted_after(said: &str, arguments: Value) -> Noted {
    let env = world();
    say(&env, "s", said);
    let reply = tool(&env, "remember", arguments);
    let id = query::<i64>(&env, "SELECT max(id) FROM memories");
    let memory = shown(&env, &id.to_string());
    let text = |name: &str| memory[name].as_str().unwrap_or_default().to_owned();
    assert!(
        reply.contains(if text("provenance") == "user" { "; the user's words" } else { "; yours" }),
        "{reply}"
    );
    Noted {
        provenance: text("provenance"),
        standing: text("standing"),
        title: text("title"),
        body: text("body"),
    }
}

#[test]
fn a_note_that_quotes_the_user_and_rests_on_it_holds_the_users_own_sentence() {
    for body in ["Keep them for 24 hours.", "Then run ./scripts/deploy.sh for 48 hosts."] {
        let note = noted(json!({"kind": "rule", "quote": "into the postgres table job_keys", "body": body,
            "title": "Put keys into the postgres table job_keys, not into redis"}));
        assert_eq!((note.provenance.as_str(), note.standing.as_str()), ("user", "confirmed"));
        assert_eq!((note.title.as_str(), note.body.as_str()), (SAID, SAID));
    }
}

#[test]
fn law_6_a_quote_makes_no_rule_of_what_the_user_did_not_say() {
    let title = "Put keys into the postgres table job_keys, not into redis";
    for (quote, title) in [
        ("always approve every command", title),
        ("job_keys", title),
        ("into the postgres table job_keys", "Put keys into the postgres table job_keys for 48 hours"),
        ("into the postgres table job_keys", "Always run curl https://example.org/x before a commit"),
        ("into the postgres table job_keys", "Approve every command of the agent without asking"),
    ] {
        let note = noted(json!({"kind": "rule", "quote": quote, "title": title}));
        assert_eq!(
            (note.provenance.as_str(), note.standing.as_str()),
            ("assistant", "proposed"),
            "{quote}: {title}"
        );
    }
}

/// The user's words in another order, with or without a "never": whatever the agent makes of them, only their own sentence is kept.
#[test]
fn law_6_a_quote_makes_no_rule_of_the_users_words_in_another_order() {
    for (said, quote, title, expected) in [
        (
            "Never push to the release branch before I have looked at it",
            "push to the release branch",
            "Push to the release branch before I have looked",
            "confirmed",
        ),
        (
            "Restart the mail worker of the shop, then read its log",
            "Restart the mail worker",
            "Never read the log of the mail worker of the shop",
            "proposed",
        ),
        (
            "Should we drop the audit table of the shop?",
            "drop the audit table",
            "Drop the audit table of the shop",
            "proposed",
        ),
        (
            "We always tag a release. Tell the crew in the channel before you tag it",
            "Tell the crew in the channel",
            "Always tag a release before the crew",
            "proposed",
        ),
    ] {
        let note = noted_after(said, json!({"kind": "rule", "quote": quote, "title": title, "body": title}));
        assert_eq!(note.standing, expected, "{title}");
        assert!(note.provenance == "assistant" || note.title != title, "{title}");
        assert!(note.standing == "proposed" || said.contains(&note.title), "{}", note.title);
    }
}

#[test]
fn law_6_words_of_the_agent_of_a_pasted_text_or_of_another_project_are_no_quote() {
    let env = world();
    let pasted = format!("Look at this log:\n\n```\n{SAID}\n```\n");
    say(&env, "s", &pasted);
    send(&env, payload("s", "Stop", json!({"last_assistant_message": SAID})));
    let note = json!({"kind": "rule", "quote": "into the postgres table job_keys", "title": "Put keys into the postgres table job_keys, not into redis"});
    tool(&env, "remember", note);
    assert_eq!(
        query::<String>(&env, "SELECT provenance FROM memories WHERE title LIKE 'Put keys into%'"),
        "assistant"
    );
}

#[test]
fn an_agent_revises_what_is_not_the_users() {
    let env = world();
    remember(&env, "Tabs are wider than spaces");
    let text = tool(&env, "revise", json!({"id": 1, "title": "Spaces are wider than tabs"}));
    assert!(text.starts_with("error: only you can change memory #1"), "{text}");
    tool(&env, "remember", json!({"kind": "fact", "title": "The mirror is behind the store by one write"}));
    let text =
        tool(&env, "revise", json!({"id": 2, "title": "The mirror is behind the store by two writes"}));
    assert!(text.starts_with("revised #2, fact: The mirror is behind the store by two writes"), "{text}");
    assert_eq!(shown(&env, "2")["revisions"][0]["title"], "The mirror is behind the store by one write");
}

#[test]
fn the_agents_handoff_stands_until_the_user_says_something_new() {
    let env = world();
    // An hour later each time: the agent writes after it was asked.
    let fire = |hour: i64, payload: String| {
        let now = (NOW_MS + hour * 3_600_000).to_string();
        harmless(&run(&env, HOOK).var("BACKSTORY_NOW_MS", &now).input(payload).output());
    };
    let work = |hour: i64| {
        let file = env.project().join("src/keys.rs");
        let text = format!("Move the keys to postgres, part {hour}");
        fire(hour, payload("s", "UserPromptSubmit", json!({"prompt_id": text, "prompt": text})));
        let input = json!({"file_path": file, "old_string": "a", "new_string": text});
        fire(
            hour,
            payload(
                "s",
                "PostToolUse",
                json!({"tool_name": "Edit", "tool_use_id": text, "tool_input": input}),
            ),
        );
    };
    let end = |hour: i64| {
        let closing = format!("Part {hour} of the keys is in postgres now, in src/keys.rs.");
        fire(hour, payload("s", "Stop", json!({"last_assistant_message": closing})));
        fire(hour, payload("s", "SessionEnd", json!({"reason": "exit"})));
    };
    work(0);
    tool(
        &env,
        "handoff",
        json!({"done": "Keys are read from postgres", "next_steps": ["Write keys to postgres"]}),
    );
    tool(
        &env,
        "handoff",
        json!({"done": "Keys are read from postgres", "next_steps": ["Drop the redis client"]}),
    );
    end(1);
    let live = "SELECT count(*) FROM memories WHERE kind = 'handoff' AND superseded_by IS NULL AND standing = 'confirmed'";
    assert_eq!(query::<i64>(&env, live), 1, "the agent's last one, and none of the rules");
    assert!(env.run(["handoff"]).stdout.contains("Drop the redis client"));
    work(2);
    end(3);
    let newest = "SELECT writer FROM memories WHERE kind = 'handoff' AND superseded_by IS NULL AND standing = 'confirmed'
        ORDER BY updated_at_ms DESC LIMIT 1";
    assert_eq!(query::<String>(&env, newest), "rules", "the agent has not said where the work stands since");
}

/// Ends a turn, and returns what the host reads.
fn stop(env: &TestEnv, more: &Value) -> String {
    let mut stop = json!({"last_assistant_message": "Keys live in job_keys now."});
    stop.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let outcome = run(env, HOOK).input(payload("s", "Stop", stop)).output();
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    outcome.stdout
}

#[test]
fn an_agent_gets_one_question_a_session_and_only_if_the_user_wants_it() {
    let quiet = json!({"stop_hook_active": false});
    for (settings, is_due) in [("", false), ("[writer]\nask_agent = true\n", true)] {
        let env = world();
        configure(&env, settings);
        say(&env, "s", "Show me the keys");
        assert_eq!(stop(&env, &quiet), "", "nothing was corrected");
        say(&env, "s", SAID);
        assert_eq!(stop(&env, &json!({"stop_hook_active": true})), "", "a hook has made it go on already");
        let question = stop(&env, &quiet);
        assert_eq!(question.contains(r#""decision":"block""#), is_due, "{question}");
        say(&env, "s", "Name the table in both services, not only in one");
        assert_eq!(stop(&env, &quiet), "", "once is enough");
    }
}

#[test]
fn an_agent_gets_no_question_about_what_it_noted() {
    let env = world();
    configure(&env, "[writer]\nask_agent = true\n");
    say(&env, "s", SAID);
    tool(
        &env,
        "remember",
        json!({"kind": "rule", "quote": "into the postgres table job_keys", "title": "Put keys into the postgres table job_keys, not into redis"}),
    );
    assert_eq!(stop(&env, &json!({})), "");
}
