//! Which folders are one project, if only the user can tell: claims that nothing proves, and the user's answers.
//!
//! A hook cannot ask. So a folder that claims to be a project of the user gets a project of its own, and the question waits in
//! `status`, `doctor` and `project`.

use crate::app::App;
use crate::error::{AppError, ErrorCode};
use crate::progress::OnNote;
use crate::projects::ProjectMerge;
use crate::words::one_line;
use backstory_capture::git::{GitRefusal, refuses_dirty_files};
use backstory_memory::{ProjectId, ProjectRef, Redacted};
use backstory_store::{Project, ProjectClaim, Store};

/// A folder that is to belong to a project.
#[derive(Debug)]
pub struct ProjectLink {
    /// The project it will belong to.
    pub into: Project,
    /// The project of the folder alone, whose memories move along.
    pub from: Option<Project>,
    project_ref: Redacted<ProjectRef>,
}

impl App {
    /// Returns the questions that wait for the user: one for each project that claims to be another.
    pub fn project_questions(&self, store: &Store) -> Result<Vec<String>, AppError> {
        Ok(store.projects().claims()?.iter().map(question).collect())
    }

    /// Returns what should be known about this folder, though nothing is wrong with it.
    pub(crate) fn folder_notes(&self) -> Vec<String> {
        match refuses_dirty_files(&self.cwd) {
            Some(GitRefusal::Filters) => vec![
                "git is not asked which files changed here: the repository's own settings define filters or include \
                 others, so that asking could run its programs"
                    .to_owned(),
            ],
            _ => Vec::new(),
        }
    }

    /// Finds the project that this folder is to belong to: the one that is named, else the one it claims to be. Nothing is changed
    /// yet.
    pub fn plan_link(&self, store: &Store, wanted: Option<&str>) -> Result<ProjectLink, AppError> {
        self.refuse_agent("link a folder to a project")?;
        let project_ref = self.project_ref_in(store, &self.cwd);
        let here = store.projects().find(&project_ref)?;
        let into = match wanted {
            Some(wanted) => self.project_called(store, wanted)?,
            None => self.claimed_project(store, here)?,
        };
        if here == Some(into) {
            let name = project_of(store, into)?.name;
            return Err(AppError::user(format!("this folder belongs to `{}` already", one_line(&name)))
                .hint("`backstory project link PROJECT` names another"));
        }
        let from = match here {
            Some(here) if store.projects().is_only_place(&project_ref, here)? => {
                Some(project_of(store, here)?)
            }
            _ => None,
        };
        Ok(ProjectLink { into: project_of(store, into)?, from, project_ref })
    }

    /// Links this folder to a project, and moves what was remembered in the folder alone.
    pub fn link_project(
        &self,
        store: &mut Store,
        link: &ProjectLink,
        on_note: OnNote<'_>,
    ) -> Result<ProjectId, AppError> {
        self.refuse_agent("link a folder to a project")?;
        if let Some(from) = &link.from {
            let merge = ProjectMerge { from: from.id, into: link.into.id, from_name: from.name.clone() };
            self.merge_projects(store, &merge, on_note)?;
        }
        store.projects_mut().link(&link.project_ref, link.into.id, self.now)?;
        Ok(link.into.id)
    }

    /// Makes this folder a project of its own, whatever it claims to be. Memories stay where they are.
    pub fn unlink_project(&self, store: &mut Store) -> Result<ProjectId, AppError> {
        self.refuse_agent("unlink a folder")?;
        let project_ref = self.project_ref_in(store, &self.cwd);
        Ok(store.projects_mut().unlink(&project_ref, self.now)?)
    }

    /// Refuses to share a project that claims to be another: a team would take it for that one.
    pub(crate) fn refuse_unanswered(&self, store: &Store, project: ProjectId) -> Result<(), AppError> {
        let claims = store.projects().claims()?;
        match claims.iter().find(|claim| claim.project.id == project) {
            Some(claim) => Err(AppError::user(question(claim))),
            None => Ok(()),
        }
    }

    fn claimed_project(&self, store: &Store, here: Option<ProjectId>) -> Result<ProjectId, AppError> {
        let claims = store.projects().claims()?;
        let claimed: Vec<&Project> = claims
            .iter()
            .filter(|claim| Some(claim.project.id) == here)
            .map(|claim| &claim.claimed)
            .collect();
        match claimed.as_slice() {
            [only] => Ok(only.id),
            [] => Err(AppError::usage("this folder does not claim to be another project")
                .hint("`backstory project link PROJECT` names the one it belongs to")),
            several => {
                let failure =
                    AppError::new(ErrorCode::AmbiguousProject, "this folder claims to be several projects");
                Err(several.iter().fold(failure, |failure, project| {
                    failure.hint(format!(
                        "`backstory project link {}` for `{}`",
                        project.id,
                        one_line(&project.name)
                    ))
                }))
            }
        }
    }
}

fn project_of(store: &Store, id: ProjectId) -> Result<Project, AppError> {
    store.projects().get(id)?.ok_or_else(|| AppError::internal("a project is gone"))
}

/// Asks whether a project is the one it claims to be, once: when its first session starts. It holds no name
/// and no path, because a repository may call itself anything.
pub(crate) fn question_at_first_session(store: &Store, project: ProjectId) -> Option<String> {
    let is_first = store.sessions().list(Some(project), 2, 0).is_ok_and(|sessions| sessions.len() < 2);
    let claims = is_first.then(|| store.projects().claims().ok()).flatten()?;
    let claim = claims.iter().find(|claim| claim.project.id == project)?;
    Some(format!(
        "This folder says it is Backstory's project {id}, which you have in another folder; nothing proves it, so it sees nothing of \
         it. `backstory project link {id}` joins them, `backstory project unlink` keeps them apart.",
        id = claim.claimed.id
    ))
}

/// Asks whether two projects are one, on one line.
fn question(claim: &ProjectClaim) -> String {
    let place = |project: &Project| one_line(project.roots.first().unwrap_or(&project.name));
    format!(
        "`{}` says it is the same project as `{}` in `{}`, and nothing proves it; in that folder, `backstory project link {}` joins \
         them and `backstory project unlink` keeps them apart",
        place(&claim.project),
        one_line(&claim.claimed.name),
        place(&claim.claimed),
        claim.claimed.id
    )
}
