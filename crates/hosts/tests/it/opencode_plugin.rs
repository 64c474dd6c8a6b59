//! OpenCode's plugin under Node, with programs in place of ours that do everything a program must not do.
//!
//! Not here: the plugin in the real OpenCode (`tests/e2e`).

use backstory_hosts::opencode_plugin;
use serde_json::Value;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where a program is: a path nobody would choose.
fn place(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("opencode it's \"{name}\""))
}

/// Plays a session to the plugin, which runs `script`. Returns what became of what OpenCode would send.
fn played(name: &str, script: Option<&str>) -> Option<Value> {
    if Command::new("node").arg("--version").output().is_err() {
        eprintln!("SKIPPED: the plugin for OpenCode is not tested, there is no `node` here");
        return None;
    }
    let place = place(name);
    // What an earlier run left.
    drop(fs::remove_dir_all(&place));
    fs::create_dir_all(&place).unwrap();
    let program = place.join("program");
    if let Some(script) = script {
        fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
    }
    let plugin = place.join("plugin.mjs");
    fs::write(&plugin, opencode_plugin(&program)).unwrap();
    let driver = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/opencode_session.mjs");
    let output = Command::new("node").arg(driver).arg(&plugin).current_dir(&place).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

#[test]
fn the_plugin_puts_replies_where_the_model_reads_them() {
    let script = r#"cat >>parsed; echo " $5" >>parsed; printf '{"context":"for %s"}' "$5""#;
    let Some(played) = played("that answers", Some(script)) else { return };
    assert_eq!(
        played,
        serde_json::json!({
            "title": ["You are a title generator."],
            "main": ["You are an agent.\n\nfor session.started"],
            "again": ["You are an agent.\n\nfor session.started"],
            "prompt": ["do it", "for chat.message"],
            "output": "done\n\nfor tool.execute.after",
            "compacting": ["for experimental.session.compacting"],
            "compaction": ["You are a context summarization agent."],
            "compacted": ["You are an agent.\n\nfor session.compacted"],
        })
    );
    let parsed = fs::read_to_string(place("that answers").join("parsed")).unwrap();
    let events: Vec<&str> = parsed.lines().filter_map(|line| line.rsplit(' ').next()).collect();
    assert_eq!(
        events,
        [
            "session.started",
            "chat.message",
            "tool.execute.after",
            "tool.failed",
            "experimental.session.compacting",
            "session.compacted",
            "session.idle",
            "session.ended"
        ]
    );
    let idle = parsed.lines().find(|line| line.ends_with("session.idle")).unwrap();
    assert!(idle.contains(r#""message":"All done.""#), "{idle}");
}

#[test]
fn a_program_that_misbehaves_changes_nothing() {
    let silent = serde_json::json!({
        "title": ["You are a title generator."],
        "main": ["You are an agent."],
        "again": ["You are an agent."],
        "prompt": ["do it"],
        "output": "done",
        "compacting": [],
        "compaction": ["You are a context summarization agent."],
        "compacted": ["You are an agent."],
    });
    for (name, script) in [
        ("that is missing", None),
        ("that says nothing", Some("cat >/dev/null")),
        ("that reads nothing", Some("exit 0")),
        ("that prints garbage", Some("cat >/dev/null; echo 'panicked at {'")),
        ("that prints no object", Some("cat >/dev/null; echo '[1]'")),
        ("that prints null", Some("cat >/dev/null; echo null")),
        ("that prints a number for a text", Some(r#"cat >/dev/null; echo '{"context":7,"to_user":{}}'"#)),
        ("that fails", Some(r#"cat >/dev/null; echo '{"context":"x"}'; exit 1"#)),
        ("that prints without end", Some("exec yes")),
        ("that hangs", Some("echo $$ >>pids; exec sleep 600")),
    ] {
        if let Some(played) = played(name, script) {
            assert_eq!(played, silent, "a program {name}");
        }
    }
    let pids = place("that hangs").join("pids");
    for pid in fs::read_to_string(pids).unwrap_or_default().lines() {
        assert!(!Path::new("/proc").join(pid).join("stat").exists(), "process {pid} is left");
    }
}
