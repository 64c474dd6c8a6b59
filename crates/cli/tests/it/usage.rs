//! Injected memories can be accounted for: whether they were used, what they cost, and that capture still works.

use crate::inject::{QUESTION, RANKING, asks, starts};
use crate::support::{
    answer, ask, column, count, done, event, exits, file, harmless, import, remember, set_schema,
    without_nonce, world,
};
use serde_json::json;

/// What nobody acts on may still hold: a rule stands in every block, a decision answers whoever asks. But a block does not begin for ever
/// with a decision that was carried out long ago.
#[test]
fn a_memory_nobody_uses_is_injected_all_the_same() {
    let env = world();
    remember(&env, RANKING);
    done(&env, &["rules", "add", "Never use unwrap outside of tests"]);
    for number in 0..20 {
        let start = starts(&env, &format!("s{number}"), "startup");
        assert!(start.contains("unwrap"), "{number}: {start}");
        assert_eq!(start.contains("FTS5"), number < 3, "{number}: {start}");
        let again = starts(&env, &format!("s{number}"), "compact");
        assert_eq!(
            again.contains("FTS5"),
            number < 3,
            "the same session is told the same: {number}: {again}"
        );
    }
    assert!(asks(&env, "later", QUESTION).contains("FTS5"));
}

/// The same twenty questions in a dozen sessions get the same answers each time, whatever became of the answers.
#[test]
fn a_question_that_comes_back_gets_the_same_answer() {
    let env = world();
    let memories: Vec<_> = TOPICS
        .iter()
        .map(|(thing, way)| json!({"kind": "decision", "title": format!("The {thing} is {way}")}))
        .collect();
    import(&env, &memories);
    let answers = |session: usize| -> Vec<Vec<String>> {
        let ask = |(place, (thing, _)): (usize, &(&str, &str))| {
            let text =
                asks(&env, &format!("s{session}-{place}"), &format!("How is the {thing} handled here?"));
            let lines = text.lines().filter(|line| line.starts_with('#'));
            lines.map(|line| line.split(" · ").next().unwrap_or_default().to_owned()).collect()
        };
        TOPICS.iter().enumerate().map(ask).collect()
    };
    let first = answers(0);
    for (place, (thing, _)) in TOPICS.iter().enumerate() {
        assert!(first[place].iter().any(|line| line.contains(thing)), "{thing}: {:?}", first[place]);
    }
    for session in 1..12 {
        assert_eq!(answers(session), first, "session {session}");
    }
}

const TOPICS: [(&str, &str); 20] = [
    ("invoice numbering", "counted per calendar year"),
    ("webhook signature", "checked against two keys"),
    ("thumbnail cache", "kept for a week on disk"),
    ("currency rounding", "half to even"),
    ("session cookie", "bound to one subdomain"),
    ("import queue", "drained by a single consumer"),
    ("audit trail", "written before the answer"),
    ("feature flag registry", "one file in the repository"),
    ("tenant isolation", "a schema for each customer"),
    ("barcode scanner", "read through the serial port"),
    ("newsletter template", "rendered on the server"),
    ("password hashing", "argon2 with a pepper"),
    ("holiday calendar", "taken from the state's feed"),
    ("log rotation", "left to the host"),
    ("shipping label", "printed in thermal format"),
    ("search synonym list", "edited by the support team"),
    ("map tile provider", "chosen by region"),
    ("backup encryption", "done with an offline key"),
    ("seat reservation", "held for nine minutes"),
    ("translation memory", "shared by all languages"),
];

#[test]
fn law_9_the_use_of_an_injected_memory_is_detected() {
    let env = world();
    file(&env, "billing.py", "x = 1\n");
    done(
        &env,
        &["remember", "--kind", "learning", "--file", "billing.py", "Amounts in billing.py are cents"],
    );
    remember(&env, RANKING);
    let failure = json!({"kind": "failure", "title": "make serve: connection refused on port 5433",
        "body": "`make serve` failed:\nrefused\nFixed by running `make database`", "facts": ["Fixed by running `make database`"],
        "details": {"type": "failure", "command": "make serve", "fix": {"commands": ["make database"]}}});
    import(&env, &[failure]);
    assert!(starts(&env, "s", "startup").contains("cents"));
    let injected = || ask(&env, 0, &["status", "--json"])["injected"].take();
    assert_eq!(column(&injected(), "kind"), json!(["decision", "fact", "failure"]));
    assert_eq!(column(&injected(), "used"), json!([0, 0, 0]));
    let edited = json!({"tool_name": "Edit", "tool_use_id": "1", "tool_response": {},
        "tool_input": {"file_path": env.project().join("billing.py"), "old_string": "x = 1", "new_string": "x = 2"}});
    let ran = |command: &str, id: &str| {
        json!({"tool_name": "Bash", "tool_use_id": id,
            "tool_input": {"command": command}, "tool_response": {"stdout": "ok"}})
    };
    let cites = "Search ranking stays with SQLite FTS5, as decided, because it needs no server.";
    for (name, fields, used) in [
        ("PostToolUse", edited, [0, 0, 0]),
        ("PostToolUse", ran("make tea", "2"), [0, 0, 0]),
        ("PostToolUse", ran("make database", "3"), [0, 0, 1]),
        ("Stop", json!({"last_assistant_message": "The ledger is done."}), [0, 0, 1]),
        ("Stop", json!({"last_assistant_message": cites}), [1, 0, 1]),
    ] {
        harmless(&event(&env, "s", name, fields.clone()));
        assert_eq!(column(&injected(), "used"), json!(used), "{fields}");
    }
    assert_eq!(column(&injected(), "touched"), json!([0, 1, 0]));
    let status = env.run(["status"]).stdout;
    assert!(
        status.contains("injected   3, used 2 (66 %), 1 touched\n           decisions 1/1 · traps 1/2"),
        "{status}"
    );
}

