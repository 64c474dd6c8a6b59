//! Payloads nobody would send on purpose: broken JSON, broken letters, strings that break programs.

use crate::extra_corpora::extra_byte_sequences;
use crate::support::{
    HOOK, ask, bar, count, damage, database, done, execute, harmless, lock, log, prompt, query_all, remember,
    run, send, size, world,
};
use backstory_testkit::TestEnv;
use backstory_testkit::corpora::{
    JsonSample, byte_sequences, extra_bytes, extra_files, json_samples, naughty_strings,
};
use rusqlite::Connection;
use serde_json::{Value, json};
use std::fs;

/// Every event a host has a hook for, and where its text stands.
pub(crate) const EVENTS: [(&str, &str); 12] = [
    ("SessionStart", "source"),
    ("UserPromptSubmit", "prompt"),
    ("PreToolUse", "tool_input"),
    ("PostToolUse", "tool_response"),
    ("PostToolUseFailure", "error"),
    ("Stop", "last_assistant_message"),
    ("StopFailure", "error"),
    ("SubagentStart", "agent_type"),
    ("SubagentStop", "last_assistant_message"),
    ("PreCompact", "custom_instructions"),
    ("PostCompact", "compact_summary"),
    ("SessionEnd", "reason"),
];

/// Puts bytes, as they are, where an event has its text.
fn event_with((event, field): (&str, &str), number: usize, value: &[u8]) -> Vec<u8> {
    let head = format!(
        r#"{{"session_id":"s","hook_event_name":"{event}","agent_type":"x","agent_id":"a{number}","tool_name":"Bash","tool_use_id":"t{number}","prompt_id":"p{number}","{field}":"#
    );
    [head.as_bytes(), value, b"}"].concat()
}

/// Counts what hooks left: an event, or a receipt that says why not.
fn traces(db: &Connection) -> u64 {
    let sql = "SELECT (SELECT count(*) FROM events)
        + (SELECT count(*) FROM receipts WHERE outcome LIKE 'skipped%')";
    db.query_row(sql, [], |row| row.get(0)).unwrap()
}

/// Our own samples, and the files of the extra corpus.
fn json_suite() -> Vec<JsonSample> {
    let extra = extra_files("json-test-suite.tar.gz").unwrap_or_default();
    let extra = extra.into_iter().filter(|file| file.name.contains("/test_parsing/")).map(|file| {
        JsonSample { is_disputed: file.name.contains("/test_parsing/i_"), name: file.name, bytes: file.bytes }
    });
    json_samples().into_iter().chain(extra).collect()
}

/// R28: each file as a whole payload, and as a field of an event.
#[test]
fn json_of_every_sort_leaves_a_trace() {
    let samples = json_suite();
    assert!(samples.len() > 120, "{}", samples.len());
    let env = world();
    remember(&env, "The store is there");
    let db = database(&env);
    let per_sample = size(1, EVENTS.len());
    for (number, sample) in samples.iter().enumerate() {
        send(&env, &sample.bytes);
        for turn in 0..per_sample {
            let kind = EVENTS[(number + turn) % EVENTS.len()];
            let before = traces(&db);
            send(&env, event_with(kind, number, &sample.bytes));
            assert_eq!(traces(&db), before + 1, "{} as {kind:?}", sample.name);
        }
    }
    assert!(!log(&env).contains("panicked"));
    done(&env, &["doctor", "--full"]);
    let runs = samples.len() * (per_sample + 1);
    bar("R28", format_args!("{} files, {runs} runs: exit 0, 0 panics, each left a trace", samples.len()));
}

/// R28: what one parser takes and another does not is never lost.
#[test]
fn json_that_parsers_disagree_about_leaves_a_trace() {
    let disputed: Vec<JsonSample> = json_suite().into_iter().filter(|sample| sample.is_disputed).collect();
    bar("R28", format_args!("{0} of {0} disputed files left a row", disputed.len()));
    for sample in disputed {
        let env = world();
        send(&env, &sample.bytes);
        assert_eq!(count(&env, "events"), 1, "{}", sample.name);
    }
}

/// Returns what is kept of the output of each command, in order.
fn outputs(env: &TestEnv) -> Vec<String> {
    query_all(env, "SELECT payload ->> 'output' FROM events ORDER BY id")
}

fn ran(number: usize, output: &[u8]) -> Vec<u8> {
    let head = format!(
        r#"{{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"Bash","tool_use_id":"t{number}","tool_input":{{"command":"make"}},"tool_response":{{"stdout":"#
    );
    [head.as_bytes(), output, b"}}"].concat()
}

/// Runs a command and reads what it prints with a strict parser, from its bytes.
fn strictly(env: &TestEnv, arguments: &[&str]) -> Value {
    let output = env.command(arguments).output().unwrap();
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{arguments:?}: {error} in {output:?}"))
}

