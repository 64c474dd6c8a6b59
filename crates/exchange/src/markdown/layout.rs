//! A folder of documents: one folder a project, in it `project.md`, which names the project, and one folder a kind.
//!
//! Links are not followed, so that neither a loop nor a way out of the folder exists. Not here: what becomes of the documents.

use super::{DocumentError, MarkdownDocument, read_document};
use crate::record::MemoryRecord;
use backstory_memory::{Digest, Kind, digest};
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The file that names a folder's project.
pub(crate) const PROJECT_FILE: &str = "project.md";
/// A longer file is not a document.
const LONGEST: u64 = 16 << 20;
/// How deep folders are searched.
const DEEPEST: usize = 8;
/// The longest part of a file's name that is taken from a title, and of a folder's from a project's name.
const LONGEST_NAME: usize = 60;
/// Names that mean a device to Windows, whatever extension follows.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];

/// A project's folder.
#[derive(Clone, Debug)]
pub(crate) struct MarkdownProject {
    /// Where it is.
    pub(crate) path: PathBuf,
    /// The project, as its file names it: a record of which only that counts.
    pub(crate) project: MemoryRecord,
}

/// Finds the folders of projects in a folder, in the order of their names; it may be one itself.
pub(crate) fn projects(root: &Path) -> io::Result<Vec<MarkdownProject>> {
    if let Some(itself) = project_at(root) {
        return Ok(vec![itself]);
    }
    let folders = entries(root)?.into_iter().filter(|path| is_folder(path));
    Ok(folders.filter_map(|path| project_at(&path)).collect())
}

/// Returns the project of a folder, if it is one of ours.
pub(crate) fn project_at(folder: &Path) -> Option<MarkdownProject> {
    let project = document_at(&folder.join(PROJECT_FILE)).ok()?.record;
    let is_one = project.project.is_some() && project.uid.is_none();
    is_one.then(|| MarkdownProject { path: folder.to_owned(), project })
}

/// Returns the documents of a project's folder, in the order of their names.
pub(crate) fn documents(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    look_into(folder, DEEPEST, &mut paths)?;
    paths.retain(|path| path.strip_prefix(folder) != Ok(Path::new(PROJECT_FILE)));
    Ok(paths)
}

fn look_into(folder: &Path, depth: usize, paths: &mut Vec<PathBuf>) -> io::Result<()> {
    for path in entries(folder)? {
        if is_folder(&path) {
            if depth > 0 {
                look_into(&path, depth - 1, paths)?;
            }
        } else if path.extension().is_some_and(|extension| extension == "md") && is_file(&path) {
            paths.push(path);
        }
    }
    Ok(())
}

/// Returns what lies in a folder, in the order of names; hidden files are skipped.
fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if !entry.file_name().as_encoded_bytes().starts_with(b".") {
            entries.push(entry.path());
        }
    }
    entries.sort();
    Ok(entries)
}

/// Whether it is a folder itself, and not a link to one.
pub(crate) fn is_folder(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|there| there.is_dir())
}

fn is_file(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|there| there.is_file())
}

/// Reads the document in a file.
pub(crate) fn document_at(path: &Path) -> Result<MarkdownDocument, DocumentError> {
    let bad = |error: String| DocumentError { line: 1, error };
    let mut bytes = Vec::new();
    let file = fs::File::open(path).map_err(|error| bad(format!("cannot be read: {error}")))?;
    let read_to = file.take(LONGEST + 1).read_to_end(&mut bytes);
    read_to.map_err(|error| bad(format!("cannot be read: {error}")))?;
    if bytes.len() as u64 > LONGEST {
        return Err(bad("longer than any memory".to_owned()));
    }
    let text = String::from_utf8(bytes).map_err(|error| bad(format!("not UTF-8: {}", error.utf8_error())))?;
    let mut document = read_document(&text)?;
    if document.record.content.kind.is_none() {
        document.record.content.kind = kind_of(path);
    }
    Ok(document)
}

/// Returns the kind a document has by the folder it lies in.
fn kind_of(path: &Path) -> Option<String> {
    let folder = path.parent()?.file_name()?.to_str()?;
    // Kept as it is written: what an old name means depends on who wrote the memory.
    Kind::parse_alias(folder).is_ok().then(|| folder.to_owned())
}

/// Returns the name of a project's folder; `others` are those it must not be confused with.
///
/// It is the same in every store that knows the same projects. Two that would have one name both get a suffix, so that neither depends on
/// which was seen first.
pub(crate) fn project_name(project: &MemoryRecord, others: &[MemoryRecord]) -> String {
    let plain = |project: &MemoryRecord| {
        let safe = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-') { c } else { '-' };
        let name: String = project.project.iter().flat_map(|name| name.chars()).map(safe).collect();
        shortened(name.trim_matches(['.', '-']))
    };
    let name = plain(project);
    let folded = |name: &str| name.to_lowercase();
    let is_ambiguous = others
        .iter()
        .any(|other| identity(other) != identity(project) && folded(&plain(other)) == folded(&name));
    if name.is_empty() {
        return format!("project-{}", short(identity(project)));
    }
    let first = folded(name.split('.').next().unwrap_or_default());
    let is_device = DEVICES.contains(&first.as_str())
        || ["com", "lpt"].iter().any(|port| first.strip_prefix(port).is_some_and(|rest| rest.len() == 1));
    if is_ambiguous || is_device { format!("{name}-{}", short(identity(project))) } else { name }
}

