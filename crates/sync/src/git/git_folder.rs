//! The folder a team shares through git, as it is on this machine. Files are only added; those of forgotten memories are removed.
//!
//! Not here: git itself. Whoever owns the folder commits, merges and pushes it as they do everything else.

use super::git_entry::{EntryFile, GitEntry, is_name};
use crate::SyncError;
use backstory_memory::{Digest, SharedLink, SharedMemory, Timestamp, Uid, digest};
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Longer than any file of ours: text and lists of a memory are capped.
const MAX_FILE_BYTES: u64 = 1 << 20;
/// How many refused files are listed; the rest is only counted.
const LISTED: usize = 20;

/// A folder, and which files are in it.
pub(crate) struct GitFolder {
    root: PathBuf,
    /// The names of the files in each part: files are spread over subfolders by the first two digits of their names.
    parts: BTreeMap<String, Vec<String>>,
    pub(crate) refused: RefusedFiles,
}

/// The files of a folder that were refused.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RefusedFiles {
    /// How many.
    pub count: u64,
    /// The first of them.
    pub files: Vec<RefusedFile>,
}

/// A file that was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedFile {
    /// Its path in the folder, or the part and the memory.
    pub file: String,
    /// Why it was refused.
    pub error: String,
}

/// Everything a folder holds of one memory.
#[derive(Debug, Default)]
pub(crate) struct FolderMemory {
    pub(crate) memory: Option<SharedMemory>,
    pub(crate) links: Vec<SharedLink>,
    pub(crate) is_forgotten: bool,
    /// The files that hold its text.
    files: Vec<(String, String)>,
}

impl FolderMemory {
    /// Whether the folder holds a revision with this digest, of whatever time.
    pub(crate) fn holds(&self, digest: Digest) -> bool {
        self.memory
            .iter()
            .flat_map(|memory| &memory.revisions)
            .any(|revision| revision.content_digest() == digest)
    }

    /// Whether the folder holds the revision of this time and digest.
    pub(crate) fn holds_at(&self, order: (Timestamp, Digest)) -> bool {
        self.memory.iter().flat_map(|memory| &memory.revisions).any(|revision| revision.order() == order)
    }

    fn add(&mut self, entry: GitEntry, part: &str, name: &str) {
        match entry {
            GitEntry::Forgotten(_) => {
                // Its file is not listed with the others, which are removed: it is what keeps the memory forgotten.
                self.is_forgotten = true;
                return;
            }
            GitEntry::Linked(link) => self.links.push(link),
            GitEntry::Revised(revised) => {
                let memory = self.memory.get_or_insert_with(|| SharedMemory {
                    uid: revised.uid.clone(),
                    created_at: revised.created_at,
                    revisions: Vec::new(),
                });
                memory.created_at = memory.created_at.min(revised.created_at);
                // Two files may hold one revision, by another author or with another confidence: the first by name counts, on
                // every machine.
                if memory.revisions.iter().all(|revision| revision.order() != revised.revision.order()) {
                    memory.revisions.push(revised.revision);
                }
            }
        }
        self.files.push((part.to_owned(), name.to_owned()));
    }
}

impl GitFolder {
    /// Lists what is there. A folder that does not exist is an empty one.
    pub(crate) fn open(dir: &Path) -> Result<GitFolder, SyncError> {
        let root = dir.to_owned();
        let mut folder = GitFolder { root, parts: BTreeMap::new(), refused: RefusedFiles::default() };
        if folder.root.symlink_metadata().is_err() {
            return Ok(folder);
        }
        let failed = |error: io::Error| SyncError::of_file("look into", dir, error);
        for part in entries(&folder.root).map_err(failed)? {
            if !is_part(&part) {
                continue;
            }
            let path = folder.root.join(&part);
            if !path.symlink_metadata().is_ok_and(|there| there.is_dir()) {
                folder.refused.add(part, "it is not a folder, or leads elsewhere");
                continue;
            }
            let names = entries(&path).map_err(failed)?;
            let (ours, others): (Vec<String>, Vec<String>) =
                names.into_iter().partition(|name| is_name(name));
            for other in others.iter().filter(|name| !name.starts_with('.')) {
                folder.refused.add(format!("{part}/{other}"), "its name is not one of ours");
            }
            folder.parts.insert(part, ours);
        }
        Ok(folder)
    }

