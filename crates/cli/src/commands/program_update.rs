//! `self update --check`: says whether there is a newer release. It never installs one.

use crate::args::ActionArgs;
use crate::exit::Exit;
use crate::ui::Ui;
use backstory_app::{AppError, program_update};
use clap::Subcommand;

/// What can be done about this program itself.
#[derive(Debug, Subcommand)]
pub(crate) enum Action {
    /// Ask whether there is a newer release. Nothing is downloaded or replaced
    Update {
        /// Only tell: it is all this command does
        #[arg(long, required = true)]
        check: bool,
        /// Where the releases are, instead of the place this build knows
        #[arg(long, value_name = "URL")]
        from: Option<String>,
    },
}

/// Says what the newest release is.
pub(crate) fn run(args: &ActionArgs<Action>, ui: &Ui) -> Result<Exit, AppError> {
    let Some(Action::Update { from, .. }) = &args.action else {
        return Err(AppError::usage("nothing to do").hint("`backstory self update --check`"));
    };
    let update = program_update::check(env!("CARGO_PKG_VERSION"), from.as_deref())?;
    ui.answer(args.json, &update, || {
        if !update.is_newer {
            return ui.line(&format!("{} is the newest release", update.running));
        }
        ui.line(&format!("{} is out; this is {}", update.newest, update.running))?;
        ui.line(&format!("get it the way you installed this one; releases are at {}", update.releases))
    })?;
    Ok(Exit::Done)
}
