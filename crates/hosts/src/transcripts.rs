//! Transcripts that hosts keep of their own sessions, read long after: entry by entry, as the events their hooks would have sent.
//!
//! What cannot be read is counted, row by row; a transcript is never given up whole. Nothing is held but what an entry needs: a transcript
//! may be larger than memory. Not here: what is kept of it (`capture`), in which order and how often transcripts are read (`import`),
//! SQL (whoever calls opens databases, as [`DatabaseOpener`]).

pub(crate) mod claude_code_projects;
pub(crate) mod codex_rollouts;
pub(crate) mod copilot_sessions;
mod event_fields;
mod file_lines;
pub(crate) mod gemini_chats;
mod merged_files;
pub(crate) mod opencode_sessions;
mod pending_calls;
mod whole_file;
mod working_folder;

use crate::lenient::LenientJson;
use crate::{AgentEvent, Host, HostPaths};
use backstory_memory::Timestamp;
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// How the transcripts of a host are found and read.
pub(crate) struct TranscriptSource {
    pub(crate) root: TranscriptRoot,
    pub(crate) find: fn(&HostPaths, &dyn DatabaseOpener) -> Vec<HostTranscript>,
    pub(crate) read: ReadTranscript,
}

type ReadTranscript = for<'a> fn(&'a HostTranscript, &'a dyn DatabaseOpener) -> io::Result<BoxedReader<'a>>;
type BoxedReader<'a> = Box<dyn TranscriptReader + 'a>;

/// Where a host keeps its transcripts.
#[derive(Clone, Copy)]
pub(crate) enum TranscriptRoot {
    /// In the directory of its configuration.
    ConfigDir,
    /// In a directory of this name among the user's data.
    Data(&'static str),
}

/// A host's own transcript of one session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostTranscript {
    /// The host.
    pub host: Host,
    /// The file it is in, or the database.
    pub path: PathBuf,
    /// What belongs to it and stands elsewhere: the files of its subagents.
    pub beside: Vec<PathBuf>,
    /// The session, where the file holds many.
    pub session: Option<String>,
    /// When it begins, as far as its first lines say.
    pub began: Option<Timestamp>,
    /// How long it is.
    pub bytes: u64,
    /// When it last changed.
    pub modified: Timestamp,
}

/// One entry of a transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostTranscriptEntry {
    /// When it happened.
    pub at: Timestamp,
    /// The host's own name for the session.
    pub session: String,
    /// Where it happened.
    pub cwd: Option<String>,
    /// What the transcript calls it, unlike anything else in any transcript of the host. Sessions that were resumed or forked repeat what
    /// came before by the same name.
    pub id: String,
    /// What happened.
    pub event: AgentEvent,
}

/// What is next in a transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TranscriptItem {
    /// Something that happened.
    Entry(Box<HostTranscriptEntry>),
    /// Something that cannot be read; why, in a word or two.
    Unreadable(&'static str),
}

/// A transcript being read, in the order things happened.
pub trait TranscriptReader: Iterator<Item = TranscriptItem> {
    /// Returns how much of the transcript has been read.
    fn bytes_read(&self) -> u64;
}

/// Opens somebody's databases.
pub trait DatabaseOpener {
    /// Opens one to read; says why not.
    fn open(&self, path: &Path) -> Result<Box<dyn TableReader>, String>;
}

/// The tables of a database.
pub trait TableReader {
    /// Returns the rows of a table that hold a value, ordered: each with what the wanted columns say. What is not there is empty.
    fn rows(
        &self,
        table: &str,
        columns: &[&str],
        only: Option<(&str, &str)>,
        order: &[&str],
    ) -> Result<Vec<Vec<String>>, String>;
}

impl Host {
    /// Finds the transcripts the host has kept. Of a folder or a file that cannot be read there are none.
    #[must_use]
    pub fn transcripts(self, places: &HostPaths, databases: &dyn DatabaseOpener) -> Vec<HostTranscript> {
        let source = self.spec().transcripts.as_ref();
        source.map(|source| (source.find)(places, databases)).unwrap_or_default()
    }
}

impl HostTranscript {
    /// Begins to read the transcript.
    pub fn read<'a>(
        &'a self,
        databases: &'a dyn DatabaseOpener,
    ) -> io::Result<Box<dyn TranscriptReader + 'a>> {
        match &self.host.spec().transcripts {
            Some(source) => (source.read)(self, databases),
            None => Err(io::Error::from(io::ErrorKind::Unsupported)),
        }
    }

    /// Returns the transcript a file is, whichever place it is in; nothing where the host has no such files.
    #[must_use]
    pub fn from_file(host: Host, path: &Path) -> Option<HostTranscript> {
        let metadata = path.metadata().ok().filter(std::fs::Metadata::is_file)?;
        let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let modified = modified.map_or(0, |time| i64::try_from(time.as_millis()).unwrap_or(i64::MAX));
        Some(HostTranscript {
            host,
            path: path.to_owned(),
            beside: Vec::new(),
            session: None,
            began: None,
            bytes: metadata.len(),
            modified: Timestamp(modified),
        })
    }
}

/// Returns the time a transcript gives: as RFC 3339 says it, or in milliseconds.
fn time(said: &LenientJson<'_>) -> Option<Timestamp> {
    match said {
        LenientJson::Text(text) => {
            text.parse().ok().map(|time: jiff::Timestamp| Timestamp(time.as_millisecond()))
        }
        LenientJson::Number(number) => number.parse().ok().map(Timestamp),
        _ => None,
    }
}
