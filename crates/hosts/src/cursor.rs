//! Cursor, written from its documentation: it has not been recorded.
//!
//! Cursor reports edits and commands twice: as an event of their own and as a tool use. Edits are taken from the first, which holds the
//! replaced text, commands from the second, which holds the exit code.

use crate::dialect::{Dialect, HookEvent, HookToolUse};
use crate::host_spec::{ConfigDir, EventSource, HostSpec, no_plugin};
use crate::install::{
    ConfigFile, DesiredContent, DesiredJson, HOOK_TIMEOUT_SECONDS, HOOKS_FILE, HookEntry, InstallTarget,
    config_file, server_file,
};
use crate::lenient::LenientJson;
use crate::reply::{ReplyFormat, ReplyLimit, ReplyShape};
use backstory_memory::ExitStatus;
use backstory_platform::WindowsShell;
use serde_json::json;

pub(crate) static SPEC: HostSpec = HostSpec {
    name: "cursor",
    title: "Cursor",
    project_variable: Some("CLAUDE_PROJECT_DIR"),
    events: EventSource::Hooks(&DIALECT),
    config_dir: ConfigDir::in_home(".cursor"),
    programs: &["cursor", "cursor-agent"],
    instructions_file: None,
    config_files,
    after_install: None,
    enabled_plugin: no_plugin,
    transcripts: None,
    windows_shells: &[WindowsShell::PowerShell],
    samples: include_str!("samples/cursor.jsonl"),
};

pub(crate) static DIALECT: Dialect = Dialect {
    events: &[
        ("sessionStart", HookEvent::SessionStart),
        ("beforeSubmitPrompt", HookEvent::Prompt),
        ("postToolUse", HookEvent::ToolUse),
        ("postToolUseFailure", HookEvent::ToolFailure),
        ("afterFileEdit", HookEvent::Edit),
        // It holds the agent's message; `stop` only marks the end.
        ("afterAgentResponse", HookEvent::TurnEnd),
        ("subagentStart", HookEvent::SubagentStart),
        ("subagentStop", HookEvent::SubagentEnd),
        ("preCompact", HookEvent::Compacting),
        ("sessionEnd", HookEvent::SessionEnd),
        ("stop", HookEvent::Ignored("the response is reported separately")),
        ("preToolUse", HookEvent::Ignored("nothing was done yet")),
        ("beforeShellExecution", HookEvent::Ignored("nothing was done yet")),
        ("beforeMCPExecution", HookEvent::Ignored("nothing was done yet")),
        ("beforeReadFile", HookEvent::Ignored("nothing was done yet")),
        ("afterShellExecution", HookEvent::Ignored("the tool call is reported separately")),
        ("afterMCPExecution", HookEvent::Ignored("the tool call is reported separately")),
        ("afterAgentThought", HookEvent::Ignored("only shown")),
        ("beforeTabFileRead", HookEvent::Ignored("not the agent's")),
        ("afterTabFileEdit", HookEvent::Ignored("not the agent's")),
        ("workspaceOpen", HookEvent::Ignored("about the working folder")),
    ],
    our_tools: &["MCP:backstory", "mcp_backstory_"],
    is_mcp: |name| name.starts_with("MCP:") || name.starts_with("mcp_"),
    reported_elsewhere: &["Write", "Edit", "StrReplace"],
    ran,
    transcript_gap: None,
    keeps_injected_context: true,
    replies: ReplyFormat {
        shape: ReplyShape::Flat("additional_context"),
        session: "sessionStart",
        prompt: "beforeSubmitPrompt",
        tool: None,
        compaction: None,
        question: None,
        to_user: None,
        limit: ReplyLimit::Chars(10_000),
    },
};

fn ran(tool: &HookToolUse<'_, '_>) -> (String, ExitStatus) {
    let mut parts = ["output", "stdout", "stderr"].into_iter().map(|part| tool.response.get(part).words());
    let output = parts.find(|words| !words.is_empty()).or_else(|| tool.response.text().map(str::to_owned));
    let status = match (tool.response.get("exitCode"), &tool.error) {
        _ if tool.is_interrupted => ExitStatus::Interrupted,
        (LenientJson::Number("0"), None) => ExitStatus::Success,
        (LenientJson::Number(_), _) | (_, Some(_)) => ExitStatus::Failure,
        _ => ExitStatus::Unknown,
    };
    (output.or_else(|| tool.error.clone()).unwrap_or_default(), status)
}

fn config_files(target: &InstallTarget<'_>) -> Vec<ConfigFile> {
    let host = target.host;
    let item = json!({"command": target.program.hook(host), "timeout": HOOK_TIMEOUT_SECONDS});
    let hooks = host.events().into_iter().map(|event| HookEntry { event, item: item.clone() }).collect();
    let hooks = DesiredJson { host, hooks, server: None, frame: vec![("version", json!(1))] };
    vec![
        config_file(target.directory.join("hooks.json"), HOOKS_FILE, DesiredContent::Json(hooks)),
        server_file(host, target.directory.join("mcp.json"), "mcpServers", target.program.server()),
    ]
}
