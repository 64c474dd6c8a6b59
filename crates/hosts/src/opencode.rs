//! OpenCode: what our plugin passes on, and what that means here.
//!
//! The plugin (`opencode/plugin.js`) carries OpenCode's own words as they are, in `said`, so that a change of OpenCode is a change
//! here; beside them it puts which session they are of. Written against 1.18.33 (`tests/fixtures`). Not here: when the plugin asks.

mod tools;

use crate::lenient::Json;
use crate::{Heard, Meaning, Opening, Reply, Told};
use backstory_memory::{Activity, ExitStatus, Provenance, Subagent};
use serde_json::{Map, Value};
use std::path::Path;
use tools::ToolUse;

const PLUGIN: &str = include_str!("opencode/plugin.js");

/// Where the plugin names the program, and what stands there in our source.
const PROGRAM: &str = "const PROGRAM = ";
const UNNAMED: &str = r#"const PROGRAM = "backstory""#;

/// What the plugin tells of.
pub(crate) const EVENTS: [&str; 9] = [
    "session.started",
    "chat.message",
    "tool.execute.after",
    "tool.failed",
    "session.idle",
    "session.error",
    "experimental.session.compacting",
    "session.compacted",
    "session.ended",
];

/// Returns the plugin, which runs `program`.
#[must_use]
pub fn plugin(program: &Path) -> String {
    let program = Value::from(program.to_string_lossy().as_ref());
    PLUGIN.replacen(UNNAMED, &format!("{PROGRAM}{program}"), 1)
}

/// Returns which program a plugin of ours runs; nothing of one that is not ours.
pub(crate) fn program_of(plugin: &str) -> Option<String> {
    let named = plugin.lines().find_map(|line| line.strip_prefix(PROGRAM))?;
    serde_json::from_str(named).ok()
}

pub(crate) fn hear(event: Option<&str>, payload: &[u8]) -> Heard {
    let text = String::from_utf8_lossy(payload);
    let wire = Wire { event: event.unwrap_or("unreadable"), payload: Json::read(&text) };
    let session = wire.payload.get("session");
    let place = |field| session.said(field).filter(|name| name.len() <= LONGEST_NAME).map(str::to_owned);
    let (host_session, cwd) = (place("root"), place("directory"));
    let name = wire.event.to_owned();
    if host_session.is_none() {
        return Heard { name, cwd, lacks: vec!["session"], ..Heard::unreadable(payload) };
    }
    let happened = wire.happened(&text);
    let opening = happened.as_ref().ok().and_then(|(activity, _)| wire.opening(activity));
    let (meaning, also) = match happened {
        Ok((activity, provenance)) => {
            let also = wire.tool().map(|tool| tool.also()).unwrap_or_default();
            let also = also.into_iter().map(|activity| wire.told(activity, provenance.clone())).collect();
            (Meaning::Happened(Box::new(wire.told(activity, provenance))), also)
        }
        Err(why) => (Meaning::PassedOver(why), Vec::new()),
    };
    let lacks = wire.lacks(cwd.as_deref());
    Heard { name, host_session, cwd, meaning, also, opening, record: None, lacks }
}

/// Writes what the plugin is told; nothing where there is nothing to say.
pub(crate) fn reply(reply: Reply<'_>) -> Option<String> {
    let words = [("context", reply.context), ("to_user", reply.to_user)];
    let answer: Map<String, Value> =
        words.into_iter().filter_map(|(name, text)| Some((name.to_owned(), text?.into()))).collect();
    (!answer.is_empty()).then(|| Value::Object(answer).to_string())
}

/// Says what is wrong with an answer: the plugin takes one object, with texts in fields it knows. No answer is always right.
pub(crate) fn check(stdout: &[u8]) -> Result<(), String> {
    if stdout.is_empty() {
        return Ok(());
    }
    let answer: Map<String, Value> =
        serde_json::from_slice(stdout).map_err(|_| "the answer is not one JSON object".to_owned())?;
    match answer.iter().find(|(name, _)| !["context", "to_user"].contains(&name.as_str())) {
        Some((other, _)) => Err(format!("the answer has a field `{other}`")),
        None if answer.values().all(Value::is_string) => Ok(()),
        None => Err("the answer holds something that is not a text".to_owned()),
    }
}

