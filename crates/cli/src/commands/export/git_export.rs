//! `export --git DIR`: pushes to a team through a folder in git.

use super::ExportArgs;
use super::folder::files;
use crate::exit::Exit;
use crate::outgoing::OutgoingMemory;
use crate::refused_files::RefusedFilesJson;
use crate::teams;
use crate::ui::{Ui, memories, one_line};
use backstory_app::app::project_name;
use backstory_app::{App, AppError};
use backstory_capture::git;
use backstory_store::Store;
use backstory_sync::{GitShare, author_name, git_author, preview_push, push_to_folder};
use serde::Serialize;
use std::path::Path;
use std::time::Duration;

/// How long git may take to answer with a name.
const GIT_DEADLINE: Duration = Duration::from_secs(5);

/// What an export did, or would.
#[derive(Default, Serialize)]
struct GitExportAnswer {
    version: u32,
    project: String,
    author: String,
    /// Memories of which something was written.
    memories: u64,
    /// Files that were added.
    written: u64,
    /// Memories that were forgotten and still in the folder.
    forgotten: u64,
    /// Files that were removed with them.
    removed: u64,
    /// Memories that are not for others.
    kept_local: u64,
    #[serde(flatten)]
    refused: RefusedFilesJson,
    /// What would be pushed, in a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    outgoing: Option<Vec<OutgoingMemory>>,
}

/// Exports to a folder in git.
pub(super) fn run(dir: &str, args: &ExportArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    let answer = if args.dry_run { preview(dir, args, app)? } else { export(dir, args, app, ui)? };
    let exit = if answer.refused.count == 0 { Exit::Done } else { Exit::No };
    if args.json {
        ui.json(&answer)?;
        return Ok(exit);
    }
    answer.refused.print(ui);
    let (count, project) = (memories(answer.memories), one_line(&answer.project));
    if let Some(outgoing) = &answer.outgoing {
        ui.line(&format!(
            "`{project}` would push {count} as {}, {} forgotten; {} kept local",
            answer.author, answer.forgotten, answer.kept_local
        ))?;
        outgoing.iter().try_for_each(|memory| memory.print(ui))?;
        return Ok(exit);
    }
    ui.line(&format!(
        "`{project}` pushed {count} as {}, {} forgotten: {} added, {} removed",
        answer.author,
        answer.forgotten,
        files(answer.written),
        answer.removed
    ))?;
    Ok(exit)
}

fn export(dir: &str, args: &ExportArgs, app: &App, ui: &Ui) -> Result<GitExportAnswer, AppError> {
    let mut store = app.store()?;
    let _lock = teams::lock(app, ui)?;
    let project = app.project_to_write(&mut store, args.project.as_deref())?;
    let author = author(&store, args.r#as.as_deref(), app)?;
    let share = GitShare { dir: Path::new(dir), policy: &teams::share_policy(app), now: app.now };
    let pushed = push_to_folder(&mut store, project, &author, &share)?;
    Ok(GitExportAnswer {
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

fn preview(dir: &str, args: &ExportArgs, app: &App) -> Result<GitExportAnswer, AppError> {
    let store = app.store_to_read()?;
    let project = app.known_project(&store, args.project.as_deref())?;
    let author = author(&store, args.r#as.as_deref(), app)?;
    let share = GitShare { dir: Path::new(dir), policy: &teams::share_policy(app), now: app.now };
    let preview = preview_push(&store, project, &share)?;
    let outgoing: Vec<OutgoingMemory> =
        preview.outgoing.into_iter().filter_map(OutgoingMemory::from_shared).collect();
    Ok(GitExportAnswer {
        version: 1,
        project: project.map(|project| project_name(&store, project)).transpose()?.unwrap_or_default(),
        author,
        memories: outgoing.len() as u64,
        forgotten: preview.forgotten,
        kept_local: preview.kept_local,
        refused: preview.refused.into(),
        outgoing: Some(outgoing),
        ..GitExportAnswer::default()
    })
}

/// Returns the author of what is pushed: the name on the command line, git's, or the one of the last time.
fn author(store: &Store, named: Option<&str>, app: &App) -> Result<String, AppError> {
    if let Some(named) = named {
        let not_a_name =
            || AppError::usage(format!("`{named}` is not a name")).hint("use letters and digits");
        return author_name(named).ok_or_else(not_a_name);
    }
    let of_git = git::user_name(&app.cwd, GIT_DEADLINE).and_then(|name| author_name(&name));
    let author = of_git.map_or_else(|| git_author(store), |name| Ok(Some(name)))?;
    author.ok_or_else(|| {
        AppError::usage("who says it? what is shared is shown with its author")
            .hint("`--as NAME` says it, or `git config user.name NAME`")
    })
}
