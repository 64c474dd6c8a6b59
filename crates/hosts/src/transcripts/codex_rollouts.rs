//! The transcripts of Codex: `sessions/YYYY/MM/DD/rollout-*.jsonl`, a file each for a session and for each of its subagents; archived
//! ones are in `archived_sessions/`.
//!
//! Not here: the events in its rows (`rollout_rows`).

mod command_output;
mod rollout_entries;
mod rollout_rows;
mod tool_calls;
mod typed_prompt;

use super::bounded_files::{FIRST_ROWS, beginning};
use super::merged_files::{FileReader, MergedFiles, SubagentFile};
use super::{
    DatabaseOpener, HostTranscript, LiveTranscript, TranscriptItem, TranscriptReader, TranscriptRoot,
    TranscriptSource, time,
};
use crate::lenient::LenientJson;
use crate::{Host, HostPaths};
use backstory_memory::{Activity, Timestamp};
use rollout_rows::RolloutRows;
use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

pub(crate) const SOURCE: TranscriptSource =
    TranscriptSource { root: TranscriptRoot::ConfigDir, find, read, live: Some(LIVE) };

const LIVE: LiveTranscript = LiveTranscript {
    rows: |path| Box::new(RolloutRows::new(path)),
    is_unreported: |activity| {
        matches!(
            activity,
            Activity::Interrupted
                | Activity::Rejected { .. }
                | Activity::Answered { .. }
                | Activity::Compacted { .. }
        )
    },
};

/// Finds the transcripts.
fn find(places: &HostPaths, _: &dyn DatabaseOpener) -> Vec<HostTranscript> {
    let directory = places.directory(Host::Codex);
    let mut files = Vec::new();
    rollouts(&directory.join("sessions"), DEEPEST, &mut files);
    rollouts(&directory.join("archived_sessions"), DEEPEST, &mut files);
    let mut subagents: HashMap<String, Vec<HostTranscript>> = HashMap::new();
    let mut sessions: Vec<(String, HostTranscript)> = Vec::new();
    for path in files {
        let Some(transcript) = HostTranscript::from_file(Host::Codex, &path) else { continue };
        let meta = RolloutMeta::from_file(&path);
        let transcript = HostTranscript { began: meta.began, ..transcript };
        match meta.of {
            RolloutOwner::Session => sessions.push((meta.id, transcript)),
            RolloutOwner::Subagent { parent, .. } => subagents.entry(parent).or_default().push(transcript),
            RolloutOwner::Host => {}
        }
    }
    let mut transcripts: Vec<HostTranscript> = sessions
        .into_iter()
        .map(|(id, transcript)| {
            let own = subagents.remove(&id).unwrap_or_default();
            transcript.with_subagents(own.into_iter().map(|subagent| subagent.path).collect())
        })
        .collect();
    // A subagent whose session is gone is a transcript of its own.
    transcripts.extend(subagents.into_values().flatten());
    transcripts
}

/// Reads a transcript.
fn read<'a>(
    transcript: &'a HostTranscript,
    _: &'a dyn DatabaseOpener,
) -> io::Result<Box<dyn TranscriptReader + 'a>> {
    if transcript.path.extension().is_some_and(|it| it == "zst") {
        return Ok(Box::new(CompressedRollout { bytes: transcript.bytes, is_reported: false }));
    }
    let own = FileReader::open(&transcript.path, RolloutRows::new(&transcript.path))?;
    let beside = transcript.beside.iter().map(|path| SubagentFile {
        began: RolloutMeta::from_file(path).began.or(transcript.began).unwrap_or(transcript.modified),
        path: path.as_path(),
        rows: RolloutRows::new(path),
    });
    Ok(Box::new(MergedFiles::new(own, beside.collect())))
}

/// Years, months, days.
const DEEPEST: usize = 3;

/// Finds the rollouts in a folder and below it. Links are not followed: one may lead in a circle.
fn rollouts(folder: &Path, deepest: usize, files: &mut Vec<PathBuf>) {
    let mut entries: Vec<fs::DirEntry> = fs::read_dir(folder).into_iter().flatten().flatten().collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (path, kind) = (entry.path(), entry.file_type());
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if kind.as_ref().is_ok_and(fs::FileType::is_dir) && deepest > 0 {
            rollouts(&path, deepest - 1, files);
        } else if kind.is_ok_and(|kind| kind.is_file())
            && name.starts_with("rollout-")
            && (name.ends_with(".jsonl") || name.ends_with(".jsonl.zst"))
        {
            files.push(path);
        }
    }
}

/// The first row of a rollout, which describes it.
struct RolloutMeta {
    id: String,
    /// The session it belongs to.
    session: String,
    began: Option<Timestamp>,
    of: RolloutOwner,
}

/// Whose rollout it is.
#[derive(Clone)]
enum RolloutOwner {
    Session,
    Subagent {
        parent: String,
        sort: String,
    },
    /// A thread that Codex started for itself.
    Host,
}

impl RolloutMeta {
    fn from_file(path: &Path) -> RolloutMeta {
        let text = beginning(path, FIRST_ROWS).unwrap_or_default();
        let first = LenientJson::read(text.lines().next().unwrap_or_default());
        RolloutMeta::in_row(&first, path)
    }

    fn in_row(row: &LenientJson<'_>, path: &Path) -> RolloutMeta {
        // The oldest versions write the payload without a wrapper.
        let payload = if row.get("payload").is_nothing() { row } else { row.get("payload") };
        let stem = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let id = payload.said("id").map_or_else(|| stem.trim_end_matches(".jsonl").to_owned(), str::to_owned);
        let of = thread(payload);
        let session = match &of {
            RolloutOwner::Subagent { parent, .. } => payload.said("session_id").unwrap_or(parent).to_owned(),
            _ => id.clone(),
        };
        RolloutMeta {
            id,
            session,
            began: time(payload.get("timestamp")).or_else(|| time(row.get("timestamp"))),
            of,
        }
    }
}

fn thread(payload: &LenientJson<'_>) -> RolloutOwner {
    let subagent = payload.get("source").get("subagent");
    let spawned = subagent.get("thread_spawn");
    let parent = payload.said("parent_thread_id").or_else(|| spawned.said("parent_thread_id"));
    match parent {
        Some(parent) => {
            let sort = payload.said("agent_role").or_else(|| spawned.said("agent_role")).unwrap_or("default");
            RolloutOwner::Subagent { parent: parent.to_owned(), sort: sort.to_owned() }
        }
        None if subagent.is_nothing() || subagent.text() == Some("review") => RolloutOwner::Session,
        None => RolloutOwner::Host,
    }
}

/// A compressed rollout, which is reported once.
struct CompressedRollout {
    bytes: u64,
    is_reported: bool,
}

impl Iterator for CompressedRollout {
    type Item = TranscriptItem;

    fn next(&mut self) -> Option<TranscriptItem> {
        let is_reported = std::mem::replace(&mut self.is_reported, true);
        (!is_reported).then_some(TranscriptItem::Unreadable("a compressed file"))
    }
}

impl TranscriptReader for CompressedRollout {
    fn bytes_read(&self) -> u64 {
        if self.is_reported { self.bytes } else { 0 }
    }
}
