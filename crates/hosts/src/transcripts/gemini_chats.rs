//! The transcripts of Gemini CLI: `tmp/PROJECT/chats/session-*.jsonl`, its subagents in `chats/SESSION/`, and of older versions
//! `chats/session-*.json`, which are one object.
//!
//! A project is named by a short word or by a digest of its folder. The folder itself stands in other files.

mod messages;

use super::bounded_files::{children, note};
use super::file_lines::{FileLine, FileLines};
use super::merged_files::{FileReader, MergedFiles, SubagentFile};
use super::whole_file::WholeFileReader;
use super::working_folder::folder_named_in;
use super::{
    DatabaseOpener, HostTranscript, LiveTranscript, TranscriptReader, TranscriptRoot, TranscriptSource, time,
};
use crate::lenient::LenientJson;
use crate::{Host, HostPaths};
use backstory_memory::{Activity, Timestamp};
use messages::GeminiMessages;
use std::io;
use std::path::{Path, PathBuf};

pub(crate) const SOURCE: TranscriptSource =
    TranscriptSource { root: TranscriptRoot::ConfigDir, find, read, live: Some(LIVE) };

const LIVE: LiveTranscript = LiveTranscript {
    rows: |_| Box::new(GeminiMessages::new(None)),
    is_unreported: |activity| matches!(activity, Activity::Rejected { .. } | Activity::Compacted { .. }),
};

/// Finds the transcripts.
fn find(places: &HostPaths, _: &dyn DatabaseOpener) -> Vec<HostTranscript> {
    let projects = children(&places.directory(Host::Gemini).join("tmp")).into_iter();
    let chats = projects.flat_map(|project| children(&project.join("chats")));
    let found = chats
        .filter(|path| is_transcript(path))
        .filter_map(|path| HostTranscript::from_file(Host::Gemini, &path));
    found.map(with_subagents).collect()
}

/// Reads a transcript.
fn read<'a>(
    transcript: &'a HostTranscript,
    _: &'a dyn DatabaseOpener,
) -> io::Result<Box<dyn TranscriptReader + 'a>> {
    let path = &transcript.path;
    let cwd = folder_of(path);
    let rows = GeminiMessages::new(cwd.clone());
    if is_older(path) {
        return Ok(Box::new(WholeFileReader::open(path, "messages", rows)?));
    }
    let session = transcript.session.clone().or_else(|| head_of(path)?.session).unwrap_or_default();
    let beside = transcript.beside.iter().filter_map(|path| {
        let head = head_of(path)?;
        let rows = GeminiMessages::of_subagent(&session, head.session.as_deref()?, cwd.clone());
        Some(SubagentFile { began: head.began.unwrap_or(transcript.modified), path, rows })
    });
    Ok(Box::new(MergedFiles::new(FileReader::open(path, rows)?, beside.collect())))
}

/// Whether a file is a transcript. One that a newer version continues in another file is read there.
fn is_transcript(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_newer = name.ends_with(".jsonl");
    name.starts_with("session-")
        && (is_newer || name.ends_with(".json") && !path.with_extension("jsonl").exists())
}

fn is_older(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "json")
}

/// Adds when a transcript begins, and the files of its subagents: they lie in a folder that is named by the session.
fn with_subagents(mut transcript: HostTranscript) -> HostTranscript {
    let Some(head) = head_of(&transcript.path) else { return transcript };
    transcript.began = head.began;
    let is_name = |name: &String| !name.contains('/') && name != "..";
    let folder =
        head.session.filter(is_name).and_then(|session| Some(transcript.path.parent()?.join(session)));
    let beside = folder.map(|folder| children(&folder)).unwrap_or_default();
    let is_chat = |path: &PathBuf| path.extension().is_some_and(|end| end == "jsonl");
    transcript.with_subagents(beside.into_iter().filter(is_chat).collect())
}

/// Session and time at the beginning of a transcript.
struct ChatHead {
    session: Option<String>,
    began: Option<Timestamp>,
}

fn head_of(path: &Path) -> Option<ChatHead> {
    let mut lines = FileLines::open(path).ok()?;
    let mut beginning = String::new();
    // An older object may be written over many lines; time and session are in the first of them.
    for _ in 0..HEAD_LINES {
        match lines.next_line() {
            Some(FileLine::Text(line)) => beginning.push_str(&line),
            _ => break,
        }
        let head = LenientJson::read_only(&beginning, |depth, _| depth == 1);
        if let Some(began) = time(head.get("startTime")) {
            return Some(ChatHead { session: head.said("sessionId").map(str::to_owned), began: Some(began) });
        }
    }
    None
}

const HEAD_LINES: usize = 8;

/// Returns the folder of the project a transcript lies in.
fn folder_of(transcript: &Path) -> Option<String> {
    let project = transcript.ancestors().find(|folder| folder.ends_with("chats"))?.parent()?;
    let home = project.parent()?.parent()?;
    let name = project.file_name()?;
    let noted = [project.to_owned(), home.join("history").join(name)];
    let noted = noted.iter().find_map(|folder| trimmed_note(&folder.join(".project_root")));
    noted.or_else(|| registered(home, name.to_str()?)).or_else(|| first_file_folder(transcript))
}

/// Returns the folder that the list of projects gives this name.
fn registered(home: &Path, name: &str) -> Option<String> {
    let list = trimmed_note(&home.join("projects.json"))?;
    let LenientJson::Fields(mut projects) = LenientJson::read(&list).take("projects") else { return None };
    projects.retain(|(_, named)| named.text() == Some(name));
    projects.pop().map(|(folder, _)| folder.into_owned())
}

fn trimmed_note(path: &Path) -> Option<String> {
    note(path).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// Returns the folder of the first file in a transcript: older versions note it nowhere else.
fn first_file_folder(transcript: &Path) -> Option<String> {
    folder_named_in(transcript, &["file_path", "absolute_path"])
}
