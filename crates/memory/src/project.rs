//! How a project is recognised: by its repository rather than by its path.
//!
//! A [`ProjectRef`] holds what a folder reveals; `capture` creates it by reading `.git`, and `store` decides with
//! [`ProjectRef::claim`] which known project it is. See `docs/design/0001-project-identity.md`.

use crate::ProjectId;
use std::fmt;
use std::str::FromStr;

/// One thing a project can be recognised by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProjectKey {
    /// The user's own word that the folder with this path belongs to a project. Decides against everything else.
    Link(String),
    /// The name in an override file. Anybody can write one: a claim.
    Named(String),
    /// The normalised address of the repository's remote: the same for every clone and worktree. A claim.
    Remote(String),
    /// The digest of the first line of the repository's own log: it shows that another repository took the same place. A claim.
    Birth(String),
    /// The digest of the commit that the history begins with. Only a repository that holds this commit yields it: proof.
    Commit(String),
    /// The canonical path of the folder: the main work tree, a bare repository, or the plain folder itself.
    Path(String),
}

impl fmt::Display for ProjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProjectKey::Link(path) => write!(f, "link:{path}"),
            ProjectKey::Named(name) => write!(f, "name:{name}"),
            ProjectKey::Remote(remote) => write!(f, "remote:{remote}"),
            ProjectKey::Birth(digest) => write!(f, "birth:{digest}"),
            ProjectKey::Commit(digest) => write!(f, "commit:{digest}"),
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
            "link" => Ok(ProjectKey::Link(value)),
            "name" => Ok(ProjectKey::Named(value)),
            "remote" => Ok(ProjectKey::Remote(value)),
            "birth" => Ok(ProjectKey::Birth(value)),
            "commit" => Ok(ProjectKey::Commit(value)),
            "path" => Ok(ProjectKey::Path(value)),
            _ => Err(()),
        }
    }
}

impl ProjectKey {
    fn is_name(&self) -> bool {
        matches!(self, ProjectKey::Named(_))
    }

    fn is_remote(&self) -> bool {
        matches!(self, ProjectKey::Remote(_))
    }

    fn is_birth(&self) -> bool {
        matches!(self, ProjectKey::Birth(_))
    }

    fn is_commit(&self) -> bool {
        matches!(self, ProjectKey::Commit(_))
    }

    fn is_path(&self) -> bool {
        matches!(self, ProjectKey::Path(_))
    }
}

/// What a folder reveals about its project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectRef {
    /// What the project can be recognised by; never empty. In this order, as far as they are known: name, remote, birth, path,
    /// commit.
    pub keys: Vec<ProjectKey>,
    /// The name to show for it, on one line.
    pub name: String,
    /// The folder of the project here: the work tree, or the folder itself. Empty for a project that is known by its keys alone.
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
}

/// How two sets of keys compare in one kind of key.
#[derive(Clone, Copy, PartialEq, Eq)]
enum KeyMatch {
    Shared,
    Differs,
    /// One side has none.
    Unknown,
}

fn compare(one: &[ProjectKey], other: &[ProjectKey], of_kind: fn(&ProjectKey) -> bool) -> KeyMatch {
    let mut ours = one.iter().filter(|key| of_kind(key)).peekable();
    if ours.peek().is_none() || !other.iter().any(of_kind) {
        return KeyMatch::Unknown;
    }
    if ours.any(|key| other.contains(key)) { KeyMatch::Shared } else { KeyMatch::Differs }
}

/// Whether nothing speaks against two sets of keys being of one project: a fork has another remote, a part another name.
fn are_compatible(one: &[ProjectKey], other: &[ProjectKey]) -> bool {
    let differs = |of_kind| compare(one, other, of_kind) == KeyMatch::Differs;
    !differs(ProjectKey::is_name) && !differs(ProjectKey::is_remote)
}

impl KnownProject {
    /// Whether it is known what its history begins with.
    #[must_use]
    pub fn has_proof(&self) -> bool {
        self.keys.iter().any(ProjectKey::is_commit)
    }

