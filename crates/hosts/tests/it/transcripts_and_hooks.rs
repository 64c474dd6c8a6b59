//! A recorded session, read from its transcript and captured by its hooks: the same events.

use crate::recorded::{event_line, recording};
use crate::transcript_reading::TranscriptHome;
use crate::transcripts_opencode::{database_home, file_home, recorded_rows};
use backstory_hosts::{AgentEvent, EventOutcome, Host};
use backstory_memory::{Activity, ExitStatus, StartReason};

/// What is typed in the recording of dialogs while the agent works.
const TYPED_IN_MID_TURN: &str = "never print a passenger's name in the log";

/// What is imported later is what hooks would have captured.
#[test]
fn a_transcript_yields_the_events_the_hooks_captured() {
    for (host, name, sessions) in [
        (Host::ClaudeCode, "tools", 1),
        (Host::ClaudeCode, "lifecycle", 3),
        (Host::ClaudeCode, "broken-turn", 1),
        (Host::ClaudeCode, "bugfix-session", 1),
        (Host::ClaudeCode, "dialogs", 1),
        (Host::Codex, "tools", 1),
        (Host::Codex, "code-mode", 1),
        (Host::Codex, "lifecycle", 1),
        (Host::Gemini, "tools", 1),
        (Host::Gemini, "lifecycle", 1),
        (Host::Copilot, "tools", 1),
        (Host::Copilot, "lifecycle", 1),
    ] {
        assert_same_events(host, name, sessions, &TranscriptHome::recorded(host, name));
    }
    for (name, sessions) in [("tools", 3), ("lifecycle", 2)] {
        let rows = recorded_rows(name);
        for home in [database_home(&rows), file_home(&rows)] {
            assert_same_events(Host::OpenCode, name, sessions, &home);
        }
    }
}

fn assert_same_events(host: Host, name: &str, sessions: usize, home: &TranscriptHome) {
    let mut compared = 0;
    for transcript in home.transcripts() {
        let entries = home.entries(&transcript);
        // Gemini CLI writes a second file when a session comes back, with nothing in it.
        let Some(first) = entries.first() else { continue };
        let session = first.session.clone();
        // The files of Claude Code and Codex begin with rows that are no events.
        let begins_with_event = !matches!(host, Host::ClaudeCode | Host::Codex);
        let is_begin = |began| if begins_with_event { began == first.at } else { began <= first.at };
        assert!(transcript.began.is_some_and(is_begin), "{host:?} {name}: {:?}", transcript.began);
        assert!(entries.iter().all(|entry| entry.cwd.as_deref() == Some("/home/dev/project")));
        assert!(entries.iter().all(|entry| entry.session == session));
        // Claude Code writes the summary of a compaction, and what was typed in mid-turn, with an earlier time than the rows before it.
        let is_out_of_order = host == Host::ClaudeCode && matches!(name, "lifecycle" | "dialogs");
        assert!(is_out_of_order || entries.is_sorted_by_key(|entry| entry.at), "{host:?} {name}");
        let hooks = comparable(host, name, hook_events(host, name, &session));
        let mut events = comparable(host, name, entries.into_iter().map(|entry| entry.event).collect());
        // A forked session of Claude Code repeats the one before, and does not say that it is a fork.
        if host == Host::ClaudeCode && hooks[0] != events[0] {
            events.drain(..events.len() - hooks.len());
        }
        assert_eq!(events, hooks, "{host:?} {name} {session}");
        compared += 1;
    }
    assert_eq!(compared, sessions, "{host:?} {name}");
}

/// Returns what the hooks captured in a session.
fn hook_events(host: Host, name: &str, session: &str) -> Vec<AgentEvent> {
    let parsed = recording(host, name).into_iter().map(|recorded| recorded.parse());
    let parsed = parsed.filter(|parsed| parsed.host_session.as_deref() == Some(session));
    let events = parsed.filter_map(|parsed| match parsed.outcome {
        EventOutcome::Captured(event) => Some(std::iter::once(*event).chain(parsed.also)),
        EventOutcome::Ignored(_) => None,
    });
    events.flatten().collect()
}

/// Writes the events that both hold, without what only one of them knows.
fn comparable(host: Host, name: &str, events: Vec<AgentEvent>) -> Vec<String> {
    let lines = events.into_iter().filter(|event| is_in_both(host, event)).map(|mut event| {
        match (host, &mut event.activity) {
            // Codex does not say in its hooks how a command ended.
            (Host::Codex, Activity::Ran { status, .. }) => *status = ExitStatus::Unknown,
            // Copilot's hooks read the closing message from the transcript, and name another reason for the end.
            (
                Host::Copilot,
                Activity::TurnEnded { message: text } | Activity::SessionEnded { reason: text },
            ) => {
                text.clear();
            }
            // A transcript need not hold what was read or answered.
            (_, Activity::Looked { words, .. } | Activity::UsedTool { words, .. }) => *words = None,
            _ => {}
        }
        match host {
            Host::ClaudeCode | Host::Codex => format!("{event:?}"),
            // The others have no id that hooks and transcripts share.
            _ => event_line(&AgentEvent { sequence: None, ..event }),
        }
    });
    // While a command runs on, Copilot's hooks report an end twice, and not that the host looked at its output.
    let is_left_out = |line: &String| {
        host == Host::Copilot && name == "tools" && (line.contains("_ended") || line.contains("read_bash"))
    };
    lines.filter(|line| !is_left_out(line)).collect()
}

fn is_in_both(host: Host, event: &AgentEvent) -> bool {
    match (host, &event.activity) {
        (Host::Gemini, Activity::SessionEnded { .. }) => false,
        (Host::Gemini | Host::Copilot, _) => true,
        // These transcripts do not hold that a session came back or ended, nor what a compaction was to keep.
        (_, Activity::SessionStarted { reason }) => {
            matches!(reason, StartReason::Startup | StartReason::Clear)
        }
        (_, Activity::SessionEnded { .. } | Activity::Compacting { .. }) => false,
        // Refusals stand in Claude Code's transcripts alone, and a hook reports what is typed in mid-turn as a prompt.
        (Host::ClaudeCode, Activity::Rejected { .. } | Activity::Interjected { .. }) => false,
        (Host::ClaudeCode, Activity::Prompted { text }) => text != TYPED_IN_MID_TURN,
        // Only Codex's transcripts hold the summary of a compaction, and a command nobody waited for.
        (Host::Codex, Activity::Compacted { .. }) => false,
        (Host::Codex, Activity::Ran { command, .. }) => command != "sleep 1; echo late",
        // OpenCode's hooks get a command as it was typed, its transcripts the prompt it stands for.
        (Host::OpenCode, Activity::Prompted { text }) => text != "/greet Ada" && text != "Say hello to Ada.",
        _ => true,
    }
}
