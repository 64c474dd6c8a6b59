//! Memory files: what people and agents wrote down for agents, section by section, each anchored to its file.
//!
//! The host gives most of these files to the agent by itself: what comes from such a file is of the category `rules-file`, so that
//! it can be found and need not be injected again. Imports like `@path` are not followed. Not here: Markdown that this program
//! exported itself.

mod generated;
mod locations;
mod sections;
mod titles;

use crate::imported::{ImportItem, ImportedMemory, ImportedProject};
use crate::sources::{ImportSource, SearchPaths, SourceInstance, UnreadableSource};
use backstory_capture::identify_project;
use backstory_memory::{
    Category, Confidence, Content, Kind, MemoryScope, Provenance, Timestamp, cap, digest, words,
};
use locations::{HostLoading, MemoryFilePlace};
use sections::{FileSection, sections};
use std::collections::HashMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// A longer file is no memory file.
const MOST_FILE_BYTES: u64 = 1 << 20;
const MOST_BODY_BYTES: usize = 4_000;
/// Somebody wrote it on purpose, but it may be out of date.
const CONFIDENCE: f64 = 0.7;
/// The host gives the file itself to the agent: a copy of it is not sure enough to be injected when a session starts.
const CONFIDENCE_IN_A_COPY: f64 = 0.45;

/// Finds the memory files of projects and of the user.
pub(crate) fn locate(search: &SearchPaths) -> Vec<SourceInstance> {
    let of_projects =
        locations::project_files(&search.projects).into_iter().map(|path| (path, MemoryScope::Project));
    let of_user = locations::user_files(&search.places).into_iter().map(|path| (path, MemoryScope::User));
    let of_agent =
        locations::claude_code_files(&search.places).into_iter().map(|path| (path, MemoryScope::Project));
    let mut instances: Vec<SourceInstance> = Vec::new();
    for (path, scope) in of_user.chain(of_projects).chain(of_agent) {
        let is_known = instances.iter().any(|known| known.path == path);
        let instance = SourceInstance::at(ImportSource::Markdown, &path)
            .filter(|instance| !is_known && instance.bytes > 0);
        // A clone or a checkout changes the time of a file without changing its text.
        let fingerprint =
            text_of(&path).map_or_else(|why| why.0, |text| digest([text.as_bytes()]).to_string());
        instances.extend(instance.map(|instance| SourceInstance { fingerprint, scope, ..instance }));
    }
    instances
}

/// Reads the sections of a memory file.
pub(crate) fn read(
    instance: &SourceInstance,
    emit: &mut dyn FnMut(ImportItem),
) -> Result<(), UnreadableSource> {
    let text = text_of(&instance.path)?;
    let place = MemoryFilePlace::for_path(&instance.path);
    let file = match instance.scope {
        MemoryScope::User => MemoryFile::of_user(&instance.path, place.loading),
        MemoryScope::Project => MemoryFile::of_project(&instance.path, place)?,
    };
    let mut names: HashMap<String, usize> = HashMap::new();
    for section in sections(generated::without(&text, emit).as_str()) {
        if let Some(why) = section.says_nothing() {
            emit(ImportItem::Skipped(why));
            continue;
        }
        let name = format!("{} > {}", file.name, section.headings(" > "));
        // Sections of one file may have the same headings.
        let count = names.entry(name.clone()).and_modify(|count| *count += 1).or_insert(1);
        let name = if *count > 1 { format!("{name} ({count})") } else { name };
        emit(ImportItem::Memory(Box::new(file.memory(name, &section))));
    }
    Ok(())
}

fn text_of(path: &Path) -> Result<String, UnreadableSource> {
    let unreadable = |error: std::io::Error| UnreadableSource(error.kind().to_string());
    let file = fs::File::open(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    file.take(MOST_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MOST_FILE_BYTES {
        return Err(UnreadableSource("too long for a memory file".to_owned()));
    }
    String::from_utf8(bytes).map_err(|_| UnreadableSource("not UTF-8".to_owned()))
}

/// A memory file, and where it belongs.
struct MemoryFile {
    /// Its path from the root of its project, or its whole path.
    name: String,
    project: ImportedProject,
    scope: MemoryScope,
    loading: HostLoading,
    written_at: Timestamp,
}

impl MemoryFile {
    fn of_user(path: &Path, loading: HostLoading) -> MemoryFile {
        MemoryFile {
            name: path.to_string_lossy().into_owned(),
            // A memory needs a project, also one that holds everywhere.
            project: ImportedProject::Named("everywhere".to_owned()),
            scope: MemoryScope::User,
            loading,
            written_at: written_at(path),
        }
    }

    fn of_project(path: &Path, place: MemoryFilePlace) -> Result<MemoryFile, UnreadableSource> {
        let folder = place.folder.ok_or_else(|| UnreadableSource("its project is not known".to_owned()))?;
        let root = PathBuf::from(identify_project(&folder).root);
        let name = path.strip_prefix(&root).unwrap_or(path);
        Ok(MemoryFile {
            name: name.to_string_lossy().into_owned(),
            project: ImportedProject::Folder(folder),
            scope: MemoryScope::Project,
            loading: place.loading,
            written_at: written_at(path),
        })
    }

    fn memory(&self, name: String, section: &FileSection) -> ImportedMemory {
        let file_name = self.name.rsplit('/').next().unwrap_or(&self.name);
        let body = cap(&section.text, MOST_BODY_BYTES).text;
        let mut content = Content::new(self.kind(section), &titles::title(section, file_name), &body);
        let is_copy = self.loading == HostLoading::ByHost;
        content.category = is_copy.then(|| Category(Category::RULES_FILE.to_owned()));
        content.files = vec![self.name.clone()];
        content.confidence = Confidence::new(if is_copy { CONFIDENCE_IN_A_COPY } else { CONFIDENCE });
        content.provenance = Provenance::Import;
        content.scope = self.scope;
        ImportedMemory::new(name, self.project.clone(), self.written_at, content)
    }

    /// What was chosen is a decision, where work stands is a note that grows old, all else is knowledge.
    fn kind(&self, section: &FileSection) -> Kind {
        let headings = section.headings(" ");
        let says = |wanted: &[&str]| words(&headings).any(|word| wanted.contains(&word.as_str()));
        let file = self.name.to_lowercase();
        let is_short_lived = ["activecontext.md", "progress.md"].iter().any(|name| file.ends_with(name));
        if says(&["decision", "decisions", "adr", "adrs"]) {
            Kind::Decision
        } else if is_short_lived || says(&["todo", "todos", "progress", "status"]) {
            Kind::Note
        } else {
            Kind::Fact
        }
    }
}

fn written_at(path: &Path) -> Timestamp {
    let modified = path.metadata().and_then(|metadata| metadata.modified()).ok();
    let since = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    Timestamp(since.map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX)))
}
