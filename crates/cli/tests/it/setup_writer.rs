//! `setup` offers the background writer: it says what it would send, to whom and at what cost, and only a yes at a terminal turns it on.

use crate::support::{configure, read, run, world, write};
use backstory_testkit::{ProgramOutput, TestEnv, TypedTerminal};
use std::fs;
use std::os::unix::fs::PermissionsExt;

/// The user's file, from their home.
const CONFIG: &str = ".config/backstory/config.toml";
const CHOSEN: &str = "[writer]\nprovider = \"claude-code\"\n";

/// A home with a host whose program could write notes.
fn with_host() -> TestEnv {
    let env = world();
    write(&env, ".claude/settings.json", "{}");
    let bin = env.world().join("bin");
    fs::create_dir_all(&bin).unwrap();
    let program = bin.join("claude");
    fs::write(&program, "#!/bin/sh\nexit 1\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    env
}

fn set_up(env: &TestEnv, arguments: &[&str], typed: Option<&str>) -> ProgramOutput {
    let all = [&["setup", "--no-import"], arguments].concat();
    let path = format!("{}:/usr/bin:/bin", env.world().join("bin").display());
    let run = run(env, all).var("PATH", path);
    let terminal = typed.map(|text| TypedTerminal::with(text).expect("a terminal"));
    let outcome = match &terminal {
        Some(terminal) => run.at_terminal(terminal).output(),
        None => run.output(),
    };
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    outcome
}

/// What `setup` says, without the breaks of its lines.
fn said(outcome: &ProgramOutput) -> String {
    outcome.stdout.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn config(env: &TestEnv) -> Option<String> {
    env.world().join("user").join(CONFIG).exists().then(|| read(env, CONFIG))
}

#[test]
fn a_yes_turns_the_writer_on() {
    let env = with_host();
    let outcome = set_up(&env, &[], Some("y\ny\n"));
    for words in [
        "off. A model can write better notes as a session ends. It gets a digest (no secrets, up to 6000 tokens)",
        "through your own `claude-code`: 0.6 cents a session, up to 200000 tokens a day",
        "claude-code, set in ",
    ] {
        assert!(said(&outcome).contains(words), "{words}: {outcome:?}");
    }
    let lines: Vec<&str> = outcome.stdout.lines().collect();
    let offer = lines.iter().position(|line| line.contains("off. A model")).unwrap();
    let end = lines.iter().position(|line| line.contains("tokens a day")).unwrap();
    assert_eq!(end - offer, 2, "three lines: {outcome:?}");
    assert!(lines[offer..=end].iter().all(|line| line.chars().count() <= 80), "{outcome:?}");
    assert_eq!(config(&env).as_deref(), Some(CHOSEN));
    let again = set_up(&env, &["--yes"], None);
    assert!(!said(&again).contains("write the notes"), "who has one is not asked again: {again:?}");
    assert_eq!(config(&env).as_deref(), Some(CHOSEN));
}

#[test]
fn a_no_leaves_the_writer_off() {
    for answer in ["y\nn\n", "y\n\n", "y\nperhaps\n"] {
        let env = with_host();
        let outcome = set_up(&env, &[], Some(answer));
        assert!(said(&outcome).contains("stays off; `backstory config set "), "{answer:?}: {outcome:?}");
        assert_eq!(config(&env), None, "{answer:?}");
    }
}

#[test]
fn without_a_terminal_the_writer_stays_off() {
    let env = with_host();
    let outcome = set_up(&env, &["--yes", "--verbose"], None);
    assert!(said(&outcome).contains("stays off: nobody is here to agree"), "{outcome:?}");
    assert_eq!(config(&env), None);
}

#[test]
fn agreeing_to_everything_else_turns_no_writer_on() {
    let env = with_host();
    let outcome = set_up(&env, &["--yes"], None);
    assert!(said(&outcome).contains("Claude Code connected"), "{outcome:?}");
    assert!(said(&outcome).contains("off: a model could write the notes"), "{outcome:?}");
    assert_eq!(config(&env), None);
}

#[test]
fn whoever_has_a_section_for_the_writer_has_decided() {
    for section in ["[writer]\nprovider = \"none\"\n", "[writer]\nask_agent = true\n"] {
        let env = with_host();
        configure(&env, section);
        let outcome = set_up(&env, &["--yes"], None);
        assert!(!said(&outcome).contains("write the notes"), "{outcome:?}");
        assert_eq!(config(&env).as_deref(), Some(section), "not a byte of it changed");
    }
}

#[test]
fn a_file_without_a_final_newline_keeps_its_last_line() {
    for (before, gap) in [("[search]\nlimit = 7", "\n\n"), ("[search]\nlimit = 7\n", "\n")] {
        let env = with_host();
        configure(&env, before);
        let outcome = set_up(&env, &[], Some("y\nyes\n"));
        assert!(said(&outcome).contains("set in "), "{outcome:?}");
        assert_eq!(config(&env), Some(format!("{before}{gap}{CHOSEN}")));
        let shown = env.run(["config", "get", "search.limit"]);
        assert!(shown.stdout.contains('7'), "{shown:?}");
    }
}
