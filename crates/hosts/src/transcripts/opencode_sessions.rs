//! The transcripts of OpenCode: its database, and the files older versions keep instead.
//!
//! Either way a session is messages made of parts, and a subagent is a session that has a parent: a transcript is a session with all
//! that descend from it, read as one in the order of time. Not here: what a tool did (`opencode/plugin_tools.rs`).

mod session_storage;
mod session_thread;

use super::bounded_files::children;
use super::{
    DatabaseOpener, HostTranscript, TranscriptItem, TranscriptReader, TranscriptRoot, TranscriptSource,
};
use crate::{Host, HostPaths};
use backstory_memory::Timestamp;
use session_storage::{DatabaseStorage, FileStorage, SessionStorage, StoredSession};
use session_thread::SessionThread;
use std::collections::{HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};

pub(crate) const SOURCE: TranscriptSource =
    TranscriptSource { root: TranscriptRoot::Data("opencode"), find, read, live: None };

/// Finds the transcripts. A session that is in the database and in files is found once.
fn find(places: &HostPaths, databases: &dyn DatabaseOpener) -> Vec<HostTranscript> {
    let folder = places.xdg_data.join("opencode");
    let mut transcripts = Vec::new();
    let mut seen = HashSet::new();
    for path in databases_in(&folder) {
        let Ok(rows) = DatabaseStorage::open(&path, databases) else { continue };
        let lengths = rows.lengths();
        let found =
            families(rows.sessions()).into_iter().filter(|family| seen.insert(family.root.id.clone()));
        transcripts.extend(found.map(|family| family.in_database(&path, &lengths)));
    }
    let found = families(session_storage::sessions_in(&folder.join("storage/session")));
    let new = found.into_iter().filter(|family| seen.insert(family.root.id.clone()));
    transcripts.extend(new.filter_map(SessionFamily::in_files));
    transcripts
}

/// Reads a transcript; without a session, everything in its database.
fn read<'a>(
    transcript: &'a HostTranscript,
    databases: &'a dyn DatabaseOpener,
) -> io::Result<Box<dyn TranscriptReader + 'a>> {
    let (kept, sessions): (Box<dyn SessionStorage>, Vec<StoredSession>) = if is_database(&transcript.path) {
        let rows = DatabaseStorage::open(&transcript.path, databases).map_err(io::Error::other)?;
        let sessions = transcript.session.as_ref().map_or_else(|| rows.sessions(), |root| rows.family(root));
        (Box::new(rows), sessions)
    } else {
        let storage = transcript.path.ancestors().nth(3).unwrap_or(&transcript.path);
        let own = session_storage::session_in(&transcript.path).ok_or(io::ErrorKind::InvalidData)?;
        let beside = transcript.beside.iter().filter_map(|path| session_storage::session_in(path));
        (Box::new(FileStorage::new(storage)), std::iter::once(own).chain(beside).collect())
    };
    Ok(Box::new(MergedThreads::new(kept, sessions)))
}

/// Returns the databases of a folder, `opencode.db` first. Other channels put their name into that of the file.
fn databases_in(folder: &Path) -> Vec<PathBuf> {
    let paths = children(folder).into_iter();
    let is_ours = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with("opencode")) && is_database(path) && path.is_file()
    };
    let mut found: Vec<PathBuf> = paths.filter(is_ours).collect();
    found.sort_by_key(|path| (!path.ends_with("opencode.db"), path.clone()));
    found
}

fn is_database(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "db")
}

/// A session without a parent, and those that descend from it.
struct SessionFamily {
    root: StoredSession,
    descendants: Vec<StoredSession>,
}

impl SessionFamily {
    fn in_database(self, path: &Path, lengths: &HashMap<String, u64>) -> HostTranscript {
        let length = |session: &StoredSession| lengths.get(&session.id).copied().unwrap_or_default();
        let bytes = length(&self.root) + self.descendants.iter().map(length).sum::<u64>();
        HostTranscript {
            host: Host::OpenCode,
            path: path.to_owned(),
            beside: Vec::new(),
            began: self.root.began,
            bytes,
            modified: self.changed(),
            session: Some(self.root.id),
        }
    }

