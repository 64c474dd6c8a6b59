//! Where configuration comes from: defaults, the user's file, the project's file, the environment, flags; later ones win.
//!
//! Every layer is applied value by value, and a wrong value is skipped: a mistake in one place must not undo the rest. If a value that
//! says what must not be kept or injected cannot be read, nothing is kept or injected.
//!
//! Not here: what a project's file may change (`narrowing`).

pub mod narrowing;

use crate::config::Config;
use crate::env_vars::{Environment, SETTING_PREFIX};
use crate::error::AppError;
use backstory_platform::open_users_file;
use narrowing::narrowed;
use std::collections::BTreeMap;
use std::fmt;
use std::fs::OpenOptions;
use std::io::Read;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// The name of a project's file.
pub const PROJECT_FILE: &str = ".backstory.toml";

/// The default configuration, with a comment for each setting.
pub const DEFAULTS: &str = include_str!("default_config.toml");

/// Settings that only the user's file may hold: what agents may write and forget, and what is sent to a model. An agent, or a
/// repository's settings for a host, could set a variable or a flag.
const USERS_FILE_ONLY: [&str; 2] = ["mcp.write", "writer."];

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettingOrigin {
    /// Nobody set it.
    Default,
    /// The user's file.
    User(PathBuf),
    /// The project's file.
    Project(PathBuf),
    /// The environment variable of this name.
    Environment(String),
    /// `--set`.
    Flag,
}

impl fmt::Display for SettingOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SettingOrigin::Default => f.write_str("default"),
            SettingOrigin::User(path) => write!(f, "user: {}", path.display()),
            SettingOrigin::Project(path) => write!(f, "project: {}", path.display()),
            SettingOrigin::Environment(name) => write!(f, "environment: {name}"),
            SettingOrigin::Flag => f.write_str("flag"),
        }
    }
}

/// One value and where it comes from.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The value.
    pub value: Value,
    /// Where it comes from.
    pub origin: SettingOrigin,
}

/// All values with their origins.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The values by section and name, as in a file. Every hook parses the defaults, so they are kept in the shape the parser returns.
    sections: Table,
    /// Where each value that is not a default comes from, by key.
    origins: BTreeMap<String, SettingOrigin>,
    /// The configuration that the values make, once it is computed.
    config: Option<Config>,
}

impl Settings {
    /// Starts with the defaults.
    pub fn defaults() -> Settings {
        let sections = DEFAULTS.parse().unwrap_or_default();
        Settings { sections, origins: BTreeMap::new(), config: None }
    }

    /// Lays the user's and the project's file over what is there, and returns what is wrong with them.
    pub fn lay_files(&mut self, user: Option<PathBuf>, project: Option<PathBuf>) -> Vec<AppError> {
        let mut wrong = user.map(|file| self.lay_user_file(&file)).unwrap_or_default();
        wrong.extend(project.map(|file| self.lay_project_file(&file)).unwrap_or_default());
        wrong
    }

    /// Lays the user's file over what is there, and returns what is wrong with it. No file is fine.
    fn lay_user_file(&mut self, path: &Path) -> Vec<AppError> {
        let origin = SettingOrigin::User(path.to_owned());
        self.lay_file(path, &origin, |settings, key, value| settings.set(key, value, &origin))
    }

    /// Lays a project's file over what is there, as far as it narrows, and returns what is wrong with it.
    fn lay_project_file(&mut self, path: &Path) -> Vec<AppError> {
        self.lay_file(path, &SettingOrigin::Project(path.to_owned()), |settings, key, value| match key {
            // The name of the project stands in the same file.
            "project" => Ok(()),
            key => settings.narrow(key, &value, path),
        })
    }

