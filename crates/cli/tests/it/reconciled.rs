//! What is written contradicts or replaces what is known, whichever way it came; and of two that contradict each other only one is
//! injected (law 12).

use crate::inject::{asks, runs, starts};
use crate::mcp::{call, talk};
use crate::support::{
    HOOK, ask, done, harmless, import, patient_world, payload, remember, run, shown, world,
};
use backstory_testkit::TestEnv;
use serde_json::{Value, json};

/// How a memory stands, and what replaced it.
fn standing(env: &TestEnv, id: &str) -> (String, Value) {
    let memory = shown(env, id);
    (memory["standing"].as_str().unwrap().to_owned(), memory["superseded_by"].clone())
}

/// The ids a memory is linked to as contradicting.
fn contradicts(env: &TestEnv, id: &str) -> String {
    let links = shown(env, id)["links"].clone();
    links
        .as_array()
        .map_or(0, |links| links.iter().filter(|link| link["relation"] == "contradicts").count())
        .to_string()
}

#[test]
fn what_the_user_writes_later_replaces_what_they_wrote_before() {
    for (first, then) in [
        ("Use npm", "Use pnpm"),
        ("Use npm", "Use pnpm instead of npm"),
        ("Idempotency keys are kept for 24 hours", "Idempotency keys are kept for 48 hours"),
        ("Always squash fixup commits", "Never squash fixup commits"),
    ] {
        let env = world();
        remember(&env, first);
        let said = env.run(["remember", then]);
        assert!(said.stderr.contains("note: it replaces #1 "), "{first} / {then}: {said:?}");
        assert_eq!(shown(&env, "1")["superseded_by"], 2, "{first} / {then}");
        assert_eq!(shown(&env, "2")["superseded_by"], Value::Null);
    }
}

#[test]
fn a_rule_that_is_added_replaces_the_one_it_contradicts() {
    let env = world();
    done(&env, &["rules", "add", "Use npm"]);
    done(&env, &["rules", "add", "Use pnpm"]);
    let rules = ask(&env, 0, &["rules", "--json"]);
    assert_eq!(rules["rules"].as_array().unwrap().len(), 1, "{rules}");
    assert_eq!(rules["rules"][0]["title"], "Use pnpm");
}

#[test]
fn other_words_for_a_memory_are_compared_anew() {
    let env = world();
    remember(&env, "Idempotency keys are kept for 24 hours");
    remember(&env, "Backups are kept in Frankfurt");
    done(&env, &["revise", "2", "Idempotency keys are kept for 48 hours"]);
    assert_eq!(standing(&env, "1").1, 2);
}

#[test]
fn what_holds_in_one_project_leaves_what_holds_everywhere() {
    let env = world();
    done(&env, &["rules", "add", "--everywhere", "Use npm"]);
    done(&env, &["rules", "add", "Use pnpm"]);
    assert_eq!(standing(&env, "1"), ("confirmed".to_owned(), Value::Null));
    let start = starts(&env, "s", "startup");
    assert!(start.contains("Use pnpm") && !start.contains("Use npm"), "{start}");
}

/// Laws 6 and 12.
#[test]
fn law_12_what_an_agent_writes_against_the_user_is_marked_and_not_injected() {
    let env = world();
    remember(&env, "Idempotency keys are kept for 24 hours");
    let arguments = json!({"title": "Idempotency keys are kept for 48 hours", "kind": "fact"});
    let reply = talk(&env, &[], &[call("remember", arguments)]);
    assert!(reply[0].to_string().contains("contradicts #1, the user's words"), "{reply:?}");
    assert_eq!(standing(&env, "1"), ("confirmed".to_owned(), Value::Null));
    assert_eq!(contradicts(&env, "2"), "1");
    // Even one that earned its place, as found again or by its use, is not injected beside the user's words.
    crate::support::execute(
        &env,
        "UPDATE memories SET standing = 'confirmed', standing_reason = 'use' WHERE id = 2",
    );
    let start = starts(&env, "s", "startup");
    assert!(!start.contains("48 hours"), "{start}");
    let at_prompt = asks(&env, "t", "for how many hours are idempotency keys kept?");
    assert!(at_prompt.contains("24 hours") && !at_prompt.contains("48 hours"), "{at_prompt}");
    // The user takes theirs back.
    done(&env, &["retire", "1"]);
    let at_prompt = asks(&env, "u", "for how many hours are idempotency keys kept?");
    assert!(at_prompt.contains("48 hours"), "{at_prompt}");
}

#[test]
fn an_import_is_compared_with_what_is_known_few_or_many() {
    for more in [0, 40] {
        let env = world();
        remember(&env, "Idempotency keys are kept for 24 hours");
        let filler = (0..more)
            .map(|number| json!({"title": format!("Harbour {number} has {number} cranes"), "kind": "fact"}));
        let said =
            json!({"title": "Idempotency keys are kept for 48 hours", "kind": "fact", "uid": "theirs"});
        import(&env, &filler.chain([said]).collect::<Vec<_>>());
        assert_eq!(standing(&env, "1"), ("confirmed".to_owned(), Value::Null), "{more}");
        assert_eq!(contradicts(&env, "1"), "1", "{more}");
    }
}

