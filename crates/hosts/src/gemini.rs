//! Gemini CLI, as recorded with 0.61.0 (`tests/fixtures`).
//!
//! Its events have times and no ids. Its agent never reads the output of a hook before a tool call, so nothing is injected there.

use crate::dialect::{Dialect, HookEvent, HookToolUse, without_fence};
use crate::host_spec::{ConfigDir, DirVariable, EventSource, HostSpec};
use crate::install::{
    ConfigFile, DesiredContent, DesiredJson, HOOK_TIMEOUT_SECONDS, HOOKS_AND_MCP_FILE, InstallTarget,
    NEVER_FAILS, SERVER, config_file, hook_group, plugins,
};
use crate::reply::{ReplyFormat, ReplyLimit, ReplyShape};
use crate::transcripts::gemini_chats;
use backstory_memory::ExitStatus;
use backstory_platform::WindowsShell;
use serde_json::json;

pub(crate) static SPEC: HostSpec = HostSpec {
    name: "gemini-cli",
    title: "Gemini CLI",
    project_variable: Some("CLAUDE_PROJECT_DIR"),
    events: EventSource::Hooks(&DIALECT),
    config_dir: ConfigDir::in_home(".gemini").moved_by(DirVariable::Base("GEMINI_CLI_HOME")),
    programs: &["gemini"],
    instructions_file: Some("GEMINI.md"),
    config_files,
    after_install: None,
    enabled_plugin: plugins::enabled_extension,
    transcripts: Some(gemini_chats::SOURCE),
    windows_shells: &[WindowsShell::PowerShell],
    samples: include_str!("samples/gemini-cli.jsonl"),
};

pub(crate) static DIALECT: Dialect = Dialect {
    events: &[
        ("SessionStart", HookEvent::SessionStart),
        ("BeforeAgent", HookEvent::Prompt),
        ("AfterTool", HookEvent::ToolUse),
        ("AfterAgent", HookEvent::TurnEnd),
        ("SessionEnd", HookEvent::SessionEnd),
        ("BeforeTool", HookEvent::Ignored("nothing was done yet")),
        // Gemini CLI fires it before every request to the model, even if nothing is compressed.
        ("PreCompress", HookEvent::Ignored("it fires without a compaction")),
        ("BeforeModel", HookEvent::Ignored("about the host")),
        ("AfterModel", HookEvent::Ignored("about the host")),
        ("BeforeToolSelection", HookEvent::Ignored("about the host")),
        ("Notification", HookEvent::Ignored("only shown")),
    ],
    our_tools: &["mcp_backstory_"],
    is_mcp: |name| name.starts_with("mcp_"),
    reported_elsewhere: &[],
    ran,
    transcript_gap: None,
    keeps_injected_context: false,
    replies: ReplyFormat {
        shape: ReplyShape::Nested,
        session: "SessionStart",
        prompt: "BeforeAgent",
        tool: None,
        compaction: None,
        question: None,
        to_user: Some("systemMessage"),
        limit: ReplyLimit::Bytes(10_000),
    },
};

/// Reads the result as the model gets it: the output, then lines about the end of the command.
fn ran(tool: &HookToolUse<'_, '_>) -> (String, ExitStatus) {
    let text = tool.response.get("llmContent").words();
    let text = without_fence(&text);
    let Some(printed) = text.strip_prefix("Output: ") else {
        let status = match &tool.error {
            _ if tool.response.is_nothing() => ExitStatus::Unknown,
            _ if text.contains("cancelled") => ExitStatus::Interrupted,
            Some(_) => ExitStatus::Failure,
            None => ExitStatus::Unknown,
        };
        return (text.to_owned(), status);
    };
    let mut output = printed;
    let mut code = None;
    while let Some((before, line)) = output.rsplit_once('\n') {
        let Some((_, value)) = line.split_once(": ").filter(|(name, _)| ABOUT_THE_END.contains(name)) else {
            break;
        };
        if line.starts_with("Exit Code: ") {
            code = Some(value);
        }
        output = before;
    }
    let output = if output == "(empty)" { "" } else { output };
    let is_success = tool.error.is_none() && code.is_none_or(|code| code == "0");
    (output.to_owned(), if is_success { ExitStatus::Success } else { ExitStatus::Failure })
}

const ABOUT_THE_END: [&str; 5] = ["Exit Code", "Signal", "Error", "Background PIDs", "Process Group PGID"];

fn config_files(target: &InstallTarget<'_>) -> Vec<ConfigFile> {
    let host = target.host;
    // Hooks of Gemini CLI have names, and timeouts in milliseconds.
    let line = format!("{}{NEVER_FAILS}", target.program.hook(host));
    let handler = json!({"type": "command", "name": SERVER, "command": line,
        "timeout": HOOK_TIMEOUT_SECONDS * 1000});
    let hooks = host.events().into_iter().map(|event| hook_group(event, None, &handler)).collect();
    let server = Some(("mcpServers", target.program.server()));
    let settings = DesiredJson { host, hooks, server, frame: Vec::new() };
    vec![config_file(
        target.directory.join("settings.json"),
        HOOKS_AND_MCP_FILE,
        DesiredContent::Json(settings),
    )]
}
