//! The rows of a session, put as the events its hooks would have sent.
//!
//! A transcript does not mark the end of a turn: the agent's last message is reported as such when the next prompt comes, or the
//! file ends. Nor does it say when its session ended or was resumed.

use super::queued_messages::{QueueRow, QueuedMessages};
use super::session_row::ClaudeRow;
use super::sidechains::{OF_UNKNOWN_SORT, SidechainState, Sidechains};
use super::user_message::{UserMessage, said, summary};
use crate::claude_code::DIALECT;
use crate::dialect::{self, HookEvent};
use crate::lenient::LenientJson;
use crate::transcripts::event_fields::{EventFields, field, words};
use crate::transcripts::merged_files::RowReader;
use crate::transcripts::pending_calls::{PendingCall, PendingCalls};
use crate::transcripts::{HostTranscriptEntry, RunningCall, TranscriptItem};
use crate::user_decisions::refusal_in;
use backstory_memory::digest;
use std::borrow::Cow;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};

/// The rows of a session, or of one of its subagents.
pub(super) struct SessionRows {
    /// The file.
    path: PathBuf,
    /// The id of the session, for rows that do not name it.
    session: String,
    /// Why the session began; `None` once that is reported.
    began: Option<&'static str>,
    /// The id of the turn.
    turn: String,
    /// The folder the agent is in, for rows that do not name it.
    cwd: Option<String>,
    calls: PendingCalls,
    queue: QueuedMessages,
    /// Whether the user has refused a tool since the agent last said anything: that it stopped then is nothing new.
    has_refused: bool,
    agents: Sidechains,
    /// The last message of the agent, as the end of its turn.
    closing: Option<TranscriptItem>,
    /// The number of entries from the current row.
    made: usize,
}

impl SessionRows {
    pub(super) fn new(path: &Path) -> SessionRows {
        SessionRows {
            path: path.to_owned(),
            session: path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default(),
            began: Some("startup"),
            turn: String::new(),
            cwd: None,
            queue: QueuedMessages::default(),
            has_refused: false,
            calls: PendingCalls::default(),
            agents: Sidechains::default(),
            closing: None,
            made: 0,
        }
    }

    pub(super) fn of_subagent(path: &Path) -> SessionRows {
        SessionRows { agents: Sidechains::from_file(path), ..SessionRows::new(path) }
    }

    fn user(&mut self, row: &ClaudeRow<'_>, agent: Option<usize>, out: &mut VecDeque<TranscriptItem>) {
        if row.is("isMeta") {
            return;
        }
        let results = row.content.items().iter().filter(|block| block.str("type") == "tool_result");
        let results: Vec<&LenientJson<'_>> = results.collect();
        if row.is("isCompactSummary") {
            let summary = summary(&words(&row.content)).to_owned();
            self.emit(row, agent, HookEvent::Compacted, vec![field("compact_summary", &summary)], out);
        } else if results.is_empty() {
            self.on_prompt(row, agent, &words(&row.content), out);
        } else {
            for result in results {
                self.on_result(row, agent, result, out);
            }
        }
    }

    /// Reads a prompt: of the user, or of an agent to its subagent.
    fn on_prompt(
        &mut self,
        row: &ClaudeRow<'_>,
        agent: Option<usize>,
        text: &str,
        out: &mut VecDeque<TranscriptItem>,
    ) {
        if agent.is_some() {
            return self.on_subagent_prompt(row, agent, text, out);
        }
        match said(text) {
            UserMessage::Command(name) if name == "/clear" && self.began.is_some() => {
                self.began = Some("clear");
            }
            UserMessage::Command(_) => {}
            UserMessage::Stopped => {
                self.closing = None;
                if !std::mem::take(&mut self.has_refused) {
                    self.emit(row, None, HookEvent::Interruption, Vec::new(), out);
                }
            }
            UserMessage::Prompt(prompt) => {
                self.end_turn(out);
                self.queue.prompted(&prompt);
                self.calls.leave();
                self.has_refused = false;
                if row.get("promptId").is_nothing() {
                    row.uuid.clone_into(&mut self.turn);
                }
                let event = vec![field("prompt", &prompt), field("source", row.automated_by()), self.turn()];
                self.emit(row, None, HookEvent::Prompt, event, out);
            }
        }
    }

    fn on_subagent_prompt(
        &mut self,
        row: &ClaudeRow<'_>,
        agent: Option<usize>,
        text: &str,
        out: &mut VecDeque<TranscriptItem>,
    ) {
        let known = agent.and_then(|number| self.agents.get(number));
        // Claude Code warms up with subagents of its own.
        if let Some(idle) = known.filter(|agent| agent.state == SidechainState::New && text == "Warmup") {
            idle.state = SidechainState::Idle;
        }
        self.begin(row, agent, out);
    }

