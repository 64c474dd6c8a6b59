//! The calls that failed in a turn and what worked instead: the next session would make the same mistake again.
//!
//! Not here: runs of commands that failed and passed, such as tests (`work_lines`).

use super::session_record::{RecordLine, Voice};
use super::shorten::one_line;
use crate::transcript::{TranscriptEntry, Turn};
use crate::traps::{FailedCall, failed_calls};
use backstory_memory::{Activity, EventId};
use std::collections::HashMap;

/// One that happened once is mostly a slip; one that happened twice is a trap.
const ONCE: u32 = 35;
const REPEATED: u32 = 55;
const ANSWERED: u32 = 65;

/// How a host marks that its own agent called a tool wrongly. That says nothing of the project.
const WRONG_CALL: &str = "<tool_use_error>";
const WORKED_CHARS: usize = 110;

/// What worked in place of each failed call of a turn.
pub(super) struct WaysOut<'a> {
    calls: HashMap<EventId, FailedCall<'a>>,
}

impl<'a> WaysOut<'a> {
    pub(super) fn find(turn: &'a Turn<'a>) -> WaysOut<'a> {
        WaysOut { calls: failed_calls(turn).into_iter().map(|call| (call.event, call)).collect() }
    }

    /// Returns the call that worked instead of one that failed, if it was another one.
    pub(super) fn instead_of(&self, failed: EventId) -> Option<String> {
        Some(self.calls.get(&failed)?.worked_instead?.to_owned())
    }

    /// The tools other than commands that failed, each error once.
    pub(super) fn failed_tools(&self, turn: &Turn<'_>) -> Vec<RecordLine> {
        let mut groups: Vec<(&FailedCall<'_>, &TranscriptEntry, usize)> = Vec::new();
        for entry in turn.entries {
            let Activity::ToolFailed { error, .. } = entry.activity() else { continue };
            if error.trim_start().starts_with(WRONG_CALL) {
                continue;
            }
            let Some(call) = self.calls.get(&entry.id).filter(|call| call.is_of_the_surroundings) else {
                continue;
            };
            match groups.iter_mut().find(|(known, ..)| known.key == call.key) {
                Some((.., times)) => *times += 1,
                None => groups.push((call, entry, 1)),
            }
        }
        groups.into_iter().map(|(call, entry, times)| self.tool_line(call, entry, times)).collect()
    }

    fn tool_line(&self, call: &FailedCall<'_>, entry: &TranscriptEntry, times: usize) -> RecordLine {
        let repeated = if times > 1 { format!("×{times}") } else { String::new() };
        let instead = self.instead_of(call.event);
        let rank = match (&instead, times) {
            (Some(_), _) => ANSWERED,
            (None, 1) => ONCE,
            (None, _) => REPEATED,
        };
        let worked = instead.map(|worked| format!(" → then ok: {}", one_line(&worked, WORKED_CHARS)));
        let worked = worked.unwrap_or_default();
        let (tool, at) = (&call.tool, one_line(call.request, 80));
        let text = format!("FAILED{repeated} {tool} {at}: {}{worked}", one_line(&call.error, 160));
        RecordLine::new(" -", Voice::Tool, text).of_rank(rank).at(entry)
    }
}
