//! A home that holds what a host has kept, and how a test reads the transcripts in it.

use crate::recorded::{event_line, fixtures};
use backstory_hosts::{
    DatabaseOpener, Host, HostPaths, HostTranscript, HostTranscriptEntry, TableReader, TranscriptItem,
};
use proptest::prelude::*;
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Databases by path, each a list of rows that name their table.
#[derive(Default)]
struct FakeDatabases(HashMap<PathBuf, Vec<Value>>);

impl DatabaseOpener for FakeDatabases {
    fn open(&self, path: &Path) -> Result<Box<dyn TableReader>, String> {
        let rows = self.0.get(path).cloned().ok_or("it is no database")?;
        Ok(Box::new(FakeTables(rows)))
    }
}

struct FakeTables(Vec<Value>);

impl TableReader for FakeTables {
    fn rows(
        &self,
        table: &str,
        columns: &[&str],
        only: Option<(&str, &str)>,
        order: &[&str],
    ) -> Result<Vec<Vec<String>>, String> {
        let of_table = self.0.iter().filter(|row| row["table"] == table);
        let mut rows: Vec<&Value> =
            of_table.filter(|row| only.is_none_or(|(name, value)| column(row, name) == value)).collect();
        rows.sort_by_key(|row| order.iter().map(|name| column(row, name)).collect::<Vec<String>>());
        Ok(rows.iter().map(|row| columns.iter().map(|name| column(row, name)).collect()).collect())
    }
}

