//! Exports memories into a folder: one folder a project, one document a memory. Exporting again changes no byte of an unchanged memory.
//!
//! Only documents we wrote are replaced or removed, and not even those where a person's edit has not been imported. A document whose memory
//! is not known here stays too: it may be somebody else's, waiting to be imported; only what was forgotten here goes.

use super::ExportSelection;
use super::records::{RecordBuilder, project_record};
use crate::error::ExchangeError;
use crate::import::files::{edit_of, prepare_record};
use crate::import::importer::PreparedMemory;
use crate::import::options::FileTrust;
use crate::markdown::layout::{self, MarkdownProject};
use crate::markdown::{write_document, write_project_file};
use crate::record::MemoryRecord;
use backstory_capture::Redactor;
use backstory_memory::{Digest, Memory, Timestamp, Uid};
use backstory_store::Store;
use std::collections::HashMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// What to do where a folder cannot be written to.
const HINT: &str = "`backstory export --format markdown DIR` makes it where it is not there";

/// Where documents are written, and how documents that people wrote are read.
pub struct MarkdownExportOptions<'a> {
    /// The folder.
    pub root: &'a Path,
    /// Takes out secrets, as an import would.
    pub redactor: &'a Redactor,
    /// What time it is.
    pub now: Timestamp,
}

/// What became of the folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MarkdownExportReport {
    /// How many memories were selected.
    pub selected: u64,
    /// How many files were written.
    pub written: u64,
    /// How many were removed.
    pub removed: u64,
    /// How many documents are of memories not known here.
    pub unknown: u64,
    /// The files that were left as they are, and why.
    pub untouched: Vec<String>,
}

/// Writes the selected memories into a folder.
pub fn export_markdown(
    store: &Store,
    selection: &ExportSelection,
    options: &MarkdownExportOptions<'_>,
    progress: &mut dyn FnMut(u64),
) -> Result<MarkdownExportReport, ExchangeError> {
    let mut folder = MarkdownFolder::at(store, options)?;
    folder.list_documents()?;
    let mut records = RecordBuilder::new(store);
    folder.report.selected = selection.for_each(store, progress, |memory| {
        let record = records.record(memory)?;
        folder.put(memory, &record)
    })?;
    folder.remove_forgotten()?;
    Ok(folder.report)
}

/// A folder that is brought up to date.
struct MarkdownFolder<'a> {
    store: &'a Store,
    options: &'a MarkdownExportOptions<'a>,
    /// Every project of which something is remembered, because a folder's name depends on the others.
    projects: Vec<MemoryRecord>,
    /// The folders that are there and fit to be written in, by project.
    ready: HashMap<Digest, PathBuf>,
    /// The documents we wrote, by uid.
    written: HashMap<String, Vec<WrittenDocument>>,
    /// The documents people wrote, by the uid that `import` gives them.
    by_hand: HashMap<String, PathBuf>,
    report: MarkdownExportReport,
}

/// A document that an export wrote.
struct WrittenDocument {
    path: PathBuf,
    is_edited: bool,
}

