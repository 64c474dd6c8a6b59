//! Tool calls without a result yet: a transcript has the call in one row and the result in a later one.

use crate::lenient::LenientJson;
use std::collections::VecDeque;

/// What waits for an answer, the oldest first.
#[derive(Default)]
pub(crate) struct PendingCalls {
    waiting: VecDeque<PendingCall>,
    /// How long the rows of the calls are.
    bytes: usize,
}

/// One use of a tool.
pub(crate) struct PendingCall {
    pub(crate) id: String,
    pub(crate) tool: String,
    pub(crate) input: LenientJson<'static>,
    bytes: usize,
}

impl PendingCall {
    /// One that need not wait.
    pub(crate) fn new(id: &str, tool: &str, input: LenientJson<'static>) -> PendingCall {
        PendingCall { id: id.to_owned(), tool: tool.to_owned(), input, bytes: 0 }
    }
}

/// A session that breaks off leaves calls behind that nobody answers: the oldest are let go.
const MOST_WAITING: usize = 1000;
const MOST_BYTES: usize = 48 << 20;

impl PendingCalls {
    /// Remembers a call; `bytes` is how long the row is it stands in.
    pub(crate) fn put(&mut self, id: &str, tool: &str, input: LenientJson<'_>, bytes: usize) {
        self.waiting.push_back(PendingCall {
            id: id.to_owned(),
            tool: tool.to_owned(),
            input: input.into_owned(),
            bytes,
        });
        self.bytes += bytes;
        while self.waiting.len() > MOST_WAITING || self.bytes > MOST_BYTES {
            let Some(oldest) = self.waiting.pop_front() else { break };
            self.bytes -= oldest.bytes;
        }
    }

    /// Returns the call that has an answer now.
    pub(crate) fn take(&mut self, id: &str) -> Option<PendingCall> {
        let at = self.waiting.iter().position(|call| call.id == id)?;
        let call = self.waiting.remove(at)?;
        self.bytes -= call.bytes;
        Some(call)
    }

    /// Returns the calls that wait.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &PendingCall> {
        self.waiting.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_answers_is_let_go() {
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