fn column(row: &Value, name: &str) -> String {
    match &row[name] {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// A home with what one host has kept in it.
pub(crate) struct TranscriptHome {
    host: Host,
    path: PathBuf,
    databases: FakeDatabases,
    /// Removes the folder in the end. Recordings have none.
    _folder: Option<TempDir>,
}

impl TranscriptHome {
    pub(crate) fn new(host: Host) -> TranscriptHome {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_owned();
        TranscriptHome { host, path, databases: FakeDatabases::default(), _folder: Some(folder) }
    }

    /// Returns a home with one file.
    pub(crate) fn with_file(host: Host, name: &str, text: impl AsRef<[u8]>) -> TranscriptHome {
        let home = TranscriptHome::new(host);
        home.write(name, text);
        home
    }

    /// Returns a home with one database.
    pub(crate) fn with_database(host: Host, name: &str, rows: &[Value]) -> TranscriptHome {
        let mut home = TranscriptHome::with_file(host, name, "");
        home.databases.0.insert(home.path.join(name), rows.to_vec());
        home
    }

    /// Returns the home that a host left behind when a session was recorded.
    pub(crate) fn recorded(host: Host, session: &str) -> TranscriptHome {
        let path = fixtures(host).join("records").join(session);
        TranscriptHome { host, path, databases: FakeDatabases::default(), _folder: None }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Makes a symbolic link of this name to the home itself.
    #[cfg(unix)]
    pub(crate) fn link_to_itself(&self, name: &str) {
        std::os::unix::fs::symlink(&self.path, self.path(name)).unwrap();
    }

    /// Makes none: on Windows few may.
    #[cfg(windows)]
    pub(crate) fn link_to_itself(&self, _name: &str) {}

    pub(crate) fn transcripts(&self) -> Vec<HostTranscript> {
        let paths = match self.host {
            Host::ClaudeCode | Host::Codex => HostPaths::default().with_directory(self.host, &self.path),
            Host::OpenCode => HostPaths { xdg_data: self.path.clone(), ..HostPaths::default() },
            _ => HostPaths { home: self.path.clone(), ..HostPaths::default() },
        };
        self.host.transcripts(&paths, &self.databases)
    }

    /// Reads a transcript of which files may be missing.
    pub(crate) fn read(&self, transcript: &HostTranscript) -> io::Result<Vec<TranscriptItem>> {
        Ok(transcript.read(&self.databases)?.collect())
    }

    /// Reads a transcript to its end.
    pub(crate) fn items(&self, transcript: &HostTranscript) -> Vec<TranscriptItem> {
        let mut items = transcript.read(&self.databases).unwrap();
        let read = items.by_ref().collect();
        // OpenCode's rows are no bytes of a file.
        if self.host != Host::OpenCode {
            assert_eq!(items.bytes_read(), transcript.bytes, "all of it is read");
        }
        read
    }

    /// Reads a transcript without a damaged entry.
    pub(crate) fn entries(&self, transcript: &HostTranscript) -> Vec<HostTranscriptEntry> {
        let entry = |item| match item {
            TranscriptItem::Entry(entry) => *entry,
            TranscriptItem::Unreadable(why) => panic!("unreadable: {why}"),
        };
        let entries: Vec<HostTranscriptEntry> = self.items(transcript).into_iter().map(entry).collect();
        let ids: BTreeSet<&str> = entries.iter().map(|entry| entry.id.as_str()).collect();
        assert_eq!(ids.len(), entries.len(), "every id is unique");
        entries
    }

    /// Reads the first transcript, without a damaged entry.
    pub(crate) fn first_entries(&self) -> Vec<HostTranscriptEntry> {
        self.entries(&self.transcripts()[0])
    }

    /// Writes the activities of a transcript and what could not be read, one a line.
    pub(crate) fn outline_of(&self, transcript: &HostTranscript) -> String {
        let line = |item: &TranscriptItem| match item {
            TranscriptItem::Entry(entry) => serde_json::to_string(&entry.event.activity).unwrap(),
            TranscriptItem::Unreadable(why) => format!("unreadable: {why}"),
        };
        self.items(transcript).iter().map(line).collect::<Vec<_>>().join("\n")
    }

    /// Writes the outline of every transcript.
    pub(crate) fn outline(&self) -> String {
        let outlines = self.transcripts();
        outlines.iter().map(|transcript| self.outline_of(transcript)).collect::<Vec<_>>().join("\n")
    }

    /// Reads every transcript twice, whatever it holds: both times the same.
    pub(crate) fn assert_readable(&self) {
        for transcript in self.transcripts() {
            assert_eq!(self.items(&transcript), self.items(&transcript));
        }
    }
}

/// Returns rows as a file of lines.
pub(crate) fn lines(rows: &[Value]) -> String {
    rows.iter().map(|row| format!("{row}\n")).collect()
}

/// Returns a row with more fields, or others.
pub(crate) fn with(mut row: Value, fields: &Value) -> Value {
    row.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    row
}

/// Writes entries as [`event_line`] does.
pub(crate) fn event_lines(entries: &[HostTranscriptEntry]) -> String {
    entries.iter().map(|entry| event_line(&entry.event)).collect::<Vec<_>>().join("\n")
}

/// Returns lines of a file: sound rows, rows cut at their beginning, and other text.
pub(crate) fn damaged_lines(row: impl Strategy<Value = Value> + 'static) -> impl Strategy<Value = Vec<u8>> {
    let sound = row.prop_map(|row| row.to_string()).boxed();
    let cut =
        (sound.clone(), 0_usize..300).prop_map(|(row, at)| row.get(at..).unwrap_or_default().to_owned());
    let line = prop_oneof![4 => sound, 2 => cut, 1 => "\\PC*", 1 => "[\\[\\]{}\",:\\\\u0-9a-f ]*"];
    let rest = prop::collection::vec(any::<u8>(), 0..64);
    (prop::collection::vec(line, 0..12), rest)
        .prop_map(|(lines, rest)| [lines.join("\n").as_bytes(), b"\n", &rest].concat())
}

/// Returns a sound text that is cut, with any bytes behind it.
pub(crate) fn damaged_end(text: String) -> impl Strategy<Value = Vec<u8>> {
    let bytes = prop::collection::vec(any::<u8>(), 0..300);
    (0..text.len() + 1, bytes).prop_map(move |(cut, bytes)| [&text.as_bytes()[..cut], &bytes].concat())
}
