//! Where memory files are, and whose they are.
//!
//! A link is followed only to a file that lies in the same folder: a repository must not make us read somebody's keys.

use crate::sources::carriers::inside;
use backstory_capture::git::work_tree_of;
use backstory_hosts::{DatabaseOpener, Host, HostPaths, HostTranscript, TableReader, TranscriptItem};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Files at the root of a project that hosts give to the agent.
const FILES: &[&str] = &[
    "CLAUDE.md",
    "CLAUDE.local.md",
    ".claude/CLAUDE.md",
    "AGENTS.md",
    "GEMINI.md",
    ".github/copilot-instructions.md",
    ".cursorrules",
    ".windsurfrules",
    ".clinerules",
    ".rules",
];

/// Folders of such files, and how those end.
const FOLDERS: &[(&str, &str)] = &[
    (".claude/rules", "md"),
    (".cursor/rules", "mdc"),
    (".github/instructions", "md"),
    (".windsurf/rules", "md"),
    (".clinerules", "md"),
    ("memory-bank", "md"),
];

/// How deep a folder of memory files is looked through, and for how many.
const MOST_DEPTH: usize = 3;
const MOST_FILES: usize = 200;
/// How far a session is read to learn where it took place.
const MOST_ENTRIES: usize = 200;
const MOST_RECORDS: usize = 5;

/// Whether an agent sees a file without asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HostLoading {
    ByHost,
    OnRequest,
}

/// Where a memory file belongs.
pub(super) struct MemoryFilePlace {
    /// The folder of its project, where anybody knows it.
    pub(super) folder: Option<PathBuf>,
    pub(super) loading: HostLoading,
}

impl MemoryFilePlace {
    pub(super) fn for_path(path: &Path) -> MemoryFilePlace {
        if let Some(slug) = claude_code_folder(path) {
            // Hosts load only the index; agents look up the files beside it.
            let is_index = path.file_name().is_some_and(|name| name == "MEMORY.md");
            let loading = if is_index { HostLoading::ByHost } else { HostLoading::OnRequest };
            return MemoryFilePlace { folder: project_of_sessions(slug), loading };
        }
        let folder = path.ancestors().skip(1).find(|folder| !is_of_host(folder));
        let in_bank = path
            .ancestors()
            .skip(1)
            .any(|folder| folder.file_name().is_some_and(|name| name == "memory-bank"));
        MemoryFilePlace {
            folder: folder.map(Path::to_owned),
            loading: if in_bank { HostLoading::OnRequest } else { HostLoading::ByHost },
        }
    }
}

/// Whether a folder lies inside of the project whose memory files it holds.
fn is_of_host(folder: &Path) -> bool {
    let ends = |folder: &Path, name: &str| folder.file_name().is_some_and(|own| own == name);
    let of_host = [".claude", ".cursor", ".github", ".windsurf", ".clinerules", "memory-bank"];
    folder.ancestors().take(MOST_DEPTH).any(|around| of_host.iter().any(|name| ends(around, name)))
}

/// Finds the memory files of projects, at a project's folder and at the root of its repository.
pub(super) fn project_files(projects: &[PathBuf]) -> Vec<PathBuf> {
    let mut roots: BTreeSet<PathBuf> = BTreeSet::new();
    // Work trees of one repository each have the rules of their branch: those of one of them are enough.
    let mut repositories: BTreeSet<PathBuf> = BTreeSet::new();
    for folder in projects.iter().filter_map(|folder| folder.canonicalize().ok()) {
        if let Some(tree) = work_tree_of(&folder) {
            if !repositories.insert(tree.common_dir) && !roots.contains(&tree.root) {
                continue;
            }
            roots.insert(tree.root);
        }
        roots.insert(folder);
    }
    roots.iter().flat_map(|root| in_project(root)).collect()
}

fn in_project(root: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = FILES.iter().filter_map(|name| inside(root, &root.join(name))).collect();
    for (folder, ending) in FOLDERS {
        files.extend(files_in(root, &root.join(folder), ending, MOST_DEPTH));
    }
    files.truncate(MOST_FILES);
    files
}

/// Finds what the user wrote for every project.
pub(super) fn user_files(places: &HostPaths) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for host in Host::ALL {
        let Some(name) = host.instructions_file() else { continue };
        let folder = places.directory(host);
        files.extend(inside(&folder, &folder.join(name)));
    }
    let rules = places.directory(Host::ClaudeCode).join("rules");
    files.extend(files_in(&rules, &rules, "md", MOST_DEPTH));
    files
}

/// Finds what Claude Code noted down itself: `projects/SLUG/memory/*.md`.
pub(super) fn claude_code_files(places: &HostPaths) -> Vec<PathBuf> {
    let projects = places.directory(Host::ClaudeCode).join("projects");
    let folders = children(&projects).into_iter().map(|folder| folder.join("memory"));
    folders.flat_map(|folder| files_in(&folder, &folder, "md", 1)).collect()
}

/// Returns `projects/SLUG` of a file in `projects/SLUG/memory`.
fn claude_code_folder(path: &Path) -> Option<&Path> {
    let memory = path.parent().filter(|folder| folder.file_name().is_some_and(|name| name == "memory"))?;
    let slug = memory.parent()?;
    slug.parent()?.file_name().is_some_and(|name| name == "projects").then_some(slug)
}

/// A slug cannot be turned back into its folder; the sessions beside it name the folder.
fn project_of_sessions(slug: &Path) -> Option<PathBuf> {
    let records = children(slug).into_iter().filter(|path| path.extension().is_some_and(|it| it == "jsonl"));
    records.take(MOST_RECORDS).find_map(|path| {
        let record = HostTranscript::from_file(Host::ClaudeCode, &path)?;
        let entries = record.read(&TranscriptFilesOnly).ok()?.take(MOST_ENTRIES);
        let mut folders = entries.filter_map(|reading| match reading {
            TranscriptItem::Entry(entry) => entry.cwd,
            TranscriptItem::Unreadable(_) => None,
        });
        folders.next().map(PathBuf::from)
    })
}

/// Claude Code keeps its records in files.
struct TranscriptFilesOnly;

impl DatabaseOpener for TranscriptFilesOnly {
    fn open(&self, _: &Path) -> Result<Box<dyn TableReader>, String> {
        Err("there are none".to_owned())
    }
}

fn files_in(root: &Path, folder: &Path, ending: &str, depth: usize) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for path in children(folder) {
        let is_link = path.is_symlink();
        if path.is_dir() && !is_link && depth > 1 {
            files.extend(files_in(root, &path, ending, depth - 1));
        } else if path.extension().is_some_and(|it| it == ending) {
            files.extend(inside(root, &path));
        }
    }
    files.truncate(MOST_FILES);
    files
}

fn children(folder: &Path) -> Vec<PathBuf> {
    let Some(entries) = folder.read_dir().ok().filter(|_| folder.is_absolute()) else { return Vec::new() };
    let mut children: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    children.sort();
    children
}
