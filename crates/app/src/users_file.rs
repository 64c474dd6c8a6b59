//! Changing the user's own configuration file: one value at a time, by the smallest edit; comments and order stay (law 10).
//!
//! The file is edited as text, and the edit is used only if the result parses and differs in this value alone.

use crate::app::App;
use crate::error::AppError;
use crate::rules::replace;
use serde::Serialize;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// What `config set --json` answers.
#[derive(Debug, Serialize)]
#[expect(missing_docs, reason = "the fields are the JSON keys; docs/json.md explains them")]
pub struct ConfigSetShape {
    pub version: u32,
    pub key: String,
    pub value: Value,
    pub path: String,
}

impl App {
    /// Sets a value in the user's file. Only the user may: the file says what agents may do.
    pub fn set_in_users_file(&self, key: &str, text: &str) -> Result<ConfigSetShape, AppError> {
        self.refuse_agent("change your configuration")?;
        let path = self.users_file()?;
        let value = self.settings.checked_value(key, text, &path)?;
        let before = read(&path)?;
        let after = with_value(&before, key, &value).ok_or_else(|| {
            AppError::user(format!("cannot tell where `{key}` belongs in `{}`", path.display()))
                .hint("`backstory config edit` opens the file")
        })?;
        write(&path, &after)?;
        Ok(ConfigSetShape { version: 1, key: key.to_owned(), value, path: path.display().to_string() })
    }

    /// Returns the user's file for editing, and creates it if it is missing.
    pub fn make_users_file(&self) -> Result<PathBuf, AppError> {
        self.refuse_agent("change your configuration")?;
        let path = self.users_file()?;
        if !path.exists() {
            write(&path, "# Settings of Backstory. `backstory config` lists them all with their values.\n")?;
        }
        Ok(path)
    }

    fn users_file(&self) -> Result<PathBuf, AppError> {
        let path = self.environment.config_file().ok_or_else(|| {
            AppError::config("cannot tell where your configuration file is").hint("set `BACKSTORY_CONFIG`")
        })?;
        // People who keep their settings in git link this file: the target is edited, so that the link stays.
        Ok(path.canonicalize().unwrap_or(path))
    }
}

fn read(path: &Path) -> Result<String, AppError> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(text),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(AppError::user(format!("cannot read `{}`", path.display())).because(&error)),
    }
}

fn write(path: &Path, text: &str) -> Result<(), AppError> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    let written = fs::create_dir_all(folder).and_then(|()| replace(path, text.as_bytes()));
    written.map_err(|error| AppError::user(format!("cannot write `{}`", path.display())).because(&error))
}

/// Returns a file with one value set; none if the text cannot be edited line by line.
fn with_value(text: &str, key: &str, value: &Value) -> Option<String> {
    let (section, name) = key.split_once('.')?;
    let line = format!("{name} = {value}");
    let mut wanted: Table = text.parse().ok()?;
    let table = wanted.entry(section).or_insert_with(|| Value::Table(Table::new())).as_table_mut()?;
    table.insert(name.to_owned(), value.clone());
    // From the smallest edit to the largest; the first that makes exactly the wanted table is used.
    let candidates =
        [replaced(text, section, name, &line), added(text, section, &line), appended(text, section, &line)];
    candidates.into_iter().flatten().find(|edited| edited.parse::<Table>().is_ok_and(|table| table == wanted))
}

/// Replaces the line that sets the value now.
fn replaced(text: &str, section: &str, name: &str, line: &str) -> Option<String> {
    let mut is_inside = false;
    let mut was_found = false;
    let lines = text.split_inclusive('\n').map(|old| {
        if let Some(header) = header(old) {
            is_inside = header == section;
        }
        let is_it = is_inside && !was_found && old.split_once('=').is_some_and(|(key, _)| key.trim() == name);
        was_found |= is_it;
        let end = if old.ends_with('\n') { "\n" } else { "" };
        if is_it { format!("{line}{}{end}", comment(old)) } else { old.to_owned() }
    });
    let edited: String = lines.collect();
    was_found.then_some(edited)
}

/// Returns the comment behind a value; nothing if its `#` may stand inside a text.
fn comment(line: &str) -> &str {
    let line = line.trim_end();
    let at = line.find(" #").filter(|_| !line.contains(['"', '\'']));
    at.and_then(|at| line.get(at..)).unwrap_or_default()
}

/// Adds the line below the header of its section.
fn added(text: &str, section: &str, line: &str) -> Option<String> {
    let mut was_found = false;
    let lines = text.split_inclusive('\n').map(|old| {
        let is_it = !was_found && header(old) == Some(section);
        was_found |= is_it;
        let end = if old.ends_with('\n') { "" } else { "\n" };
        if is_it { format!("{old}{end}{line}\n") } else { old.to_owned() }
    });
    let edited: String = lines.collect();
    was_found.then_some(edited)
}

/// Adds the section at the end.
fn appended(text: &str, section: &str, line: &str) -> Option<String> {
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    let gap = if text.is_empty() { "" } else { "\n" };
    Some(format!("{text}{end}{gap}[{section}]\n{line}\n"))
}

fn header(line: &str) -> Option<&str> {
    line.trim().strip_prefix('[')?.split(']').next().map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn setting_a_value_changes_its_line_alone() {
        let check = |before: &str, expected: Option<&str>| {
            assert_eq!(
                with_value(before, "search.limit", &Value::Integer(5)).as_deref(),
                expected,
                "{before}"
            );
        };
        check("", Some("[search]\nlimit = 5\n"));
        check("[search]\n# how many\nlimit = 20\n", Some("[search]\n# how many\nlimit = 5\n"));
        check("[search]\nlimit = 20 # few\n", Some("[search]\nlimit = 5 # few\n"));
        check("[search]\n[writer]\nlimit = 3", Some("[search]\nlimit = 5\n[writer]\nlimit = 3"));
        check("[writer] # mine", Some("[writer] # mine\n\n[search]\nlimit = 5\n"));
        check("search = { limit = 3 }\n", None);
        check("search.limit = 3\n", None);
        check("[search]\nlimit = [\n1,\n]\n", None);
        check("not toml", None);
    }
}
