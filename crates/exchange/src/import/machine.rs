//! Imports what is found on this machine: hosts' transcripts first, because they show which folders are projects, then everything else.

use super::memories::{MemoryImportReport, import_memories};
use super::options::{ImportOptions, SkipCounts, add_counts};
use super::transcripts::{CarriedTranscript, TranscriptImportReport, import_transcripts};
use crate::databases::ForeignDatabases;
use crate::sources::{Carriers, ImportSource, SearchPaths, SourceInstance};
use backstory_hosts::{Host, HostPaths, HostTranscript};
use backstory_memory::{Kind, MemoryId, ProjectId};
use backstory_store::{Store, StoreError};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

/// How many memories are read at once.
const BATCH: usize = 500;

/// What is to be imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportSelection {
    /// Whatever is found.
    Everything,
    /// The transcripts of one host: where it keeps them, or in this file or folder.
    Transcripts(Host, Option<PathBuf>),
    /// What one source holds: where it is found, or in this file or folder.
    Source(ImportSource, Option<PathBuf>),
}

impl ImportSelection {
    /// Returns what a name stands for, which is a source's or a host's.
    #[must_use]
    pub fn named(name: &str, path: Option<PathBuf>) -> Option<ImportSelection> {
        match (name.parse::<ImportSource>(), name.parse::<Host>()) {
            (Ok(source), _) => Some(ImportSelection::Source(source, path)),
            (_, Ok(host)) => Some(ImportSelection::Transcripts(host, path)),
            _ => None,
        }
    }

    /// Returns the wanted transcripts, grouped by host.
    pub(crate) fn transcripts(&self, places: &HostPaths) -> Vec<(Host, Vec<HostTranscript>)> {
        let of_host = |host: Host, places: &HostPaths| (host, host.transcripts(places, &ForeignDatabases));
        match self {
            ImportSelection::Everything => Host::ALL.into_iter().map(|host| of_host(host, places)).collect(),
            ImportSelection::Transcripts(host, None) => vec![of_host(*host, places)],
            ImportSelection::Transcripts(host, Some(path)) if path.is_dir() => {
                vec![of_host(*host, &places.with_directory(*host, path))]
            }
            ImportSelection::Transcripts(host, Some(path)) => {
                vec![(*host, HostTranscript::from_file(*host, path).into_iter().collect())]
            }
            ImportSelection::Source(..) => Vec::new(),
        }
    }

    /// Returns the wanted source instances, each with the repository that carries it.
    pub(crate) fn instances(&self, search: &SearchPaths) -> Vec<SourceInstance> {
        let carriers = Carriers::new(&search.places, &search.projects);
        // These sources lie inside a project: a folder that the user names is one, whether it is known or not.
        let named = match self {
            ImportSelection::Source(ImportSource::Markdown | ImportSource::OpenMem, path) => {
                path.clone().filter(|path| path.is_dir())
            }
            _ => None,
        };
        let is_handed_over = matches!(self, ImportSelection::Source(_, Some(_)));
        let carried = |instance: SourceInstance| {
            let carrier = match instance.source {
                // A commit names its author, and git says where it belongs.
                ImportSource::Git => None,
                _ => carriers.carrier_of(&instance.path).or_else(|| named.clone()),
            };
            SourceInstance { carrier, is_handed_over, ..instance }
        };
        self.located(search).into_iter().map(carried).collect()
    }

    fn located(&self, search: &SearchPaths) -> Vec<SourceInstance> {
        match self {
            ImportSelection::Everything => {
                ImportSource::ALL.into_iter().flat_map(|source| source.locate(search)).collect()
            }
            ImportSelection::Source(source, None) => source.locate(search),
            // These are looked for inside of a project's folder.
            ImportSelection::Source(
                source @ (ImportSource::Git | ImportSource::Markdown | ImportSource::OpenMem),
                Some(path),
            ) if path.is_dir() => {
                source.locate(&SearchPaths { projects: vec![path.clone()], ..SearchPaths::default() })
            }
            ImportSelection::Source(source, Some(path)) => source.at(path).into_iter().collect(),
            ImportSelection::Transcripts(..) => Vec::new(),
        }
    }
}

/// What is to be imported, and where this machine keeps things.
#[derive(Clone, Debug)]
pub struct ImportRequest {
    /// What is wanted.
    pub selection: ImportSelection,
    /// Where hosts and other programs keep their files.
    pub places: HostPaths,
    /// Environment variables that other programs may name their folders by.
    pub variables: Vec<(String, PathBuf)>,
    /// The folder of the project the user is in.
    pub folder: PathBuf,
}

impl ImportRequest {
    /// Returns where to look: in these folders of projects among others. The user's home is no project.
    pub(crate) fn search_paths(&self, mut projects: Vec<PathBuf>) -> SearchPaths {
        projects.push(self.folder.clone());
        projects.retain(|folder| *folder != self.places.home && folder.is_dir());
        projects.sort();
        projects.dedup();
        let named = self.variables.iter().filter(|(_, path)| path.is_absolute()).cloned().collect();
        SearchPaths { places: self.places.clone(), named, projects }
    }
}

/// An import of what is on this machine, with its transcripts listed.
#[derive(Debug)]
pub struct MachineImport {
    request: ImportRequest,
    transcripts: Vec<HostTranscript>,
}

impl MachineImport {
    /// Lists the transcripts that are wanted.
    #[must_use]
    pub fn new(request: ImportRequest) -> MachineImport {
        let transcripts = request.selection.transcripts(&request.places);
        // All hosts in one list: a later session corrects an earlier one, whichever host it ran in.
        let transcripts = transcripts.into_iter().flat_map(|(_, records)| records).collect();
        MachineImport { request, transcripts }
    }

