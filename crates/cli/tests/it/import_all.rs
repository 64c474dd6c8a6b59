//! `import --all`: what hosts have recorded is imported once, whole, whatever happens meanwhile.

use crate::support::{
    HOOK, ask, bar, database, done, event, execute, fields, file, harmless, payload, query, run, shown, size,
    world,
};
use backstory_testkit::{TestEnv, Transcripts};
use rusqlite::types::ValueRef;
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

const ALL: [&str; 4] = ["import", "--all", "--no-vectors", "--json"];

/// Lays transcripts where Claude Code keeps them: of some sessions, in two projects that are there.
fn recorded(env: &TestEnv, sessions: usize, turns: usize) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for (seed, name) in [(1, "ferry"), (2, "kiosk")] {
        let project = env.world().join(name);
        fs::create_dir_all(&project).unwrap();
        let folder = env.world().join("user/.claude/projects").join(format!("-{name}"));
        fs::create_dir_all(&folder).unwrap();
        let mut made_up = Transcripts::new(seed, project.to_string_lossy());
        for _ in 0..sessions {
            let made = made_up.session(turns, 600);
            // The same supply names the same sessions: those of two projects must not be one.
            let text = made.text.replace("00000000-0000", &format!("0000000{seed}-0000"));
            let text = text.replace("\"uuid\":\"", &format!("\"uuid\":\"{seed}"));
            let path = folder.join(format!(
                "{}.jsonl",
                made.session.replace("00000000-0000", &format!("0000000{seed}-0000"))
            ));
            fs::write(&path, text).unwrap();
            files.push(path);
        }
    }
    files
}

/// Returns what a store holds, row by row, without what is random or read from the clock.
fn contents(env: &TestEnv) -> Vec<String> {
    let db = database(env);
    let queries = [
        "SELECT id, project_id, session_id, kind, title, body, facts, files, confidence, provenance, created_at_ms, updated_at_ms, times_seen, superseded_by FROM memories ORDER BY id",
        "SELECT id, session_id, kind, tool, at_ms, provenance, payload FROM events ORDER BY id",
        "SELECT id, project_id, host, host_session, started_at_ms, last_event_at_ms, ended_at_ms, distilled_event_id FROM sessions ORDER BY id",
        "SELECT from_id, relation, to_id FROM links ORDER BY 1, 2, 3",
        "SELECT memory_id, event_id FROM evidence ORDER BY 1, 2",
        "SELECT source, location, imported, is_done FROM imports ORDER BY 1, 2",
    ];
    let mut rows = Vec::new();
    for sql in queries {
        let mut statement = db.prepare(sql).unwrap();
        let columns = statement.column_count();
        let mut found = statement.query([]).unwrap();
        while let Some(row) = found.next().unwrap() {
            let value = |at| match row.get_ref(at).unwrap() {
                ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned(),
                other => format!("{other:?}"),
            };
            rows.push((0..columns).map(value).collect::<Vec<_>>().join(" | "));
        }
    }
    rows
}

#[test]
fn the_transcripts_of_a_host_are_imported_once() {
    let env = world();
    recorded(&env, 3, 4);
    let shown = ask(&env, 0, &["import", "--all", "--dry-run", "--json"]);
    assert_eq!(fields(&shown["found"][0], ["count", "projects"]), json!([6, ["ferry", "kiosk"]]));
    assert!(!env.home().join("backstory.db").exists(), "a dry run writes nothing");
    let report = ask(&env, 0, &ALL);
    assert_eq!(fields(&report, ["sessions", "refused"]), json!([6, []]));
    assert!(report["memories"].as_u64().unwrap() >= 24, "{report}");
    let before = contents(&env);
    let again = ask(&env, 0, &ALL);
    assert_eq!(fields(&again, ["unchanged", "memories", "events"]), json!([6, 0, 0]));
    assert_eq!(contents(&env), before);
}

#[test]
fn imported_memories_keep_their_time_and_say_where_they_come_from() {
    let env = world();
    recorded(&env, 1, 3);
    ask(&env, 0, &ALL);
    let hits = ask(&env, 0, &["search", "--all-projects", "--limit", "100", "--json"]);
    let hits = hits["hits"].as_array().unwrap();
    assert!(!hits.is_empty());
    for hit in hits {
        assert_eq!(hit["provenance"], "import", "{hit}");
        assert!(hit["created_at"].as_str().unwrap().starts_with("2026-02-0"), "{hit}");
    }
}

