//! Databases and folders of other programs, made for a test, and everything an import reads from them.

use backstory_capture::Redactor;
use backstory_exchange::{
    ImportItem, ImportOptions, ImportSource, ImportedMemory, SearchPaths, SourceInstance, UnreadableSource,
};
use backstory_memory::{Kind, Timestamp};
use rusqlite::Connection;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

pub(crate) const NOW: Timestamp = Timestamp(1_790_000_000_000);

/// Returns the options of an import without any filter.
pub(crate) fn import_everything(redactor: &Redactor) -> ImportOptions<'_> {
    ImportOptions {
        redactor,
        max_event_bytes: 16 << 10,
        now: NOW,
        since: None,
        project_filter: None,
        excludes_folder: &|_| false,
        excludes_name: &|_| false,
        is_own_prompt: |_| false,
    }
}

/// Everything an import read.
#[derive(Debug, Default)]
pub(crate) struct CollectedItems {
    pub(crate) memories: Vec<ImportedMemory>,
    /// Why items were skipped, in order.
    pub(crate) skipped: Vec<&'static str>,
}

impl CollectedItems {
    /// Reads everything at one place.
    pub(crate) fn read(instance: &SourceInstance) -> Result<CollectedItems, UnreadableSource> {
        let mut items = CollectedItems::default();
        instance.read(&mut |item| match item {
            ImportItem::Memory(memory) => items.memories.push(*memory),
            ImportItem::Skipped(why) => items.skipped.push(why),
        })?;
        Ok(items)
    }

    /// Returns a memory by its name.
    pub(crate) fn named(&self, name: &str) -> &ImportedMemory {
        let found = self.memories.iter().find(|memory| memory.name == name);
        found.unwrap_or_else(|| panic!("no {name} in {:#?}", self.names()))
    }

    /// Returns every name with its kind.
    pub(crate) fn kinds(&self) -> Vec<(&str, Kind)> {
        self.memories.iter().map(|memory| (memory.name.as_str(), memory.content.kind)).collect()
    }

    /// Returns why items were skipped, and how often.
    pub(crate) fn skipped(&self) -> Vec<(&'static str, usize)> {
        let mut counts = BTreeMap::new();
        self.skipped.iter().for_each(|why| *counts.entry(*why).or_default() += 1);
        counts.into_iter().collect()
    }

    pub(crate) fn titles(&self) -> Vec<&str> {
        self.memories.iter().map(|memory| memory.content.title.as_str()).collect()
    }

    pub(crate) fn names(&self) -> Vec<&str> {
        self.memories.iter().map(|memory| memory.name.as_str()).collect()
    }
}

/// Makes a database as a program leaves it when it ends.
pub(crate) fn database(path: &Path, sql: &[&str]) -> PathBuf {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let db = Connection::open(path).unwrap();
    for batch in sql {
        db.execute_batch(batch).unwrap();
    }
    db.close().unwrap();
    path.to_owned()
}

/// Reads a source twice. Both times it yields the same, and its folder stays as it was.
pub(crate) fn read(source: ImportSource, path: &Path) -> CollectedItems {
    let search = if path.is_dir() { path } else { path.parent().unwrap() };
    let before = listing(search);
    let read = || CollectedItems::read(&source.at(path).unwrap()).unwrap();
    let reading = read();
    assert_eq!(reading.names(), read().names());
    assert_eq!(before, listing(search));
    reading
}

/// Returns why a source is refused.
pub(crate) fn refused(source: ImportSource, path: &Path) -> String {
    let instance = source.at(path).unwrap();
    instance.read(&mut |item| panic!("{item:?}")).unwrap_err().to_string()
}

/// Returns a machine whose home is this folder.
pub(crate) fn machine(home: &Path) -> SearchPaths {
    let mut search = SearchPaths::default();
    search.places.home = home.to_owned();
    search.places.config = home.join(".config");
    search.places.data = home.join(".local/share");
    search.places.xdg_config = home.join(".config");
    search.places.xdg_data = home.join(".local/share");
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

/// Copies a folder with everything below it.
pub(crate) fn copy_folder(from: &Path, to: &Path) {
    for (path, _) in listing(from) {
        let copy = to.join(path.strip_prefix(from).unwrap());
        fs::create_dir_all(copy.parent().unwrap()).unwrap();
        fs::copy(path, copy).unwrap();
    }
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
