//! `export`: everything leaves as it is, and comes back as it was.

use crate::support::{ask, done, file, hear, lines, prompt, remember, run_in, titles, told, world};
use backstory_testkit::{ProgramOutput, TestEnv};
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Stdio;

fn rich() -> TestEnv {
    let env = world();
    hear(&env, prompt("session-1", "hello"));
    let full = json!({"uid": "full", "kind": "fact", "category": "gotcha", "title": "A title", "body": "A body\nof two lines",
        "created_at": "2024-02-29T23:59:59.999Z", "updated_at": "2025-01-01T00:00:00Z", "files": ["a.rs", "b/c.rs"],
        "concepts": ["ünïcode", "日本"], "facts": ["\"quoted\"", "tab\there"], "importance": 5, "confidence": 0.3125,
        "host": "claude-code", "session": "session-1", "provenance": "external", "scope": "user", "pinned": true,
        "valid_from": "2024-01-01T00:00:00Z", "valid_to": "2027-01-01T00:00:00Z", "times_seen": 7, "times_used": 3,
        "last_used_at": "2025-06-01T00:00:00Z", "project_path": env.project()});
    let old = json!({"uid": "old", "kind": "decision", "title": "Old", "project": "elsewhere"});
    let new = json!({"uid": "new", "kind": "decision", "title": "New", "project": "elsewhere", "supersedes": ["old"]});
    assert_eq!(env.run(["import", &lines(&env, &[full, new, old])]).code, Some(0));
    remember(&env, "Written by hand");
    env
}

fn exported(outcome: &ProgramOutput) -> Vec<Value> {
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    outcome.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn what_leaves_one_store_arrives_in_another_as_it_was() {
    let env = rich();
    let before = env.run(["export"]);
    let other = world();
    let path = file(&other, "export.jsonl", &before.stdout);
    assert_eq!(other.run(["import", &path]).code, Some(0));
    assert_eq!(exported(&before), exported(&other.run(["export"])));
    assert_eq!(ask(&other, 0, &["import", "--json", &path])["known"], 4, "and only once");
    assert_eq!(exported(&before), exported(&other.run(["export"])));

    let full = &exported(&before)[0];
    for key in [
        "uid",
        "category",
        "provenance",
        "pinned",
        "scope",
        "session",
        "host",
        "confidence",
        "times_seen",
        "times_used",
        "valid_from",
        "valid_to",
        "last_used_at",
        "created_at",
        "updated_at",
        "facts",
        "concepts",
        "files",
    ] {
        assert!(!full[key].is_null(), "{key} in {full}");
    }
    assert_eq!(
        (&full["created_at"], &full["provenance"]),
        (&json!("2024-02-29T23:59:59.999Z"), &json!("external"))
    );
    assert_eq!(exported(&before)[1]["supersedes"], json!(["old"]));
}

#[test]
fn projects_of_one_name_stay_two_when_they_travel() {
    let env = world();
    for folder in ["one/app", "two/app"] {
        assert_eq!(run_in(&env, folder, &["remember", &format!("What holds in {folder}")]).code, Some(0));
    }
    let path = env.project().join("export.jsonl").display().to_string();
    done(&env, &["export", &path]);
    let found = |folder: &str| run_in(&env, folder, &["search", "holds", "--compact"]).stdout.lines().count();
    // A new store on the same machine finds them where they were.
    fs::remove_dir_all(env.home()).unwrap();
    done(&env, &["import", &path]);
    assert_eq!((found("one/app"), found("two/app")), (1, 1));
    // On another machine they are two all the same.
    let other = world();
    done(&other, &["import", &path]);
    let projects = ask(&other, 0, &["project", "list", "--json"])["projects"].clone();
    assert_eq!(projects.as_array().map(Vec::len), Some(2), "{projects}");
}

#[test]
fn a_file_cannot_move_a_folder_to_another_project() {
    let env = world();
    remember(&env, "Mine");
    let place = format!("path:{}", env.project().canonicalize().unwrap().display());
    let theirs = |uid: &str, keys: &[&str]| json!({"uid": uid, "title": "Theirs", "project": "theirs", "project_keys": keys});
    let path = lines(&env, &[theirs("a", &["remote:theirs"]), theirs("b", &["remote:theirs", &place])]);
    done(&env, &["import", &path]);
    assert_eq!(titles(&env, &[]), ["Mine"]);
}

#[test]
fn an_export_is_a_whole_file_nobody_else_reads() {
    let env = rich();
    assert_snapshot!(told(&env.run(["export", "out.jsonl"])), @r"
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
fn a_link_stays_a_link_and_a_device_stays_a_device() {
    let env = rich();
    let (target, link, pipe) =
        (env.project().join("target"), env.project().join("link"), env.project().join("pipe"));
    fs::write(&target, "old").unwrap();
    symlink(&target, &link).unwrap();
    assert_eq!(env.run(["export", "link"]).code, Some(0));
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(fs::read_to_string(&target).unwrap().starts_with("{\"uid\""));

    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::read_to_string(pipe).unwrap()
    });
    assert_eq!(env.run(["export", "pipe"]).code, Some(0));
    assert_eq!(reader.join().unwrap().lines().count(), 4);
    assert!(!fs::metadata(&pipe).unwrap().is_file());
}

#[test]
fn an_export_with_nowhere_to_go_is_told_so() {
    let env = rich();
    assert_snapshot!(told(&env.run(["export", "."])), @r"
        exit 1
        --- err
        error: `.` is a folder

        hint: name a file in it, or say `--format markdown`
        ");
    assert_snapshot!(told(&env.run(["export", "no/such/folder/x.jsonl"])), @r"
        exit 1
        --- err
        error: there is no folder `no/such/folder`

        hint: make it first, or name a file in another
        ");
    let empty = world();
    let path = file(&empty, "precious.jsonl", "precious");
    assert_snapshot!(told(&empty.run(["export", &path])), @r"
        exit 1
        --- err
        there is nothing to export
        ");
    assert_eq!(fs::read_to_string(path).unwrap(), "precious", "nothing to export leaves the file alone");
}

#[test]
fn whoever_stops_reading_early_has_seen_enough() {
    let env = world();
    let memory = |number: u32| json!({"uid": number.to_string(), "title": format!("Memory {number}"), "body": "x".repeat(900)});
    done(&env, &["import", &lines(&env, &(0..400).map(memory).collect::<Vec<_>>())]);
    for arguments in [&["export"][..], &["search", "--json", "-n", "400"]] {
        let mut child = env.command(arguments).stdout(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let outcome = env.finish(child);
        assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""), "{arguments:?}");
    }
}
