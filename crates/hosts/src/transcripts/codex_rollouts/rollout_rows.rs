//! The rows of a rollout, put as the events Codex's hooks would have sent.
//!
//! A rollout holds the same thing several times, differently in each version. The messages, calls and results of the model are in all
//! of them; newer ones also hold the end of commands and turns, and the calls a script of the model made.

use super::command_output::{CommandOutput, output_of, served, status};
use super::rollout_entries::RolloutEntries;
use super::tool_calls;
use super::typed_prompt::{summary, typed};
use crate::dialect::{self, HookEvent};
use crate::lenient::LenientJson;
use crate::transcripts::event_fields::{field, words};
use crate::transcripts::file_lines::is_whole;
use crate::transcripts::merged_files::RowReader;
use crate::transcripts::pending_calls::{PendingCall, PendingCalls};
use crate::transcripts::{RunningCall, TranscriptItem, time};
use crate::user_decisions::refusal_in;
use backstory_memory::{Activity, ExitStatus};
use std::collections::VecDeque;
use std::path::Path;

/// The rows of a session, or of one of its subagents.
pub(super) struct RolloutRows {
    entries: RolloutEntries,
    calls: PendingCalls,
    /// The last message of the agent, as the end of its turn.
    closing: Option<TranscriptItem>,
}

impl RolloutRows {
    pub(super) fn new(path: &Path) -> RolloutRows {
        RolloutRows { entries: RolloutEntries::new(path), calls: PendingCalls::default(), closing: None }
    }

