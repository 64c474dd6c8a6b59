//! Bad input: a clear message, a documented exit code, nothing lost, never a panic.

use crate::support::{
    HOOK, answer, count, damage, done, exits, harmless, lock, log, prompt, remember, rendered, run, send,
    titles, world,
};
use backstory_testkit::ProgramOutput;
use insta::assert_snapshot;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

/// Asserts that a run ended with a documented exit code and without a panic.
fn civil(outcome: &ProgramOutput) {
    assert!(matches!(outcome.code, Some(0..=2)), "{outcome:?}");
    for stream in [&outcome.stdout, &outcome.stderr] {
        assert!(!stream.contains("panicked") && !stream.contains("RUST_BACKTRACE"), "{outcome:?}");
    }
}

#[test]
fn a_limit_of_zero_and_an_unknown_time_are_refused() {
    let env = world();
    for command in ["search", "timeline", "sessions"] {
        exits(&env, 2, &[command, "--limit", "0"], "at least 1");
    }
    exits(&env, 2, &["search", "--set", "search.limit=0"], "`search.limit` is at least 1");
    let unknown = env.run(["search", "--since", "zz"]);
    assert_eq!(unknown.code, Some(2), "nothing is known here yet: {unknown:?}");
    remember(&env, "Something is known now");
    assert_eq!(env.run(["search", "--since", "zz"]), unknown);
}

#[test]
fn no_query_is_a_syntax_error() {
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
        "\u{202e}",
        "%",
        "_",
        "\\",
        "日本",
        "🦀",
        "rust\nquotes",
    ];
    for question in questions {
        let outcome = env.run(["search", "--json", "--", question]);
        civil(&outcome);
        assert!(answer(&outcome)["hits"].is_array(), "{question:?}: {outcome:?}");
    }
    assert_eq!(titles(&env, &["--", "-x", "NEAR(rust", "*"]).len(), 1);
    assert_snapshot!(rendered(&env.run(["search", "-x"])), @r"
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
fn a_query_of_a_megabyte_is_answered() {
    let env = world();
    remember(&env, "Needle in the haystack");
    let mut word = "needle ".repeat(15_000);
    word.truncate(120_000);
    assert_eq!(titles(&env, &[word.as_str(); 9]), ["Needle in the haystack"]);
    assert_eq!(titles(&env, &["x".repeat(120_000).as_str(); 9]), Vec::<String>::new());
}

#[test]
fn arguments_that_are_not_utf_8_are_refused_as_usage() {
    let env = world();
    let bad = OsStr::from_bytes(b"caf\xff\xfe");
    for command in
        ["remember", "search", "import", "export", "show", "config", "forget", "project", "\u{2028}"]
    {
        let outcome = env.run([OsStr::new(command), bad]);
        civil(&outcome);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""), "{command}: {outcome:?}");
    }
    assert_snapshot!(rendered(&env.run([OsStr::new("remember"), bad])), @r"
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
fn variables_that_are_not_utf_8_are_ignored() {
    let env = world();
    let status = run(&env, ["status", "--json"])
        .var("BACKSTORY_SEARCH_LIMIT", OsStr::from_bytes(b"\xff"))
        .var("SOME_TOKEN", OsStr::from_bytes(b"\xff\xfe"));
    assert_eq!(status.output().code, Some(0));
}

#[test]
fn a_damaged_database_is_reported_first_and_replaced_on_the_second_look() {
    let env = world();
    remember(&env, "Before the damage");
    damage(&env, b"this is not a database at all, not even nearly");
    assert_snapshot!(rendered(&env.run(["search", "damage"])), @r"
        exit 1
        --- err
        error: cannot use the store
          cause: `[WORLD]/user/.local/share/backstory/backstory.db` is damaged: file is not a database

        hint: run `backstory doctor`: it keeps the damaged file and restores the newest copy
        ");
    assert!(!env.home().join("quarantine").exists(), "one look is not enough to move it");
    assert_eq!(fs::read(env.home().join("backstory.db")).unwrap().len(), 46, "nothing was overwritten");
    civil(&env.run(["search", "damage"]));
    assert_eq!(count(&env, "memories"), 1, "the mirror has it");
    assert_eq!(env.run(["status"]).stdout.lines().filter(|line| line.starts_with("damaged")).count(), 1);
}

#[test]
fn status_of_a_damaged_database_repairs_nothing() {
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
        send(&env, prompt("s", "said to a broken store"));
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
        done(&env, &["doctor", "--full"]);
        assert_eq!(count(&env, "events"), 1, "{} bytes", bytes.len());
    }
}

#[test]
fn garbage_in_the_write_ahead_log_loses_nothing() {
    let env = world();
    remember(&env, "Something worth keeping");
    fs::write(env.home().join("backstory.db-wal"), vec![0x5a; 5000]).unwrap();
    civil(&env.run(["doctor", "--full"]));
    assert_eq!(titles(&env, &["worth"]), ["Something worth keeping"]);
}

#[test]
fn a_hook_with_wrong_arguments_is_silent() {
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
    assert_eq!(count(&env, "events"), 1, "both ways to write a flag work");
    let log = log(&env);
    assert!(log.contains("`netscape` is not a host") && log.contains("`hook` needs `--host`"), "{log}");
}

#[test]
fn a_locked_database_can_be_read_and_a_write_is_refused() {
    let env = world();
    remember(&env, "The store is there");
    let _holder = lock(&env);
    assert_snapshot!(rendered(&env.run(["remember", "Nobody can write this now"])), @r"
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
