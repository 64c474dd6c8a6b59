//! What the rows of a session tell, put as the events its hooks would have been sent.
//!
//! A turn ends where nothing more is said in it: what the agent said last is told when the next prompt comes, or nothing more.
//! A record does not say when its session status, nor that it came back.

use super::agents::{Agents, State};
use super::prompts::{Said, said, summary};
use super::row::Row;
use crate::claude_code::DIALECT;
use crate::lenient::Json;
use crate::records::Reading;
use crate::records::calls::Calls;
use crate::records::events::{Fields, field, words};
use crate::records::merged::Rows;
use crate::wire::{self, Event};
use std::borrow::Cow;
use std::collections::VecDeque;
use std::path::Path;

/// The rows of a session, or of one of its subagents.
pub(super) struct SessionRows {
    /// What the session is called where a row does not say.
    session: String,
    /// How the session began; nothing once that is told.
    began: Option<&'static str>,
    /// What the host numbers the turn by.
    turn: String,
    calls: Calls,
    agents: Agents,
    /// What the agent said last, as the end of its turn.
    closing: Option<Reading>,
    /// How many entries the row that is being read has made.
    made: usize,
}

impl SessionRows {
    pub(super) fn new(path: &Path) -> SessionRows {
        SessionRows {
            session: path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default(),
            began: Some("startup"),
            turn: String::new(),
            calls: Calls::default(),
            agents: Agents::default(),
            closing: None,
            made: 0,
        }
    }

    pub(super) fn of_subagent(path: &Path) -> SessionRows {
        SessionRows { agents: Agents::of_file(path), ..SessionRows::new(path) }
    }

    fn user(&mut self, row: &Row<'_>, agent: Option<usize>, told: &mut VecDeque<Reading>) {
        if row.is("isMeta") {
            return;
        }
        let results = row.content.items().iter().filter(|block| block.str("type") == "tool_result");
        let results: Vec<&Json<'_>> = results.collect();
        if row.is("isCompactSummary") {
            let summary = summary(&words(&row.content)).to_owned();
            self.tell(row, agent, Event::Compacted, vec![field("compact_summary", &summary)], told);
        } else if results.is_empty() {
            self.asked(row, agent, &words(&row.content), told);
        } else {
            for result in results {
                self.answered(row, agent, result, told);
            }
        }
    }

    /// Somebody asks: the user their agent, or the agent another.
    fn asked(&mut self, row: &Row<'_>, agent: Option<usize>, text: &str, told: &mut VecDeque<Reading>) {
        if agent.is_some() {
            return self.asked_of_subagent(row, agent, text, told);
        }
        match said(text) {
            Said::Command(name) if name == "/clear" && self.began.is_some() => self.began = Some("clear"),
            Said::Command(_) => {}
            Said::Stopped => {
                self.closing = None;
                let error = vec![field("error", "interrupted by the user"), self.turn()];
                self.tell(row, None, Event::TurnFailure, error, told);
            }
            Said::Prompt(prompt) => {
                self.end_turn(told);
                if row.get("promptId").is_nothing() {
                    row.uuid.clone_into(&mut self.turn);
                }
                let event = vec![field("prompt", &prompt), field("source", row.automated_by()), self.turn()];
                self.tell(row, None, Event::Prompt, event, told);
            }
        }
    }

    fn asked_of_subagent(
        &mut self,
        row: &Row<'_>,
        agent: Option<usize>,
        text: &str,
        told: &mut VecDeque<Reading>,
    ) {
        let known = agent.and_then(|number| self.agents.get(number));
        // The host warms up with subagents nobody asked for.
        if let Some(idle) = known.filter(|agent| agent.state == State::New && text == "Warmup") {
            idle.state = State::Idle;
        }
        self.begin(row, agent, told);
    }

    /// A tool has done what it was asked to, or has not.
    fn answered(
        &mut self,
        row: &Row<'_>,
        agent: Option<usize>,
        result: &Json<'_>,
        told: &mut VecDeque<Reading>,
    ) {
        let Some(call) = self.calls.take(result.str("tool_use_id")) else { return };
        told.extend(self.agents.end_of(&call.id));
        let failed = result.get("is_error").is_true();
        if failed && !row.get("toolDenialKind").is_nothing() {
            return;
        }
        let (as_heard, as_told) = if wire::only_looks(&call.tool) && !failed {
            (Json::Nothing, Json::Nothing)
        } else {
            row.answer(&call.id)
        };
        let mut event = vec![field("tool_use_id", &call.id), field("tool_name", &call.tool)];
        if failed {
            let error = as_told.words();
            // It was never begun: hooks do not hear of it either.
            if error.starts_with("<tool_use_error>") || error.starts_with("The user doesn't want to ") {
                return;
            }
            let is_stopped = error.starts_with("[Request interrupted by user");
            event.extend([field("error", error), ("is_interrupt".into(), Json::Bool(is_stopped))]);
        } else {
            let is_new = call.tool == "Write" && words(&as_told).starts_with("File created");
            let response = match (as_heard, as_told) {
                (Json::Nothing, _) if is_new => Json::Fields(vec![field("type", "create")]),
                (Json::Nothing, as_told) => as_told,
                (as_heard, _) => as_heard,
            };
            event.push(("tool_response".into(), response));
        }
        event.push(("tool_input".into(), call.input));
        let kind = if failed { Event::ToolFailure } else { Event::ToolUse };
        self.tell(row, agent, kind, event, told);
    }