#[test]
fn a_transcript_that_grew_brings_only_what_is_new() {
    let env = world();
    let files = recorded(&env, 1, 6);
    let whole = fs::read_to_string(&files[0]).unwrap();
    let half: String = whole.split_inclusive('\n').take(16).collect();
    fs::write(&files[0], half).unwrap();
    let first = ask(&env, 0, &ALL);
    fs::write(&files[0], &whole).unwrap();
    let then = ask(&env, 0, &ALL);
    let events = |report: &Value| report["events"].as_u64().unwrap();
    assert!(events(&first) > 0 && events(&then) > 0, "{first} {then}");
    assert_eq!(fields(&then, ["sessions", "unchanged"]), json!([1, 1]));
    assert_eq!(ask(&env, 0, &ALL)["events"], 0);
}

/// The hooks know more about a session than its transcript.
#[test]
fn a_session_that_hooks_captured_is_not_imported() {
    let env = world();
    let files = recorded(&env, 1, 2);
    let session = files[0].file_stem().unwrap().to_string_lossy().into_owned();
    let prompt = json!({"cwd": env.world().join("ferry"), "prompt": "Go on."});
    let captured = payload(&session, "UserPromptSubmit", prompt);
    harmless(&run(&env, HOOK).at(1_769_936_400_000).input(captured).output());
    let report = ask(&env, 0, &ALL);
    assert_eq!(report["sessions"], 1, "only the other one: {report}");
    assert!(report["skipped"]["lived through"].as_u64().unwrap() > 5, "{report}");
}

#[test]
fn a_forgotten_memory_of_a_transcript_stays_forgotten() {
    let env = world();
    let files = recorded(&env, 1, 3);
    ask(&env, 0, &ALL);
    let hits = ask(&env, 0, &["search", "--all-projects", "--limit", "100", "--json"]);
    for hit in hits["hits"].as_array().unwrap() {
        env.run(["forget", "--yes", &hit["id"].to_string()]).code.unwrap();
    }
    // A changed fingerprint makes the transcripts be read again from their beginning.
    for file in files {
        let text = fs::read_to_string(&file).unwrap() + "\n";
        fs::write(file, text).unwrap();
    }
    let report = ask(&env, 0, &ALL);
    let left = ask(&env, 1, &["search", "--all-projects", "--limit", "100", "--json"]);
    assert_eq!((&report["memories"], left["hits"].as_array().unwrap().len()), (&json!(0), 0), "{left}");
}

#[test]
fn an_import_can_be_limited_to_a_project_and_a_time() {
    let env = world();
    let files = recorded(&env, 2, 2);
    let ferry = env.world().join("ferry").to_string_lossy().into_owned();
    let report = ask(&env, 0, &["import", "--all", "--project", &ferry, "--no-vectors", "--json"]);
    assert_eq!((&report["sessions"], &report["projects"][0]["project"]), (&json!(2), &json!("ferry")));
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_771_000_000);
    files
        .iter()
        .for_each(|path| fs::File::options().write(true).open(path).unwrap().set_modified(long_ago).unwrap());
    let none = ask(&env, 0, &["import", "--all", "--since", "2026-04-01", "--no-vectors", "--json"]);
    assert_eq!(none["sessions"], 0);
    let rest = ask(&env, 0, &ALL);
    assert_eq!((&rest["sessions"], &rest["projects"][0]["project"]), (&json!(2), &json!("kiosk")));
}

/// A killed import leaves whole batches only: the next one continues, and the result is the same.
#[test]
fn a_killed_import_continues_as_if_undisturbed() {
    let undisturbed = world();
    recorded(&undisturbed, 4, 34);
    ask(&undisturbed, 0, &ALL);
    let steady = |env: &TestEnv| -> Vec<String> {
        let world = env.world().to_string_lossy().into_owned();
        contents(env).iter().map(|row| without_marks(&row.replace(&world, "WORLD"))).collect()
    };
    let expected = steady(&undisturbed);
    let env = world();
    recorded(&env, 4, 34);
    let kills = size(6, 20);
    let mut landed = 0;
    for kill in 0..kills {
        let mut child = env.command(ALL).spawn().unwrap();
        // Not by the clock: the machine may be slow. It is killed once it has noted some more.
        let noted = || {
            let sum = "SELECT total(imported) FROM imports";
            let db = rusqlite::Connection::open(env.home().join("backstory.db"));
            db.and_then(|db| db.query_row(sum, [], |row| row.get::<_, f64>(0))).unwrap_or(0.0)
        };
        let begun = noted();
        while child.try_wait().unwrap().is_none() && noted() < begun + 60.0 + (kill * 7) as f64 {
            std::thread::yield_now();
        }
        landed += u32::from(child.try_wait().unwrap().is_none());
        drop(child.kill());
        child.wait().unwrap();
    }
    assert!(landed >= 3, "it was over before it could be killed: {landed}");
    ask(&env, 0, &ALL);
    let found = steady(&env);
    assert_eq!(found.iter().zip(&expected).find(|(one, other)| one != other), None);
    assert_eq!(found.len(), expected.len());
    bar("X01", format_args!("{} rows as if undisturbed after {landed} kills", found.len()));
}

