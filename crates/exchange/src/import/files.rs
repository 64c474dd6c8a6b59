//! Imports memories from a file, one JSON object a line, or from a folder that `export --format markdown` wrote.
//!
//! Importing the same again adds nothing, and a document that was edited revises its memory. A record that cannot be used is reported and
//! skipped; the rest goes on. Not here: how lines and documents read (`jsonl`, `markdown`), how a memory is written (`importer`).

use super::importer::{DuplicateRule, Importer, PreparedMemory};
use super::options::{FileImportOptions, FileTrust};
use super::project_resolver::ProjectResolver;
use crate::error::{ExchangeError, RecordError};
use crate::imported::{ImportedProject, ImportedSession};
use crate::jsonl::JsonlReader;
use crate::markdown::MarkdownDocument;
use crate::markdown::layout::{self, MarkdownProject};
use crate::record::MemoryRecord;
use backstory_capture::{Redactor, prepare};
use backstory_memory::{
    Checksum, Content, EvidenceKind, Memory, MemoryScope, ProjectKey, Provenance, Relation, Timestamp, Uid,
    digest,
};
use backstory_store::{Store, StoreError};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// How many bad entries are listed; the rest is only counted.
const LISTED: usize = 20;
/// Progress is reported once for so many lines.
const LINES_PER_REPORT: u64 = 100;
/// Says what can be imported, where something else was named.
const HINT: &str =
    "name a JSONL file, a folder that `backstory export --format markdown` wrote, or `-` for standard input";

/// A file or a folder of memories that is to be imported.
pub struct ImportFile {
    content: FileContent,
    total: u64,
}

enum FileContent {
    Jsonl(Box<dyn BufRead>),
    Documents { root: PathBuf, documents: Vec<(PathBuf, MarkdownProject)> },
}

impl std::fmt::Debug for ImportFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ImportFile").field("unit", &self.unit()).field("total", &self.total).finish()
    }
}

/// What became of the entries of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileImportReport {
    /// Memories that are new.
    pub imported: u64,
    /// Memories that were here already.
    pub known: u64,
    /// Memories whose document was edited.
    pub revised: u64,
    /// Memories that were forgotten on purpose and stay out.
    pub forgotten: u64,
    /// Entries that are no memory.
    pub bad: u64,
    /// The first of them.
    pub bad_entries: Vec<BadEntry>,
}

/// A line or a document that is no memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadEntry {
    /// The document, from the folder that was named.
    pub file: Option<PathBuf>,
    /// The line, from 1.
    pub line: u64,
    /// Why it cannot be used.
    pub error: String,
}

impl FileImportReport {
    fn bad(&mut self, file: Option<&Path>, line: u64, error: String) {
        self.bad += 1;
        if self.bad_entries.len() < LISTED {
            self.bad_entries.push(BadEntry { file: file.map(Path::to_owned), line, error });
        }
    }
}

impl ImportFile {
    /// Opens a file, or looks into a folder of documents.
    pub fn open(path: &Path) -> Result<ImportFile, ExchangeError> {
        let failed = |source| ExchangeError::Path { action: "read", path: path.to_owned(), source };
        let file = File::open(path).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        if metadata.is_dir() {
            return ImportFile::open_folder(path);
        }
        let reader = Box::new(BufReader::with_capacity(1 << 20, file));
        Ok(ImportFile { content: FileContent::Jsonl(reader), total: metadata.len() })
    }

    /// Reads JSON lines from anywhere; how many there are is not known.
    #[must_use]
    pub fn from_lines(lines: Box<dyn BufRead>) -> ImportFile {
        ImportFile { content: FileContent::Jsonl(lines), total: 0 }
    }

    fn open_folder(root: &Path) -> Result<ImportFile, ExchangeError> {
        let failed = |source| ExchangeError::Path { action: "look into", path: root.to_owned(), source };
        let projects = layout::projects(root).map_err(failed)?;
        if projects.is_empty() {
            return Err(ExchangeError::unusable(format!("`{}` is a folder", root.display()), HINT));
        }
        let mut documents = Vec::new();
        for project in projects {
            let paths = layout::documents(&project.path).map_err(failed)?;
            documents.extend(paths.into_iter().map(|path| (path, project.clone())));
        }
        // Names begin with the day a memory was written, so that the oldest is imported first.
        let name = |path: &Path| path.file_name().unwrap_or_default().to_owned();
        documents.sort_by_cached_key(|(path, _)| (name(path), path.clone()));
        let total = documents.len() as u64;
        Ok(ImportFile { content: FileContent::Documents { root: root.to_owned(), documents }, total })
    }

