//! How a project is recognised: by its repository rather than by its path.
//!
//! A [`ProjectRef`] holds what a folder reveals; `capture` creates it by reading `.git`, and `store` decides with
//! [`ProjectRef::claim`] which known project it is. See `docs/design/0001-project-identity.md`.

use crate::ProjectId;
use std::fmt;
use std::str::FromStr;

/// One thing a project can be recognised by, strongest first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProjectKey {
    /// The name in an override file. Matches nothing but the same name in another override file.
    Named(String),
    /// The normalised address of the repository's remote: the same for every clone and worktree.
    Remote(String),
    /// The digest of the first line of the repository's own log. It moves with a renamed folder, and another repository that later
    /// takes the same place has another one.
    Birth(String),
    /// The canonical path of the folder: the main work tree, a bare repository, or the plain folder itself.
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

impl ProjectKey {
    fn is_address(&self) -> bool {
        matches!(self, ProjectKey::Named(_) | ProjectKey::Remote(_))
    }

    fn is_remote(&self) -> bool {
        matches!(self, ProjectKey::Remote(_))
    }

    fn is_birth(&self) -> bool {
        matches!(self, ProjectKey::Birth(_))
    }

    fn is_path(&self) -> bool {
        matches!(self, ProjectKey::Path(_))
    }
}

/// What a folder reveals about its project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectRef {
    /// What the project can be recognised by; never empty. A name stands alone. Otherwise: the remote, if there is one; then, for
    /// this repository and for each local one it was cloned from, its birth, if it has one, followed by its path.
    pub keys: Vec<ProjectKey>,
    /// The name to show for it, on one line.
    pub name: String,
    /// The folder of the project here: the work tree, or the folder itself.
    pub root: String,
    /// The project that holds this one as a submodule.
    pub parent: Option<Box<ProjectRef>>,
}

/// A project the store knows, with what it takes to recognise it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownProject {
    /// Which project.
    pub project: ProjectId,
    /// Every key it was ever recognised by and still owns.
    pub keys: Vec<ProjectKey>,
    /// Every folder it was seen in.
    pub roots: Vec<String>,
}

impl KnownProject {
    fn has(&self, of_kind: fn(&ProjectKey) -> bool) -> bool {
        self.keys.iter().any(of_kind)
    }
}

impl ProjectRef {
    /// Finds the project this reference belongs to, or `None` if it is a new one.
    ///
    /// `lookup` returns the project that owns a key. The strongest evidence decides: first the name or the remote, then births,
    /// then paths, each only if nothing contradicts it. If evidence is thin, two projects are kept apart: merging them later is
    /// easy, but a leak cannot be undone.
    ///
    /// The caller adds the keys of the reference to the claimed project. Keys that belong to another project stay there, except
    /// [`ProjectRef::place`] and the root, which move to the project that is now in that place.
    ///
    /// # Errors
    ///
    /// Only those of `lookup`.
    pub fn claim<E>(
        &self,
        mut lookup: impl FnMut(&ProjectKey) -> Result<Option<KnownProject>, E>,
    ) -> Result<Option<ProjectId>, E> {
        let by_strength: [fn(&ProjectKey) -> bool; 3] =
            [ProjectKey::is_address, ProjectKey::is_birth, ProjectKey::is_path];
        for of_kind in by_strength {
            for (at, key) in self.keys.iter().enumerate().filter(|(_, key)| of_kind(key)) {
                if let Some(known) = lookup(key)?
                    && self.agrees(key, at, &known)
                {
                    return Ok(Some(known.project));
                }
            }
        }
        Ok(None)
    }

    /// Returns the key of the place this reference is in, if it has one.
    #[must_use]
    pub fn place(&self) -> Option<&ProjectKey> {
        self.keys.iter().find(|key| key.is_path())
    }

