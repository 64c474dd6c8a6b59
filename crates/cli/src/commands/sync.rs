//! `sync`: tells teams what is new here, and hears what they tell. Hooks never do; they start this at the end of a session and do not
//! wait for it.

use crate::app::App;
use crate::failure::{Exit, Failure};
use crate::syncing::{Synced, Syncing};
use crate::ui::{memories, one_line};
use crate::{log, teams, vectors};
use backstory_memory::{News, ProjectId};
use backstory_store::{SharedProject, Store};
use clap::Args;
use serde::Serialize;
use std::fs::{File, OpenOptions, TryLockError};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Arguments of `sync`.
#[derive(Args, Debug)]
pub(crate) struct SyncArgs {
    /// Show what would leave this machine, and tell nobody
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Answer in JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// What was told and heard, for other programs.
#[derive(Serialize)]
struct Answer {
    version: u32,
    projects: Vec<ProjectAnswer>,
}

#[derive(Serialize)]
struct ProjectAnswer {
    project: String,
    team: String,
    told: u64,
    stayed: u64,
    written: u64,
    revised: u64,
    forgotten: u64,
}

/// What would leave, for other programs: every word of it.
#[derive(Serialize)]
struct Leaving {
    version: u32,
    projects: Vec<ProjectLeaving>,
}

#[derive(Serialize)]
struct ProjectLeaving {
    project: String,
    team: String,
    memories: Vec<MemoryLeaving>,
    forgotten: Vec<String>,
    stays: u64,
}

#[derive(Serialize)]
struct MemoryLeaving {
    uid: String,
    kind: String,
    title: String,
    body: String,
    facts: Vec<String>,
    concepts: Vec<String>,
    files: Vec<String>,
    revisions: usize,
}

/// Syncs, or shows what it would tell.
pub(crate) fn run(args: &SyncArgs, app: &App) -> Result<Exit, Failure> {
    if args.dry_run {
        return show_leaving(args, app);
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
    let shared = store.shared_projects()?;
    if shared.is_empty() {
        app.ui.say(
            "nothing is shared; `backstory project share --team TEAM` shares the project of this folder",
        );
    }
    let Some(_lock) = lock(app)? else {
        app.ui.say("another sync is running");
        return Ok(Exit::Done);
    };
    let pulse = Pulse::watch(app);
    let alive = || pulse.beat();
    let syncing = Syncing::new(app, &alive);
    let mut answers = Vec::new();
    for team in store.teams()? {
        let of_team: Vec<&SharedProject> = shared.iter().filter(|shared| shared.team == team.name).collect();
        if of_team.is_empty() {
            continue;
        }
        let mut hub = teams::hub(&team, app)?;
        pulse.beat();
        for shared in of_team {
            let synced = syncing.sync(&mut store, &mut hub, shared)?;
            answers.push((called(&store, shared.project)?, team.name.clone(), synced));
        }
        store.note_synced(&team.name, app.now)?;
    }
    drop(pulse);
    vectors::follow(&mut store, app);
    tell(args, app, answers)
}

fn tell(args: &SyncArgs, app: &App, answers: Vec<(String, String, Synced)>) -> Result<Exit, Failure> {
    if args.json {
        let projects = answers.into_iter().map(|(project, team, synced)| ProjectAnswer {
            project,
            team,
            told: synced.told,
            stayed: synced.stayed,
            written: synced.heard.written,
            revised: synced.heard.revised,
            forgotten: synced.heard.forgotten,
        });
        app.ui.json(&Answer { version: 1, projects: projects.collect() })?;
        return Ok(Exit::Done);
    }
    for (project, team, synced) in answers {
        let heard = synced.heard;
        app.ui.line(&format!(
            "{} with {team}: told {}, heard {} new, {} revised, {} forgotten",
            one_line(&project),
            memories(synced.told),
            heard.written,
            heard.revised,
            heard.forgotten
        ))?;
    }
    Ok(Exit::Done)
}

fn show_leaving(args: &SyncArgs, app: &App) -> Result<Exit, Failure> {
    let store = app.store_to_read()?;
    let nothing = || {};
    let syncing = Syncing::new(app, &nothing);
    let mut projects = Vec::new();
    for shared in store.shared_projects()? {
        let (news, stays) = syncing.leaving(&store, &shared)?;
        let project = called(&store, shared.project)?;
        let News { memories: leaving, forgotten, .. } = news;
        let leaving = leaving.into_iter().filter_map(|memory| {
            let last = memory.revisions.last()?.content.clone();
            Some(MemoryLeaving {
                uid: memory.uid.to_string(),
                kind: last.kind.to_string(),
                title: last.title,
                body: last.body,
                facts: last.facts,
                concepts: last.concepts,
                files: last.files,
                revisions: memory.revisions.len(),
            })
        });
        let forgotten = forgotten.iter().map(ToString::to_string).collect();
        let memories = leaving.collect();
        projects.push(ProjectLeaving { project, team: shared.team, memories, forgotten, stays });
    }
    if args.json {
        app.ui.json(&Leaving { version: 1, projects })?;
        return Ok(Exit::Done);
    }
    for project in &projects {
        app.ui.line(&format!(
            "{} would tell {} of {}, and that {} forgotten; {} would stay here",
            one_line(&project.project),
            project.team,
            memories(project.memories.len() as u64),
            project.forgotten.len(),
            project.stays
        ))?;
        for memory in &project.memories {
            app.ui.line(&format!("  {:<9} {}", memory.kind, one_line(&memory.title)))?;
        }
    }
    Ok(Exit::Done)
}

fn called(store: &Store, project: ProjectId) -> Result<String, Failure> {
    Ok(store.project(project)?.map(|project| project.name).unwrap_or_default())
}

/// Holds others off until it is dropped, or the process ends however it may.
fn lock(app: &App) -> Result<Option<File>, Failure> {
    let path = app.home.root().join("sync.lock");
    let failed = |error: &std::io::Error| Failure::user("cannot lock the home").because(error);
    let file = OpenOptions::new().write(true).create(true).truncate(false).open(path);
    let file = file.map_err(|error| failed(&error))?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(failed(&error)),
    }
}

/// Notices that a hub says nothing any more. No call to it can be broken off from outside, so the process ends: nothing is lost by that.
struct Pulse {
    beats: Arc<AtomicU64>,
}

impl Pulse {
    fn watch(app: &App) -> Pulse {
        let beats = Arc::new(AtomicU64::new(0));
        let patience = Duration::from_secs(u64::from(app.config.team.patience_seconds.max(1)));
        let (home, ui, now) = (app.home.clone(), app.ui, app.now);
        let watched = Arc::downgrade(&beats);
        std::thread::spawn(move || {
            let mut before = u64::MAX;
            loop {
                wait(patience);
                let Some(beats) = watched.upgrade() else { return };
                let seen = beats.load(Ordering::Relaxed);
                if seen == before {
                    let failure = Failure::user("the team's hub does not answer any more")
                        .hint("nothing is lost: it is told when the hub answers again");
                    log::line(&home, now, &format!("sync: {}", failure.line()));
                    ui.fail(&failure);
                    std::process::exit(1);
                }
                before = seen;
            }
        });
        Pulse { beats }
    }

    fn beat(&self) {
        self.beats.fetch_add(1, Ordering::Relaxed);
    }
}

fn wait(time: Duration) {
    let until = std::time::Instant::now() + time;
    while let Some(left) = until.checked_duration_since(std::time::Instant::now()) {
        std::thread::park_timeout(left);
    }
}
