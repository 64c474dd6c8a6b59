//! Transcripts that hosts keep of their own sessions, read entry by entry as the events that hooks would have sent.
//!
//! A row that cannot be read is counted, and costs no other row. Only what one entry needs is held, because a transcript may be larger
//! than memory. Not here: what is kept of it (`capture`), in which order and how often transcripts are read (`exchange`), SQL (the
//! caller opens databases, as [`DatabaseOpener`]).

mod bounded_files;
pub(crate) mod claude_code_projects;
pub(crate) mod codex_rollouts;
pub(crate) mod copilot_sessions;
mod event_fields;
mod file_lines;
pub(crate) mod gemini_chats;
mod merged_files;
pub(crate) mod opencode_sessions;
mod pending_calls;
mod unreported_events;
mod whole_file;
mod working_folder;

use crate::lenient::LenientJson;
use crate::{AgentEvent, Host, HostPaths};
use backstory_memory::Timestamp;
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;
pub(crate) use unreported_events::LiveTranscript;
pub use unreported_events::{RunningCall, UnreportedEvents};

/// How the transcripts of a host are found and read.
pub(crate) struct TranscriptSource {
    pub(crate) root: TranscriptRoot,
    pub(crate) find: fn(&HostPaths, &dyn DatabaseOpener) -> Vec<HostTranscript>,
    pub(crate) read: ReadTranscript,
    /// How it is read while its session runs, where hooks leave something out.
    pub(crate) live: Option<LiveTranscript>,
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
    /// The files of its subagents.
    pub beside: Vec<PathBuf>,
    /// The session, where the file holds many.
    pub session: Option<String>,
    /// When it began, if its first lines say so.
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
    /// Its id, unique among all transcripts of the host. A session that was resumed or forked repeats earlier entries with their ids.
    pub id: String,
    /// What happened.
    pub event: AgentEvent,
}

/// One item of a transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TranscriptItem {
    /// An event.
    Entry(Box<HostTranscriptEntry>),
    /// A part that cannot be read, and why in a word or two.
    Unreadable(&'static str),
}

/// A transcript being read, in the order things happened.
pub trait TranscriptReader: Iterator<Item = TranscriptItem> {
    /// Returns how much of the transcript has been read.
    fn bytes_read(&self) -> u64;
}

/// Opens databases of other programs.
pub trait DatabaseOpener {
    /// Opens one to read, or returns why that is not possible.
    fn open(&self, path: &Path) -> Result<Box<dyn TableReader>, String>;
}

/// The tables of a database.
pub trait TableReader {
    /// Returns these columns of the rows of a table, ordered; with `only`, of those where a column holds a value. Missing columns are
    /// empty.
    fn rows(
        &self,
        table: &str,
        columns: &[&str],
        only: Option<(&str, &str)>,
        order: &[&str],
    ) -> Result<Vec<Vec<String>>, String>;
}

impl Host {
    /// Finds the transcripts the host has kept, the oldest first. A folder or a file that cannot be read holds none.
    #[must_use]
    pub fn transcripts(self, places: &HostPaths, databases: &dyn DatabaseOpener) -> Vec<HostTranscript> {
        let source = self.spec().transcripts.as_ref();
        let mut transcripts = source.map(|source| (source.find)(places, databases)).unwrap_or_default();
        transcripts.sort_by(|one, other| {
            (one.began, one.modified, &one.path).cmp(&(other.began, other.modified, &other.path))
        });
        transcripts
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

    /// Returns a file as a transcript, wherever it lies; nothing where it is no file.
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

    /// Adds the files of its subagents.
    fn with_subagents(self, files: Vec<PathBuf>) -> HostTranscript {
        let others: Vec<HostTranscript> =
            files.iter().filter_map(|path| HostTranscript::from_file(self.host, path)).collect();
        HostTranscript {
            bytes: self.bytes + others.iter().map(|other| other.bytes).sum::<u64>(),
            modified: others.iter().map(|other| other.modified).fold(self.modified, Timestamp::max),
            beside: files,
            ..self
        }
    }
}

/// Returns the time of a field: RFC 3339, or a number of milliseconds.
fn time(said: &LenientJson<'_>) -> Option<Timestamp> {
    match said {
        LenientJson::Text(text) => {
            text.parse().ok().map(|time: jiff::Timestamp| Timestamp(time.as_millisecond()))
        }
        LenientJson::Number(number) => number.parse().ok().map(Timestamp),
        _ => None,
    }
}
