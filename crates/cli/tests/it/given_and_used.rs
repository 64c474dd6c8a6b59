//! What was given answers for itself: whether it was used, what it costs, and that it still works at all.

use crate::injecting::{RANKING, asks, said, starts};
use crate::support::{answer, ask, count, database, done, file, harmless, lines, remember, world};
use serde_json::{Value, json};

/// Law 5: shown again and again without use, a memory is not given any more, until somebody uses it.
#[test]
fn what_nobody_uses_is_given_a_dozen_times() {
    let env = world();
    let id = remember(&env, RANKING).to_string();
    for number in 0..12 {
        assert!(starts(&env, &format!("s{number}"), "startup").contains("FTS5"), "{number}");
    }
    assert_eq!(starts(&env, "s12", "startup"), "");
    assert_eq!(asks(&env, "s13", "How does the search ranking in SQLite work?"), "");
    done(&env, &["show", &id]);
    assert!(starts(&env, "s14", "startup").contains("FTS5"));
}

#[test]
fn law_9_what_was_used_is_known() {
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
    done(&env, &["import", &lines(&env, &[failure])]);
    assert!(starts(&env, "s", "startup").contains("cents"));
    let does = |fields: Value| harmless(&said(&env, "s", &fields));
    let used = || -> Vec<(String, u64)> {
        let status = ask(&env, 0, &["status", "--json"]);
        let of =
            |given: &Value| (given["kind"].as_str().unwrap().to_owned(), given["used"].as_u64().unwrap());
        status["injected"].as_array().unwrap().iter().map(of).collect()
    };
    let kinds = ["decision", "fact", "failure"];
    let counts = |numbers: [u64; 3]| kinds.map(str::to_owned).into_iter().zip(numbers).collect::<Vec<_>>();
    assert_eq!(used(), counts([0, 0, 0]));
    does(
        json!({"hook_event_name": "PostToolUse", "tool_name": "Edit", "tool_use_id": "1", "tool_response": {},
        "tool_input": {"file_path": env.project().join("billing.py"), "old_string": "x = 1", "new_string": "x = 2"}}),
    );
    assert_eq!(used(), counts([0, 1, 0]));
    let ran = |command: &str, id: &str| {
        json!({"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_use_id": id,
        "tool_input": {"command": command}, "tool_response": {"stdout": "ok"}})
    };
    does(ran("make tea", "2"));
    assert_eq!(used(), counts([0, 1, 0]));
    does(ran("make database", "3"));
    assert_eq!(used(), counts([0, 1, 1]));
    does(json!({"hook_event_name": "Stop", "last_assistant_message": "The ledger is done."}));
    assert_eq!(used(), counts([0, 1, 1]));
    let cites = "Search ranking stays with SQLite FTS5, as decided, because it needs no server.";
    does(json!({"hook_event_name": "Stop", "last_assistant_message": cites}));
    assert_eq!(used(), counts([1, 1, 1]));
    let status = env.run(["status"]).stdout;
    assert!(
        status.contains("injected  3, used 3 (100 %)\ninjected    knowledge: 3, used 3 (100 %)"),
        "{status}"
    );
}

#[test]
fn context_shows_what_would_be_given_and_records_nothing() {
    let env = world();
    remember(&env, RANKING);
    let question = "How does the search ranking in SQLite work?";
    let shown = |arguments: &[&str]| {
        let text = env.run([&["context"], arguments].concat()).stdout;
        let nonce = text.get(11..19).unwrap_or_default().to_owned();
        text.replace(&nonce, "[NONCE]").trim_end().to_owned()
    };
    let (at_start, at_prompt) = (shown(&[]), shown(&["--prompt", question]));
    assert_eq!(count(&env, "injections"), 0);
    assert_eq!(at_start, starts(&env, "s", "startup"));
    assert_eq!(at_prompt, asks(&env, "t", question));
    let json = ask(&env, 0, &["context", "--prompt", question, "--json"]);
    assert_eq!(
        (&json["moment"], &json["budget"], &json["memories"][0]["id"]),
        (&json!("prompt"), &json!(600), &json!(1))
    );
    assert!(json["memories"][0]["reasons"].to_string().contains("words "), "{json}");
    let bill = env.run(["context", "--bill"]).stdout;
    assert!(
        bill.contains("#1 We decided on SQLite") && bill.contains("knowledge: project knowledge"),
        "{bill}"
    );
    assert!(bill.contains(" tokens of 2000 in "), "{bill}");
}

#[test]
fn context_says_why_there_is_nothing() {
    let env = world();
    let told = |arguments: &[&str]| {
        let outcome = env.run(arguments);
        (outcome.code, outcome.stderr.trim().to_owned())
    };
    let nothing = |why: &str| (Some(1), format!("nothing would be injected: {why}"));
    assert_eq!(told(&["context"]), nothing("nothing known bears on it"));
    remember(&env, RANKING);
    let off = ["--set", "inject.session_start=0", "context"];
    assert_eq!(told(&off), nothing("this moment is turned off in `[inject]`"));
    assert_eq!(told(&["context", "--moment", "prompt"]).0, Some(2));
    assert_eq!(ask(&env, 1, &["context", "--moment", "tool", "--command", "ls", "--json"])["context"], "");
}

/// The agent can do nothing about it, so only the user is told.
#[test]
fn the_user_is_told_when_capture_stopped() {
    let env = world();
    remember(&env, RANKING);
    let start = json!({"hook_event_name": "SessionStart", "source": "startup"});
    let mut told = Vec::new();
    for number in 0..4 {
        let answer = answer(&said(&env, &format!("s{number}"), &start));
        told.push(answer["systemMessage"].as_str().map(str::to_owned));
        let context = answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
        assert!(context.contains("FTS5") && !context.contains("hooks"), "{context}");
    }
    assert_eq!(told.iter().filter(|told| told.is_some()).count(), 1, "{told:?}");
    assert!(told[3].as_ref().unwrap().contains("nothing of the last 3 sessions"), "{told:?}");
    asks(&env, "s3", "Something is heard of this one");
    assert!(answer(&said(&env, "s4", &start)).get("systemMessage").is_none());

    database(&env).pragma_update(None, "user_version", 999).unwrap();
    let newer = answer(&said(&env, "s5", &start));
    assert!(newer["systemMessage"].as_str().unwrap().contains("schema 999"), "{newer}");
    assert!(newer.get("hookSpecificOutput").is_none(), "{newer}");
}