    /// Returns how many transcripts there are.
    #[must_use]
    pub fn transcripts(&self) -> u64 {
        self.transcripts.len() as u64
    }

    /// Returns how long they are together.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.transcripts.iter().map(|record| record.bytes).sum()
    }

    /// Imports. `progress` gets how many bytes of transcripts have been read.
    pub fn run(
        self,
        store: &mut Store,
        options: &ImportOptions<'_>,
        progress: &mut dyn FnMut(u64),
    ) -> Result<MachineImportReport, StoreError> {
        let bytes = self.bytes();
        let known = self.request.search_paths(known_folders(store)?);
        let carriers = Carriers::new(&known.places, &known.projects);
        let carried = |transcript: HostTranscript| CarriedTranscript {
            carrier: carriers.carrier_of(&transcript.path),
            transcript,
        };
        let transcripts = self.transcripts.into_iter().map(carried).collect();
        let transcripts = import_transcripts(store, transcripts, options, progress)?;
        let mut report = MachineImportReport { bytes, transcripts, ..MachineImportReport::default() };
        // Asked again: the transcripts have shown which folders are projects.
        let search = self.request.search_paths(known_folders(store)?);
        for instance in self.request.selection.instances(&search) {
            let imported = import_memories(store, &instance, options)?;
            report.add(instance.source, imported, &instance.path);
        }
        Ok(report)
    }
}

/// Returns the folders of all known projects.
pub(crate) fn known_folders(store: &Store) -> Result<Vec<PathBuf>, StoreError> {
    let projects = store.projects().list()?.into_iter();
    Ok(projects.flat_map(|summary| summary.project.roots).map(PathBuf::from).collect())
}

/// What an import of what is on this machine brought.
#[derive(Clone, Debug, Default)]
pub struct MachineImportReport {
    /// How long the transcripts were.
    pub bytes: u64,
    /// What came of them.
    pub transcripts: TranscriptImportReport,
    /// What came of each source.
    pub sources: BTreeMap<ImportSource, SourceReport>,
    /// What could not be read at all, and why.
    pub unreadable: Vec<String>,
}

/// What came of all instances of one source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceReport {
    /// How many instances there are.
    pub instances: u64,
    /// How many of them have not changed since they were last read.
    pub unchanged: u64,
    /// Memories that were here already.
    pub known: u64,
    /// Memories that were forgotten on purpose and stay out.
    pub forgotten: u64,
    /// The memories that are new.
    pub memories: Vec<MemoryId>,
    /// What was skipped, and why.
    pub skipped: SkipCounts,
}

/// How many memories there are of each kind.
pub type KindCounts = BTreeMap<Kind, u64>;
/// How many memories are about each file.
type FileCounts = HashMap<String, u64>;

/// What is new in one project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedIntoProject {
    /// The project.
    pub id: ProjectId,
    /// Its name.
    pub name: String,
    /// How many memories are new, by kind.
    pub kinds: KindCounts,
    /// The files they are about, those of most memories first.
    pub files: Vec<String>,
}

impl MachineImportReport {
    fn add(&mut self, source: ImportSource, report: MemoryImportReport, path: &Path) {
        let total = self.sources.entry(source).or_default();
        total.instances += 1;
        total.unchanged += u64::from(report.is_unchanged);
        total.known += report.known;
        total.forgotten += report.forgotten;
        total.memories.extend(report.memories);
        add_counts(&mut total.skipped, &report.skipped);
        if let Some(why) = report.unreadable {
            self.unreadable.push(format!("{source} at `{}`: {why}", path.display()));
        }
    }

    /// Whether there was nothing to read.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.transcripts.read + self.transcripts.unchanged == 0 && self.sources.is_empty()
    }

    /// Returns the memories that are new.
    #[must_use]
    pub fn memories(&self) -> Vec<MemoryId> {
        let sources = self.sources.values().flat_map(|source| &source.memories);
        self.transcripts.memories.iter().chain(sources).copied().collect()
    }

    /// Returns what was skipped, and why.
    #[must_use]
    pub fn skipped(&self) -> SkipCounts {
        let mut all = self.transcripts.skipped.clone();
        self.sources.values().for_each(|source| add_counts(&mut all, &source.skipped));
        all
    }

    /// Returns what is new in each project, the one with most memories first.
    pub fn by_project(&self, store: &Store) -> Result<Vec<ImportedIntoProject>, StoreError> {
        let mut projects: HashMap<ProjectId, (KindCounts, FileCounts)> = HashMap::new();
        for ids in self.memories().chunks(BATCH) {
            for memory in store.memories().get_many(ids)? {
                let (kinds, files) = projects.entry(memory.project).or_default();
                *kinds.entry(memory.content.kind).or_default() += 1;
                memory.content.files.into_iter().for_each(|file| *files.entry(file).or_default() += 1);
            }
        }
        let mut sorted = Vec::new();
        for (id, (kinds, files)) in projects {
            let mut files: Vec<(String, u64)> = files.into_iter().collect();
            // Most memories first, equal ones by name.
            files.sort_by(|one, other| (other.1, &one.0).cmp(&(one.1, &other.0)));
            let files = files.into_iter().map(|(file, _)| file).collect();
            let name = store.projects().get(id)?.map(|project| project.name).unwrap_or_default();
            sorted.push(ImportedIntoProject { id, name, kinds, files });
        }
        sorted.sort_by(|one, other| (other.memories(), &one.name).cmp(&(one.memories(), &other.name)));
        Ok(sorted)
    }
}

impl ImportedIntoProject {
    /// Returns how many memories are new.
    #[must_use]
    pub fn memories(&self) -> u64 {
        self.kinds.values().sum()
    }
}
