//! The recordings (`scripts/record-claude-code` makes them), and how a test looks at what was heard.

use backstory_hosts::{Heard, Host, Meaning, Told};
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

/// Returns the payloads of a recorded session, in order.
pub(crate) fn payloads(name: &str) -> Vec<String> {
    let fixtures = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/claude-code-2.1.325");
    let text = fs::read_to_string(fixtures.join(name).with_extension("jsonl")).unwrap();
    text.lines().map(str::to_owned).collect()
}

/// Hears a payload of Claude Code.
pub(crate) fn hear(payload: impl AsRef<[u8]>) -> Heard {
    Host::ClaudeCode.hear(None, payload.as_ref())
}

/// Hears a payload in which something happened.
pub(crate) fn told(payload: impl AsRef<[u8]>) -> Told {
    match hear(payload).meaning {
        Meaning::Happened(told) => *told,
        Meaning::PassedOver(why) => panic!("passed over: {why}"),
    }
}

/// Tells what was heard in a session, one line each, without what was passed over.
pub(crate) fn story(name: &str) -> String {
    let mut story = String::new();
    for payload in payloads(name) {
        let Meaning::Happened(told) = hear(payload).meaning else { continue };
        let what = serde_json::to_string(&told.happening).unwrap();
        let tool = told.tool.map(|tool| format!("{tool} ")).unwrap_or_default();
        let who = told.subagent.map(|agent| format!("({}) ", agent.sort)).unwrap_or_default();
        let sequence = told.sequence.map_or_else(|| "-".into(), |sequence| short(&sequence));
        let what: String = what.chars().take(300).collect();
        writeln!(story, "{sequence} {:?} {who}{tool}{what}", told.trust).unwrap();
    }
    story
}

/// Cuts the zeros out of the ids in the recordings.
fn short(sequence: &str) -> String {
    sequence.replace("00000000-0000-4000-8000-0000000000", "p").replace("000000000000000", "")
}
