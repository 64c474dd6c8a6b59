//! `sync`: pushes what is new here to teams, and pulls what is new there. Hooks never do; they start this at the end of a session and do not
//! wait for it.

use crate::exit::Exit;
use crate::outgoing::OutgoingMemory;
use crate::teams;
use crate::ui::{Ui, memories, one_line};
use backstory_app::app::project_name;
use backstory_app::{App, AppError, log, vectors};
use backstory_store::{SharedProject, Team};
use backstory_sync::{SyncLock, SyncReport, TeamSync, hub_teams, outgoing, shared_through_hubs};
use clap::Args;
use serde::Serialize;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

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

/// What was pushed and pulled, for other programs.
#[derive(Serialize)]
struct SyncAnswer {
    version: u32,
    projects: Vec<ProjectSyncJson>,
    /// The teams that could not be synced, and why.
    problems: Vec<SyncProblemJson>,
}

#[derive(Serialize)]
struct SyncProblemJson {
    team: String,
    error: String,
}

#[derive(Serialize)]
struct ProjectSyncJson {
    project: String,
    team: String,
    pushed: u64,
    kept_local: u64,
    written: u64,
    revised: u64,
    forgotten: u64,
    /// Memories the hub rejected.
    rejected_by_hub: Vec<RejectedJson>,
    /// The uids of memories on the hub that this build cannot read.
    unreadable: Vec<String>,
    /// How many pulled changes were refused here: the memory is not the team's to change, or cannot be stored.
    refused: u64,
    /// How many stand under another project of the team.
    in_other_project: u64,
    /// Whether the hub was restored, so that everything was pulled again.
    resynced: bool,
}

#[derive(Serialize)]
struct RejectedJson {
    uid: String,
    why: String,
}

/// What would be pushed, for other programs: every word of it.
#[derive(Serialize)]
struct OutgoingAnswer {
    version: u32,
    projects: Vec<ProjectOutgoing>,
}

#[derive(Serialize)]
struct ProjectOutgoing {
    project: String,
    team: String,
    memories: Vec<OutgoingMemory>,
    forgotten: Vec<String>,
    kept_local: u64,
}

/// Syncs, or shows what it would push.
pub(crate) fn run(args: &SyncArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    if args.dry_run {
        return show_outgoing(args, app, ui);
    }
    let done = sync(args, app, ui);
    if let Err(failure) = &done {
        // Most syncs run where nobody looks.
        log::line(&app.home, app.now, &format!("sync: {}", failure.line()));
    }
    done
}

/// Syncs again and again, each time in a process of its own: a hub that stalls stalls nobody else.
pub(crate) fn every(minutes: u32, flags: &[String], app: &App) {
    let Ok(program) = std::env::current_exe() else { return };
    if minutes == 0 {
        return;
    }
    let (home, flags) = (app.home.root().to_owned(), flags.to_vec());
    std::thread::spawn(move || {
        loop {
            wait(Duration::from_secs(u64::from(minutes) * 60));
            let mut command = Command::new(&program);
            command.arg("sync").args(flags.iter().flat_map(|flag| ["--set", flag])).current_dir(&home);
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            // What went wrong stands in the log; the next one may have more luck.
            drop(command.status());
        }
    });
}

fn sync(args: &SyncArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    let mut store = app.store()?;
    let Some(lock) = SyncLock::try_take(&teams::lock_file(app))? else {
        ui.say("another sync is running");
        return report(args, app, ui, Vec::new(), Vec::new());
    };
    let lock = Arc::new(lock);
    // Read under the lock: until then another process may have changed what is shared.
    let shared = shared_through_hubs(&store)?;
    if shared.is_empty() {
        ui.say("nothing is shared; `backstory project share --team TEAM` shares the project of this folder");
    }
    let (mut synced, mut problems) = (Vec::new(), Vec::new());
    for team in hub_teams(&store)? {
        let projects: Vec<SharedProject> =
            shared.iter().filter(|shared| shared.team == team.name).cloned().collect();
        if projects.is_empty() {
            continue;
        }
        // A hub that cannot be used does not keep the other teams from being synced.
        let (finished, outcome) = match team_sync(&team, projects, lock.clone(), app, ui) {
            Ok(sync) => sync.run(),
            Err(failure) => {
                problems.push((team.name, failure));
                continue;
            }
        };
        for (project, report) in finished {
            synced.push((project_name(&store, project)?, team.name.clone(), report));
        }
        match outcome {
            Ok(()) => store.sync_mut().mark_synced(&team.name, app.now)?,
            Err(error) => problems.push((team.name, error.into())),
        }
    }
    vectors::follow(&mut store, app);
    report(args, app, ui, synced, problems)
}

/// The name of a project, its team, and what came of its sync.
type SyncedProject = (String, String, SyncReport);

fn team_sync(
    team: &Team,
    projects: Vec<SharedProject>,
    lock: Arc<SyncLock>,
    app: &App,
    ui: &Ui,
) -> Result<TeamSync, AppError> {
    Ok(TeamSync {
        access: teams::access(team, app, ui)?,
        projects,
        policy: teams::share_policy(app),
        home: app.home.clone(),
        vectors: app.config.recall.vectors.then(|| app.home.vectors()),
        timeout: app.config.team.patience(),
        now: app.now,
        lock,
    })
}