    fn assistant(&mut self, row: &Row<'_>, agent: Option<usize>, told: &mut VecDeque<Reading>) {
        if row.is("isApiErrorMessage") {
            self.set_closing(agent, None);
            let said = words(&row.content);
            let error =
                vec![field("error", row.str("error")), field("last_assistant_message", said), self.turn()];
            // A subagent that breaks off does not end the turn.
            if agent.is_none() {
                self.tell(row, None, Event::TurnFailure, error, told);
            }
            return;
        }
        for block in row.content.items() {
            if block.str("type") == "tool_use" {
                let input = block.get("input").clone();
                self.calls.put(block.str("id"), block.str("name"), input, row.bytes());
                self.set_closing(agent, None);
            } else if let Some(text) = block.said("text") {
                self.said(row, agent, text);
            }
        }
        if let Some(text) = row.content.text() {
            self.said(row, agent, text);
        }
    }

    /// An agent says something, which may be the last of its turn.
    fn said(&mut self, row: &Row<'_>, agent: Option<usize>, text: &str) {
        let is_closing = !row.asks_for_tool && text != "No response requested.";
        let kind = if agent.is_some() { Event::SubagentEnd } else { Event::TurnEnd };
        let event = self.event(row, agent, vec![field("last_assistant_message", text), self.turn()]);
        let told = wire::tell(&DIALECT, kind, event).pop().filter(|_| is_closing);
        let closing = told.map(|told| row.entry(format!("{} end", row.uuid), &self.session, told));
        self.set_closing(agent, closing);
    }

    fn set_closing(&mut self, agent: Option<usize>, closing: Option<Reading>) {
        match agent {
            None => self.closing = closing,
            Some(number) => {
                if let Some(agent) = self.agents.get(number).filter(|agent| agent.state != State::Idle) {
                    agent.closing = closing;
                }
            }
        }
    }

    fn end_turn(&mut self, told: &mut VecDeque<Reading>) {
        told.extend(self.agents.end());
        told.extend(self.closing.take());
    }

    /// Tells that a session began, or a subagent, where that has not been told. Returns whether there is more to tell.
    fn begin(&mut self, row: &Row<'_>, agent: Option<usize>, told: &mut VecDeque<Reading>) -> bool {
        let (kind, event, id) = match agent.and_then(|number| self.agents.get(number)) {
            Some(agent) => match std::mem::replace(&mut agent.state, State::Working) {
                State::Idle => {
                    agent.state = State::Idle;
                    return false;
                }
                State::Working => return true,
                State::New => (Event::SubagentStart, Vec::new(), format!("{} start", row.uuid)),
            },
            None => match self.began.take() {
                Some(how) => {
                    let session = row.get("sessionId").text().unwrap_or(&self.session);
                    (Event::SessionStart, vec![field("source", how)], format!("{session} start"))
                }
                None => return true,
            },
        };
        let event = self.event(row, agent, [event, vec![self.turn()]].concat());
        let entries = wire::tell(&DIALECT, kind, event).into_iter();
        told.extend(entries.map(|begun| row.entry(id.clone(), &self.session, begun)));
        true
    }

    fn tell(
        &mut self,
        row: &Row<'_>,
        agent: Option<usize>,
        kind: Event,
        event: Fields<'_>,
        told: &mut VecDeque<Reading>,
    ) {
        let happened = wire::tell(&DIALECT, kind, self.event(row, agent, event));
        if happened.is_empty() || !self.begin(row, agent, told) {
            return;
        }
        for one in happened {
            let id = match self.made {
                0 => row.uuid.clone(),
                number => format!("{} {number}", row.uuid),
            };
            self.made += 1;
            told.push_back(row.entry(id, &self.session, one));
        }
    }

    /// Puts an event as the hook would have been sent it.
    fn event<'e>(&mut self, row: &Row<'_>, agent: Option<usize>, mut event: Fields<'e>) -> Json<'e> {
        event.push(field("cwd", row.str("cwd").to_owned()));
        if let Some(agent) = agent.and_then(|number| self.agents.get(number)) {
            event.push(field("agent_id", agent.id.clone()));
            event.push(field("agent_type", agent.sort.clone()));
        }
        Json::Fields(event)
    }

    fn turn(&self) -> (Cow<'static, str>, Json<'static>) {
        field("prompt_id", self.turn.clone())
    }
}

impl Rows for SessionRows {
    fn read(&mut self, row: &str, told: &mut VecDeque<Reading>) {
        self.made = 0;
        let row = match Row::read(row) {
            Ok(Some(row)) => row,
            Ok(None) => return,
            Err(why) => return told.push_back(Reading::Unreadable(why)),
        };
        if let Some(turn) = row.get("promptId").text() {
            turn.clone_into(&mut self.turn);
        }
        let agent = self.agents.of(&row, &self.calls);
        match row.str("type") {
            "user" => self.user(&row, agent, told),
            "assistant" => self.assistant(&row, agent, told),
            _ => {
                self.end_turn(told);
                self.tell(&row, agent, Event::Compacting, Vec::new(), told);
            }
        }
    }

    fn end(&mut self, told: &mut VecDeque<Reading>) {
        self.end_turn(told);
    }
}