    /// Returns a hint for a path that cannot be imported.
    #[must_use]
    pub fn hint() -> &'static str {
        HINT
    }

    /// Returns what its entries are called.
    #[must_use]
    pub fn entries(&self) -> &'static str {
        match self.content {
            FileContent::Jsonl(_) => "lines",
            FileContent::Documents { .. } => "documents",
        }
    }

    /// Returns what progress is counted in.
    #[must_use]
    pub fn unit(&self) -> &'static str {
        match self.content {
            FileContent::Jsonl(_) if self.total > 0 => "bytes",
            _ => self.entries(),
        }
    }

    /// Returns how much there is to read; 0 where it is not known.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }
}

/// Imports a file or a folder of memories. `progress` gets how much has been read.
pub fn import_file(
    store: &mut Store,
    file: ImportFile,
    options: &FileImportOptions<'_>,
    progress: &mut dyn FnMut(u64),
) -> Result<FileImportReport, ExchangeError> {
    store.prepare_bulk_write()?;
    let mut import = FileImport::new(options);
    match file.content {
        FileContent::Jsonl(reader) => import.read_lines(store, reader, file.total, progress)?,
        FileContent::Documents { root, documents } => {
            import.read_documents(store, &root, &documents, progress)?;
        }
    }
    let FileImport { importer, report, .. } = import;
    let written = importer.finish(store, Vec::new())?;
    Ok(FileImportReport {
        imported: written.written.len() as u64,
        known: written.known.len() as u64,
        forgotten: report.forgotten + written.forgotten,
        ..report
    })
}

struct FileImport<'a> {
    options: &'a FileImportOptions<'a>,
    importer: Importer<'a>,
    report: FileImportReport,
}

impl<'a> FileImport<'a> {
    fn new(options: &'a FileImportOptions<'a>) -> FileImport<'a> {
        let resolver = ProjectResolver::all(options.redactor, options.now, &options.default_project);
        let importer = Importer::new(resolver, DuplicateRule::SameUid);
        FileImport { options, importer, report: FileImportReport::default() }
    }

    fn read_lines(
        &mut self,
        store: &mut Store,
        reader: Box<dyn BufRead>,
        bytes: u64,
        progress: &mut dyn FnMut(u64),
    ) -> Result<(), ExchangeError> {
        let mut lines = JsonlReader::new(reader);
        while let Some(record) = lines.next_record().map_err(ExchangeError::Input)? {
            match record.and_then(|record| self.prepare(record)) {
                Ok(memory) => self.add(store, memory)?,
                Err(error) => self.report.bad(None, lines.number(), error.line()),
            }
            if lines.number().is_multiple_of(LINES_PER_REPORT) {
                progress(if bytes == 0 { lines.number() } else { lines.bytes_read() });
            }
        }
        Ok(())
    }

    fn read_documents(
        &mut self,
        store: &mut Store,
        root: &Path,
        documents: &[(PathBuf, MarkdownProject)],
        progress: &mut dyn FnMut(u64),
    ) -> Result<(), ExchangeError> {
        for (number, (path, project)) in (1..).zip(documents) {
            let file = Some(path.strip_prefix(root).unwrap_or(path));
            match layout::document_at(path) {
                Err(bad) => self.report.bad(file, bad.line, bad.error),
                Ok(MarkdownDocument { record, is_edited }) => {
                    let may_revise = is_edited && record.uid.is_some();
                    match self.prepare(record.in_project(&project.project)) {
                        Err(error) => self.report.bad(file, 1, error.line()),
                        Ok(memory) if may_revise => self.revise(store, memory, file)?,
                        Ok(memory) => self.add(store, memory)?,
                    }
                }
            }
            progress(number);
        }
        Ok(())
    }

    fn prepare(&self, record: MemoryRecord) -> Result<PreparedMemory, RecordError> {
        prepare_record(record, self.options.redactor, self.options.trust, self.options.now)
    }

    /// Adds a memory. A file that is not the user's own puts nothing in place of the user's words.
    fn add(&mut self, store: &mut Store, mut memory: PreparedMemory) -> Result<(), StoreError> {
        if self.options.trust == FileTrust::Import {
            let is_users_own = |uid: &Uid| -> Result<bool, StoreError> {
                Ok(store.memories().by_uid(uid)?.is_some_and(|memory| memory.is_users_own()))
            };
            if memory.links.superseded_by.is_some() && is_users_own(&memory.uid)? {
                memory.links.superseded_by = None;
            }
            let mut links = Vec::new();
            for (relation, uid) in memory.links.links {
                if relation != Relation::Supersedes || !is_users_own(&uid)? {
                    links.push((relation, uid));
                }
            }
            memory.links.links = links;
        }
        self.importer.add(store, memory).map(drop)
    }

    /// Revises the memory of an edited document; where there is nothing to revise, adds it.
    fn revise(
        &mut self,
        store: &mut Store,
        edited: PreparedMemory,
        file: Option<&Path>,
    ) -> Result<(), StoreError> {
        let known = store.memories().by_uid(&edited.uid)?;
        let edit = known.and_then(|memory| edit_of(&edited, &memory).map(|content| (memory, content)));
        let Some((memory, content)) = edit else { return self.add(store, edited) };
        if self.options.trust == FileTrust::Import && memory.is_users_own() {
            let id = memory.id;
            let why = format!("memory #{id} is yours: `--trust user`, at a terminal, accepts the edit");
            self.report.bad(file, 1, why);
            return Ok(());
        }
        let content = prepare(content, self.options.redactor);
        match store.memories_mut().revise(memory.id, &content, self.options.now) {
            Ok(()) => self.report.revised += 1,
            Err(StoreError::Forgotten { .. }) => self.report.forgotten += 1,
            Err(error) => return Err(error),
        }
        Ok(())
    }
}

