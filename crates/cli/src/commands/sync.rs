//! `sync`: tells teams what is new here, and hears what they tell. Hooks never do; they start this at the end of a session and do not
//! wait for it.

use crate::app::{App, project_name};
use crate::failure::{Exit, Failure};
use crate::leaving::MemoryLeaving;
use crate::pulse::wait;
use crate::sync_lock::SyncLock;
use crate::syncing::{Synced, Syncing};
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
    told: u64,
    stayed: u64,
    written: u64,
    revised: u64,
    forgotten: u64,
    /// What the hub did not take.
    not_taken: Vec<NotTaken>,
    /// The uids of what the hub told of and this build cannot read.
    unreadable: Vec<String>,
    /// How many that were told of are not the team's to change, or cannot be kept here.
    refused: u64,
    /// How many stand under another project of the team.
    elsewhere: u64,
    /// Whether the hub is not what it was, and all of it was heard again.
    began_anew: bool,
}

#[derive(Serialize)]
struct NotTaken {
    uid: String,
    why: String,
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
    let Some(lock) = SyncLock::try_take(app)? else {
        app.ui.say("another sync is running");
        return tell(args, app, Vec::new(), Vec::new());
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
        let syncing = SyncOfTeam {
            team: team.clone(),
            projects: of_team.collect(),
            done: done.clone(),
            lock: lock.clone(),
        };
        if syncing.projects.is_empty() {
            continue;
        }
        // What one team's hub is up to is no concern of the others.
        match syncing.run(app) {
            Ok(()) => store.note_synced(&team.name, app.now)?,
            Err(failure) => problems.push((team.name, failure)),
        }
    }
    vectors::follow(&mut store, app);
    tell(args, app, answers.try_iter().collect(), problems)
}

/// What came of a project: its name, its team, and what was told and heard.
type Came = (String, String, Synced);

/// The sync of all that is shared with one team.
struct SyncOfTeam {
    team: Team,
    projects: Vec<SharedProject>,
    /// Where to say what came of a project.
    done: mpsc::Sender<Came>,
    /// Also who is left behind with a hub that stalls keeps others from syncing, as long as it lives.
    lock: Arc<SyncLock>,
}

impl SyncOfTeam {
    fn run(self, app: &App) -> Result<(), Failure> {
        teams::talk(&self.team.clone(), app, move |hub, app, alive| {
            let SyncOfTeam { team, projects, done, lock: _held } = self;
            let mut store = app.store()?;
            if team.hub_id.is_none() {
                store.note_hub_id(&team.name, hub.id())?;
            }
            let syncing = Syncing::new(app, alive);
            for shared in &projects {
                let synced = syncing.sync(&mut store, hub, shared)?;
                let came = (project_name(&store, shared.project)?, team.name.clone(), synced);
                // Nobody listens any more where we were given up.
                drop(done.send(came));
            }
            Ok(())
        })
    }
}

/// Tells what was done, and what was not: then the exit code is not 0.
fn tell(
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
        let told =
            problems.iter().map(|(team, failure)| Problem { team: team.clone(), error: failure.line() });
        let problems = told.collect();
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

fn summary(project: &str, team: &str, synced: &Synced) -> String {
    let heard = synced.heard;
    format!(
        "{} with {team}: told {}, heard {} new, {} revised, {} forgotten",
        one_line(project),
        memories(synced.told),
        heard.written,
        heard.revised,
        heard.forgotten
    )
}

/// Returns what did not go as it should, each in a line.
fn mishaps(project: &str, team: &str, synced: &Synced) -> Vec<String> {
    let of = format!("{} with {team}", one_line(project));
    let mut lines = Vec::new();
    if synced.began_anew {
        lines.push(format!("{of}: the hub is not what it was, so all of it was heard again"));
    }
    for (uid, why) in &synced.not_taken {
        lines.push(format!("{of}: the hub does not take {}: {}", one_line(uid), one_line(why)));
    }
    for uid in &synced.unreadable {
        lines.push(format!("{of}: {} cannot be read; a newer version of Backstory may", one_line(uid)));
    }
    if synced.heard.refused > 0 {
        let count = memories(synced.heard.refused);
        lines.push(format!("{of}: {count} stayed as they are here: they are not the team's to change"));
    }
    if synced.elsewhere > 0 {
        let count = memories(synced.elsewhere);
        lines.push(format!("{of}: {count} stand under another project of the team, and were told there"));
    }
    lines
}

impl ProjectAnswer {
    fn of((project, team, synced): Came) -> ProjectAnswer {
        ProjectAnswer {
            project,
            team,
            told: synced.told,
            stayed: synced.stayed,
            written: synced.heard.written,
            revised: synced.heard.revised,
            forgotten: synced.heard.forgotten,
            not_taken: synced.not_taken.into_iter().map(|(uid, why)| NotTaken { uid, why }).collect(),
            unreadable: synced.unreadable,
            refused: synced.heard.refused,
            elsewhere: synced.elsewhere,
            began_anew: synced.began_anew,
        }
    }
}

fn show_leaving(args: &SyncArgs, app: &App) -> Result<Exit, Failure> {
    let store = app.store_to_read()?;
    let nothing = || {};
    let syncing = Syncing::new(app, &nothing);
    let mut projects = Vec::new();
    for shared in teams::shared_through_hubs(&store)? {
        let (news, stays) = syncing.leaving(&store, &shared)?;
        let project = project_name(&store, shared.project)?;
        let SyncBatch { memories: leaving, forgotten, .. } = news;
        let forgotten = forgotten.iter().map(ToString::to_string).collect();
        let memories = leaving.into_iter().filter_map(MemoryLeaving::of).collect();
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
        project.memories.iter().try_for_each(|memory| memory.print(&app.ui))?;
    }
    Ok(Exit::Done)
}
