//! The transcripts of Claude Code: `projects/SLUG/SESSION.jsonl`, its subagents in `SESSION/subagents/agent-ID.jsonl`. Versions before
//! 2.1 keep those beside the session, and the oldest in it.
//!
//! Not here: the events in its rows (`session_rows`).

mod queued_messages;
mod session_row;
mod session_rows;
mod sidechains;
mod user_message;

use super::bounded_files::{self, FIRST_ROWS, beginning};
use super::merged_files::{FileReader, MergedFiles, SubagentFile};
use super::{
    DatabaseOpener, HostTranscript, LiveTranscript, TranscriptReader, TranscriptRoot, TranscriptSource, time,
};
use crate::lenient::LenientJson;
use crate::{Host, HostPaths};
use backstory_memory::{Activity, Timestamp};
use session_rows::SessionRows;
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

pub(crate) const SOURCE: TranscriptSource =
    TranscriptSource { root: TranscriptRoot::ConfigDir, find, read, live: Some(LIVE) };

const LIVE: LiveTranscript = LiveTranscript {
    rows: |path| Box::new(SessionRows::new(path)),
    is_unreported: |activity| {
        matches!(
            activity,
            Activity::Interjected { .. }
                | Activity::Interrupted
                | Activity::Rejected { .. }
                | Activity::PlanDecided { is_approved: false, .. }
                | Activity::Answered { .. }
                | Activity::Compacted { .. }
        )
    },
};

/// Finds the transcripts.
fn find(places: &HostPaths, _: &dyn DatabaseOpener) -> Vec<HostTranscript> {
    let projects = places.directory(Host::ClaudeCode).join("projects");
    children(&projects).iter().filter(|path| path.is_dir()).flat_map(|folder| in_project(folder)).collect()
}

/// Reads a transcript.
fn read<'a>(
    transcript: &'a HostTranscript,
    _: &'a dyn DatabaseOpener,
) -> io::Result<Box<dyn TranscriptReader + 'a>> {
    let own = FileReader::open(&transcript.path, SessionRows::new(&transcript.path))?;
    let beside = transcript.beside.iter().map(|path| SubagentFile {
        began: FirstRows::from_file(path).at.or(transcript.began).unwrap_or(transcript.modified),
        path: path.as_path(),
        rows: SessionRows::of_subagent(path),
    });
    Ok(Box::new(MergedFiles::new(own, beside.collect())))
}

/// Finds the transcripts of one project.
fn in_project(folder: &Path) -> Vec<HostTranscript> {
    let files = children(folder).into_iter().filter(|path| path.extension().is_some_and(|it| it == "jsonl"));
    let (agents, sessions): (Vec<PathBuf>, Vec<PathBuf>) = files.partition(|path| is_of_subagent(path));
    let mut agents_of: HashMap<String, Vec<PathBuf>> = HashMap::new();
    for path in agents.into_iter().filter(|path| is_work(path)) {
        agents_of.entry(FirstRows::from_file(&path).session).or_default().push(path);
    }
    let mut transcripts = Vec::new();
    for path in sessions {
        let session = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let own = children(&path.with_extension("").join("subagents"));
        let own = own.into_iter().filter(|path| is_of_subagent(path) && is_work(path));
        let beside = own.chain(agents_of.remove(session).unwrap_or_default()).collect();
        transcripts.extend(transcript(&path, beside));
    }
    // A subagent whose session is gone is a transcript of its own.
    let mut left: Vec<PathBuf> = agents_of.into_values().flatten().collect();
    left.sort();
    transcripts.extend(left.iter().filter_map(|path| transcript(path, Vec::new())));
    transcripts
}

fn transcript(path: &Path, beside: Vec<PathBuf>) -> Option<HostTranscript> {
    let own = HostTranscript::from_file(Host::ClaudeCode, path)?;
    Some(HostTranscript { began: FirstRows::from_file(path).at, ..own.with_subagents(beside) })
}

/// Time and session in the first rows of a file.
#[derive(Default)]
struct FirstRows {
    at: Option<Timestamp>,
    session: String,
}

impl FirstRows {
    fn from_file(path: &Path) -> FirstRows {
        let text = beginning(path, FIRST_ROWS).unwrap_or_default();
        let rows = text.lines().map(|row| {
            LenientJson::read_only(row, |depth, name| depth == 1 && matches!(name, "timestamp" | "sessionId"))
        });
        let mut found = FirstRows::default();
        for row in rows {
            found.at = found.at.or_else(|| time(row.get("timestamp")));
            if found.session.is_empty() {
                row.str("sessionId").clone_into(&mut found.session);
            }
        }
        found
    }
}

fn is_of_subagent(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.starts_with("agent-") && name.ends_with(".jsonl")
}

/// Whether a subagent did work. Claude Code starts some for itself: to compact, to suggest the next prompt.
fn is_work(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    !["agent-acompact", "agent-aprompt_suggestion", "agent-aside_question"]
        .iter()
        .any(|own| name.starts_with(own))
}

/// Returns what lies in a folder, without links: one may lead in a circle.
fn children(folder: &Path) -> Vec<PathBuf> {
    bounded_files::children(folder).into_iter().filter(|path| !path.is_symlink()).collect()
}