    /// Whether nothing contradicts that this reference belongs to the project that owns its key number `at`.
    fn agrees(&self, key: &ProjectKey, at: usize, known: &KnownProject) -> bool {
        // The remote was looked up first and is not theirs: if both have one, they differ.
        let remote_differs = self.keys.iter().any(ProjectKey::is_remote) && known.has(ProjectKey::is_remote);
        match key {
            ProjectKey::Named(_) | ProjectKey::Remote(_) => true,
            // A remote renamed in place is the same project; a copied folder with another remote is not.
            ProjectKey::Birth(_) => {
                let path = self.keys.get(at + 1).filter(|key| key.is_path());
                let in_place =
                    known.roots.contains(&self.root) || path.is_some_and(|path| known.keys.contains(path));
                !remote_differs || in_place
            }
            // A repository that just got its first commit or its remote is the same project. One that replaced another in the same
            // place is not, and its birth shows it.
            ProjectKey::Path(_) => {
                let born =
                    at.checked_sub(1).and_then(|at| self.keys.get(at)).is_some_and(ProjectKey::is_birth);
                let birth_differs = born && known.has(ProjectKey::is_birth);
                !remote_differs && !birth_differs
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    /// A store in a few lines: claims or creates a project, then records the reference.
    #[derive(Default)]
    struct Register(Vec<KnownProject>);

    impl Register {
        fn meet(&mut self, root: &str, keys: &[&str]) -> i64 {
            let keys: Vec<ProjectKey> = keys.iter().map(|key| key.parse().unwrap()).collect();
            let project_ref = ProjectRef { keys, name: "x".into(), root: root.into(), parent: None };
            let owner = |key: &ProjectKey| {
                Ok::<_, Infallible>(self.0.iter().find(|known| known.keys.contains(key)).cloned())
            };
            let project = project_ref.claim(owner).unwrap().unwrap_or_else(|| {
                let project = ProjectId(i64::try_from(self.0.len()).unwrap() + 1);
                self.0.push(KnownProject { project, keys: Vec::new(), roots: Vec::new() });
                project
            });
            self.record(project, &project_ref);
            project.0
        }

        fn record(&mut self, project: ProjectId, project_ref: &ProjectRef) {
            for known in &mut self.0 {
                known.keys.retain(|key| Some(key) != project_ref.place());
                known.roots.retain(|root| *root != project_ref.root);
            }
            for key in &project_ref.keys {
                if !self.0.iter().any(|known| known.keys.contains(key)) {
                    self.project(project).keys.push(key.clone());
                }
            }
            self.project(project).roots.push(project_ref.root.clone());
        }

        fn project(&mut self, project: ProjectId) -> &mut KnownProject {
            self.0.iter_mut().find(|known| known.project == project).unwrap()
        }
    }

    #[test]
    fn a_key_is_read_back_from_its_text() {
        for text in ["name:a:b", "remote:h/p", "birth:00ff", "path:/a b\n"] {
            assert_eq!(text.parse::<ProjectKey>().unwrap().to_string(), text);
        }
        assert_eq!("colour:red".parse::<ProjectKey>(), Err(()));
    }

    #[test]
    fn clones_of_one_remote_are_one_project_wherever_they_stand() {
        let mut register = Register::default();
        assert_eq!(register.meet("/a", &["remote:h/r", "birth:a", "path:/a"]), 1);
        assert_eq!(register.meet("/b", &["remote:h/r", "birth:b", "path:/b"]), 1);
        assert_eq!(register.meet("/moved", &["birth:b", "path:/moved"]), 1);
    }

    #[test]
    fn two_repositories_of_one_name_are_two_projects() {
        let mut register = Register::default();
        assert_eq!(register.meet("/x/app", &["remote:h/x/app", "birth:a", "path:/x/app"]), 1);
        assert_eq!(register.meet("/y/app", &["remote:h/y/app", "birth:b", "path:/y/app"]), 2);
        assert_eq!(register.meet("/z/app", &["birth:c", "path:/z/app"]), 3);
    }

    #[test]
    fn a_renamed_folder_is_the_same_project() {
        let mut register = Register::default();
        assert_eq!(register.meet("/a", &["birth:a", "path:/a"]), 1);
        assert_eq!(register.meet("/b", &["birth:a", "path:/b"]), 1);
    }

    #[test]
    fn a_folder_that_becomes_a_repository_and_gets_a_remote_stays_one_project() {
        let mut register = Register::default();
        assert_eq!(register.meet("/a", &["path:/a"]), 1);
        assert_eq!(register.meet("/a", &["birth:a", "path:/a"]), 1);
        assert_eq!(register.meet("/a", &["remote:h/r", "birth:a", "path:/a"]), 1);
        assert_eq!(register.meet("/b", &["remote:h/r", "birth:b", "path:/b"]), 1);
    }

    #[test]
    fn a_repository_that_stands_where_another_stood_is_another_project() {
        let mut register = Register::default();
        assert_eq!(register.meet("/a", &["birth:a", "path:/a"]), 1);
        assert_eq!(register.meet("/a", &["birth:b", "path:/a"]), 2);
        assert_eq!(register.meet("/a", &["path:/a"]), 2, "the place belongs to who stands there now");
        assert_eq!(register.meet("/a", &["remote:h/c", "birth:c", "path:/a"]), 3);
        assert_eq!(register.meet("/elsewhere", &["birth:a", "path:/elsewhere"]), 1);
    }

    #[test]
    fn a_remote_that_replaces_another_where_no_birth_is_known_is_another_project() {
        let mut register = Register::default();
        assert_eq!(register.meet("/a", &["remote:h/r", "path:/a"]), 1);
        assert_eq!(register.meet("/a", &["remote:h/s", "path:/a"]), 2);
    }

    #[test]
    fn a_repository_whose_log_was_expired_keeps_its_project() {
        let mut register = Register::default();
        assert_eq!(register.meet("/a", &["birth:a", "path:/a"]), 1);
        assert_eq!(register.meet("/a", &["path:/a"]), 1);
    }

    #[test]
    fn a_remote_renamed_in_place_is_the_same_project() {
        let mut register = Register::default();
        assert_eq!(register.meet("/a", &["remote:h/r", "birth:a", "path:/a"]), 1);
        assert_eq!(
            register.meet("/worktree", &["remote:h/s", "birth:a", "path:/a"]),
            1,
            "seen from a new worktree"
        );
        assert_eq!(register.meet("/b", &["remote:h/r", "birth:b", "path:/b"]), 1);
        assert_eq!(register.meet("/c", &["remote:h/s", "birth:c", "path:/c"]), 1);
    }

    #[test]
    fn a_copied_folder_with_another_remote_is_another_project() {
        let mut register = Register::default();
        assert_eq!(register.meet("/a", &["remote:h/r", "birth:a", "path:/a"]), 1);
        assert_eq!(register.meet("/copy", &["remote:h/s", "birth:a", "path:/copy"]), 2);
        assert_eq!(register.meet("/copy", &["remote:h/s", "birth:a", "path:/copy"]), 2);
        assert_eq!(register.meet("/a", &["remote:h/r", "birth:a", "path:/a"]), 1);
    }

    #[test]
    fn a_local_origin_and_its_clones_are_one_project_in_whatever_order_they_are_met() {
        let origin = ("/p", ["birth:p", "path:/p"].as_slice());
        let clone = ("/c", ["birth:c", "path:/c", "birth:p", "path:/p"].as_slice());
        for [first, second] in [[origin, clone], [clone, origin]] {
            let mut register = Register::default();
            assert_eq!(register.meet(first.0, first.1), 1);
            assert_eq!(register.meet(second.0, second.1), 1);
        }
    }

    #[test]
    fn clones_of_a_bare_origin_without_a_log_are_one_project() {
        let mut register = Register::default();
        assert_eq!(register.meet("/c", &["birth:c", "path:/c", "path:/p.git"]), 1);
        assert_eq!(register.meet("/d", &["birth:d", "path:/d", "path:/p.git"]), 1);
        assert_eq!(register.meet("/p.git", &["path:/p.git"]), 1);
    }

    #[test]
    fn a_clone_keeps_its_project_when_its_local_origin_is_replaced() {
        let mut register = Register::default();
        assert_eq!(register.meet("/c", &["birth:c", "path:/c", "birth:p", "path:/p"]), 1);
        assert_eq!(register.meet("/p", &["birth:q", "path:/p"]), 2);
        assert_eq!(register.meet("/c", &["birth:c", "path:/c", "birth:q", "path:/p"]), 1);
        assert_eq!(register.meet("/p", &["birth:q", "path:/p"]), 2);
    }

    #[test]
    fn a_name_matches_nothing_but_the_same_name() {
        let mut register = Register::default();
        assert_eq!(register.meet("/a", &["remote:h/r", "birth:a", "path:/a"]), 1);
        assert_eq!(register.meet("/a", &["name:mine"]), 2);
        assert_eq!(register.meet("/elsewhere", &["name:mine"]), 2);
        assert_eq!(register.meet("/a", &["name:h/r"]), 3);
        assert_eq!(register.meet("/a", &["remote:h/r", "birth:a", "path:/a"]), 1);
    }
}
