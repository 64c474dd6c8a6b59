//! `config`: every setting, its value, and where that comes from.

use crate::args::ActionArgs;
use crate::exit::Exit;
use crate::ui::{Tone, Ui, one_line};
use backstory_app::{App, AppError, json};
use clap::Subcommand;

/// What can be asked of the configuration.
#[derive(Debug, Subcommand)]
pub(crate) enum Action {
    /// Show every setting and where its value comes from
    Show,
    /// Print one value
    Get {
        /// The setting, like `capture.enabled`
        key: String,
    },
    /// Print where your own file is read from
    Path,
    /// Show the synonyms in use, and where your own list is read from
    Synonyms,
}

/// Shows the configuration.
pub(crate) fn run(args: &ActionArgs<Action>, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    match &args.action {
        None | Some(Action::Show) => show(args, app, ui),
        Some(Action::Get { key }) => get(key, args, app, ui),
        Some(Action::Path) => path(args, app, ui),
        Some(Action::Synonyms) => synonyms(args, app, ui),
    }
}

fn show(args: &ActionArgs<Action>, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    let shown = json::settings(app);
    if args.json {
        ui.json(&shown)?;
        return Ok(Exit::Done);
    }
    for setting in &shown.settings {
        let value = format!("{} = {}", setting.key, setting.value);
        ui.line(&format!("{value:<40} {}", ui.tone(Tone::Faint, &one_line(&setting.origin))))?;
    }
    ui.say_faults(app);
    Ok(Exit::Done)
}

fn get(key: &str, args: &ActionArgs<Action>, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    let shown = json::setting(app, key)?;
    if args.json {
        ui.json(&shown)?;
    } else {
        let value = &shown.setting.value;
        ui.line(&value.as_str().map_or_else(|| value.to_string(), str::to_owned))?;
    }
    Ok(Exit::Done)
}

fn path(args: &ActionArgs<Action>, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    let shown = json::config_path(app)?;
    ui.answer(args.json, &shown, || ui.line(&shown.path))?;
    Ok(Exit::Done)
}

/// Prints the synonyms as a list of them is written: what is printed can be kept as one and edited.
fn synonyms(args: &ActionArgs<Action>, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    let shown = json::synonyms(app);
    if args.json {
        ui.json(&shown)?;
        return Ok(Exit::Done);
    }
    if let Some(path) = &shown.path {
        ui.line(&format!("# your own list: {}", one_line(path)))?;
    }
    for synonym in &shown.synonyms {
        let origin = if synonym.origin == "user" { " # yours" } else { "" };
        ui.line(&format!("{}: {}{origin}", synonym.word, synonym.others.join(", ")))?;
    }
    for note in &shown.skipped {
        ui.say(&format!("warning: your list of synonyms: {note}"));
    }
    Ok(Exit::Done)
}
