//! What the first versions of Copilot CLI keep: one timeline of what people were shown.

use crate::copilot::DIALECT;
use crate::lenient::Json;
use crate::records::events::{as_one, text};
use crate::records::merged::Rows;
use crate::records::{Entry, Reading, time};
use crate::wire::{self, Event};
use backstory_memory::Timestamp;
use std::collections::VecDeque;

/// A session's timeline.
pub(super) struct Timeline {
    session: String,
    cwd: Option<String>,
    /// What the agent said last, by what name and when.
    closing: Option<(String, Timestamp, String)>,
    has_begun: bool,
}

impl Rows for Timeline {
    fn read(&mut self, row: &str, told: &mut VecDeque<Reading>) {
        let mut json = Json::read(row);
        if !std::mem::replace(&mut self.has_begun, true) {
            return self.begin(&json, told);
        }
        let (at, id) = (time(json.get("timestamp")), json.said("id").map(str::to_owned));
        let (Some(at), Some(id)) = (at, id) else { return told.push_back(Reading::Unreadable("a line")) };
        match json.said("type").map(str::to_owned).as_deref() {
            Some("user") => {
                self.end(told);
                self.tell(&id, at, Event::Prompt, as_one(vec![("prompt", json.take("text"))]), told);
                self.closing = Some((format!("{id} end"), at, String::new()));
            }
            Some("copilot") => {
                let words = json.str("text").to_owned();
                if !words.is_empty() {
                    self.closing = Some((id, at, words));
                }
            }
            Some("tool_call_completed") => self.used(&id, at, json, told),
            Some(_) => {}
            None => told.push_back(Reading::Unreadable("a line")),
        }
    }

    fn end(&mut self, told: &mut VecDeque<Reading>) {
        if let Some((id, at, words)) = self.closing.take() {
            self.tell(&id, at, Event::TurnEnd, as_one(vec![("response", text(&words))]), told);
        }
    }
}

impl Timeline {
    pub(super) fn new(session: String, cwd: Option<String>) -> Timeline {
        Timeline { session, cwd, closing: None, has_begun: false }
    }

    fn begin(&mut self, head: &Json<'_>, told: &mut VecDeque<Reading>) {
        if let Some(session) = head.said("sessionId") {
            session.clone_into(&mut self.session);
        }
        match time(head.get("startTime")) {
            Some(at) => {
                let session = self.session.clone();
                self.tell(&session, at, Event::SessionStart, as_one(Vec::new()), told);
            }
            None => told.push_back(Reading::Unreadable("the beginning")),
        }
    }

    fn used(&mut self, id: &str, at: Timestamp, mut json: Json<'_>, told: &mut VecDeque<Reading>) {
        let (input, mut result) = (json.take("arguments"), json.take("result"));
        // One tool did what is done by several since.
        let name = match json.said("name").or(json.said("toolTitle")).unwrap_or_default() {
            "str_replace_editor" => input.said("command").unwrap_or_default().to_owned(),
            name => name.to_owned(),
        };
        let (sort, words) = (result.take("type"), result.take("log"));
        let result = as_one(vec![("resultType", sort), ("textResultForLlm", words)]);
        let fields = vec![("toolName", text(&name)), ("toolArgs", input), ("toolResult", result)];
        self.tell(id, at, Event::ToolUse, as_one(fields), told);
    }

    fn tell(&self, id: &str, at: Timestamp, event: Event, json: Json<'_>, told: &mut VecDeque<Reading>) {
        for (number, one) in wire::tell(&DIALECT, event, json).into_iter().enumerate() {
            let id = if number == 0 { id.to_owned() } else { format!("{id} {number}") };
            let (session, cwd) = (self.session.clone(), self.cwd.clone());
            told.push_back(Reading::Entry(Box::new(Entry { at, session, cwd, id, told: one })));
        }
    }
}
