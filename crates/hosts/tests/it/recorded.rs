//! The recorded sessions of every host, and what their payloads become.
//!
//! `scripts/record-claude-code`, `record-opencode` and `record-hosts` make the recordings; Cursor's is written by hand, from its
//! documentation.

use backstory_hosts::{AgentEvent, EventOutcome, Host, ParsedEvent};
use insta::{assert_snapshot, with_settings};
use serde_json::Value;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

/// Every recorded session.
pub(crate) const RECORDINGS: [(Host, &str); 15] = [
    (Host::ClaudeCode, "tools"),
    (Host::ClaudeCode, "lifecycle"),
    (Host::ClaudeCode, "broken-turn"),
    (Host::ClaudeCode, "bugfix-session"),
    (Host::ClaudeCode, "dialogs"),
    (Host::OpenCode, "tools"),
    (Host::OpenCode, "lifecycle"),
    (Host::Codex, "tools"),
    (Host::Codex, "code-mode"),
    (Host::Codex, "lifecycle"),
    (Host::Gemini, "tools"),
    (Host::Gemini, "lifecycle"),
    (Host::Copilot, "tools"),
    (Host::Copilot, "lifecycle"),
    (Host::Cursor, "session"),
];

/// One payload, as a host sent it to its hook.
#[derive(Clone, Debug)]
pub(crate) struct RecordedPayload {
    pub(crate) host: Host,
    /// The event on the hook's command line, where the payload does not name it.
    pub(crate) event: Option<String>,
    pub(crate) payload: String,
}

impl RecordedPayload {
    fn read(host: Host, line: &str) -> RecordedPayload {
        let (event, payload) = match line.split_once(' ') {
            Some((event, payload)) if !event.starts_with('{') => (Some(event.to_owned()), payload),
            _ => (None, line),
        };
        RecordedPayload { host, event, payload: payload.to_owned() }
    }

    pub(crate) fn parse(&self) -> ParsedEvent {
        self.parse_as(self.payload.as_bytes())
    }

    /// Parses another payload of the same event.
    pub(crate) fn parse_as(&self, payload: &[u8]) -> ParsedEvent {
        self.host.parse(self.event.as_deref(), payload)
    }
}

/// Returns the folder of a host's recordings.
pub(crate) fn fixtures(host: Host) -> PathBuf {
    let folder = match host {
        Host::ClaudeCode => "claude-code-2.1.325",
        Host::OpenCode => "opencode-1.18.33",
        Host::Codex => "codex-0.166.0",
        Host::Gemini => "gemini-cli-0.61.0",
        Host::Copilot => "copilot-cli-1.0.102",
        Host::Cursor => "cursor-by-hand",
        _ => panic!("{} was not recorded", host.title()),
    };
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(folder)
}

/// Returns a recorded session, in order.
pub(crate) fn recording(host: Host, name: &str) -> Vec<RecordedPayload> {
    let text = fs::read_to_string(fixtures(host).join(name).with_extension("jsonl")).unwrap();
    text.lines().map(|line| RecordedPayload::read(host, line)).collect()
}

/// Returns every payload ever recorded.
pub(crate) fn all_payloads() -> impl Iterator<Item = RecordedPayload> {
    RECORDINGS.into_iter().flat_map(|(host, name)| recording(host, name))
}

/// Parses a payload of Claude Code.
pub(crate) fn parse(payload: impl AsRef<[u8]>) -> ParsedEvent {
    Host::ClaudeCode.parse(None, payload.as_ref())
}

/// Parses a payload written as JSON.
pub(crate) fn parse_json(host: Host, event: Option<&str>, payload: &Value) -> ParsedEvent {
    host.parse(event, payload.to_string().as_bytes())
}

/// Returns the event that was captured.
pub(crate) fn captured(parsed: ParsedEvent) -> AgentEvent {
    match parsed.outcome {
        EventOutcome::Captured(event) => *event,
        EventOutcome::Ignored(why) => panic!("ignored: {why}"),
    }
}

/// Writes an event as one line: id, provenance, subagent, tool and activity.
pub(crate) fn event_line(event: &AgentEvent) -> String {
    let activity = serde_json::to_string(&event.activity).unwrap();
    let activity: String = activity.chars().take(300).collect();
    let tool = event.tool.as_ref().map(|tool| format!("{tool} ")).unwrap_or_default();
    let subagent = event.subagent.as_ref().map(|agent| format!("({}) ", agent.sort)).unwrap_or_default();
    let id = event.sequence.as_deref().map_or_else(|| "-".into(), short_id);
    format!("{id} {:?} {subagent}{tool}{activity}", event.provenance)
}

/// Cuts the zeros out of the ids in the recordings.
fn short_id(id: &str) -> String {
    let id = id.replace("00000000-0000-4000-8000-0000000000", "p").replace("000000000000000", "");
    id.replace("2026-05-01T12:00:00.000Z", "@").replace("1777636800000", "@")
}

/// The expected lines lie beside each recording: session, event and what became of every payload, with its injection point. After a
/// new recording, `INSTA_UPDATE=always` writes them.
#[test]
fn recorded_payloads_become_the_expected_events() {
    for (host, name) in RECORDINGS {
        with_settings!({
            snapshot_path => fixtures(host),
            prepend_module_to_snapshot => false,
            omit_expression => true,
        }, {
            assert_snapshot!(name, outline(host, name));
        });
    }
}

/// Writes what became of a recorded session. The host's own transcript is read where a payload refers to it.
fn outline(host: Host, name: &str) -> String {
    let transcript =
        fs::read_to_string(fixtures(host).join(format!("{name}.record.jsonl"))).unwrap_or_default();
    let mut turns = transcript.split_inclusive('\n').filter(|line| !line.contains("\"agentId\""));
    let mut outline = String::new();
    for recorded in recording(host, name) {
        let mut parsed = recorded.parse();
        assert_eq!(parsed.cwd.as_deref(), Some("/home/dev/project"), "{recorded:?}");
        match (&parsed.transcript, host) {
            (None, _) => false,
            // When Copilot's hook runs, the transcript ends with the message of this turn.
            (Some(_), Host::Copilot) => {
                host.complete_from_transcript(&mut parsed, turns.next().unwrap_or_default())
            }
            (Some(_), _) => host.complete_from_transcript(&mut parsed, &transcript),
        };
        let session = short_id(parsed.host_session.as_deref().unwrap_or("-"));
        let outcome = match parsed.outcome {
            EventOutcome::Captured(event) => event_line(&event),
            EventOutcome::Ignored(why) => format!("ignored: {why}"),
        };
        let point = parsed.injection_point.map(|point| format!(" → {point:?}")).unwrap_or_default();
        writeln!(outline, "{session} {}: {outcome}{point}", parsed.name).unwrap();
        for event in &parsed.also {
            writeln!(outline, "  and {}", event_line(event)).unwrap();
        }
    }
    outline
}
