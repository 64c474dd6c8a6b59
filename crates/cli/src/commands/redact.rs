//! `redact`: what would be taken out of a text before it is stored, so that a person can try.

use crate::exit::Exit;
use crate::ui::{Ui, read_stdin};
use backstory_app::{App, AppError};
use clap::Args;

/// Arguments of `redact`.
#[derive(Args, Debug)]
pub(crate) struct RedactArgs {
    /// Output as JSON, with what was found
    #[arg(long)]
    pub(crate) json: bool,
}

/// Redacts standard input.
pub(crate) fn run(args: &RedactArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    let redacted = app.redact(&read_stdin()?);
    ui.answer(args.json, &redacted, || ui.raw(&redacted.text))?;
    Ok(Exit::Done)
}
