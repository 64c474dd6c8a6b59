//! How a project is known: by its repository rather than by its path.
//!
//! A [`Sighting`] is what can be told from a folder; `capture` makes it by reading `.git`, `store` decides with
//! [`Sighting::claim`] which known project it is. See `docs/design/0001-project-identity.md`.

use std::fmt;
use std::str::FromStr;

/// One thing a project can be recognised by, strongest first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProjectKey {
    /// The name in an override file. Matches nothing but the same name in another override file.
    Named(String),
    /// The normalised address of the repository's remote: the same for every clone and worktree.
    Remote(String),
    /// The digest of the first line of the repository's own log: it moves with a renamed folder, and another
    /// repository that later stands in the same place has another one.
    Birth(String),
    /// The canonical path of the folder, or of the repository's common directory.
    Path(String),
}

impl fmt::Display for ProjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProjectKey::Named(name) => write!(f, "name:{name}"),
            ProjectKey::Remote(remote) => write!(f, "remote:{remote}"),
            ProjectKey::Birth(digest) => write!(f, "birth:{digest}"),
            ProjectKey::Path(path) => write!(f, "path:{path}"),
        }
    }
}

impl FromStr for ProjectKey {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (label, value) = text.split_once(':').ok_or(())?;
        let value = value.to_owned();
        match label {
            "name" => Ok(ProjectKey::Named(value)),
            "remote" => Ok(ProjectKey::Remote(value)),
            "birth" => Ok(ProjectKey::Birth(value)),
            "path" => Ok(ProjectKey::Path(value)),
            _ => Err(()),
        }
    }
}

/// What a folder tells about the project it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sighting {
    /// What the project can be recognised by, strongest first; never empty.
    pub keys: Vec<ProjectKey>,
    /// The name to show for it.
    pub name: String,
    /// The folder the project stands in here: the work tree, or the folder itself.
    pub root: String,
    /// The project that holds this one as a submodule.
    pub parent: Option<Box<Sighting>>,
}
