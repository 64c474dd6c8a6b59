//! `doctor` about hosts: that what they would run works is tried, and what does not is named with what to do.

use crate::install::{hostless, steady};
use crate::support::{
    answer, ask, column, count, done, program, read, recorded, remember, rendered, shape, without_numbers,
    write,
};
use backstory_hosts::Host;
use backstory_testkit::TestEnv;
use insta::assert_snapshot;
use serde_json::Value;
use std::fs;
use std::path::PathBuf;

/// A world in which these hosts are connected.
fn connected(hosts: &[&str]) -> TestEnv {
    let env = hostless();
    done(&env, &[&["install", "--yes"], hosts].concat());
    env
}

/// What is printed, without times and the program's path.
fn printed(env: &TestEnv, arguments: &[&str]) -> String {
    steady(&without_numbers(&rendered(&env.run(arguments)), &[" ms"]))
}

/// What is found about a host: its state, then each finding.
fn found(env: &TestEnv, host: &str) -> String {
    let outcome = env.run(["doctor", "--host", host, "--json"]);
    let host = &answer(&outcome)["hosts"][0];
    let findings = host["findings"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let lines = findings
        .map(|one| format!("{}: {} -> {}", text(&one["level"]), text(&one["what"]), text(&one["todo"])));
    let code = outcome.code.unwrap();
    steady(
        &std::iter::once(format!("{}, exit {code}", text(&host["state"])))
            .chain(lines)
            .collect::<Vec<_>>()
            .join("\n"),
    )
}

/// Plays what was recorded of Codex, as its hooks would get it now.
fn play_codex(env: &TestEnv, change: impl Fn(&str) -> String) {
    for line in recorded(env, "codex-0.166.0/tools").lines() {
        let outcome = env.run_with(["hook", "--host", "codex"], change(line));
        assert_eq!(outcome.code, Some(0), "{outcome:?}");
    }
}

#[test]
fn a_connected_host_is_ready_and_after_its_first_hooks_working() {
    let env = connected(&["codex", "windsurf"]);
    assert_snapshot!(printed(&env, &["doctor"]), @r#"
        exit 0
        --- out
        the store is sound
        Codex: ready
          hooks  9 of 9 ran and answered, the slowest in [N] ms
          tools  answered
          note: no hook of it has run yet
            to do: restart Codex where it is running; then approve the hooks in Codex with `/hooks`: until then it skips them without a word; then start a session in Codex
        Windsurf: ready
          tools  answered
        "#);
    play_codex(&env, str::to_owned);
    assert_snapshot!(printed(&env, &["doctor", "--host", "codex"]), @r#"
        exit 0
        --- out
        the store is sound
        Codex: working
          hooks  9 of 9 ran and answered, the slowest in [N] ms
          tools  answered
          last   SessionEnd just now: kept; they take [N] ms
        "#);
}

/// Every event that is worth a hook has one, and each is tried.
#[test]
fn the_hooks_of_every_host_work_as_installed() {
    let names: Vec<&str> = Host::ALL.map(Host::as_str).to_vec();
    let env = connected(&names);
    for host in ask(&env, 0, &["doctor", "--json"])["hosts"].as_array().unwrap() {
        let of: Host = host["host"].as_str().unwrap().parse().unwrap();
        assert_eq!(host["state"], "ready", "{host}");
        assert_eq!(host["mcp_ok"], true, "{host}");
        assert!(host["hooks"].as_array().unwrap().iter().all(|hook| hook["ok"] == true), "{host}");
        let samples = of.samples(&env.project()).into_iter().map(|sample| Value::from(sample.event));
        assert_eq!(column(&host["hooks"], "event"), samples.collect::<Value>(), "{of:?}");
    }
    assert_eq!(env.processes(), [] as [PathBuf; 0], "what was tried has ended");
}

#[test]
fn running_the_hooks_of_a_host_leaves_the_users_store_alone() {
    let env = connected(&["claude-code", "copilot-cli"]);
    remember(&env, "Mine");
    let counts = || ["events", "memories", "sessions", "injections"].map(|what| count(&env, what));
    let before = counts();
    done(&env, &["doctor"]);
    assert_eq!(counts(), before);
    assert_eq!(ask(&env, 0, &["status", "--json"])["hooks"], Value::Array(Vec::new()));
}

/// Rewrites what stands in a host's file.
fn change(env: &TestEnv, path: &str, change: impl Fn(String) -> String) {
    let text = read(env, path);
    let changed = change(text.clone());
    assert_ne!(text, changed, "{path}");
    write(env, path, changed);
}

fn program_path() -> String {
    fs::canonicalize(program()).unwrap().to_string_lossy().into_owned()
}

/// What is noted, and to be done, as long as no hook of Codex has run.
const NO_HOOK: &str = "\nnote: no hook of it has run yet -> restart Codex where it is running; then approve the hooks in Codex with `/hooks`: until then it skips them without a word; then start a session in Codex";

/// What is found about Codex while none of its hooks has run, without the note about that.
fn found_before_hooks(env: &TestEnv) -> String {
    let found = found(env, "codex");
    found.strip_suffix(NO_HOOK).unwrap_or_else(|| panic!("{found}")).to_owned()
}

#[test]
fn a_broken_hook_is_reported_with_what_to_do() {
    let broken = |path: &str, spoil: &dyn Fn(String) -> String| {
        let env = connected(&["codex"]);
        change(&env, path, spoil);
        found_before_hooks(&env)
    };
    let of_hooks = |to: &'static str| move |text: String| text.replace(&program_path(), to);
    assert_snapshot!(broken(".codex/hooks.json", &of_hooks("/nonexistent/backstory")), @r#"
        broken, exit 1
        note: `[WORLD]/user/.codex/hooks.json` is not as this version writes it -> run `backstory install codex`
        broken: `/nonexistent/backstory` cannot be run: No such file or directory (os error 2) -> run `backstory install codex`
        "#);
    assert_snapshot!(broken(".codex/hooks.json", &of_hooks("/bin/echo")), @r#"
        broken, exit 1
        note: `[WORLD]/user/.codex/hooks.json` does not hold our hooks -> run `backstory install codex`
        broken: it runs no hook of ours -> run `backstory install codex`
        "#);
    assert_snapshot!(broken(".codex/config.toml", &of_hooks("/nonexistent/backstory")), @r#"
        broken, exit 1
        note: `[WORLD]/user/.codex/config.toml` is not as this version writes it -> run `backstory install codex`
        broken: `/nonexistent/backstory` cannot be run: No such file or directory (os error 2) -> run `backstory install codex`
        "#);
    assert_snapshot!(broken(".codex/hooks.json", &|text| format!("{{{text}")), @r#"
        broken, exit 1
        broken: `[WORLD]/user/.codex/hooks.json` cannot be changed: line 1, column 2: Unexpected token in object -> mend the file by hand
        broken: it runs no hook of ours -> run `backstory install codex`
        "#);
    // A line that says more than an answer, and one that says nothing.
    assert_snapshot!(broken(".codex/hooks.json", &|text| text.replace("\"'", "\"echo hello; '")), @r#"
        broken, exit 1
        note: `[WORLD]/user/.codex/hooks.json` is not as this version writes it -> run `backstory install codex`
        broken: its hooks for `SessionStart`, `UserPromptSubmit`, `PreToolUse` do not work: Codex would not take its reply: the reply is not one JSON object -> run `backstory install codex`
        broken: its hooks for `PostToolUse`, `Stop`, `SubagentStart`, `SubagentStop`, `PreCompact`, `SessionEnd` do not work: Codex would not take its reply: it takes no reply there -> run `backstory install codex`
        "#);
    assert_snapshot!(broken(".codex/hooks.json", &|text| text.replace("--host codex", "--host codex >/dev/null")), @r#"
        broken, exit 1
        note: `[WORLD]/user/.codex/hooks.json` is not as this version writes it -> run `backstory install codex`
        broken: its hooks for `SessionStart` do not work: it injected nothing of what is remembered -> run `backstory install codex`
        "#);
    assert_snapshot!(broken(".codex/hooks.json", &|text| text.replace("--host codex", "--host codex; exit 3")), @r#"
        broken, exit 1
        note: `[WORLD]/user/.codex/hooks.json` does not hold our hooks -> run `backstory install codex`
        broken: it runs no hook of ours -> run `backstory install codex`
        "#);
    assert_snapshot!(broken(".codex/hooks.json", &|text| text.replace("\"'", "\"BACKSTORY_HOME=$PWD/other '")), @r#"
        broken, exit 1
        note: `[WORLD]/user/.codex/hooks.json` is not as this version writes it -> run `backstory install codex`
        broken: its hooks for `SessionStart` do not work: it injected nothing of what is remembered -> run `backstory install codex`
        broken: its hooks for `UserPromptSubmit`, `PreToolUse`, `PostToolUse`, `Stop`, `SubagentStart`, `SubagentStop`, `PreCompact`, `SessionEnd` do not work: it ran and left no trace: it is not this program, or has another store -> run `backstory install codex`
        "#);
}

/// Something else lies where our program was.
#[test]
fn another_program_of_our_name_is_detected() {
    let of_mode = |mode: u32| {
        use std::os::unix::fs::PermissionsExt;
        let env = connected(&["codex"]);
        let other = env.world().join("backstory");
        fs::write(&other, "#!/bin/sh\necho something else\n").unwrap();
        fs::set_permissions(&other, fs::Permissions::from_mode(mode)).unwrap();
        for file in [".codex/hooks.json", ".codex/config.toml"] {
            change(&env, file, |text| text.replace(&program_path(), &other.to_string_lossy()));
        }
        found_before_hooks(&env)
    };
    assert_snapshot!(of_mode(0o755), @r#"
        broken, exit 1
        broken: `[WORLD]/backstory` is not Backstory -> run `backstory install codex`
        "#);
    assert_snapshot!(of_mode(0o644), @r#"
        broken, exit 1
        broken: `[WORLD]/backstory` cannot be run: Permission denied (os error 13) -> run `backstory install codex`
        "#);
}

#[test]
fn missing_hooks_are_reported() {
    let env = connected(&["codex"]);
    change(&env, ".codex/hooks.json", |text| text.replace("\"Stop\"", "\"Stopped\""));
    assert_snapshot!(found_before_hooks(&env), @r#"
        ready, exit 0
        note: `[WORLD]/user/.codex/hooks.json` is not as this version writes it -> run `backstory install codex`
        note: no hook for Stop -> run `backstory install codex`
        "#);
    fs::remove_file(env.world().join("user/.codex/hooks.json")).unwrap();
    assert_snapshot!(found_before_hooks(&env), @r#"
        broken, exit 1
        note: `[WORLD]/user/.codex/hooks.json` does not hold our hooks -> run `backstory install codex`
        broken: it runs no hook of ours -> run `backstory install codex`
        "#);
}

#[test]
fn a_host_that_is_not_connected_fails_doctor_only_when_it_is_named() {
    let env = hostless();
    write(&env, ".gemini/settings.json", "{}");
    assert_snapshot!(printed(&env, &["doctor"]), @r#"
        exit 0
        --- out
        the store is sound
        Gemini CLI: not connected
          note: nothing of it is remembered
            to do: run `backstory install gemini-cli`
        "#);
    assert_snapshot!(found(&env, "gemini-cli"), @r#"
        not connected, exit 1
        broken: nothing of it is remembered -> run `backstory install gemini-cli`
        "#);
    assert_snapshot!(found(&env, "zed"), @r#"
        not connected, exit 1
        broken: it is not on this machine -> run `backstory install zed`
        "#);
}

#[test]
fn a_host_connected_twice_is_reported() {
    let env = connected(&["claude-code"]);
    change(&env, ".claude/settings.json", |text| {
        text.replacen('{', "{\"enabledPlugins\": {\"backstory@market\": true},", 1)
    });
    assert_snapshot!(found(&env, "claude-code"), @r#"
        ready, exit 0
        note: it is connected twice, by the plugin `backstory@market` and by its settings: every hook runs twice -> `backstory uninstall claude-code` keeps the plugin alone
        note: no hook of it has run yet -> restart Claude Code where it is running; then start a session in Claude Code
        "#);
}

#[test]
fn a_host_connected_by_its_plugin_alone_is_connected() {
    let env = hostless();
    write(&env, ".claude/settings.json", "{\"enabledPlugins\": {\"backstory@market\": true}}");
    assert_snapshot!(found(&env, "claude-code"), @r#"
        ready, exit 0
        note: it is connected by its plugin `backstory@market`, whose hooks are not tried here -> -
        note: no hook of it has run yet -> restart Claude Code where it is running; then start a session in Claude Code
        "#);
}

/// The session went on in silence; here it is reported.
#[test]
fn a_field_that_a_host_renamed_is_detected() {
    let mut findings = String::new();
    for field in
        ["hook_event_name", "session_id", "cwd", "prompt", "tool_name", "tool_input", "tool_response"]
    {
        let env = connected(&["codex"]);
        for _ in 0..2 {
            play_codex(&env, |line| line.replace(&format!("\"{field}\":"), &format!("\"{field}V2\":")));
        }
        let todo = " -> update Backstory; until then part of what happens there is not remembered";
        findings += &format!("{field}: {}\n", found(&env, "codex").replace(todo, ""));
    }
    assert_snapshot!(findings, @r#"
        hook_event_name: broken, exit 1
        broken: nothing of its last 44 hooks was understood: its payloads have changed
        session_id: broken, exit 1
        broken: its payloads lack the session now: `PostToolUse`, `PreToolUse`, `SessionEnd`, `SessionStart`, `Stop`, `UserPromptSubmit`
        cwd: broken, exit 1
        broken: its payloads lack the folder now: `PostToolUse`, `PreToolUse`, `SessionEnd`, `SessionStart`, `Stop`, `UserPromptSubmit`
        prompt: broken, exit 1
        broken: its payloads lack the prompt now: `UserPromptSubmit`
        tool_name: broken, exit 1
        broken: its payloads lack the tool now: `PostToolUse`, `PreToolUse`
        tool_input: broken, exit 1
        broken: its payloads lack the input now: `PostToolUse`, `PreToolUse`
        tool_response: broken, exit 1
        broken: its payloads lack the response now: `PostToolUse`
        "#);
}

/// The host calls its events by other names: each is kept as it is, and nothing is understood.
#[test]
fn events_that_a_host_renamed_are_detected() {
    let env = connected(&["codex"]);
    for _ in 0..3 {
        play_codex(&env, |line| line.replace("\"hook_event_name\":\"", "\"hook_event_name\":\"V2."));
    }
    assert_snapshot!(found(&env, "codex"), @r#"
        broken, exit 1
        broken: nothing of its last 50 hooks was understood: its payloads have changed -> update Backstory; until then part of what happens there is not remembered
        "#);
}

#[test]
fn the_report_of_a_host_has_a_fixed_json_shape() {
    let env = connected(&["codex"]);
    play_codex(&env, str::to_owned);
    assert_snapshot!(shape(&ask(&env, 0, &["doctor", "--host", "codex", "--json"])["hosts"][0]), @r#"{files: [{path: text, state: text, what: text}], findings: [], hooks: [{event: text, ms: number, ok: bool, problem: null}], host: text, last_hook: {at: text, event: text, outcome: text}, mcp: [text], mcp_ok: bool, plugin: null, program: text, program_version: text, state: text, usual_ms: number}"#);
}
