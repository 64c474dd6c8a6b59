//! A folder that a team shares through git, as it lies on this machine. It is only ever added to, except that the words of what was
//! forgotten go.
//!
//! Not here: git itself. Whoever owns the folder commits, merges and pushes it as they do everything else.

use super::entry::{EntryFile, GitEntry, is_name};
use crate::failure::Failure;
use backstory_memory::{Digest, SharedLink, SharedMemory, Timestamp, Uid, digest};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Longer than any file of ours: a memory's text and its lists are bounded.
const MOST_BYTES: u64 = 1 << 20;
/// How many refused files are named; the rest is only counted.
const LISTED: usize = 20;

/// A folder and what was found in it.
pub(crate) struct GitFolder {
    root: PathBuf,
    /// The names of the files in each folder within.
    places: BTreeMap<String, Vec<String>>,
    pub(crate) refused: RefusedFiles,
}

/// The files that were refused.
#[derive(Debug, Default, Serialize)]
pub(crate) struct RefusedFiles {
    #[serde(rename = "refused")]
    pub(crate) count: u64,
    #[serde(rename = "refused_files")]
    pub(crate) files: Vec<RefusedFile>,
}

#[derive(Debug, Serialize)]
pub(crate) struct RefusedFile {
    pub(crate) file: String,
    pub(crate) error: String,
}

/// Everything a folder holds of one memory.
#[derive(Debug, Default)]
pub(crate) struct FolderMemory {
    pub(crate) memory: Option<SharedMemory>,
    pub(crate) links: Vec<SharedLink>,
    pub(crate) is_forgotten: bool,
    /// The files that hold words of it.
    files: Vec<(String, String)>,
}

impl FolderMemory {
    /// Whether the folder holds that it says so, of whatever time.
    pub(crate) fn says(&self, state: Digest) -> bool {
        self.memory
            .iter()
            .flat_map(|memory| &memory.revisions)
            .any(|revision| revision.content_digest() == state)
    }

    /// Whether the folder holds that it says so from that moment on.
    pub(crate) fn says_at(&self, order: (Timestamp, Digest)) -> bool {
        self.memory.iter().flat_map(|memory| &memory.revisions).any(|revision| revision.order() == order)
    }

    fn add(&mut self, entry: GitEntry, place: &str, name: &str) {
        match entry {
            GitEntry::Forgotten(_) => {
                self.is_forgotten = true;
                return;
            }
            GitEntry::Linked(link) => self.links.push(link),
            GitEntry::GitRevision(said) => {
                let memory = self.memory.get_or_insert_with(|| SharedMemory {
                    uid: said.uid.clone(),
                    created_at: said.created_at,
                    revisions: Vec::new(),
                });
                memory.created_at = memory.created_at.min(said.created_at);
                // GitRevision twice at one moment, in the same words, by another or more surely: the file's name decides, here as everywhere.
                if memory.revisions.iter().all(|revision| revision.order() != said.revision.order()) {
                    memory.revisions.push(said.revision);
                }
            }
        }
        self.files.push((place.to_owned(), name.to_owned()));
    }
}

impl GitFolder {
    /// Looks what is there. A folder that is not there is an empty one.
    pub(crate) fn look(dir: &str) -> Result<GitFolder, Failure> {
        let root = PathBuf::from(dir);
        let mut folder = GitFolder { root, places: BTreeMap::new(), refused: RefusedFiles::default() };
        if folder.root.symlink_metadata().is_err() {
            return Ok(folder);
        }
        let failed = |error: io::Error| {
            Failure::user(format!("cannot look into `{dir}`")).because(&error).hint("name a folder")
        };
        for place in entries(&folder.root).map_err(failed)? {
            if !is_place(&place) {
                continue;
            }
            let path = folder.root.join(&place);
            if !path.symlink_metadata().is_ok_and(|there| there.is_dir()) {
                folder.refused.add(place, "it is not a folder, or leads elsewhere");
                continue;
            }
            let names = entries(&path).map_err(failed)?;
            let (ours, others): (Vec<String>, Vec<String>) =
                names.into_iter().partition(|name| is_name(name));
            for other in others.iter().filter(|name| !name.starts_with('.')) {
                folder.refused.add(format!("{place}/{other}"), "its name is not one of ours");
            }
            folder.places.insert(place, ours);
        }
        Ok(folder)
    }

    /// Lists the folders within, with a stamp each: the same stamp, the same files.
    pub(crate) fn places(&self) -> Vec<(String, String)> {
        let stamp = |names: &Vec<String>| digest(names.iter().map(String::as_bytes)).to_string();
        self.places.iter().map(|(place, names)| (place.clone(), stamp(names))).collect()
    }