/// What stands for a secret is another mark in every home.
fn without_marks(row: &str) -> String {
    let mut parts = row.split("[REDACTED:");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |row, part| row + part.split_once(']').map_or("", |(_, rest)| rest))
}

#[test]
fn damaged_records_are_counted_and_never_fatal() {
    let env = world();
    let files = recorded(&env, 1, 3);
    let good = fs::read(&files[0]).unwrap();
    let mut damaged = b"not json\n{\"type\":\"user\"\n\xff\xfe\n[]\nnull\n{\"type\":\"user\",\"message\":7,\"timestamp\":\"soon\"}\n".to_vec();
    damaged.extend(&good);
    damaged.extend(&good[..good.len() / 3]);
    damaged.extend(vec![b'x'; 40 << 20]);
    fs::write(&files[0], damaged).unwrap();
    let folder = files[0].parent().unwrap().to_owned();
    fs::write(folder.join("empty.jsonl"), "").unwrap();
    fs::create_dir(folder.join("folder.jsonl")).unwrap();
    fs::write(folder.join("a\nb \u{1b}[31m;rm -rf.jsonl"), "{}\n").unwrap();
    std::os::unix::fs::symlink(&folder, folder.join("loop")).unwrap();
    std::os::unix::fs::symlink("/nowhere", folder.join("gone.jsonl")).unwrap();
    let report = ask(&env, 0, &ALL);
    assert_eq!(report["sessions"], 2, "{report}");
    assert!(
        report["skipped"].as_object().unwrap().values().filter_map(Value::as_u64).sum::<u64>() >= 3,
        "{report}"
    );
    assert_eq!(ask(&env, 0, &ALL)["events"], 0);
}

#[test]
fn a_report_says_what_is_new_and_what_the_next_session_sees() {
    let env = world();
    recorded(&env, 2, 3);
    // Of the imported sessions nothing is left to do: the next one begins with what holds everywhere.
    done(&env, &["rules", "add", "--everywhere", "Answer in British English"]);
    let outcome = env.run(["import", "--all", "--no-vectors"]);
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    for words in [
        "4 sessions with something new",
        "imported ",
        "in 2 projects",
        "ferry: ",
        "most about ",
        "begins with (",
    ] {
        assert!(outcome.stdout.contains(words), "{words}: {}", outcome.stdout);
    }
    assert!(env.run(["import", "--all", "--no-vectors"]).stdout.contains("nothing new"));
}

#[test]
fn what_cannot_be_imported_is_said_with_the_next_step() {
    let env = world();
    for (arguments, words) in [
        (vec!["import"], "use `--all` for everything"),
        (vec!["import", "--from", "memory-palace"], "not a source that can be imported"),
        (vec!["import", "--from", "git", "/no/such/folder"], "there is no `/no/such/folder`"),
        (vec!["import", "--all", "--since", "soon"], "is not a time"),
    ] {
        let outcome = env.run(&arguments);
        assert!(outcome.code != Some(0) && outcome.stderr.contains(words), "{arguments:?}: {outcome:?}");
    }
    for arguments in [&["import", "--all", "--dry-run"][..], &["import", "--all", "--dry-run", "--json"]] {
        assert_eq!(env.run(arguments).code, Some(1), "{arguments:?}");
    }
    let nothing = env.run(["import", "--all"]);
    assert_eq!((nothing.code, nothing.stdout.contains("nothing was found")), (Some(0), true), "{nothing:?}");
    done(&env, &["import", &file(&env, "one.jsonl", "{\"title\":\"One\"}\n")]);
}

