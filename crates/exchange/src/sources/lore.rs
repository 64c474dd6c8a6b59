//! lore's data directory: JSON line by line for what happened, YAML for what was curated, one JSON file for each session.
//!
//! A record is written anew when it changes, and the latest version of a name counts. Its search database is made from these
//! files; only how often a record was looked up stands there alone. Not here: its registry, beyond the names of projects.

mod curated;
mod graph;
mod handoffs;
mod journal;
mod lore_files;

use crate::imported::{ImportItem, ImportedMemory, ImportedProject};
use crate::sources::rows::reason;
use crate::sources::{ImportSource, SearchPaths, SourceInstance, UnreadableSource};
use backstory_memory::foreign_time;
use backstory_memory::{Content, Provenance, Timestamp};
use handoffs::LoreProjects;
use serde_json::{Map, Value};
use std::path::Path;

/// Finds the data directory.
pub(crate) fn locate(search: &SearchPaths) -> Vec<SourceInstance> {
    let usual = search.places.data.join("lore");
    let folder = search.named("LORE_DATA_DIR").unwrap_or(&usual);
    at(folder).filter(|_| is_lore(folder)).into_iter().collect()
}

/// Returns the instance that a folder is. Its own time says nothing about the files in the folders below.
pub(crate) fn at(folder: &Path) -> Option<SourceInstance> {
    let instance = SourceInstance::at(ImportSource::Lore, folder)?;
    let (bytes, fingerprint) = lore_files::fingerprint(folder);
    Some(SourceInstance { bytes, fingerprint, ..instance })
}

/// Reads the directory. All of it is held until it is in order: it was written by hand, or nearly.
pub(crate) fn read(
    instance: &SourceInstance,
    emit: &mut dyn FnMut(ImportItem),
) -> Result<(), UnreadableSource> {
    let root = &instance.path;
    if !is_lore(root) {
        return Err(UnreadableSource("not a data directory of lore".to_owned()));
    }
    let mut taken = Vec::new();
    let mut take = |result: Result<ImportedMemory, &'static str>| match result {
        Ok(memory) => taken.push(memory),
        Err(why) => emit(ImportItem::Skipped(why)),
    };
    let sessions = lore_files::sessions(root);
    let projects = LoreProjects::read(root, &sessions);
    journal::decisions(root, &projects, &mut take);
    journal::failures(root, &mut take);
    journal::inbox(root, &mut take);
    journal::evidence(root, &mut take);
    curated::patterns(root, &mut take);
    curated::goals(root, &projects, &mut take);
    handoffs::handoffs(&sessions, &projects, &mut take);
    graph::link(root, instance.limits(), &mut taken);
    taken.sort_by(|one, other| (one.created_at, &one.name).cmp(&(other.created_at, &other.name)));
    taken.into_iter().for_each(|memory| emit(ImportItem::Memory(Box::new(memory))));
    Ok(())
}

/// Whether a folder has what only lore has.
fn is_lore(folder: &Path) -> bool {
    let parts =
        ["journal/data", "patterns/data", "failures/data", "transfer/data", "inbox/data", "intent/data"];
    parts.iter().any(|part| folder.join(part).is_dir())
}

/// Receives what a record became.
type LoreSink<'a> = dyn FnMut(Result<ImportedMemory, &'static str>) + 'a;

/// One record, by field.
type LoreRecord = Map<String, Value>;

fn text<'a>(record: &'a LoreRecord, field: &str) -> Option<&'a str> {
    record.get(field).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
}

fn texts(record: &LoreRecord, field: &str) -> Vec<String> {
    let items = record.get(field).and_then(Value::as_array).into_iter().flatten();
    items.filter_map(Value::as_str).filter(|text| !text.trim().is_empty()).map(str::to_owned).collect()
}

/// Joins a list for a line of a memory.
fn listed(items: &[String]) -> Option<String> {
    (!items.is_empty()).then(|| items.join("; "))
}

/// Names a record and dates it.
fn placed(
    record: &LoreRecord,
    fields: &[&str],
    project: ImportedProject,
    content: Content,
) -> Result<ImportedMemory, &'static str> {
    let id = text(record, "id").ok_or(reason::NO_NAME)?;
    Ok(ImportedMemory::new(id.to_owned(), project, dated(record, fields).ok_or(reason::NO_DATE)?, content))
}

fn dated(record: &LoreRecord, fields: &[&str]) -> Option<Timestamp> {
    fields.iter().find_map(|field| foreign_time(text(record, field)?))
}

/// Returns who is trusted for what was noted from somewhere: a page of the web is a stranger.
fn provenance_of(source: Option<&str>) -> Provenance {
    let is_outside =
        source.is_some_and(|source| source.starts_with("http://") || source.starts_with("https://"));
    if is_outside { Provenance::Web } else { Provenance::Import }
}

/// The project of what lore kept for all projects.
fn nameless() -> ImportedProject {
    ImportedProject::Named("lore".to_owned())
}

/// The mark of a record that was merged into another.
const PROMOTED: &str = "promoted";
