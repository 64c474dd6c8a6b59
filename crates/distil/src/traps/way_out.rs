//! The call that worked right after one that failed: the same again, or changed.

use super::tool_call::{CallError, ToolCall};
use crate::failures::{CommandRun, FailureClass, is_known_tool};
use crate::transcript::TranscriptEntry;
use backstory_memory::{Activity, first_chars};

/// What worked later than this after a failure has nothing to do with it.
const MOST_CALLS: usize = 8;
const MOST_SHOWN_CHARS: usize = 160;

/// What worked.
pub(super) enum WayOut<'a> {
    /// The same call; whether its file was read in between.
    Again { entry: &'a TranscriptEntry, was_read: bool },
    /// Another call.
    Changed { entry: &'a TranscriptEntry, request: &'a str, ran: Option<&'a CommandRun<'a>> },
}

/// Finds what worked after a call failed. An edit in between is a fix, and the failure one of the code.
pub(super) fn find<'a>(calls: &[ToolCall<'a>], failed_at: usize) -> Option<WayOut<'a>> {
    let failed = calls.get(failed_at)?;
    let mut was_read = false;
    for call in calls.iter().skip(failed_at + 1).take(MOST_CALLS) {
        let is_success = call.error.is_none();
        if is_success && call.request == failed.request && is_same_tool(call, failed) {
            return Some(WayOut::Again { entry: call.entry, was_read });
        }
        if is_success && stands_for(call, failed) {
            return Some(WayOut::Changed { entry: call.entry, request: call.request, ran: call.ran });
        }
        was_read |=
            matches!(call.entry.activity(), Activity::Looked { .. }) && call.request == failed.request;
        if failed.ran.is_some() && matches!(call.entry.activity(), Activity::Edited { .. }) {
            return None;
        }
    }
    None
}

fn is_same_tool(call: &ToolCall<'_>, failed: &ToolCall<'_>) -> bool {
    // Hosts have several tools that edit a file.
    call.entry.tool == failed.entry.tool || matches!(call.entry.activity(), Activity::Edited { .. })
}

/// Whether a call that worked does what the failed one was to do.
fn stands_for(call: &ToolCall<'_>, failed: &ToolCall<'_>) -> bool {
    match (call.ran, failed.ran) {
        (Some(worked), Some(ran)) => {
            let is_missing = failed.error.as_ref().is_some_and(|it| it.class == FailureClass::MissingCommand);
            let is_same_task = call.name() == failed.name();
            let alike = shared_words(worked.command, ran.command);
            (is_same_task || is_missing) && alike >= 0.5
        }
        // A file that could not be edited is not edited by editing another.
        (None, None) => {
            let names_file =
                matches!(call.entry.activity(), Activity::Edited { .. } | Activity::Looked { .. });
            call.entry.tool == failed.entry.tool && !names_file
        }
        _ => false,
    }
}

/// How many of the words of the shorter line the other has, too.
fn shared_words(one: &str, other: &str) -> f64 {
    let words = |text: &str| -> Vec<String> {
        let parts = text.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ';' | '&' | '|'));
        parts.filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let (one, other) = (words(one), words(other));
    let shared = one.iter().filter(|word| other.contains(word)).count();
    shared as f64 / one.len().min(other.len()).max(1) as f64
}

impl<'a> WayOut<'a> {
    pub(super) fn entry(&self) -> &'a TranscriptEntry {
        match self {
            WayOut::Again { entry, .. } | WayOut::Changed { entry, .. } => entry,
        }
    }

    /// The command that worked instead.
    pub(super) fn command(&self) -> Option<&'a str> {
        match self {
            WayOut::Changed { request, ran: Some(_), .. } => {
                Some(first_chars(request.trim(), MOST_SHOWN_CHARS))
            }
            _ => None,
        }
    }

    /// The program that worked instead, as it was called.
    pub(super) fn program(&self) -> Option<&'a str> {
        let WayOut::Changed { request, ran: Some(_), .. } = self else { return None };
        let mut words = request.split_whitespace();
        words.find(|word| !word.contains('=') && !matches!(*word, "cd" | "&&" | "sudo"))
    }

    /// Says what worked.
    pub(super) fn words(&self) -> String {
        match self {
            WayOut::Again { was_read: true, .. } => {
                "What worked: reading the file first, then the same call.".to_owned()
            }
            WayOut::Again { .. } => "What worked: the same call again.".to_owned(),
            WayOut::Changed { request, .. } => {
                format!("What worked: `{}`", first_chars(request.trim(), MOST_SHOWN_CHARS))
            }
        }
    }

    /// Whether it is worth knowing before it happens a second time: the machine lacks something, or a tool that is not known
    /// everywhere wants to be called otherwise.
    pub(super) fn teaches_at_once(&self, failed: &ToolCall<'_>, error: &CallError) -> bool {
        let (WayOut::Changed { .. }, Some(ran)) = (self, failed.ran) else { return false };
        let is_own_tool = ran.task().is_some_and(|task| !is_known_tool(task));
        match error.class {
            FailureClass::MissingCommand | FailureClass::Permission => true,
            FailureClass::Usage | FailureClass::Other => is_own_tool,
            _ => false,
        }
    }
}
