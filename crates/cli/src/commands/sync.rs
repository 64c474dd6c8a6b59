//! `sync`: pushes what is new here to teams, and pulls what is new there. Hooks never do; they start this at the end of a session and do not
//! wait for it.

use crate::app::{App, project_name};
use crate::failure::{Exit, Failure};
use crate::hub_timeout::wait;
use crate::outgoing::OutgoingMemory;
use crate::project_sync::{ProjectSync, SyncReport};
use crate::sync_lock::SyncLock;
use crate::ui::{memories, one_line};
use crate::{log, teams, vectors};
use backstory_memory::SyncBatch;
use backstory_store::{SharedProject, Team};
use clap::Args;
use serde::Serialize;
use std::process::{Command, Stdio};
use std::sync::{Arc, mpsc};
use std::time::Duration;

/// Arguments of `sync`.
#[derive(Args, Debug)]
pub(crate) struct SyncArgs {
    /// Show what would be pushed, and push nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Answer in JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// What was pushed and pulled, for other programs.
#[derive(Serialize)]
struct Answer {
    version: u32,
    projects: Vec<ProjectAnswer>,
    /// The teams that could not be synced, and why.
    problems: Vec<Problem>,
}

#[derive(Serialize)]
struct Problem {
    team: String,
    error: String,
}

#[derive(Serialize)]
struct ProjectAnswer {
    project: String,
    team: String,
    pushed: u64,
    kept_local: u64,
    written: u64,
    revised: u64,
    forgotten: u64,
    /// Memories the hub rejected.
    rejected_by_hub: Vec<RejectedByHub>,
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
struct RejectedByHub {
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
pub(crate) fn run(args: &SyncArgs, app: &App) -> Result<Exit, Failure> {
    if args.dry_run {
        return show_outgoing(args, app);
    }
    let done = sync(args, app);
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

fn sync(args: &SyncArgs, app: &App) -> Result<Exit, Failure> {
    let mut store = app.store()?;
    let Some(lock) = SyncLock::try_take(app)? else {
        app.ui.say("another sync is running");
        return report(args, app, Vec::new(), Vec::new());
    };
    let lock = Arc::new(lock);
    // What was shared before the lock was ours may be shared otherwise by now.
    let shared = teams::shared_through_hubs(&store)?;
    if shared.is_empty() {
        app.ui.say(
            "nothing is shared; `backstory project share --team TEAM` shares the project of this folder",
        );
    }
    let (done, answers) = mpsc::channel();
    let mut problems = Vec::new();
    for team in teams::with_hub(&store)? {
        let of_team = shared.iter().filter(|shared| shared.team == team.name).cloned();
        let project_sync = SyncOfTeam {
            team: team.clone(),
            projects: of_team.collect(),
            done: done.clone(),
            lock: lock.clone(),
        };
        if project_sync.projects.is_empty() {
            continue;
        }
        // What one team's hub is up to is no concern of the others.
        match project_sync.run(app) {
            Ok(()) => store.mark_synced(&team.name, app.now)?,
            Err(failure) => problems.push((team.name, failure)),
        }
    }
    vectors::follow(&mut store, app);
    report(args, app, answers.try_iter().collect(), problems)
}

/// What came of a project: its name, its team, and what was told and pulled.
type Came = (String, String, SyncReport);

/// The sync of all that is shared with one team.
struct SyncOfTeam {
    team: Team,
    projects: Vec<SharedProject>,
    /// Where to say what came of a project.
    done: mpsc::Sender<Came>,
    /// Also who is left behind with a hub that stalls keeps others from project_sync, as long as it lives.
    lock: Arc<SyncLock>,
}

impl SyncOfTeam {
    fn run(self, app: &App) -> Result<(), Failure> {
        teams::talk(&self.team.clone(), app, move |hub, app, on_progress| {
            let SyncOfTeam { team, projects, done, lock: _held } = self;
            let mut store = app.store()?;
            if team.hub_id.is_none() {
                store.set_hub_id(&team.name, hub.id())?;
            }
            let project_sync = ProjectSync::new(app, on_progress);
            for shared in &projects {
                let synced = project_sync.sync(&mut store, hub, shared)?;
                let came = (project_name(&store, shared.project)?, team.name.clone(), synced);
                // Nobody listens any more where we were given up.
                drop(done.send(came));
            }
            Ok(())
        })
    }
}

/// Reports what was done. The exit code is not 0 where anything was not.
fn report(
    args: &SyncArgs,
    app: &App,
    answers: Vec<Came>,
    problems: Vec<(String, Failure)>,
) -> Result<Exit, Failure> {
    let is_whole = answers.iter().all(|(_, _, synced)| synced.is_whole());
    for (project, team, synced) in &answers {
        for line in mishaps(project, team, synced) {
            log::line(&app.home, app.now, &format!("sync: {line}"));
            app.ui.say(&line);
        }
    }
    if args.json {
        let listed =
            problems.iter().map(|(team, failure)| Problem { team: team.clone(), error: failure.line() });
        let problems = listed.collect();
        let projects = answers.into_iter().map(ProjectAnswer::of).collect();
        app.ui.json(&Answer { version: 1, projects, problems })?;
    } else {
        answers
            .iter()
            .try_for_each(|(project, team, synced)| app.ui.line(&summary(project, team, synced)))?;
    }
    let mut problems: Vec<Failure> = problems.into_iter().map(|(team, failure)| failure.of(&team)).collect();
    if let Some(last) = problems.pop() {
        for failure in &problems {
            log::line(&app.home, app.now, &format!("sync: {}", failure.line()));
            app.ui.fail(failure);
        }
        return Err(last);
    }
    Ok(if is_whole { Exit::Done } else { Exit::No })
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

impl ProjectAnswer {
    fn of((project, team, synced): Came) -> ProjectAnswer {
        ProjectAnswer {
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
                .map(|(uid, why)| RejectedByHub { uid, why })
                .collect(),
            unreadable: synced.unreadable,
            refused: synced.pulled.refused,
            in_other_project: synced.in_other_project,
            resynced: synced.resynced,
        }
    }
}

fn show_outgoing(args: &SyncArgs, app: &App) -> Result<Exit, Failure> {
    let store = app.store_to_read()?;
    let nothing = || {};
    let project_sync = ProjectSync::new(app, &nothing);
    let mut projects = Vec::new();
    for shared in teams::shared_through_hubs(&store)? {
        let (batch, kept_local) = project_sync.outgoing(&store, &shared)?;
        let project = project_name(&store, shared.project)?;
        let SyncBatch { memories: outgoing, forgotten, .. } = batch;
        let forgotten = forgotten.iter().map(ToString::to_string).collect();
        let memories = outgoing.into_iter().filter_map(OutgoingMemory::from_shared).collect();
        projects.push(ProjectOutgoing { project, team: shared.team, memories, forgotten, kept_local });
    }
    if args.json {
        app.ui.json(&OutgoingAnswer { version: 1, projects })?;
        return Ok(Exit::Done);
    }
    for project in &projects {
        app.ui.line(&format!(
            "{} would push to {}: {}, {} forgotten; {} kept local",
            one_line(&project.project),
            project.team,
            memories(project.memories.len() as u64),
            project.forgotten.len(),
            project.kept_local
        ))?;
        project.memories.iter().try_for_each(|memory| memory.print(&app.ui))?;
    }
    Ok(Exit::Done)
}
