//! `browse`, by somebody who sits at a terminal; and the list that anybody else gets.

use crate::support::{ask, event, fields, shown, world};
use backstory_testkit::{PlayedTerminal, TestEnv};
use serde_json::json;

/// A world with three memories, and `browse` on a terminal of this size. Nothing where the system has no `setsid`.
fn browsing(env: &TestEnv, arguments: &[&str], size: (u16, u16)) -> Option<PlayedTerminal> {
    let mut command = env.command([&["browse"], arguments].concat());
    command.env("TERM", "xterm-256color");
    let played = PlayedTerminal::start(&command, size);
    if played.is_none() {
        eprintln!("SKIPPED: no setsid, so nobody can sit at a terminal");
    }
    played
}

fn shop() -> TestEnv {
    let env = world();
    for (kind, text) in [
        ("decision", "Use SQLite FTS5 for search ranking"),
        ("rule", "Store money as integer minor units, never floats"),
        ("fact", "The importer retries three times"),
    ] {
        assert_eq!(env.run(["remember", "--kind", kind, text]).code, Some(0));
    }
    env
}

#[test]
fn typing_finds_and_enter_prints_the_number_on_standard_output() {
    let env = shop();
    let Some(mut screen) = browsing(&env, &[], (80, 24)) else { return };
    screen.wait_for("Store money");
    assert!(screen.is_full_screen() && !screen.is_cooked());
    screen.press("sqlite");
    screen.wait_until("only what fits", |text| {
        text.contains("Use SQLite FTS5") && !text.contains("Store money")
    });
    screen.press("\r");
    assert_eq!(screen.finish(), (Some(0), "1\n".to_owned()));
    assert!(screen.is_cooked() && !screen.is_full_screen(), "the terminal is as it was");
}

#[test]
fn whoever_chooses_nothing_gets_nothing_and_exit_code_1() {
    let env = shop();
    let Some(mut screen) = browsing(&env, &["--text"], (60, 20)) else { return };
    screen.wait_for("Store money");
    screen.press("\u{3}");
    assert_eq!(screen.finish(), (Some(1), String::new()));
}

#[test]
fn a_memory_is_pinned_edited_and_put_back_by_keys() {
    let env = shop();
    let Some(mut screen) = browsing(&env, &["importer"], (80, 24)) else { return };
    screen.wait_for("#3");
    screen.wait_for("said by you");
    // Down leaves the field: from then on letters act.
    screen.press("\u{1b}[B");
    screen.press("p");
    screen.wait_for("#3 is pinned");
    screen.press("e");
    screen.wait_for("Ctrl+S saves");
    screen.press(" at most\u{13}");
    screen.wait_for("#3 is revised");
    screen.wait_for("three times at most");
    assert_eq!(
        fields(&shown(&env, "3"), ["title", "pinned"]),
        json!(["The importer retries three times at most", true])
    );
    screen.press("u");
    screen.wait_for("#3 is as it was");
    screen.press("u");
    screen.wait_until("both undone", |text| !text.contains('★') && !text.contains("· pinned"));
    screen.press("q");
    assert_eq!(screen.finish().0, Some(1));
    assert_eq!(
        fields(&shown(&env, "3"), ["title", "pinned", "provenance"]),
        json!(["The importer retries three times", false, "user"])
    );
}

