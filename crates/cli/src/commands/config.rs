//! `config`: every setting, its value, and where that comes from.

use crate::exit::Exit;
use crate::ui::{Tone, Ui, one_line};
use backstory_app::settings::Setting;
use backstory_app::{App, AppError, synonyms};
use clap::{Args, Subcommand};
use serde::Serialize;

/// Arguments of `config`.
#[derive(Args, Debug)]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    pub(crate) action: Option<Action>,
    /// Output as JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

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
    /// Show which synonyms hold, and where your own list of them is read from
    Synonyms,
}

#[derive(Serialize)]
struct Shown {
    version: u32,
    settings: Vec<SettingShape>,
    faults: Vec<String>,
}

#[derive(Serialize)]
struct OneSetting {
    version: u32,
    #[serde(flatten)]
    setting: SettingShape,
}

#[derive(Serialize)]
struct PathShape {
    version: u32,
    path: String,
}

#[derive(Serialize)]
struct SynonymsShape {
    version: u32,
    path: Option<String>,
    synonyms: Vec<SynonymShape>,
    skipped: Vec<String>,
}

#[derive(Serialize)]
struct SynonymShape {
    word: String,
    others: Vec<String>,
    origin: &'static str,
}

#[derive(Serialize)]
struct SettingShape {
    key: String,
    value: toml::Value,
    origin: String,
}

/// Shows the configuration.
pub(crate) fn run(args: &ConfigArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    match &args.action {
        None | Some(Action::Show) => show(args, app, ui),
        Some(Action::Get { key }) => get(key, args, app, ui),
        Some(Action::Path) => path(args, app, ui),
        Some(Action::Synonyms) => synonyms(args, app, ui),
    }
}

fn show(args: &ConfigArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    let settings: Vec<SettingShape> = app.settings.iter().map(|(key, setting)| shape(key, setting)).collect();
    if args.json {
        let faults = app.faults.iter().map(AppError::line).collect();
        ui.json(&Shown { version: 1, settings, faults })?;
        return Ok(Exit::Done);
    }
    for setting in &settings {
        let value = format!("{} = {}", setting.key, setting.value);
        ui.line(&format!("{value:<40} {}", ui.tone(Tone::Faint, &one_line(&setting.origin))))?;
    }
    ui.say_faults(app);
    Ok(Exit::Done)
}

fn shape(key: &str, setting: &Setting) -> SettingShape {
    SettingShape { key: key.to_owned(), value: setting.value.clone(), origin: setting.origin.to_string() }
}

fn get(key: &str, args: &ConfigArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    // Who asks for one value goes by it; what may not be the value that was meant is not told.
    if let Some(fault) = app.faults.first() {
        return Err(fault.clone());
    }
    let found = app.settings.iter().find(|(name, _)| *name == key).map(|(_, setting)| setting);
    let setting = found.ok_or_else(|| {
        AppError::usage(format!("there is no setting `{key}`")).hint("`backstory config` lists all settings")
    })?;
    if args.json {
        ui.json(&OneSetting { version: 1, setting: shape(key, setting) })?;
        return Ok(Exit::Done);
    }
    let text = setting.value.as_str().map_or_else(|| setting.value.to_string(), str::to_owned);
    ui.line(&text)?;
    Ok(Exit::Done)
}

fn path(args: &ConfigArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    let path = app.environment.config_file().ok_or_else(|| {
        AppError::usage("cannot tell where your config file would be")
            .hint("set `HOME`, or `BACKSTORY_CONFIG` to a file")
    })?;
    let path = path.display().to_string();
    if args.json {
        ui.json(&PathShape { version: 1, path })?;
    } else {
        ui.line(&path)?;
    }
    Ok(Exit::Done)
}

/// Prints the synonyms as they would stand in a list: what is printed can be kept as one and edited.
fn synonyms(args: &ConfigArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    let (synonyms, skipped) = synonyms::synonyms(&app.environment);
    let path = app.environment.synonyms_file().map(|path| path.display().to_string());
    let shapes = synonyms.lines().map(|(word, line)| SynonymShape {
        word: word.to_owned(),
        others: line.others.clone(),
        origin: if line.is_own { "user" } else { "default" },
    });
    let shown = SynonymsShape { version: 1, path, synonyms: shapes.collect(), skipped };
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
