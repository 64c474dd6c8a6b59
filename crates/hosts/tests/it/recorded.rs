//! The recordings (`scripts/record-claude-code`, `record-opencode` and `record-hosts` make them; Cursor's is written by hand, from its
//! documentation), and how a test looks at what was parsed.

use backstory_hosts::{AgentEvent, EventOutcome, Host, ParsedEvent};
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

/// Every recorded session.
pub(crate) const SCENES: [(Host, &str); 14] = [
    (Host::ClaudeCode, "tools"),
    (Host::ClaudeCode, "lifecycle"),
    (Host::ClaudeCode, "broken-turn"),
    (Host::ClaudeCode, "bugfix-session"),
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

/// One payload, as a host's hook got it.
#[derive(Clone, Debug)]
pub(crate) struct Recorded {
    pub(crate) host: Host,
    /// What the command line of the hook said, where the payload does not.
    pub(crate) event: Option<String>,
    pub(crate) payload: String,
}

impl Recorded {
    fn read(host: Host, line: &str) -> Recorded {
        let (event, payload) = match line.split_once(' ') {
            Some((event, payload)) if !event.starts_with('{') => (Some(event.to_owned()), payload),
            _ => (None, line),
        };
        Recorded { host, event, payload: payload.to_owned() }
    }

    pub(crate) fn parse(&self) -> ParsedEvent {
        self.host.parse(self.event.as_deref(), self.payload.as_bytes())
    }

    /// Hears something else at the same event.
    pub(crate) fn parse_as(&self, payload: &[u8]) -> ParsedEvent {
        self.host.parse(self.event.as_deref(), payload)
    }
}

/// Returns a recorded session, in order.
pub(crate) fn scene(host: Host, name: &str) -> Vec<Recorded> {
    let text = fixture(host, &format!("{name}.jsonl")).unwrap();
    text.lines().map(|line| Recorded::read(host, line)).collect()
}

fn fixture(host: Host, name: &str) -> Option<String> {
    let recorded = match host {
        Host::ClaudeCode => "claude-code-2.1.325",
        Host::OpenCode => "opencode-1.18.33",
        Host::Codex => "codex-0.166.0",
        Host::Gemini => "gemini-cli-0.61.0",
        Host::Copilot => "copilot-cli-1.0.102",
        Host::Cursor => "cursor-by-hand",
        _ => panic!("{} was not recorded", host.title()),
    };
    fs::read_to_string(
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(recorded).join(name),
    )
    .ok()
}

/// Returns the payloads of a recorded session of Claude Code, in order.
pub(crate) fn payloads(name: &str) -> Vec<String> {
    scene(Host::ClaudeCode, name).into_iter().map(|recorded| recorded.payload).collect()
}

/// Hears a payload of Claude Code.
pub(crate) fn parse(payload: impl AsRef<[u8]>) -> ParsedEvent {
    Host::ClaudeCode.parse(None, payload.as_ref())
}

/// Hears a payload in which something happened.
pub(crate) fn event_of(payload: impl AsRef<[u8]>) -> AgentEvent {
    happened(parse(payload))
}

/// Returns what happened.
pub(crate) fn happened(parsed: ParsedEvent) -> AgentEvent {
    match parsed.outcome {
        EventOutcome::Captured(event) => *event,
        EventOutcome::Ignored(why) => panic!("passed over: {why}"),
    }
}

/// Tells what was parsed in a session, one line each, without what was passed over. The host's own record is read where it says
/// more than a payload.
pub(crate) fn story(host: Host, name: &str) -> String {
    let record = fixture(host, &format!("{name}.record.jsonl")).unwrap_or_default();
    let mut turns = record.split_inclusive('\n').filter(|line| !line.contains("\"agentId\""));
    let mut story = String::new();
    for recorded in scene(host, name) {
        let mut parsed = recorded.parse();
        match (&parsed.transcript, host) {
            (None, _) => false,
            // By then it holds what was said in this turn, and not what is said in the next.
            (Some(_), Host::Copilot) => {
                host.complete_from_transcript(&mut parsed, turns.next().unwrap_or_default())
            }
            (Some(_), _) => host.complete_from_transcript(&mut parsed, &record),
        };
        let EventOutcome::Captured(event) = parsed.outcome else { continue };
        for event in std::iter::once(*event).chain(parsed.also) {
            writeln!(story, "{}", line_of(&event)).unwrap();
        }
    }
    story
}

pub(crate) fn line_of(event: &AgentEvent) -> String {
    let what = serde_json::to_string(&event.activity).unwrap();
    let tool = event.tool.as_ref().map(|tool| format!("{tool} ")).unwrap_or_default();
    let who = event.subagent.as_ref().map(|agent| format!("({}) ", agent.sort)).unwrap_or_default();
    let sequence = event.sequence.as_deref().map_or_else(|| "-".into(), short);
    let what: String = what.chars().take(300).collect();
    format!("{sequence} {:?} {who}{tool}{what}", event.provenance)
}

/// Cuts the zeros out of the ids in the recordings.
fn short(sequence: &str) -> String {
    let sequence = sequence.replace("00000000-0000-4000-8000-0000000000", "p").replace("000000000000000", "");
    sequence.replace("2026-05-01T12:00:00.000Z", "@").replace("1777636800000", "@")
}

/// Tells at which events a session can be told something.
pub(crate) fn openings(host: Host, name: &str) -> String {
    let openings = scene(host, name).into_iter().filter_map(|recorded| recorded.parse().injection_point);
    openings.map(|opening| format!("{opening:?}\n")).collect()
}

/// Tells what was passed over in a session, and why.
pub(crate) fn passed_over(host: Host, names: &[&str]) -> String {
    let parsed = names.iter().flat_map(|name| scene(host, name)).map(|recorded| recorded.parse());
    let passed = parsed.filter_map(|parsed| match parsed.outcome {
        EventOutcome::Ignored(why) => Some(format!("{}: {why}\n", parsed.name)),
        EventOutcome::Captured(_) => None,
    });
    passed.collect::<std::collections::BTreeSet<String>>().into_iter().collect()
}
