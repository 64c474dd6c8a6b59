//! A folder that claims to be a project of the user, and a repository whose settings name programs: through the real binary.

use crate::support::{
    HOOK, ask, at, event, git, harmless, patient_world, payload, rendered, run, titles, write,
};
use backstory_testkit::{ProgramOutput, TestEnv};
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::fs;

const SECRET: &str = "The deploy key lives in vault seven";

/// Holds neither the name nor the path that the folder claims.
const QUESTION: &str = "This folder says it is Backstory's project 1, which you have in another folder; nothing proves it, so it \
    sees nothing of it. `backstory project link 1` joins them, `backstory project unlink` keeps them apart.";

/// A world with a project that knows something, and another folder beside it.
fn world_with_secret() -> TestEnv {
    let env = patient_world();
    for folder in ["secret", "forged"] {
        write(&env, &format!("{folder}/file"), folder);
        git(&env, &["init", "--quiet", &at(&env, folder).display().to_string()]);
        in_folder(&env, folder, &["add", "--all"]);
        in_folder(&env, folder, &["commit", "--quiet", "--message", &format!("begin {folder}")]);
    }
    in_folder(&env, "secret", &["remote", "add", "origin", "https://example.org/team/secret.git"]);
    done_there(&env, "secret", &["remember", SECRET, "--pin"]);
    env
}

fn in_folder(env: &TestEnv, folder: &str, arguments: &[&str]) {
    let folder = at(env, folder).display().to_string();
    let who = ["-c", "user.name=Someone", "-c", "user.email=someone@example.org"];
    git(env, &[&["-C", &folder][..], &who, arguments].concat());
}

fn run_there(env: &TestEnv, folder: &str, arguments: &[&str]) -> ProgramOutput {
    run(env, arguments).within(at(env, folder)).output()
}

fn done_there(env: &TestEnv, folder: &str, arguments: &[&str]) {
    let outcome = run_there(env, folder, arguments);
    assert_eq!(outcome.code, Some(0), "{arguments:?}: {outcome:?}");
}

/// Starts a session in a folder and returns what the host reads.
fn reply_in(env: &TestEnv, folder: &str, session: &str) -> Value {
    let cwd = at(env, folder).display().to_string();
    let outcome = event(env, session, "SessionStart", json!({"source": "startup", "cwd": cwd}));
    harmless(&outcome);
    serde_json::from_str(&outcome.stdout).unwrap_or_default()
}

