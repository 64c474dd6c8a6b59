//! `serve`: the worker, in the foreground or on its own. One a home; nothing but the viewer and programs that want HTTP needs it.

use crate::commands::sync;
use crate::exit::Exit;
use crate::ui::Ui;
use backstory_app::Environment;
use backstory_app::app::now;
use backstory_app::{App, AppError, log};
use backstory_server::{
    ApiHandler, Claim, Limits, RunningWorker, StopOutcome, Worker, WorkerDir, WorkerError, WorkerExit,
    WorkerOptions, WorkerState, claim, find, running, stop,
};
use clap::Args;
use serde::Serialize;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Which build we are: a newer one takes over from an older one.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");
/// How long a worker that was started may take until it answers.
const UNTIL_IT_ANSWERS: Duration = Duration::from_secs(10);
/// How long one look may take.
const LOOK: Duration = Duration::from_millis(500);

/// Arguments of `serve`.
#[derive(Args, Debug)]
pub(crate) struct ServeArgs {
    /// Start the worker in the background and return when it answers
    #[arg(long, conflicts_with_all = ["stop", "status"])]
    pub(crate) detach: bool,
    /// Stop the running worker
    #[arg(long, conflicts_with = "status")]
    pub(crate) stop: bool,
    /// Show whether a worker runs, and where
    #[arg(long)]
    pub(crate) status: bool,
    /// Output as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Serialize)]
struct WorkerReportShape {
    version: u32,
    running: bool,
    hangs: bool,
    pid: Option<u32>,
    version_of_worker: Option<String>,
    port: Option<u16>,
    socket: Option<String>,
}

/// Serves, or sees to it.
pub(crate) fn run(
    args: &ServeArgs,
    environment: Environment,
    flags: Vec<String>,
    ui: &Ui,
) -> Result<Exit, AppError> {
    let app = App::outside_projects(environment, &flags)?;
    let dir = worker_dir(&app);
    if args.stop {
        return end(&dir, args.json, ui);
    }
    if args.status {
        return status(&find(&dir, LOOK), &dir, args.json, ui);
    }
    app.home.prepare()?;
    if args.detach {
        let worker = start(&dir, &flags, &app)?;
        return status(&WorkerState::Running(worker), &dir, args.json, ui);
    }
    serve(dir, flags, app, ui)
}

/// Returns where the worker of this home is found.
pub(crate) fn worker_dir(app: &App) -> WorkerDir {
    WorkerDir::for_home(app.home.root(), app.environment.runtime_dir().as_deref())
}

fn serve(dir: WorkerDir, flags: Vec<String>, app: App, ui: &Ui) -> Result<Exit, AppError> {
    let lock = match claim(&dir, VERSION).map_err(|error| failure(&error))? {
        Claim::Ours(lock) => lock,
        Claim::Theirs(Some(other)) => {
            ui.say(&format!("a worker serves already: process {}, port {}", other.pid, other.port));
            return Ok(Exit::Done);
        }
        Claim::Theirs(None) => {
            ui.say("another worker has the lock and does not answer; `backstory serve --status` looks again");
            return Ok(Exit::Done);
        }
    };
    let minutes = app.config.worker.idle_minutes;
    let options = WorkerOptions {
        version: VERSION.to_owned(),
        port: app.config.worker.port,
        idle: (minutes > 0).then(|| Duration::from_secs(u64::from(minutes) * 60)),
        limits: Limits::default(),
    };
    sync::every(app.config.team.worker_minutes, &flags, &app);
    let App { environment, home, .. } = app;
    let handler = ApiHandler::for_home(environment.clone(), flags);
    let worker = Worker::open(dir, lock, &options, handler).map_err(|error| failure(&error))?;
    let endpoint = worker.endpoint();
    let wanted = options.port;
    if wanted != 0 && endpoint.port != wanted {
        ui.say(&format!("port {wanted} is taken; serving on {} instead", endpoint.port));
    }
    // If nobody reads what we print, we serve all the same.
    drop(ui.line(&format!(
        "serving on http://127.0.0.1:{} and {}",
        endpoint.port,
        endpoint.socket.display()
    )));
    ui.say("`backstory view` opens it; Ctrl-C ends it");
    log::line(
        &home,
        now(&environment),
        &format!("worker: serving, process {}, port {}", endpoint.pid, endpoint.port),
    );
    match worker.serve().map_err(|error| failure(&error))? {
        WorkerExit::Stopped => {}
        WorkerExit::Idle => {
            log::line(&home, now(&environment), "worker: nobody asked for long enough; ended");
        }
    }
    Ok(Exit::Done)
}

/// Starts a worker on its own, or finds the one that runs, and returns it when it answers.
pub(crate) fn start(dir: &WorkerDir, flags: &[String], app: &App) -> Result<RunningWorker, AppError> {
    let program = std::env::current_exe();
    let program = program.map_err(|error| AppError::user("cannot start a worker").because(&error))?;
    let mut command = Command::new(program);
    command.arg("serve").args(flags.iter().flat_map(|flag| ["--set", flag]));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    backstory_platform::in_own_group(&mut command);
    command.current_dir(app.home.root());
    let mut child =
        command.spawn().map_err(|error| AppError::user("cannot start a worker").because(&error))?;
    let until = Instant::now() + UNTIL_IT_ANSWERS;
    loop {
        // One that ended found another, or failed; in between its note may not be there yet.
        let has_ended = !matches!(child.try_wait(), Ok(None));
        if let Some(worker) = running(dir, LOOK).filter(|worker| has_ended || worker.pid == child.id()) {
            return Ok(worker);
        }
        if has_ended || Instant::now() >= until {
            return Err(match find(dir, LOOK) {
                WorkerState::Unresponsive(process) => hanging(process),
                _ => AppError::user("the worker did not start").hint("`backstory serve` says why"),
            });
        }
        std::thread::park_timeout(Duration::from_millis(20));
    }
}

fn end(dir: &WorkerDir, json: bool, ui: &Ui) -> Result<Exit, AppError> {
    match stop(dir).map_err(|error| failure(&error))? {
        StopOutcome::NoneRan | StopOutcome::Stopped if json => {
            status(&WorkerState::Absent, dir, json, ui)?;
        }
        StopOutcome::NoneRan => ui.say("no worker runs"),
        StopOutcome::Stopped => ui.line("the worker has ended")?,
        StopOutcome::Refused(process) => return Err(hanging(process)),
    }
    Ok(Exit::Done)
}

/// Says what to do about a worker that has the lock and does not answer. It may hold a write: ending it is left to its user.
fn hanging(process: Option<u32>) -> AppError {
    let failure = AppError::user("a worker has the lock and does not answer");
    failure.hint(match process {
        Some(process) => {
            format!("if it still does not in a moment, `kill -9 {process}` ends it; nothing is lost")
        }
        None => "it may just be starting; look again in a moment".to_owned(),
    })
}

fn status(found: &WorkerState, dir: &WorkerDir, json: bool, ui: &Ui) -> Result<Exit, AppError> {
    let (worker, process) = match found {
        WorkerState::Running(worker) => (Some(worker), Some(worker.pid)),
        WorkerState::Unresponsive(process) => (None, *process),
        WorkerState::Absent => (None, None),
    };
    let socket =
        worker.and_then(|_| dir.read_endpoint()).map(|endpoint| endpoint.socket.display().to_string());
    if json {
        ui.json(&WorkerReportShape {
            version: 1,
            running: worker.is_some(),
            hangs: matches!(found, WorkerState::Unresponsive(_)),
            pid: process,
            version_of_worker: worker.map(|worker| worker.version.clone()),
            port: worker.map(|worker| worker.port),
            socket,
        })?;
        return Ok(if worker.is_some() { Exit::Done } else { Exit::No });
    }
    match found {
        WorkerState::Running(worker) => ui.line(&format!(
            "a worker serves: process {}, version {}, http://127.0.0.1:{} and {}",
            worker.pid,
            worker.version,
            worker.port,
            socket.unwrap_or_default()
        ))?,
        WorkerState::Unresponsive(process) => return Err(hanging(*process)),
        WorkerState::Absent => {
            ui.say("no worker runs; `backstory serve --detach` starts one");
            return Ok(Exit::No);
        }
    }
    Ok(Exit::Done)
}

fn failure(error: &WorkerError) -> AppError {
    AppError::user("the worker cannot serve").because(error)
}