    fn understand(&mut self, row: &str, out: &mut VecDeque<TranscriptItem>) -> Result<(), &'static str> {
        if !is_whole(row) {
            return Err("a damaged line");
        }
        let head = LenientJson::read_only(row, |depth, name| match depth {
            1 => matches!(name, "type" | "record_type" | "timestamp" | "payload" | "id"),
            2 => matches!(name, "type" | "item"),
            _ => depth == 3 && name == "type",
        });
        self.entries.at = time(head.get("timestamp")).or(self.entries.at);
        let within = head.get("payload");
        match (head.str("type"), within.str("type")) {
            ("session_meta" | "turn_context", _) => self.context(&mut read(row), out),
            ("compacted", _) => self.compacted(&read(row), out)?,
            ("response_item", kind) => self.item(kind, read(row).take("payload"), row.len(), out)?,
            ("event_msg", kind) => self.event(kind, within.get("item").str("type"), row, out)?,
            ("message" | "function_call" | "function_call_output" | "local_shell_call", _) => {
                self.item(head.str("type"), read(row), row.len(), out)?;
            }
            ("", _) if head.get("record_type").is_nothing() && head.get("id").is_nothing() => {
                return Err("a row of no type");
            }
            _ => {}
        }
        Ok(())
    }

    /// Reads the folder and the turn the agent is in.
    fn context(&mut self, row: &mut LenientJson<'_>, out: &mut VecDeque<TranscriptItem>) {
        let payload = row.take("payload");
        self.entries.cwd = payload.said("cwd").map(str::to_owned).or(self.entries.cwd.take());
        self.begin_turn(&payload, out);
    }

    fn begin_turn(&mut self, payload: &LenientJson<'_>, out: &mut VecDeque<TranscriptItem>) {
        out.extend(self.closing.take());
        if let Some(turn) = payload.said("turn_id") {
            turn.clone_into(&mut self.entries.turn);
        }
    }

    fn compacted(
        &mut self,
        row: &LenientJson<'_>,
        out: &mut VecDeque<TranscriptItem>,
    ) -> Result<(), &'static str> {
        // The last message of the agent is the summary.
        self.closing = None;
        self.entries.emit(None, HookEvent::Compacting, Vec::new(), out)?;
        match summary(row.get("payload").str("message")) {
            "" => Ok(()),
            summary => {
                self.entries.emit(None, HookEvent::Compacted, vec![field("compact_summary", summary)], out)
            }
        }
    }

    /// Reads a message, a call or a result of the model.
    fn item(
        &mut self,
        kind: &str,
        mut item: LenientJson<'_>,
        bytes: usize,
        out: &mut VecDeque<TranscriptItem>,
    ) -> Result<(), &'static str> {
        match (kind, item.str("role")) {
            ("message", "user") => self.on_prompt(&item, out),
            ("message", "assistant") => self.said(&item),
            ("function_call" | "custom_tool_call" | "local_shell_call", _) => {
                self.closing = None;
                if let Some((tool, input)) = tool_calls::tool_call(&mut item) {
                    let id = item.said("call_id").unwrap_or(item.str("id"));
                    self.calls.put(id, &tool, input, bytes);
                }
                Ok(())
            }
            ("function_call_output" | "custom_tool_call_output", _) => {
                match self.calls.take(item.str("call_id")) {
                    Some(call) => self.on_result(call, item.take("output"), bytes, out),
                    None => Ok(()),
                }
            }
            _ => Ok(()),
        }
    }

    fn on_prompt(
        &mut self,
        message: &LenientJson<'_>,
        out: &mut VecDeque<TranscriptItem>,
    ) -> Result<(), &'static str> {
        let prompt = typed(message);
        if prompt.trim().is_empty() {
            return Ok(());
        }
        out.extend(self.closing.take());
        self.calls.leave();
        self.entries.emit(message.said("id"), HookEvent::Prompt, vec![field("prompt", prompt)], out)
    }

    fn said(&mut self, message: &LenientJson<'_>) -> Result<(), &'static str> {
        let text = words(message.get("content"));
        let id = self.entries.id(message.said("id"));
        self.closing = self
            .entries
            .end_of_turn(text)
            .map(|event| self.entries.entry(format!("{id} end"), event))
            .transpose()?;
        Ok(())
    }

    fn on_result(
        &mut self,
        call: PendingCall,
        answer: LenientJson<'_>,
        bytes: usize,
        out: &mut VecDeque<TranscriptItem>,
    ) -> Result<(), &'static str> {
        if dialect::only_looks(&call.tool) {
            return self.used(call, LenientJson::Nothing, out);
        }
        let answer = if answer.get("content").is_nothing() { answer } else { answer.get("content").clone() };
        let text = words(&answer);
        match call.tool.as_str() {
            "Bash" | "apply_patch" if is_refused(&text) => self.refused(call, text, out),
            "Bash" => match output_of(&text) {
                // Its end is a row of its own.
                CommandOutput { status: None, .. } => {
                    self.calls.put(&call.id, &call.tool, call.input, bytes);
                    Ok(())
                }
                CommandOutput { text, status: Some(status) } => self.ran(call, &text, status, out),
            },
            // Hooks do not report a patch that does not apply either.
            "apply_patch" if !tool_calls::is_applied(&text) => Ok(()),
            tool if tool.starts_with("mcp__") => self.used(call, served(answer), out),
            _ => self.used(call, LenientJson::Text(text.into()), out),
        }
    }

    fn ran(
        &mut self,
        call: PendingCall,
        output: &str,
        how: ExitStatus,
        out: &mut VecDeque<TranscriptItem>,
    ) -> Result<(), &'static str> {
        self.used(call, LenientJson::Text(output.into()), out)?;
        if let Some(TranscriptItem::Entry(entry)) = out.back_mut()
            && let Activity::Ran { status, .. } = &mut entry.event.activity
        {
            *status = how;
        }
        Ok(())
    }

    fn refused(
        &mut self,
        call: PendingCall,
        error: String,
        out: &mut VecDeque<TranscriptItem>,
    ) -> Result<(), &'static str> {
        let event = vec![
            field("tool_use_id", call.id.clone()),
            field("tool_name", call.tool),
            ("tool_input".into(), call.input),
            field("error", error),
        ];
        self.entries.emit(Some(&call.id), HookEvent::ToolFailure, event, out)
    }

    fn used(
        &mut self,
        call: PendingCall,
        response: LenientJson<'_>,
        out: &mut VecDeque<TranscriptItem>,
    ) -> Result<(), &'static str> {
        let event = vec![
            field("tool_use_id", call.id.clone()),
            field("tool_name", call.tool),
            ("tool_input".into(), call.input),
            ("tool_response".into(), response),
        ];
        self.entries.emit(Some(&call.id), HookEvent::ToolUse, event, out)
    }

    /// Reads an event that Codex wrote beside the model's own items.
    fn event(
        &mut self,
        kind: &str,
        item: &str,
        row: &str,
        out: &mut VecDeque<TranscriptItem>,
    ) -> Result<(), &'static str> {
        let is_reported =
            matches!(kind, "task_started" | "task_complete" | "turn_aborted" | "error" | "exec_command_end")
                || kind == "item_completed"
                    && matches!(item, "CommandExecution" | "FileChange" | "McpToolCall");
        if !is_reported {
            return Ok(());
        }
        let mut payload = read(row).take("payload");
        match kind {
            "task_started" => {
                self.begin_turn(&payload, out);
                Ok(())
            }
            "task_complete" => self.turn_completed(&payload, out),
            "turn_aborted" => self.interrupted(&payload, out),
            "error" => self.turn_broken(payload.str("message"), out),
            "exec_command_end" => self.command_ended(&payload, payload.str("call_id"), out),
            _ => {
                let item = payload.take("item");
                let id = item.str("id");
                match item.str("type") {
                    "CommandExecution" => self.command_ended(&item, id, out),
                    // Calls of the model are reported with their results, those of its scripts here.
                    _ if !tool_calls::is_of_script(id) => Ok(()),
                    _ => match tool_calls::of_script(&item) {
                        Some((tool, input, response)) => {
                            let call = PendingCall::new(id, &tool, input);
                            self.used(call, response, out)
                        }
                        None => Ok(()),
                    },
                }
            }
        }
    }

    fn turn_completed(
        &mut self,
        payload: &LenientJson<'_>,
        out: &mut VecDeque<TranscriptItem>,
    ) -> Result<(), &'static str> {
        let Some(message) = payload.said("last_agent_message") else {
            out.extend(self.closing.take());
            return Ok(());
        };
        self.closing = None;
        let id =
            format!("{} end", payload.said("turn_id").map_or_else(|| self.entries.id(None), str::to_owned));
        if let Some(end) = self.entries.end_of_turn(message.to_owned()) {
            self.entries.begin(out)?;
            out.push_back(self.entries.entry(id, end)?);
        }
        Ok(())
    }

    fn interrupted(
        &mut self,
        payload: &LenientJson<'_>,
        out: &mut VecDeque<TranscriptItem>,
    ) -> Result<(), &'static str> {
        if !matches!(payload.str("reason"), "" | "interrupted") {
            return self.turn_broken(payload.str("reason"), out);
        }
        self.closing = None;
        // An interrupted subagent does not end the turn.
        if self.entries.is_subagent() {
            return Ok(());
        }
        self.entries.interrupted(out)
    }

    fn turn_broken(&mut self, error: &str, out: &mut VecDeque<TranscriptItem>) -> Result<(), &'static str> {
        self.closing = None;
        // An interrupted subagent does not end the turn.
        if self.entries.is_subagent() {
            return Ok(());
        }
        self.entries.emit(None, HookEvent::TurnFailure, vec![field("error", error)], out)
    }

    fn command_ended(
        &mut self,
        item: &LenientJson<'_>,
        id: &str,
        out: &mut VecDeque<TranscriptItem>,
    ) -> Result<(), &'static str> {
        // Commands that the user ran beside the session, or rejected.
        if item.str("status") == "declined" || item.str("source") == "user_shell" {
            return Ok(());
        }
        let call = if tool_calls::is_of_script(id) {
            tool_calls::command(item.get("command")).map(|(tool, input)| PendingCall::new(id, &tool, input))
        } else if self.calls.iter().any(|call| call.id == id && call.tool == "Bash") {
            self.calls.take(id)
        } else {
            None
        };
        match call {
            Some(call) => self.ran(call, item.str("aggregated_output"), status(item.get("exit_code")), out),
            None => Ok(()),
        }
    }
}

impl RowReader for RolloutRows {
    fn read(&mut self, row: &str, out: &mut VecDeque<TranscriptItem>) {
        self.entries.next_row();
        if let Err(why) = self.understand(row, out) {
            out.push_back(TranscriptItem::Unreadable(why));
        }
    }

    fn end(&mut self, out: &mut VecDeque<TranscriptItem>) {
        out.extend(self.closing.take());
    }

    fn awaits_more(&self) -> bool {
        !self.calls.is_empty()
    }

    fn running(&self) -> Vec<RunningCall> {
        self.calls.running()
    }
}

/// Whether a result says that the user refused the call. What a command printed says how it ended.
fn is_refused(text: &str) -> bool {
    matches!(output_of(text).status, None | Some(ExitStatus::Unknown)) && refusal_in(text).is_some()
}

/// Reads a row without the fields that are not needed.
fn read(row: &str) -> LenientJson<'_> {
    LenientJson::read_only(row, |depth, name| {
        depth > 2
            || !matches!(
                name,
                "base_instructions"
                    | "replacement_history"
                    | "replacement_history_metadata"
                    | "retained_context"
                    | "encrypted_content"
                    | "user_instructions"
            )
    })
}
