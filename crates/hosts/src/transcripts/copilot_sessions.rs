//! The transcripts of Copilot CLI: `session-state/SESSION/events.jsonl`, before that `session-state/SESSION.jsonl`, and of the first
//! versions `history-session-state/*.json`.

mod session_events;
mod timeline;

use super::bounded_files::{children, note};
use super::file_lines::{FileLine, FileLines};
use super::merged_files::FileReader;
use super::whole_file::WholeFileReader;
use super::working_folder::folder_named_in;
use super::{
    DatabaseOpener, HostTranscript, LiveTranscript, TranscriptReader, TranscriptRoot, TranscriptSource, time,
};
use crate::lenient::LenientJson;
use crate::{Host, HostPaths};
use backstory_memory::{Activity, Timestamp};
use session_events::CopilotEvents;
use std::io;
use std::path::Path;
use timeline::CopilotTimeline;

pub(crate) const SOURCE: TranscriptSource =
    TranscriptSource { root: TranscriptRoot::ConfigDir, find, read, live: Some(LIVE) };

const LIVE: LiveTranscript = LiveTranscript {
    rows: |path| Box::new(CopilotEvents::new(session_named_by(path), None)),
    is_unreported: |activity| matches!(activity, Activity::Interrupted | Activity::Compacted { .. }),
};

/// Finds the transcripts.
fn find(places: &HostPaths, _: &dyn DatabaseOpener) -> Vec<HostTranscript> {
    let home = places.directory(Host::Copilot);
    let newer = children(&home.join("session-state")).into_iter().map(|path| match path.is_dir() {
        true => path.join("events.jsonl"),
        false => path,
    });
    let newer = newer.filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    let older = children(&home.join("history-session-state")).into_iter().filter(|path| is_timeline(path));
    let found = newer.chain(older).filter_map(|path| HostTranscript::from_file(Host::Copilot, &path));
    found.map(|transcript| HostTranscript { began: began(&transcript.path), ..transcript }).collect()
}

/// Reads a transcript.
fn read<'a>(
    transcript: &'a HostTranscript,
    _: &'a dyn DatabaseOpener,
) -> io::Result<Box<dyn TranscriptReader + 'a>> {
    let path = &transcript.path;
    if is_timeline(path) {
        let rows = CopilotTimeline::new(session_named_by(path), folder_named_in(path, &["path"]));
        return Ok(Box::new(WholeFileReader::open(path, "timeline", rows)?));
    }
    let rows = CopilotEvents::new(session_named_by(path), folder_beside(path));
    Ok(Box::new(FileReader::open(path, rows)?))
}

fn is_timeline(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "json")
}

/// Returns when a session began: the time of its first event, or in the first versions a part of the file name.
fn began(path: &Path) -> Option<Timestamp> {
    if is_timeline(path) {
        let (_, ms) = path.file_stem()?.to_str()?.rsplit_once('_')?;
        return ms.parse().ok().map(Timestamp);
    }
    match FileLines::open(path).ok()?.next_line()? {
        FileLine::Text(line) => time(LenientJson::read_only(&line, |depth, _| depth == 1).get("timestamp")),
        FileLine::TooLong => None,
    }
}

/// Returns the id of a session: the name of its folder or file, which is `session_ID_MS` in the first versions.
fn session_named_by(path: &Path) -> String {
    let named = match path.ends_with("events.jsonl") {
        true => path.parent().and_then(Path::file_name),
        false => path.file_stem(),
    };
    let name = named.unwrap_or_default().to_string_lossy();
    let name =
        name.strip_prefix("session_").and_then(|rest| rest.rsplit_once('_')).map_or(&*name, |(id, _)| id);
    name.to_owned()
}

/// Returns the folder in `workspace.yaml`, for sessions whose events do not name it.
fn folder_beside(events: &Path) -> Option<String> {
    let path = events.parent()?.join("workspace.yaml");
    let text = note(&path)?;
    let folder = text.lines().find_map(|line| line.strip_prefix("cwd: "))?.trim().trim_matches(['"', '\'']);
    (!folder.is_empty()).then(|| folder.to_owned())
}
