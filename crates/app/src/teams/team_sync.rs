//! Pushing what is new here to teams, and pulling what is new there. Hooks never wait for it; they start it at the end of a session.

use super::Teams;
use crate::app::{App, project_name};
use crate::error::AppError;
use crate::json::{OutgoingMemoryShape, OutgoingShape, ProjectOutgoingShape, ProjectSyncShape};
use crate::{log, vectors};
use backstory_store::{SharedProject, Team};
use backstory_sync::{SyncLock, TeamSync, hub_teams, outgoing, shared_through_hubs};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What a sync did.
#[derive(Debug, Default)]
pub struct TeamSyncResponse {
    /// What was pushed and pulled, by project.
    pub projects: Vec<ProjectSyncShape>,
    /// The teams that could not be synced, and why.
    pub problems: Vec<(String, AppError)>,
}

impl Teams<'_> {
    /// Syncs every shared project with its team. Mishaps also go to the log, because most syncs run in the background.
    pub fn sync(&self) -> Result<TeamSyncResponse, AppError> {
        let done = self.sync_all();
        let lines: Vec<String> = match &done {
            Err(failure) => vec![failure.line()],
            Ok(response) => {
                let mishaps = response.projects.iter().flat_map(ProjectSyncShape::mishaps);
                let problems = response.problems.iter();
                mishaps.chain(problems.map(|(team, failure)| failure.clone().named(team).line())).collect()
            }
        };
        for line in lines {
            log::line(&self.app.home, self.app.now, &format!("sync: {line}"));
        }
        done
    }

    fn sync_all(&self) -> Result<TeamSyncResponse, AppError> {
        let app = self.app;
        let mut response = TeamSyncResponse::default();
        let mut store = app.store()?;
        let Some(lock) = SyncLock::try_take(&app.sync_lock())? else {
            (self.on_note)("another sync is running");
            return Ok(response);
        };
        let lock = Arc::new(lock);
        // Read under the lock: until then another process may have changed what is shared.
        let shared = shared_through_hubs(&store)?;
        if shared.is_empty() {
            (self.on_note)(
                "nothing is shared; `backstory project share --team TEAM` shares the project of this folder",
            );
        }
        for team in hub_teams(&store)? {
            let projects: Vec<SharedProject> =
                shared.iter().filter(|shared| shared.team == team.name).cloned().collect();
            if projects.is_empty() {
                continue;
            }
            // A hub that cannot be used does not keep the other teams from being synced.
            let (finished, outcome) = match self.prepare_sync(&team, projects, lock.clone()) {
                Ok(sync) => sync.run(),
                Err(failure) => {
                    response.problems.push((team.name, failure));
                    continue;
                }
            };
            for (project, report) in finished {
                let name = project_name(&store, project)?;
                response.projects.push(ProjectSyncShape::new(name, team.name.clone(), report, app.now));
            }
            match outcome {
                Ok(()) => store.sync_mut().mark_synced(&team.name, app.now)?,
                Err(error) => response.problems.push((team.name, error.into())),
            }
        }
        app.reconcile_written(&mut store);
        vectors::follow(&mut store, app);
        Ok(response)
    }

    fn prepare_sync(
        &self,
        team: &Team,
        projects: Vec<SharedProject>,
        lock: Arc<SyncLock>,
    ) -> Result<TeamSync, AppError> {
        let app = self.app;
        Ok(TeamSync {
            access: self.access(team)?,
            projects,
            policy: app.share_policy(),
            home: app.home.clone(),
            vectors: app.config.recall.vectors.then(|| app.home.vectors()),
            timeout: app.config.team.patience(),
            now: app.now,
            lock,
        })
    }

    /// Returns what a sync would push, every word of it.
    pub fn outgoing(&self) -> Result<OutgoingShape, AppError> {
        let store = self.app.store_to_read()?;
        let policy = self.app.share_policy();
        let mut projects = Vec::new();
        for shared in shared_through_hubs(&store)? {
            let (batch, kept_local) = outgoing(&store, shared.project, &policy)?;
            projects.push(ProjectOutgoingShape {
                project: project_name(&store, shared.project)?,
                team: shared.team,
                memories: OutgoingMemoryShape::list(&batch.memories),
                forgotten: batch.forgotten.iter().map(ToString::to_string).collect(),
                kept_local,
            });
        }
        Ok(OutgoingShape { version: 1, projects })
    }
}

/// Syncs again and again as configured, each time in a process of its own, so that a hub that stalls does not hold up the worker.
pub fn sync_every(program: PathBuf, flags: Vec<String>, app: &App) {
    let minutes = app.config.team.worker_minutes;
    if minutes == 0 {
        return;
    }
    let home = app.home.root().to_owned();
    std::thread::spawn(move || {
        loop {
            wait(Duration::from_secs(u64::from(minutes) * 60));
            let mut command = Command::new(&program);
            command.arg("sync").args(flags.iter().flat_map(|flag| ["--set", flag])).current_dir(&home);
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            // The sync has logged what went wrong, and the next one may succeed.
            drop(command.status());
        }
    });
}

/// Waits the whole time: a parked thread may also wake without a reason.
fn wait(time: Duration) {
    let until = Instant::now() + time;
    while let Some(left) = until.checked_duration_since(Instant::now()) {
        std::thread::park_timeout(left);
    }
}
