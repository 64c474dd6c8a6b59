//! The transcript of a session, step by step: prompts, commands, edits and messages.
#![expect(missing_docs, reason = "the fields are the JSON keys; docs/json.md explains them")]

use crate::diff::{Fate, diff};
use crate::times;
use backstory_capture::body_of;
use backstory_memory::{Activity, EventBody, ExitStatus, Hunk, TaskState, cap};
use backstory_store::StoredEvent;
use serde::Serialize;
use std::fmt;

/// One step of a session, as other programs see it.
#[derive(Debug, Serialize)]
pub struct StepShape {
    pub id: i64,
    pub at: String,
    pub what: StepKind,
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

/// What happened in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum StepKind {
    Started,
    Prompted,
    Edited,
    Made,
    Ran,
    Failed,
    Stopped,
    Looked,
    Fetched,
    Planned,
    Approved,
    Answered,
    Rejected,
    Interrupted,
    Used,
    Said,
    #[serde(rename = "broke off")]
    BrokeOff,
    Delegated,
    Reported,
    Compacting,
    Compacted,
    Ended,
    Other,
}

impl fmt::Display for StepKind {
    /// Writes it as JSON names it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// The most bytes of one detail.
const MOST_DETAIL_BYTES: usize = 4 * 1024;

/// Returns an event as a step.
pub fn step(stored: &StoredEvent) -> StepShape {
    let event = &stored.event;
    let body = body_of(event);
    let subagent = body.as_ref().and_then(|body| body.subagent.clone());
    let (what, text, detail) = body.map_or((StepKind::Other, String::new(), None), parts);
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

/// Returns the text of an event that is a prompt.
pub(crate) fn prompt_of(stored: &StoredEvent) -> Option<String> {
    match body_of(&stored.event)?.activity {
        Activity::Prompted { text } => Some(text),
        _ => None,
    }
}

fn parts(body: EventBody) -> (StepKind, String, Option<String>) {
    match body.activity {
        Activity::SessionStarted { reason } => (StepKind::Started, reason.as_str().to_owned(), None),
        Activity::Prompted { text } => (StepKind::Prompted, text, None),
        Activity::Edited { file, is_new, hunks } => (
            if is_new { StepKind::Made } else { StepKind::Edited },
            file,
            Some(hunks.iter().map(hunk).collect()),
        ),
        Activity::Ran { command, output, status } => {
            let what = match status {
                ExitStatus::Failure => StepKind::Failed,
                ExitStatus::Interrupted => StepKind::Stopped,
                ExitStatus::Success | ExitStatus::Unknown => StepKind::Ran,
            };
            (what, command, Some(output))
        }
        Activity::Looked { at, .. } => (StepKind::Looked, at, None),
        Activity::Fetched { request, answer } => (StepKind::Fetched, request, Some(answer)),
        Activity::Planned { steps } => {
            let mark = |is_done: bool| if is_done { "x" } else { " " };
            let steps: Vec<String> =
                steps.iter().map(|step| format!("[{}] {}", mark(step.is_done), step.text)).collect();
            (StepKind::Planned, steps.join("; "), None)
        }
        Activity::TaskChanged { id, text, state } => {
            let state = match state {
                TaskState::Open => "open",
                TaskState::Started => "started",
                TaskState::Done => "done",
                TaskState::Dropped => "dropped",
            };
            let name = if text.is_empty() { format!("task {id}") } else { text };
            (StepKind::Planned, format!("{name} ({state})"), None)
        }
        Activity::PlanDecided { plan, is_approved: true, .. } => {
            (StepKind::Approved, first_line(&plan), Some(plan))
        }
        Activity::PlanDecided { plan, feedback, .. } => (StepKind::Rejected, feedback, Some(plan)),
        Activity::Answered { question, options, answer, .. } => {
            (StepKind::Answered, format!("{question} {answer}"), Some(options.join("\n")))
        }
        Activity::Rejected { at, feedback } => (StepKind::Rejected, at, Some(feedback)),
        Activity::Interjected { text } => (StepKind::Prompted, text, None),
        Activity::Interrupted => (StepKind::Interrupted, String::new(), None),
        Activity::StillRunning { at } => (StepKind::Stopped, at, None),
        Activity::ToolFailed { at, error } => (StepKind::Failed, at, Some(error)),
        Activity::UsedTool { request, .. } => (StepKind::Used, request, None),
        Activity::TurnEnded { message } => (StepKind::Said, message, None),
        Activity::TurnBroken { error } => (StepKind::BrokeOff, error, None),
        Activity::SubagentStarted => (StepKind::Delegated, String::new(), None),
        Activity::SubagentEnded { message } => (StepKind::Reported, message, None),
        Activity::Compacting { instructions } => (StepKind::Compacting, instructions, None),
        Activity::Compacted { summary } => (StepKind::Compacted, summary, None),
        Activity::SessionEnded { reason } => (StepKind::Ended, reason, None),
        Activity::Other { text } => (StepKind::Other, text, None),
    }
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().trim_start_matches(['#', ' ']).to_owned()
}

/// Shows a change line by line: a host reports what it replaced with the lines around it, and those are no change.
fn hunk(hunk: &Hunk) -> String {
    let line = |line: Option<(Fate, String)>| match line {
        Some((Fate::Stays, text)) => format!("  {text}\n"),
        Some((Fate::Goes, text)) => format!("- {text}\n"),
        Some((Fate::Comes, text)) => format!("+ {text}\n"),
        None => "  …\n".to_owned(),
    };
    diff(&hunk.before, &hunk.after).into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_around_a_change_are_no_change() {
        let edit = Hunk { before: "x = 1\ny = 2\n".to_owned(), after: "x = 10\ny = 2\n".to_owned() };
        assert_eq!(hunk(&edit), "- x = 1\n+ x = 10\n  y = 2\n");
    }
}
