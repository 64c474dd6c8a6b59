//! The plugins of `plugins/`: they connect what `install` connects, in the version of this program, and say so where it is missing.

use crate::install::hostless;
use crate::support::{HOOK, answer, assert_exit, at, done, payload, program, read, remember, run};
use backstory_testkit::{ProgramOutput, TestEnv};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

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
fn every_marketplace_entry_points_at_a_plugin() {
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
fn shared_plugin_files_are_identical() {
    for file in ["backstory.sh", "skills/backstory/SKILL.md"] {
        let bytes = |host: &str| fs::read(plugin("plugins").join(host).join(file)).unwrap();
        for host in ["codex", "gemini-cli", "copilot-cli"] {
            assert!(bytes(host) == bytes("claude-code"), "{file} of {host}");
        }
    }
}

/// Runs what the plugins' hooks run, where `backstory` is found in `path`, or nowhere.
fn run_plugin(env: &TestEnv, path: &str, arguments: &[&str], payload: &str) -> ProgramOutput {
    let script = plugin("plugins/claude-code/backstory.sh");
    let shell = format!("exec /bin/sh '{}' \"$@\"", script.display());
    let run = run(env, arguments).through("/bin/sh", &["-c", &shell]).var("PATH", path);
    run.var("CLAUDE_PLUGIN_DATA", at(env, "data of the plugin")).input(payload).output()
}

const STARTS: &str = r#"{"session_id":"s","hook_event_name":"SessionStart","source":"startup"}"#;

#[test]
fn without_the_program_a_plugin_warns_the_user_once() {
    let env = hostless();
    let bare = |arguments: &[&str], payload: &str| run_plugin(&env, "/usr/bin:/bin", arguments, payload);
    let nothing = ProgramOutput { code: Some(0), stdout: String::new(), stderr: String::new() };
    assert_eq!(bare(&HOOK, &payload("s", "Stop", json!({}))), nothing);
    let warning = bare(&HOOK, STARTS);
    assert_eq!((warning.code, warning.stderr.as_str()), (Some(0), ""));
    let reply = answer(&warning);
    assert!(reply["systemMessage"].as_str().unwrap().contains("Install it"), "{reply}");
    assert_eq!(reply.as_object().unwrap().len(), 1);
    assert_eq!(bare(&HOOK, STARTS), nothing);
    let server = bare(&["mcp"], "");
    assert_exit(&server, 1, "Install it");
    assert_eq!(server.stdout, "");
}

#[test]
fn a_plugin_finds_the_program_where_setup_puts_it() {
    let env = hostless();
    remember(&env, "We decided on SQLite FTS5 for search ranking because it needs no server");
    let bin = at(&env, ".local/bin");
    fs::create_dir_all(&bin).unwrap();
    std::os::unix::fs::symlink(program(), bin.join("backstory")).unwrap();
    for path in ["/usr/bin:/bin", &format!("{}:/usr/bin:/bin", bin.display())] {
        let start = run_plugin(&env, path, &HOOK, STARTS);
        assert_eq!((start.code, start.stderr.as_str()), (Some(0), ""), "{path}");
        assert!(start.stdout.contains("SQLite FTS5"), "{start:?}");
    }
}
