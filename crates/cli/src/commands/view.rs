//! `view`: opens the viewer, starting the worker if none runs.

use crate::commands::serve::VERSION;
use crate::exit::Exit;
use crate::ui::Ui;
use backstory_app::{App, AppError, Environment};
use backstory_server::WorkerControl;
use clap::Args;

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
    // Who logs in is the user to the worker.
    app.refuse_agent("log in to the viewer")
        .map_err(|error| error.hint("the viewer shows what `search` and `show` show"))?;
    app.home.prepare()?;
    let worker = WorkerControl::new(&app);
    let link = worker.login_link(VERSION, flags)?;
    let is_opened =
        || worker.login_page(&link).is_some_and(|page| backstory_platform::open_in_browser(&page));
    if !args.print && app.environment.has_screen() && is_opened() {
        ui.say("opened in your browser; if not, this link works once, for five minutes:");
    }
    ui.line(&link)?;
    Ok(Exit::Done)
}