    /// Reads the result of a tool.
    fn on_result(
        &mut self,
        row: &ClaudeRow<'_>,
        agent: Option<usize>,
        result: &LenientJson<'_>,
        out: &mut VecDeque<TranscriptItem>,
    ) {
        let Some(call) = self.calls.take(result.str("tool_use_id")) else { return };
        let closing = self.agents.end_of(&call.id);
        let has_closing = closing.is_some();
        out.extend(closing);
        let failed = result.get("is_error").is_true();
        let (as_reported, as_read) = if dialect::only_looks(&call.tool) && !failed {
            (LenientJson::Nothing, LenientJson::Nothing)
        } else {
            row.answer(&call.id)
        };
        let mut event = vec![field("tool_use_id", &call.id), field("tool_name", &call.tool)];
        if failed {
            let error = as_read.words();
            let is_refused = refusal_in(&error).is_some();
            let is_denied = !row.get("toolDenialKind").is_nothing() || error.starts_with("<tool_use_error>");
            // A rule refused it, or it was not a call at all: nothing was done, and the user said nothing.
            if is_denied && !is_refused {
                return;
            }
            let is_stopped = error.starts_with("[Request interrupted by user");
            self.has_refused |= is_refused && !is_stopped;
            event.extend([field("error", error), ("is_interrupt".into(), LenientJson::Bool(is_stopped))]);
        } else {
            let is_new = call.tool == "Write" && words(&as_read).starts_with("File created");
            let response = match (as_reported, as_read) {
                (LenientJson::Nothing, _) if is_new => LenientJson::Fields(vec![field("type", "create")]),
                (LenientJson::Nothing, as_read) => as_read,
                (as_reported, _) => as_reported,
            };
            if !has_closing && agent.is_none() {
                self.subagent_ended(row, &call, &response, out);
            }
            event.push(("tool_response".into(), response));
        }
        event.push(("tool_input".into(), call.input));
        let kind = if failed { HookEvent::ToolFailure } else { HookEvent::ToolUse };
        self.emit(row, agent, kind, event, out);
    }

    /// Reports how a subagent ended whose rows are in no file: its closing message stands only in the result its parent gets.
    fn subagent_ended(
        &mut self,
        row: &ClaudeRow<'_>,
        call: &PendingCall,
        response: &LenientJson<'_>,
        out: &mut VecDeque<TranscriptItem>,
    ) {
        let message = words(response.get("content"));
        let id = response.str("agentId");
        let has_rows = || {
            let file = format!("agent-{id}.jsonl");
            let folder = self.path.with_extension("").join("subagents");
            folder.join(&file).exists() || self.path.with_file_name(file).exists()
        };
        if !matches!(call.tool.as_str(), "Task" | "Agent")
            || message.is_empty()
            || id.is_empty()
            || has_rows()
        {
            return;
        }
        let event = vec![
            field("agent_id", id),
            field("agent_type", call.input.said("subagent_type").unwrap_or(OF_UNKNOWN_SORT)),
            field("last_assistant_message", message),
            self.turn(),
        ];
        let payload = LenientJson::Fields(event);
        let ended = dialect::events_from(&DIALECT, HookEvent::SubagentEnd, payload).into_iter();
        out.extend(ended.map(|event| row.entry(format!("{} end", row.uuid), &self.session, event)));
    }