    /// Lists the parts, each with a fingerprint of the names of its files. A name holds a digest of its file, so the same fingerprint
    /// means the same content.
    pub(crate) fn parts(&self) -> Vec<(String, String)> {
        let fingerprint = |names: &Vec<String>| digest(names.iter().map(String::as_bytes)).to_string();
        self.parts.iter().map(|(part, names)| (part.clone(), fingerprint(names))).collect()
    }

    /// Reads everything.
    pub(crate) fn read_all(&mut self, now: Timestamp) -> BTreeMap<Uid, FolderMemory> {
        let parts: Vec<String> = self.parts.keys().cloned().collect();
        parts.iter().flat_map(|part| self.read(part, now)).collect()
    }

    /// Reads the memories of one part. A file that cannot be read is refused, the others are read.
    pub(crate) fn read(&mut self, part: &str, now: Timestamp) -> BTreeMap<Uid, FolderMemory> {
        let mut memories: BTreeMap<Uid, FolderMemory> = BTreeMap::new();
        for name in self.parts.get(part).into_iter().flatten() {
            let read = bytes_of(&self.root.join(part).join(name))
                .and_then(|bytes| GitEntry::read(name, &bytes, now))
                .and_then(|entry| {
                    if name.starts_with(part) {
                        Ok(entry)
                    } else {
                        Err("it lies in the wrong folder".to_owned())
                    }
                });
            match read {
                Ok(entry) => memories.entry(entry.uid().clone()).or_default().add(entry, part, name),
                Err(error) => self.refused.add(format!("{part}/{name}"), &error),
            }
        }
        for memory in memories.values_mut().filter_map(|found| found.memory.as_mut()) {
            memory.revisions.sort_by_key(backstory_memory::SharedRevision::order);
        }
        memories
    }

    /// Writes a file, whole or not at all, unless it is there. Returns whether it was written.
    pub(crate) fn put(&mut self, entry: &GitEntry, now: Timestamp) -> Result<bool, SyncError> {
        let EntryFile { part, name, text } =
            entry.write().map_err(|error| SyncError::of_file("write", &self.root, error.into()))?;
        let folder = self.root.join(&part);
        let path = folder.join(&name);
        // A file of this name that does not hold the entry is damaged, and is written again.
        if bytes_of(&path).is_ok_and(|bytes| GitEntry::read(&name, &bytes, now).is_ok()) {
            return Ok(false);
        }
        let written = || -> io::Result<()> {
            fs::create_dir_all(&folder)?;
            if folder.symlink_metadata()?.is_symlink() {
                return Err(io::Error::other("its folder leads elsewhere"));
            }
            // In the same folder: a rename between two file systems would fail.
            let mut draft = NamedTempFile::new_in(&folder)?;
            draft.write_all(text.as_bytes())?;
            draft.persist(&path).map_err(|error| error.error).map(drop)
        };
        written().map_err(|error| SyncError::of_file("write", &path, error))?;
        Ok(true)
    }

    /// Writes that a memory was forgotten, and then removes its files. Returns how many were removed.
    pub(crate) fn forget(
        &mut self,
        uid: &Uid,
        there: Option<&FolderMemory>,
        now: Timestamp,
    ) -> Result<u64, SyncError> {
        self.put(&GitEntry::Forgotten(uid.clone()), now)?;
        let mut removed = 0;
        for (part, name) in there.into_iter().flat_map(|there| &there.files) {
            let path = self.root.join(part).join(name);
            fs::remove_file(&path).map_err(|error| SyncError::of_file("remove", &path, error))?;
            removed += 1;
        }
        Ok(removed)
    }
}

impl RefusedFiles {
    /// Counts a refused file, and keeps the first ones.
    pub(crate) fn add(&mut self, file: String, error: &str) {
        self.count += 1;
        if self.files.len() < LISTED {
            self.files.push(RefusedFile { file, error: error.to_owned() });
        }
    }
}

/// Lists what a folder holds, in order.
fn entries(path: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(path)? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

fn is_part(name: &str) -> bool {
    name.len() == 2 && name.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

/// Reads a regular file that is no longer than ours can be.
fn bytes_of(path: &Path) -> Result<Vec<u8>, String> {
    let there = path.symlink_metadata().map_err(|error| error.to_string())?;
    if !there.is_file() {
        return Err("it is not a file, or leads elsewhere".to_owned());
    }
    if there.len() > MAX_FILE_BYTES {
        return Err(format!("it has {} bytes; {MAX_FILE_BYTES} is the maximum", there.len()));
    }
    fs::read(path).map_err(|error| error.to_string())
}