    /// Whether the folders of this project say that they belong to the other, and the user has not answered yet.
    #[must_use]
    pub fn claims(&self, other: &KnownProject) -> bool {
        let shares = |of_kind| compare(&self.keys, &other.keys, of_kind) == KeyMatch::Shared;
        let is_answered = self.keys.iter().any(|key| matches!(key, ProjectKey::Link(_)));
        // A copy or a fork shares its beginning with the original, and says by its remote that it is another project.
        let begins_alike = shares(ProjectKey::is_birth) || shares(ProjectKey::is_commit);
        let says_so = shares(ProjectKey::is_name)
            || shares(ProjectKey::is_remote)
            || (begins_alike && are_compatible(&self.keys, &other.keys));
        self.project != other.project && !is_answered && says_so
    }
}

impl ProjectRef {
    /// Finds the project this reference belongs to, or `None` if it is a new one.
    ///
    /// `lookup` returns the projects that have a key, oldest first. The user's word decides; else the place, unless another
    /// repository stands there now; else proof. A name, a remote and a log are claims: whoever made the folder wrote them, so they
    /// can keep projects apart, and never join them. Two projects can be joined later; a leak cannot be undone.
    ///
    /// The caller adds the keys of the reference to the project. [`ProjectRef::place`] and the root move there.
    ///
    /// # Errors
    ///
    /// Only those of `lookup`.
    pub fn claim<E>(
        &self,
        mut lookup: impl FnMut(&ProjectKey) -> Result<Vec<KnownProject>, E>,
    ) -> Result<Option<ProjectId>, E> {
        let Some(place) = self.place() else { return self.claim_unlocated(lookup) };
        let link = self.link();
        if let Some(link) = &link
            && let Some(known) = lookup(link)?.first()
        {
            return Ok(Some(known.project));
        }
        if let Some(known) = lookup(place)?.iter().find(|known| self.stands_in_place_of(known)) {
            return Ok(Some(known.project));
        }
        // Read back from a store: the user keeps this folder apart from its clones.
        if link.is_some_and(|link| self.keys.contains(&link)) {
            return Ok(None);
        }
        for commit in self.keys.iter().filter(|key| key.is_commit()) {
            if let Some(known) = lookup(commit)?.iter().find(|known| are_compatible(&self.keys, &known.keys))
            {
                return Ok(Some(known.project));
            }
        }
        Ok(None)
    }

    /// Finds the project of a reference without a folder. It comes from a file that the user imports, and no folder gains by it.
    fn claim_unlocated<E>(
        &self,
        mut lookup: impl FnMut(&ProjectKey) -> Result<Vec<KnownProject>, E>,
    ) -> Result<Option<ProjectId>, E> {
        let by_strength: [fn(&ProjectKey) -> bool; 5] = [
            ProjectKey::is_name,
            ProjectKey::is_remote,
            ProjectKey::is_commit,
            ProjectKey::is_birth,
            ProjectKey::is_path,
        ];
        for of_kind in by_strength {
            for key in self.keys.iter().filter(|key| of_kind(key)) {
                let agrees = |known: &&KnownProject| {
                    compare(&self.keys, &known.keys, ProjectKey::is_remote) != KeyMatch::Differs
                };
                if let Some(known) = lookup(key)?.iter().find(agrees) {
                    return Ok(Some(known.project));
                }
            }
        }
        Ok(None)
    }

    /// Whether the folder is one that could prove which project it is.
    #[must_use]
    pub fn makes_claims(&self) -> bool {
        self.keys.iter().any(|key| key.is_name() || key.is_remote() || key.is_birth())
    }

    /// Returns the key of the place this reference is in, if it has one.
    #[must_use]
    pub fn place(&self) -> Option<&ProjectKey> {
        self.keys.iter().find(|key| key.is_path()).filter(|_| !self.root.is_empty())
    }

    /// Returns the key by which the user links this place to a project.
    #[must_use]
    pub fn link(&self) -> Option<ProjectKey> {
        match self.place()? {
            ProjectKey::Path(path) => Some(ProjectKey::Link(path.clone())),
            _ => None,
        }
    }