impl<'a> MarkdownFolder<'a> {
    fn at(
        store: &'a Store,
        options: &'a MarkdownExportOptions<'a>,
    ) -> Result<MarkdownFolder<'a>, ExchangeError> {
        let root = options.root;
        if root.exists() && !root.is_dir() {
            return Err(ExchangeError::unusable(format!("`{}` is not a folder", root.display()), HINT));
        }
        if layout::project_at(root).is_some() {
            let reason = format!("`{}` is the folder of a single project", root.display());
            return Err(ExchangeError::unusable(reason, "name the folder it lies in"));
        }
        let known = store.projects().list()?;
        let remembered = known.iter().filter(|known| known.memories > 0);
        Ok(MarkdownFolder {
            store,
            options,
            projects: remembered.map(|known| project_record(&known.project)).collect(),
            ready: HashMap::new(),
            written: HashMap::new(),
            by_hand: HashMap::new(),
            report: MarkdownExportReport::default(),
        })
    }

    /// Lists the documents that are there.
    fn list_documents(&mut self) -> Result<(), ExchangeError> {
        let root = self.options.root;
        if !root.exists() {
            return Ok(());
        }
        for project in layout::projects(root).map_err(|error| of_path("look into", root, error))? {
            let documents = layout::documents(&project.path);
            for path in documents.map_err(|error| of_path("look into", &project.path, error))? {
                self.list_document(path, &project);
            }
        }
        Ok(())
    }

    fn list_document(&mut self, path: PathBuf, project: &MarkdownProject) {
        // What cannot be read is not ours to replace.
        let Ok(document) = layout::document_at(&path) else { return };
        if let Some(uid) = &document.record.uid {
            let written = WrittenDocument { path, is_edited: document.is_edited };
            self.written.entry(uid.clone()).or_default().push(written);
        } else if let Some(memory) = self.prepare(document.record.in_project(&project.project)) {
            self.by_hand.insert(memory.uid.to_string(), path);
        }
    }

    /// Returns what an import would make of a record; nothing where it would refuse it.
    fn prepare(&self, record: MemoryRecord) -> Option<PreparedMemory> {
        prepare_record(record, self.options.redactor, FileTrust::User, self.options.now).ok()
    }

    /// Writes the document of a memory, unless it is there already.
    fn put(&mut self, memory: &Memory, record: &MemoryRecord) -> Result<(), ExchangeError> {
        let written = self.written.remove(memory.uid.as_str()).unwrap_or_default();
        if let Some(edited) = written.iter().find(|written| self.holds_an_edit(written, memory)) {
            let path = edited.path.display();
            self.report
                .untouched
                .push(format!("`{path}` was edited; `backstory import --trust user` takes the edit in"));
            return Ok(());
        }
        let path = self.project_folder(record)?.join(layout::file_name(record));
        let is_ours = written.iter().any(|written| written.path == path);
        if !is_ours && path.symlink_metadata().is_ok() {
            self.report.untouched.push(format!("`{}` is not ours", path.display()));
            return Ok(());
        }
        self.write(&path, &write_document(record)?)?;
        let by_hand = self.by_hand.remove(memory.uid.as_str());
        let others = written.into_iter().map(|written| written.path).chain(by_hand);
        others.filter(|other| *other != path).try_for_each(|other| self.remove(&other))
    }

    /// Whether a document holds an edit that has not been imported yet.
    fn holds_an_edit(&self, written: &WrittenDocument, memory: &Memory) -> bool {
        written.is_edited
            && layout::document_at(&written.path)
                .ok()
                .and_then(|document| self.prepare(document.record))
                .is_some_and(|edited| edit_of(&edited, memory).is_some())
    }

    /// Returns the folder of a record's project, which is ours and names the project.
    fn project_folder(&mut self, record: &MemoryRecord) -> Result<PathBuf, ExchangeError> {
        let project = layout::identity(record);
        if let Some(ready) = self.ready.get(&project) {
            return Ok(ready.clone());
        }
        let path = self.options.root.join(layout::project_name(record, &self.projects));
        let known = layout::project_at(&path);
        let is_free = match fs::read_dir(&path) {
            Ok(mut inside) => inside.next().is_none() && layout::is_folder(&path),
            Err(_) => path.symlink_metadata().is_err(),
        };
        if !(is_free || known.is_some() && layout::is_folder(&path)) {
            let reason = format!("`{}` is there already and not ours", path.display());
            let hint = "name an empty folder, or one that `backstory export --format markdown` wrote";
            return Err(ExchangeError::unusable(reason, hint));
        }
        // Written only where it is missing or names another project: a person may have added to its text.
        if known.is_none_or(|known| layout::identity(&known.project) != project) {
            self.write(&path.join(layout::PROJECT_FILE), &write_project_file(record)?)?;
        }
        self.ready.insert(project, path.clone());
        Ok(path)
    }

    /// Writes a file, whole or not at all, unless it holds this text already.
    fn write(&mut self, path: &Path, text: &str) -> Result<(), ExchangeError> {
        if fs::read(path).is_ok_and(|before| before == text.as_bytes()) {
            return Ok(());
        }
        let folder = path.parent().unwrap_or(Path::new("."));
        let is_link = |part: &&Path| part.symlink_metadata().is_ok_and(|there| there.is_symlink());
        // Through a link, a document would land outside of the folder.
        if folder.ancestors().take_while(|part| *part != self.options.root).find(is_link).is_some() {
            let reason = format!("`{}` lies behind a link", path.display());
            return Err(ExchangeError::unusable(reason, "name a folder without links in it"));
        }
        let written = || -> io::Result<()> {
            fs::create_dir_all(folder)?;
            let mut draft = NamedTempFile::new_in(folder)?;
            draft.write_all(text.as_bytes())?;
            draft.persist(path).map_err(|error| error.error).map(drop)
        };
        let target = format!("`{}`", path.display());
        written().map_err(|source| ExchangeError::Output { target, source })?;
        self.report.written += 1;
        Ok(())
    }

    /// Removes the documents of what was forgotten here.
    fn remove_forgotten(&mut self) -> Result<(), ExchangeError> {
        let store = self.store;
        for (uid, written) in std::mem::take(&mut self.written) {
            let Ok(uid) = Uid::parse(&uid) else { continue };
            if store.memories().is_forgotten(&uid)? {
                written.iter().try_for_each(|written| self.remove(&written.path))?;
            } else if store.memories().by_uid(&uid)?.is_none() {
                self.report.unknown += 1;
            }
        }
        Ok(())
    }

    /// Removes a document, and the folders that held nothing else.
    fn remove(&mut self, path: &Path) -> Result<(), ExchangeError> {
        let failed = |error| of_path("remove", path, error);
        fs::remove_file(path).map_err(failed)?;
        self.report.removed += 1;
        let above = path.ancestors().skip(1).take_while(|folder| *folder != self.options.root);
        for folder in above {
            let mut inside = fs::read_dir(folder).into_iter().flatten().flatten();
            let holds_only_itself =
                inside.next().is_some_and(|entry| entry.file_name() == layout::PROJECT_FILE)
                    && inside.next().is_none();
            if holds_only_itself && layout::project_at(folder).is_some() {
                fs::remove_file(folder.join(layout::PROJECT_FILE)).map_err(failed)?;
            }
            // One that still holds something stays.
            if fs::remove_dir(folder).is_err() {
                break;
            }
        }
        Ok(())
    }
}

fn of_path(action: &'static str, path: &Path, source: io::Error) -> ExchangeError {
    ExchangeError::Path { action, path: path.to_owned(), source }
}