/// One event as the plugin sends it.
struct Wire<'a> {
    event: &'a str,
    payload: Json<'a>,
}

impl Wire<'_> {
    /// Returns what happened and who its content comes from, or why it is passed over.
    fn happened(&self, payload: &str) -> Result<(Activity, Provenance), &'static str> {
        if let Some(tool) = self.tool() {
            return tool.meaning();
        }
        let message = self.payload.get("message").words();
        let happened = match (self.event, self.is_of_subagent()) {
            ("session.started", true) => (Activity::SubagentStarted, Provenance::Tool),
            ("session.started", false) => (Activity::SessionStarted { how: self.how() }, Provenance::Tool),
            ("chat.message", true) => return Err("asked by an agent"),
            ("chat.message", false) => (self.prompted()?, Provenance::User),
            ("session.idle", true) => (Activity::SubagentEnded { message }, Provenance::Assistant),
            ("session.idle", false) => (Activity::TurnEnded { message }, Provenance::Assistant),
            ("session.error", true) => return Err("of a subagent"),
            ("session.error", false) => (Activity::TurnBroken { error: self.error() }, Provenance::Tool),
            ("experimental.session.compacting" | "session.compacted" | "session.ended", true) => {
                return Err("of a subagent");
            }
            ("experimental.session.compacting", _) => {
                (Activity::Compacting { instructions: String::new() }, Provenance::Tool)
            }
            ("session.compacted", _) => (Activity::Compacted { summary: message }, Provenance::Assistant),
            ("session.ended", _) => (Activity::SessionEnded { reason: self.how() }, Provenance::Tool),
            _ => (Activity::Other { text: payload.to_owned() }, Provenance::External),
        };
        Ok(happened)
    }

    /// Returns what can be said about it now, where the plugin can put it.
    fn opening(&self, activity: &Activity) -> Option<Opening> {
        match activity {
            // OpenCode keeps no system prompt: a session that comes back in another process has lost its block.
            Activity::SessionStarted { how } if how == "resume" => {
                Some(Opening::Session { how: "reopen".to_owned() })
            }
            Activity::SessionStarted { how } => Some(Opening::Session { how: how.clone() }),
            Activity::Compacting { .. } => Some(Opening::Compaction),
            Activity::Compacted { .. } => Some(Opening::Session { how: "compact".to_owned() }),
            // A command of the host is no question.
            Activity::Prompted { text } if self.command().is_none() => {
                Some(Opening::Prompt { text: text.clone() })
            }
            // Nothing reaches the model before a tool runs; beside its result it is still in time for the next one.
            Activity::Ran { command, status: ExitStatus::Failure, .. } => {
                Some(Opening::Command { command: command.clone() })
            }
            Activity::Edited { file, .. } => Some(Opening::Edit { file: file.clone() }),
            _ => None,
        }
    }

    fn told(&self, activity: Activity, provenance: Provenance) -> Told {
        let session = self.payload.get("session");
        let subagent = self
            .is_of_subagent()
            .then(|| Subagent { id: session.str("id").to_owned(), sort: session.str("agent").to_owned() });
        let tool = self.tool();
        let sequence = tool.as_ref().map_or(self.payload.str("turn"), |tool| tool.call);
        let named = |name: &str| Some(name.to_owned()).filter(|name| !name.is_empty());
        let tool = tool.as_ref().and_then(|tool| named(tool.name));
        Told { activity, subagent, tool, sequence: named(sequence), provenance }
    }

    /// Returns what belongs to the event and is not there.
    fn lacks(&self, cwd: Option<&str>) -> Vec<&'static str> {
        let (tool, said) = (self.tool(), self.said());
        let is_after = self.event == "tool.execute.after";
        let checks = [
            ("folder", cwd.is_none()),
            ("prompt", self.event == "chat.message" && said.get("parts").is_nothing()),
            ("tool", tool.as_ref().is_some_and(|tool| tool.name.is_empty())),
            ("input", tool.as_ref().is_some_and(|tool| tool.input.is_nothing())),
            ("response", is_after && said.get("output").is_nothing()),
        ];
        checks.into_iter().filter(|(_, is_missing)| *is_missing).map(|(what, _)| what).collect()
    }

    fn said(&self) -> &Json<'_> {
        self.payload.get("said")
    }

    fn how(&self) -> String {
        self.payload.get("how").words()
    }

    /// Returns the command of the host that the user typed.
    fn command(&self) -> Option<&str> {
        self.payload.said("command")
    }

    fn is_of_subagent(&self) -> bool {
        let session = self.payload.get("session");
        session.said("id").is_some_and(|id| id != session.str("root"))
    }

    fn prompted(&self) -> Result<Activity, &'static str> {
        let typed = || typed_in(self.said().get("parts").items());
        let text = self.command().map_or_else(typed, str::to_owned);
        if text.is_empty() { Err("nothing said") } else { Ok(Activity::Prompted { text }) }
    }

    fn error(&self) -> String {
        words_of_error(self.said().get("error"))
    }

    /// Reads a use of a tool: `tool.execute.after` tells of one that worked, the message's part of one that did not.
    fn tool(&self) -> Option<ToolUse<'_, '_>> {
        let said = self.said();
        match self.event {
            "tool.execute.after" => Some(ToolUse {
                name: said.get("input").str("tool"),
                call: said.get("input").str("callID"),
                input: said.get("input").get("args"),
                output: said.get("output"),
                error: None,
                is_interrupted: false,
            }),
            "tool.failed" => Some(failed_in(said)),
            _ => None,
        }
    }
}