    /// Whether this reference is still the project that was met in this place.
    ///
    /// A repository that just got its first commit or its remote is; so is one whose remote was renamed. One that replaced another
    /// is not, and its birth or its remote shows it.
    fn stands_in_place_of(&self, known: &KnownProject) -> bool {
        match compare(&self.keys, &known.keys, ProjectKey::is_birth) {
            KeyMatch::Shared => true,
            KeyMatch::Differs => false,
            KeyMatch::Unknown => compare(&self.keys, &known.keys, ProjectKey::is_remote) != KeyMatch::Differs,
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
            let owners = |key: &ProjectKey| {
                let owners = self.0.iter().filter(|known| known.keys.contains(key));
                Ok::<_, Infallible>(owners.cloned().collect())
            };
            let project = project_ref.claim(owners).unwrap().unwrap_or_else(|| {
                let project = ProjectId(i64::try_from(self.0.len()).unwrap() + 1);
                self.0.push(KnownProject { project, keys: Vec::new() });
                project
            });
            for known in &mut self.0 {
                known.keys.retain(|key| Some(key) != project_ref.place());
            }
            self.project(project).keys.extend(project_ref.keys);
            project.0
        }

        fn link(&mut self, project: i64, place: &str) {
            self.project(ProjectId(project)).keys.push(ProjectKey::Link(place.into()));
        }

        fn project(&mut self, project: ProjectId) -> &mut KnownProject {
            self.0.iter_mut().find(|known| known.project == project).unwrap()
        }

        fn claims(&mut self, one: i64, other: i64) -> bool {
            let other = self.project(ProjectId(other)).clone();
            self.project(ProjectId(one)).claims(&other)
        }
    }

    #[test]
    fn a_key_is_read_back_from_its_text() {
        for text in ["link:/a", "name:a:b", "remote:h/p", "birth:00ff", "commit:00ff", "path:/a b\n"] {
            assert_eq!(text.parse::<ProjectKey>().unwrap().to_string(), text);
        }
        assert_eq!("colour:red".parse::<ProjectKey>(), Err(()));
    }

    #[test]
    fn law_8_a_name_a_remote_and_a_log_prove_nothing() {
        let mut register = Register::default();
        assert_eq!(register.meet("/a", &["name:n", "remote:h/r", "birth:a", "path:/a", "commit:1"]), 1);
        let forged: [&[&str]; 5] = [
            &["name:n", "path:/b"],
            &["remote:h/r", "path:/b"],
            &["birth:a", "path:/b"],
            &["name:n", "remote:h/r", "birth:a", "path:/b"],
            &["name:n", "remote:h/r", "birth:a", "path:/b", "commit:2"],
        ];
        for (at, keys) in forged.iter().enumerate() {
            let place = format!("path:/forged {at}");
            let keys: Vec<&str> =
                keys.iter().map(|key| if *key == "path:/b" { place.as_str() } else { *key }).collect();
            let project = register.meet("/b", &keys);
            assert_ne!(project, 1, "{keys:?}");
            assert!(register.claims(project, 1), "{keys:?}: the user is asked");
        }
        assert_eq!(register.meet("/a", &["name:n", "remote:h/r", "birth:a", "path:/a"]), 1);
    }

    #[test]
    fn a_clone_that_holds_the_first_commit_is_the_same_project_wherever_it_stands() {
        let mut register = Register::default();
        assert_eq!(register.meet("/a", &["remote:h/r", "birth:a", "path:/a", "commit:1"]), 1);
        assert_eq!(register.meet("/b", &["remote:h/r", "birth:b", "path:/b", "commit:1"]), 1);
        assert_eq!(register.meet("/moved", &["birth:b", "path:/moved", "commit:1"]), 1);
        assert_eq!(register.meet("/fork", &["remote:h/s", "birth:c", "path:/fork", "commit:1"]), 2);
        assert_eq!(register.meet("/fork 2", &["remote:h/s", "birth:d", "path:/fork 2", "commit:1"]), 2);
        assert!(!register.claims(2, 1), "a fork says that it is another project");
    }

    #[test]
    fn who_came_first_does_not_own_a_claim() {
        let mut register = Register::default();
        assert_eq!(register.meet("/forged", &["remote:h/r", "path:/forged", "commit:2"]), 1);
        assert_eq!(register.meet("/a", &["remote:h/r", "birth:a", "path:/a", "commit:1"]), 2);
        assert_eq!(register.meet("/b", &["remote:h/r", "birth:b", "path:/b", "commit:1"]), 2);
    }

