//! `completions`: a completion script for a shell.

use crate::args::Cli;
use crate::exit::Exit;
use crate::ui::Ui;
use backstory_app::AppError;
use clap::{Args, CommandFactory};
use clap_complete::Shell;

/// Arguments of `completions`.
#[derive(Args, Debug)]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: Shell,
}

/// Prints the script.
pub(crate) fn run(args: &CompletionsArgs, ui: &Ui) -> Result<Exit, AppError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "backstory", &mut script);
    ui.raw(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Done)
}
