//! The events Copilot CLI writes down, put as its hooks would have told them.

use crate::copilot::DIALECT;
use crate::lenient::Json;
use crate::records::calls::Calls;
use crate::records::events::{as_one, text};
use crate::records::merged::Rows;
use crate::records::{Entry, Reading, time};
use crate::wire::{self, Event};
use backstory_memory::Timestamp;
use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};

/// How most rows begin that tell nothing: what hooks got, what was sent to the model, what it cost.
const OF_NO_USE: [&str; 4] = ["hook.", "system.", "session.usage", "assistant.turn_"];

/// A session's events.
pub(super) struct Events {
    session: String,
    cwd: Option<String>,
    calls: Calls,
    agents: HashMap<String, Agent>,
    turn: Option<Turn>,
}

/// A subagent: what sort it is, and what it said last.
#[derive(Default)]
struct Agent {
    sort: String,
    closing: String,
}

/// A prompt and what was said since.
struct Turn {
    id: String,
    closing: String,
    at: Timestamp,
}

/// One event.
struct Row<'a> {
    json: Json<'a>,
    id: String,
    at: Timestamp,
    agent: Option<String>,
}

type Field<'a> = (&'static str, Json<'a>);

impl Rows for Events {
    fn read(&mut self, row: &str, told: &mut VecDeque<Reading>) {
        let sort = row.strip_prefix("{\"type\":\"").unwrap_or_default();
        if OF_NO_USE.iter().any(|beginning| sort.starts_with(beginning)) {
            return;
        }
        let json = Json::read_only(row, is_of_use);
        let (at, id) = (time(json.get("timestamp")), json.said("id").map(str::to_owned));
        let (Some(at), Some(id), Some(sort)) = (at, id, json.said("type").map(str::to_owned)) else {
            return told.push_back(Reading::Unreadable("a line"));
        };
        let data = json.get("data");
        // Older versions name a subagent by the call that started it.
        let agent = json.said("agentId").or(data.said("parentToolCallId"));
        let agent = agent.or(data.said("toolCallId").filter(|_| sort.starts_with("subagent.")));
        let agent = agent.map(str::to_owned);
        self.happened(&sort, Row { json, id, at, agent }, row.len(), told);
    }

    fn end(&mut self, told: &mut VecDeque<Reading>) {
        self.end_turn(told);
    }
}

/// What a tool was measured by, and what only people were shown.
fn is_of_use(_: usize, field: &str) -> bool {
    !matches!(field, "toolTelemetry" | "transformedContent" | "detailedContent" | "modelMetrics")
}

impl Events {
    pub(super) fn new(session: String, cwd: Option<String>) -> Events {
        Events { session, cwd, calls: Calls::default(), agents: HashMap::new(), turn: None }
    }

    fn happened(&mut self, sort: &str, mut row: Row<'_>, length: usize, told: &mut VecDeque<Reading>) {
        let mut data = row.json.take("data");
        match sort {
            "session.start" | "session.resume" => {
                self.end_turn(told);
                self.moves_to(data.get("context").said("cwd"));
                let how = if sort == "session.start" { "new" } else { "resume" };
                self.tell(&row, Event::SessionStart, vec![("source", text(how))], told);
            }
            "session.context_changed" => self.moves_to(data.said("cwd")),
            "user.message" => self.asked(&row, data, told),
            "assistant.message" => self.said(&row, &data, told),
            "tool.execution_start" => {
                let input = data.take("arguments");
                self.calls.put(data.str("toolCallId"), data.str("toolName"), input, length);
            }
            "tool.execution_complete" => self.used(&row, data, told),
            "subagent.started" => {
                let sort = data.said("agentType").unwrap_or(data.str("agentName")).to_owned();
                self.agent(&row).sort = sort;
                self.tell(&row, Event::SubagentStart, Vec::new(), told);
            }
            "subagent.completed" | "subagent.failed" => {
                let closing = std::mem::take(&mut self.agent(&row).closing);
                self.tell(&row, Event::SubagentEnd, vec![("response", text(&closing))], told);
            }
            "session.error" => {
                self.turn = None;
                self.tell(&row, Event::TurnFailure, vec![("error", data.take("message"))], told);
            }
            "session.compaction_start" => self.tell(&row, Event::Compacting, Vec::new(), told),
            "session.compaction_complete" if data.said("summaryContent").is_some() => {
                let summary = data.take("summaryContent");
                self.tell(&row, Event::Compacted, vec![("compact_summary", summary)], told);
            }
            "session.shutdown" => {
                self.end_turn(told);
                self.tell(&row, Event::SessionEnd, vec![("reason", data.take("shutdownType"))], told);
            }
            _ => {}
        }
    }