/// R29.
#[test]
fn naughty_strings_come_back_as_they_were() {
    let extra =
        extra_bytes("blns.json.gz").map(|bytes| serde_json::from_slice::<Vec<String>>(&bytes).unwrap());
    let strings: Vec<String> = naughty_strings().into_iter().chain(extra.unwrap_or_default()).collect();
    let env = world();
    for (number, string) in strings.iter().enumerate() {
        send(&env, ran(number, json!(string).to_string().as_bytes()));
    }
    let kept = outputs(&env);
    assert_eq!(kept.len(), strings.len());
    let changed: Vec<_> = strings.iter().zip(&kept).filter(|(sent, kept)| sent != kept).collect();
    assert!(changed.len() <= 2, "{changed:?}");
    bar(
        "R29",
        format_args!("{} of {} naughty strings came back equal", kept.len() - changed.len(), kept.len()),
    );

    strictly(&env, &["sessions", "--json"]);
    remember(&env, "Something to be found");
    let askable = strings.iter().filter(|string| !string.contains('\0'));
    for string in askable.step_by(size(10, 1)) {
        let found = strictly(&env, &["search", "--json", "--", string]);
        assert!(found["hits"].is_array(), "{string:?}");
    }
}

/// R29.
#[test]
fn invalid_utf_8_is_kept_as_replacement_characters() {
    let sequences: Vec<Vec<u8>> = byte_sequences().into_iter().chain(extra_byte_sequences()).collect();
    let env = world();
    for (number, sequence) in sequences.iter().enumerate() {
        // Marks of JSON itself are not what is tried here.
        let plain: Vec<u8> = sequence.iter().copied().filter(|byte| !b"\"\\".contains(byte)).collect();
        send(&env, ran(number, &[&b"\""[..], &plain, b"\""].concat()));
    }
    let kept = outputs(&env);
    for (sequence, kept) in sequences.iter().zip(&kept) {
        let plain: Vec<u8> = sequence.iter().copied().filter(|byte| !b"\"\\".contains(byte)).collect();
        assert_eq!(*kept, String::from_utf8_lossy(&plain), "{sequence:x?}");
    }
    assert_eq!(kept.len(), sequences.len());
    strictly(&env, &["sessions", "--json"]);
    bar("R29", format_args!("{} byte sequences kept as UTF-8", kept.len()));
}

/// R29.
#[test]
fn half_a_surrogate_pair_hides_none_of_the_text() {
    let env = world();
    let halves = [r"\ud800", r"\udfff", r"\ud83d\ud83d", r"\udc00\ud800", r"a\ud83d b", r"\uD800\u0041"];
    for (number, half) in halves.iter().enumerate() {
        send(&env, ran(number, format!("\"before {half} after\"").as_bytes()));
    }
    for output in outputs(&env) {
        assert!(output.starts_with("before ") && output.ends_with(" after"), "{output:?}");
        assert!(output.contains('\u{fffd}'), "{output:?}");
    }
    let session = r#"{"session_id":"\ud800","hook_event_name":"Stop","last_assistant_message":"x"}"#;
    send(&env, session);
    assert_eq!(ask(&env, 0, &["sessions", "--json"])["sessions"].as_array().map(Vec::len), Some(2));
}

/// Runs a hook in a shell that limits it first.
fn hook_under(env: &TestEnv, limits: &str, payload: &[u8]) {
    let hook = run(env, HOOK).var("RUST_LOG", "trace").var("RUST_BACKTRACE", "full");
    harmless(&hook.after(limits).input(payload).output());
}

/// R31: whatever the event and whatever is wrong, a host reads nothing it did not ask for.
#[test]
fn no_event_makes_a_hook_print_anything_unexpected() {
    let stores: [fn(&TestEnv); 5] = [
        |_| {},
        |env| damage(env, "garbage".repeat(999)),
        |env| fs::write(env.home().join("spool"), "in the way").unwrap(),
        |env| fs::write(env.home().join("config.toml"), "capture = 3").unwrap(),
        |env| execute(env, "DROP TABLE memories"),
    ];
    let mut runs = 0;
    for spoil in stores {
        let env = world();
        remember(&env, "The store is there");
        spoil(&env);
        for (number, kind) in EVENTS.into_iter().enumerate() {
            let whole = event_with(kind, number, b"\"some words\"");
            let torn = &whole[..whole.len() / 2];
            hook_under(&env, "true", &whole);
            hook_under(&env, "true", torn);
            // A disk that takes no more.
            hook_under(&env, "trap '' XFSZ; ulimit -f 0", &whole);
            runs += 3;
        }
    }
    let env = world();
    remember(&env, "The store is there");
    let _holder = lock(&env);
    for (number, kind) in EVENTS.into_iter().enumerate() {
        hook_under(&env, "true", &event_with(kind, number, b"\"some words\""));
        runs += 1;
    }
    send(&env, prompt("s", "still kept"));
    while runs < 200 {
        send(&env, event_with(EVENTS[runs % EVENTS.len()], runs, b"\"some words\""));
        runs += 1;
    }
    bar("R31", format_args!("0 of {runs} runs said more than an answer or a line, 0 exits but 0"));
}
