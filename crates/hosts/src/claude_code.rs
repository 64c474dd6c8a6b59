//! Claude Code: what its hooks send, and what that means here.
//!
//! Written against what 2.1.325 really sends (`tests/fixtures`). Its fields are read one by one, so that one of a type nobody
//! expects costs that field and no other.

mod openings;
mod prompts;
mod replies;
mod tools;

use crate::lenient::Json;
use crate::{Heard, Meaning, Reply, Told};
use backstory_memory::{Happening, Moment, Subagent, Trust};
use prompts::{summary_in, without_blocks_of_the_host};
use tools::ToolUse;

pub(crate) fn hear(payload: &[u8]) -> Heard {
    let text = String::from_utf8_lossy(payload);
    // Editors and shells put a byte order mark before JSON; it means nothing.
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let event = WireEvent(Json::read(text));
    let Some(name) = event.said("hook_event_name") else {
        return Heard {
            host_session: event.said("session_id"),
            cwd: event.said("cwd"),
            ..Heard::unreadable(payload)
        };
    };
    let happened = event.happened(&name, text);
    let opening = event.opening(&name, happened.as_ref().ok().map(|(happening, _)| happening));
    let meaning = match happened {
        Ok((happening, trust)) => Meaning::Happened(Box::new(event.told(&name, happening, trust))),
        Err(why) => Meaning::PassedOver(why),
    };
    Heard { name, host_session: event.said("session_id"), cwd: event.said("cwd"), meaning, opening }
}

/// Writes what the host is told; nothing where there is nothing to say.
pub(crate) fn reply(moment: Moment, reply: Reply<'_>) -> Option<String> {
    replies::reply(moment, reply)
}

/// One event as the host sends it.
struct WireEvent<'a>(Json<'a>);

impl WireEvent<'_> {
    /// Returns a name or an id.
    fn said(&self, field: &str) -> Option<String> {
        self.0.said(field).filter(|name| name.len() <= LONGEST_NAME).map(str::to_owned)
    }

    fn words(&self, field: &str) -> String {
        self.0.get(field).words()
    }

    /// Returns what happened and who its content comes from, or why it is passed over.
    fn happened(&self, name: &str, payload: &str) -> Result<(Happening, Trust), &'static str> {
        let happened = match name {
            "SessionStart" => (Happening::SessionStarted { how: self.words("source") }, Trust::Tool),
            "UserPromptSubmit" => self.prompted()?,
            "PostToolUse" | "PostToolUseFailure" => self.tool_used(name)?,
            "Stop" => {
                (Happening::TurnEnded { message: self.words("last_assistant_message") }, Trust::Assistant)
            }
            "StopFailure" => (Happening::TurnBroken { error: self.error() }, Trust::Tool),
            "SubagentStart" => (Happening::SubagentStarted, Trust::Tool),
            "SubagentStop" => self.subagent_ended()?,
            "PreCompact" => {
                (Happening::Compacting { instructions: self.words("custom_instructions") }, Trust::User)
            }
            "PostCompact" => {
                let summary = summary_in(&self.words("compact_summary"));
                (Happening::Compacted { summary }, Trust::Assistant)
            }
            "SessionEnd" => (Happening::SessionEnded { reason: self.words("reason") }, Trust::Tool),
            _ => match passed_over(name) {
                Some(why) => return Err(why),
                None => (Happening::Other { text: payload.to_owned() }, Trust::External),
            },
        };
        Ok(happened)
    }

    fn prompted(&self) -> Result<(Happening, Trust), &'static str> {
        if !matches!(self.0.str("source"), "" | "user" | "sdk") {
            return Err("automated");
        }
        let prompt = Some(self.words("prompt")).filter(|prompt| !prompt.is_empty());
        let prompt = prompt.unwrap_or_else(|| self.words("user_prompt"));
        let text = without_blocks_of_the_host(&prompt);
        if text.is_empty() {
            return Err(if prompt.is_empty() { "nothing said" } else { "automated" });
        }
        Ok((Happening::Prompted { text }, Trust::User))
    }

    fn tool_used(&self, event: &str) -> Result<(Happening, Trust), &'static str> {
        let error = self.words("error");
        let tool = ToolUse {
            name: self.0.str("tool_name"),
            input: self.0.get("tool_input"),
            response: self.0.get("tool_response"),
            error: (event == "PostToolUseFailure").then_some(error.as_str()),
            is_interrupted: self.0.get("is_interrupt").is_true(),
            server: self.0.get("mcp_server").str("name"),
        };
        if tool.is_ours() { Err("our own tool") } else { Ok(tool.meaning()) }
    }

    /// The host compacts in a subagent that is of no sort; what it says comes again as the summary.
    fn subagent_ended(&self) -> Result<(Happening, Trust), &'static str> {
        match self.0.said("agent_type") {
            None => Err("the host's own subagent"),
            Some(_) => {
                let message = self.words("last_assistant_message");
                Ok((Happening::SubagentEnded { message }, Trust::Assistant))
            }
        }
    }

    /// Returns what there is to say about a turn that broke off.
    fn error(&self) -> String {
        let parts = ["error", "error_details", "last_assistant_message"].map(|field| self.words(field));
        let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
        parts.join(": ")
    }

    fn told(&self, name: &str, happening: Happening, trust: Trust) -> Told {
        let agent = self.said("agent_id");
        let sequence = match name {
            "PostToolUse" | "PostToolUseFailure" => self.said("tool_use_id"),
            "UserPromptSubmit" | "Stop" | "StopFailure" | "SubagentStart" | "SubagentStop" => {
                match (self.said("prompt_id"), &agent) {
                    (Some(prompt), Some(agent)) => Some(format!("{prompt} {agent}")),
                    (prompt, _) => prompt,
                }
            }
            // The number of the prompt stays the same however often a turn is compacted: no number at all.
            _ => None,
        };
        let subagent = agent.map(|id| Subagent { id, sort: self.words("agent_type") });
        // What a subagent is asked nobody typed.
        let trust = if subagent.is_some() && trust == Trust::User { Trust::Assistant } else { trust };
        Told { happening, subagent, tool: self.said("tool_name"), sequence, trust }
    }
}

/// What is longer names nothing, not even a path; looking for secrets in megabytes of it would use up the hook's time.
const LONGEST_NAME: usize = 4096;

/// Returns why an event is of no use here. One that is not known is kept as it is.
fn passed_over(name: &str) -> Option<&'static str> {
    Some(match name {
        "PreToolUse" | "PermissionRequest" | "PermissionDenied" => "not done yet",
        "PostToolBatch" => "its calls come one by one",
        "UserPromptExpansion" => "the prompt comes by itself",
        "Notification" | "MessageDisplay" | "Elicitation" | "ElicitationResult" => "only shown",
        "InstructionsLoaded" | "ConfigChange" | "Setup" | "PreModelSwitch" | "PostModelSwitch" => {
            "about the host"
        }
        "CwdChanged" | "DirectoryAdded" | "FileChanged" | "WorktreeCreate" | "WorktreeRemove" => {
            "about the place"
        }
        "TaskCreated" | "TaskCompleted" | "TeammateIdle" => "the tool comes by itself",
        _ => return None,
    })
}
