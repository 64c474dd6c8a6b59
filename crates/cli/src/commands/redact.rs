//! `redact`: what we would take out of a text before storing it, so that a person can try.

use crate::exit::Exit;
use crate::ui::Ui;
use backstory_app::{App, AppError};
use clap::Args;
use serde::Serialize;
use std::io::Read;

/// Arguments of `redact`.
#[derive(Args, Debug)]
pub(crate) struct RedactArgs {
    /// Output as JSON, with what was found
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Serialize)]
struct Redacted {
    version: u32,
    text: String,
    found: Vec<FindingShape>,
    private_parts: usize,
}

#[derive(Serialize)]
struct FindingShape {
    rule: &'static str,
    start: usize,
    end: usize,
}

/// Redacts standard input.
pub(crate) fn run(args: &RedactArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().read_to_end(&mut bytes);
    read.map_err(|error| AppError::user("cannot read standard input").because(&error))?;
    let text = String::from_utf8_lossy(&bytes);
    let redactor = app.redactor();
    let scrubbed = redactor.scrub(&text).into_string();
    if !args.json {
        ui.raw(&scrubbed)?;
        return Ok(Exit::Done);
    }
    let found = redactor.redact(&text).found.into_iter();
    let found =
        found.map(|finding| FindingShape { rule: finding.rule, start: finding.start, end: finding.end });
    let marks = |text: &str| text.matches("[private]").count();
    let private_parts = marks(&scrubbed).saturating_sub(marks(&text));
    ui.json(&Redacted { version: 1, text: scrubbed, found: found.collect(), private_parts })?;
    Ok(Exit::Done)
}