/// Waits, whatever wakes the thread meanwhile.
fn wait(time: Duration) {
    let until = Instant::now() + time;
    while let Some(left) = until.checked_duration_since(Instant::now()) {
        std::thread::park_timeout(left);
    }
}

/// Reports what was done. The exit code is not 0 where anything was not.
fn report(
    args: &SyncArgs,
    app: &App,
    ui: &Ui,
    synced: Vec<SyncedProject>,
    problems: Vec<(String, AppError)>,
) -> Result<Exit, AppError> {
    let is_complete = synced.iter().all(|(_, _, report)| report.is_complete());
    for (project, team, report) in &synced {
        for line in mishaps(project, team, report) {
            log::line(&app.home, app.now, &format!("sync: {line}"));
            ui.say(&line);
        }
    }
    if args.json {
        let listed = problems
            .iter()
            .map(|(team, failure)| SyncProblemJson { team: team.clone(), error: failure.line() });
        let problems = listed.collect();
        let projects = synced.into_iter().map(ProjectSyncJson::new).collect();
        ui.json(&SyncAnswer { version: 1, projects, problems })?;
    } else {
        synced.iter().try_for_each(|(project, team, report)| ui.line(&summary(project, team, report)))?;
    }
    let mut problems: Vec<AppError> = problems.into_iter().map(|(team, failure)| failure.of(&team)).collect();
    if let Some(last) = problems.pop() {
        for failure in &problems {
            log::line(&app.home, app.now, &format!("sync: {}", failure.line()));
            ui.fail(failure);
        }
        return Err(last);
    }
    Ok(if is_complete { Exit::Done } else { Exit::No })
}

fn summary(project: &str, team: &str, synced: &SyncReport) -> String {
    let pulled = synced.pulled;
    format!(
        "{} with {team}: pushed {}, pulled {} new, {} revised, {} forgotten",
        one_line(project),
        memories(synced.pushed),
        pulled.written,
        pulled.revised,
        pulled.forgotten
    )
}

/// Returns what did not go as it should, each in a line.
fn mishaps(project: &str, team: &str, synced: &SyncReport) -> Vec<String> {
    let of = format!("{} with {team}", one_line(project));
    let mut lines = Vec::new();
    if synced.resynced {
        lines.push(format!("{of}: the hub was restored, so everything was pulled again"));
    }
    for (uid, why) in &synced.rejected_by_hub {
        lines.push(format!("{of}: the hub rejects {}: {}", one_line(uid), one_line(why)));
    }
    for uid in &synced.unreadable {
        lines.push(format!("{of}: {} cannot be read; a newer version of Backstory may", one_line(uid)));
    }
    if synced.pulled.refused > 0 {
        let count = memories(synced.pulled.refused);
        lines.push(format!("{of}: {count} refused: not the team's to change"));
    }
    if synced.in_other_project > 0 {
        let count = memories(synced.in_other_project);
        lines.push(format!("{of}: {count} belong to another project of the team, and were pushed there"));
    }
    lines
}

impl ProjectSyncJson {
    fn new((project, team, synced): SyncedProject) -> ProjectSyncJson {
        ProjectSyncJson {
            project,
            team,
            pushed: synced.pushed,
            kept_local: synced.kept_local,
            written: synced.pulled.written,
            revised: synced.pulled.revised,
            forgotten: synced.pulled.forgotten,
            rejected_by_hub: synced
                .rejected_by_hub
                .into_iter()
                .map(|(uid, why)| RejectedJson { uid, why })
                .collect(),
            unreadable: synced.unreadable,
            refused: synced.pulled.refused,
            in_other_project: synced.in_other_project,
            resynced: synced.resynced,
        }
    }
}

fn show_outgoing(args: &SyncArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    let store = app.store_to_read()?;
    let policy = teams::share_policy(app);
    let mut projects = Vec::new();
    for shared in shared_through_hubs(&store)? {
        let (batch, kept_local) = outgoing(&store, shared.project, &policy)?;
        let project = project_name(&store, shared.project)?;
        let forgotten = batch.forgotten.iter().map(ToString::to_string).collect();
        let memories = batch.memories.into_iter().filter_map(OutgoingMemory::from_shared).collect();
        projects.push(ProjectOutgoing { project, team: shared.team, memories, forgotten, kept_local });
    }
    if args.json {
        ui.json(&OutgoingAnswer { version: 1, projects })?;
        return Ok(Exit::Done);
    }
    for project in &projects {
        ui.line(&format!(
            "{} would push to {}: {}, {} forgotten; {} kept local",
            one_line(&project.project),
            project.team,
            memories(project.memories.len() as u64),
            project.forgotten.len(),
            project.kept_local
        ))?;
        project.memories.iter().try_for_each(|memory| memory.print(ui))?;
    }
    Ok(Exit::Done)
}
