//! What a folder says about its project, read from the file system alone.
//!
//! It only says so: a repository may have any remote, name and log. What proves it is in `git::first_commit`.
//!
//! It runs in every hook, so it starts no process, lists no directory, reads a bounded part of a few small files, and cannot fail:
//! a broken `.git` or override file makes the answer weaker, never an error.
//!
//! Not here: which known project a reference belongs to (`backstory_memory::ProjectRef::claim`), and the other settings of the
//! override file (`cli`). Why it works this way: `docs/design/0001-project-identity.md`.

mod files;
mod gitconfig;
mod override_file;
mod remote;
mod repository;
#[cfg(test)]
mod tests;

use crate::{Redactor, git};
use backstory_memory::{Digest, ProjectKey, ProjectRef, Redacted, clean, digest, first_chars};
use backstory_platform::canonical;
pub(crate) use files::read_head;
use repository::Checkout;
pub(crate) use repository::Repository;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

/// The longest name that is shown, in characters.
const NAME_CHARS: usize = 100;

/// How many ancestors of a submodule are recorded; deeper nesting does not matter.
const MAX_PARENTS: usize = 4;

/// Returns the project a folder belongs to.
///
/// The repository decides, else the folder itself; the nearest override file, up to the root of the repository, gives the name. For
/// a folder that no longer exists, the nearest existing ancestor decides.
#[must_use]
pub fn identify_project(start: &Path) -> ProjectRef {
    let (standing, place) = locate(start);
    look(&standing, &place, MAX_PARENTS)
}

/// Returns the project a folder belongs to, fit to be stored: a path may hold a secret like any other text (law 7).
///
/// A secret always becomes the same mark, so that the project is still distinct from others and found again.
#[must_use]
pub fn safe_project_ref(folder: &Path, redactor: &Redactor) -> Redacted<ProjectRef> {
    fn safe(project_ref: ProjectRef, redactor: &Redactor) -> ProjectRef {
        let text = |text: &str| redactor.redact(text).text.into_inner();
        ProjectRef {
            keys: project_ref.keys.iter().map(|key| safe_key(key, redactor)).collect(),
            name: text(&project_ref.name),
            root: text(&project_ref.root),
            parent: project_ref.parent.map(|parent| Box::new(safe(*parent, redactor))),
        }
    }
    Redacted::vouch(safe(identify_project(folder), redactor))
}

/// Returns the project a folder belongs to, fit to be stored, with proof of its history where `needs_proof` asks for it.
///
/// Only the store knows whether that is worth starting git: it is for a folder that nobody has met.
#[must_use]
pub fn proven_project_ref(
    folder: &Path,
    redactor: &Redactor,
    deadline: Duration,
    needs_proof: impl Fn(&ProjectRef) -> bool,
) -> Redacted<ProjectRef> {
    let mut project_ref = safe_project_ref(folder, redactor).into_inner();
    let mut next = Some((&mut project_ref, locate(folder).0));
    while let Some((project_ref, folder)) = next {
        if needs_proof(project_ref) {
            project_ref.keys.extend(proof(project_ref, &folder, redactor, deadline));
        }
        next = project_ref.parent.as_deref_mut().map(|parent| {
            let folder = PathBuf::from(&parent.root);
            (parent, folder)
        });
    }
    Redacted::vouch(project_ref)
}

/// Returns the key that proves which project a folder belongs to, if its repository holds one.
fn proof(
    project_ref: &ProjectRef,
    folder: &Path,
    redactor: &Redactor,
    deadline: Duration,
) -> Option<ProjectKey> {
    let tree = work_tree(folder)?;
    let commit = git::first_commit(&tree.root, deadline)?;
    let home = ProjectKey::Path(files::path_text(tree.repository.home()));
    let is_whole = project_ref.place() == Some(&safe_key(&home, redactor));
    let commit = if is_whole { commit } else { commit_of_part(commit, &tree.repository, &project_ref.name) };
    Some(ProjectKey::Commit(commit.to_string()))
}

/// Makes a proof for a named part of a repository: the same part of a clone has it, and neither the whole nor a fork.
fn commit_of_part(commit: Digest, repository: &Repository, name: &str) -> Digest {
    let remotes = repository.identity().keys.into_iter().filter(|key| matches!(key, ProjectKey::Remote(_)));
    let remote = remotes.map(|key| key.to_string()).next().unwrap_or_default();
    digest([commit.to_string().as_bytes(), remote.as_bytes(), name.as_bytes()])
}

/// Returns a project that is known by its name or its keys alone, fit to be stored.
#[must_use]
pub fn unlocated_project_ref(name: &str, keys: &[ProjectKey], redactor: &Redactor) -> Redacted<ProjectRef> {
    // A link is the user's word about a folder of this machine.
    let keys = keys.iter().filter(|key| !matches!(key, ProjectKey::Link(_)));
    let keys = keys.map(|key| safe_key(key, redactor)).collect();
    let name = redactor.redact(name).text.into_inner();
    Redacted::vouch(ProjectRef { keys, name, root: String::new(), parent: None })
}