    fn in_files(self) -> Option<HostTranscript> {
        let modified = self.changed();
        let transcript = HostTranscript::from_file(Host::OpenCode, self.root.path.as_deref()?)?;
        let beside = self.descendants.into_iter().filter_map(|session| session.path).collect();
        Some(HostTranscript {
            beside,
            session: Some(self.root.id),
            began: self.root.began,
            modified,
            ..transcript
        })
    }

    fn changed(&self) -> Timestamp {
        let changed = self.descendants.iter().map(|session| session.changed);
        changed.chain([self.root.changed]).max().unwrap_or(self.root.changed)
    }
}

/// Puts sessions together with those that descend from them.
fn families(sessions: Vec<StoredSession>) -> Vec<SessionFamily> {
    let roots = roots_of(&sessions);
    let (own, others): (Vec<StoredSession>, Vec<StoredSession>) =
        sessions.into_iter().partition(|session| roots.get(&session.id) == Some(&session.id));
    let mut families: Vec<SessionFamily> =
        own.into_iter().map(|root| SessionFamily { root, descendants: Vec::new() }).collect();
    let places: HashMap<String, usize> =
        families.iter().enumerate().map(|(place, family)| (family.root.id.clone(), place)).collect();
    for session in others {
        let place = roots.get(&session.id).and_then(|root| places.get(root));
        if let Some(family) = place.and_then(|place| families.get_mut(*place)) {
            family.descendants.push(session);
        }
    }
    families
}

/// Returns the root of each session. A session whose parent is gone is a root, as is one in a circle of parents.
fn roots_of(sessions: &[StoredSession]) -> HashMap<String, String> {
    let parents: HashMap<&str, Option<&str>> =
        sessions.iter().map(|session| (session.id.as_str(), session.parent.as_deref())).collect();
    let root = |id: &str| {
        let mut root = id;
        for _ in 0..DEEPEST {
            match parents.get(root).copied().flatten().filter(|parent| parents.contains_key(parent)) {
                Some(parent) => root = parent,
                None => return root.to_owned(),
            }
        }
        id.to_owned()
    };
    parents.keys().map(|id| ((*id).to_owned(), root(id))).collect()
}

/// Subagents of subagents are rare: at this depth the parents form a circle.
const DEEPEST: usize = 16;

/// Sessions merged in the order of time. Each is opened when its first entry is next.
struct MergedThreads {
    kept: Box<dyn SessionStorage>,
    /// The last is the next to begin.
    waiting: Vec<SessionThread>,
    open: Vec<SessionThread>,
    bytes: u64,
}

impl MergedThreads {
    fn new(kept: Box<dyn SessionStorage>, sessions: Vec<StoredSession>) -> MergedThreads {
        let roots = roots_of(&sessions);
        let threads = sessions.into_iter().map(|session| {
            let root = roots.get(&session.id).unwrap_or(&session.id).clone();
            SessionThread::new(session, root)
        });
        let mut waiting: Vec<SessionThread> = threads.collect();
        waiting.sort_by(|one, other| other.order().cmp(&one.order()));
        MergedThreads { kept, waiting, open: Vec::new(), bytes: 0 }
    }

    /// Returns the open session with the earliest entry, and its time. Of two at the same time, the one that began first.
    fn next_open(&mut self) -> Option<(Timestamp, usize)> {
        let (kept, bytes) = (self.kept.as_ref(), &mut self.bytes);
        let nexts = self.open.iter_mut().enumerate();
        nexts.filter_map(|(number, thread)| Some((thread.next_at(kept, bytes)?, number))).min()
    }
}

impl Iterator for MergedThreads {
    type Item = TranscriptItem;

    fn next(&mut self) -> Option<TranscriptItem> {
        loop {
            let next = self.next_open();
            let begins = |thread: &mut SessionThread| next.is_none_or(|(at, _)| thread.began() <= at);
            if let Some(thread) = self.waiting.pop_if(begins) {
                self.open.push(thread);
                continue;
            }
            let (_, number) = next?;
            let item = self.open.get_mut(number).and_then(SessionThread::take);
            self.open.retain(|thread| !thread.is_over());
            return item;
        }
    }
}

impl TranscriptReader for MergedThreads {
    fn bytes_read(&self) -> u64 {
        self.bytes
    }
}
