//! What the rows of a rollout tell, put as the events Codex's hooks would have been sent.
//!
//! The same thing stands in it several times, in versions differently: what the model said and was answered is in all of them.
//! Newer ones say besides when a command status and a turn, and what a script of the model's did.

use super::outputs::{Output, output_of, served, status};
use super::prompts::{summary, typed};
use super::teller::Teller;
use super::tools;
use crate::lenient::Json;
use crate::records::calls::{Call, Calls};
use crate::records::events::{field, words};
use crate::records::lines::is_whole;
use crate::records::merged::Rows;
use crate::records::{Reading, time};
use crate::wire::{self, Event};
use backstory_memory::{Activity, ExitStatus};
use std::collections::VecDeque;
use std::path::Path;

/// The rows of a session, or of one of its subagents.
pub(super) struct ThreadRows {
    teller: Teller,
    calls: Calls,
    /// What the agent said last, as the end of its turn.
    closing: Option<Reading>,
}

impl ThreadRows {
    pub(super) fn new(path: &Path) -> ThreadRows {
        ThreadRows { teller: Teller::new(path), calls: Calls::default(), closing: None }
    }

    fn understand(&mut self, row: &str, told: &mut VecDeque<Reading>) -> Result<(), &'static str> {
        if !is_whole(row) {
            return Err("a damaged line");
        }
        let head = Json::read_only(row, |depth, name| match depth {
            1 => matches!(name, "type" | "record_type" | "timestamp" | "payload" | "id"),
            2 => matches!(name, "type" | "item"),
            _ => depth == 3 && name == "type",
        });
        self.teller.at = time(head.get("timestamp")).or(self.teller.at);
        let within = head.get("payload");
        match (head.str("type"), within.str("type")) {
            ("session_meta" | "turn_context", _) => self.context(&mut read(row), told),
            ("compacted", _) => self.compacted(&read(row), told)?,
            ("response_item", kind) => self.item(kind, read(row).take("payload"), row.len(), told)?,
            ("event_msg", kind) => self.event(kind, within.get("item").str("type"), row, told)?,
            ("message" | "function_call" | "function_call_output" | "local_shell_call", _) => {
                self.item(head.str("type"), read(row), row.len(), told)?;
            }
            ("", _) if head.get("record_type").is_nothing() && head.get("id").is_nothing() => {
                return Err("a row of no type");
            }
            _ => {}
        }
        Ok(())
    }

    /// Where the agent is, and in which turn.
    fn context(&mut self, row: &mut Json<'_>, told: &mut VecDeque<Reading>) {
        let payload = row.take("payload");
        self.teller.cwd = payload.said("cwd").map(str::to_owned).or(self.teller.cwd.take());
        self.begin_turn(&payload, told);
    }

    fn begin_turn(&mut self, payload: &Json<'_>, told: &mut VecDeque<Reading>) {
        told.extend(self.closing.take());
        if let Some(turn) = payload.said("turn_id") {
            turn.clone_into(&mut self.teller.turn);
        }
    }

    fn compacted(&mut self, row: &Json<'_>, told: &mut VecDeque<Reading>) -> Result<(), &'static str> {
        // What the agent said last is the summary.
        self.closing = None;
        self.teller.tell(None, Event::Compacting, Vec::new(), told)?;
        match summary(row.get("payload").str("message")) {
            "" => Ok(()),
            summary => {
                self.teller.tell(None, Event::Compacted, vec![field("compact_summary", summary)], told)
            }
        }
    }

    /// What the model was told, said, asked for and was answered.
    fn item(
        &mut self,
        kind: &str,
        mut item: Json<'_>,
        bytes: usize,
        told: &mut VecDeque<Reading>,
    ) -> Result<(), &'static str> {
        match (kind, item.str("role")) {
            ("message", "user") => self.asked(&item, told),
            ("message", "assistant") => self.said(&item),
            ("function_call" | "custom_tool_call" | "local_shell_call", _) => {
                self.closing = None;
                if let Some((tool, input)) = tools::asked(&mut item) {
                    let id = item.said("call_id").unwrap_or(item.str("id"));
                    self.calls.put(id, &tool, input, bytes);
                }
                Ok(())
            }
            ("function_call_output" | "custom_tool_call_output", _) => {
                match self.calls.take(item.str("call_id")) {
                    Some(call) => self.answered(call, item.take("output"), bytes, told),
                    None => Ok(()),
                }
            }
            _ => Ok(()),
        }
    }

    fn asked(&mut self, message: &Json<'_>, told: &mut VecDeque<Reading>) -> Result<(), &'static str> {
        let prompt = typed(message);
        if prompt.trim().is_empty() {
            return Ok(());
        }
        told.extend(self.closing.take());
        self.teller.tell(message.said("id"), Event::Prompt, vec![field("prompt", prompt)], told)
    }

    fn said(&mut self, message: &Json<'_>) -> Result<(), &'static str> {
        let text = words(message.get("content"));
        let id = self.teller.id(message.said("id"));
        self.closing = self
            .teller
            .end_of_turn(text)
            .map(|told| self.teller.entry(format!("{id} end"), told))
            .transpose()?;
        Ok(())
    }

    fn answered(
        &mut self,
        call: Call,
        answer: Json<'_>,
        bytes: usize,
        told: &mut VecDeque<Reading>,
    ) -> Result<(), &'static str> {
        if wire::only_looks(&call.tool) {
            return self.used(call, Json::Nothing, told);
        }
        let answer = if answer.get("content").is_nothing() { answer } else { answer.get("content").clone() };
        let text = words(&answer);
        match call.tool.as_str() {
            "Bash" => match output_of(&text) {
                // Its end comes by itself.
                Output { status: None, .. } => {
                    self.calls.put(&call.id, &call.tool, call.input, bytes);
                    Ok(())
                }
                Output { text, status: Some(status) } => self.ran(call, &text, status, told),
            },
            // Of a patch that does not apply hooks do not hear either.
            "apply_patch" if !tools::is_applied(&text) => Ok(()),
            tool if tool.starts_with("mcp__") => self.used(call, served(answer), told),
            _ => self.used(call, Json::Text(text.into()), told),
        }
    }

    fn ran(
        &mut self,
        call: Call,
        output: &str,
        how: ExitStatus,
        told: &mut VecDeque<Reading>,
    ) -> Result<(), &'static str> {
        self.used(call, Json::Text(output.into()), told)?;
        if let Some(Reading::Entry(entry)) = told.back_mut()
            && let Activity::Ran { status, .. } = &mut entry.told.activity
        {
            *status = how;
        }
        Ok(())
    }

    fn used(
        &mut self,
        call: Call,
        response: Json<'_>,
        told: &mut VecDeque<Reading>,
    ) -> Result<(), &'static str> {
        let event = vec![
            field("tool_use_id", call.id.clone()),
            field("tool_name", call.tool),
            ("tool_input".into(), call.input),
            ("tool_response".into(), response),
        ];
        self.teller.tell(Some(&call.id), Event::ToolUse, event, told)
    }

    /// What the host wrote down for itself, beside what the model sees.
    fn event(
        &mut self,
        kind: &str,
        item: &str,
        row: &str,
        told: &mut VecDeque<Reading>,
    ) -> Result<(), &'static str> {
        let is_told =
            matches!(kind, "task_started" | "task_complete" | "turn_aborted" | "error" | "exec_command_end")
                || kind == "item_completed"
                    && matches!(item, "CommandExecution" | "FileChange" | "McpToolCall");
        if !is_told {
            return Ok(());
        }
        let mut payload = read(row).take("payload");
        match kind {
            "task_started" => {
                self.begin_turn(&payload, told);
                Ok(())
            }
            "task_complete" => self.turn_completed(&payload, told),
            "turn_aborted" => self.turn_broken("interrupted by the user", told),
            "error" => self.turn_broken(payload.str("message"), told),
            "exec_command_end" => self.command_ended(&payload, payload.str("call_id"), told),
            _ => {
                let item = payload.take("item");
                let id = item.str("id");
                match item.str("type") {
                    "CommandExecution" => self.command_ended(&item, id, told),
                    // The model's own calls are told by what it was answered, those of its scripts here.
                    _ if !tools::is_of_script(id) => Ok(()),
                    _ => match tools::of_script(&item) {
                        Some((tool, input, response)) => {
                            let call = Call::new(id, &tool, input);
                            self.used(call, response, told)
                        }
                        None => Ok(()),
                    },
                }
            }
        }
    }

    fn turn_completed(
        &mut self,
        payload: &Json<'_>,
        told: &mut VecDeque<Reading>,
    ) -> Result<(), &'static str> {
        let Some(message) = payload.said("last_agent_message") else {
            told.extend(self.closing.take());
            return Ok(());
        };
        self.closing = None;
        let id =
            format!("{} end", payload.said("turn_id").map_or_else(|| self.teller.id(None), str::to_owned));
        if let Some(end) = self.teller.end_of_turn(message.to_owned()) {
            self.teller.begin(told)?;
            told.push_back(self.teller.entry(id, end)?);
        }
        Ok(())
    }

    fn turn_broken(&mut self, error: &str, told: &mut VecDeque<Reading>) -> Result<(), &'static str> {
        self.closing = None;
        // A subagent that breaks off does not end the turn.
        if self.teller.is_subagent() {
            return Ok(());
        }
        self.teller.tell(None, Event::TurnFailure, vec![field("error", error)], told)
    }

    fn command_ended(
        &mut self,
        item: &Json<'_>,
        id: &str,
        told: &mut VecDeque<Reading>,
    ) -> Result<(), &'static str> {
        // What the user runs beside the session, or forbids.
        if item.str("status") == "declined" || item.str("source") == "user_shell" {
            return Ok(());
        }
        let call = if tools::is_of_script(id) {
            tools::command(item.get("command")).map(|(tool, input)| Call::new(id, &tool, input))
        } else if self.calls.iter().any(|call| call.id == id && call.tool == "Bash") {
            self.calls.take(id)
        } else {
            None
        };
        match call {
            Some(call) => self.ran(call, item.str("aggregated_output"), status(item.get("exit_code")), told),
            None => Ok(()),
        }
    }
}

impl Rows for ThreadRows {
    fn read(&mut self, row: &str, told: &mut VecDeque<Reading>) {
        self.teller.next_row();
        if let Err(why) = self.understand(row, told) {
            told.push_back(Reading::Unreadable(why));
        }
    }

    fn end(&mut self, told: &mut VecDeque<Reading>) {
        told.extend(self.closing.take());
    }
}

/// Reads a row, without what nobody asks for.
fn read(row: &str) -> Json<'_> {
    Json::read_only(row, |depth, name| {
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