/// Starts a session in a folder and returns what is injected.
fn starts_in(env: &TestEnv, folder: &str, session: &str) -> String {
    let reply = reply_in(env, folder, session);
    reply["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn law_8_a_folder_that_claims_a_project_sees_nothing_of_it_until_the_user_says_so() {
    let env = world_with_secret();
    write(&env, "forged/.backstory.toml", "project = \"secret\"\n");
    in_folder(&env, "forged", &["remote", "add", "origin", "git@example.org:team/secret.git"]);
    assert!(starts_in(&env, "secret", "s1").contains(SECRET));
    let reply = reply_in(&env, "forged", "s2");
    assert!(!reply.to_string().contains(SECRET));
    assert_eq!(reply["systemMessage"], QUESTION);
    assert_eq!(reply_in(&env, "forged", "s2b").get("systemMessage"), None, "it is asked once");
    assert!(titles_in(&env, "forged").is_empty());
    assert_snapshot!(rendered(&run_there(&env, "forged", &["project"])), @r"
        exit 0
        --- out
        2    secret                        0 memories     2 sessions  [WORLD]/user/forged
        --- err
        note: `[WORLD]/user/forged` says it is the same project as `secret` in `[WORLD]/user/secret`, and nothing proves it; in that folder, `backstory project link 1` joins them and `backstory project unlink` keeps them apart
        ");
    let question = &ask(&env, 0, &["status", "--json"])["questions"];
    assert_eq!(question.as_array().map(Vec::len), Some(1), "{question}");
    assert_eq!(&ask(&env, 0, &["doctor", "--json"])["notes"], question);
    assert_eq!(run_there(&env, "forged", &["project", "share"]).code, Some(1));
    let refused = run_there(&env, "forged", &["project", "link"]);
    assert!(refused.code != Some(0) && refused.stderr.contains("only the user can say"), "{refused:?}");
    done_there(&env, "forged", &["project", "unlink"]);
    assert_eq!(ask(&env, 0, &["status", "--json"])["questions"], json!([]), "the user has answered");
    assert!(titles_in(&env, "forged").is_empty());
    done_there(&env, "forged", &["remember", "Written in the other folder"]);
    done_there(&env, "forged", &["project", "link", "../secret", "--yes"]);
    assert_eq!(titles_in(&env, "forged").len(), 2, "both see both now");
    assert!(starts_in(&env, "forged", "s3").contains(SECRET));
    done_there(&env, "forged", &["project", "unlink"]);
    assert!(titles_in(&env, "forged").is_empty(), "memories stay where they are");
    assert_eq!(titles_in(&env, "secret").len(), 2);
    backstory_testkit::held("A03", 3, 1, "folders that claim a project see nothing of it");
}

fn titles_in(env: &TestEnv, folder: &str) -> Vec<String> {
    let found = run_there(env, folder, &["search", "--json"]);
    let found: serde_json::Value = serde_json::from_str(&found.stdout).unwrap();
    let hits = found["hits"].as_array().or(found["memories"].as_array()).cloned().unwrap_or_default();
    hits.iter().map(|hit| hit["title"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn a_clone_and_a_worktree_are_the_same_project_without_a_question() {
    let env = world_with_secret();
    starts_in(&env, "secret", "s1");
    let [from, to] = ["secret", "clone"].map(|folder| at(&env, folder).display().to_string());
    git(&env, &["clone", "--quiet", &from, &to]);
    in_folder(&env, "clone", &["remote", "set-url", "origin", "git@example.org:team/secret.git"]);
    in_folder(&env, "secret", &["worktree", "add", "--quiet", "../tree"]);
    for folder in ["clone", "tree"] {
        assert!(starts_in(&env, folder, folder).contains(SECRET), "{folder}");
    }
    fs::rename(at(&env, "clone"), at(&env, "renamed")).unwrap();
    assert!(starts_in(&env, "renamed", "s4").contains(SECRET));
    assert_eq!(ask(&env, 0, &["status", "--json"])["questions"], json!([]));
    assert_eq!(ask(&env, 0, &["project", "list", "--json"])["projects"].as_array().map(Vec::len), Some(1));
}

/// Relative entries of `PATH`, entries inside of the tree, and git's own variables: all lead to programs of the repository.
#[cfg(unix)]
#[test]
fn a_hook_runs_no_program_of_the_repository() {
    let env = world_with_secret();
    let mark = at(&env, "mark");
    let script = format!("#!/bin/sh\ntouch '{}'\n", mark.display());
    for name in ["forged/git", "forged/bin/git", "forged/bin/git-status", "forged/program"] {
        write(&env, name, &script);
        backstory_platform::make_executable(&at(&env, name)).unwrap();
    }
    let forged = at(&env, "forged");
    let program = forged.join("program").display().to_string();
    #[expect(clippy::disallowed_methods, reason = "git is where the machine has it")]
    let machine = std::env::var("PATH").unwrap();
    let search_path = format!(".:bin::{}:{machine}", forged.join("bin").display());
    for (name, fields) in [
        ("SessionStart", json!({"source": "startup"})),
        ("UserPromptSubmit", json!({"prompt": "What is dirty here?"})),
        ("Stop", json!({})),
    ] {
        let mut fields = fields;
        fields["cwd"] = json!(forged);
        let outcome = run(&env, HOOK)
            .within(&forged)
            .var("PATH", &search_path)
            .var("GIT_EXEC_PATH", forged.join("bin"))
            .var("GIT_EXTERNAL_DIFF", &program)
            .var("GIT_SSH_COMMAND", &program)
            .var("GIT_CONFIG_COUNT", "1")
            .var("GIT_CONFIG_KEY_0", "core.fsmonitor")
            .var("GIT_CONFIG_VALUE_0", &program)
            .input(payload("s", name, fields))
            .output();
        harmless(&outcome);
        assert!(!mark.exists(), "{name}");
    }
    let keys = ask(&env, 0, &["project", "show", "forged", "--json"])["projects"][0]["keys"].to_string();
    assert!(keys.contains("commit:"), "git answered all the same: {keys}");
    assert_eq!(titles(&env, &["--project", "forged"]), [""; 0]);
    backstory_testkit::held("A02", 2, 3, "hooks run no `git` of the repository");
}