    fn moves_to(&mut self, folder: Option<&str>) {
        self.cwd = folder.map(str::to_owned).or(self.cwd.take());
    }

    fn asked(&mut self, row: &Row<'_>, mut data: Json<'_>, told: &mut VecDeque<Reading>) {
        // Who asks a subagent is an agent, which is known by then.
        let source = if row.agent.is_some() { Json::Nothing } else { data.take("source") };
        let before = told.len();
        self.tell(row, Event::Prompt, vec![("prompt", data.take("content")), ("source", source)], told);
        if row.agent.is_none() && told.len() > before {
            let asked = told.split_off(before);
            self.end_turn(told);
            told.extend(asked);
            self.turn = Some(Turn { id: row.id.clone(), closing: String::new(), at: row.at });
        }
    }

    /// What the agent says without asking for a tool closes its turn.
    fn said(&mut self, row: &Row<'_>, data: &Json<'_>, told: &mut VecDeque<Reading>) {
        let Some(words) = data.said("content") else { return };
        if row.agent.is_some() {
            self.agent(row).closing = words.to_owned();
            return;
        }
        self.turn = Some(Turn { id: row.id.clone(), closing: words.to_owned(), at: row.at });
        if data.get("toolRequests").items().is_empty() {
            self.end_turn(told);
        }
    }

    fn used(&mut self, row: &Row<'_>, mut data: Json<'_>, told: &mut VecDeque<Reading>) {
        let Some(call) = self.calls.take(data.str("toolCallId")) else {
            return told.push_back(Reading::Unreadable("what a tool did, but not which"));
        };
        let mut fields = vec![("toolName", text(&call.tool)), ("toolArgs", call.input)];
        let event = if *data.get("success") == Json::Bool(false) {
            let message = data.get("error").said("message").unwrap_or_default().to_owned();
            fields.push(("error", Json::Text(Cow::Owned(message))));
            Event::ToolFailure
        } else {
            let words = data.take("result").take("content");
            fields.push(("toolResult", as_one(vec![("textResultForLlm", words)])));
            Event::ToolUse
        };
        self.tell(row, event, fields, told);
    }

    fn end_turn(&mut self, told: &mut VecDeque<Reading>) {
        let Some(Turn { id, closing, at }) = self.turn.take() else { return };
        let id = if closing.is_empty() { format!("{id} end") } else { id };
        let row = Row { json: Json::Nothing, id, at, agent: None };
        self.tell(&row, Event::TurnEnd, vec![("response", text(&closing))], told);
    }

    fn agent(&mut self, row: &Row<'_>) -> &mut Agent {
        self.agents.entry(row.agent.clone().unwrap_or_default()).or_default()
    }

    fn tell(&self, row: &Row<'_>, event: Event, fields: Vec<Field<'_>>, told: &mut VecDeque<Reading>) {
        let mut fields: Vec<Field<'_>> = fields;
        if let Some(agent) = &row.agent {
            let sort =
                self.agents.get(agent).map(|agent| agent.sort.as_str()).filter(|sort| !sort.is_empty());
            fields.push(("agentId", text(agent)));
            fields.push(("agentType", text(sort.unwrap_or("subagent"))));
        }
        fields.extend(self.cwd.as_deref().map(|cwd| ("cwd", text(cwd))));
        for (number, one) in wire::tell(&DIALECT, event, as_one(fields)).into_iter().enumerate() {
            let id = if number == 0 { row.id.clone() } else { format!("{} {number}", row.id) };
            let (session, cwd) = (self.session.clone(), self.cwd.clone());
            told.push_back(Reading::Entry(Box::new(Entry { at: row.at, session, cwd, id, told: one })));
        }
    }
}
