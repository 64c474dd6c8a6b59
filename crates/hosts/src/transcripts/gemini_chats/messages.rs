//! The messages in a transcript of Gemini CLI, put as its hooks would have sent them.
//!
//! Gemini CLI writes a message again whenever something was added to it, and all of them with other times when a session is resumed:
//! what was reported once is not reported again.

use crate::AgentEvent;
use crate::dialect::{self, HookEvent};
use crate::gemini::DIALECT;
use crate::lenient::LenientJson;
use crate::transcripts::event_fields::{EventField, as_one, text};
use crate::transcripts::merged_files::RowReader;
use crate::transcripts::{HostTranscriptEntry, TranscriptItem, time};
use crate::user_decisions::refusal_in;
use backstory_memory::{Activity, Provenance, StartReason, Subagent, Timestamp};
use std::collections::{HashSet, VecDeque};

/// A session's messages.
pub(super) struct GeminiMessages {
    session: String,
    cwd: Option<String>,
    subagent: Option<Subagent>,
    /// The ids of messages and tool calls that were reported.
    known: HashSet<String>,
    turn: Option<GeminiTurn>,
    /// The start of the session, which is reported with the first message: some sessions have none.
    beginning: Option<TranscriptItem>,
}

/// A prompt and the last message since.
struct GeminiTurn {
    id: String,
    closing: String,
    at: Timestamp,
}

impl RowReader for GeminiMessages {
    fn read(&mut self, row: &str, out: &mut VecDeque<TranscriptItem>) {
        let mut json = LenientJson::read_only(row, is_of_use);
        if !json.get("$set").is_nothing() {
            self.restated(json.take("$set"), out);
        } else if json.said("sessionId").is_some() && json.said("projectHash").is_some() {
            self.begins(&json, out);
        } else if json.said("id").is_some() && json.said("type").is_some() {
            self.message(json, out);
        } else if json.get("$rewindTo").is_nothing() {
            out.push_back(TranscriptItem::Unreadable("a line"));
        }
    }

    fn end(&mut self, out: &mut VecDeque<TranscriptItem>) {
        self.end_turn(out);
    }
}

/// Fields that are not needed: thoughts, token counts, the whole content of edited files.
fn is_of_use(_: usize, field: &str) -> bool {
    !matches!(field, "thoughts" | "tokens" | "fileDiff" | "newContent" | "diffStat")
}

impl GeminiMessages {
    pub(super) fn new(cwd: Option<String>) -> GeminiMessages {
        GeminiMessages {
            session: String::new(),
            cwd,
            subagent: None,
            known: HashSet::new(),
            turn: None,
            beginning: None,
        }
    }

    /// Returns the reader of a subagent, whose events belong to the session that started it.
    pub(super) fn of_subagent(session: &str, agent: &str, cwd: Option<String>) -> GeminiMessages {
        let subagent = Subagent { id: agent.to_owned(), sort: "subagent".to_owned() };
        GeminiMessages { session: session.to_owned(), subagent: Some(subagent), ..GeminiMessages::new(cwd) }
    }

    fn begins(&mut self, head: &LenientJson<'_>, out: &mut VecDeque<TranscriptItem>) {
        let Some(at) = time(head.get("startTime")) else {
            return out.push_back(TranscriptItem::Unreadable("a line"));
        };
        self.end_turn(out);
        let name = head.str("sessionId").to_owned();
        if self.cwd.is_none() {
            self.cwd = head.get("directories").items().first().and_then(LenientJson::text).map(str::to_owned);
        }
        let is_new = self.known.insert(name.clone());
        let reason = if is_new { StartReason::Startup } else { StartReason::Resume };
        let id = if is_new { name.clone() } else { format!("{name} {}", at.0) };
        let activity = match self.subagent {
            Some(_) => Activity::SubagentStarted,
            None => {
                self.session = name;
                Activity::SessionStarted { reason }
            }
        };
        self.beginning = Some(self.entry(at, id, self.agent_event(activity, Provenance::Tool)));
    }

