//! `config`: every setting, its value, and where that comes from.

use crate::args::ActionArgs;
use crate::exit::Exit;
use crate::layout::pad;
use crate::ui::{Tone, Ui, one_line};
use backstory_app::{App, AppError, json};
use clap::Subcommand;
use std::process::Command;

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
    /// Set a value in your own file
    Set {
        /// The setting, like `capture.enabled`
        key: String,
        /// Its value, as it is written in the file
        value: String,
    },
    /// Open your own file in your editor
    Edit,
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
        Some(Action::Set { key, value }) => set(key, value, args, app, ui),
        Some(Action::Edit) => edit(args, app, ui),
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
        let value = pad(&format!("{} = {}", setting.key, setting.value), 40);
        // A list of settings is searched and copied from: a long value runs over the edge instead of being wrapped.
        ui.line(&format!("{value} {}", ui.tone(Tone::Faint, &one_line(&setting.origin))))?;
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

fn set(key: &str, value: &str, args: &ActionArgs<Action>, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    let changed = app.set_in_users_file(key, value)?;
    ui.answer(args.json, &changed, || {
        let path = ui.tone(Tone::Path, &changed.path);
        ui.line(&format!("{} {} = {} in {path}", ui.check_mark(), changed.key, changed.value))
    })?;
    Ok(Exit::Done)
}

/// Opens the user's file in their editor, and says at once what is wrong with it then.
fn edit(args: &ActionArgs<Action>, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    let shown = json::config_path(app)?;
    let missing = || {
        AppError::user("no editor is set").hint(format!("set `EDITOR`, or open `{}` yourself", shown.path))
    };
    let line = app.environment.editor().ok_or_else(missing)?.to_owned();
    let mut words = line.split_whitespace();
    let program = words.next().ok_or_else(missing)?;
    let path = app.make_users_file()?;
    let status = Command::new(program).args(words).arg(&path).status();
    let status = status.map_err(|error| AppError::user(format!("cannot run `{line}`")).because(&error))?;
    if !status.success() {
        return Err(AppError::user(format!("`{line}` failed: {status}")));
    }
    let after = App::with_faults(app.environment.clone(), &[])?;
    ui.say_faults(&after);
    let is_well = after.faults.is_empty();
    ui.answer(args.json, &shown, || {
        let mark = if is_well { ui.check_mark() } else { ui.tone(Tone::Bad, "✗") };
        ui.line(&format!("{mark} {}", ui.tone(Tone::Path, &shown.path)))
    })?;
    Ok(if is_well { Exit::Done } else { Exit::No })
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
