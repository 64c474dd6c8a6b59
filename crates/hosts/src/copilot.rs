//! Copilot CLI, as recorded with 1.0.102 (`tests/fixtures`).
//!
//! A payload does not name its event: the command line does. Only the host's own transcript has the closing message of a turn.

use crate::AgentEvent;
use crate::dialect::{Dialect, HookEvent, HookToolUse, TranscriptGap};
use crate::host_spec::{ConfigDir, DirVariable, EventSource, HostSpec};
use crate::install::{
    ConfigFile, DesiredContent, HOOK_TIMEOUT_SECONDS, HOOKS_FILE, InstallTarget, JsonLayout, JsonStyle,
    NEVER_FAILS, config_file, plugins, server_file,
};
use crate::lenient::LenientJson;
use crate::reply::{ReplyFormat, ReplyLimit, ReplyShape};
use crate::transcripts::copilot_sessions;
use backstory_memory::{Activity, ExitStatus};
use backstory_platform::{SHELL_KEY, WindowsShell};
use serde_json::{Map, Value, json};

pub(crate) static SPEC: HostSpec = HostSpec {
    name: "copilot-cli",
    title: "Copilot CLI",
    project_variable: None,
    events: EventSource::Hooks(&DIALECT),
    config_dir: ConfigDir::in_home(".copilot").moved_by(DirVariable::Directory("COPILOT_HOME")),
    programs: &["copilot"],
    instructions_file: None,
    config_files,
    after_install: None,
    enabled_plugin: plugins::enabled_in_settings,
    transcripts: Some(copilot_sessions::SOURCE),
    windows_shells: &[WindowsShell::PowerShell7],
    samples: include_str!("samples/copilot-cli.jsonl"),
};

pub(crate) static DIALECT: Dialect = Dialect {
    events: &[
        ("sessionStart", HookEvent::SessionStart),
        ("userPromptSubmitted", HookEvent::Prompt),
        ("preToolUse", HookEvent::BeforeTool),
        ("postToolUse", HookEvent::ToolUse),
        ("postToolUseFailure", HookEvent::ToolFailure),
        ("agentStop", HookEvent::TurnEnd),
        ("errorOccurred", HookEvent::TurnFailure),
        ("subagentStart", HookEvent::SubagentStart),
        ("subagentStop", HookEvent::SubagentEnd),
        ("preCompact", HookEvent::Compacting),
        ("sessionEnd", HookEvent::SessionEnd),
        ("permissionRequest", HookEvent::Ignored("nothing was done yet")),
        ("notification", HookEvent::Ignored("only shown")),
    ],
    our_tools: &["backstory-"],
    // Copilot's own tools have no hyphen in their names.
    is_mcp: |name| name.contains('-'),
    reported_elsewhere: &[],
    ran,
    transcript_gap: Some(TranscriptGap {
        is_open: |activity| matches!(activity, Activity::TurnEnded { message } if message.is_empty()),
        fill: fill_closing_message,
    }),
    keeps_injected_context: false,
    replies: ReplyFormat {
        shape: ReplyShape::Flat("additionalContext"),
        session: "sessionStart",
        prompt: "userPromptSubmitted",
        tool: Some("preToolUse"),
        compaction: None,
        question: None,
        to_user: None,
        limit: ReplyLimit::Bytes(10_000),
    },
};

/// The last line of a command's output says how it ended.
fn ran(tool: &HookToolUse<'_, '_>) -> (String, ExitStatus) {
    let text = tool.response.get("textResultForLlm").words();
    let (output, last) = text.rsplit_once('\n').unwrap_or(("", &text));
    let said = last.strip_prefix('<').and_then(|line| line.strip_suffix('>'));
    let code = said.and_then(|line| line.rsplit_once(" with exit code ")).map(|(_, code)| code);
    match (code, &tool.error) {
        (Some("0"), None) => (output.to_owned(), ExitStatus::Success),
        (Some(_), _) => (output.to_owned(), ExitStatus::Failure),
        (None, Some(error)) => (error.clone(), ExitStatus::Failure),
        (None, None) => (text, ExitStatus::Unknown),
    }
}

fn fill_closing_message(event: &mut AgentEvent, end_of_transcript: &str) -> bool {
    let Activity::TurnEnded { message } = &mut event.activity else { return false };
    let Some(last) = closing_message_in(end_of_transcript) else { return false };
    *message = last.text;
    last.is_complete
}

/// The last message of this turn, as far as Copilot has written its transcript.
struct ClosingMessage {
    text: String,
    /// Whether the turn ends with it. A message before a tool call does not end a turn.
    is_complete: bool,
}

/// Returns the last message of this turn from the end of Copilot's transcript, if it is written yet.
fn closing_message_in(transcript: &str) -> Option<ClosingMessage> {
    let sorts = ["\"assistant.message\"", "\"user.message\"", "\"session.shutdown\""];
    let is_relevant = |line: &&str| sorts.iter().any(|sort| line.contains(sort));
    let lines = transcript.lines().rev().filter(is_relevant).map(LenientJson::read);
    let mut is_complete = true;
    for line in lines.filter(|line| line.get("agentId").is_nothing()) {
        let data = line.get("data");
        is_complete &= data.get("toolRequests").items().is_empty();
        match (line.str("type"), data.said("content")) {
            // The transcript of a resumed session still ends with the last one until its first prompt is written.
            ("user.message", Some(_)) | ("session.shutdown", _) => return None,
            ("assistant.message", Some(text)) => {
                return Some(ClosingMessage { text: text.to_owned(), is_complete });
            }
            _ => {}
        }
    }
    None
}

/// Copilot CLI reads every file of `hooks/`. Its payloads do not name their event, so the command line does.
fn config_files(target: &InstallTarget<'_>) -> Vec<ConfigFile> {
    let host = target.host;
    let hook = |event: &str| {
        let line = format!("{} --event {event}{NEVER_FAILS}", target.program.hook(host));
        let handler = json!({"type": "command", SHELL_KEY: line, "timeoutSec": HOOK_TIMEOUT_SECONDS});
        (event.to_owned(), json!([handler]))
    };
    let hooks: Map<String, Value> = host.events().into_iter().map(hook).collect();
    let hooks = JsonStyle::usual().render(&json!({"version": 1, "hooks": hooks}), &JsonLayout::outermost());
    let entry = json!({"type": "local", "command": target.program.path, "args": ["mcp"], "tools": ["*"]});
    vec![
        config_file(
            target.directory.join("hooks/backstory.json"),
            HOOKS_FILE,
            DesiredContent::Whole(host, format!("{hooks}\n")),
        ),
        server_file(host, target.directory.join("mcp-config.json"), "mcpServers", entry),
    ]
}