    fn assistant(&mut self, row: &ClaudeRow<'_>, agent: Option<usize>, out: &mut VecDeque<TranscriptItem>) {
        self.has_refused = false;
        if row.is("isApiErrorMessage") {
            self.set_closing(agent, None);
            let said = words(&row.content);
            let error =
                vec![field("error", row.str("error")), field("last_assistant_message", said), self.turn()];
            // An interrupted subagent does not end the turn.
            if agent.is_none() {
                self.emit(row, None, HookEvent::TurnFailure, error, out);
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

    /// Reads a message of the agent, which may be the last of its turn.
    fn said(&mut self, row: &ClaudeRow<'_>, agent: Option<usize>, text: &str) {
        let is_closing = !row.asks_for_tool && text != "No response requested.";
        let kind = if agent.is_some() { HookEvent::SubagentEnd } else { HookEvent::TurnEnd };
        let event = self.event(row, agent, vec![field("last_assistant_message", text), self.turn()]);
        let event = dialect::events_from(&DIALECT, kind, event).pop().filter(|_| is_closing);
        let closing = event.map(|event| row.entry(format!("{} end", row.uuid), &self.session, event));
        self.set_closing(agent, closing);
    }

    fn set_closing(&mut self, agent: Option<usize>, closing: Option<TranscriptItem>) {
        match agent {
            None => self.closing = closing,
            Some(number) => {
                if let Some(agent) =
                    self.agents.get(number).filter(|agent| agent.state != SidechainState::Idle)
                {
                    agent.closing = closing;
                }
            }
        }
    }

    fn end_turn(&mut self, out: &mut VecDeque<TranscriptItem>) {
        out.extend(self.agents.end());
        out.extend(self.closing.take());
    }

    /// Reports the start of the session or the subagent, if that is not reported yet. Returns whether anything else is to be reported.
    fn begin(
        &mut self,
        row: &ClaudeRow<'_>,
        agent: Option<usize>,
        out: &mut VecDeque<TranscriptItem>,
    ) -> bool {
        let (kind, event, id) = match agent.and_then(|number| self.agents.get(number)) {
            Some(agent) => match std::mem::replace(&mut agent.state, SidechainState::Working) {
                SidechainState::Idle => {
                    agent.state = SidechainState::Idle;
                    return false;
                }
                SidechainState::Working => return true,
                SidechainState::New => (HookEvent::SubagentStart, Vec::new(), format!("{} start", row.uuid)),
            },
            None => match self.began.take() {
                Some(how) => {
                    let session = row.get("sessionId").text().unwrap_or(&self.session);
                    (HookEvent::SessionStart, vec![field("source", how)], format!("{session} start"))
                }
                None => return true,
            },
        };
        let event = self.event(row, agent, [event, vec![self.turn()]].concat());
        let entries = dialect::events_from(&DIALECT, kind, event).into_iter();
        out.extend(entries.map(|begun| row.entry(id.clone(), &self.session, begun)));
        true
    }

    fn emit(
        &mut self,
        row: &ClaudeRow<'_>,
        agent: Option<usize>,
        kind: HookEvent,
        event: EventFields<'_>,
        out: &mut VecDeque<TranscriptItem>,
    ) {
        let happened = dialect::events_from(&DIALECT, kind, self.event(row, agent, event));
        if happened.is_empty() || !self.begin(row, agent, out) {
            return;
        }
        for one in happened {
            let id = match self.made {
                0 => row.uuid.clone(),
                number => format!("{} {number}", row.uuid),
            };
            self.made += 1;
            out.push_back(row.entry(id, &self.session, one));
        }
    }

    /// Reads a row of the queue: the user wrote something while the agent was working.
    fn on_queue(&mut self, row: QueueRow, out: &mut VecDeque<TranscriptItem>) {
        let (at, session) = (row.at, row.session.clone().unwrap_or_else(|| self.session.clone()));
        let Some(text) = self.queue.follow(row) else { return };
        // The same words may stand in two rows, neither of which has an id of its own that the other one knows.
        let id = format!("{session} queued {}", digest([text.as_bytes()]));
        let payload = LenientJson::Fields(vec![field("prompt", text)]);
        let cwd = self.cwd.clone();
        out.extend(dialect::events_from(&DIALECT, HookEvent::Interjection, payload).into_iter().map(
            |event| {
                let (id, session, cwd) = (id.clone(), session.clone(), cwd.clone());
                TranscriptItem::Entry(Box::new(HostTranscriptEntry { at, session, cwd, id, event }))
            },
        ));
    }

    /// Builds the payload the hook would have got.
    fn event<'e>(
        &mut self,
        row: &ClaudeRow<'_>,
        agent: Option<usize>,
        mut event: EventFields<'e>,
    ) -> LenientJson<'e> {
        event.push(field("cwd", row.str("cwd").to_owned()));
        if let Some(agent) = agent.and_then(|number| self.agents.get(number)) {
            event.push(field("agent_id", agent.id.clone()));
            event.push(field("agent_type", agent.sort.clone()));
        }
        LenientJson::Fields(event)
    }

    fn turn(&self) -> (Cow<'static, str>, LenientJson<'static>) {
        field("prompt_id", self.turn.clone())
    }
}

impl RowReader for SessionRows {
    fn read(&mut self, row: &str, out: &mut VecDeque<TranscriptItem>) {
        self.made = 0;
        let text = row;
        let row = match ClaudeRow::read(text) {
            Ok(Some(row)) => row,
            Ok(None) => return QueueRow::read(text).into_iter().for_each(|row| self.on_queue(row, out)),
            Err(why) => return out.push_back(TranscriptItem::Unreadable(why)),
        };
        if let Some(turn) = row.get("promptId").text() {
            turn.clone_into(&mut self.turn);
        }
        self.cwd = row.get("cwd").text().map(str::to_owned).or(self.cwd.take());
        let agent = self.agents.owner_of(&row, &self.calls);
        match row.str("type") {
            "user" => self.user(&row, agent, out),
            "assistant" => self.assistant(&row, agent, out),
            _ => {
                self.end_turn(out);
                self.emit(&row, agent, HookEvent::Compacting, Vec::new(), out);
            }
        }
    }

    fn end(&mut self, out: &mut VecDeque<TranscriptItem>) {
        self.end_turn(out);
    }

    fn awaits_more(&self) -> bool {
        !self.calls.is_empty() || !self.queue.is_empty()
    }

    fn running(&self) -> Vec<RunningCall> {
        self.calls.running()
    }
}