/// Its host shows the agent its rules file anyway; what the file no longer says no longer holds.
#[test]
fn memories_of_a_rules_file_are_found_not_injected_and_follow_the_file() {
    let env = world();
    let rules = env.project().join("AGENTS.md");
    let rules_file = |port: u32| {
        format!("# Rules\n\n## Ports\n\nThe staging database listens on port {port}, never on the default.\n")
    };
    fs::write(&rules, rules_file(5433)).unwrap();
    let first = ask(&env, 0, &["import", "--from", "markdown", "--json"]);
    assert_eq!(first["memories"], 1, "{first}");
    fs::write(&rules, rules_file(5544)).unwrap();
    ask(&env, 0, &["import", "--from", "markdown", "--json"]);
    let hits = ask(&env, 0, &["search", "staging database port", "--json"]);
    assert_eq!(hits["hits"].as_array().unwrap().len(), 1, "{hits}");
    assert!(shown(&env, &hits["hits"][0]["id"].to_string()).to_string().contains("5544"));
    let context = env.run(["context", "--prompt", "Which port does the staging database listen on?"]);
    assert!(!context.stdout.contains("5544"), "{context:?}");
}

/// Lays one transcript of a session's rows: each a prompt and what was answered, at a day.
fn one_session(env: &TestEnv, session: &str, cwd: &str, turns: &[(&str, &str, &str)]) -> PathBuf {
    let folder = env.world().join("user/.claude/projects/-one");
    fs::create_dir_all(&folder).unwrap();
    let mut rows = String::new();
    for (number, (at, prompt, reply)) in turns.iter().enumerate() {
        for (role, content) in
            [("user", json!(prompt)), ("assistant", json!([{"type": "text", "text": reply}]))]
        {
            let row = json!({"type": role, "uuid": format!("{session}-{number}-{role}"), "sessionId": session, "cwd": cwd,
                "timestamp": at, "message": {"role": role, "content": content}});
            rows += &format!("{row}\n");
        }
    }
    let path = folder.join(format!("{session}.jsonl"));
    fs::write(&path, rows).unwrap();
    path
}

const RULE: &str = "We use Postgres advisory locks for the queue, not Redis.";

/// Law 8: a path that means nothing here must not mean the folder we happen to stand in.
#[test]
fn a_session_without_a_known_folder_is_skipped() {
    let env = world();
    one_session(&env, "one", ".", &[("2026-03-01T10:00:00Z", RULE, "Done.")]);
    one_session(&env, "two", "C:\\Users\\ada\\loom", &[("2026-03-01T10:00:00Z", RULE, "Done.")]);
    let report = ask(&env, 0, &ALL);
    assert_eq!((&report["sessions"], &report["skipped"]["of no folder"]), (&json!(0), &json!(6)), "{report}");
}

#[test]
fn an_impossible_time_is_not_believed() {
    let env = world();
    let cwd = env.project().to_string_lossy().into_owned();
    one_session(
        &env,
        "one",
        &cwd,
        &[("1970-01-01T10:00:00Z", RULE, "Done."), ("9999-01-01T10:00:00Z", RULE, "Done.")],
    );
    let report = ask(&env, 0, &ALL);
    assert_eq!(fields(&report, ["sessions", "memories"]), json!([0, 0]), "{report}");
}

/// SEC-12: also when the events are gone that hooks captured.
#[test]
fn a_captured_session_is_not_imported_after_its_events_are_gone() {
    let env = world();
    let cwd = env.project().to_string_lossy().into_owned();
    harmless(&event(&env, "lived", "UserPromptSubmit", json!({"prompt": RULE})));
    execute(&env, "DELETE FROM evidence; DELETE FROM events");
    one_session(&env, "lived", &cwd, &[("2026-03-01T10:00:00Z", RULE, "Done.")]);
    let report = ask(&env, 0, &ALL);
    assert_eq!(fields(&report, ["events", "memories"]), json!([0, 0]), "{report}");
}

