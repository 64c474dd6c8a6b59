//! `export`: everything leaves as it is, and comes back as it was.

use crate::support::{
    ask, done, done_in, file, import, prompt, remember, rendered, run_in, send, titles, world,
};
use backstory_testkit::{ProgramOutput, TestEnv};
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Stdio;

/// A memory with every field there is.
fn full() -> Value {
    json!({"uid": "full", "kind": "fact", "category": "gotcha", "title": "A title", "body": "A body\nof two lines",
        "created_at": "2024-02-29T23:59:59.999Z", "updated_at": "2025-01-01T00:00:00Z", "files": ["a.rs", "b/c.rs"],
        "concepts": ["ünïcode", "日本"], "facts": ["\"quoted\"", "tab\there"], "importance": 5, "confidence": 0.3125,
        "host": "claude-code", "session": "session-1", "provenance": "web", "scope": "user", "pinned": true,
        "valid_from": "2024-01-01T00:00:00Z", "valid_to": "2027-01-01T00:00:00Z", "times_seen": 7, "times_used": 3,
        "last_used_at": "2025-06-01T00:00:00Z"})
}

fn rich() -> TestEnv {
    let env = world();
    send(&env, prompt("session-1", "hello"));
    let mut full = full();
    full["project_path"] = json!(env.project());
    let old = json!({"uid": "old", "kind": "decision", "title": "Old", "project": "elsewhere"});
    let new = json!({"uid": "new", "kind": "decision", "title": "New", "project": "elsewhere", "supersedes": ["old"]});
    import(&env, &[full, new, old]);
    remember(&env, "Written by hand");
    env
}

fn exported(outcome: &ProgramOutput) -> Vec<Value> {
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    outcome.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn an_export_imported_elsewhere_is_the_same_in_every_field() {
    let env = rich();
    let before = env.run(["export"]);
    let other = world();
    let path = file(&other, "export.jsonl", &before.stdout);
    done(&other, &["import", "--trust", "user", &path]);
    assert_eq!(exported(&before), exported(&other.run(["export"])));
    assert_eq!(ask(&other, 0, &["import", "--json", &path])["known"], 4, "and only once");
    assert_eq!(exported(&before), exported(&other.run(["export"])));

    for (key, value) in full().as_object().unwrap() {
        assert_eq!(exported(&before)[0][key], *value, "{key}");
    }
    assert_eq!(exported(&before)[1]["supersedes"], json!(["old"]));
}

#[test]
fn two_projects_of_one_name_stay_two_through_export_and_import() {
    let env = world();
    for folder in ["one/app", "two/app"] {
        done_in(&env, folder, &["remember", &format!("What holds in {folder}")]);
    }
    let path = env.project().join("export.jsonl").display().to_string();
    done(&env, &["export", &path]);
    let found = |folder: &str| run_in(&env, folder, &["search", "holds", "--compact"]).stdout.lines().count();
    // A new store on the same machine finds them where they were.
    fs::remove_dir_all(env.home()).unwrap();
    done(&env, &["import", "--trust", "user", &path]);
    assert_eq!((found("one/app"), found("two/app")), (1, 1));
    // On another machine they are two all the same.
    let other = world();
    done(&other, &["import", "--trust", "user", &path]);
    let projects = ask(&other, 0, &["project", "list", "--json"])["projects"].clone();
    assert_eq!(projects.as_array().map(Vec::len), Some(2), "{projects}");
}

#[test]
fn an_imported_file_cannot_move_a_folder_to_another_project() {
    let env = world();
    remember(&env, "Mine");
    let place = format!("path:{}", env.project().canonicalize().unwrap().display());
    let theirs = |uid: &str, keys: &[&str]| json!({"uid": uid, "title": "Theirs", "project": "theirs", "project_keys": keys});
    import(&env, &[theirs("a", &["remote:theirs"]), theirs("b", &["remote:theirs", &place])]);
    assert_eq!(titles(&env, &[]), ["Mine"]);
}

#[test]
fn an_exported_file_is_complete_and_private() {
    let env = rich();
    assert_snapshot!(rendered(&env.run(["export", "out.jsonl"])), @r"
        exit 0
        --- err
        exported 4 memories
        ");
    let path = env.project().join("out.jsonl");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let written = fs::read_to_string(&path).unwrap().replace(&env.world().display().to_string(), "[WORLD]");
    assert_eq!(written, env.run(["export", "-"]).stdout);
    let one = env.run(["export", "--project", "elsewhere"]);
    assert_eq!(exported(&one).len(), 2);
    assert_eq!(env.run(["export", "--project", "atlantis"]).code, Some(1));
}

#[test]
fn exporting_to_a_link_or_a_pipe_does_not_replace_it() {
    let env = rich();
    let (target, link, pipe) =
        (env.project().join("target"), env.project().join("link"), env.project().join("pipe"));
    fs::write(&target, "old").unwrap();
    symlink(&target, &link).unwrap();
    done(&env, &["export", "link"]);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(fs::read_to_string(&target).unwrap().starts_with("{\"uid\""));

    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::read_to_string(pipe).unwrap()
    });
    done(&env, &["export", "pipe"]);
    assert_eq!(reader.join().unwrap().lines().count(), 4);
    assert!(!fs::metadata(&pipe).unwrap().is_file());
}

#[test]
fn an_export_without_a_usable_target_is_refused() {
    let env = rich();
    assert_snapshot!(rendered(&env.run(["export", "."])), @r"
        exit 1
        --- err
        error: `.` is a folder

        hint: name a file in it, or say `--format markdown`
        ");
    assert_snapshot!(rendered(&env.run(["export", "no/such/folder/x.jsonl"])), @r"
        exit 1
        --- err
        error: there is no folder `no/such/folder`

        hint: make it first, or name a file in another
        ");
    let empty = world();
    let path = file(&empty, "precious.jsonl", "precious");
    assert_snapshot!(rendered(&empty.run(["export", &path])), @r"
        exit 1
        --- err
        there is nothing to export
        ");
    assert_eq!(fs::read_to_string(path).unwrap(), "precious", "nothing to export leaves the file alone");
}

#[test]
fn a_reader_that_stops_early_is_no_error() {
    let env = world();
    let memory = |number: u32| json!({"uid": number.to_string(), "title": format!("Memory {number}"), "body": "x".repeat(900)});
    import(&env, &(0..400).map(memory).collect::<Vec<_>>());
    for arguments in [&["export"][..], &["search", "--json", "-n", "400"]] {
        let mut child = env.command(arguments).stdout(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let outcome = env.finish(child);
        assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""), "{arguments:?}");
    }
}