    /// Lays a file, value by value. A value about capturing or injecting that cannot be read turns that off: it may have said that nothing,
    /// or not these words, may be kept (law 7).
    fn lay_file(
        &mut self,
        path: &Path,
        origin: &SettingOrigin,
        lay: impl Fn(&mut Settings, &str, Value) -> Result<(), AppError>,
    ) -> Vec<AppError> {
        let table = match read_table(path) {
            Ok(table) => table,
            Err(failure) => {
                [Switch::Capture, Switch::Inject]
                    .into_iter()
                    .for_each(|switch| self.turn_off(switch, origin));
                return vec![failure];
            }
        };
        let (mut wrong, mut unclear) = (Vec::new(), Vec::new());
        for (key, value) in flat(table) {
            if let Err(failure) = lay(self, &key, value) {
                wrong.push(failure);
                unclear.extend(Switch::over(&key));
            }
        }
        // Done last, because a later line of the file must not turn it on again.
        unclear.into_iter().for_each(|switch| self.turn_off(switch, origin));
        wrong
    }

    fn turn_off(&mut self, switch: Switch, origin: &SettingOrigin) {
        self.put(switch.key(), Value::Boolean(false), origin.clone());
        self.config = None;
    }

    fn narrow(&mut self, key: &str, value: &Value, path: &Path) -> Result<(), AppError> {
        let origin = SettingOrigin::Project(path.to_owned());
        let before = self.known(key, &origin)?.clone();
        let narrowed = narrowed(key, &before, value, path).ok_or_else(|| {
            AppError::config(format!("`{}` must not change `{key}` this way", path.display()))
                .hint("a project's file may only narrow: capture less, redact more, show and inject less")
        })?;
        self.set(key, narrowed, &origin)
    }

    /// Lays the environment over what is there, and returns what is wrong with it.
    pub fn lay_environment(&mut self, environment: &Environment) -> Vec<AppError> {
        let (mut wrong, mut unclear) = (Vec::new(), Vec::new());
        for (name, text) in environment.setting_variables() {
            let Some(key) = self.key_of_variable(name) else { continue };
            let origin = SettingOrigin::Environment(name.to_owned());
            if let Err(failure) = refuse_agents_layer(&key, &origin) {
                wrong.push(failure);
                continue;
            }
            if let Err(failure) = self.set(&key, value_from(text), &origin) {
                wrong.push(failure);
                unclear.extend(Switch::over(&key).map(|switch| (switch, origin)));
            }
        }
        unclear.into_iter().for_each(|(switch, origin)| self.turn_off(switch, &origin));
        wrong
    }

    /// Lays a flag `KEY=VALUE` over what is there.
    pub fn lay_flag(&mut self, assignment: &str) -> Result<(), AppError> {
        let Some((key, text)) = assignment.split_once('=') else {
            return Err(AppError::usage(format!("`--set {assignment}` is not KEY=VALUE"))
                .hint("write it like `--set search.limit=5`"));
        };
        refuse_agents_layer(key.trim(), &SettingOrigin::Flag)?;
        self.set(key.trim(), value_from(text.trim()), &SettingOrigin::Flag)
    }

    /// Reads a value somebody typed for the user's file, and refuses one that does not fit.
    pub fn checked_value(&self, key: &str, text: &str, file: &Path) -> Result<Value, AppError> {
        let value = value_from(text.trim());
        self.clone().set(key, value.clone(), &SettingOrigin::User(file.to_owned()))?;
        Ok(value)
    }

    /// Returns every value with its origin, by key.
    pub fn all(&self) -> BTreeMap<String, Setting> {
        let origin_of = |key: &String| self.origins.get(key).cloned().unwrap_or(SettingOrigin::Default);
        let settings = flat(self.sections.clone()).into_iter();
        settings.map(|(key, value)| (key.clone(), Setting { value, origin: origin_of(&key) })).collect()
    }

    /// Turns the values into a configuration.
    pub fn config(&self) -> Result<Config, AppError> {
        if let Some(config) = &self.config {
            return Ok(config.clone());
        }
        self.sections.clone().try_into().map_err(|error: toml::de::Error| {
            AppError::config("the configuration cannot be used")
                .because(&error)
                .hint("see `backstory config`")
        })
    }

