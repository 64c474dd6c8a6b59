//! Which project a folder belongs to, read from the file system alone.
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

use crate::Redactor;
use backstory_memory::{ProjectKey, ProjectRef, Redacted, clean, first_chars};
pub(crate) use files::read_head;
use repository::{Checkout, Repository};
use std::path::{Component, Path, PathBuf};

/// The longest name that is shown, in characters.
const NAME_CHARS: usize = 100;

/// How many ancestors of a submodule are recorded; deeper nesting does not matter.
const MAX_PARENTS: usize = 4;

/// Returns the project a folder belongs to.
///
/// The nearest override file decides, up to the root of the repository; else the repository; else the folder itself. For a folder
/// that no longer exists, the nearest existing ancestor decides.
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

/// Returns a project that is known by its name or its keys alone, fit to be stored.
#[must_use]
pub fn unlocated_project_ref(name: &str, keys: &[ProjectKey], redactor: &Redactor) -> Redacted<ProjectRef> {
    let keys = keys.iter().map(|key| safe_key(key, redactor)).collect();
    let name = redactor.redact(name).text.into_inner();
    Redacted::vouch(ProjectRef { keys, name, root: String::new(), parent: None })
}

/// Redacts a key. Equal secrets become equal marks, so equal keys stay equal.
fn safe_key(key: &ProjectKey, redactor: &Redactor) -> ProjectKey {
    redactor.redact(&key.to_string()).text.parse().unwrap_or_else(|()| key.clone())
}

/// Returns the root of the work tree that a folder lies in, and its git directory.
pub(crate) fn work_tree(folder: &Path) -> Option<(PathBuf, PathBuf)> {
    let folder = folder.canonicalize().ok()?;
    folder.ancestors().find_map(|root| Some((root.to_owned(), repository::git_dir(root)?)))
}

/// Returns the directory of the repository that a work tree's git directory belongs to.
pub(crate) fn common_dir(git_dir: &Path) -> Option<PathBuf> {
    Repository::at_git_dir(git_dir.to_owned(), false).map(|repository| repository.common_dir)
}

/// Returns the nearest existing folder at or above a path, and the path itself, both canonical as far as they exist.
fn locate(start: &Path) -> (PathBuf, PathBuf) {
    if let Ok(canonical) = start.canonicalize() {
        return (canonical.clone(), canonical);
    }
    // Fails only if the current directory itself is gone; then the path is used as it is.
    let absolute = std::path::absolute(start).unwrap_or_else(|_| start.to_owned());
    let existing = absolute.ancestors().find_map(|ancestor| Some((ancestor, ancestor.canonicalize().ok()?)));
    let Some((ancestor, canonical)) = existing else { return (absolute.clone(), absolute) };
    let mut place = canonical.clone();
    for component in absolute.strip_prefix(ancestor).unwrap_or(Path::new("")).components() {
        match component {
            Component::ParentDir => drop(place.pop()),
            Component::Normal(name) => place.push(name),
            _ => {}
        }
    }
    (canonical, place)
}

/// Looks upward from an existing folder; `place` becomes the project if there is neither an override file nor a repository.
fn look(standing: &Path, place: &Path, parents: usize) -> ProjectRef {
    for folder in standing.ancestors() {
        if let Some(name) = override_file::read(folder) {
            return project_ref_of_name(&name, folder);
        }
        match repository::at(folder) {
            Some(Checkout::Working { repository, root }) => {
                return project_ref_of_repository(&repository, &root, parents);
            }
            Some(Checkout::Broken) => return project_ref_of_folder(folder),
            None => {}
        }
    }
    project_ref_of_folder(place)
}

fn project_ref_of_name(name: &str, folder: &Path) -> ProjectRef {
    let keys = vec![ProjectKey::Named(name.to_owned())];
    ProjectRef { keys, name: name.to_owned(), root: files::path_text(folder), parent: None }
}

fn project_ref_of_repository(repository: &Repository, root: &Path, parents: usize) -> ProjectRef {
    let identity = repository.identity();
    let parent = parents.checked_sub(1).and_then(|parents| {
        let folder = repository.enclosing_work_tree(root)?;
        Some(Box::new(look(folder, folder, parents)))
    });
    ProjectRef { keys: identity.keys, name: shown_name(&identity.name), root: files::path_text(root), parent }
}

fn project_ref_of_folder(folder: &Path) -> ProjectRef {
    let root = files::path_text(folder);
    let name = folder.file_name().map_or_else(|| root.clone(), |name| files::path_text(Path::new(name)));
    ProjectRef { keys: vec![ProjectKey::Path(root.clone())], name: shown_name(&name), root, parent: None }
}

/// Makes a name fit for one line of a screen: a folder may have any name, including line breaks and escapes.
fn one_line(name: &str) -> Option<String> {
    let words = clean(name).split_whitespace().collect::<Vec<_>>().join(" ");
    (!words.is_empty()).then(|| first_chars(&words, NAME_CHARS).to_owned())
}

fn shown_name(name: &str) -> String {
    one_line(name).unwrap_or_else(|| "unnamed".to_owned())
}
