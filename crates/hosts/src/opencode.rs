//! OpenCode: the events our plugin sends, and what they mean here.
//!
//! The plugin (`opencode/plugin.js`) passes OpenCode's own objects on unchanged, in `said`, so that a change of OpenCode is a change
//! here; beside them it puts the session. Written against 1.18.33 (`tests/fixtures`). Not here: when the plugin runs us.

mod plugin_tools;

use crate::host_spec::{ConfigDir, DirVariable, EventSource, HostSpec, PluginProtocol, no_plugin};
use crate::install::{
    ConfigFile, DesiredContent, InstallTarget, PLUGIN_FILE, config_file, first_existing, server_file,
};
use crate::lenient::LenientJson;
use crate::transcripts::opencode_sessions;
use crate::{AgentEvent, EventOutcome, HostReply, ParsedEvent};
use backstory_memory::{Activity, ExitStatus, InjectionPoint, Provenance, StartReason, Subagent};
use plugin_tools::PluginToolUse;
use serde_json::{Map, Value, json};
use std::path::Path;

const PLUGIN: &str = include_str!("opencode/plugin.js");

/// Where the plugin names the program, and what stands there in our source.
const PROGRAM: &str = "const PROGRAM = ";
const UNNAMED: &str = r#"const PROGRAM = "backstory""#;

/// The events the plugin sends.
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

pub(crate) static SPEC: HostSpec = HostSpec {
    name: "opencode",
    title: "OpenCode",
    project_variable: None,
    events: EventSource::Plugin(&PROTOCOL),
    config_dir: ConfigDir::in_xdg_config("opencode").moved_by(DirVariable::Directory("OPENCODE_CONFIG_DIR")),
    programs: &["opencode"],
    instructions_file: Some("AGENTS.md"),
    config_files,
    after_install: None,
    enabled_plugin: no_plugin,
    transcripts: Some(opencode_sessions::SOURCE),
    windows_shells: &[],
    samples: include_str!("samples/opencode.jsonl"),
};

static PROTOCOL: PluginProtocol = PluginProtocol { events: &EVENTS, parse, reply, check_reply: check };

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

fn parse(event: Option<&str>, payload: &[u8]) -> ParsedEvent {
    let text = String::from_utf8_lossy(payload);
    let plugin = PluginPayload { event: event.unwrap_or("unreadable"), payload: LenientJson::read(&text) };
    let session = plugin.payload.get("session");
    let place = |field| session.said(field).filter(|name| name.len() <= LONGEST_NAME).map(str::to_owned);
    let (host_session, cwd) = (place("root"), place("directory"));
    let name = plugin.event.to_owned();
    if host_session.is_none() {
        return ParsedEvent { name, cwd, missing: vec!["session"], ..ParsedEvent::unreadable(payload) };
    }
    let activity = plugin.activity(&text);
    let injection_point = activity.as_ref().ok().and_then(|(activity, _)| plugin.injection_point(activity));
    let (outcome, also) = match activity {
        Ok((activity, provenance)) => {
            let also = plugin.tool().map(|tool| tool.also()).unwrap_or_default();
            let also =
                also.into_iter().map(|activity| plugin.agent_event(activity, provenance.clone())).collect();
            (EventOutcome::Captured(Box::new(plugin.agent_event(activity, provenance))), also)
        }
        Err(why) => (EventOutcome::Ignored(why), Vec::new()),
    };
    let missing = plugin.missing(cwd.as_deref());
    let answer_nonce = outcome.answer_nonce(&text);
    ParsedEvent {
        name,
        host_session,
        cwd,
        outcome,
        also,
        injection_point,
        transcript: None,
        takes_question: false,
        live_transcript: None,
        answer_nonce,
        missing,
    }
}

/// Writes the reply to the plugin; nothing where there is nothing to say.
fn reply(reply: HostReply<'_>) -> Option<String> {
    let words = [("context", reply.context), ("to_user", reply.to_user)];
    let object: Map<String, Value> =
        words.into_iter().filter_map(|(name, text)| Some((name.to_owned(), text?.into()))).collect();
    (!object.is_empty()).then(|| Value::Object(object).to_string())
}

/// Says what is wrong with a reply: the plugin takes one object, with texts in fields it knows. No reply is always right.
fn check(stdout: &[u8]) -> Result<(), String> {
    if stdout.is_empty() {
        return Ok(());
    }
    let object: Map<String, Value> =
        serde_json::from_slice(stdout).map_err(|_| "the reply is not one JSON object".to_owned())?;
    match object.iter().find(|(name, _)| !["context", "to_user"].contains(&name.as_str())) {
        Some((other, _)) => Err(format!("the reply has a field `{other}`")),
        None if object.values().all(Value::is_string) => Ok(()),
        None => Err("the reply holds something that is not a text".to_owned()),
    }
}

/// One event as the plugin sends it.
struct PluginPayload<'a> {
    event: &'a str,
    payload: LenientJson<'a>,
}