    /// Reads a list of all messages: they were reported before, except the summary of a compaction.
    fn restated(&mut self, mut set: LenientJson<'_>, out: &mut VecDeque<TranscriptItem>) {
        for message in set.take("messages").into_items() {
            let words = words_of(message.get("content"));
            let summary = summary_in(&words).filter(|_| message.str("type") == "user");
            if let (Some(at), Some(summary)) = (time(message.get("timestamp")), summary) {
                self.compacted(message.str("id"), at, summary, out);
            }
        }
    }

    fn compacted(&mut self, id: &str, at: Timestamp, summary: &str, out: &mut VecDeque<TranscriptItem>) {
        if self.known.insert(id.to_owned()) && self.subagent.is_none() {
            let activity = Activity::Compacted { summary: summary.to_owned() };
            self.put(at, id.to_owned(), activity, Provenance::Assistant, out);
        }
    }

    fn message(&mut self, mut message: LenientJson<'_>, out: &mut VecDeque<TranscriptItem>) {
        let Some(at) = time(message.get("timestamp")) else {
            return out.push_back(TranscriptItem::Unreadable("a line"));
        };
        let id = message.str("id").to_owned();
        match message.str("type") {
            "user" => self.on_prompt(&id, at, &message, out),
            "gemini" => {
                let words = words_of(message.get("content"));
                if let Some(turn) = self.turn.as_mut().filter(|_| !words.is_empty()) {
                    *turn = GeminiTurn { id: id.clone(), closing: words, at };
                }
                for call in message.take("toolCalls").into_items() {
                    self.used(&id, at, call, out);
                }
            }
            "error" => {
                let error = words_of(message.get("content"));
                if self.known.insert(id.clone()) && self.turn.take().is_some() && self.subagent.is_none() {
                    self.put(at, id, Activity::TurnBroken { error }, Provenance::Tool, out);
                }
            }
            _ => {}
        }
    }

    fn on_prompt(
        &mut self,
        id: &str,
        at: Timestamp,
        message: &LenientJson<'_>,
        out: &mut VecDeque<TranscriptItem>,
    ) {
        let shown = words_of(message.get("displayContent"));
        let words = if shown.is_empty() { words_of(message.get("content")) } else { shown };
        if let Some(summary) = summary_in(&words) {
            return self.compacted(id, at, summary, out);
        }
        if is_of_the_host(&words) || !self.known.insert(id.to_owned()) {
            return;
        }
        let mut prompt = VecDeque::new();
        self.emit(id, at, HookEvent::Prompt, vec![("prompt", text(&words))], &mut prompt);
        if !prompt.is_empty() {
            self.end_turn(out);
            self.turn = Some(GeminiTurn { id: id.to_owned(), closing: String::new(), at });
            out.extend(prompt);
        }
    }

    fn used(
        &mut self,
        message: &str,
        at: Timestamp,
        mut call: LenientJson<'_>,
        out: &mut VecDeque<TranscriptItem>,
    ) {
        let id = format!("{message} {}", call.str("id"));
        let answer = answer_in(call.take("result"));
        let error = answer.get("error").words();
        let is_done = match call.str("status") {
            "success" | "error" => true,
            // The user refused it, or stopped everything.
            "cancelled" => refusal_in(&error).is_some(),
            _ => false,
        };
        if !is_done || !self.known.insert(id.clone()) {
            return;
        }
        let at = time(call.get("timestamp")).unwrap_or(at);
        let mut response = vec![("returnDisplay", call.take("resultDisplay"))];
        if matches!(call.str("status"), "error" | "cancelled") {
            response.push(("error", as_one(vec![("message", text(&error))])));
        }
        let sent_to_model = if error.is_empty() { answer.get("output").words() } else { error.clone() };
        response.push(("llmContent", text(&sent_to_model)));
        let name = call.str("name").to_owned();
        let fields = vec![
            ("tool_name", text(&name)),
            ("tool_input", call.take("args")),
            ("tool_response", as_one(response)),
        ];
        self.emit(&id, at, HookEvent::ToolUse, fields, out);
    }

