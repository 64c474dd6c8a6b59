//! `install` and `uninstall`: what is written where, that it is agreed to first, and that it can be undone.

use crate::support::{
    answer, ask, assert_exit, at, column, done, program, read, rendered, run, world, write,
};
use backstory_testkit::TestEnv;
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::fs;

/// A world whose search path holds no host: only what a test puts there is found.
pub(crate) fn hostless() -> TestEnv {
    world().with("PATH", "/nonexistent")
}

/// Replaces the program's own path.
pub(crate) fn steady(text: &str) -> String {
    let program = fs::canonicalize(program()).unwrap();
    text.replace(&*program.to_string_lossy(), "[PROGRAM]")
}

#[test]
fn law_10_the_users_files_are_theirs() {
    let env = hostless();
    let settings = "{\n  // mine\n  \"model\": \"opus\", // why\n  \"hooks\": {\n    \"Stop\": [{ \"hooks\": [{ \"type\": \"command\", \"command\": \"say done\" }] }]\n  },\n}\n";
    write(&env, ".claude/settings.json", settings);
    write(&env, ".codex/config.toml", "# mine\nmodel = \"x\"\n[mcp_servers.other]\ncommand = \"y\" # keep");
    write(&env, ".gemini/settings.json", "{\"theirs\":{\"a\":1}}");
    let theirs = env.files_of_others();

    done(&env, &["install", "--yes"]);
    assert_snapshot!(steady(&read(&env, ".claude/settings.json")), @r#"
        {
          // mine
          "model": "opus", // why
          "hooks": {
            "Stop": [{ "hooks": [{ "type": "command", "command": "say done" }] }, {"hooks": [{"command": "'[PROGRAM]' hook --host claude-code", "timeout": 10, "type": "command"}]}],
            "SessionStart": [{"hooks": [{"command": "'[PROGRAM]' hook --host claude-code", "timeout": 10, "type": "command"}]}],
            "UserPromptSubmit": [{"hooks": [{"command": "'[PROGRAM]' hook --host claude-code", "timeout": 10, "type": "command"}]}],
            "PreToolUse": [{"hooks": [{"command": "'[PROGRAM]' hook --host claude-code", "timeout": 10, "type": "command"}], "matcher": "Bash|PowerShell|Edit|MultiEdit|Write|NotebookEdit"}],
            "PostToolUse": [{"hooks": [{"command": "'[PROGRAM]' hook --host claude-code", "timeout": 10, "type": "command"}]}],
            "PostToolUseFailure": [{"hooks": [{"command": "'[PROGRAM]' hook --host claude-code", "timeout": 10, "type": "command"}]}],
            "StopFailure": [{"hooks": [{"command": "'[PROGRAM]' hook --host claude-code", "timeout": 10, "type": "command"}]}],
            "SubagentStart": [{"hooks": [{"command": "'[PROGRAM]' hook --host claude-code", "timeout": 10, "type": "command"}]}],
            "SubagentStop": [{"hooks": [{"command": "'[PROGRAM]' hook --host claude-code", "timeout": 10, "type": "command"}]}],
            "PreCompact": [{"hooks": [{"command": "'[PROGRAM]' hook --host claude-code", "timeout": 10, "type": "command"}]}],
            "PostCompact": [{"hooks": [{"command": "'[PROGRAM]' hook --host claude-code", "timeout": 10, "type": "command"}]}],
            "SessionEnd": [{"hooks": [{"command": "'[PROGRAM]' hook --host claude-code", "timeout": 10, "type": "command"}]}]
          },
        }
        "#);
    assert_snapshot!(steady(&read(&env, ".codex/config.toml")), @r#"
        # mine
        model = "x"
        [mcp_servers.other]
        command = "y" # keep

        [mcp_servers.backstory]
        command = "[PROGRAM]"
        args = ["mcp"]
        env_vars = ["BACKSTORY_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"]
        "#);
    assert_snapshot!(steady(&read(&env, ".gemini/settings.json")), @r#"{"theirs":{"a":1},"hooks":{"SessionStart":[{"hooks":[{"command":"'[PROGRAM]' hook --host gemini-cli || true","name":"backstory","timeout":10000,"type":"command"}]}],"BeforeAgent":[{"hooks":[{"command":"'[PROGRAM]' hook --host gemini-cli || true","name":"backstory","timeout":10000,"type":"command"}]}],"AfterTool":[{"hooks":[{"command":"'[PROGRAM]' hook --host gemini-cli || true","name":"backstory","timeout":10000,"type":"command"}]}],"AfterAgent":[{"hooks":[{"command":"'[PROGRAM]' hook --host gemini-cli || true","name":"backstory","timeout":10000,"type":"command"}]}],"SessionEnd":[{"hooks":[{"command":"'[PROGRAM]' hook --host gemini-cli || true","name":"backstory","timeout":10000,"type":"command"}]}]},"mcpServers":{"backstory":{"args":["mcp"],"command":"[PROGRAM]"}}}"#);
    let installed = env.files_of_others();
    let outcome = env.run(["install", "--yes"]);
    assert!(outcome.stdout.contains("Claude Code is connected already; nothing was changed"), "{outcome:?}");
    assert_eq!(env.files_of_others(), installed, "a second time changes nothing");

    done(&env, &["uninstall", "--yes"]);
    assert_eq!(env.files_of_others(), theirs);
    assert!(env.processes().is_empty());
    assert!(env.files_holding(b"say done").is_empty(), "and no copy stays");
}

#[test]
fn install_lists_its_changes_and_how_to_undo_them() {
    let env = hostless();
    fs::create_dir(at(&env, ".claude")).unwrap();
    fs::create_dir(at(&env, ".codex")).unwrap();
    assert_snapshot!(steady(&rendered(&env.run(["install", "--yes"]))), @r"
    exit 0
    --- out
    Claude Code is connected
      [WORLD]/user/.claude/settings.json  (hooks)
      [WORLD]/user/.claude.json  (MCP server)
      [WORLD]/user/.claude/skills/backstory/SKILL.md  (skill)
      next: restart Claude Code where it is running
      undo: `backstory uninstall claude-code`
    Codex is connected
      [WORLD]/user/.codex/hooks.json  (hooks)
      [WORLD]/user/.codex/config.toml  (MCP server)
      next: restart Codex where it is running
      next: approve the hooks in Codex with `/hooks`: until then it skips them without a word
      undo: `backstory uninstall codex`
    --- err
    note: hosts will run `[PROGRAM]`, which lies in a build directory; `backstory setup` copies it to a place that stays
    ");
    assert_snapshot!(steady(&rendered(&env.run(["uninstall", "--yes"]))), @r"
    exit 0
    --- out
    Claude Code is no longer connected
      [WORLD]/user/.claude/settings.json was removed
      [WORLD]/user/.claude.json was removed
      [WORLD]/user/.claude/skills/backstory/SKILL.md was removed
    Codex is no longer connected
      [WORLD]/user/.codex/hooks.json was removed
      [WORLD]/user/.codex/config.toml was removed
    memories stay in [WORLD]/user/.local/share/backstory; hosts that are running use it until they end
    ");
    assert_snapshot!(rendered(&env.run(["uninstall", "--yes"])), @r"
        exit 0
        --- out
        no host is connected
        memories stay in [WORLD]/user/.local/share/backstory; hosts that are running use it until they end
        ");
    assert_snapshot!(rendered(&env.run(["uninstall", "codex", "--yes"])), @r"
        exit 0
        --- out
        nothing of Backstory is in the files of Codex
        memories stay in [WORLD]/user/.local/share/backstory; hosts that are running use it until they end
        ");
}

#[test]
fn nothing_is_changed_without_a_confirmation() {
    let env = hostless();
    write(&env, ".gemini/settings.json", "{}\n");
    let theirs = env.files_of_others();
    assert_snapshot!(steady(&rendered(&env.run(["install"]))), @r"
        exit 2
        --- out
        Gemini CLI
          change  [WORLD]/user/.gemini/settings.json  (hooks and MCP server)
        --- err
        note: hosts will run `[PROGRAM]`, which lies in a build directory; `backstory setup` copies it to a place that stays
        error: this changes files of your hosts, and nobody is here to confirm it

        hint: pass `--yes` to confirm
        hint: `--dry-run` shows each change
        ");
    assert_snapshot!(steady(&rendered(&env.run(["install", "--dry-run"]))), @r#"
        exit 0
        --- out
        Gemini CLI
          change  [WORLD]/user/.gemini/settings.json  (hooks and MCP server)
            - {}
            + {
            +   "hooks": {
            +     "SessionStart": [{"hooks": [{"command": "'[PROGRAM]' hook --host gemini-cli || true", "name": "backstory", "timeout": 10000, "type": "command"}]}],
            +     "BeforeAgent": [{"hooks": [{"command": "'[PROGRAM]' hook --host gemini-cli || true", "name": "backstory", "timeout": 10000, "type": "command"}]}],
            +     "AfterTool": [{"hooks": [{"command": "'[PROGRAM]' hook --host gemini-cli || true", "name": "backstory", "timeout": 10000, "type": "command"}]}],
            +     "AfterAgent": [{"hooks": [{"command": "'[PROGRAM]' hook --host gemini-cli || true", "name": "backstory", "timeout": 10000, "type": "command"}]}],
            +     "SessionEnd": [{"hooks": [{"command": "'[PROGRAM]' hook --host gemini-cli || true", "name": "backstory", "timeout": 10000, "type": "command"}]}]
            +   },
            +   "mcpServers": {
            +     "backstory": {
            +       "args": ["mcp"],
            +       "command": "[PROGRAM]"
            +     }
            +   }
            + }
        --- err
        note: hosts will run `[PROGRAM]`, which lies in a build directory; `backstory setup` copies it to a place that stays
        nothing was changed; without `--dry-run` this is done
        "#);
    assert_eq!(env.files_of_others(), theirs);
    assert!(!env.home().exists());
    done(&env, &["install", "--yes"]);
    assert_eq!(env.run(["uninstall"]).code, Some(2));
    assert!(read(&env, ".gemini/settings.json").contains("hook --host gemini-cli || true"));
}

#[test]
fn without_a_host_or_a_home_nothing_can_be_connected() {
    let env = hostless();
    assert_snapshot!(rendered(&env.run(["install", "--yes"])), @r"
        exit 1
        --- err
        error: no host was found on this machine

        hint: name one to connect it all the same: claude-code, opencode, codex, gemini-cli, copilot-cli, cursor, windsurf, cline, zed, amp, vscode, continue, roo, kilo, kiro, qwen-code, droid, warp, goose
        ");
    assert_eq!(env.run(["install", "netscape"]).code, Some(2));
    let install = run(&env, ["install", "codex", "--yes"]).without("HOME");
    assert_snapshot!(rendered(&install.var("BACKSTORY_HOME", env.world().join("data")).output()), @r"
        exit 2
        --- err
        error: cannot tell where hosts keep their files

        hint: set `HOME` to your home directory
        ");
}

#[test]
fn a_host_is_found_by_its_program_too() {
    let env = hostless();
    let program = at(&env, "bin/codex");
    write(&env, "bin/codex", "#!/bin/sh\n");
    fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let answer = answer(&run(&env, ["install", "--yes", "--json"]).var("PATH", at(&env, "bin")).output());
    assert_eq!(answer["hosts"][0]["host"], "codex", "{answer}");
    assert!(at(&env, ".codex/hooks.json").exists());
    done(&env, &["uninstall", "--yes"]);
    assert!(!at(&env, ".codex").exists(), "directories we made go with the files we made");
}

#[test]
fn hosts_in_other_folders_are_connected_there() {
    let env = hostless();
    for (host, variable, folder) in [
        ("claude-code", "CLAUDE_CONFIG_DIR", "c"),
        ("codex", "CODEX_HOME", "x"),
        ("gemini-cli", "GEMINI_CLI_HOME", "g"),
    ] {
        let outcome = run(&env, ["install", host, "--yes"]).var(variable, at(&env, folder)).output();
        assert_eq!(outcome.code, Some(0), "{outcome:?}");
    }
    for path in [
        "c/settings.json",
        "c/.claude.json",
        "c/skills/backstory/SKILL.md",
        "x/hooks.json",
        "x/config.toml",
        "g/.gemini/settings.json",
    ] {
        assert!(at(&env, path).exists(), "{path}");
    }
    assert!(!at(&env, ".claude.json").exists() && !at(&env, ".codex").exists());
    // The record knows where they were, whatever the environment says now.
    done(&env, &["uninstall", "--yes"]);
    assert_eq!(env.files_of_others().len(), 0);
}

#[test]
fn install_warns_when_hosts_may_not_find_the_store() {
    let env = hostless();
    let install = run(&env, ["install", "zed", "--yes"]).var("BACKSTORY_HOME", env.world().join("data"));
    assert_exit(&install.output(), 0, "`BACKSTORY_HOME` is set here");
    assert!(env.world().join("data/installs/zed/record.json").exists() && !env.home().exists());
}

#[test]
fn install_reports_in_json() {
    let env = hostless();
    write(&env, ".gemini/settings.json", "{}");
    write(&env, ".codex/hooks.json", "{ nonsense");
    let planned = ask(&env, 1, &["install", "--dry-run", "--json"]);
    assert_snapshot!(steady(&serde_json::to_string_pretty(&planned).unwrap().replace(&*env.world().to_string_lossy(), "[WORLD]")), @r#"
        {
          "dry_run": true,
          "hosts": [
            {
              "error": null,
              "files": [
                {
                  "change": "change",
                  "path": "[WORLD]/user/.gemini/settings.json",
                  "what": "hooks and MCP server"
                }
              ],
              "host": "gemini-cli",
              "next": [
                "restart Gemini CLI where it is running"
              ],
              "state": "planned"
            },
            {
              "error": "cannot connect Codex: none of its files was touched: `[WORLD]/user/.codex/hooks.json` cannot be changed: line 1, column 3: Expected string for object property",
              "files": [],
              "host": "codex",
              "next": [
                "mend the file by hand, then run this again"
              ],
              "state": "refused"
            }
          ],
          "ok": false,
          "program": "[PROGRAM]",
          "version": 1
        }
        "#);
    let connected = ask(&env, 1, &["install", "--yes", "--json"]);
    assert_eq!(column(&connected["hosts"], "state"), json!(["connected", "refused"]));
    let again = ask(&env, 0, &["install", "gemini-cli", "--yes", "--json"]);
    assert_eq!(again["hosts"][0]["state"], "unchanged");
    let disconnected = ask(&env, 0, &["uninstall", "--yes", "--json"]);
    assert_eq!(disconnected["hosts"][0]["state"], "disconnected", "{disconnected}");
}

#[test]
fn a_program_path_with_odd_characters_is_quoted() {
    let env = hostless();
    let place = env.world().join("it's \"odd\" `x` here");
    fs::create_dir(&place).unwrap();
    let copy = place.join("backstory");
    fs::copy(program(), &copy).unwrap();
    let odd = TestEnv::new(&copy).with("PATH", "/nonexistent");
    done(&odd, &["install", "claude-code", "codex", "--yes"]);
    let settings: Value = serde_json::from_str(&read(&odd, ".claude/settings.json")).unwrap();
    let line = &settings["hooks"]["Stop"][0]["hooks"][0]["command"];
    // As a host runs it: through a shell, with the payload on standard input.
    let mut shell = std::process::Command::new("/bin/sh");
    shell.args(["-c", line.as_str().unwrap()]).env_clear().env("HOME", odd.world().join("user"));
    shell.stdin(std::process::Stdio::null());
    let output = shell.output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{line}: {output:?}");
    let server: toml::Table = read(&odd, ".codex/config.toml").parse().unwrap();
    let command = server["mcp_servers"]["backstory"]["command"].as_str().unwrap();
    assert_eq!(fs::canonicalize(command).unwrap(), fs::canonicalize(&copy).unwrap());
}

#[test]
fn a_host_connected_by_its_plugin_is_not_connected_again() {
    let env = hostless();
    let settings = "{\"enabledPlugins\": {\"backstory@market\": true}}";
    write(&env, ".claude/settings.json", settings);
    assert_snapshot!(steady(&rendered(&env.run(["install", "claude-code", "--yes"]))), @r"
        exit 0
        --- err
        note: hosts will run `[PROGRAM]`, which lies in a build directory; `backstory setup` copies it to a place that stays
        note: Claude Code is connected by its plugin `backstory@market`; its settings stay as they are
        ");
    assert_eq!(read(&env, ".claude/settings.json"), settings);
    assert_eq!(ask(&env, 0, &["install", "--yes", "--json"])["hosts"][0]["state"], "plugin");

    write(&env, ".claude/settings.json", settings.replace("true", "false"));
    done(&env, &["install", "claude-code", "--yes"]);
    let both = read(&env, ".claude/settings.json").replace("false", "true");
    write(&env, ".claude/settings.json", &both);
    assert_snapshot!(steady(&rendered(&env.run(["install", "--yes"]))), @r"
        exit 1
        --- err
        note: hosts will run `[PROGRAM]`, which lies in a build directory; `backstory setup` copies it to a place that stays
        error: Claude Code is connected twice, by its plugin `backstory@market` and by its settings: every hook runs twice

        hint: `backstory uninstall claude-code` keeps the plugin alone
        ");
    done(&env, &["uninstall", "--yes"]);
    assert_eq!(read(&env, ".claude/settings.json"), settings);
}

#[test]
fn a_host_that_is_named_twice_is_connected_and_disconnected_once() {
    let env = hostless();
    done(&env, &["install", "codex", "gemini-cli", "codex", "--yes"]);
    let disconnected = ask(&env, 0, &["uninstall", "codex", "gemini-cli", "codex", "--yes", "--json"]);
    assert_eq!(disconnected["hosts"].as_array().unwrap().len(), 2, "{disconnected}");
    assert!(!at(&env, ".codex").exists() && !at(&env, ".gemini").exists());
}

#[test]
fn the_opencode_plugin_is_written_and_removed() {
    let env = hostless();
    write(&env, ".config/opencode/opencode.json", "{\n  \"model\": \"mine\"\n}\n");
    let theirs = env.files_of_others();
    done(&env, &["install", "opencode", "--yes"]);
    let plugin = read(&env, ".config/opencode/plugins/backstory.js");
    assert!(steady(&plugin).contains("\nconst PROGRAM = \"[PROGRAM]\"\n"), "{plugin}");
    done(&env, &["uninstall", "opencode", "--yes"]);
    assert_eq!(env.files_of_others(), theirs);

    // What somebody else put there is not ours to replace.
    write(&env, ".config/opencode/plugins/backstory.js", "export const Mine = async () => ({})\n");
    let theirs = env.files_of_others();
    assert_eq!(env.run(["install", "opencode", "--yes"]).code, Some(1));
    assert_eq!(env.files_of_others(), theirs);
}

#[test]
fn law_10_a_skill_is_ours_until_its_owner_changes_it() {
    let env = hostless();
    let skill = ".claude/skills/backstory/SKILL.md";
    done(&env, &["install", "claude-code", "--yes"]);
    let written = read(&env, skill);
    assert!(written.starts_with("---\nname: backstory\n"), "{written}");
    done(&env, &["uninstall", "--yes"]);
    assert!(!at(&env, ".claude").exists(), "what was made for it goes with it");

    done(&env, &["install", "claude-code", "--yes"]);
    let theirs = format!("{written}\nAsk in French.\n");
    fs::write(at(&env, skill), &theirs).unwrap();
    done(&env, &["install", "claude-code", "--yes"]);
    done(&env, &["uninstall", "--yes"]);
    assert_eq!(read(&env, skill), theirs);
}
