//! Claude Code, as recorded with 2.1.325 (`tests/fixtures`).

use crate::dialect::{Dialect, HookEvent, HookToolUse};
use crate::host_spec::{ConfigDir, DirVariable, EventSource, HostSpec};
use crate::install::{
    ConfigFile, DesiredContent, DesiredJson, HOOK_TIMEOUT_SECONDS, HOOKS_FILE, InstallTarget, SKILL_FILE,
    config_file, hook_group, plugins, server_file, tool_matcher,
};
use crate::lenient::LenientJson;
use crate::reply::{ReplyFormat, ReplyLimit, ReplyShape};
use crate::transcripts::claude_code_projects;
use backstory_memory::ExitStatus;
use backstory_platform::WindowsShell;
use serde_json::json;

pub(crate) static SPEC: HostSpec = HostSpec {
    name: "claude-code",
    title: "Claude Code",
    project_variable: Some("CLAUDE_PROJECT_DIR"),
    events: EventSource::Hooks(&DIALECT),
    config_dir: ConfigDir::in_home(".claude").moved_by(DirVariable::Directory("CLAUDE_CONFIG_DIR")),
    programs: &["claude"],
    instructions_file: Some("CLAUDE.md"),
    config_files,
    after_install: None,
    enabled_plugin: plugins::enabled_in_settings,
    transcripts: Some(claude_code_projects::SOURCE),
    windows_shells: &[WindowsShell::GitBash, WindowsShell::PowerShell],
    samples: include_str!("samples/claude-code.jsonl"),
};

pub(crate) static DIALECT: Dialect = Dialect {
    events: &[
        ("SessionStart", HookEvent::SessionStart),
        ("UserPromptSubmit", HookEvent::Prompt),
        ("PreToolUse", HookEvent::BeforeTool),
        ("PostToolUse", HookEvent::ToolUse),
        ("PostToolUseFailure", HookEvent::ToolFailure),
        ("Stop", HookEvent::TurnEnd),
        ("StopFailure", HookEvent::TurnFailure),
        ("SubagentStart", HookEvent::SubagentStart),
        ("SubagentStop", HookEvent::SubagentEnd),
        ("PreCompact", HookEvent::Compacting),
        ("PostCompact", HookEvent::Compacted),
        ("SessionEnd", HookEvent::SessionEnd),
        ("PermissionRequest", HookEvent::Ignored("nothing was done yet")),
        ("PermissionDenied", HookEvent::Ignored("nothing was done yet")),
        ("PostToolBatch", HookEvent::Ignored("its calls are reported one by one")),
        ("UserPromptExpansion", HookEvent::Ignored("the prompt is reported separately")),
        ("Notification", HookEvent::Ignored("only shown")),
        ("MessageDisplay", HookEvent::Ignored("only shown")),
        ("Elicitation", HookEvent::Ignored("only shown")),
        ("ElicitationResult", HookEvent::Ignored("only shown")),
        ("InstructionsLoaded", HookEvent::Ignored("about the host")),
        ("ConfigChange", HookEvent::Ignored("about the host")),
        ("Setup", HookEvent::Ignored("about the host")),
        ("PreModelSwitch", HookEvent::Ignored("about the host")),
        ("PostModelSwitch", HookEvent::Ignored("about the host")),
        ("CwdChanged", HookEvent::Ignored("about the working folder")),
        ("DirectoryAdded", HookEvent::Ignored("about the working folder")),
        ("FileChanged", HookEvent::Ignored("about the working folder")),
        ("WorktreeCreate", HookEvent::Ignored("about the working folder")),
        ("WorktreeRemove", HookEvent::Ignored("about the working folder")),
        ("TaskCreated", HookEvent::Ignored("the tool call is reported separately")),
        ("TaskCompleted", HookEvent::Ignored("the tool call is reported separately")),
        ("TeammateIdle", HookEvent::Ignored("the tool call is reported separately")),
    ],
    our_tools: &["mcp__backstory__", "mcp__plugin_backstory_"],
    is_mcp: |name| name.starts_with("mcp__"),
    reported_elsewhere: &[],
    ran,
    transcript_gap: None,
    keeps_injected_context: true,
    replies: ReplyFormat {
        shape: ReplyShape::Nested,
        session: "SessionStart",
        prompt: "UserPromptSubmit",
        tool: Some("PreToolUse"),
        // Claude Code adds plain output of this hook to the instructions of the compaction.
        compaction: Some("PreCompact"),
        question: Some("Stop"),
        to_user: Some("systemMessage"),
        limit: ReplyLimit::Utf16(10_000),
    },
};

/// Claude Code puts the output of a failed command into the error, behind a line with the exit code.
fn ran(tool: &HookToolUse<'_, '_>) -> (String, ExitStatus) {
    (output(tool), status(tool))
}

fn output(tool: &HookToolUse<'_, '_>) -> String {
    if let Some(error) = &tool.error {
        let (first, rest) = error.split_once('\n').unwrap_or((error, ""));
        return if first.starts_with("Exit code ") { rest } else { error }.to_owned();
    }
    let streams = [tool.response.str("stdout"), tool.response.str("stderr")];
    match (streams, tool.response) {
        (_, LenientJson::Text(text)) => text.clone().into_owned(),
        ([out, ""], _) => out.to_owned(),
        (["", err], _) => err.to_owned(),
        ([out, err], _) => format!("{out}\n{err}"),
    }
}

fn status(tool: &HookToolUse<'_, '_>) -> ExitStatus {
    let response = tool.response;
    let runs_on = !response.get("backgroundTaskId").is_nothing() || response.str("status") == "running";
    let exit_code = response.get("exitCode");
    if tool.is_interrupted || response.get("interrupted").is_true() {
        ExitStatus::Interrupted
    } else if tool.error.is_some() || !matches!(exit_code, LenientJson::Nothing | LenientJson::Number("0")) {
        ExitStatus::Failure
    } else if runs_on || response.is_nothing() {
        ExitStatus::Unknown
    } else {
        ExitStatus::Success
    }
}

/// Hooks are written as shell lines, which every version runs; older ones would ignore a list of arguments.
fn config_files(target: &InstallTarget<'_>) -> Vec<ConfigFile> {
    let host = target.host;
    let handler =
        json!({"type": "command", "command": target.program.hook(host), "timeout": HOOK_TIMEOUT_SECONDS});
    // There is nothing to inject before any other tool.
    let risky = "Bash|PowerShell|Edit|MultiEdit|Write|NotebookEdit";
    let hooks = host
        .events()
        .into_iter()
        .map(|event| hook_group(event, tool_matcher(event, risky), &handler))
        .collect();
    let settings = DesiredJson { host, hooks, server: None, frame: Vec::new() };
    // A moved directory holds the file that usually lies beside it.
    let servers = target.paths.moved_directory(host).unwrap_or(&target.paths.home).join(".claude.json");
    // Our tools are few and small: loaded at once instead of behind a tool search.
    let entry = json!({"type": "stdio", "command": target.program.path, "args": ["mcp"], "alwaysLoad": true});
    vec![
        config_file(target.directory.join("settings.json"), HOOKS_FILE, DesiredContent::Json(settings)),
        server_file(host, servers, "mcpServers", entry),
        config_file(target.directory.join("skills/backstory/SKILL.md"), SKILL_FILE, DesiredContent::Skill),
    ]
}