/// Redacts a key. Equal secrets become equal marks, so equal keys stay equal.
fn safe_key(key: &ProjectKey, redactor: &Redactor) -> ProjectKey {
    redactor.redact(&key.to_string()).text.parse().unwrap_or_else(|()| key.clone())
}

/// A work tree whose repository knows it.
pub(crate) struct WorkTree {
    /// Its root.
    pub(crate) root: PathBuf,
    /// Its repository.
    pub(crate) repository: Repository,
}

/// Returns the work tree that a folder lies in.
///
/// None inside of something that git could take for a bare repository: one arrives with a plain clone, and brings settings along.
pub(crate) fn work_tree(folder: &Path) -> Option<WorkTree> {
    let folder = canonical(folder).ok()?;
    for root in folder.ancestors() {
        match repository::at(root) {
            Some(Checkout::Working(repository)) => {
                return Some(WorkTree { root: root.to_owned(), repository });
            }
            Some(Checkout::Broken) => return None,
            None if repository::resembles_bare(root) => return None,
            None => {}
        }
    }
    None
}

/// Returns the nearest existing folder at or above a path, and the path itself, both canonical as far as they exist.
fn locate(start: &Path) -> (PathBuf, PathBuf) {
    if let Ok(start) = canonical(start) {
        return (start.clone(), start);
    }
    // Fails only if the current directory itself is gone; then the path is used as it is.
    let absolute = std::path::absolute(start).unwrap_or_else(|_| start.to_owned());
    let existing = absolute.ancestors().find_map(|ancestor| Some((ancestor, canonical(ancestor).ok()?)));
    let Some((ancestor, there)) = existing else { return (absolute.clone(), absolute) };
    let mut place = there.clone();
    for component in absolute.strip_prefix(ancestor).unwrap_or(Path::new("")).components() {
        match component {
            Component::ParentDir => drop(place.pop()),
            Component::Normal(name) => place.push(name),
            _ => {}
        }
    }
    (there, place)
}

/// Looks upward from an existing folder; `place` becomes the project if there is no repository.
fn look(standing: &Path, place: &Path, parents: usize) -> ProjectRef {
    let mut named = None;
    let mut bare = None;
    for folder in standing.ancestors() {
        named = named.or_else(|| Some((override_file::read(folder)?, folder)));
        match repository::at(folder) {
            Some(Checkout::Working(repository)) => {
                let parent = parents.checked_sub(1).and_then(|parents| {
                    let outer = repository.enclosing_work_tree(folder)?;
                    Some(Box::new(look(outer, outer, parents)))
                });
                return ProjectRef { parent, ..project_ref_of_repository(&repository, folder, named) };
            }
            Some(Checkout::Broken) => return project_ref_of_folder(folder, named),
            None => bare = bare.or_else(|| repository::bare_at(folder)),
        }
    }
    // Outside of a repository, a file in a folder above may be anybody's.
    let named = named.filter(|(_, folder)| *folder == place);
    match bare {
        Some(repository) => project_ref_of_repository(&repository, repository.home(), named),
        None => project_ref_of_folder(place, named),
    }
}

/// A name in an override file, and the folder of that file.
type NamedFolder<'a> = Option<(String, &'a Path)>;

fn project_ref_of_repository(repository: &Repository, root: &Path, named: NamedFolder<'_>) -> ProjectRef {
    let repository::Identity { mut keys, name } = repository.identity();
    let Some((wanted, folder)) = named else {
        return ProjectRef { keys, name: shown_name(&name), root: files::path_text(root), parent: None };
    };
    match folder.strip_prefix(root) {
        // A part of a repository that has a name is a project of its own, in the same place from every work tree.
        Ok(below) if !below.as_os_str().is_empty() => {
            keys = vec![ProjectKey::Path(files::path_text(&repository.home().join(below)))];
        }
        _ => {}
    }
    keys.insert(0, ProjectKey::Named(wanted.clone()));
    ProjectRef { keys, name: wanted, root: files::path_text(folder), parent: None }
}

fn project_ref_of_folder(folder: &Path, named: NamedFolder<'_>) -> ProjectRef {
    let folder = named.as_ref().map_or(folder, |(_, folder)| folder);
    let root = files::path_text(folder);
    let mut keys = vec![ProjectKey::Path(root.clone())];
    let name = match named {
        Some((name, _)) => {
            keys.insert(0, ProjectKey::Named(name.clone()));
            name
        }
        None => {
            let name =
                folder.file_name().map_or_else(|| root.clone(), |name| files::path_text(Path::new(name)));
            shown_name(&name)
        }
    };
    ProjectRef { keys, name, root, parent: None }
}

/// Makes a name fit for one line of a screen: a folder may have any name, including line breaks and escapes.
fn one_line(name: &str) -> Option<String> {
    let words = clean(name).split_whitespace().collect::<Vec<_>>().join(" ");
    (!words.is_empty()).then(|| first_chars(&words, NAME_CHARS).to_owned())
}

fn shown_name(name: &str) -> String {
    one_line(name).unwrap_or_else(|| "unnamed".to_owned())
}