/// A rule that is followed mostly leaves no trace: what is seen of it is kept, and the rate is that of the others.
#[test]
fn a_rule_and_a_decision_are_used_by_the_command_they_name() {
    let env = world();
    done(&env, &["rules", "add", "Run make lint before you call it done"]);
    remember(&env, "We decided to run database migrations with alembic");
    starts(&env, "s", "startup");
    let used = || column(&ask(&env, 0, &["status", "--json"])["injected"], "used");
    for (command, expected) in [("make tea", [0, 0]), ("alembic upgrade head", [1, 0]), ("make lint", [1, 1])]
    {
        let ran = json!({"tool_name": "Bash", "tool_use_id": command, "tool_input": {"command": command},
            "tool_response": {"stdout": "ok"}});
        harmless(&event(&env, "s", "PostToolUse", ran));
        assert_eq!(used(), json!(expected), "{command}");
    }
    let status = env.run(["status"]).stdout;
    assert!(status.contains("injected   2, used 1 of 1 beside rules (100 %)"), "{status}");
}

#[test]
fn context_shows_what_would_be_injected_and_records_nothing() {
    let env = world();
    remember(&env, RANKING);
    let shown = |arguments: &[&str]| {
        let text = env.run([&["context"], arguments].concat()).stdout;
        without_nonce(text.trim_end())
    };
    let (at_start, at_prompt) = (shown(&[]), shown(&["--prompt", QUESTION]));
    assert_eq!(count(&env, "injections"), 0);
    assert_eq!(at_start, starts(&env, "s", "startup"));
    assert_eq!(at_prompt, asks(&env, "t", QUESTION));
    let json = ask(&env, 0, &["context", "--prompt", QUESTION, "--json"]);
    assert_eq!(
        (&json["moment"], &json["budget"], &json["memories"][0]["id"]),
        (&json!("prompt"), &json!(600), &json!(1))
    );
    assert!(json["memories"][0]["reasons"].to_string().contains("words "), "{json}");
    let bill = env.run(["context", "--bill"]).stdout;
    let lines: Vec<&str> = bill.lines().collect();
    assert!(lines[0].contains(" of 2000 tokens, "), "{bill}");
    assert!(lines[1].ends_with("  decisions · 1 memory"), "{bill}");
    assert!(lines[2].contains("#1 We decided on SQLite"), "{bill}");
    assert!(lines[3].ends_with("  fence and preface"), "{bill}");
}

#[test]
fn context_says_why_nothing_would_be_injected() {
    let env = world();
    exits(&env, 1, &["context"], "nothing would be injected: nothing known is relevant to it\n");
    remember(&env, RANKING);
    let off = ["--set", "inject.session_start=0", "context"];
    exits(&env, 1, &off, "nothing would be injected: this moment is turned off in `[inject]`\n");
    assert_eq!(env.run(["context", "--moment", "prompt"]).code, Some(2));
    assert_eq!(ask(&env, 1, &["context", "--moment", "tool", "--command", "ls", "--json"])["context"], "");
}

/// The agent can do nothing about it, so only the user gets the message.
#[test]
fn the_user_is_warned_when_capture_stopped() {
    let env = world();
    done(&env, &["rules", "add", "Ranking stays in FTS5"]);
    let start = |session: &str| answer(&event(&env, session, "SessionStart", json!({"source": "startup"})));
    let replies = ["s0", "s1", "s2", "s3"].map(start);
    for reply in &replies {
        let context = reply["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
        assert!(context.contains("FTS5") && !context.contains("hooks"), "{context}");
    }
    assert!(replies[..3].iter().all(|reply| reply.get("systemMessage").is_none()), "{replies:?}");
    let message = replies[3]["systemMessage"].as_str().unwrap();
    assert!(message.contains("nothing of the last 3 sessions"), "{message}");
    asks(&env, "s3", "A prompt of this one is captured");
    assert!(start("s4").get("systemMessage").is_none());

    set_schema(&env, 999);
    let newer = start("s5");
    assert!(newer["systemMessage"].as_str().unwrap().contains("schema 999"), "{newer}");
    assert!(newer.get("hookSpecificOutput").is_none(), "{newer}");
}
