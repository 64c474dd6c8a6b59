//! A session told step by step: what was asked, done and said. Used by `sessions show`.

use crate::times;
use backstory_capture::account_of;
use backstory_memory::{Account, Ended, Happening, Hunk, cap};
use backstory_store::StoredEvent;
use serde::Serialize;

/// One step of a session, as other programs see it.
#[derive(Debug, Serialize)]
pub(crate) struct StepShape {
    pub(crate) id: i64,
    pub(crate) at: String,
    /// What happened, in a word: asked, ran, failed, edited, looked …
    pub(crate) what: &'static str,
    /// What it was about.
    pub(crate) text: String,
    /// More of it: what a command printed, what an edit replaced.
    pub(crate) detail: Option<String>,
    pub(crate) tool: Option<String>,
    /// The subagent that did it.
    pub(crate) subagent: Option<String>,
    pub(crate) trust: String,
    pub(crate) truncated: bool,
}

/// The most that is told of one detail.
const MOST_DETAIL_BYTES: usize = 4 * 1024;

/// Tells of an event.
pub(crate) fn step(stored: &StoredEvent) -> StepShape {
    let event = &stored.event;
    let account = account_of(event);
    let subagent = account.as_ref().and_then(|account| account.subagent.clone());
    let (what, text, detail) = account.map_or(("other", String::new(), None), told);
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
        trust: event.trust.to_string(),
        truncated: event.truncated,
    }
}

fn told(account: Account) -> (&'static str, String, Option<String>) {
    match account.happening {
        Happening::SessionStarted { how } => ("started", how, None),
        Happening::Prompted { text } => ("asked", text, None),
        Happening::Edited { file, is_new, hunks } => {
            (if is_new { "made" } else { "edited" }, file, Some(hunks.iter().map(hunk).collect()))
        }
        Happening::Ran { command, output, ended } => {
            let what = match ended {
                Ended::Badly => "failed",
                Ended::Interrupted => "stopped",
                Ended::Well | Ended::Unknown => "ran",
            };
            (what, command, Some(output))
        }
        Happening::Looked { at } => ("looked", at, None),
        Happening::Fetched { asked, answer } => ("fetched", asked, Some(answer)),
        Happening::Planned { steps } => {
            let mark = |is_done: bool| if is_done { "x" } else { " " };
            let steps: Vec<String> =
                steps.iter().map(|step| format!("[{}] {}", mark(step.is_done), step.text)).collect();
            ("planned", steps.join("; "), None)
        }
        Happening::ToolFailed { at, error } => ("failed", at, Some(error)),
        Happening::UsedTool { asked } => ("used", asked, None),
        Happening::TurnEnded { message } => ("said", message, None),
        Happening::TurnBroken { error } => ("broke off", error, None),
        Happening::SubagentStarted => ("delegated", String::new(), None),
        Happening::SubagentEnded { message } => ("reported", message, None),
        Happening::Compacting { instructions } => ("compacting", instructions, None),
        Happening::Compacted { summary } => ("compacted", summary, None),
        Happening::SessionEnded { reason } => ("ended", reason, None),
        Happening::Other { text } => ("other", text, None),
    }
}

fn hunk(hunk: &Hunk) -> String {
    let side =
        |mark: char, text: &str| text.lines().map(|line| format!("{mark} {line}\n")).collect::<String>();
    format!("{}{}", side('-', &hunk.before), side('+', &hunk.after))
}
