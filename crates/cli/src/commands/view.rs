//! `view`: opens the viewer, starting the worker if none runs.

use crate::commands::serve::{VERSION, start, worker_dir};
use crate::exit::Exit;
use crate::ui::Ui;
use backstory_app::Environment;
use backstory_app::{App, AppError};
use backstory_server::{WorkerDir, ask, running};
use clap::Args;
use serde_json::Value;
use std::time::Duration;

/// How long the worker may take to make a link.
const PATIENCE: Duration = Duration::from_secs(2);

/// Arguments of `view`.
#[derive(Args, Debug)]
pub(crate) struct ViewArgs {
    /// Print the link instead of opening it; it works once, for five minutes
    #[arg(long)]
    pub(crate) print: bool,
}

/// Opens the viewer.
pub(crate) fn run(
    args: &ViewArgs,
    environment: Environment,
    flags: &[String],
    ui: &Ui,
) -> Result<Exit, AppError> {
    let app = App::outside_projects(environment, flags)?;
    app.home.prepare()?;
    let dir = worker_dir(&app);
    // One of another build shows what that build knows: whoever starts finds out who is to serve.
    if running(&dir, PATIENCE).is_none_or(|worker| worker.version != VERSION) {
        start(&dir, flags, &app)?;
    }
    let link = link(&dir)?;
    let is_opened = !args.print && app.environment.has_screen() && open(&link);
    if is_opened {
        ui.say("opened in your browser; if it is not, this link works once, for five minutes:");
    }
    ui.line(&link)?;
    Ok(Exit::Done)
}

/// Asks the worker for a link that logs in once.
fn link(dir: &WorkerDir) -> Result<String, AppError> {
    let failed = || {
        AppError::user("the worker does not answer").hint("`backstory serve --stop` ends it; then try again")
    };
    let endpoint = dir.read_endpoint().ok_or_else(failed)?;
    let reply = ask(&endpoint.socket, "POST", "/api/worker/login-key", "{}", PATIENCE);
    let (_, body) = reply.map_err(|error| failed().because(&error))?;
    let answer: Value = serde_json::from_slice(&body).map_err(|error| failed().because(&error))?;
    answer.get("url").and_then(Value::as_str).map(str::to_owned).ok_or_else(failed)
}

/// Opens a link in the user's browser; says whether that could be tried.
fn open(link: &str) -> bool {
    backstory_platform::open_in_browser(link)
}
