//! The events in a transcript of Copilot CLI, put as its hooks would have sent them.

use crate::copilot::DIALECT;
use crate::dialect::{self, HookEvent};
use crate::lenient::LenientJson;
use crate::transcripts::event_fields::{EventField, as_one, text};
use crate::transcripts::merged_files::RowReader;
use crate::transcripts::pending_calls::PendingCalls;
use crate::transcripts::{HostTranscriptEntry, TranscriptItem, time};
use backstory_memory::Timestamp;
use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};

/// How most rows without events begin: payloads of hooks, requests to the model, usage.
const OF_NO_USE: [&str; 4] = ["hook.", "system.", "session.usage", "assistant.turn_"];

/// A session's events.
pub(super) struct CopilotEvents {
    session: String,
    cwd: Option<String>,
    calls: PendingCalls,
    agents: HashMap<String, CopilotSubagent>,
    turn: Option<CopilotTurn>,
}

/// A subagent: its type and its last message.
#[derive(Default)]
struct CopilotSubagent {
    sort: String,
    closing: String,
}

/// A prompt and the last message since.
struct CopilotTurn {
    id: String,
    closing: String,
    at: Timestamp,
}

/// One event.
struct CopilotEvent<'a> {
    json: LenientJson<'a>,
    id: String,
    at: Timestamp,
    agent: Option<String>,
}

impl RowReader for CopilotEvents {
    fn read(&mut self, row: &str, out: &mut VecDeque<TranscriptItem>) {
        let sort = row.strip_prefix("{\"type\":\"").unwrap_or_default();
        if OF_NO_USE.iter().any(|beginning| sort.starts_with(beginning)) {
            return;
        }
        let json = LenientJson::read_only(row, is_of_use);
        let (at, id) = (time(json.get("timestamp")), json.said("id").map(str::to_owned));
        let (Some(at), Some(id), Some(sort)) = (at, id, json.said("type").map(str::to_owned)) else {
            return out.push_back(TranscriptItem::Unreadable("a line"));
        };
        let data = json.get("data");
        // Older versions name a subagent by the call that started it.
        let agent = json.said("agentId").or(data.said("parentToolCallId"));
        let agent = agent.or(data.said("toolCallId").filter(|_| sort.starts_with("subagent.")));
        let agent = agent.map(str::to_owned);
        self.happened(&sort, CopilotEvent { json, id, at, agent }, row.len(), out);
    }

    fn end(&mut self, out: &mut VecDeque<TranscriptItem>) {
        self.end_turn(out);
    }
}

/// Metrics of a tool, and text for the screen.
fn is_of_use(_: usize, field: &str) -> bool {
    !matches!(field, "toolTelemetry" | "transformedContent" | "detailedContent" | "modelMetrics")
}

impl CopilotEvents {
    pub(super) fn new(session: String, cwd: Option<String>) -> CopilotEvents {
        CopilotEvents { session, cwd, calls: PendingCalls::default(), agents: HashMap::new(), turn: None }
    }

    fn happened(
        &mut self,
        sort: &str,
        mut row: CopilotEvent<'_>,
        length: usize,
        out: &mut VecDeque<TranscriptItem>,
    ) {
        let mut data = row.json.take("data");
        match sort {
            "session.start" | "session.resume" => {
                self.end_turn(out);
                self.moves_to(data.get("context").said("cwd"));
                let how = if sort == "session.start" { "new" } else { "resume" };
                self.emit(&row, HookEvent::SessionStart, vec![("source", text(how))], out);
            }
            "session.context_changed" => self.moves_to(data.said("cwd")),
            "user.message" => self.on_prompt(&row, data, out),
            "assistant.message" => self.said(&row, &data, out),
            "tool.execution_start" => {
                let input = data.take("arguments");
                self.calls.put(data.str("toolCallId"), data.str("toolName"), input, length);
            }
            "tool.execution_complete" => self.used(&row, data, out),
            "subagent.started" => {
                let sort = data.said("agentType").unwrap_or(data.str("agentName")).to_owned();
                self.agent(&row).sort = sort;
                self.emit(&row, HookEvent::SubagentStart, Vec::new(), out);
            }
            "subagent.completed" | "subagent.failed" => {
                let closing = std::mem::take(&mut self.agent(&row).closing);
                self.emit(&row, HookEvent::SubagentEnd, vec![("response", text(&closing))], out);
            }
            "session.error" => {
                self.turn = None;
                self.emit(&row, HookEvent::TurnFailure, vec![("error", data.take("message"))], out);
            }
            "abort" => {
                self.turn = None;
                self.emit(&row, HookEvent::Interruption, Vec::new(), out);
            }
            "session.compaction_start" => self.emit(&row, HookEvent::Compacting, Vec::new(), out),
            "session.compaction_complete" if data.said("summaryContent").is_some() => {
                let summary = data.take("summaryContent");
                self.emit(&row, HookEvent::Compacted, vec![("compact_summary", summary)], out);
            }
            "session.shutdown" => {
                self.end_turn(out);
                self.emit(&row, HookEvent::SessionEnd, vec![("reason", data.take("shutdownType"))], out);
            }
            _ => {}
        }
    }