    /// Reads everything.
    pub(crate) fn read_all(&mut self, now: Timestamp) -> BTreeMap<Uid, FolderMemory> {
        let places: Vec<String> = self.places.keys().cloned().collect();
        places.iter().flat_map(|place| self.read(place, now)).collect()
    }

    /// Reads what a folder within holds, memory by memory. What is not understood is refused, and the rest goes on.
    pub(crate) fn read(&mut self, place: &str, now: Timestamp) -> BTreeMap<Uid, FolderMemory> {
        let mut memories_found: BTreeMap<Uid, FolderMemory> = BTreeMap::new();
        for name in self.places.get(place).into_iter().flatten() {
            let read = bytes_of(&self.root.join(place).join(name))
                .and_then(|bytes| GitEntry::read(name, &bytes, now))
                .and_then(|entry| {
                    if name.starts_with(place) {
                        Ok(entry)
                    } else {
                        Err("it lies in the wrong folder".to_owned())
                    }
                });
            match read {
                Ok(entry) => memories_found.entry(entry.uid().clone()).or_default().add(entry, place, name),
                Err(error) => self.refused.add(format!("{place}/{name}"), &error),
            }
        }
        for memory in memories_found.values_mut().filter_map(|memories_found| memories_found.memory.as_mut())
        {
            memory.revisions.sort_by_key(backstory_memory::SharedRevision::order);
        }
        memories_found
    }

    /// Writes a file, whole or not at all, unless it is there. Returns whether it was not.
    pub(crate) fn put(&mut self, entry: &GitEntry, now: Timestamp) -> Result<bool, Failure> {
        let EntryFile { place, name, text } =
            entry.write().map_err(|error| Failure::internal("cannot write JSON").because(&error))?;
        let folder = self.root.join(&place);
        let path = folder.join(&name);
        // What bears its name and is not it was broken on the way.
        if bytes_of(&path).is_ok_and(|bytes| GitEntry::read(&name, &bytes, now).is_ok()) {
            return Ok(false);
        }
        let written = || -> io::Result<()> {
            fs::create_dir_all(&folder)?;
            if folder.symlink_metadata()?.is_symlink() {
                return Err(io::Error::other("its folder leads elsewhere"));
            }
            let mut draft = NamedTempFile::new_in(&folder)?;
            draft.write_all(text.as_bytes())?;
            draft.persist(&path).map_err(|error| error.error).map(drop)
        };
        written().map_err(|error| Failure::of_path("write", &path, &error))?;
        Ok(true)
    }

    /// Writes that a memory was forgotten, and removes its words. Returns how many files went.
    pub(crate) fn forget(
        &mut self,
        uid: &Uid,
        memories_found: Option<&FolderMemory>,
        now: Timestamp,
    ) -> Result<u64, Failure> {
        self.put(&GitEntry::Forgotten(uid.clone()), now)?;
        let mut removed = 0;
        for (place, name) in memories_found.into_iter().flat_map(|memories_found| &memories_found.files) {
            let path = self.root.join(place).join(name);
            fs::remove_file(&path).map_err(|error| Failure::of_path("remove", &path, &error))?;
            removed += 1;
        }
        Ok(removed)
    }
}

impl RefusedFiles {
    pub(crate) fn add(&mut self, file: String, error: &str) {
        self.count += 1;
        if self.files.len() < LISTED {
            self.files.push(RefusedFile { file, error: error.to_owned() });
        }
    }

    /// Says which files were refused, and why.
    pub(crate) fn say(&self, ui: &crate::ui::Ui) {
        for file in &self.files {
            ui.say(&format!(
                "refused `{}`: {}",
                crate::ui::one_line(&file.file),
                crate::ui::one_line(&file.error)
            ));
        }
        if self.count > self.files.len() as u64 {
            ui.say(&format!("… and {} more", self.count - self.files.len() as u64));
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

fn is_place(name: &str) -> bool {
    name.len() == 2 && name.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

/// Reads a file that is one, and no longer than one of ours can be.
fn bytes_of(path: &Path) -> Result<Vec<u8>, String> {
    let there = path.symlink_metadata().map_err(|error| error.to_string())?;
    if !there.is_file() {
        return Err("it is not a file, or leads elsewhere".to_owned());
    }
    if there.len() > MOST_BYTES {
        return Err(format!("it has {} bytes; {MOST_BYTES} are the most", there.len()));
    }
    fs::read(path).map_err(|error| error.to_string())
}
