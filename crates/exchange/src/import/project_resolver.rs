//! Finds the project that something imported belongs to, or makes it; each is looked up once.

use super::options::{DefaultProject, ImportOptions};
use crate::imported::ImportedProject;
use backstory_capture::{Redactor, proven_project_ref, safe_project_ref, unlocated_project_ref};
use backstory_memory::{ProjectId, ProjectKey, ProjectRef, Redacted, Timestamp};
use backstory_store::{Recognition, Store, StoreError};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long git may look for proof of which project a folder belongs to. A person waits for this, no hook.
const PROOF_PATIENCE: Duration = Duration::from_secs(5);

/// Returns the project a folder belongs to, with proof where the store has not met the folder.
pub fn located_project_ref(store: &Store, folder: &Path, redactor: &Redactor) -> Redacted<ProjectRef> {
    // A store that cannot answer knows nothing.
    let is_unknown = |project_ref: &ProjectRef| {
        let recognition = store.projects().recognise(project_ref).unwrap_or(Recognition::Unknown);
        recognition == Recognition::Unknown && project_ref.makes_claims()
    };
    proven_project_ref(folder, redactor, PROOF_PATIENCE, is_unknown)
}

/// Finds and makes projects.
pub(crate) struct ProjectResolver<'a> {
    redactor: &'a Redactor,
    now: Timestamp,
    rules: ProjectRules<'a>,
    known: HashMap<ImportedProject, Option<ProjectId>>,
}

enum ProjectRules<'a> {
    /// Only some projects are wanted.
    Filtered(ProjectRefs<'a>),
    /// All are; memories that name none belong to this one.
    All(&'a DefaultProject),
}

impl<'a> ProjectResolver<'a> {
    /// Resolves only projects that an import of what is on this machine wants.
    pub(crate) fn filtered(options: &'a ImportOptions<'a>) -> ProjectResolver<'a> {
        let (redactor, now) = (options.redactor, options.now);
        let rules = ProjectRules::Filtered(ProjectRefs::new(options));
        ProjectResolver { redactor, now, rules, known: HashMap::new() }
    }

    /// Resolves every project; memories that name none belong to `default`.
    pub(crate) fn all(
        redactor: &'a Redactor,
        now: Timestamp,
        default: &'a DefaultProject,
    ) -> ProjectResolver<'a> {
        ProjectResolver { redactor, now, rules: ProjectRules::All(default), known: HashMap::new() }
    }

    /// Takes secrets out of a name.
    pub(crate) fn redact(&self, name: &str) -> Redacted<String> {
        self.redactor.scrub(name)
    }

    /// Finds or makes a project; nothing where it is not wanted.
    pub(crate) fn resolve(
        &mut self,
        store: &mut Store,
        project: &ImportedProject,
    ) -> Result<Option<ProjectId>, StoreError> {
        if let Some(known) = self.known.get(project) {
            return Ok(*known);
        }
        let id = match project {
            ImportedProject::Folder(folder) if self.wants_folder(folder) => {
                let project_ref = located_project_ref(store, folder, self.redactor);
                Some(store.projects_mut().find_or_create(&project_ref, self.now)?)
            }
            ImportedProject::Folder(_) => None,
            ImportedProject::Keyed { name, keys } => {
                let project_ref = unlocated_project_ref(name, keys, self.redactor);
                Some(store.projects_mut().find_or_create(&project_ref, self.now)?)
            }
            ImportedProject::Named(name) => self.named(store, name)?,
            ImportedProject::Unnamed => match self.rules {
                ProjectRules::Filtered(_) => None,
                ProjectRules::All(DefaultProject::Known(id)) => Some(*id),
                ProjectRules::All(DefaultProject::At(project_ref)) => {
                    Some(store.projects_mut().find_or_create(project_ref, self.now)?)
                }
            },
        };
        self.known.insert(project.clone(), id);
        Ok(id)
    }

    fn wants_folder(&mut self, folder: &Path) -> bool {
        match &mut self.rules {
            ProjectRules::Filtered(refs) => refs.project_ref(folder).is_some(),
            ProjectRules::All(_) => true,
        }
    }

    fn named(&self, store: &mut Store, name: &str) -> Result<Option<ProjectId>, StoreError> {
        let name = self.redactor.scrub(name).into_inner();
        if let ProjectRules::Filtered(refs) = &self.rules
            && !refs.options.wants_name(&name)
        {
            return Ok(None);
        }
        // Among several projects of that name, nothing says which one it is.
        if let [only] = store.projects().named(&name)?.as_slice() {
            return Ok(Some(only.id));
        }
        let project_ref = unlocated_project_ref(&name, &[ProjectKey::Named(name.clone())], self.redactor);
        store.projects_mut().find_or_create(&project_ref, self.now).map(Some)
    }
}

/// What folders say about their projects, each looked at once.
pub(crate) struct ProjectRefs<'a> {
    options: &'a ImportOptions<'a>,
    known: HashMap<PathBuf, Option<Redacted<ProjectRef>>>,
}

impl<'a> ProjectRefs<'a> {
    pub(crate) fn new(options: &'a ImportOptions<'a>) -> ProjectRefs<'a> {
        ProjectRefs { options, known: HashMap::new() }
    }

    /// Returns the project of a folder; nothing where it is not wanted.
    pub(crate) fn project_ref(&mut self, folder: &Path) -> Option<Redacted<ProjectRef>> {
        if let Some(known) = self.known.get(folder) {
            return known.clone();
        }
        let options = self.options;
        // A path of another system is no folder here.
        let project_ref =
            folder.is_absolute().then(|| safe_project_ref(folder, options.redactor)).filter(|project_ref| {
                !(options.excludes_folder)(folder) && options.wants_keys(&project_ref.keys)
            });
        self.known.insert(folder.to_owned(), project_ref.clone());
        project_ref
    }
}