/// Law 3: reading again what is gone for its age does not make it surer.
#[test]
fn importing_a_grown_transcript_does_not_count_old_memories_again() {
    let env = world();
    let cwd = env.project().to_string_lossy().into_owned();
    let first = ("2026-03-01T10:00:00Z", RULE, "Done.");
    one_session(&env, "one", &cwd, &[first]);
    ask(&env, 0, &ALL);
    execute(&env, "DELETE FROM evidence; DELETE FROM events");
    one_session(
        &env,
        "one",
        &cwd,
        &[first, ("2026-04-30T10:00:00Z", "Prices are stored in integer cents, never in floats.", "Done.")],
    );
    ask(&env, 0, &ALL);
    assert_eq!(query::<u32>(&env, "SELECT max(times_seen) FROM memories"), 1, "{:?}", contents(&env));
}

#[test]
fn importing_a_part_first_leaves_the_same_summaries() {
    let turns = [
        (
            "2026-01-05T10:00:00Z",
            "Prices are stored in integer cents, never in floats.",
            "Written down. Next: write a test for it.",
        ),
        ("2026-04-28T10:00:00Z", RULE, "Written down."),
        ("2026-04-28T11:00:00Z", "After the audit is over, migrate the invoices table", "I will."),
    ];
    let handoffs = |parts: &[&[&str]]| {
        let env = world();
        let cwd = env.project().to_string_lossy().into_owned();
        one_session(&env, "one", &cwd, &turns);
        for part in parts {
            ask(&env, 0, part);
        }
        contents(&env)
            .into_iter()
            .filter(|row| row.contains("| handoff |") || row.contains("| summary |"))
            .map(|row| row.replace(&*env.world().to_string_lossy(), ""))
            .collect::<Vec<_>>()
    };
    let recent = ["import", "--all", "--since", "30d", "--no-vectors", "--json"];
    assert_eq!(handoffs(&[&recent, &ALL]), handoffs(&[&ALL]));
    assert!(!handoffs(&[&ALL]).is_empty());
}

#[test]
fn two_projects_of_one_name_are_imported_apart() {
    let env = world();
    for (session, folder) in [("one", "a/app"), ("two", "b/app")] {
        let cwd = env.world().join(folder);
        fs::create_dir_all(&cwd).unwrap();
        one_session(&env, session, &cwd.to_string_lossy(), &[("2026-04-28T10:00:00Z", RULE, "Done.")]);
    }
    for folder in ["a/app", "b/app"] {
        let folder = env.world().join(folder).to_string_lossy().into_owned();
        let shown = ask(&env, 0, &["import", "--all", "--project", &folder, "--dry-run", "--json"]);
        assert_eq!(shown["found"][0]["count"], 1, "{shown}");
        let report = ask(&env, 0, &["import", "--all", "--project", &folder, "--no-vectors", "--json"]);
        assert_eq!(report["sessions"], 1, "{report}");
    }
}

#[test]
fn an_excluded_session_is_imported_once_it_is_included() {
    let env = world();
    let cwd = env.project().to_string_lossy().into_owned();
    let path = one_session(&env, "one", &cwd, &[("2026-04-28T10:00:00Z", RULE, "Done.")]);
    let excluded = run(&env, ALL).var("BACKSTORY_CAPTURE_EXCLUDE", format!("[{cwd:?}]")).output();
    assert!(excluded.stdout.contains("\"sessions\":0"), "{excluded:?}");
    let off = run(&env, ALL).var("BACKSTORY_CAPTURE_ENABLED", "false").output();
    assert!(off.stdout.contains("capture is off"), "{off:?}");
    assert_eq!(ask(&env, 0, &ALL)["sessions"], 1, "{}", path.display());
}

/// Law 6: an imported turn does not lower the provenance of what the user says later.
#[test]
fn new_statements_in_an_imported_session_are_the_users_own() {
    let env = world();
    let cwd = env.project().to_string_lossy().into_owned();
    one_session(&env, "one", &cwd, &[("2026-04-28T10:00:00Z", RULE, "Done.")]);
    ask(&env, 0, &ALL);
    let statement = "Prices are stored in integer cents, never in floats.";
    harmless(&event(&env, "one", "UserPromptSubmit", json!({"prompt": statement})));
    harmless(&event(&env, "one", "Stop", json!({"last_assistant_message": "Noted."})));
    let hits = ask(&env, 0, &["search", "--limit", "50", "--json"]);
    for (words, provenance) in [("cents", "user"), ("advisory", "import")] {
        let mut hits = hits["hits"].as_array().unwrap().iter().filter(|hit| hit["kind"] != "summary");
        let hit = hits.find(|hit| hit["title"].as_str().unwrap().contains(words)).expect(words);
        assert_eq!(hit["provenance"], provenance, "{hit}");
    }
}
