//! `serve`: the worker, in the foreground or on its own. One a home; nothing but the viewer and programs that want HTTP needs it.

use crate::commands::sync;
use crate::exit::Exit;
use crate::serving::Serving;
use crate::ui::Ui;
use backstory_app::Environment;
use backstory_app::app::now;
use backstory_app::{App, AppError, log};
use backstory_server::{
    Claim, Found, Limits, Place, Running, Stopping, Terms, Worker, WorkerError, WorkerExit, claim, find,
    running, stop,
};
use clap::Args;
use serde::Serialize;
use std::process::{Command, Stdio};
use std::sync::Arc;
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
struct StatusShape {
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
    let place = place(&app);
    if args.stop {
        return end(&place, args.json, &ui);
    }
    if args.status {
        return status(&find(&place, LOOK), &place, args.json, &ui);
    }
    app.home.prepare()?;
    if args.detach {
        let worker = start(&place, &flags, &app)?;
        return status(&Found::Answers(worker), &place, args.json, &ui);
    }
    serve(place, flags, app, ui)
}

/// Returns where the worker of this home is found.
pub(crate) fn place(app: &App) -> Place {
    Place::of(app.home.root(), app.environment.runtime_dir().as_deref())
}

fn serve(place: Place, flags: Vec<String>, app: App, ui: &Ui) -> Result<Exit, AppError> {
    let lock = match claim(&place, VERSION).map_err(|error| failure(&error))? {
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
    let terms = Terms {
        version: VERSION.to_owned(),
        port: app.config.worker.port,
        idle: (minutes > 0).then(|| Duration::from_secs(u64::from(minutes) * 60)),
        limits: Limits::default(),
    };
    sync::every(app.config.team.worker_minutes, &flags, &app);
    let App { environment, home, .. } = app;
    let answers = Arc::new(Serving::new(environment.clone(), flags));
    let worker = Worker::open(place, lock, &terms, answers).map_err(|error| failure(&error))?;
    let note = worker.note();
    let wanted = terms.port;
    if wanted != 0 && note.port != wanted {
        ui.say(&format!("port {wanted} is taken; serving on {} instead", note.port));
    }
    // If nobody reads what we print, we serve all the same.
    drop(ui.line(&format!("serving on http://127.0.0.1:{} and {}", note.port, note.socket.display())));
    ui.say("`backstory view` opens it; Ctrl-C ends it");
    log::line(
        &home,
        now(&environment),
        &format!("worker: serving, process {}, port {}", note.pid, note.port),
    );
    match worker.serve().map_err(|error| failure(&error))? {
        WorkerExit::Stopped => {}
        WorkerExit::Idle => {
            log::line(&home, now(&environment), "worker: nobody asked for long enough; ended")
        }
    }
    Ok(Exit::Done)
}

/// Starts a worker on its own, or finds the one that runs, and returns it when it answers.
pub(crate) fn start(place: &Place, flags: &[String], app: &App) -> Result<Running, AppError> {
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
        if let Some(worker) = running(place, LOOK).filter(|worker| has_ended || worker.pid == child.id()) {
            return Ok(worker);
        }
        if has_ended || Instant::now() >= until {
            return Err(match find(place, LOOK) {
                Found::Silent(process) => hanging(process),
                _ => AppError::user("the worker did not start").hint("`backstory serve` says why"),
            });
        }
        std::thread::park_timeout(Duration::from_millis(20));
    }
}

fn end(place: &Place, json: bool, ui: &Ui) -> Result<Exit, AppError> {
    match stop(place).map_err(|error| failure(&error))? {
        Stopping::NoneRan | Stopping::Stopped if json => {
            status(&Found::Nobody, place, json, ui)?;
        }
        Stopping::NoneRan => ui.say("no worker runs"),
        Stopping::Stopped => ui.line("the worker has ended")?,
        Stopping::Refused(process) => return Err(hanging(process)),
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

fn status(found: &Found, place: &Place, json: bool, ui: &Ui) -> Result<Exit, AppError> {
    let (worker, process) = match found {
        Found::Answers(worker) => (Some(worker), Some(worker.pid)),
        Found::Silent(process) => (None, *process),
        Found::Nobody => (None, None),
    };
    let socket = worker.and_then(|_| place.read_note()).map(|note| note.socket.display().to_string());
    if json {
        ui.json(&StatusShape {
            version: 1,
            running: worker.is_some(),
            hangs: matches!(found, Found::Silent(_)),
            pid: process,
            version_of_worker: worker.map(|worker| worker.version.clone()),
            port: worker.map(|worker| worker.port),
            socket,
        })?;
        return Ok(if worker.is_some() { Exit::Done } else { Exit::No });
    }
    match found {
        Found::Answers(worker) => ui.line(&format!(
            "a worker serves: process {}, version {}, http://127.0.0.1:{} and {}",
            worker.pid,
            worker.version,
            worker.port,
            socket.unwrap_or_default()
        ))?,
        Found::Silent(process) => return Err(hanging(*process)),
        Found::Nobody => {
            ui.say("no worker runs; `backstory serve --detach` starts one");
            return Ok(Exit::No);
        }
    }
    Ok(Exit::Done)
}

fn failure(error: &WorkerError) -> AppError {
    AppError::user("the worker cannot serve").because(error)
}