/// Returns the digest that distinguishes a project from others, on every machine.
pub(crate) fn identity(project: &MemoryRecord) -> Digest {
    let name = project.project.iter();
    digest(name.chain(&project.project_keys).map(String::as_bytes))
}

/// Returns the file of a memory in its project's folder: its kind, its day, what it is about, and a few digits that are its own.
pub(crate) fn file_name(record: &MemoryRecord) -> PathBuf {
    let day: String = match &record.created_at {
        Some(serde_json::Value::String(at)) => at.chars().take_while(|c| *c != 'T').collect(),
        _ => String::new(),
    };
    let title = record.content.title.as_deref().unwrap_or_default().to_lowercase();
    let words = title.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let about = shortened(&words.collect::<Vec<_>>().join("-"));
    let own = short(digest(record.uid.iter().map(String::as_bytes)));
    let day: String = day.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
    let parts = [day.as_str(), about.as_str(), own.as_str()];
    let name: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    let kind: Kind = record.content.kind.as_deref().and_then(|kind| kind.parse().ok()).unwrap_or(Kind::Note);
    Path::new(kind.as_str()).join(format!("{}.md", name.join("-")))
}

/// Enough digits to distinguish memories of the same day and title.
fn short(digest: Digest) -> String {
    digest.to_string().chars().take(8).collect()
}

/// Brings a name of ASCII letters under its length, at a `-` where there is one.
fn shortened(name: &str) -> String {
    if name.len() <= LONGEST_NAME {
        return name.to_owned();
    }
    let head = name.get(..LONGEST_NAME).unwrap_or(name);
    let end = head.rfind('-').filter(|end| *end > LONGEST_NAME / 2).unwrap_or(head.len());
    head.get(..end).unwrap_or(head).trim_end_matches(['-', '.']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use backstory_memory::ContentRecord;
    use proptest::prelude::*;
    use std::path::Component;

    fn project(name: &str, key: &str) -> MemoryRecord {
        MemoryRecord {
            project: Some(name.to_owned()),
            project_keys: vec![key.to_owned()],
            ..MemoryRecord::default()
        }
    }

    fn memory(title: &str, uid: &str, at: &str) -> MemoryRecord {
        MemoryRecord {
            uid: Some(uid.to_owned()),
            content: ContentRecord {
                kind: Some("decision".to_owned()),
                title: Some(title.to_owned()),
                ..ContentRecord::default()
            },
            created_at: Some(at.into()),
            ..MemoryRecord::default()
        }
    }

    #[test]
    fn names_say_what_is_inside() {
        let name = |title| file_name(&memory(title, "u", "2026-05-01T12:00:00Z")).display().to_string();
        assert_eq!(name("Use WAL mode!"), "decision/2026-05-01-use-wal-mode-7a38a0ac.md");
        assert_eq!(name("日本"), "decision/2026-05-01-7a38a0ac.md");
        assert_eq!(project_name(&project("back.story", "a"), &[]), "back.story");
        assert_eq!(project_name(&project("../../etc", "a"), &[]), "etc");
    }

    #[test]
    fn projects_of_one_name_and_names_with_a_meaning_of_their_own_say_more() {
        let both = [project("App", "a"), project("app", "b")];
        let [one, other] = both.each_ref().map(|project| project_name(project, &both).to_lowercase());
        assert!(one != other && one.starts_with("app-") && other.starts_with("app-"), "{one} {other}");
        for odd in ["..", "", "日本", "NUL", "com1.x"] {
            let name = project_name(&project(odd, "a"), &[]);
            assert!(name.len() > 9 && !DEVICES.contains(&name.to_lowercase().as_str()), "{odd}: {name}");
        }
    }

    proptest! {
        #[test]
        fn no_name_leaves_its_folder(title: String, uid: String, at: String, name: String) {
            let file = file_name(&memory(&title, &uid, &at));
            prop_assert!(file.components().all(|part| matches!(part, Component::Normal(_))), "{file:?}");
            prop_assert_eq!(file.components().count(), 2);
            let folder = project_name(&project(&name, "a"), &[]);
            let parts: Vec<Component<'_>> = Path::new(&folder).components().collect();
            prop_assert!(matches!(parts.as_slice(), [Component::Normal(_)]), "{folder:?}");
            prop_assert!(!folder.starts_with('.') && folder.len() < 100);
        }
    }
}
