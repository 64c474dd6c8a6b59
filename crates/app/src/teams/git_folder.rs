//! Sharing a project through a folder in git: pushing to it and pulling from it, or showing what that would do.

use super::Teams;
use crate::app::project_name;
use crate::error::AppError;
use crate::json::{GitPullShape, GitPushShape, OutgoingMemoryShape};
use backstory_capture::git;
use backstory_memory::ProjectId;
use backstory_store::{Store, StoreError};
use backstory_sync::{
    GitPull, GitShare, SharePolicy, author_name, git_author, preview_pull, preview_push, pull_from_folder,
    push_to_folder,
};
use std::path::PathBuf;
use std::time::Duration;

/// How long git may take to answer with a name.
const GIT_DEADLINE: Duration = Duration::from_secs(5);

/// A folder in git that a project is shared through.
#[derive(Clone, Debug)]
pub struct GitFolderRequest {
    /// The folder.
    pub dir: PathBuf,
    /// The project: its name, its number or a folder in it; without it, the one of this folder.
    pub project: Option<String>,
    /// Who says what is pushed; without it, the name git has.
    pub author: Option<String>,
}

impl GitFolderRequest {
    fn share<'a>(&'a self, policy: &'a SharePolicy, teams: &Teams<'_>) -> GitShare<'a> {
        GitShare { dir: &self.dir, policy, now: teams.app.now }
    }

    /// Refuses a folder that is not there.
    fn require_dir(&self) -> Result<(), AppError> {
        if self.dir.is_dir() {
            return Ok(());
        }
        Err(AppError::user(format!("there is no folder `{}`", self.dir.display()))
            .hint("`backstory export --git DIR` makes it; is the branch checked out that holds it?"))
    }
}

impl Teams<'_> {
    /// Pushes a project to a folder.
    pub fn push_to_git(&self, request: &GitFolderRequest) -> Result<GitPushShape, AppError> {
        let mut store = self.app.store()?;
        let _lock = self.lock()?;
        let project = self.app.project_to_write(&mut store, request.project.as_deref())?;
        let author = self.author(&store, request)?;
        let policy = self.app.share_policy();
        let pushed = push_to_folder(&mut store, project, &author, &request.share(&policy, self))?;
        Ok(GitPushShape {
            version: 1,
            project: project_name(&store, project)?,
            author,
            memories: pushed.memories,
            written: pushed.added,
            forgotten: pushed.forgotten,
            removed: pushed.removed,
            kept_local: pushed.kept_local,
            refused: pushed.refused.into(),
            outgoing: None,
        })
    }

    /// Returns what a push to a folder would do, every word of it.
    pub fn preview_git_push(&self, request: &GitFolderRequest) -> Result<GitPushShape, AppError> {
        let store = self.app.store_to_read()?;
        let project = self.app.known_project(&store, request.project.as_deref())?;
        let author = self.author(&store, request)?;
        let preview = preview_push(&store, project, &request.share(&self.app.share_policy(), self))?;
        let outgoing = OutgoingMemoryShape::list(&preview.outgoing);
        Ok(GitPushShape {
            version: 1,
            project: name_of(&store, project)?,
            author,
            memories: outgoing.len() as u64,
            forgotten: preview.forgotten,
            kept_local: preview.kept_local,
            refused: preview.refused.into(),
            outgoing: Some(outgoing),
            ..GitPushShape::default()
        })
    }

    /// Pulls a project from a folder.
    pub fn pull_from_git(
        &self,
        store: &mut Store,
        request: &GitFolderRequest,
    ) -> Result<GitPullShape, AppError> {
        request.require_dir()?;
        let lock = self.lock()?;
        let project = self.app.project_to_write(store, request.project.as_deref())?;
        let pulled = pull_from_folder(store, project, &request.share(&self.app.share_policy(), self))?;
        // What follows takes long, and no sync has to wait for it.
        drop(lock);
        self.app.merge_word_index(store);
        self.app.reconcile_written(store);
        Ok(GitPullShape { dry_run: false, ..pull_shape(pulled, project_name(store, project)?) })
    }

    /// Returns what a pull from a folder would do.
    pub fn preview_git_pull(&self, request: &GitFolderRequest) -> Result<GitPullShape, AppError> {
        request.require_dir()?;
        let store = self.app.store_to_read()?;
        let project = self.app.known_project(&store, request.project.as_deref())?;
        let preview = preview_pull(&store, project, &request.share(&self.app.share_policy(), self))?;
        Ok(GitPullShape { dry_run: true, ..pull_shape(preview, name_of(&store, project)?) })
    }

    /// Returns the author of what is pushed: the one that is named, git's, or the one of the last time.
    fn author(&self, store: &Store, request: &GitFolderRequest) -> Result<String, AppError> {
        if let Some(named) = &request.author {
            let not_a_name =
                || AppError::usage(format!("`{named}` is not a name")).hint("use letters and digits");
            return author_name(named).ok_or_else(not_a_name);
        }
        let of_git = git::user_name(&self.app.cwd, GIT_DEADLINE).and_then(|name| author_name(&name));
        let author = of_git.map_or_else(|| git_author(store), |name| Ok(Some(name)))?;
        author.ok_or_else(|| {
            AppError::usage("what is shared is shown with its author, and git knows no name")
                .hint("`--as NAME` names the author, and so does `git config user.name NAME`")
        })
    }
}

fn name_of(store: &Store, project: Option<ProjectId>) -> Result<String, StoreError> {
    Ok(project.map(|project| project_name(store, project)).transpose()?.unwrap_or_default())
}

fn pull_shape(pulled: GitPull, project: String) -> GitPullShape {
    let GitPull { written, revised, forgotten, refused } = pulled;
    GitPullShape { version: 1, project, written, revised, forgotten, refused: refused.into(), dry_run: false }
}
