//! Bad input: a clear message, a documented exit code, nothing lost, never a panic.

use crate::support::{HOOK, answer, ask, count, harmless, hook, lock, prompt, remember, titles, told, world};
use backstory_testkit::{ProgramOutput, TestEnv};
use insta::assert_snapshot;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

/// Says that a run ended as documented and talked like a person.
fn civil(outcome: &ProgramOutput) {
    assert!(matches!(outcome.code, Some(0..=2)), "{outcome:?}");
    for stream in [&outcome.stdout, &outcome.stderr] {
        assert!(!stream.contains("panicked") && !stream.contains("RUST_BACKTRACE"), "{outcome:?}");
    }
}

#[test]
fn nobody_asks_for_none_and_no_time_is_guessed() {
    let env = world();
    for command in ["search", "timeline", "sessions"] {
        let outcome = env.run([command, "--limit", "0"]);
        assert!(outcome.code == Some(2) && outcome.stderr.contains("at least 1"), "{outcome:?}");
    }
    let outcome = env.run(["search", "--set", "search.limit=0"]);
    assert!(
        outcome.code == Some(2) && outcome.stderr.contains("`search.limit` is at least 1"),
        "{outcome:?}"
    );
    let unknown = env.run(["search", "--since", "zz"]);
    assert_eq!(unknown.code, Some(2), "nothing is known here yet: {unknown:?}");
    remember(&env, "Something is known now");
    assert_eq!(env.run(["search", "--since", "zz"]), unknown);
}