impl PluginPayload<'_> {
    /// Returns what happened and who its content comes from, or why it is ignored.
    fn activity(&self, payload: &str) -> Result<(Activity, Provenance), &'static str> {
        if let Some(tool) = self.tool() {
            return tool.activity();
        }
        let message = self.payload.get("message").words();
        let activity = match (self.event, self.is_of_subagent()) {
            ("session.started", true) => (Activity::SubagentStarted, Provenance::Tool),
            ("session.started", false) => {
                (Activity::SessionStarted { reason: self.how().into() }, Provenance::Tool)
            }
            ("chat.message", true) => return Err("prompted by an agent"),
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
            _ => (Activity::Other { text: payload.to_owned() }, Provenance::Web),
        };
        Ok(activity)
    }

    /// Returns the injection point that it is, where the plugin can put something.
    fn injection_point(&self, activity: &Activity) -> Option<InjectionPoint> {
        match activity {
            // OpenCode keeps no system prompt: a session that comes back in another process has lost its block.
            Activity::SessionStarted { reason: StartReason::Resume } => {
                Some(InjectionPoint::SessionStart { reason: StartReason::Reopen })
            }
            Activity::SessionStarted { reason } => Some(InjectionPoint::SessionStart { reason: *reason }),
            Activity::Compacting { .. } => Some(InjectionPoint::Compaction),
            Activity::Compacted { .. } => Some(InjectionPoint::SessionStart { reason: StartReason::Compact }),
            // A command of the host asks the agent nothing.
            Activity::Prompted { text } if self.command().is_none() => {
                Some(InjectionPoint::Prompt { text: text.clone() })
            }
            // Nothing reaches the model before a tool runs; beside its result it is still in time for the next one.
            Activity::Ran { command, status: ExitStatus::Failure, .. } => {
                Some(InjectionPoint::Command { command: command.clone() })
            }
            Activity::Edited { file, .. } => {
                Some(InjectionPoint::Edit { file: file.clone(), text: String::new() })
            }
            _ => None,
        }
    }

    fn agent_event(&self, activity: Activity, provenance: Provenance) -> AgentEvent {
        let session = self.payload.get("session");
        let subagent = self
            .is_of_subagent()
            .then(|| Subagent { id: session.str("id").to_owned(), sort: session.str("agent").to_owned() });
        let tool = self.tool();
        let sequence = tool.as_ref().map_or(self.payload.str("turn"), |tool| tool.call);
        let named = |name: &str| Some(name.to_owned()).filter(|name| !name.is_empty());
        let tool = tool.as_ref().and_then(|tool| named(tool.name));
        AgentEvent { activity, subagent, tool, sequence: named(sequence), provenance }
    }

    /// Returns the expected fields that are missing.
    fn missing(&self, cwd: Option<&str>) -> Vec<&'static str> {
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

    fn said(&self) -> &LenientJson<'_> {
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
        error_text(self.said().get("error"))
    }

    /// Reads a use of a tool: `tool.execute.after` reports one that worked, the message's part one that did not.
    fn tool(&self) -> Option<PluginToolUse<'_, '_>> {
        let said = self.said();
        match self.event {
            "tool.execute.after" => Some(PluginToolUse {
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

/// Reads a use of a tool that failed, from a part of a message.
fn failed_in<'a, 'b>(part: &'a LenientJson<'b>) -> PluginToolUse<'a, 'b> {
    let state = part.get("state");
    PluginToolUse {
        name: part.str("tool"),
        call: part.str("callID"),
        input: state.get("input"),
        output: &LenientJson::Nothing,
        error: Some(state.str("error")),
        is_interrupted: state.get("metadata").get("interrupted").is_true(),
    }
}

/// Returns what a tool did, from a part of a message; nothing of one that has not ended, or that is ignored.
pub(crate) fn tool_events_in(part: &LenientJson<'_>, subagent: Option<&Subagent>) -> Vec<AgentEvent> {
    let failed = failed_in(part);
    let tool = match part.get("state").str("status") {
        "completed" => {
            PluginToolUse { output: part.get("state"), error: None, is_interrupted: false, ..failed }
        }
        "error" => failed,
        _ => return Vec::new(),
    };
    let Ok((activity, provenance)) = tool.activity() else { return Vec::new() };
    let event = |activity| AgentEvent {
        activity,
        subagent: subagent.cloned(),
        tool: Some(tool.name.to_owned()),
        sequence: Some(tool.call.to_owned()),
        provenance: provenance.clone(),
    };
    std::iter::once(activity).chain(tool.also()).map(event).collect()
}

/// Returns what was typed of a message: what OpenCode and its plugins add to it is marked as such.
pub(crate) fn typed_in<'a, 'b: 'a>(parts: impl IntoIterator<Item = &'a LenientJson<'b>>) -> String {
    let is_added = |part: &LenientJson<'_>| part.get("synthetic").is_true() || part.get("ignored").is_true();
    let texts = parts.into_iter().filter(|part| !is_added(part)).filter_map(|part| part.said("text"));
    texts.map(str::trim).collect::<Vec<&str>>().join("\n")
}

/// Returns an error as text.
pub(crate) fn error_text(error: &LenientJson<'_>) -> String {
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

fn config_files(target: &InstallTarget<'_>) -> Vec<ConfigFile> {
    let entry = json!({"type": "local", "command": [target.program.path, "mcp"], "enabled": true});
    let plugin = plugin(Path::new(target.program.path));
    vec![
        config_file(
            target.directory.join("plugins/backstory.js"),
            PLUGIN_FILE,
            DesiredContent::Whole(target.host, plugin),
        ),
        server_file(
            target.host,
            first_existing(&target.directory, "opencode.jsonc", "opencode.json"),
            "mcp",
            entry,
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plugin_runs_the_installed_program_whatever_its_path() {
        let path = "/home/a b/\"quoted\" \\ ${x} `y`\n/backstory";
        let plugin = plugin(Path::new(path));
        assert_eq!(program_of(&plugin).as_deref(), Some(path));
        assert_eq!(plugin.lines().count(), PLUGIN.lines().count());
    }
}
