//! What an import would bring: from when, and of which projects. Nothing is written.

use super::machine::{ImportRequest, known_folders};
use super::options::{ImportOptions, ProjectFilter, SkipCounts};
use crate::databases::ForeignDatabases;
use crate::imported::{ImportItem, ImportedProject};
use crate::sources::SourceInstance;
use backstory_capture::safe_project_ref;
use backstory_hosts::{Host, HostTranscript, TranscriptItem};
use backstory_memory::{ProjectKey, Timestamp};
use backstory_store::Store;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// How far a transcript is read to learn where it was made.
const FIRST_ENTRIES: usize = 50;

/// What one source would bring.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourcePreview {
    /// The host or the source.
    pub source: String,
    /// What is counted.
    pub unit: PreviewUnit,
    /// How many there are.
    pub count: u64,
    /// How long they are.
    pub bytes: u64,
    /// When the first and the last were written.
    pub span: Option<(Timestamp, Timestamp)>,
    /// The names of their projects.
    pub projects: BTreeSet<String>,
    /// What would be skipped, and why.
    pub skipped: SkipCounts,
}

/// What a source holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PreviewUnit {
    /// Sessions of a host.
    Sessions,
    /// Memories.
    Memories,
}

/// Returns what an import would bring; sources that would bring nothing are left out.
#[must_use]
pub fn preview_import(
    request: &ImportRequest,
    options: &ImportOptions<'_>,
    store: Option<&Store>,
) -> Vec<SourcePreview> {
    let mut folders: BTreeSet<PathBuf> = BTreeSet::new();
    let transcripts = request.selection.transcripts(&request.places).into_iter();
    let mut previews: Vec<SourcePreview> = transcripts
        .map(|(host, records)| preview_transcripts(host, &records, options, &mut folders))
        .collect();
    folders.extend(store.and_then(|store| known_folders(store).ok()).unwrap_or_default());
    let search = request.search_paths(folders.into_iter().collect());
    previews.extend(
        request.selection.instances(&search).iter().map(|instance| preview_instance(instance, options)),
    );
    previews.retain(|preview| preview.count > 0 || !preview.skipped.is_empty());
    previews
}

/// Previews a host's transcripts, and collects the folders they were made in.
fn preview_transcripts(
    host: Host,
    records: &[HostTranscript],
    options: &ImportOptions<'_>,
    folders: &mut BTreeSet<PathBuf>,
) -> SourcePreview {
    let mut preview = SourcePreview::new(host.as_str().to_owned(), PreviewUnit::Sessions);
    for record in records.iter().filter(|record| !options.is_too_old(record.modified)) {
        let Some(folder) = folder_of(record) else {
            preview.skip("of no folder");
            continue;
        };
        let project_ref = safe_project_ref(&folder, options.redactor).into_inner();
        if !is_wanted(options, &project_ref.name, &project_ref.keys) || (options.excludes_folder)(&folder) {
            continue;
        }
        preview.bytes += record.bytes;
        preview.add(record.began.unwrap_or(record.modified), record.modified, project_ref.name);
        folders.insert(PathBuf::from(project_ref.root));
    }
    preview
}

fn preview_instance(instance: &SourceInstance, options: &ImportOptions<'_>) -> SourcePreview {
    let mut preview = SourcePreview::new(instance.source.to_string(), PreviewUnit::Memories);
    preview.bytes = instance.bytes;
    let read = instance.read(&mut |item| match item {
        ImportItem::Skipped(why) => preview.skip(why),
        ImportItem::Memory(memory) => {
            let (name, keys) = match memory.project {
                ImportedProject::Folder(folder) if (options.excludes_folder)(&folder) => return,
                ImportedProject::Folder(folder) => {
                    let project_ref = safe_project_ref(&folder, options.redactor).into_inner();
                    (project_ref.name, project_ref.keys)
                }
                ImportedProject::Keyed { name, keys } => (name, keys),
                ImportedProject::Named(name) => (name.clone(), vec![ProjectKey::Named(name)]),
                ImportedProject::Unnamed => return,
            };
            if !options.is_too_old(memory.created_at) && is_wanted(options, &name, &keys) {
                preview.add(memory.created_at, memory.created_at, name);
            }
        }
    });
    if read.is_err() {
        preview.skip("cannot be read");
    }
    preview
}

fn is_wanted(options: &ImportOptions<'_>, name: &str, keys: &[ProjectKey]) -> bool {
    // A source that knows a project by its name alone matches a filter by that name.
    let is_name = |filter: &ProjectFilter| filter.name == name && matches!(keys, [ProjectKey::Named(_)]);
    options.project_filter.as_ref().is_some_and(is_name) || options.wants_keys(keys)
}

/// Returns the folder a transcript was made in, from its beginning.
fn folder_of(record: &HostTranscript) -> Option<PathBuf> {
    let entries = record.read(&ForeignDatabases).ok()?;
    entries.take(FIRST_ENTRIES).find_map(|reading| match reading {
        TranscriptItem::Entry(entry) => entry.cwd.map(PathBuf::from),
        TranscriptItem::Unreadable(_) => None,
    })
}

impl SourcePreview {
    fn new(source: String, unit: PreviewUnit) -> SourcePreview {
        let (projects, skipped) = (BTreeSet::new(), SkipCounts::new());
        SourcePreview { source, unit, count: 0, bytes: 0, span: None, projects, skipped }
    }

    fn add(&mut self, from: Timestamp, to: Timestamp, project: String) {
        self.count += 1;
        let (first, last) = self.span.unwrap_or((from, to));
        self.span = Some((first.min(from), last.max(to)));
        self.projects.insert(project);
    }

    fn skip(&mut self, why: &'static str) {
        *self.skipped.entry(why).or_default() += 1;
    }
}
