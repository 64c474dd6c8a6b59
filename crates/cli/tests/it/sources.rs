//! Acceptance points of the documents Backstory answers to, as a user sees them; other tests name their points beside what they test.

use crate::inject::{QUESTION, RANKING, asks, starts};
use crate::support::{HOOK, ask, import, injected, payload, query, remember, run, world};
use backstory_memory::estimate;
use backstory_testkit::TestEnv;
use serde_json::json;

const DECIDED: [&str; 20] = [
    "Use SQLite FTS5 for search ranking",
    "Keep the search index in the same file as the data",
    "Architecture: one binary and no daemon",
    "Split the architecture into thin doors over use cases",
    "Store times as UTC milliseconds",
    "Sign releases with minisign",
    "Ship static musl binaries",
    "Name branches after the issue",
    "Read configuration from TOML alone",
    "Draw the terminal screen with one crate",
    "Search by meaning with a model inside the binary",
    "Return errors with stable codes",
    "Cap every hook at two seconds",
    "Write the log without contents",
    "Run migrations in one transaction",
    "Parse shell lines ourselves",
    "Compress vectors to four hundred bytes",
    "Test through the real binary",
    "Leave PostgreSQL to teams",
    "Escape recorded text before it is shown",
];

fn decided() -> TestEnv {
    let env = world();
    let decision = |title: &&str| json!({"kind": "decision", "title": title, "body": format!("{title}, as agreed after a trial of two weeks.")});
    import(&env, &DECIDED.iter().map(decision).collect::<Vec<_>>());
    env
}

fn index_lines(text: &str) -> usize {
    text.lines().filter(|line| line.starts_with('#')).count()
}

/// S0.7, S0.24, S4.25: what was given is recorded, line by line.
#[test]
fn s0_24_every_line_of_an_index_is_recorded() {
    let env = decided();
    let text = asks(&env, "s", "How does search ranking work, and where is the search index?");
    let lines = index_lines(&text);
    assert!(lines > 1 && text.contains("FTS5 for search ranking"), "{text}");
    assert_eq!(query::<i64>(&env, "SELECT count(*) FROM injected"), i64::try_from(lines).unwrap());
}

/// S0.3, S0.18, S0.19: one line a result when compact, and what the text says when not.
#[test]
fn s0_18_a_compact_search_has_one_line_a_result() {
    let env = decided();
    let compact = env.run(["search", "search ranking", "--compact"]).stdout;
    assert!(compact.lines().count() > 0 && compact.lines().all(|line| line.starts_with("  [")), "{compact}");
    assert!(!compact.contains("two weeks"));
    assert!(env.run(["search", "search ranking"]).stdout.contains("two weeks"));
}

/// S1.5, S1.24, S1.25, S4.33, S4.39: nothing to say is nothing on standard output, and never an error.
#[test]
fn s1_24_what_cannot_be_read_is_answered_with_nothing() {
    let env = world();
    for input in ["", "not json", "[]", "{\"hook_event_name\":\"UserPromptSubmit\"}"] {
        let outcome = run(&env, HOOK).input(input).output();
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(0), ""), "{input}");
    }
    assert_eq!(starts(&env, "s", "startup"), "", "nothing is known");
    remember(&env, RANKING);
    assert_eq!(asks(&env, "s", "What is the weather on the moon of Saturn?"), "");
}

/// S4.2, S4.37, S4.42: a small budget is held, and what was left out for it is on record.
#[test]
fn s4_42_a_budget_of_100_is_held_and_something_is_skipped() {
    let env = decided();
    let start = payload("s", "SessionStart", json!({"source": "startup"}));
    let text = injected(&run(&env, HOOK).input(start).var("BACKSTORY_INJECT_SESSION_START", "160").output());
    assert!(!text.is_empty() && estimate(&text).0 <= 160, "{text}");
    let placed: i64 = query(&env, "SELECT count(*) FROM injected");
    assert!(0 < placed && placed < 5, "of five decisions that a full budget holds: {text}");
    let start = payload("t", "SessionStart", json!({"source": "startup"}));
    let text = injected(&run(&env, HOOK).input(start).var("BACKSTORY_INJECT_SESSION_START", "100").output());
    assert!(estimate(&text).0 <= 100, "{text}");
    let empty = world();
    let nothing = ask(&empty, 1, &["context", "--json"]);
    assert_eq!((&nothing["context"], &nothing["tokens"]), (&json!(""), &json!(0)));
}

/// S0.1, S0.2, S0.20, S0.21, S1.20: a compact index with a frame, a dozen lines and more in 2,000 characters.
#[test]
fn s0_21_a_question_for_a_kind_gets_a_dozen_lines_in_2000_characters() {
    let env = decided();
    for (session, question) in [("s", "review all decisions"), ("t", "search architecture")] {
        let text = asks(&env, session, question);
        assert!(index_lines(&text) >= 12 && text.chars().count() <= 2_000, "{question}: {text}");
        assert!(text.starts_with("<backstory-") && text.trim_end().ends_with('>'), "{text}");
        assert!(estimate(&text).0 <= 600);
    }
    let about = asks(&env, "u", "search architecture");
    for title in ["FTS5 for search ranking", "search index", "one binary", "thin doors"] {
        assert!(about.contains(title), "{title}: {about}");
    }
}

/// S2.10, S3.16, S1.30: each moment can be turned off, and the budget is the user's.
#[test]
fn s2_10_a_setting_turns_a_moment_off() {
    let env = decided();
    let question = payload("s", "UserPromptSubmit", json!({"prompt": QUESTION}));
    let hook = |variable, value| injected(&run(&env, HOOK).input(&question).var(variable, value).output());
    assert_eq!(hook("BACKSTORY_INJECT_PROMPT", "0"), "");
    assert_eq!(hook("BACKSTORY_INJECT_ENABLED", "false"), "");
    assert!(hook("BACKSTORY_INJECT_PROMPT", "600").contains("FTS5"));
}

/// S3.14, S3.22: the newest in full and the rest as one-liners, for who sets it.
#[test]
fn s3_22_the_newest_work_stands_in_full_where_that_is_set() {
    let env = world();
    let work = |number: usize, hour: usize| {
        json!({"kind": "feature", "title": format!("Ferry {number} has a deck plan"), "created_at": format!("2026-04-30T{hour:02}:00:00Z"),
            "body": format!("Ferry {number} has a deck plan. Its cabins are drawn from the shipyard's list {number}.")})
    };
    import(&env, &[work(1, 1), work(2, 2), work(3, 3)]);
    let start = |full: &str| env.run(["--set", &format!("inject.work_in_full={full}"), "context"]).stdout;
    assert!(!start("0").contains("shipyard's list"), "{}", start("0"));
    let graded = start("1");
    assert!(graded.contains("shipyard's list 3") && !graded.contains("shipyard's list 2"), "{graded}");
    assert!(
        graded.contains("Ferry 2 has a deck plan") && graded.contains("Ferry 1 has a deck plan"),
        "{graded}"
    );
}
