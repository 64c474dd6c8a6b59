//! Payloads beyond all measure: a hook reads them to their end, in little memory, and keeps little of them.

use crate::support::{
    HOOK, Times, ask, bar, count, database, done, execute, harmless, patient_world, payload, run, send, size,
    world,
};
use backstory_testkit::TestEnv;
use serde_json::json;
use std::fs;
use std::io::Write;
use std::time::Instant;

/// What a host sends before the text, the text's end, and whether any of the text is to be kept.
struct Flood {
    head: &'static str,
    tail: &'static str,
    unit: &'static str,
    is_kept: bool,
}

const WORDS: &str = r#"lorem \"ipsum\" \n<b> dolor sit amet é "#;

const fn flood(head: &'static str, tail: &'static str) -> Flood {
    Flood { head, tail, unit: WORDS, is_kept: true }
}

const FLOODS: [Flood; 14] = [
    // Of a reason only the known words are kept, so nothing of it has to be cut.
    Flood { head: r#""SessionStart","source":""#, tail: "\"}", unit: WORDS, is_kept: false },
    flood(r#""UserPromptSubmit","prompt":""#, "\"}"),
    flood(
        r#""PostToolUse","tool_name":"Bash","tool_input":{"command":"make"},"tool_response":{"stdout":""#,
        "\"}}",
    ),
    flood(r#""PostToolUse","tool_name":"Write","tool_input":{"file_path":"/a","content":""#, "\"}}"),
    flood(
        r#""PostToolUseFailure","tool_name":"Bash","tool_input":{"command":"make"},"error":"Exit code 1\n"#,
        "\"}",
    ),
    flood(r#""Stop","last_assistant_message":""#, "\"}"),
    flood(r#""SubagentStop","agent_id":"a","agent_type":"x","last_assistant_message":""#, "\"}"),
    flood(r#""PreCompact","custom_instructions":""#, "\"}"),
    flood(r#""PostCompact","compact_summary":""#, "\"}"),
    flood(r#""SessionEnd","reason":""#, "\"}"),
    flood(r#""NobodyKnowsIt","text":""#, "\"}"),
    Flood { unit: "1,", ..flood(r#""PostToolUse","tool_name":"mcp__a__b","tool_response":["#, "1]}") },
    Flood { unit: "[", ..flood(r#""NobodyKnowsIt","deep":"#, "") },
    Flood {
        is_kept: false,
        ..flood(
            r#""PostToolUse","tool_name":"Read","tool_input":{"file_path":"/a"},"tool_response":{"file":""#,
            "\"}}",
        )
    },
];

/// Sends a hundred megabytes to a hook that may use 64 MiB, and asserts that all of them were read.
fn flood_hook(env: &TestEnv, flood: &Flood, times: &mut Times) {
    let begun = Instant::now();
    let mut child = run(env, HOOK).after("ulimit -d 65536").start_open();
    let mut pipe = child.stdin.take().unwrap();
    let chunk = flood.unit.repeat((1 << 20) / flood.unit.len());
    write!(pipe, r#"{{"session_id":"flooded","hook_event_name":{}"#, flood.head).unwrap();
    for _ in 0..100 {
        pipe.write_all(chunk.as_bytes()).expect("a host never sees a broken pipe");
    }
    pipe.write_all(flood.tail.as_bytes()).expect("a host never sees a broken pipe");
    drop(pipe);
    harmless(&env.finish(child));
    times.add(begun.elapsed());
}

/// R27. A hook that ran out of time or memory would have kept nothing.
#[test]
fn a_hundred_megabytes_leave_a_small_event_of_their_session() {
    let mut times = Times::default();
    for flood in &FLOODS {
        let env = patient_world();
        flood_hook(&env, flood, &mut times);
        let (bytes, truncated, session): (i64, bool, String) = database(&env)
            .query_row(
                "SELECT length(CAST(payload AS BLOB)), truncated, host_session
                 FROM events JOIN sessions ON sessions.id = events.session_id",
                [],
                |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
            )
            .unwrap_or_else(|error| panic!("{error}: {}", flood.head));
        assert!(bytes <= 16_384, "{bytes}: {}", flood.head);
        assert_eq!((truncated, session.as_str()), (flood.is_kept, "flooded"), "{}", flood.head);
    }
    bar(
        "R27",
        format_args!("{} kinds of 100 MiB, each read to its end within 64 MiB of memory", FLOODS.len()),
    );
    times.report("R27", "max");
}

/// R32.
#[test]
fn prompts_of_a_megabyte_take_little_disk_and_free_it_again() {
    let env = world();
    let on_disk = || fs::metadata(env.home().join("backstory.db")).unwrap().len();
    assert_eq!(count(&env, "events"), 0);
    let empty = on_disk();
    let prompts = size(100, 2000);
    for number in 0..prompts {
        let some = format!("prompt {number} and its words ");
        let words = some.repeat((1 << 20) / some.len());
        send(&env, payload("s", "UserPromptSubmit", json!({"prompt": words})));
    }
    assert_eq!(count(&env, "events"), prompts as u64);
    done(&env, &["maintain"]);
    let full = on_disk();
    assert!(full <= (prompts as u64 + 32) * 16_384, "{full} bytes for {prompts} events");

    // Events grow old on the store's own clock.
    execute(&env, "UPDATE retention_marks SET clock_ms = clock_ms - 31 * 86400000");
    let freed = ask(&env, 0, &["maintain", "--json"]);
    assert_eq!(freed["events_removed"], prompts);
    let (freed, used) = (full - on_disk(), full - empty);
    assert!(freed * 10 >= used * 9, "{freed} of {used} bytes were freed");
    let (each, percent) = (full / prompts as u64, freed * 100 / used);
    bar("R32", format_args!("{each} bytes an event of {prompts}, {percent} % freed"));
}
