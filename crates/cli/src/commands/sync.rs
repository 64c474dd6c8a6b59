//! `sync`: pushes what is new here to teams, and pulls what is new there.

use crate::exit::Exit;
use crate::outgoing_words::print_outgoing;
use crate::ui::{Ui, memories, one_line};
use backstory_app::json::{ProjectSyncShape, SyncProblemShape, SyncShape};
use backstory_app::{App, AppError};
use clap::Args;

/// Arguments of `sync`.
#[derive(Args, Debug)]
pub(crate) struct SyncArgs {
    /// Show what would be pushed, and push nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Output as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Syncs, or shows what it would push. The exit code is not 0 where anything was not synced.
pub(crate) fn run(args: &SyncArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    if args.dry_run {
        return show_outgoing(args, app, ui);
    }
    let done = app.teams(&|note| ui.say(note)).sync()?;
    let is_complete = done.projects.iter().all(ProjectSyncShape::is_complete);
    done.projects.iter().flat_map(ProjectSyncShape::mishaps).for_each(|line| ui.say(&line));
    if args.json {
        let problems = done.problems.iter();
        let problems = problems
            .map(|(team, failure)| SyncProblemShape { team: team.clone(), error: failure.line() })
            .collect();
        ui.json(&SyncShape { version: 1, projects: done.projects, problems })?;
    } else {
        done.projects.iter().try_for_each(|synced| ui.line(&summary(synced)))?;
    }
    let mut problems = done.problems.into_iter().map(|(team, failure)| failure.named(&team));
    match problems.next_back() {
        Some(last) => {
            problems.for_each(|failure| ui.fail(&failure));
            Err(last)
        }
        None => Ok(if is_complete { Exit::Done } else { Exit::No }),
    }
}

fn summary(synced: &ProjectSyncShape) -> String {
    format!(
        "{} with {}: pushed {}, pulled {} new, {} revised, {} forgotten",
        one_line(&synced.project),
        synced.team,
        memories(synced.pushed),
        synced.written,
        synced.revised,
        synced.forgotten
    )
}

fn show_outgoing(args: &SyncArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    let outgoing = app.teams(&|note| ui.say(note)).outgoing()?;
    if args.json {
        ui.json(&outgoing)?;
        return Ok(Exit::Done);
    }
    for project in &outgoing.projects {
        ui.line(&format!(
            "{} would push to {}: {}, {} forgotten; {} kept local",
            one_line(&project.project),
            project.team,
            memories(project.memories.len() as u64),
            project.forgotten.len(),
            project.kept_local
        ))?;
        project.memories.iter().try_for_each(|memory| print_outgoing(memory, ui))?;
    }
    Ok(Exit::Done)
}
