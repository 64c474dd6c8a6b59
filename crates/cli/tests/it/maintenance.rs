//! `status`, `index`, `doctor`, `maintain`: how the store is doing, and what mends it.

use crate::support::{
    HOOK, NOW_MS, ask, count, damage, database, done, execute, fields, harmless, lock, prompt, remember,
    rendered, run, send, shape, titles, wait_for_processes, without_numbers, world,
};
use backstory_testkit::TestEnv;
use insta::assert_snapshot;
use serde_json::json;
use std::fs;

#[test]
fn status_shows_the_size_of_the_store_and_the_last_hook() {
    let env = world();
    remember(&env, "One thing");
    send(&env, prompt("s", "hello"));
    assert_snapshot!(without_numbers(&rendered(&env.run(["status"])), &[" MiB", " ms"]), @r"
    exit 0
    --- out
    ✓ All is well: the last event came just now

    memories   1 in force, in 1 project
    captured   1 session, 1 event
    store      [WORLD]/user/.local/share/backstory · [N] MiB, schema 11
    backup     none yet
    hook       claude-code UserPromptSubmit just now, [N] ms: kept, lacking folder
    ");
    let status = ask(&env, 0, &["status", "--json"]);
    assert_snapshot!(shape(&status), @r#"{bytes: number, confirmed: number, events: number, forgotten: number, home: text, hooks: [{at: text, bytes_in: number, bytes_out: number, event: text, host: text, ms: number, outcome: text}], injected: [], injections: number, last_event_at: text, lost_events: null, memories: number, newest_backup: null, problem: null, projects: number, proposed: number, quarantined: [], questions: [], schema: number, sessions: number, spooled: number, superseded: number, vectors_waiting: number, version: number, writable: bool, writer: null}"#);
    assert_eq!(fields(&status, ["memories", "events", "writable"]), json!([1, 1, true]));
    assert_eq!(status["hooks"][0]["event"], "UserPromptSubmit");
}

#[test]
fn status_does_not_say_all_is_well_when_hooks_went_quiet_or_fail() {
    let env = world();
    done(&env, &["install", "claude-code", "--yes"]);
    send(&env, prompt("s", "hello"));
    let weeks_later = (NOW_MS + 5 * 7 * 86_400_000).to_string();
    let quiet = run(&env, ["status"]).var("BACKSTORY_NOW_MS", &weeks_later).output().stdout;
    assert!(quiet.starts_with("! The last event came 5 weeks ago"), "{quiet}");
    for _ in 0..5 {
        harmless(&env.run_with(HOOK, "no JSON"));
    }
    let failing = env.run(["status"]).stdout;
    assert!(failing.starts_with("! The newest hooks of Claude Code failed"), "{failing}");
}

#[test]
fn status_counts_what_waits_for_a_word_apart() {
    let env = world();
    remember(&env, "One thing");
    let noted = env.run_as_agent(["remember", "--kind", "rule", "Always run `make deploy` before a commit"]);
    assert_eq!(noted.code, Some(0), "{noted:?}");
    let status = env.run(["status"]).stdout;
    assert!(status.contains("1 in force") && status.contains("1 memory for your word"), "{status}");
    assert_eq!(fields(&ask(&env, 0, &["status", "--json"]), ["confirmed", "proposed"]), json!([1, 1]));
}

#[test]
fn the_word_index_is_rebuilt() {
    let env = world();
    remember(&env, "Findable words");
    execute(&env, "INSERT INTO memory_words (memory_words) VALUES ('delete-all')");
    // The rows are searched meanwhile.
    assert_eq!(titles(&env, &["findable"]), ["Findable words"]);
    assert_snapshot!(rendered(&env.run(["index"])), @r"
        exit 0
        --- out
        indexed 1 memory
        ");
    assert_eq!(titles(&env, &["findable"]), ["Findable words"]);
    assert_eq!(
        ask(&env, 0, &["index", "--json"]),
        json!({"ok": true, "memories": 1, "embedded": 0, "vectors_waiting": 1})
    );
}

#[test]
fn doctor_reports_a_sound_store() {
    let env = world();
    remember(&env, "Sound");
    assert_snapshot!(rendered(&env.run(["doctor"])), @r"
        exit 0
        --- out
        the store is sound
        ");
    assert_snapshot!(rendered(&env.run(["doctor", "--full"])), @r"
        exit 0
        --- out
        the store is sound; the checksums of 1 memory agree
        ");
    let findings = ask(&env, 0, &["doctor", "--full", "--json"]);
    assert_snapshot!(shape(&findings), @"{config: [], damaged: [], file: [], hosts: [], looked_at: number, lost_events: null, notes: [], ok: bool, repaired: null, schema: [], vectors_waiting: number, version: number, word_index: null}");
    assert_eq!(fields(&findings, ["ok", "looked_at"]), json!([true, 1]));
}

#[test]
fn a_damaged_word_index_is_rebuilt_and_nothing_else_touched() {
    for depth in [&["doctor"][..], &["doctor", "--full"]] {
        let env = world();
        for number in 0..40 {
            remember(&env, &format!("Number{number} of forty different words{number}"));
        }
        let words = "UPDATE memory_words_data SET block = zeroblob(40) WHERE id > 10";
        assert!(database(&env).execute(words, []).unwrap() > 0);
        let outcome = env.run(depth);
        assert_eq!(outcome.code, Some(0), "{outcome:?}");
        assert!(
            outcome.stdout.contains("the word index was damaged and has been rebuilt from 40 memories"),
            "{outcome:?}"
        );
        assert!(!env.home().join("quarantine").exists(), "derived data is no reason to replace the database");
        assert!(titles(&env, &["number7"]).contains(&"Number7 of forty different words7".to_owned()));
    }
}

#[test]
fn doctor_names_a_damaged_memory() {
    let env = world();
    for text in ["The first of three", "A second thing", "Third time lucky"] {
        remember(&env, text);
    }
    execute(&env, "UPDATE memories SET body = 'A sicond thing' WHERE id = 2");
    // Without the mirror there is nothing to mend it from.
    fs::remove_file(env.home().join("mirror.db")).unwrap();
    assert_snapshot!(rendered(&env.run(["doctor", "--full"])), @r"
        exit 1
        --- out
        bad: memory #2 is not what was written
        --- err
        hint: `backstory show ID` still shows a damaged memory; `backstory revise ID` makes it sound again
        ");
    let findings = ask(&env, 1, &["doctor", "--full", "--json"]);
    assert_eq!(fields(&findings, ["ok", "damaged"]), json!([false, [2]]));
    assert!(env.run(["show", "2"]).stdout.contains("damaged on disk"));
    done(&env, &["revise", "2", "A second thing, written anew"]);
    done(&env, &["doctor", "--full"]);
}

#[test]
fn a_damaged_database_is_kept_and_replaced_by_the_newest_copy() {
    let env = world();
    remember(&env, "Kept in a copy");
    done(&env, &["maintain", "--set", "retention.backups=2"]);
    let holder = lock(&env);
    send(&env, prompt("s", "said just before"));
    drop(holder);
    let damaged = vec![b'x'; 9000];
    damage(&env, &damaged);
    let outcome = env.run(["doctor"]);
    assert_snapshot!(rendered(&outcome), @r"
        exit 0
        --- out
        the database was damaged; it is kept in [WORLD]/user/.local/share/backstory/quarantine/001777636800000
        restored from [WORLD]/user/.local/share/backstory/backups/backstory-001777636800000.db; 0 memories added from the mirror, 0 memories from the damaged file
        the store is sound
        ");
    assert_eq!(titles(&env, &[]), ["Kept in a copy"]);
    assert_eq!(count(&env, "events"), 1, "what waited in the spool was taken in");
    let kept = env.files().into_iter().filter(|path| path.starts_with(env.home().join("quarantine")));
    assert!(kept.map(|path| fs::read(path).unwrap()).any(|bytes| bytes == damaged), "the original is kept");
}

#[test]
fn maintenance_removes_old_events_and_makes_a_backup() {
    let env = world();
    send(&env, prompt("s", "old"));
    done(&env, &["maintain"]);
    // Events grow old on the store's own clock, whatever they say of themselves.
    execute(&env, "UPDATE retention_marks SET clock_ms = clock_ms - 31 * 86400000");
    let outcome = run(&env, ["maintain"]).var("BACKSTORY_RETENTION_BACKUPS", "1").output();
    assert!(outcome.stdout.starts_with("old events removed: 1; bytes freed: "), "{outcome:?}");
    assert!(outcome.stdout.contains("\ncopied the database to [WORLD]/user/.local/share/backstory/backups/"));
    assert_eq!(count(&env, "events"), 0);
    assert_snapshot!(shape(&ask(&env, 0, &["maintain", "--json"])), @"{backup: null, bytes_freed: number, embedded: number, events_removed: number, sessions_distilled: number, version: number}");
}

/// A store whose housekeeping was done a month ago, by its own clock.
fn neglected(backups: &'static str) -> TestEnv {
    let env = world().with("BACKSTORY_RETENTION_BACKUPS", backups);
    send(&env, prompt("old", "said long ago"));
    remember(&env, "Written long ago");
    done(&env, &["maintain"]);
    execute(&env, "UPDATE retention_marks SET clock_ms = clock_ms - 31 * 86400000");
    // Only a backup that is made from now on counts.
    drop(fs::remove_dir_all(env.home().join("backups")));
    env
}

fn backups(env: &TestEnv) -> usize {
    fs::read_dir(env.home().join("backups")).map_or(0, Iterator::count)
}

/// Old events go whether backups are wanted or not, and a host that never says that a session ended is no reason to keep them.
#[test]
fn retention_depends_neither_on_backups_nor_on_the_end_of_a_session() {
    let later = NOW_MS + 26 * 3_600_000;
    let stop = r#"{"session_id":"new","hook_event_name":"Stop"}"#;
    let end = r#"{"session_id":"new","hook_event_name":"SessionEnd"}"#;
    for (payload, kept) in [(stop, "0"), (end, "0"), (stop, "2"), (end, "2")] {
        let env = neglected(kept);
        harmless(&run(&env, HOOK).at(later).input(payload).output());
        wait_for_processes(&env);
        let old = "SELECT count(*) FROM events WHERE payload LIKE '%long ago%'";
        assert_eq!(database(&env).query_row(old, [], |row| row.get::<_, i64>(0)).unwrap(), 0, "{payload}");
        assert_eq!(backups(&env) > 0, kept != "0", "{payload}");
    }
    backstory_testkit::held("A07", 12, 1, "settings of backups do not stop retention");
}

/// Whoever writes makes a backup when the last is a day old: there may be no hooks at all.
#[test]
fn a_backup_is_made_by_any_writer_when_the_last_is_a_day_old() {
    let (soon, later) = (NOW_MS + 3_600_000, NOW_MS + 26 * 3_600_000);
    let line = "{\"title\":\"Imported just now\"}\n";
    let note = json!({"name": "remember", "arguments": {"title": "Noted by an agent just now"}});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": note}).to_string() + "\n";
    let ways: [(&[&str], &str); 4] = [
        (&["remember", "A day has gone by"], ""),
        (&["import", "-"], line),
        (&["revise", "1", "Revised just now"], ""),
        (&["mcp"], &call),
    ];
    for (arguments, input) in ways {
        let env = neglected("2");
        assert_eq!(run(&env, ["remember", "Not yet a day old"]).at(soon).output().code, Some(0));
        wait_for_processes(&env);
        assert_eq!(backups(&env), 0, "{arguments:?}");
        let call = run(&env, arguments).at(later);
        let call = if input.is_empty() { call } else { call.input(input) };
        assert_eq!(call.output().code, Some(0));
        wait_for_processes(&env);
        assert_eq!(backups(&env), 1, "{arguments:?}");
    }
    backstory_testkit::held("A07", 14, 1, "writers other than hooks make backups");
}
