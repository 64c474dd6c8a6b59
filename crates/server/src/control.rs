//! Control of a home's worker from another process: starts it, says how it is, stops it, fetches a link to the viewer.

use crate::client::{RunningWorker, WorkerState, ask, find, running};
use crate::worker::{StopOutcome, WorkerError, stop};
use crate::worker_dir::{WorkerDir, write_login_page};
use backstory_app::{App, AppError};
use serde::Serialize;
use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How long a worker that was started may take until it answers.
const UNTIL_IT_ANSWERS: Duration = Duration::from_secs(10);
/// How long one look may take.
const LOOK: Duration = Duration::from_millis(500);
/// How long the worker may take to make a link.
const LINK_PATIENCE: Duration = Duration::from_secs(2);

/// Controls the worker of one home.
#[derive(Clone, Debug)]
pub struct WorkerControl {
    /// Where the worker is found.
    pub dir: WorkerDir,
    home: PathBuf,
}

/// The state of a worker, for other programs.
#[derive(Clone, Debug, Serialize)]
pub struct WorkerReport {
    version: u32,
    /// Whether a worker answers.
    pub running: bool,
    hangs: bool,
    /// Its process.
    pub pid: Option<u32>,
    /// Which build it is.
    pub version_of_worker: Option<String>,
    /// Its port on loopback.
    pub port: Option<u16>,
    /// Its socket.
    pub socket: Option<String>,
}

impl WorkerControl {
    /// Controls the worker of this home.
    #[must_use]
    pub fn new(app: &App) -> WorkerControl {
        let home = app.home.root().to_owned();
        WorkerControl { dir: WorkerDir::for_home(&home, app.environment.runtime_dir().as_deref()), home }
    }

    /// Says how the worker is.
    #[must_use]
    pub fn report(&self) -> WorkerReport {
        let found = find(&self.dir, LOOK);
        let (worker, pid) = match &found {
            WorkerState::Running(worker) => (Some(worker), Some(worker.pid)),
            WorkerState::Unresponsive(process) => (None, *process),
            WorkerState::Absent => (None, None),
        };
        let endpoint = worker.and_then(|_| self.dir.read_endpoint());
        WorkerReport {
            version: 1,
            running: worker.is_some(),
            hangs: matches!(found, WorkerState::Unresponsive(_)),
            pid,
            version_of_worker: worker.map(|worker| worker.version.clone()),
            port: worker.map(|worker| worker.port),
            socket: endpoint.map(|endpoint| endpoint.socket.display().to_string()),
        }
    }

    /// Starts a worker on its own, or finds the one that runs, and returns it when it answers.
    pub fn start(&self, flags: &[String]) -> Result<RunningWorker, AppError> {
        let failed = |error| AppError::user("cannot start a worker").because(&error);
        let mut command = Command::new(std::env::current_exe().map_err(failed)?);
        command.arg("serve").args(flags.iter().flat_map(|flag| ["--set", flag]));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        backstory_platform::detached(&mut command);
        let mut child = command.current_dir(&self.home).spawn().map_err(failed)?;
        let until = Instant::now() + UNTIL_IT_ANSWERS;
        loop {
            // One that ended found another, or failed; in between its endpoint may not be there yet.
            let has_ended = !matches!(child.try_wait(), Ok(None));
            let worker = running(&self.dir, LOOK);
            if let Some(worker) = worker.filter(|worker| has_ended || worker.pid == child.id()) {
                return Ok(worker);
            }
            if has_ended || Instant::now() >= until {
                return Err(match find(&self.dir, LOOK) {
                    WorkerState::Unresponsive(process) => unresponsive(process),
                    _ => AppError::user("the worker did not start").hint("`backstory serve` says why"),
                });
            }
            std::thread::park_timeout(Duration::from_millis(20));
        }
    }

    /// Stops the worker, and returns whether one ran.
    pub fn stop(&self) -> Result<bool, AppError> {
        match stop(&self.dir)? {
            StopOutcome::NoneRan => Ok(false),
            StopOutcome::Stopped => Ok(true),
            StopOutcome::Refused(process) => Err(unresponsive(process)),
        }
    }

    /// Writes a page that leads to a login link, and returns its path. Only the user can read it; the login removes it.
    pub fn login_page(&self, link: &str) -> Option<PathBuf> {
        write_login_page(&self.dir.read_endpoint()?.socket, link).ok()
    }

    /// Returns a link that logs in to the viewer once, starting the worker if none of this version runs.
    pub fn login_link(&self, version: &str, flags: &[String]) -> Result<String, AppError> {
        // One of another build shows what that build knows: whoever starts finds out who is to serve.
        if running(&self.dir, LINK_PATIENCE).is_none_or(|worker| worker.version != version) {
            self.start(flags)?;
        }
        let failed = || {
            AppError::user("the worker does not answer")
                .hint("`backstory serve --stop` ends it; then try again")
        };
        let endpoint = self.dir.read_endpoint().ok_or_else(failed)?;
        let reply = ask(&endpoint.socket, "POST", "/api/worker/login-key", "{}", LINK_PATIENCE);
        let (_, body) = reply.map_err(|error| failed().because(&error))?;
        let answer: Value = serde_json::from_slice(&body).map_err(|error| failed().because(&error))?;
        answer.get("url").and_then(Value::as_str).map(str::to_owned).ok_or_else(failed)
    }
}

impl WorkerReport {
    /// Fails where a worker has the lock and does not answer.
    pub fn refuse_unresponsive(&self) -> Result<(), AppError> {
        if self.hangs { Err(unresponsive(self.pid)) } else { Ok(()) }
    }
}

impl From<WorkerError> for AppError {
    fn from(error: WorkerError) -> AppError {
        AppError::user("the worker cannot serve").because(&error)
    }
}

/// Says what to do about a worker that has the lock and does not answer. It may hold a write: ending it is left to its user.
fn unresponsive(process: Option<u32>) -> AppError {
    let failure = AppError::user("a worker has the lock and does not answer");
    failure.hint(match process {
        Some(process) => {
            format!("if it still does not in a moment, `kill -9 {process}` ends it; nothing is lost")
        }
        None => "it may just be starting; look again in a moment".to_owned(),
    })
}
