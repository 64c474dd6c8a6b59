//! The transcript of a session, step by step: prompts, commands, edits and messages.
#![expect(missing_docs, reason = "the fields are the JSON keys; docs/json.md explains them")]

use crate::times;
use backstory_capture::body_of;
use backstory_memory::{Activity, EventBody, ExitStatus, Hunk, cap};
use backstory_store::StoredEvent;
use serde::Serialize;

/// One step of a session, as other programs see it.
#[derive(Debug, Serialize)]
pub struct StepShape {
    pub id: i64,
    pub at: String,
    /// What happened, in a word: asked, ran, failed, edited, looked …
    pub what: &'static str,
    /// What it was about.
    pub text: String,
    /// More of it: what a command printed, what an edit replaced.
    pub detail: Option<String>,
    pub tool: Option<String>,
    /// The subagent that did it.
    pub subagent: Option<String>,
    pub provenance: String,
    pub truncated: bool,
}

/// The most bytes of one detail.
const MOST_DETAIL_BYTES: usize = 4 * 1024;

/// Returns an event as a step.
pub fn step(stored: &StoredEvent) -> StepShape {
    let event = &stored.event;
    let account = body_of(event);
    let subagent = account.as_ref().and_then(|account| account.subagent.clone());
    let (what, text, detail) = account.map_or(("other", String::new(), None), parts);
    StepShape {
        id: stored.id.0,
        at: times::iso(event.at),
        what,
        text,
        detail: detail
            .filter(|detail| !detail.trim().is_empty())
            .map(|detail| cap(&detail, MOST_DETAIL_BYTES).text),
        tool: event.tool.clone(),
        subagent: subagent.map(|agent| if agent.sort.is_empty() { agent.id } else { agent.sort }),
        provenance: event.provenance.to_string(),
        truncated: event.truncated,
    }
}

fn parts(account: EventBody) -> (&'static str, String, Option<String>) {
    match account.activity {
        Activity::SessionStarted { reason } => ("started", reason.as_str().to_owned(), None),
        Activity::Prompted { text } => ("asked", text, None),
        Activity::Edited { file, is_new, hunks } => {
            (if is_new { "made" } else { "edited" }, file, Some(hunks.iter().map(hunk).collect()))
        }
        Activity::Ran { command, output, status } => {
            let what = match status {
                ExitStatus::Failure => "failed",
                ExitStatus::Interrupted => "stopped",
                ExitStatus::Success | ExitStatus::Unknown => "ran",
            };
            (what, command, Some(output))
        }
        Activity::Looked { at } => ("looked", at, None),
        Activity::Fetched { asked, answer } => ("fetched", asked, Some(answer)),
        Activity::Planned { steps } => {
            let mark = |is_done: bool| if is_done { "x" } else { " " };
            let steps: Vec<String> =
                steps.iter().map(|step| format!("[{}] {}", mark(step.is_done), step.text)).collect();
            ("planned", steps.join("; "), None)
        }
        Activity::ToolFailed { at, error } => ("failed", at, Some(error)),
        Activity::UsedTool { asked } => ("used", asked, None),
        Activity::TurnEnded { message } => ("said", message, None),
        Activity::TurnBroken { error } => ("broke off", error, None),
        Activity::SubagentStarted => ("delegated", String::new(), None),
        Activity::SubagentEnded { message } => ("reported", message, None),
        Activity::Compacting { instructions } => ("compacting", instructions, None),
        Activity::Compacted { summary } => ("compacted", summary, None),
        Activity::SessionEnded { reason } => ("ended", reason, None),
        Activity::Other { text } => ("other", text, None),
    }
}

fn hunk(hunk: &Hunk) -> String {
    let side =
        |mark: char, text: &str| text.lines().map(|line| format!("{mark} {line}\n")).collect::<String>();
    format!("{}{}", side('-', &hunk.before), side('+', &hunk.after))
}
