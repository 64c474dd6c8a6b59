//! `rules`: the user's rules in the open, and in a file that hosts load by themselves.

use crate::inject::starts;
use crate::support::{ask, column, done, done_in, file, remember, without_nonce, world};
use insta::assert_snapshot;
use serde_json::json;
use std::fs;

#[test]
fn rules_are_listed_written_changed_and_retired() {
    let env = world();
    assert_eq!(env.run(["rules"]).code, Some(1));
    done(&env, &["rules", "add", "Never use unwrap outside of tests"]);
    done_in(&env, "other", &["rules", "add", "--everywhere", "Answer in British English"]);
    done_in(&env, "other", &["rules", "add", "Use tabs there"]);
    remember(&env, "We decided on SQLite because it needs no server");
    assert_snapshot!(env.run(["rules"]).stdout, @r#"
    #1 Never use unwrap outside of tests
    #2 Answer in British English (every project)
    "#);
    done(&env, &["rules", "edit", "1", "Never use unwrap or expect outside of tests"]);
    let listed = ask(&env, 0, &["rules", "--json"]);
    assert_eq!(column(&listed["rules"], "scope"), json!(["project", "user"]));
    assert_eq!(column(&listed["rules"], "title")[0], "Never use unwrap or expect outside of tests");
    let refused = env.run(["rules", "retire", "4"]);
    assert!(refused.stderr.contains("memory #4 is a decision, not a rule"), "{refused:?}");
    done(&env, &["rules", "retire", "1"]);
    assert_eq!(column(&ask(&env, 0, &["rules", "list", "--json"])["rules"], "id"), json!([2]));
}

/// Law 10: the user's file is changed only when asked, shown before, and put back byte for byte.
#[test]
fn law_10_rules_in_a_file_are_taken_out_exactly() {
    for before in ["# Notes\n\nBuild with make.\n", "no line break at the end", "\n", "# Notes\r\n"] {
        let env = world();
        done(&env, &["rules", "add", "Never use unwrap outside of tests"]);
        done(&env, &["rules", "add", "--everywhere", "Answer in British English"]);
        let path = file(&env, "AGENTS.md", before);
        let unasked = env.run(["rules", "--write", "AGENTS.md"]);
        assert_ne!(unasked.code, Some(0), "nobody agreed: {unasked:?}");
        assert_eq!(fs::read_to_string(&path).unwrap(), before);
        let written = env.run(["rules", "--write", "AGENTS.md", "--yes"]);
        assert!(written.stdout.contains("+ - Never use unwrap outside of tests"), "{written:?}");
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.starts_with(before) && !text.contains("British"), "{text}");
        let again = env.run(["rules", "--write", "AGENTS.md", "--yes"]);
        assert!(again.stdout.contains("is up to date"), "{again:?}");
        done(&env, &["rules", "--remove", "AGENTS.md", "--yes"]);
        assert_eq!(fs::read_to_string(&path).unwrap(), before);
    }
}

#[test]
fn a_file_that_only_held_rules_is_gone_with_them() {
    let env = world();
    done(&env, &["rules", "add", "Never use unwrap outside of tests"]);
    done(&env, &["rules", "--write", "CLAUDE.md", "--yes"]);
    done(&env, &["rules", "--remove", "CLAUDE.md", "--yes"]);
    assert!(!env.project().join("CLAUDE.md").exists());
    assert_ne!(
        env.run(["rules", "--remove", "CLAUDE.md", "--yes"]).code,
        Some(0),
        "there is nothing to take out"
    );
}

#[test]
fn law_6_an_agent_writes_no_rules_into_a_file() {
    let env = world();
    done(&env, &["rules", "add", "Never use unwrap outside of tests"]);
    let refused = env.run_as_agent(["rules", "--write", "AGENTS.md", "--yes", "--json"]);
    assert!(refused.stdout.contains("user_only"), "{refused:?}");
}

/// What the host loads by itself is not injected beside it; a file the host does not load changes nothing.
#[test]
fn a_rule_in_a_file_the_host_loads_is_not_repeated_at_session_start() {
    let env = world();
    done(&env, &["rules", "add", "Never use unwrap outside of tests"]);
    done(&env, &["rules", "add", "--everywhere", "Answer in British English"]);
    let has_both = |text: &str| (text.contains("unwrap"), text.contains("British"));
    done(&env, &["rules", "--write", "AGENTS.md", "--yes"]);
    assert_eq!(has_both(&starts(&env, "a", "startup")), (true, true), "Claude Code does not read AGENTS.md");
    file(&env, "CLAUDE.md", "@AGENTS.md\n");
    let start = starts(&env, "b", "startup");
    assert_eq!(has_both(&start), (false, true));
    let preview = |arguments: &[&str]| without_nonce(env.run(arguments).stdout.trim_end());
    assert_eq!(preview(&["context"]), start, "the preview is for the host last at work");
    assert_eq!(has_both(&preview(&["context", "--host", "gemini-cli"])), (true, true));
    assert!(env.run(["context", "--host", "nobody"]).stderr.contains("nobody"));
    done(&env, &["rules", "--remove", "AGENTS.md", "--yes"]);
    assert_eq!(has_both(&starts(&env, "c", "startup")), (true, true));
}

/// A file that says otherwise misleads every session, as long as it does.
#[test]
fn a_rule_that_a_project_file_contradicts_says_so() {
    let env = world();
    done(&env, &["rules", "add", "We use pnpm here, never npm"]);
    let remark = "CLAUDE.md says otherwise";
    file(&env, "CLAUDE.md", "# Build\n\nWe use npm here, never pnpm.\n");
    assert!(env.run(["rules"]).stdout.contains(remark), "{:?}", env.run(["rules"]));
    assert_eq!(column(&ask(&env, 0, &["rules", "--json"])["rules"], "contradicted_by"), json!([remark]));
    let start = starts(&env, "a", "startup");
    assert!(start.contains(&format!("never npm (today, {remark})")), "{start}");
    file(&env, "CLAUDE.md", "# Build\n\nRun make.\n");
    assert!(!env.run(["rules"]).stdout.contains("otherwise"));
    assert!(!starts(&env, "b", "startup").contains("otherwise"));
}

#[test]
fn what_the_user_wrote_around_the_rules_stays() {
    let env = world();
    done(&env, &["rules", "add", "Never use unwrap outside of tests"]);
    // Below a block that was joined to a text without a last line break.
    let path = file(&env, "AGENTS.md", "no line break at the end");
    done(&env, &["rules", "--write", "AGENTS.md", "--yes"]);
    let block = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{block}More.\n")).unwrap();
    done(&env, &["rules", "--remove", "AGENTS.md", "--yes"]);
    assert_eq!(fs::read_to_string(&path).unwrap(), "no line break at the end\nMore.\n");

    // Saved with other line breaks, it is the same block.
    fs::write(&path, block.replace('\n', "\r\n")).unwrap();
    done(&env, &["rules", "--write", "AGENTS.md", "--yes"]);
    assert_eq!(fs::read_to_string(&path).unwrap().matches("Never use unwrap").count(), 1);

    // Where the block ends is not known: nothing is touched.
    let torn = block.replace("<!-- end of backstory rules -->\n", "Mine.\n");
    fs::write(&path, &torn).unwrap();
    for action in ["--write", "--remove"] {
        let refused = env.run(["rules", action, "AGENTS.md", "--yes"]);
        assert!(refused.code == Some(1) && refused.stderr.contains("damaged"), "{refused:?}");
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), torn);
}
