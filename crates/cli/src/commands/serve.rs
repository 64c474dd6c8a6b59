//! `serve`: the worker, in the foreground or on its own. One a home; nothing but the viewer and programs that want HTTP needs it.

use crate::exit::Exit;
use crate::ui::Ui;
use backstory_app::app::now;
use backstory_app::{App, AppError, Environment, log, teams};
use backstory_server::{
    ApiHandler, Claim, Limits, Worker, WorkerControl, WorkerExit, WorkerOptions, WorkerReport, claim,
};
use clap::Args;
use std::time::Duration;

/// Which build we are: a newer one takes over from an older one.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

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

/// Serves, or controls the worker that does.
pub(crate) fn run(
    args: &ServeArgs,
    environment: Environment,
    flags: Vec<String>,
    ui: &Ui,
) -> Result<Exit, AppError> {
    let app = App::outside_projects(environment, &flags)?;
    let control = WorkerControl::new(&app);
    if args.stop {
        let was_running = control.stop()?;
        match (args.json, was_running) {
            (true, _) => ui.json(&control.report())?,
            (false, true) => ui.line("the worker has ended")?,
            (false, false) => ui.say("no worker runs"),
        }
        return Ok(Exit::Done);
    }
    if args.status {
        return print_report(&control.report(), args, ui);
    }
    app.home.prepare()?;
    if args.detach {
        control.start(&flags)?;
        return print_report(&control.report(), args, ui);
    }
    serve(control, flags, app, ui)
}

fn serve(control: WorkerControl, flags: Vec<String>, app: App, ui: &Ui) -> Result<Exit, AppError> {
    let lock = match claim(&control.dir, VERSION)? {
        Claim::Ours(lock) => lock,
        Claim::Theirs(Some(other)) => {
            ui.say(&format!("a worker is running: process {}, port {}", other.pid, other.port));
            return Ok(Exit::Done);
        }
        Claim::Theirs(None) => {
            ui.say(
                "another worker has the lock and does not answer; `backstory serve --status` checks again",
            );
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
    if let Ok(program) = std::env::current_exe() {
        teams::sync_every(program, flags.clone(), &app);
    }
    let App { environment, home, .. } = app;
    let handler = ApiHandler::for_home(environment.clone(), flags);
    let worker = Worker::open(control.dir, lock, &options, handler)?;
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
    match worker.serve()? {
        WorkerExit::Stopped => {}
        WorkerExit::Idle => {
            log::line(&home, now(&environment), "worker: idle for long enough; ended");
        }
    }
    Ok(Exit::Done)
}

fn print_report(report: &WorkerReport, args: &ServeArgs, ui: &Ui) -> Result<Exit, AppError> {
    let exit = if report.running { Exit::Done } else { Exit::No };
    if args.json {
        ui.json(report)?;
        return Ok(exit);
    }
    report.refuse_unresponsive()?;
    if !report.running {
        ui.say("no worker runs; `backstory serve --detach` starts one");
        return Ok(exit);
    }
    ui.line(&format!(
        "a worker serves: process {}, version {}, http://127.0.0.1:{} and {}",
        report.pid.unwrap_or_default(),
        report.version_of_worker.as_deref().unwrap_or_default(),
        report.port.unwrap_or_default(),
        report.socket.as_deref().unwrap_or_default()
    ))?;
    Ok(exit)
}
