//! `export --format markdown DIR`: one folder a project, one document a memory. Doing it again changes no byte of what is still so.
//!
//! Only what we wrote is replaced or removed, and not even that where somebody has edited it and nobody has imported the edit. A document
//! whose memory is not known here stays too: it may be somebody else's, waiting to be imported; only what was forgotten here goes.

use super::Export;
use super::outgoing_lines::{OutgoingLines, project_line};
use crate::commands::import::arriving::{Understood, edit_of, understand};
use crate::documents::{self, folder};
use crate::failure::{Exit, Failure};
use crate::lines::MemoryRecord;
use crate::ui::memories;
use backstory_capture::Redactor;
use backstory_memory::{Digest, Memory, Provenance, Uid};
use std::collections::HashMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// How many files that were left alone are named; the rest is only counted.
const LISTED: usize = 20;

/// Exports memories into a folder.
pub(super) fn run(export: &Export<'_>, dir: &str) -> Result<Exit, Failure> {
    let mut folder = Folder::at(export, dir)?;
    folder.look()?;
    let mut lines = OutgoingLines::new(&export.store);
    let count = export.each(|memory| {
        let line = lines.line(memory)?;
        folder.put(memory, &line)
    })?;
    folder.clear()?;
    folder.say(count, dir);
    Ok(if count == 0 || !folder.left.is_empty() { Exit::No } else { Exit::Done })
}

/// A folder that is brought up to date.
struct Folder<'a> {
    export: &'a Export<'a>,
    redactor: Redactor,
    root: PathBuf,
    /// Every project of which something is remembered, so that the name of each folder can be told.
    projects: Vec<MemoryRecord>,
    /// The folders that are there and fit to be written in, by project.
    ready: HashMap<Digest, PathBuf>,
    /// The documents we wrote once, by uid.
    there: HashMap<String, Vec<There>>,
    /// The documents people wrote, by the uid that `import` gives them.
    by_hand: HashMap<String, PathBuf>,
    changed: u64,
    removed: u64,
    unknown: u64,
    left: Vec<String>,
}

/// A document that is there already.
struct There {
    path: PathBuf,
    is_edited: bool,
}

