//! Settings and synonyms in JSON.

use crate::app::App;
use crate::error::AppError;
use crate::settings::Setting;
use crate::synonyms;
use serde::Serialize;

/// What `config --json` answers.
#[derive(Debug, Serialize)]
pub struct SettingListShape {
    pub version: u32,
    pub settings: Vec<SettingShape>,
    pub faults: Vec<String>,
}

/// What `config get --json` answers.
#[derive(Debug, Serialize)]
pub struct OneSettingShape {
    pub version: u32,
    #[serde(flatten)]
    pub setting: SettingShape,
}

/// One setting and where its value comes from.
#[derive(Debug, Serialize)]
pub struct SettingShape {
    pub key: String,
    pub value: toml::Value,
    pub origin: String,
}

/// What `config path --json` answers.
#[derive(Debug, Serialize)]
pub struct ConfigPathShape {
    pub version: u32,
    pub path: String,
}

/// What `config synonyms --json` answers.
#[derive(Debug, Serialize)]
pub struct SynonymListShape {
    pub version: u32,
    pub path: Option<String>,
    pub synonyms: Vec<SynonymShape>,
    pub skipped: Vec<String>,
}

/// A word and its synonyms.
#[derive(Debug, Serialize)]
pub struct SynonymShape {
    pub word: String,
    pub others: Vec<String>,
    pub origin: &'static str,
}

/// Returns every setting.
pub fn settings(app: &App) -> SettingListShape {
    let settings = app.settings.all().iter().map(|(key, setting)| shape(key, setting)).collect();
    SettingListShape { version: 1, settings, faults: app.faults.iter().map(AppError::line).collect() }
}

/// Returns one setting. A configuration with a fault is refused: the value may not be the one the user set.
pub fn setting(app: &App, key: &str) -> Result<OneSettingShape, AppError> {
    if let Some(fault) = app.faults.first() {
        return Err(fault.clone());
    }
    let settings = app.settings.all();
    let setting = settings.get(key).ok_or_else(|| {
        AppError::usage(format!("there is no setting `{key}`")).hint("`backstory config` lists all settings")
    })?;
    Ok(OneSettingShape { version: 1, setting: shape(key, setting) })
}

/// Returns where the user's file is read from.
pub fn config_path(app: &App) -> Result<ConfigPathShape, AppError> {
    let path = app.environment.config_file().ok_or_else(|| {
        AppError::usage("cannot tell where your config file would be")
            .hint("set `HOME`, or `BACKSTORY_CONFIG` to a file")
    })?;
    Ok(ConfigPathShape { version: 1, path: path.display().to_string() })
}

/// Returns the synonyms that hold.
pub fn synonyms(app: &App) -> SynonymListShape {
    let (synonyms, skipped) = synonyms::synonyms(&app.environment);
    let path = app.environment.synonyms_file().map(|path| path.display().to_string());
    let synonyms = synonyms.lines().map(|(word, line)| SynonymShape {
        word: word.to_owned(),
        others: line.others.clone(),
        origin: if line.is_own { "user" } else { "default" },
    });
    SynonymListShape { version: 1, path, synonyms: synonyms.collect(), skipped }
}

fn shape(key: &str, setting: &Setting) -> SettingShape {
    SettingShape { key: key.to_owned(), value: setting.value.clone(), origin: setting.origin.to_string() }
}