    #[test]
    fn two_repositories_of_one_name_are_two_projects() {
        let mut register = Register::default();
        assert_eq!(register.meet("/x/app", &["remote:h/x/app", "birth:a", "path:/x/app", "commit:1"]), 1);
        assert_eq!(register.meet("/y/app", &["remote:h/y/app", "birth:b", "path:/y/app", "commit:2"]), 2);
        assert!(!register.claims(2, 1));
    }

    #[test]
    fn a_folder_that_becomes_a_repository_and_gets_a_remote_and_a_name_stays_one_project() {
        let mut register = Register::default();
        assert_eq!(register.meet("/a", &["path:/a"]), 1);
        assert_eq!(register.meet("/a", &["birth:a", "path:/a"]), 1);
        assert_eq!(register.meet("/a", &["remote:h/r", "birth:a", "path:/a", "commit:1"]), 1);
        assert_eq!(register.meet("/a", &["name:n", "remote:h/r", "birth:a", "path:/a"]), 1);
        assert_eq!(register.meet("/b", &["remote:h/r", "birth:b", "path:/b", "commit:1"]), 1);
    }

    #[test]
    fn a_repository_that_stands_where_another_stood_is_another_project() {
        let mut register = Register::default();
        assert_eq!(register.meet("/a", &["birth:a", "path:/a", "commit:1"]), 1);
        assert_eq!(register.meet("/a", &["birth:b", "path:/a", "commit:2"]), 2);
        assert_eq!(register.meet("/a", &["path:/a"]), 2, "the place belongs to who stands there now");
        assert_eq!(register.meet("/a", &["remote:h/c", "birth:c", "path:/a", "commit:3"]), 3);
        assert_eq!(register.meet("/elsewhere", &["birth:a", "path:/elsewhere", "commit:1"]), 1);
        assert_eq!(register.meet("/a", &["remote:h/c", "birth:d", "path:/a", "commit:3"]), 3, "cloned anew");
    }

    #[test]
    fn a_remote_that_replaces_another_is_another_project_unless_the_log_goes_on() {
        let mut register = Register::default();
        assert_eq!(register.meet("/a", &["remote:h/r", "path:/a"]), 1);
        assert_eq!(register.meet("/a", &["remote:h/s", "path:/a"]), 2);
        assert_eq!(register.meet("/b", &["remote:h/t", "birth:b", "path:/b"]), 3);
        assert_eq!(register.meet("/worktree", &["remote:h/u", "birth:b", "path:/b"]), 3);
    }

    #[test]
    fn a_repository_whose_log_was_expired_keeps_its_project() {
        let mut register = Register::default();
        assert_eq!(register.meet("/a", &["birth:a", "path:/a"]), 1);
        assert_eq!(register.meet("/a", &["path:/a"]), 1);
    }

    #[test]
    fn the_users_word_decides_against_everything_else() {
        let mut register = Register::default();
        assert_eq!(register.meet("/a", &["remote:h/r", "birth:a", "path:/a", "commit:1"]), 1);
        assert_eq!(register.meet("/b", &["remote:h/s", "birth:b", "path:/b", "commit:2"]), 2);
        register.link(1, "/b");
        assert_eq!(register.meet("/b", &["remote:h/s", "birth:c", "path:/b", "commit:2"]), 1);
        assert_eq!(register.meet("/c", &["remote:h/r", "birth:d", "path:/c"]), 3);
        assert!(register.claims(3, 1));
        register.link(3, "/c");
        assert_eq!(register.meet("/c", &["remote:h/r", "birth:d", "path:/c", "commit:1"]), 3);
        assert!(!register.claims(3, 1), "answered");
    }

    #[test]
    fn what_is_imported_without_a_folder_finds_its_project_by_any_key() {
        let mut register = Register::default();
        assert_eq!(register.meet("/a", &["remote:h/r", "birth:a", "path:/a", "commit:1"]), 1);
        assert_eq!(register.meet("", &["remote:h/r", "path:/home/else"]), 1);
        assert_eq!(register.meet("", &["name:n"]), 2);
        assert_eq!(register.meet("", &["name:n"]), 2);
        assert_eq!(register.meet("/b", &["name:n", "path:/b"]), 3, "a folder needs more than its word");
    }
}
