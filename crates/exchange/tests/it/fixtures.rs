//! How the tests of other programs' memories look at a machine: databases made here, and all that is found in them.

use backstory_exchange::{ImportItem, ImportSource, ImportedMemory, SearchPaths};
use rusqlite::Connection;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// All that was read.
#[derive(Debug)]
pub(crate) struct CollectedItems {
    pub(crate) memories: Vec<ImportedMemory>,
    /// What was skipped, and how often.
    pub(crate) skipped: BTreeMap<&'static str, usize>,
}

impl CollectedItems {
    /// Returns a memory by its name.
    pub(crate) fn named(&self, name: &str) -> &ImportedMemory {
        let found = self.memories.iter().find(|memory| memory.name == name);
        found.unwrap_or_else(|| panic!("no {name} in {:#?}", self.names()))
    }

    pub(crate) fn names(&self) -> Vec<&str> {
        self.memories.iter().map(|memory| memory.name.as_str()).collect()
    }
}

/// Makes a database, as a program leaves it that has ended.
pub(crate) fn database(path: &Path, sql: &[&str]) -> PathBuf {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let db = Connection::open(path).unwrap();
    for batch in sql {
        db.execute_batch(batch).unwrap();
    }
    db.close().unwrap();
    path.to_owned()
}

/// Reads a place twice: it must say the same, and nothing may change where it lies.
pub(crate) fn read(source: ImportSource, path: &Path) -> CollectedItems {
    let search = if path.is_dir() { path } else { path.parent().unwrap() };
    let before = listing(search);
    let reading = read_once(source, path);
    assert_eq!(reading.names(), read_once(source, path).names());
    assert_eq!(before, listing(search));
    reading
}

fn read_once(source: ImportSource, path: &Path) -> CollectedItems {
    let mut reading = CollectedItems { memories: Vec::new(), skipped: BTreeMap::new() };
    let found = source.at(path).unwrap().read(&mut |found| match found {
        ImportItem::Memory(memory) => reading.memories.push(*memory),
        ImportItem::Skipped(why) => *reading.skipped.entry(why).or_default() += 1,
    });
    found.unwrap();
    reading
}

/// Returns why a place is refused.
pub(crate) fn refused(source: ImportSource, path: &Path) -> String {
    let instance = source.at(path).unwrap();
    instance.read(&mut |found| panic!("{found:?}")).unwrap_err().to_string()
}

/// Returns a machine whose home is this folder.
pub(crate) fn machine(home: &Path) -> SearchPaths {
    let mut search = SearchPaths::default();
    search.places.home = home.to_owned();
    search.places.config = home.join(".config");
    search.places.data = home.join(".local/share");
    search
}

/// Returns every file below a folder, with its length.
pub(crate) fn listing(folder: &Path) -> Vec<(PathBuf, u64)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(listing(&path));
        } else {
            files.push((path.clone(), path.metadata().unwrap().len()));
        }
    }
    files.sort();
    files
}

/// Leaves half of a file.
pub(crate) fn cut_in_half(path: &Path) {
    let bytes = path.metadata().unwrap().len();
    fs::OpenOptions::new().write(true).open(path).unwrap().set_len(bytes / 2).unwrap();
}

/// Spoils a page in the middle of a database.
pub(crate) fn scratch(path: &Path) {
    let mut bytes = fs::read(path).unwrap();
    let middle = bytes.len() / 2 / PAGE * PAGE;
    bytes[middle..middle + PAGE].fill(0x5a);
    fs::write(path, bytes).unwrap();
}

const PAGE: usize = 4096;