    fn known(&self, key: &str, origin: &SettingOrigin) -> Result<&Value, AppError> {
        let (section, name) = key.split_once('.').unwrap_or(("", key));
        self.sections.get(section).and_then(|section| section.get(name)).ok_or_else(|| {
            AppError::config(format!("there is no setting `{key}` ({origin})"))
                .hint("`backstory config` lists all settings")
        })
    }

    /// Replaces the value of a known setting, and returns the one before with its origin.
    fn put(&mut self, key: &str, value: Value, origin: SettingOrigin) -> Option<Setting> {
        let (section, name) = key.split_once('.')?;
        let Value::Table(section) = self.sections.get_mut(section)? else { return None };
        let before = section.insert(name.to_owned(), value)?;
        let origin = match origin {
            SettingOrigin::Default => self.origins.remove(key),
            origin => self.origins.insert(key.to_owned(), origin),
        };
        Some(Setting { value: before, origin: origin.unwrap_or(SettingOrigin::Default) })
    }

    /// Returns the setting that a variable sets: `BACKSTORY_CAPTURE_ENABLED` sets `capture.enabled`.
    fn key_of_variable(&self, variable: &str) -> Option<String> {
        let variable = variable.strip_prefix(SETTING_PREFIX)?;
        self.sections.iter().find_map(|(section, names)| {
            let name = strip_upper(variable, section)?.strip_prefix('_')?;
            let names = names.as_table()?.keys();
            let known = names.into_iter().find(|known| strip_upper(name, known) == Some(""))?;
            Some(format!("{section}.{known}"))
        })
    }

    /// Sets a value. A value that does not fit changes nothing, so that the settings always make a configuration.
    fn set(&mut self, key: &str, value: Value, origin: &SettingOrigin) -> Result<(), AppError> {
        let example = format!("{key} = {}", self.known(key, origin)?);
        let is_sensible = is_sensible(&value);
        let before = self.put(key, value, origin.clone());
        let config_before = self.config.take();
        let config = self.config().ok().filter(|_| is_sensible);
        let wrong = match config.as_ref().map(beyond_bounds) {
            Some(None) => {
                self.config = config;
                return Ok(());
            }
            Some(Some(bound)) => AppError::config(format!("{bound} ({origin})")),
            // The value itself is not repeated: it may be one of the texts that must not be stored, and this may be logged.
            None => AppError::config(format!("the value of `{key}` does not fit ({origin})")),
        };
        if let Some(Setting { value, origin }) = before {
            self.put(key, value, origin);
        }
        self.config = config_before;
        Err(wrong.hint(format!("a value that fits: `{example}`")))
    }
}

/// Refuses a setting that only the user's file may hold. An agent chooses the variables and flags of the commands it runs, and must not
/// extend its own rights.
fn refuse_agents_layer(key: &str, origin: &SettingOrigin) -> Result<(), AppError> {
    if !USERS_FILE_ONLY.iter().any(|only| key.starts_with(only)) {
        return Ok(());
    }
    Err(AppError::config(format!("`{key}` is set in your configuration file only ({origin})"))
        .hint("`backstory config path` says where that is"))
}

/// Says which bound a configuration is beyond, if it is beyond one.
fn beyond_bounds(config: &Config) -> Option<String> {
    // An event must fit into the spool while the database is busy.
    if config.capture.max_event_bytes > MOST_EVENT_BYTES {
        Some(format!("`capture.max_event_bytes` is at most {MOST_EVENT_BYTES}"))
    } else if config.search.limit == 0 {
        Some("`search.limit` is at least 1".to_owned())
    } else if !WRITER_TOKENS.contains(&config.writer.tokens) {
        let (least, most) = (WRITER_TOKENS.start(), WRITER_TOKENS.end());
        Some(format!("`writer.tokens` is from {least} to {most}"))
    } else if !matches!(config.writer.price.len(), 0 | 2) {
        Some("`writer.price` has two numbers: a million tokens read, a million written".to_owned())
    } else {
        None
    }
}

/// Finds the nearest project's file at or above a folder.
pub fn project_file(start: &Path) -> Option<PathBuf> {
    start.ancestors().map(|dir| dir.join(PROJECT_FILE)).find(|path| path.is_file())
}