impl<'a> Folder<'a> {
    fn at(export: &'a Export<'a>, dir: &str) -> Result<Folder<'a>, Failure> {
        let hint = "`backstory export --format markdown DIR` makes it where it is not there";
        if dir == "-" {
            return Err(Failure::usage("Markdown is written into a folder").hint(hint));
        }
        let root = PathBuf::from(dir);
        if root.exists() && !root.is_dir() {
            return Err(Failure::user(format!("`{dir}` is not a folder")).hint(hint));
        }
        if folder::project_at(&root).is_some() {
            return Err(Failure::user(format!("`{dir}` is the folder of a single project"))
                .hint("name the folder it lies in"));
        }
        let known = export.store.projects()?;
        let remembered = known.iter().filter(|known| known.memories > 0);
        let projects = remembered.map(|known| project_line(&known.project)).collect();
        Ok(Folder {
            export,
            redactor: export.app.redactor(),
            root,
            projects,
            ready: HashMap::new(),
            there: HashMap::new(),
            by_hand: HashMap::new(),
            changed: 0,
            removed: 0,
            unknown: 0,
            left: Vec::new(),
        })
    }

    /// Finds the documents that are there.
    fn look(&mut self) -> Result<(), Failure> {
        if !self.root.exists() {
            return Ok(());
        }
        let failed = |path: &Path, error: &io::Error| Failure::of_path("look into", path, error);
        let projects = folder::projects(&self.root).map_err(|error| failed(&self.root, &error))?;
        for project in projects {
            let documents =
                folder::documents(&project.path).map_err(|error| failed(&project.path, &error))?;
            for path in documents {
                // What cannot be read is not ours to replace.
                let Ok(document) = folder::document_at(&path) else { continue };
                if let Some(uid) = &document.line.uid {
                    let there = There { path, is_edited: document.is_edited };
                    self.there.entry(uid.clone()).or_default().push(there);
                } else if let Ok(understood) = self.understand(document.line.of_project(&project.project)) {
                    self.by_hand.insert(understood.uid.to_string(), path);
                }
            }
        }
        Ok(())
    }

    fn understand(&self, line: MemoryRecord) -> Result<Understood, Failure> {
        understand(line, &self.redactor, &Provenance::User, self.export.app.now)
    }

    /// Writes the document of a memory, where it is not there just so.
    fn put(&mut self, memory: &Memory, line: &MemoryRecord) -> Result<(), Failure> {
        let there = self.there.remove(memory.uid.as_str()).unwrap_or_default();
        if let Some(edited) = there.iter().find(|there| self.holds_an_edit(there, memory)) {
            let path = edited.path.display();
            self.left.push(format!("`{path}` was edited; `backstory import` takes the edit in"));
            return Ok(());
        }
        let path = self.project_folder(line)?.join(folder::file_name(line));
        let is_ours = there.iter().any(|there| there.path == path);
        if !is_ours && path.symlink_metadata().is_ok() {
            self.left.push(format!("`{}` is not ours", path.display()));
            return Ok(());
        }
        self.write(&path, &documents::write(line)?)?;
        let by_hand = self.by_hand.remove(memory.uid.as_str());
        let others = there.into_iter().map(|there| there.path).chain(by_hand);
        others.filter(|other| *other != path).try_for_each(|other| self.remove(&other))
    }

    /// Whether somebody has edited a document, and the memory does not say so yet.
    fn holds_an_edit(&self, there: &There, memory: &Memory) -> bool {
        there.is_edited
            && folder::document_at(&there.path)
                .ok()
                .and_then(|document| self.understand(document.line).ok())
                .is_some_and(|understood| edit_of(&understood, memory).is_some())
    }

    /// Returns the folder of a line's project, which is ours and tells which project it is.
    fn project_folder(&mut self, line: &MemoryRecord) -> Result<PathBuf, Failure> {
        let project = folder::identity(line);
        if let Some(ready) = self.ready.get(&project) {
            return Ok(ready.clone());
        }
        let path = self.root.join(folder::project_name(line, &self.projects));
        let known = folder::project_at(&path);
        let is_free = match fs::read_dir(&path) {
            Ok(mut inside) => inside.next().is_none() && folder::is_folder(&path),
            Err(_) => path.symlink_metadata().is_err(),
        };
        if !(is_free || known.is_some() && folder::is_folder(&path)) {
            return Err(Failure::user(format!("`{}` is there already and not ours", path.display()))
                .hint("name an empty folder, or one that `backstory export --format markdown` wrote"));
        }
        // A person may have added to its text.
        if known.is_none_or(|known| folder::identity(&known.project) != project) {
            self.write(&path.join(folder::PROJECT_FILE), &documents::write_project(line)?)?;
        }
        self.ready.insert(project, path.clone());
        Ok(path)
    }

    /// Writes a file, whole or not at all, unless it says that already.
    fn write(&mut self, path: &Path, text: &str) -> Result<(), Failure> {
        if fs::read(path).is_ok_and(|before| before == text.as_bytes()) {
            return Ok(());
        }
        let folder = path.parent().unwrap_or(Path::new("."));
        let is_link = |part: &&Path| part.symlink_metadata().is_ok_and(|there| there.is_symlink());
        if folder.ancestors().take_while(|part| *part != self.root).find(is_link).is_some() {
            return Err(Failure::user(format!("`{}` lies behind a link", path.display()))
                .hint("name a folder without links in it"));
        }
        let written = || -> io::Result<()> {
            fs::create_dir_all(folder)?;
            let mut draft = NamedTempFile::new_in(folder)?;
            draft.write_all(text.as_bytes())?;
            draft.persist(path).map_err(|error| error.error).map(drop)
        };
        written()
            .map_err(|error| self.export.app.ui.cannot_write(&format!("`{}`", path.display()), &error))?;
        self.changed += 1;
        Ok(())
    }

    /// Removes the documents of what was forgotten here.
    fn clear(&mut self) -> Result<(), Failure> {
        let store = &self.export.store;
        for (uid, there) in std::mem::take(&mut self.there) {
            let Ok(uid) = Uid::parse(&uid) else { continue };
            if store.is_forgotten(&uid)? {
                there.iter().try_for_each(|there| self.remove(&there.path))?;
            } else if store.memory_by_uid(&uid)?.is_none() {
                self.unknown += 1;
            }
        }
        Ok(())
    }

    /// Removes a document, and the folders that held nothing else.
    fn remove(&mut self, path: &Path) -> Result<(), Failure> {
        let failed = |error| Failure::of_path("remove", path, &error);
        fs::remove_file(path).map_err(failed)?;
        self.removed += 1;
        let above = path.ancestors().skip(1).take_while(|folder| *folder != self.root);
        for folder in above {
            let mut inside = fs::read_dir(folder).into_iter().flatten().flatten();
            let holds_only_itself =
                inside.next().is_some_and(|entry| entry.file_name() == folder::PROJECT_FILE)
                    && inside.next().is_none();
            if holds_only_itself && folder::project_at(folder).is_some() {
                fs::remove_file(folder.join(folder::PROJECT_FILE)).map_err(failed)?;
            }
            // One that still holds something stays.
            if fs::remove_dir(folder).is_err() {
                break;
            }
        }
        Ok(())
    }

    fn say(&self, count: u64, dir: &str) {
        let ui = &self.export.app.ui;
        self.left.iter().take(LISTED).for_each(|left| ui.say(&format!("left as it is: {left}")));
        if self.left.len() > LISTED {
            ui.say(&format!("… and {} more", self.left.len() - LISTED));
        }
        if self.unknown > 0 {
            let those =
                if self.unknown == 1 { "1 document is" } else { &format!("{} documents are", self.unknown) };
            ui.say(&format!("{those} of memories not known here; `backstory import {dir}` takes them in"));
        }
        if count == 0 {
            return ui.say("there is nothing to export");
        }
        let exported = memories(count - self.left.len() as u64);
        ui.say(&format!("exported {exported}: {} written, {} removed", files(self.changed), self.removed));
    }
}

/// Tells how many files.
pub(super) fn files(count: u64) -> String {
    if count == 1 { "1 file".to_owned() } else { format!("{count} files") }
}
