//! Claude Code, as 2.1.325 speaks (`tests/fixtures`).

use crate::answers::{Answers, Limit, Shape};
use crate::lenient::Json;
use crate::wire::{Dialect, Event, ToolUse};
use backstory_memory::ExitStatus;

pub(crate) const DIALECT: Dialect = Dialect {
    events: &[
        ("SessionStart", Event::SessionStart),
        ("UserPromptSubmit", Event::Prompt),
        ("PreToolUse", Event::BeforeTool),
        ("PostToolUse", Event::ToolUse),
        ("PostToolUseFailure", Event::ToolFailure),
        ("Stop", Event::TurnEnd),
        ("StopFailure", Event::TurnFailure),
        ("SubagentStart", Event::SubagentStart),
        ("SubagentStop", Event::SubagentEnd),
        ("PreCompact", Event::Compacting),
        ("PostCompact", Event::Compacted),
        ("SessionEnd", Event::SessionEnd),
        ("PermissionRequest", Event::Passed("nothing was done yet")),
        ("PermissionDenied", Event::Passed("nothing was done yet")),
        ("PostToolBatch", Event::Passed("its calls come one by one")),
        ("UserPromptExpansion", Event::Passed("the prompt comes by itself")),
        ("Notification", Event::Passed("only shown")),
        ("MessageDisplay", Event::Passed("only shown")),
        ("Elicitation", Event::Passed("only shown")),
        ("ElicitationResult", Event::Passed("only shown")),
        ("InstructionsLoaded", Event::Passed("about the host")),
        ("ConfigChange", Event::Passed("about the host")),
        ("Setup", Event::Passed("about the host")),
        ("PreModelSwitch", Event::Passed("about the host")),
        ("PostModelSwitch", Event::Passed("about the host")),
        ("CwdChanged", Event::Passed("about the place")),
        ("DirectoryAdded", Event::Passed("about the place")),
        ("FileChanged", Event::Passed("about the place")),
        ("WorktreeCreate", Event::Passed("about the place")),
        ("WorktreeRemove", Event::Passed("about the place")),
        ("TaskCreated", Event::Passed("the tool comes by itself")),
        ("TaskCompleted", Event::Passed("the tool comes by itself")),
        ("TeammateIdle", Event::Passed("the tool comes by itself")),
    ],
    our_tools: &["mcp__backstory__", "mcp__plugin_backstory_"],
    is_mcp: |name| name.starts_with("mcp__"),
    told_otherwise: &[],
    ran,
    leaves_out: |_| false,
    keeps_what_it_is_told: true,
    answers: Answers {
        shape: Shape::Nested,
        session: "SessionStart",
        prompt: "UserPromptSubmit",
        tool: Some("PreToolUse"),
        // Its plain words go into the instructions the host compacts by.
        compaction: Some("PreCompact"),
        to_user: Some("systemMessage"),
        most: Limit::Utf16(10_000),
    },
};

/// Of a command that failed the output stands in the error, behind a line with its exit code.
fn ran(tool: &ToolUse<'_, '_>) -> (String, ExitStatus) {
    (output(tool), status(tool))
}

fn output(tool: &ToolUse<'_, '_>) -> String {
    if let Some(error) = &tool.error {
        let (first, rest) = error.split_once('\n').unwrap_or((error, ""));
        return if first.starts_with("Exit code ") { rest } else { error }.to_owned();
    }
    let streams = [tool.response.str("stdout"), tool.response.str("stderr")];
    match (streams, tool.response) {
        (_, Json::Text(text)) => text.clone().into_owned(),
        ([out, ""], _) => out.to_owned(),
        (["", err], _) => err.to_owned(),
        ([out, err], _) => format!("{out}\n{err}"),
    }
}

fn status(tool: &ToolUse<'_, '_>) -> ExitStatus {
    let response = tool.response;
    let runs_on = !response.get("backgroundTaskId").is_nothing() || response.str("status") == "running";
    let exit_code = response.get("exitCode");
    if tool.is_interrupted || response.get("interrupted").is_true() {
        ExitStatus::Interrupted
    } else if tool.error.is_some() || !matches!(exit_code, Json::Nothing | Json::Number("0")) {
        ExitStatus::Failure
    } else if runs_on || response.is_nothing() {
        ExitStatus::Unknown
    } else {
        ExitStatus::Success
    }
}
