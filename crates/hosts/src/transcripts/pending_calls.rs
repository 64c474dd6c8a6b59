//! Tool calls without a result yet: a transcript has the call in one row and the result in a later one.

use super::unreported_events::RunningCall;
use crate::AgentEvent;
use crate::dialect;
use crate::lenient::LenientJson;
use backstory_memory::{Activity, Provenance};
use std::collections::VecDeque;

/// The calls without a result, the oldest first.
#[derive(Default)]
pub(crate) struct PendingCalls {
    waiting: VecDeque<PendingCall>,
    /// The bytes of their rows.
    bytes: usize,
}

/// One use of a tool.
pub(crate) struct PendingCall {
    pub(crate) id: String,
    pub(crate) tool: String,
    pub(crate) input: LenientJson<'static>,
    bytes: usize,
    /// Whether a prompt followed: its result will not come any more.
    is_left: bool,
}

/// What says best what a call is to do, the first that it has.
const PURPOSE: [&str; 7] = ["command", "cmd", "file_path", "path", "url", "description", "prompt"];

impl PendingCall {
    /// Returns a call whose result stands in the same row.
    pub(crate) fn new(id: &str, tool: &str, input: LenientJson<'static>) -> PendingCall {
        PendingCall { id: id.to_owned(), tool: tool.to_owned(), input, bytes: 0, is_left: false }
    }

    /// What it is to do; nothing of a call that only looks or asks.
    fn running(&self) -> Option<RunningCall> {
        let purpose = PURPOSE.iter().find_map(|field| self.input.said(field)).unwrap_or_default();
        let event = AgentEvent {
            activity: Activity::StillRunning { at: purpose.to_owned() },
            subagent: None,
            tool: Some(self.tool.clone()),
            sequence: None,
            provenance: Provenance::Tool,
        };
        let acts = dialect::acts(&self.tool) && !self.is_left;
        acts.then(|| RunningCall { id: format!("{} running", self.id), event })
    }
}

/// An interrupted session leaves calls without a result: the oldest are dropped.
const MOST_WAITING: usize = 1000;
const MOST_BYTES: usize = 48 << 20;

impl PendingCalls {
    /// Remembers a call; `bytes` is the length of its row.
    pub(crate) fn put(&mut self, id: &str, tool: &str, input: LenientJson<'_>, bytes: usize) {
        self.waiting.push_back(PendingCall {
            id: id.to_owned(),
            tool: tool.to_owned(),
            input: input.into_owned(),
            bytes,
            is_left: false,
        });
        self.bytes += bytes;
        while self.waiting.len() > MOST_WAITING || self.bytes > MOST_BYTES {
            let Some(oldest) = self.waiting.pop_front() else { break };
            self.bytes -= oldest.bytes;
        }
    }

    /// Removes and returns the call of a result.
    pub(crate) fn take(&mut self, id: &str) -> Option<PendingCall> {
        let at = self.waiting.iter().position(|call| call.id == id)?;
        let call = self.waiting.remove(at)?;
        self.bytes -= call.bytes;
        Some(call)
    }

    /// Whether every call has its result.
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Notes that a prompt came: what has no result by now was broken off.
    pub(crate) fn leave(&mut self) {
        self.waiting.iter_mut().for_each(|call| call.is_left = true);
    }

    /// Returns what the calls without a result are doing.
    pub(crate) fn running(&self) -> Vec<RunningCall> {
        self.waiting.iter().filter_map(PendingCall::running).collect()
    }

    /// Returns the calls without a result.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &PendingCall> {
        self.waiting.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_without_an_answer_is_dropped() {
        let mut calls = PendingCalls::default();
        for number in 0..MOST_WAITING + 10 {
            calls.put(&number.to_string(), "Bash", LenientJson::Nothing, 1);
        }
        assert!(calls.take("0").is_none());
        assert!(calls.take("500").is_some());
        calls.put("long", "Write", LenientJson::Nothing, MOST_BYTES);
        assert_eq!(calls.iter().map(|call| call.id.as_str()).collect::<Vec<_>>(), ["long"]);
    }
}