/// Reads a use of a tool that failed, as a part of a message tells it.
fn failed_in<'a, 'b>(part: &'a Json<'b>) -> ToolUse<'a, 'b> {
    let state = part.get("state");
    ToolUse {
        name: part.str("tool"),
        call: part.str("callID"),
        input: state.get("input"),
        output: &Json::Nothing,
        error: Some(state.str("error")),
        is_interrupted: state.get("metadata").get("interrupted").is_true(),
    }
}

/// Tells what a tool did, as a part of a message does; nothing of one that has not status, or that is passed over.
pub(crate) fn told_in(part: &Json<'_>, subagent: Option<&Subagent>) -> Vec<Told> {
    let failed = failed_in(part);
    let tool = match part.get("state").str("status") {
        "completed" => ToolUse { output: part.get("state"), error: None, is_interrupted: false, ..failed },
        "error" => failed,
        _ => return Vec::new(),
    };
    let Ok((activity, provenance)) = tool.meaning() else { return Vec::new() };
    let told = |activity| Told {
        activity,
        subagent: subagent.cloned(),
        tool: Some(tool.name.to_owned()),
        sequence: Some(tool.call.to_owned()),
        provenance: provenance.clone(),
    };
    std::iter::once(activity).chain(tool.also()).map(told).collect()
}

/// Returns what was typed of a message: what OpenCode and its plugins add to it is marked as such.
pub(crate) fn typed_in<'a, 'b: 'a>(parts: impl IntoIterator<Item = &'a Json<'b>>) -> String {
    let is_added = |part: &Json<'_>| part.get("synthetic").is_true() || part.get("ignored").is_true();
    let texts = parts.into_iter().filter(|part| !is_added(part)).filter_map(|part| part.said("text"));
    texts.map(str::trim).collect::<Vec<&str>>().join("\n")
}

/// Returns what there is to say about an error.
pub(crate) fn words_of_error(error: &Json<'_>) -> String {
    let (name, message) = (error.str("name"), error.get("data").str("message"));
    match (name, message) {
        ("", "") => error.words(),
        (name, "") => name.to_owned(),
        ("", message) => message.to_owned(),
        (name, message) => format!("{name}: {message}"),
    }
}

/// What is longer names nothing, not even a path.
const LONGEST_NAME: usize = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plugin_runs_the_program_it_is_given_whatever_its_path() {
        let path = "/home/a b/\"quoted\" \\ ${x} `y`\n/backstory";
        let plugin = plugin(Path::new(path));
        assert_eq!(program_of(&plugin).as_deref(), Some(path));
        assert_eq!(plugin.lines().count(), PLUGIN.lines().count());
    }
}
