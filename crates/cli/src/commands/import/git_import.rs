//! `import --git DIR`: pulls what a team shares through a folder in git.

use super::{ImportArgs, embed, tidy_up};
use crate::exit::Exit;
use crate::refused_files::RefusedFilesJson;
use crate::teams;
use crate::ui::{Ui, one_line};
use backstory_app::app::project_name;
use backstory_app::{App, AppError};
use backstory_sync::{GitPull, GitShare, preview_pull, pull_from_folder};
use serde::Serialize;
use std::path::Path;

/// What an import did, or would.
#[derive(Serialize)]
struct GitImportAnswer {
    version: u32,
    project: String,
    written: u64,
    revised: u64,
    forgotten: u64,
    /// Whether nothing was imported yet.
    dry_run: bool,
    #[serde(flatten)]
    refused: RefusedFilesJson,
}

/// Imports from a folder in git.
pub(super) fn run(dir: &str, args: &ImportArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    if !Path::new(dir).is_dir() {
        return Err(AppError::user(format!("there is no folder `{dir}`"))
            .hint("`backstory export --git DIR` makes it; is the branch checked out that holds it?"));
    }
    let answer = if args.dry_run { preview(dir, args, app)? } else { import(dir, args, app, ui)? };
    let exit = if answer.refused.count == 0 { Exit::Done } else { Exit::No };
    if args.json {
        ui.json(&answer)?;
        return Ok(exit);
    }
    answer.refused.print(ui);
    let pulled = if answer.dry_run { "would pull" } else { "pulled" };
    ui.line(&format!(
        "`{}` {pulled} {} new, {} revised, {} forgotten",
        one_line(&answer.project),
        answer.written,
        answer.revised,
        answer.forgotten
    ))?;
    Ok(exit)
}

fn import(dir: &str, args: &ImportArgs, app: &App, ui: &Ui) -> Result<GitImportAnswer, AppError> {
    let mut store = app.store()?;
    let lock = teams::lock(app, ui)?;
    let project = app.project_to_write(&mut store, args.project.as_deref())?;
    let share = GitShare { dir: Path::new(dir), policy: &teams::share_policy(app), now: app.now };
    let pulled = pull_from_folder(&mut store, project, &share)?;
    // What follows takes long, and no sync has to wait for it.
    drop(lock);
    tidy_up(&mut store, app);
    embed(&mut store, args, app, ui)?;
    Ok(answer(pulled, project_name(&store, project)?, args))
}

fn preview(dir: &str, args: &ImportArgs, app: &App) -> Result<GitImportAnswer, AppError> {
    let store = app.store_to_read()?;
    let project = app.known_project(&store, args.project.as_deref())?;
    let share = GitShare { dir: Path::new(dir), policy: &teams::share_policy(app), now: app.now };
    let preview = preview_pull(&store, project, &share)?;
    let name = project.map(|project| project_name(&store, project)).transpose()?.unwrap_or_default();
    Ok(answer(preview, name, args))
}

fn answer(pulled: GitPull, project: String, args: &ImportArgs) -> GitImportAnswer {
    let GitPull { written, revised, forgotten, refused } = pulled;
    let (dry_run, refused) = (args.dry_run, refused.into());
    GitImportAnswer { version: 1, project, written, revised, forgotten, dry_run, refused }
}
