//! How a test looks at a host's own records.

use crate::recorded::scene;
use backstory_hosts::{
    AgentEvent, DatabaseOpener, EventOutcome, Host, HostPaths, HostTranscript, HostTranscriptEntry,
    TableReader, TranscriptItem,
};
use backstory_memory::{Activity, ExitStatus, StartReason};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// For hosts that keep their records in files.
pub(crate) struct NoDatabases;

impl DatabaseOpener for NoDatabases {
    fn open(&self, _: &Path) -> Result<Box<dyn TableReader>, String> {
        Err("there is none".to_owned())
    }
}

/// Returns the places of a home that holds only what a host has kept.
pub(crate) fn places(host: Host, kept: PathBuf) -> HostPaths {
    match host {
        Host::ClaudeCode | Host::Codex => HostPaths::default().with_directory(host, &kept),
        Host::Gemini | Host::Copilot => HostPaths { home: kept, ..HostPaths::default() },
        _ => panic!("{} is not here", host.title()),
    }
}

/// Returns the recorded records of a scene.
pub(crate) fn recorded(host: Host, name: &str) -> Vec<HostTranscript> {
    let folder = match host {
        Host::ClaudeCode => "claude-code-2.1.325",
        Host::Gemini => "gemini-cli-0.61.0",
        Host::Copilot => "copilot-cli-1.0.102",
        _ => "codex-0.166.0",
    };
    let fixtures = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    host.transcripts(&places(host, fixtures.join(folder).join("records").join(name)), &NoDatabases)
}

/// Writes a file of a host's folder.
pub(crate) fn write(folder: &Path, name: &str, text: impl AsRef<[u8]>) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Returns rows as a file holds them.
pub(crate) fn lines(rows: &[Value]) -> String {
    rows.iter().map(|row| format!("{row}\n")).collect()
}

pub(crate) fn readings(record: &HostTranscript) -> Vec<TranscriptItem> {
    let mut entries = record.read(&NoDatabases).unwrap();
    let readings: Vec<TranscriptItem> = entries.by_ref().collect();
    assert_eq!(entries.bytes_read(), record.bytes, "all of it is read");
    readings
}

/// Reads a record in which everything can be read.
pub(crate) fn entries(record: &HostTranscript) -> Vec<HostTranscriptEntry> {
    let entry = |reading| match reading {
        TranscriptItem::Entry(entry) => *entry,
        TranscriptItem::Unreadable(why) => panic!("unreadable: {why}"),
    };
    let entries: Vec<HostTranscriptEntry> = readings(record).into_iter().map(entry).collect();
    let ids: BTreeSet<&str> = entries.iter().map(|entry| entry.id.as_str()).collect();
    assert_eq!(ids.len(), entries.len(), "no two have one id");
    entries
}

/// Returns what happened and what could not be read, in the order it was read.
pub(crate) fn outline(readings: &[TranscriptItem]) -> Vec<String> {
    let line = |reading: &TranscriptItem| match reading {
        TranscriptItem::Entry(entry) => serde_json::to_string(&entry.event.activity).unwrap(),
        TranscriptItem::Unreadable(why) => format!("unreadable: {why}"),
    };
    readings.iter().map(line).collect()
}

/// Returns what the hooks were told in a recorded session.
pub(crate) fn parsed(host: Host, name: &str, session: &str) -> Vec<AgentEvent> {
    let parsed = scene(host, name).into_iter().map(|recorded| recorded.parse());
    let parsed = parsed.filter(|parsed| parsed.host_session.as_deref() == Some(session));
    let event = parsed.filter_map(|parsed| match parsed.outcome {
        EventOutcome::Captured(event) => Some(std::iter::once(*event).chain(parsed.also)),
        EventOutcome::Ignored(_) => None,
    });
    event.flatten().collect()
}

/// Drops what no record says: that a session came back or ended, and what a compaction was to keep.
pub(crate) fn as_transcripts_say(event: Vec<AgentEvent>) -> Vec<AgentEvent> {
    let is_in_transcripts = |event: &AgentEvent| match &event.activity {
        Activity::SessionStarted { reason } => matches!(reason, StartReason::Startup | StartReason::Clear),
        Activity::SessionEnded { .. } | Activity::Compacting { .. } => false,
        _ => true,
    };
    event.into_iter().filter(is_in_transcripts).collect()
}

/// Codex does not say in its hooks how a command ended.
pub(crate) fn without_ends(mut event: Vec<AgentEvent>) -> Vec<AgentEvent> {
    for one in &mut event {
        if let Activity::Ran { status, .. } = &mut one.activity {
            *status = ExitStatus::Unknown;
        }
    }
    event
}

/// Asserts that two tell the same, one by one.
pub(crate) fn assert_same(one: &[AgentEvent], other: &[AgentEvent], about: &str) {
    for (one, other) in one.iter().zip(other) {
        assert_eq!(one, other, "{about}");
    }
    assert_eq!(one.len(), other.len(), "{about}");
}
