//! A session as it went: its events in our own words, cut into turns.
//!
//! Not here: what is worth remembering of it.

use crate::CommandRun;
use backstory_capture::body_of;
use backstory_memory::{
    Activity, EventBody, EventId, Hunk, IdempotencyKey, Provenance, Timestamp, first_chars,
};
use backstory_store::StoredEvent;

/// One event, read.
#[derive(Clone, Debug)]
pub(super) struct TranscriptEntry {
    pub(super) id: EventId,
    pub(super) key: IdempotencyKey,
    pub(super) at: Timestamp,
    pub(super) provenance: Provenance,
    /// The host's name for the tool, where one was used.
    pub(super) tool: Option<String>,
    pub(super) body: EventBody,
}

impl TranscriptEntry {
    pub(super) fn activity(&self) -> &Activity {
        &self.body.activity
    }

    fn is_of_the_agent(&self) -> bool {
        self.body.subagent.is_none()
    }
}

/// One prompt and what follows until the next.
#[derive(Clone, Debug)]
pub(super) struct Turn<'a> {
    pub(super) entries: &'a [TranscriptEntry],
    /// The one value of each command in it, which keeps what was parsed of it.
    commands: Vec<(&'a TranscriptEntry, CommandRun<'a>)>,
}

/// Reads the events of a session. What this build does not understand is left out.
pub(super) fn entries(events: &[StoredEvent]) -> Vec<TranscriptEntry> {
    let read = |stored: &StoredEvent| {
        let event = &stored.event;
        let body = body_of(event)?;
        Some(TranscriptEntry {
            id: stored.id,
            key: event.key,
            at: event.at,
            provenance: event.provenance.clone(),
            tool: event.tool.clone(),
            body,
        })
    };
    let mut entries: Vec<TranscriptEntry> = events.iter().filter_map(read).collect();
    // What stands in the host's transcript alone is read at the end of a turn, and happened before.
    entries.sort_by_key(|entry| entry.at);
    entries
}

/// Cuts a session into turns. What was done before the first prompt is a turn without one: a host may not say what it was asked.
pub(super) fn turns(entries: &[TranscriptEntry]) -> Vec<Turn<'_>> {
    let prompts: Vec<usize> = entries
        .iter()
        .enumerate()
        .filter(|(_, entry)| matches!(entry.activity(), Activity::Prompted { .. }) && entry.is_of_the_agent())
        .map(|(at, _)| at)
        .collect();
    let unprompted = entries.get(..prompts.first().copied().unwrap_or(entries.len())).unwrap_or_default();
    let is_work =
        |entry: &TranscriptEntry| matches!(entry.activity(), Activity::Edited { .. } | Activity::Ran { .. });
    let begins: Vec<usize> = unprompted.iter().any(is_work).then_some(0).into_iter().chain(prompts).collect();
    let ends = begins.iter().skip(1).copied().chain([entries.len()]);
    begins
        .iter()
        .zip(ends)
        .filter_map(|(begin, end)| {
            let entries = entries.get(*begin..end)?;
            Some(Turn { entries, commands: entries.iter().filter_map(command).collect() })
        })
        .collect()
}

fn command(entry: &TranscriptEntry) -> Option<(&TranscriptEntry, CommandRun<'_>)> {
    match entry.activity() {
        Activity::Ran { command, output, status } => Some((entry, CommandRun::new(command, output, *status))),
        _ => None,
    }
}