/// Reads a TOML file; a missing file is empty.
pub(crate) fn read_table(path: &Path) -> Result<Table, AppError> {
    let mut text = String::new();
    let opened = open_users_file(OpenOptions::new().read(true), path);
    match opened.and_then(|file| file.take(LARGEST_FILE + 1).read_to_string(&mut text)) {
        Ok(bytes) if bytes as u64 > LARGEST_FILE => {
            return Err(AppError::config(format!("`{}` is too large for a settings file", path.display())));
        }
        Ok(_) => {}
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Table::new()),
        Err(error) => {
            return Err(AppError::config(format!("cannot read `{}`", path.display())).because(&error));
        }
    }
    text.parse().map_err(|error: toml::de::Error| {
        // Only where and what: the line itself may hold a text that must not be stored, and this may be logged.
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        let line = before.lines().count().max(1);
        AppError::config(format!("`{}` is not TOML at line {line}: {}", path.display(), error.message()))
            .hint("mend that line; `backstory config` shows what can be set")
    })
}

/// The most that may be kept of one event.
const MOST_EVENT_BYTES: u32 = 256 * 1024;
/// How many tokens of a session a request may hold. Fewer lose too much of the session; with more, the request does not fit into a pipe.
const WRITER_TOKENS: std::ops::RangeInclusive<u32> = 1_000..=8_000;
/// The largest file of settings that is read, because every hook reads it.
const LARGEST_FILE: u64 = 64 * 1024;

/// The greatest number a setting may have: greater than anybody needs, and small enough that sums stay finite.
const GREATEST_NUMBER: f64 = 1e6;

/// Whether a number can be calculated with. Every setting that is a number is an amount, so none may be negative.
fn is_sensible(value: &Value) -> bool {
    match value {
        Value::Float(number) => (0.0..=GREATEST_NUMBER).contains(number),
        Value::Integer(number) => *number >= 0,
        Value::Array(all) => all.iter().all(is_sensible),
        _ => true,
    }
}

/// What is turned off if a setting about it cannot be read.
#[derive(Clone, Copy)]
enum Switch {
    Capture,
    Inject,
}

impl Switch {
    /// Returns what a setting decides about. Goes by the section alone, so that a misspelt name counts too.
    fn over(key: &str) -> Option<Switch> {
        match key.split('.').next() {
            Some("capture" | "redact") => Some(Switch::Capture),
            Some("inject") => Some(Switch::Inject),
            _ => None,
        }
    }

    const fn key(self) -> &'static str {
        match self {
            Switch::Capture => "capture.enabled",
            Switch::Inject => "inject.enabled",
        }
    }
}

/// Turns `[section] name = value` into `section.name`.
fn flat(table: Table) -> Vec<(String, Value)> {
    let mut all = Vec::new();
    for (section, value) in table {
        match value {
            Value::Table(inner) => {
                all.extend(inner.into_iter().map(|(name, value)| (format!("{section}.{name}"), value)));
            }
            value => all.push((section, value)),
        }
    }
    all
}

/// Strips a name from the front of a variable, which has it in capitals.
fn strip_upper<'a>(variable: &'a str, name: &str) -> Option<&'a str> {
    let (front, rest) = variable.split_at_checked(name.len())?;
    front.bytes().eq(name.bytes().map(|byte| byte.to_ascii_uppercase())).then_some(rest)
}

/// Reads a value from a flag or a variable: as TOML if it is TOML, else as text.
fn value_from(text: &str) -> Value {
    format!("x = {text}")
        .parse::<Table>()
        .ok()
        .and_then(|mut table| table.remove("x"))
        .unwrap_or_else(|| Value::String(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_a_whole_configuration() {
        let config = Settings::defaults().config().unwrap();
        assert!(config.capture.enabled && config.search.limit > 0);
        // The file people read says what the engine does without one.
        assert_eq!((config.recall.recency, config.recall.strictness), (1.0, 1.0));
    }
}