/// Makes a record fit to be stored: redacted, capped, and with no more provenance than its file is trusted with.
pub(crate) fn prepare_record(
    mut record: MemoryRecord,
    redactor: &Redactor,
    trust: FileTrust,
    now: Timestamp,
) -> Result<PreparedMemory, RecordError> {
    record.scrub_names(redactor)?;
    // The kind follows from who claims to have said it; how far that is believed comes after.
    let claimed = record.content.provenance()?.unwrap_or(Provenance::Import);
    let content = record.content.clone().into_content(claimed.clone(), now)?;
    let content = Content { provenance: claimed.min(trust.max_provenance()), ..content };
    let content = match trust {
        FileTrust::User => content,
        FileTrust::Import => Content { scope: MemoryScope::Project, pinned: false, ..content },
    };
    let content = prepare(content, redactor);
    let created_at = record.created_at(now)?;
    let history = Some(record.history(now)?);
    let standing = record.standing(trust)?;
    let uid = record.uid()?.unwrap_or_else(|| uid_from_content(&record, &content, created_at));
    let attachments = record.attachments(redactor, &trust.max_provenance(), now)?;
    let links = record.take_links(&uid);
    let session = record.session.take();
    let host = record.host.take().unwrap_or_else(|| "import".to_owned());
    let session = session.map(|name| ImportedSession { host, name });
    Ok(PreparedMemory {
        uid,
        project: project_of(record),
        session,
        created_at,
        content,
        history,
        evidence: EvidenceKind::Words,
        standing,
        attachments,
        links,
    })
}

/// Returns the project a record names: by folder, by keys, by name, else none.
fn project_of(record: MemoryRecord) -> ImportedProject {
    let mut keys: Vec<ProjectKey> = record.project_keys.iter().filter_map(|key| key.parse().ok()).collect();
    // A file must not move a folder of this machine to a project that is recognised by something else.
    let is_path = |key: &ProjectKey| matches!(key, ProjectKey::Path(_));
    if !keys.iter().all(is_path) {
        keys.retain(|key| !is_path(key));
    }
    match (record.project_path, record.project) {
        (Some(path), _) => ImportedProject::Folder(PathBuf::from(path)),
        (None, Some(name)) if !keys.is_empty() => ImportedProject::Keyed { name, keys },
        (None, Some(name)) => ImportedProject::Named(name),
        (None, None) => ImportedProject::Unnamed,
    }
}

/// Returns what a memory says after an edit of its document, unless it says so already.
///
/// An edit changes what people write in a document. It raises neither confidence nor provenance. It changes scope and pin only if the
/// document is trusted like the user's own words.
pub(crate) fn edit_of(edited: &PreparedMemory, memory: &Memory) -> Option<Content> {
    let (before, after) = (&memory.content, &edited.content);
    let is_own = after.provenance == Provenance::User;
    let (scope, pinned) = if is_own { (after.scope, after.pinned) } else { (before.scope, before.pinned) };
    let content = Content {
        confidence: before.confidence,
        provenance: before.provenance.clone(),
        valid_from: after.valid_from.or(before.valid_from),
        valid_to: after.valid_to.or(before.valid_to),
        scope,
        pinned,
        // A document does not carry them; they hold as long as nobody wrote other words.
        details: before.details.clone().filter(|_| says_the_same_words(before, after)),
        ..after.clone().into_inner()
    };
    let provenance = before.provenance.clone().min(after.provenance.clone());
    (content != *before).then_some(Content { provenance, ..content })
}

fn says_the_same_words(before: &Content, after: &Content) -> bool {
    before.body == after.body && before.facts == after.facts
}

/// Names a record that has no uid by what it says, so that importing it again adds nothing.
fn uid_from_content(record: &MemoryRecord, content: &Content, created_at: Timestamp) -> Uid {
    let place = format!(
        "{:?}",
        (&record.project_path, &record.project_keys, &record.project, &record.host, &record.session)
    );
    // A record without a time is given the current one, which must not make it another memory at each import.
    let time = if record.created_at.is_some() { created_at.0 } else { 0 };
    let name = digest([Checksum::of_content(content).0.0.as_slice(), place.as_bytes(), &time.to_le_bytes()]);
    // A uid has room for ten of the sixteen bytes.
    let [random @ .., _, _, _, _, _, _] = name.0;
    Uid::from_parts(time, random)
}