    fn end_turn(&mut self, out: &mut VecDeque<TranscriptItem>) {
        let Some(GeminiTurn { id, closing, at }) = self.turn.take() else { return };
        let id = if closing.is_empty() { format!("{id} end") } else { id };
        let activity = match self.subagent {
            Some(_) => Activity::SubagentEnded { message: closing },
            None => Activity::TurnEnded { message: closing },
        };
        self.put(at, id, activity, Provenance::Assistant, out);
    }

    fn emit(
        &mut self,
        id: &str,
        at: Timestamp,
        event: HookEvent,
        fields: Vec<EventField<'_>>,
        out: &mut VecDeque<TranscriptItem>,
    ) {
        let (cwd, subagent) = (self.cwd.clone(), self.subagent.clone());
        let mut fields: Vec<EventField<'_>> = fields;
        fields.extend(cwd.as_deref().map(|cwd| ("cwd", text(cwd))));
        fields.extend(
            subagent
                .iter()
                .flat_map(|agent| [("agent_id", text(&agent.id)), ("agent_type", text(&agent.sort))]),
        );
        for (number, one) in dialect::events_from(&DIALECT, event, as_one(fields)).into_iter().enumerate() {
            let id = if number == 0 { id.to_owned() } else { format!("{id} {number}") };
            self.push(at, id, one, out);
        }
    }

    fn put(
        &mut self,
        at: Timestamp,
        id: String,
        activity: Activity,
        provenance: Provenance,
        out: &mut VecDeque<TranscriptItem>,
    ) {
        let one = self.agent_event(activity, provenance);
        self.push(at, id, one, out);
    }

    fn push(&mut self, at: Timestamp, id: String, one: AgentEvent, out: &mut VecDeque<TranscriptItem>) {
        out.extend(self.beginning.take());
        out.push_back(self.entry(at, id, one));
    }

    fn agent_event(&self, activity: Activity, provenance: Provenance) -> AgentEvent {
        AgentEvent { activity, subagent: self.subagent.clone(), tool: None, sequence: None, provenance }
    }

    fn entry(&self, at: Timestamp, id: String, event: AgentEvent) -> TranscriptItem {
        let (session, cwd) = (self.session.clone(), self.cwd.clone());
        TranscriptItem::Entry(Box::new(HostTranscriptEntry { at, session, cwd, id, event }))
    }
}

/// Returns the summary of a compaction, without the thoughts before it.
fn summary_in(words: &str) -> Option<&str> {
    let (_, inside) = words.split_once("<state_snapshot>")?;
    inside.split_once("</state_snapshot>").map(|(summary, _)| summary.trim())
}

/// How messages of the host to its model begin.
const OF_THE_HOST: [&str; 2] = ["<session_context>", "This is the Gemini CLI."];

/// Whether the host wrote this itself, or it is a command of the host like `/chat save` or `?`.
fn is_of_the_host(words: &str) -> bool {
    let command = words.strip_prefix('/').and_then(|rest| rest.split_whitespace().next());
    OF_THE_HOST.iter().any(|beginning| words.starts_with(beginning))
        || words == "?"
        || command.is_some_and(|command| !command.contains('/'))
}

/// Returns the text of a message: that of its parts, without thoughts and results of tools.
fn words_of(content: &LenientJson<'_>) -> String {
    if let Some(words) = content.text() {
        return words.trim().to_owned();
    }
    let one = std::slice::from_ref(content);
    let parts = if content.items().is_empty() { one } else { content.items() };
    let said = parts.iter().filter(|part| !part.get("thought").is_true());
    let texts = said.filter_map(|part| part.text().or(part.said("text")));
    texts.collect::<Vec<&str>>().join("").trim().to_owned()
}

/// Returns the result of a tool, from the response the model got.
fn answer_in(result: LenientJson<'_>) -> LenientJson<'_> {
    let mut parts = result.into_items().into_iter();
    let answer = parts.find_map(|mut part| {
        let answer = part.take("functionResponse").take("response");
        (!answer.is_nothing()).then_some(answer)
    });
    answer.unwrap_or(LenientJson::Nothing)
}
