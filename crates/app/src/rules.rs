//! The user's rules: listing them, and writing them into a file that hosts load by themselves, if the user asks for that (law 10).
//!
//! Writing, changing and retiring a rule is as for any memory (`remember`, `review`). Not here: how a block in a file reads (`inject`).

use crate::app::{App, ProjectSelector};
use crate::error::AppError;
use backstory_distil::ProjectFiles;
use backstory_inject::{is_damaged, with_rules, without_rules};
use backstory_memory::{Memory, MemoryId, MemoryScope};
use backstory_store::{Scope, Store};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// How many rules are read of a project: more than anybody has.
const MOST_RULES: u32 = 1_000;

/// What is to become of the rules in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RulesFileAction {
    /// The project's rules are put into a marked block of it.
    Write,
    /// The block is taken out.
    Remove,
}

/// A change of a file that was not made yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RulesFileChange {
    /// The file.
    pub path: PathBuf,
    /// What the file says; none if there is no file.
    pub before: Option<String>,
    /// What the file is to say; none if it is to be removed.
    pub after: Option<String>,
}

impl App {
    /// Lists the confirmed rules of a project, or of all of them, and those of the user that hold everywhere.
    pub fn rules(&self, store: &Store, project: &ProjectSelector) -> Result<Vec<Memory>, AppError> {
        let projects = match self.scope(store, project)? {
            Some(Scope::Project(project)) => vec![project],
            Some(Scope::Everywhere) => {
                store.projects().list()?.into_iter().map(|summary| summary.project.id).collect()
            }
            None => Vec::new(),
        };
        let mut rules = Vec::new();
        for project in projects {
            rules.extend(store.search().rules(project, MOST_RULES)?);
        }
        // Rules that hold everywhere were listed with each project.
        let mut listed = BTreeSet::new();
        rules.retain(|rule| listed.insert(rule.0));
        Ok(store.memories().get_many(&rules)?)
    }

    /// Returns for rules of this folder's project and of the user which of the project's files says otherwise.
    pub fn contradicted_rules(
        &self,
        store: &Store,
        rules: &[Memory],
    ) -> Result<BTreeMap<MemoryId, String>, AppError> {
        let project_ref = self.project_ref_in(store, &self.cwd);
        let Some(here) = store.projects().find(&project_ref)? else { return Ok(BTreeMap::new()) };
        let files = ProjectFiles::new(Some(Path::new(&project_ref.root)));
        let own = rules.iter().filter(|it| it.project == here || it.content.scope == MemoryScope::User);
        let remarks = own.filter_map(|it| Some((it.id, files.contradiction(&it.content.title)?)));
        Ok(remarks.collect())
    }

    /// Plans what becomes of a file at the root of this folder's project. Rules that hold everywhere stay out of a repository.
    pub fn plan_rules_file(
        &self,
        store: &Store,
        name: &str,
        action: RulesFileAction,
    ) -> Result<RulesFileChange, AppError> {
        self.refuse_agent("change the rules in a file")?;
        let root = PathBuf::from(&self.project_ref_in(store, &self.cwd).root);
        let path = within(&root, name)?;
        let before = read(&path)?;
        let text = before.as_deref().unwrap_or_default();
        if is_damaged(text) {
            return Err(AppError::user(format!("the block of rules in `{}` is damaged", path.display()))
                .hint("delete what is left of it, its first or last line too, then try again"));
        }
        let after = match action {
            RulesFileAction::Write => {
                let mut rules = self.rules(store, &ProjectSelector::Here)?;
                rules.retain(|rule| rule.content.scope == MemoryScope::Project);
                match without_rules(text) {
                    _ if !rules.is_empty() => Some(with_rules(text, &rules)),
                    // The last rule was retired.
                    Some(rest) => Some(rest).filter(|rest| !rest.is_empty()),
                    None => {
                        return Err(AppError::user("this project has no confirmed rules")
                            .hint("`backstory rules add TEXT` writes one"));
                    }
                }
            }
            RulesFileAction::Remove => {
                let rest = without_rules(text).ok_or_else(|| {
                    AppError::user(format!("`{}` holds no rules of Backstory", path.display()))
                })?;
                // A file that holds nothing but our block was made by us, and is removed.
                Some(rest).filter(|rest| !rest.is_empty())
            }
        };
        Ok(RulesFileChange { path, before, after })
    }
}

impl RulesFileChange {
    /// Whether the file is already as wanted.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.before == self.after
    }

    /// Makes the change, whole or not at all. Refuses if the file has changed since the plan, so that nobody's words are lost.
    pub fn carry_out(&self) -> Result<(), AppError> {
        if read(&self.path)? != self.before {
            return Err(AppError::user(format!("`{}` has changed meanwhile", self.path.display()))
                .hint("run the command again"));
        }
        match &self.after {
            Some(text) if self.before.is_none() => {
                create(&self.path, text.as_bytes()).map_err(|error| cannot("write", &self.path, &error))
            }
            Some(text) => {
                replace(&self.path, text.as_bytes()).map_err(|error| cannot("write", &self.path, &error))
            }
            None => fs::remove_file(&self.path).map_err(|error| cannot("remove", &self.path, &error)),
        }
    }
}

/// Returns the path of a file at the root. Refuses a link that leads out of the root.
fn within(root: &Path, name: &str) -> Result<PathBuf, AppError> {
    let path = root.join(name);
    let Ok(target) = path.canonicalize() else { return Ok(path) };
    let is_inside = root.canonicalize().is_ok_and(|root| target.starts_with(root));
    if is_inside {
        Ok(target)
    } else {
        Err(AppError::user(format!("`{}` leads out of the project", path.display())))
    }
}

/// Reads a file; none if there is no such file.
fn read(path: &Path) -> Result<Option<String>, AppError> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(cannot("read", path, &error)),
    }
}

/// Writes a new file with the user's usual permissions, because others may need to read it.
fn create(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut file = fs::File::create_new(path)?;
    file.write_all(bytes).inspect_err(|_| drop(fs::remove_file(path)))
}

pub(crate) fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let directory = path.parent().unwrap_or(Path::new("/"));
    let mut draft = tempfile::Builder::new().prefix(".backstory-").tempfile_in(directory)?;
    draft.write_all(bytes)?;
    // The draft replaces the file, so it takes over who may read it.
    if let Ok(metadata) = path.metadata() {
        draft.as_file().set_permissions(metadata.permissions())?;
    }
    draft.as_file().sync_all()?;
    draft.persist(path).map_err(|error| error.error).map(drop)
}

fn cannot(verb: &str, path: &Path, error: &std::io::Error) -> AppError {
    AppError::user(format!("cannot {verb} `{}`", path.display())).because(error)
}