impl<'a> Turn<'a> {
    /// The event it began with.
    pub(super) fn first(&self) -> Option<&'a TranscriptEntry> {
        self.entries.first()
    }

    /// The last event of it so far.
    pub(super) fn last(&self) -> Option<&'a TranscriptEntry> {
        self.entries.last()
    }

    /// What the user asked.
    pub(super) fn prompt(&self) -> &'a str {
        match self.first().map(TranscriptEntry::activity) {
            Some(Activity::Prompted { text }) => text,
            _ => "",
        }
    }

    /// The message the agent closed it with, and the event that holds it.
    pub(super) fn closing(&self) -> Option<(&'a TranscriptEntry, &'a str)> {
        self.entries.iter().rev().find_map(|entry| match entry.activity() {
            Activity::TurnEnded { message } if entry.is_of_the_agent() && !message.trim().is_empty() => {
                Some((entry, message.as_str()))
            }
            _ => None,
        })
    }

    /// What its subagents reported, the last one first.
    pub(super) fn results_of_subagents(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.entries.iter().rev().filter_map(|entry| match entry.activity() {
            Activity::SubagentEnded { message } => Some(message.as_str()),
            _ => None,
        })
    }

    /// The files that were written or changed, each once, in order.
    pub(super) fn edited(&self) -> Vec<&'a str> {
        self.files(|activity| match activity {
            Activity::Edited { file, .. } => Some(file),
            _ => None,
        })
    }

    /// Whether every change to a file was put back as it was: what an agent adds to find something out, and removes.
    pub(super) fn takes_back(&self, file: &str) -> bool {
        let mut standing: Vec<&Hunk> = Vec::new();
        let hunks = self.entries.iter().filter_map(|entry| match entry.activity() {
            Activity::Edited { file: edited, hunks, .. } if edited == file => Some(hunks),
            _ => None,
        });
        let mut has_any = false;
        for hunk in hunks.flatten() {
            has_any = true;
            let undone = |known: &&Hunk| known.before == hunk.after && known.after == hunk.before;
            match standing.iter().rposition(undone) {
                Some(at) => drop(standing.remove(at)),
                None => standing.push(hunk),
            }
        }
        has_any && standing.is_empty()
    }

    /// What was looked at, each once, in order.
    pub(super) fn looked_at(&self) -> Vec<&'a str> {
        self.files(|activity| match activity {
            Activity::Looked { at, .. } => Some(at),
            _ => None,
        })
    }

    fn files(&self, of: impl Fn(&'a Activity) -> Option<&'a String>) -> Vec<&'a str> {
        let mut files: Vec<&str> = Vec::new();
        for file in self.entries.iter().filter_map(|entry| of(entry.activity())) {
            if !files.contains(&file.as_str()) {
                files.push(file);
            }
        }
        files
    }

    /// The commands that ran, with the event of each.
    pub(super) fn commands(&self) -> impl Iterator<Item = (&'a TranscriptEntry, &CommandRun<'a>)> {
        self.commands.iter().map(|(entry, ran)| (*entry, ran))
    }

    /// Whether the user stopped it, or refused what came last.
    pub(super) fn is_stopped(&self) -> bool {
        let mut last = self.entries.iter().rev().filter(|entry| entry.is_of_the_agent());
        let is_done = |entry: &&TranscriptEntry| {
            !matches!(entry.activity(), Activity::SessionEnded { .. } | Activity::Interjected { .. })
        };
        matches!(
            last.find(is_done).map(TranscriptEntry::activity),
            Some(Activity::Interrupted | Activity::Rejected { .. })
        )
    }

    /// Whether the user refused what came last, and said nothing.
    pub(super) fn is_refused_silently(&self) -> bool {
        let refused = self.entries.iter().rev().find_map(|entry| match entry.activity() {
            Activity::Rejected { feedback, .. } => Some(feedback),
            _ => None,
        });
        self.is_stopped() && refused.is_some_and(|feedback| feedback.trim().is_empty())
    }

    /// What had no result yet when the session ended, with the tool; nothing where the agent went on after it.
    pub(super) fn still_running(&self) -> Vec<(&'a TranscriptEntry, String)> {
        let own = self.entries.iter().rev().filter(|entry| entry.is_of_the_agent());
        let mut running = Vec::new();
        for entry in own {
            match entry.activity() {
                Activity::SessionEnded { .. } | Activity::Interjected { .. } => {}
                Activity::StillRunning { at } => {
                    let at = at.split_whitespace().collect::<Vec<_>>().join(" ");
                    let what =
                        format!("{} `{}`", entry.tool.as_deref().unwrap_or_default(), first_chars(&at, 140));
                    running.push((entry, what.trim_start().to_owned()));
                }
                _ => break,
            }
        }
        running.reverse();
        running
    }

    /// Whether a file was changed or a command run.
    pub(super) fn did_something(&self) -> bool {
        let is_done = |entry: &TranscriptEntry| {
            matches!(entry.activity(), Activity::Edited { .. } | Activity::Ran { .. })
        };
        self.entries.iter().any(is_done)
    }
}