    fn moves_to(&mut self, folder: Option<&str>) {
        self.cwd = folder.map(str::to_owned).or(self.cwd.take());
    }

    fn on_prompt(
        &mut self,
        row: &CopilotEvent<'_>,
        mut data: LenientJson<'_>,
        out: &mut VecDeque<TranscriptItem>,
    ) {
        // A subagent is prompted by an agent, and was announced before.
        let source = if row.agent.is_some() { LenientJson::Nothing } else { data.take("source") };
        let before = out.len();
        self.emit(row, HookEvent::Prompt, vec![("prompt", data.take("content")), ("source", source)], out);
        if row.agent.is_none() && out.len() > before {
            let prompt = out.split_off(before);
            self.end_turn(out);
            out.extend(prompt);
            self.turn = Some(CopilotTurn { id: row.id.clone(), closing: String::new(), at: row.at });
        }
    }

    /// Reads a message: one without a tool call closes the turn.
    fn said(&mut self, row: &CopilotEvent<'_>, data: &LenientJson<'_>, out: &mut VecDeque<TranscriptItem>) {
        let Some(words) = data.said("content") else { return };
        if row.agent.is_some() {
            self.agent(row).closing = words.to_owned();
            return;
        }
        self.turn = Some(CopilotTurn { id: row.id.clone(), closing: words.to_owned(), at: row.at });
        if data.get("toolRequests").items().is_empty() {
            self.end_turn(out);
        }
    }

    fn used(
        &mut self,
        row: &CopilotEvent<'_>,
        mut data: LenientJson<'_>,
        out: &mut VecDeque<TranscriptItem>,
    ) {
        let Some(call) = self.calls.take(data.str("toolCallId")) else {
            return out.push_back(TranscriptItem::Unreadable("what a tool did, but not which"));
        };
        let mut fields = vec![("toolName", text(&call.tool)), ("toolArgs", call.input)];
        let event = if *data.get("success") == LenientJson::Bool(false) {
            let error = data.get("error");
            let (message, code) = (error.str("message").to_owned(), error.str("code").to_owned());
            fields.push(("error", LenientJson::Text(Cow::Owned(message))));
            fields.push(("toolResult", as_one(vec![("resultType", LenientJson::Text(Cow::Owned(code)))])));
            HookEvent::ToolFailure
        } else {
            let words = data.take("result").take("content");
            fields.push(("toolResult", as_one(vec![("textResultForLlm", words)])));
            HookEvent::ToolUse
        };
        self.emit(row, event, fields, out);
    }

    fn end_turn(&mut self, out: &mut VecDeque<TranscriptItem>) {
        let Some(CopilotTurn { id, closing, at }) = self.turn.take() else { return };
        let id = if closing.is_empty() { format!("{id} end") } else { id };
        let row = CopilotEvent { json: LenientJson::Nothing, id, at, agent: None };
        self.emit(&row, HookEvent::TurnEnd, vec![("response", text(&closing))], out);
    }

    fn agent(&mut self, row: &CopilotEvent<'_>) -> &mut CopilotSubagent {
        self.agents.entry(row.agent.clone().unwrap_or_default()).or_default()
    }

    fn emit(
        &self,
        row: &CopilotEvent<'_>,
        event: HookEvent,
        fields: Vec<EventField<'_>>,
        out: &mut VecDeque<TranscriptItem>,
    ) {
        let mut fields: Vec<EventField<'_>> = fields;
        if let Some(agent) = &row.agent {
            let sort =
                self.agents.get(agent).map(|agent| agent.sort.as_str()).filter(|sort| !sort.is_empty());
            fields.push(("agentId", text(agent)));
            fields.push(("agentType", text(sort.unwrap_or("subagent"))));
        }
        fields.extend(self.cwd.as_deref().map(|cwd| ("cwd", text(cwd))));
        for (number, one) in dialect::events_from(&DIALECT, event, as_one(fields)).into_iter().enumerate() {
            let id = if number == 0 { row.id.clone() } else { format!("{} {number}", row.id) };
            let (session, cwd) = (self.session.clone(), self.cwd.clone());
            out.push_back(TranscriptItem::Entry(Box::new(HostTranscriptEntry {
                at: row.at,
                session,
                cwd,
                id,
                event: one,
            })));
        }
    }
}
