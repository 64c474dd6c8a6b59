//! Codex, as recorded with 0.166.0 (`tests/fixtures`): the names of Claude Code, and stricter checks of replies.
//!
//! A payload does not say how a command ended; the host's own transcript does by then. No event reports a patch that did not
//! apply, nor one that a shell applied.

use crate::AgentEvent;
use crate::dialect::{Dialect, HookEvent, HookToolUse, TranscriptGap};
use crate::host_spec::{ConfigDir, DirVariable, EventSource, HostSpec};
use crate::install::{
    ConfigFile, DesiredContent, DesiredJson, HOOK_TIMEOUT_SECONDS, HOOKS_FILE, InstallTarget, MCP_FILE,
    SERVER, TomlTable, config_file, hook_group, plugins, tool_matcher,
};
use crate::lenient::LenientJson;
use crate::reply::{ReplyFormat, ReplyLimit, ReplyShape};
use crate::transcripts::codex_rollouts;
use backstory_memory::{Activity, ExitStatus};
use backstory_platform::WindowsShell;
use serde_json::json;

pub(crate) static SPEC: HostSpec = HostSpec {
    name: "codex",
    title: "Codex",
    project_variable: None,
    events: EventSource::Hooks(&DIALECT),
    config_dir: ConfigDir::in_home(".codex").moved_by(DirVariable::Directory("CODEX_HOME")),
    programs: &["codex"],
    instructions_file: Some("AGENTS.md"),
    config_files,
    after_install: Some("approve the hooks in Codex with `/hooks`: until then it skips them without a word"),
    enabled_plugin: plugins::enabled_in_config_toml,
    transcripts: Some(codex_rollouts::SOURCE),
    windows_shells: &[WindowsShell::PowerShell7, WindowsShell::PowerShell, WindowsShell::Cmd],
    samples: include_str!("samples/codex.jsonl"),
};

pub(crate) static DIALECT: Dialect = Dialect {
    events: &[
        ("SessionStart", HookEvent::SessionStart),
        ("UserPromptSubmit", HookEvent::Prompt),
        ("PreToolUse", HookEvent::BeforeTool),
        ("PostToolUse", HookEvent::ToolUse),
        ("Stop", HookEvent::TurnEnd),
        ("SubagentStart", HookEvent::SubagentStart),
        ("SubagentStop", HookEvent::SubagentEnd),
        ("PreCompact", HookEvent::Compacting),
        ("SessionEnd", HookEvent::SessionEnd),
        ("PostCompact", HookEvent::Ignored("it holds nothing to keep")),
        ("PermissionRequest", HookEvent::Ignored("nothing was done yet")),
    ],
    our_tools: &["mcp__backstory__"],
    is_mcp: |name| name.starts_with("mcp__"),
    reported_elsewhere: &[],
    ran,
    transcript_gap: Some(TranscriptGap {
        is_open: |activity| matches!(activity, Activity::Ran { status: ExitStatus::Unknown, .. }),
        fill: fill_exit_status,
    }),
    keeps_injected_context: true,
    replies: ReplyFormat {
        shape: ReplyShape::Nested,
        session: "SessionStart",
        prompt: "UserPromptSubmit",
        tool: Some("PreToolUse"),
        // Codex ignores the output of this hook.
        compaction: None,
        question: Some("Stop"),
        to_user: Some("systemMessage"),
        limit: ReplyLimit::Bytes(10_000),
    },
};

fn ran(tool: &HookToolUse<'_, '_>) -> (String, ExitStatus) {
    let status = if tool.is_interrupted { ExitStatus::Interrupted } else { ExitStatus::Unknown };
    (tool.response.words(), status)
}

fn fill_exit_status(event: &mut AgentEvent, end_of_transcript: &str) -> bool {
    let (Activity::Ran { status, .. }, Some(call)) = (&mut event.activity, &event.sequence) else {
        return false;
    };
    let ended = exit_status_in(end_of_transcript, call);
    *status = ended.unwrap_or(*status);
    ended.is_some()
}

/// Returns how a command ended, from the end of the host's own transcript.
fn exit_status_in(transcript: &str, call: &str) -> Option<ExitStatus> {
    let lines =
        transcript.lines().rev().filter(|line| line.contains("\"CommandExecution\"") && line.contains(call));
    lines.map(LenientJson::read).find_map(|line| {
        let item = line.get("payload").get("item");
        match item.get("exit_code") {
            _ if item.str("id") != call => None,
            LenientJson::Number("0") => Some(ExitStatus::Success),
            // It was killed from outside.
            LenientJson::Number("-1") => Some(ExitStatus::Interrupted),
            LenientJson::Number(_) => Some(ExitStatus::Failure),
            _ => None,
        }
    })
}

fn config_files(target: &InstallTarget<'_>) -> Vec<ConfigFile> {
    let host = target.host;
    let hook = |event: &'static str| {
        // Codex allows no more at the end of a session.
        let timeout = if event == "SessionEnd" { 3 } else { HOOK_TIMEOUT_SECONDS };
        let handler = json!({"type": "command", "command": target.program.hook(host), "timeout": timeout});
        hook_group(event, tool_matcher(event, "Bash|apply_patch"), &handler)
    };
    let hooks = host.events().into_iter().map(hook).collect();
    let table = TomlTable {
        path: ["mcp_servers", SERVER],
        entries: vec![
            ("command", target.program.path.into()),
            ("args", vec!["mcp"].into()),
            // Codex passes a server no other variables: without these it would open another store than the hooks write.
            ("env_vars", vec!["BACKSTORY_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"].into()),
        ],
    };
    let hooks = DesiredJson { host, hooks, server: None, frame: Vec::new() };
    vec![
        config_file(target.directory.join("hooks.json"), HOOKS_FILE, DesiredContent::Json(hooks)),
        config_file(target.directory.join("config.toml"), MCP_FILE, DesiredContent::Toml(table)),
    ]
}
