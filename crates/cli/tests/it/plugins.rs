//! The plugins of `plugins/`: they connect what `install` connects, in the version of this program, and say so where it is missing.

use crate::support::{done, remember};
use crate::wiring::{hostless, read};
use backstory_testkit::TestEnv;
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn plugin(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

fn manifest(path: &str) -> Value {
    let text = fs::read_to_string(plugin(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Puts one word in place of every command, so that what is left can be compared.
fn without_commands(mut hooks: Value) -> Value {
    match &mut hooks {
        Value::Object(fields) => {
            for (name, value) in fields.iter_mut() {
                let is_command = value.is_string() && (name == "command" || name == "bash");
                *value = if is_command { json!("[COMMAND]") } else { without_commands(value.take()) };
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| *item = without_commands(item.take())),
        _ => {}
    }
    hooks
}

/// Returns every command in some hooks.
fn commands(hooks: &Value) -> Vec<String> {
    match hooks {
        Value::Object(fields) => fields
            .iter()
            .flat_map(|(name, value)| match value {
                Value::String(line) if name == "command" || name == "bash" => vec![line.clone()],
                value => commands(value),
            })
            .collect(),
        Value::Array(items) => items.iter().flat_map(commands).collect(),
        _ => Vec::new(),
    }
}

/// The file of hooks `install` writes, and that of the plugin.
const HOOKS: [(&str, &str, &str); 4] = [
    ("claude-code", ".claude/settings.json", "plugins/claude-code/hooks/hooks.json"),
    ("codex", ".codex/hooks.json", "plugins/codex/hooks/hooks.json"),
    ("gemini-cli", ".gemini/settings.json", "plugins/gemini-cli/hooks/hooks.json"),
    ("copilot-cli", ".copilot/hooks/backstory.json", "plugins/copilot-cli/hooks.json"),
];

#[test]
fn a_plugin_runs_the_hooks_that_install_writes() {
    for (host, installed, brought) in HOOKS {
        let env = hostless();
        done(&env, &["install", host, "--yes"]);
        let installed: Value = serde_json::from_str(&read(&env, installed)).unwrap();
        let brought = manifest(brought);
        assert_eq!(
            without_commands(brought["hooks"].clone()),
            without_commands(installed["hooks"].clone()),
            "{host}"
        );
        let ending = |lines: Vec<String>| -> Vec<String> {
            lines.iter().map(|line| line.split_once(" hook ").unwrap().1.to_owned()).collect()
        };
        assert_eq!(ending(commands(&brought["hooks"])), ending(commands(&installed["hooks"])), "{host}");
    }
}

const MANIFESTS: [&str; 4] = [
    "plugins/claude-code/.claude-plugin/plugin.json",
    "plugins/codex/.codex-plugin/plugin.json",
    "plugins/gemini-cli/gemini-extension.json",
    "plugins/copilot-cli/plugin.json",
];

#[test]
fn a_plugin_has_the_version_of_the_program() {
    for path in MANIFESTS {
        let manifest = manifest(path);
        assert_eq!(manifest["name"], "backstory", "{path}");
        assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"), "{path}");
    }
}

#[test]
fn a_marketplace_points_at_plugins_that_are_there() {
    for (path, manifest_of_plugin) in [
        (".claude-plugin/marketplace.json", ".claude-plugin/plugin.json"),
        (".agents/plugins/marketplace.json", ".codex-plugin/plugin.json"),
        (".github/plugin/marketplace.json", "plugin.json"),
    ] {
        let market = manifest(path);
        for entry in market["plugins"].as_array().unwrap() {
            let source = entry["source"].as_str().or(entry["source"]["path"].as_str()).unwrap();
            assert!(plugin(source).join(manifest_of_plugin).is_file(), "{source} of {path}");
        }
    }
}

/// Hosts take a folder as it is, so each has a copy.
#[test]
fn what_plugins_have_in_common_is_the_same() {
    for file in ["backstory.sh", "skills/backstory/SKILL.md"] {
        let of = |host: &str| fs::read(plugin("plugins").join(host).join(file)).unwrap();
        for host in ["codex", "gemini-cli", "copilot-cli"] {
            assert!(of(host) == of("claude-code"), "{file} of {host}");
        }
    }
}

/// Runs what the plugins' hooks run, where `backstory` is found in `path`, or nowhere.
fn run(env: &TestEnv, path: &str, arguments: &[&str], said: &str) -> (Option<i32>, String, String) {
    let mut command = Command::new("/bin/sh");
    command.arg(plugin("plugins/claude-code/backstory.sh")).args(arguments).env_clear();
    command.env("HOME", env.world().join("user")).env("PATH", path).env("BACKSTORY_HOME", env.home());
    command.env("CLAUDE_PLUGIN_DATA", env.world().join("user/data of the plugin"));
    command.current_dir(env.project()).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(said.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

const STARTS: &str = r#"{"session_id":"s","hook_event_name":"SessionStart","source":"startup"}"#;
const HOOK: [&str; 3] = ["hook", "--host", "claude-code"];

#[test]
fn without_the_program_a_plugin_is_silent_and_tells_the_user_once() {
    let env = hostless();
    let stops = r#"{"session_id":"s","hook_event_name":"Stop"}"#;
    let nothing = (Some(0), String::new(), String::new());
    assert_eq!(run(&env, "/usr/bin:/bin", &HOOK, stops), nothing);
    let (code, out, err) = run(&env, "/usr/bin:/bin", &HOOK, STARTS);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let answer: Value = serde_json::from_str(&out).unwrap();
    assert!(answer["systemMessage"].as_str().unwrap().contains("Install it"), "{out}");
    assert_eq!(answer.as_object().unwrap().len(), 1);
    assert_eq!(run(&env, "/usr/bin:/bin", &HOOK, STARTS), nothing);
    let (code, out, err) = run(&env, "/usr/bin:/bin", &["mcp"], "");
    assert!(code == Some(1) && out.is_empty() && err.contains("Install it"), "{err}");
}

#[test]
fn a_plugin_finds_the_program_where_setup_puts_it() {
    let env = hostless();
    remember(&env, "We decided on SQLite FTS5 for search ranking because it needs no server");
    let bin = env.world().join("user/.local/bin");
    fs::create_dir_all(&bin).unwrap();
    std::os::unix::fs::symlink(crate::support::program(), bin.join("backstory")).unwrap();
    for path in ["/usr/bin:/bin", &format!("{}:/usr/bin:/bin", bin.display())] {
        let (code, out, err) = run(&env, path, &HOOK, STARTS);
        assert_eq!((code, err.as_str()), (Some(0), ""), "{path}");
        assert!(out.contains("SQLite FTS5"), "{out}");
    }
}