#[test]
fn law_6_undoing_an_edit_gives_an_agents_words_back_to_the_agent() {
    let env = world();
    let said = env.run_as_agent(["remember", "--kind", "fact", "The importer retries three times"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let before = fields(&shown(&env, "1"), ["provenance", "standing", "standing_reason", "title"]);
    let Some(mut screen) = browsing(&env, &[], (80, 24)) else { return };
    screen.wait_for("said by the agent");
    screen.press("\u{1b}[Be");
    screen.wait_for("Ctrl+S saves");
    screen.press(" at most\u{13}");
    screen.wait_for("said by you");
    screen.press("u");
    screen.wait_for("said by the agent");
    screen.press("q");
    screen.finish();
    assert_eq!(fields(&shown(&env, "1"), ["provenance", "standing", "standing_reason", "title"]), before);
}

#[test]
fn a_superseded_memory_is_in_force_again_after_undo() {
    let env = shop();
    let Some(mut screen) = browsing(&env, &["sqlite"], (80, 24)) else { return };
    screen.wait_for("said by you");
    screen.press("\u{1b}[Bs");
    screen.wait_for("What holds in place of #1?");
    screen.press(" and nothing else\u{13}");
    screen.wait_for("#4 replaces #1");
    screen.press("u");
    screen.wait_for("#1 is as it was");
    screen.press("q");
    screen.finish();
    assert_eq!(fields(&shown(&env, "1"), ["standing", "superseded_by"]), json!(["confirmed", null]));
    assert_eq!(shown(&env, "4")["standing"], "retired");
}

#[test]
fn what_is_forgotten_is_gone_and_what_is_kept_in_time_is_there() {
    let env = shop();
    let Some(mut screen) = browsing(&env, &["sqlite"], (80, 24)) else { return };
    screen.wait_for("said by you");
    screen.press("\u{1b}[Bf");
    screen.wait_for("#1 will be forgotten");
    screen.press("u");
    screen.wait_for("#1 is kept");
    assert_eq!(env.run(["show", "1"]).code, Some(0));
    screen.press("fq");
    screen.wait_for("Forget for good?");
    screen.press("y");
    assert_eq!(screen.finish().0, Some(1));
    assert_eq!(env.run(["show", "1"]).code, Some(1));
    assert!(env.files_holding(b"SQLite FTS5").is_empty());
}

#[test]
fn the_inbox_confirms_with_one_key() {
    let env = world();
    let said = env.run_as_agent(["remember", "--kind", "rule", "Always run `make lint` first"]);
    assert!(said.stderr.contains("proposed"), "{said:?}");
    let Some(mut screen) = browsing(&env, &[], (80, 24)) else { return };
    screen.wait_for("Review 1");
    screen.press("\u{1b}2");
    screen.wait_for("it does not");
    screen.press("y");
    screen.wait_for("Nothing waits for your word");
    screen.press("q");
    screen.finish();
    assert_eq!(shown(&env, "1")["standing"], "confirmed");
}

#[test]
fn a_session_is_replayed_and_an_injection_previewed() {
    let env = shop();
    drop(event(&env, "s1", "SessionStart", json!({"source": "startup"})));
    drop(event(&env, "s1", "UserPromptSubmit", json!({"prompt": "add a refund model"})));
    let edit = json!({"file_path": "refund.py", "old_string": "amount = 1.0", "new_string": "amount = 100"});
    drop(event(
        &env,
        "s1",
        "PostToolUse",
        json!({"tool_name": "Edit", "tool_input": edit, "tool_response": {}}),
    ));
    let Some(mut screen) = browsing(&env, &[], (80, 24)) else { return };
    screen.wait_for("Store money");
    screen.press("\u{1b}3");
    screen.wait_for("add a refund model");
    screen.press("\r");
    screen.wait_for("- amount = 1.0");
    screen.wait_for("+ amount = 100");
    screen.press("\u{1b}4");
    screen.wait_for("tokens");
    screen.press("store money as a float?");
    screen.wait_for("never floats");
    screen.press("\u{3}");
    screen.finish();
}

#[test]
fn another_size_is_drawn_at_once_and_help_lies_over_everything() {
    let env = shop();
    let Some(mut screen) = browsing(&env, &[], (120, 40)) else { return };
    screen.wait_for("│");
    screen.resize((60, 20));
    screen.wait_until("one above the other", |text| text.contains("────") && text.contains("Store money"));
    screen.press("?");
    screen.wait_for("any other key closes");
    screen.press("x\u{3}");
    assert_eq!(screen.finish().0, Some(1));
}

#[test]
fn the_terminal_is_put_back_when_somebody_ends_the_program() {
    let env = shop();
    let Some(mut screen) = browsing(&env, &[], (80, 24)) else { return };
    screen.wait_for("Store money");
    let session = screen.process_id().to_string();
    let ended =
        std::process::Command::new("/usr/bin/pkill").args(["-TERM", "-s", &session, "backstory"]).status();
    assert!(ended.is_ok_and(|status| status.success()));
    screen.finish();
    assert!(screen.is_cooked() && !screen.is_full_screen());
}

#[test]
fn the_text_is_copied_through_the_terminal() {
    let env = shop();
    let Some(mut screen) = browsing(&env, &["importer"], (80, 24)) else { return };
    screen.wait_for("said by you");
    screen.press("\u{1b}[BY");
    screen.wait_for("copied #3");
    assert!(screen.written().contains("\u{1b}]52;c;Mw==\u{7}"));
    screen.press("q");
    screen.finish();
}

#[test]
fn colours_are_those_the_terminal_has_and_none_where_none_are_wanted() {
    let env = shop();
    let looks = [
        (("COLORTERM", "truecolor"), "\u{1b}[38;2;"),
        (("TERM", "xterm-256color"), "\u{1b}[38;5;"),
        (("TERM", "xterm"), "\u{1b}[36m"),
        (("NO_COLOR", "1"), ""),
    ];
    for ((name, value), wanted) in looks {
        let mut command = env.command(["browse"]);
        command.env("TERM", "xterm-256color").env(name, value);
        let Some(mut screen) = PlayedTerminal::start(&command, (80, 24)) else { return };
        screen.wait_for("said by you");
        screen.press("\u{3}");
        screen.finish();
        let written = screen.written();
        let has_colour = ["\u{1b}[38;", "\u{1b}[36m"].iter().any(|code| written.contains(code));
        assert!(if wanted.is_empty() { !has_colour } else { written.contains(wanted) }, "{name}={value}");
    }
}

#[test]
fn a_closed_terminal_ends_it() {
    let env = shop();
    let Some(mut screen) = browsing(&env, &[], (80, 24)) else { return };
    screen.wait_for("Store money");
    screen.close();
}

#[test]
fn without_a_terminal_and_under_a_host_there_is_a_plain_list() {
    let env = shop();
    let list = "2\trule\t2026-05-01\tStore money as integer minor units, never floats\n";
    let run = env.run_as_agent(["browse", "money"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), list));
    assert_eq!(env.run(["browse", "--plain", "money"]).stdout, list);
    let hosted = shop().with("CLAUDECODE", "1").with("TERM", "xterm");
    let mut command = hosted.command(["browse", "money"]);
    command.env("TERM", "xterm");
    let Some(mut screen) = PlayedTerminal::start(&command, (80, 24)) else { return };
    assert_eq!(screen.finish(), (Some(0), list.to_owned()), "law 6: below a host nobody is the user");
    let nothing = env.run(["browse", "--plain", "--kind", "goal"]);
    assert_eq!((nothing.code, nothing.stdout.as_str()), (Some(1), ""));
    assert_eq!(ask(&env, 0, &["search", "money", "--json"])["hits"].as_array().unwrap().len(), 1);
}