#[test]
fn an_older_memory_that_is_imported_later_replaces_nothing() {
    let env = world();
    remember(&env, "Use pnpm");
    let older = json!({"title": "Use npm", "kind": "rule", "provenance": "user", "created_at": "2020-02-03"});
    let file = crate::support::lines(&env, &[older]);
    done(&env, &["import", &file, "--trust", "user"]);
    assert_eq!(standing(&env, "1").1, Value::Null);
    assert_eq!(standing(&env, "2").1, 1);
}

/// What a user says in one session, and what amends it in a later one; a question about it, and the words of each that are its own.
const AMENDED: [(&str, &str, &str, &str, &str); 12] = [
    (
        "Exports must be written as CSV files",
        "Amended: exports must be written as Parquet files",
        "how are exports written?",
        "CSV",
        "Parquet",
    ),
    (
        "From now on guest sessions end after 60 minutes",
        "Amendment: guest sessions end after 15 minutes",
        "when do guest sessions end?",
        "60",
        "15",
    ),
    (
        "Invoices must always be numbered per customer",
        "Superseding the earlier decision, invoices must be numbered per year",
        "how are invoices numbered?",
        "customer",
        "year",
    ),
    (
        "Thumbnails must be rendered in the browser",
        "Thumbnails must be rendered on the server instead of in the browser",
        "where are thumbnails rendered?",
        "rendered in the browser",
        "on the server",
    ),
    (
        "Audit records must be kept for 90 days",
        "The retention rule is amended: audit records must be kept for 365 days",
        "how long are audit records kept?",
        "90",
        "365",
    ),
    (
        "The catalogue must be written as XML",
        "The catalogue is no longer written as XML but as JSON",
        "how is the catalogue written?",
        "must be written as XML",
        "JSON",
    ),
    (
        "Deploys must always go through the staging cluster",
        "Deploys no longer go through the staging cluster but through the canary cluster",
        "which cluster do deploys go through?",
        "always go through the staging",
        "canary",
    ),
    (
        "Passwords must be hashed with bcrypt",
        "This supersedes what we agreed on: passwords must be hashed with argon2",
        "how are passwords hashed?",
        "bcrypt",
        "argon2",
    ),
    (
        "Backups must run every night",
        "Amendment to the backup rule: backups must run every hour",
        "when do backups run?",
        "night",
        "hour",
    ),
    (
        "Feature branches must be named after the ticket",
        "Feature branches must be named after the team instead of the ticket",
        "how are feature branches named?",
        "named after the ticket",
        "team",
    ),
    (
        "Prices must always be rounded to whole euros",
        "We amended that, prices must always be rounded to cents",
        "how are prices rounded?",
        "euros",
        "cents",
    ),
    (
        "Error pages must never show a stack trace",
        "Amended: error pages may show a stack trace to staff",
        "may error pages show a stack trace?",
        "never",
        "staff",
    ),
];

/// Plays a session in which the user says something while the agent works.
fn says(env: &TestEnv, session: &str, at: i64, text: &str) {
    let events = [
        ("SessionStart", json!({"source": "startup"})),
        ("UserPromptSubmit", json!({"prompt": text, "prompt_id": session})),
        ("Stop", json!({"stop_hook_active": false, "last_assistant_message": "Understood."})),
        ("SessionEnd", json!({"reason": "other"})),
    ];
    for (number, (event, fields)) in events.into_iter().enumerate() {
        let text = payload(session, event, fields);
        harmless(&run(env, HOOK).at(at + number as i64 * 1_000).input(text).output());
    }
}

/// Law 12: what was amended is history.
#[test]
fn law_12_of_an_amended_pair_the_newer_comes_first_and_the_older_is_never_injected() {
    const FIRST_DAY: i64 = 1_780_000_000_000;
    const DAY: i64 = 86_400_000;
    let wrong: Vec<String> = AMENDED
        .iter()
        .filter_map(|(first, then, question, of_first, of_then)| {
            let env = patient_world();
            says(&env, "first", FIRST_DAY, first);
            says(&env, "then", FIRST_DAY + DAY, then);
            let found = ask(&env, 0, &["search", question, "--superseded", "--json"]);
            let first_hit = found["hits"][0]["title"].as_str().unwrap_or_default().to_owned();
            let injected = asks(&env, "later", question)
                + &starts(&env, "other", "startup")
                + &runs(&env, "third", "ls");
            let is_right =
                first_hit.contains(of_then) && injected.contains(of_then) && !injected.contains(of_first);
            (!is_right).then(|| format!("{first} / {then}:\n{found}\n{injected}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), AMENDED.len(), wrong.join("\n\n"));
}