#[test]
fn a_refusal_is_json_where_json_was_asked_for() {
    let env = world();
    let refused: [(&[&str], i32); 10] = [
        (&["why", "9"], 1),
        (&["timeline", "9"], 1),
        (&["sessions", "show", "last"], 1),
        (&["sessions", "--project", "nope"], 1),
        (&["config", "get", "nope"], 2),
        (&["search", "--project", "nope"], 1),
        (&["import", "nofile"], 1),
        (&["distil", "--session", "9"], 1),
        (&["handoff", "--session", "9"], 1),
        (&["handoff", r#"{"body":"x","supersedes":"u1"}"#], 2),
    ];
    for (arguments, code) in refused {
        let refusal = ask(&env, code, &[arguments, &["--json"]].concat());
        assert!(refusal["ok"] == false && refusal["error"].is_string(), "{arguments:?}: {refusal}");
        assert_eq!(env.run(arguments).code, Some(code), "the same without: {arguments:?}");
    }
    for arguments in [&["import", "--all", "--dry-run"][..], &["import", "--all", "--dry-run", "--json"]] {
        assert_eq!(env.run(arguments).code, Some(1), "{arguments:?}");
    }
}

#[test]
fn no_question_is_a_syntax_error() {
    let env = world();
    remember(&env, "Rust and NEAR and quotes in one memory");
    let questions = [
        "",
        " ",
        "\"",
        "\"\"",
        "*",
        "a*",
        "NEAR(",
        "NEAR(rust quotes, 3)",
        "AND",
        "rust AND",
        "OR NOT",
        "(",
        ")(",
        "title:rust",
        "{title body}: rust",
        "^rust",
        "rust + quotes",
        "a\"b",
        "'; DROP TABLE memories; --",
        "\u{0}",
        "\u{202e}",
        "%",
        "_",
        "\\",
        "日本",
        "🦀",
        "rust\nquotes",
    ];
    for question in questions.into_iter().filter(|question| !question.contains('\u{0}')) {
        let outcome = env.run(["search", "--json", "--", question]);
        civil(&outcome);
        assert!(answer(&outcome)["hits"].is_array(), "{question:?}: {outcome:?}");
    }
    assert_eq!(titles(&env, &["--", "-x", "NEAR(rust", "*"]).len(), 1);
    assert_snapshot!(told(&env.run(["search", "-x"])), @r"
        exit 2
        --- err
        error: unexpected argument '-x' found

          tip: to pass '-x' as a value, use '-- -x'

        Usage: backstory search [OPTIONS] [WORDS]...

        For more information, try '--help'.
        ");
    assert_eq!(titles(&env, &["quotes"]).len(), 1, "nothing was lost");
}

#[test]
fn a_question_of_a_megabyte_is_answered() {
    let env = world();
    remember(&env, "Needle in the haystack");
    let mut word = "needle ".repeat(15_000);
    word.truncate(120_000);
    assert_eq!(titles(&env, &[word.as_str(); 9]), ["Needle in the haystack"]);
    assert_eq!(titles(&env, &["x".repeat(120_000).as_str(); 9]), Vec::<String>::new());
}

#[test]
fn arguments_that_are_not_text_are_refused_as_usage() {
    let env = world();
    let bad = OsStr::from_bytes(b"caf\xff\xfe");
    for command in
        ["remember", "search", "import", "export", "show", "config", "forget", "project", "\u{2028}"]
    {
        let outcome = env.run([OsStr::new(command), bad]);
        civil(&outcome);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""), "{command}: {outcome:?}");
    }
    assert_snapshot!(told(&env.run([OsStr::new("remember"), bad])), @r"
        exit 2
        --- err
        error: invalid UTF-8 was detected in one or more arguments

        Usage: backstory remember [OPTIONS] [TEXT]

        For more information, try '--help'.
        ");
    harmless(&env.run_with([OsStr::new("hook"), OsStr::new("--host"), bad], "{}"));
    assert!(!env.home().join("backstory.db").exists());
}

#[test]
fn an_environment_that_is_not_text_is_passed_over() {
    let env = world();
    let mut command = env.command(["status", "--json"]);
    command
        .env("BACKSTORY_SEARCH_LIMIT", OsStr::from_bytes(b"\xff"))
        .env("SOME_TOKEN", OsStr::from_bytes(b"\xff\xfe"));
    assert_eq!(env.finish(command.spawn().unwrap()).code, Some(0));
}

fn damage(env: &TestEnv, bytes: &[u8]) {
    fs::write(env.home().join("backstory.db"), bytes).unwrap();
}

#[test]
fn a_damaged_database_is_told_kept_and_replaced_on_the_second_look() {
    let env = world();
    remember(&env, "Before the damage");
    damage(&env, b"this is not a database at all, not even nearly");
    assert_snapshot!(told(&env.run(["search", "damage"])), @r"
        exit 1
        --- err
        error: cannot use the store
          cause: `[WORLD]/user/.local/share/backstory/backstory.db` is damaged: file is not a database

        hint: run `backstory doctor`: it keeps the damaged file and restores the newest copy
        ");
    assert!(!env.home().join("quarantine").exists(), "one look is not enough to move it");
    assert_eq!(fs::read(env.home().join("backstory.db")).unwrap().len(), 46, "nothing was overwritten");
    civil(&env.run(["search", "damage"]));
    assert_eq!(count(&env, "memories"), 0);
    assert_eq!(env.run(["status"]).stdout.lines().filter(|line| line.starts_with("damaged")).count(), 1);
}

#[test]
fn status_of_a_damaged_database_repairs_nothing_by_itself() {
    let env = world();
    remember(&env, "Before the damage");
    damage(&env, b"this is not a database at all, not even nearly");
    let outcome = env.run(["status"]);
    civil(&outcome);
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    assert!(!env.home().join("quarantine").exists());
}

#[test]
fn every_command_survives_every_kind_of_damage() {
    let whole = {
        let env = world();
        remember(&env, "Something worth keeping");
        fs::read(env.home().join("backstory.db")).unwrap()
    };
    let mut flipped = whole.clone();
    flipped.iter_mut().step_by(97).for_each(|byte| *byte ^= 0x55);
    let half = whole[..whole.len() / 2].to_vec();
    let mut header = whole.clone();
    header[..100].fill(0xaa);
    for bytes in [Vec::new(), whole[..100].to_vec(), half, header, flipped] {
        let env = world();
        remember(&env, "Something worth keeping");
        damage(&env, &bytes);
        harmless(&hook(&env, prompt("s", "said to a broken store")));
        for arguments in [
            &["search", "worth"][..],
            &["show", "1"],
            &["status"],
            &["remember", "More"],
            &["doctor", "--full"],
            &["search"],
        ] {
            civil(&env.run(arguments));
        }
        assert_eq!(env.run(["doctor", "--full"]).code, Some(0));
        assert_eq!(count(&env, "events"), 1, "{} bytes", bytes.len());
    }
}

#[test]
fn garbage_in_the_log_of_the_database_hurts_nobody() {
    let env = world();
    remember(&env, "Something worth keeping");
    fs::write(env.home().join("backstory.db-wal"), vec![0x5a; 5000]).unwrap();
    civil(&env.run(["doctor", "--full"]));
    assert_eq!(titles(&env, &["worth"]), ["Something worth keeping"]);
}

#[test]
fn a_hook_that_is_called_wrongly_says_nothing() {
    let env = world();
    for arguments in [
        &["hook"][..],
        &["hook", "--host"],
        &["hook", "--host", "netscape"],
        &["hook", "--help"],
        &["hook", "extra", "--verbose"],
    ] {
        harmless(&env.run_with(arguments, prompt("s", "x")));
    }
    assert_eq!(env.run_with(["hook", "--host=claude-code"], prompt("s", "x")).code, Some(0));
    assert_eq!(count(&env, "events"), 1, "both ways to give a flag are heard");
    let log = fs::read_to_string(env.home().join("log/backstory.log")).unwrap();
    assert!(log.contains("`netscape` is not a host") && log.contains("`hook` needs `--host`"), "{log}");
}

#[test]
fn a_locked_database_is_told_so() {
    let env = world();
    remember(&env, "The store is there");
    let _holder = lock(&env);
    assert_snapshot!(told(&env.run(["remember", "Nobody can write this now"])), @r"
        exit 1
        --- err
        error: cannot use the store
          cause: `[WORLD]/user/.local/share/backstory/backstory.db` is in use by another process

        hint: another program holds the database; try again in a moment
        ");
    assert_eq!(titles(&env, &["store"]).len(), 1, "reading goes on");
    assert_eq!(env.run(["show", "1"]).code, Some(0), "and does not fail for a note about it");
    harmless(&env.run_with(HOOK, prompt("s", "waits")));
}
