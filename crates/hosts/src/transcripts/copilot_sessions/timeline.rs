//! Reads the sessions of the first versions of Copilot CLI: one timeline of what the user saw.

use crate::copilot::DIALECT;
use crate::dialect::{self, HookEvent};
use crate::lenient::LenientJson;
use crate::transcripts::event_fields::{as_one, text};
use crate::transcripts::merged_files::RowReader;
use crate::transcripts::{HostTranscriptEntry, TranscriptItem, time};
use backstory_memory::Timestamp;
use std::collections::VecDeque;

/// A session's timeline.
pub(super) struct CopilotTimeline {
    session: String,
    cwd: Option<String>,
    /// The end of the current turn, not yet emitted: id, time, and the agent's last text.
    closing: Option<(String, Timestamp, String)>,
    has_begun: bool,
}

impl RowReader for CopilotTimeline {
    fn read(&mut self, row: &str, out: &mut VecDeque<TranscriptItem>) {
        let mut json = LenientJson::read(row);
        if !std::mem::replace(&mut self.has_begun, true) {
            return self.begin(&json, out);
        }
        let (at, id) = (time(json.get("timestamp")), json.said("id").map(str::to_owned));
        let (Some(at), Some(id)) = (at, id) else {
            return out.push_back(TranscriptItem::Unreadable("a line"));
        };
        match json.said("type").map(str::to_owned).as_deref() {
            Some("user") => {
                self.end(out);
                self.emit(&id, at, HookEvent::Prompt, as_one(vec![("prompt", json.take("text"))]), out);
                self.closing = Some((format!("{id} end"), at, String::new()));
            }
            Some("copilot") => {
                let words = json.str("text").to_owned();
                if !words.is_empty() {
                    self.closing = Some((id, at, words));
                }
            }
            Some("tool_call_completed") => self.used(&id, at, json, out),
            Some(_) => {}
            None => out.push_back(TranscriptItem::Unreadable("a line")),
        }
    }

    fn end(&mut self, out: &mut VecDeque<TranscriptItem>) {
        if let Some((id, at, words)) = self.closing.take() {
            self.emit(&id, at, HookEvent::TurnEnd, as_one(vec![("response", text(&words))]), out);
        }
    }
}

impl CopilotTimeline {
    pub(super) fn new(session: String, cwd: Option<String>) -> CopilotTimeline {
        CopilotTimeline { session, cwd, closing: None, has_begun: false }
    }

    fn begin(&mut self, head: &LenientJson<'_>, out: &mut VecDeque<TranscriptItem>) {
        if let Some(session) = head.said("sessionId") {
            session.clone_into(&mut self.session);
        }
        match time(head.get("startTime")) {
            Some(at) => {
                let session = self.session.clone();
                self.emit(&session, at, HookEvent::SessionStart, as_one(Vec::new()), out);
            }
            None => out.push_back(TranscriptItem::Unreadable("the beginning")),
        }
    }

    fn used(
        &mut self,
        id: &str,
        at: Timestamp,
        mut json: LenientJson<'_>,
        out: &mut VecDeque<TranscriptItem>,
    ) {
        let (input, mut result) = (json.take("arguments"), json.take("result"));
        // Later versions split `str_replace_editor` into several tools; its `command` has their names.
        let name = match json.said("name").or(json.said("toolTitle")).unwrap_or_default() {
            "str_replace_editor" => input.said("command").unwrap_or_default().to_owned(),
            name => name.to_owned(),
        };
        let (sort, words) = (result.take("type"), result.take("log"));
        let result = as_one(vec![("resultType", sort), ("textResultForLlm", words)]);
        let fields = vec![("toolName", text(&name)), ("toolArgs", input), ("toolResult", result)];
        self.emit(id, at, HookEvent::ToolUse, as_one(fields), out);
    }

    fn emit(
        &self,
        id: &str,
        at: Timestamp,
        event: HookEvent,
        json: LenientJson<'_>,
        out: &mut VecDeque<TranscriptItem>,
    ) {
        for (number, one) in dialect::events_from(&DIALECT, event, json).into_iter().enumerate() {
            let id = if number == 0 { id.to_owned() } else { format!("{id} {number}") };
            let (session, cwd) = (self.session.clone(), self.cwd.clone());
            out.push_back(TranscriptItem::Entry(Box::new(HostTranscriptEntry {
                at,
                session,
                cwd,
                id,
                event: one,
            })));
        }
    }
}
