//! The environment variables we read; no other module reads the environment. Not here: the names of variables that move a host's
//! directory (`hosts`).

use backstory_hosts::HostPaths;
use backstory_platform::{UserDirs, is_executable, program_files};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// Where memories live; default: the XDG data directory.
pub const BACKSTORY_HOME: &str = "BACKSTORY_HOME";
/// The user's configuration file; default: `backstory/config.toml` in the XDG config directory.
pub const BACKSTORY_CONFIG: &str = "BACKSTORY_CONFIG";
/// The folder whose project is used; wins over the host's variable and over the working directory.
pub const BACKSTORY_PROJECT_DIR: &str = "BACKSTORY_PROJECT_DIR";
/// The time in milliseconds since 1970, instead of the machine's clock; for tests.
pub const BACKSTORY_NOW_MS: &str = "BACKSTORY_NOW_MS";
/// Milliseconds after which a hook gives up, instead of 2,000; for slow or busy machines.
pub const BACKSTORY_DEADLINE_MS: &str = "BACKSTORY_DEADLINE_MS";
/// Marks every process that our own call to a model starts: nothing that happens in there is captured.
pub const BACKSTORY_INSIDE: &str = "BACKSTORY_INSIDE";
/// Prefix of the variables that set a configuration value: `BACKSTORY_CAPTURE_ENABLED` sets `capture.enabled`.
pub const SETTING_PREFIX: &str = "BACKSTORY_";
/// Claude Code's variable for the project folder; steadier than the working directory, which follows `cd`.
const CLAUDE_PROJECT_DIR: &str = "CLAUDE_PROJECT_DIR";

/// How many columns the screen has, instead of what the terminal says.
const COLUMNS: &str = "COLUMNS";
/// The program in which the user edits texts; the first of the two that is set.
const VISUAL: &str = "VISUAL";
const EDITOR: &str = "EDITOR";
/// The password of a team's hub; `psql` reads the same variable.
const PGPASSWORD: &str = "PGPASSWORD";
/// The password file, instead of `~/.pgpass`; `psql` reads the same variable.
const PGPASSFILE: &str = "PGPASSFILE";

/// A snapshot of the environment.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    all: Vec<(OsString, OsString)>,
}

impl Environment {
    /// Reads the process environment.
    pub fn read() -> Environment {
        Environment { all: std::env::vars_os().collect() }
    }

    /// Creates an environment that holds these variables and no others.
    pub fn with_variables<const N: usize>(all: [(&str, PathBuf); N]) -> Environment {
        Environment { all: all.map(|(name, value)| (name.into(), value.into())).into() }
    }

    /// Returns a variable that is set and not empty.
    pub fn get(&self, name: &str) -> Option<&OsString> {
        self.all.iter().find(|(key, value)| key == name && !value.is_empty()).map(|(_, value)| value)
    }

    /// Returns a variable as text.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.to_str()
    }

    /// Returns the names and values of the variables that may set a configuration value.
    pub fn setting_variables(&self) -> impl Iterator<Item = (&str, &str)> {
        let text = self.all.iter().filter_map(|(name, value)| Some((name.to_str()?, value.to_str()?)));
        text.filter(|(name, value)| name.starts_with(SETTING_PREFIX) && !value.is_empty())
    }

    fn path(&self, name: &str) -> Option<PathBuf> {
        self.get(name).map(PathBuf::from)
    }

    fn dirs(&self) -> UserDirs {
        UserDirs::from_variables(|name| self.path(name))
    }

    /// Returns the user's home directory.
    pub fn user_home(&self) -> Option<PathBuf> {
        self.dirs().home
    }

    /// Returns our data directory, if known.
    pub fn data_home(&self) -> Option<PathBuf> {
        self.path(BACKSTORY_HOME).or_else(|| self.data_of_programs().map(|data| data.join("backstory")))
    }

    /// Returns the directory in which programs keep their data, if known.
    fn data_of_programs(&self) -> Option<PathBuf> {
        self.dirs().data
    }

    /// Returns the path of the user's configuration file, if known.
    pub fn config_file(&self) -> Option<PathBuf> {
        self.path(BACKSTORY_CONFIG)
            .or_else(|| self.config_home().map(|dir| dir.join("backstory/config.toml")))
    }

    /// Returns the directory in which programs keep their configuration, if known.
    fn config_home(&self) -> Option<PathBuf> {
        self.dirs().config
    }

    /// Returns the directory for files that last until the user logs out, if there is one.
    pub fn runtime_dir(&self) -> Option<PathBuf> {
        self.dirs().runtime
    }

    /// Whether there is a screen on which a browser could open.
    pub fn has_screen(&self) -> bool {
        backstory_platform::has_screen(|name| self.get(name).is_some())
    }

    /// Returns where hosts keep their files, if known.
    pub fn places(&self) -> Option<HostPaths> {
        let absolute = |path: PathBuf| std::path::absolute(&path).unwrap_or(path);
        let paths = HostPaths {
            home: absolute(self.user_home()?),
            config: absolute(self.config_home()?),
            applications: absolute(self.dirs().applications?),
            xdg_config: absolute(self.dirs().xdg_config?),
            data: absolute(self.data_of_programs()?),
            xdg_data: absolute(self.dirs().xdg_data?),
            programs: self.get("PATH").map(|path| std::env::split_paths(path).collect()).unwrap_or_default(),
            ..HostPaths::default()
        };
        Some(paths.with_variables(|name| self.path(name).map(absolute)))
    }

    /// Returns how long a hook may take, if the environment says so.
    pub fn hook_deadline(&self) -> Option<Duration> {
        self.text(BACKSTORY_DEADLINE_MS)?.parse().ok().map(Duration::from_millis)
    }

    /// Whether a shell would find a program of this name.
    pub fn finds_program(&self, name: &str) -> bool {
        let path = self.get("PATH").cloned().unwrap_or_default();
        let files = program_files(name);
        std::env::split_paths(&path)
            .any(|directory| files.iter().any(|file| is_executable(&directory.join(file))))
    }

    /// Returns the path of the user's list of synonyms, beside the configuration file, if known.
    pub fn synonyms_file(&self) -> Option<PathBuf> {
        self.config_file().map(|file| file.with_file_name("synonyms.txt"))
    }

    /// Returns the folder whose project is used, if the environment names one.
    pub fn project_dir(&self) -> Option<PathBuf> {
        self.project_dir_of(Some(CLAUDE_PROJECT_DIR))
    }

    /// Does the same for a host that names the folder in `variable`. Variables of other hosts are ignored: a host that runs inside
    /// another inherits them (law 8).
    pub fn project_dir_of(&self, variable: Option<&str>) -> Option<PathBuf> {
        self.path(BACKSTORY_PROJECT_DIR).or_else(|| self.path(variable?))
    }

    /// Returns the password of a hub, if the environment has one.
    pub fn hub_password(&self) -> Option<&str> {
        self.text(PGPASSWORD)
    }

    /// Returns the path of the password file, if known.
    pub fn passfile(&self) -> Option<PathBuf> {
        self.path(PGPASSFILE).or_else(|| self.user_home().map(|home| home.join(".pgpass")))
    }

    /// Whether our own call to a model started this process.
    pub fn is_inside(&self) -> bool {
        self.get(BACKSTORY_INSIDE).is_some()
    }

    /// Whether output must have no colour.
    pub fn no_color(&self) -> bool {
        self.get("NO_COLOR").is_some() || self.text("TERM") == Some("dumb")
    }

    /// Returns how many columns the screen has, if the environment says so.
    pub fn columns(&self) -> Option<usize> {
        self.text(COLUMNS)?.parse().ok().filter(|columns| *columns > 0)
    }

    /// Returns the program in which the user edits texts, if the environment names one.
    pub fn editor(&self) -> Option<&str> {
        self.text(VISUAL).or_else(|| self.text(EDITOR))
    }

    /// Returns names and values as text, for the redactor: values whose names look secret must not be stored.
    pub fn pairs(&self) -> Vec<(String, String)> {
        let text = |value: &OsString| value.to_str().map(str::to_owned);
        self.all.iter().filter_map(|(name, value)| Some((text(name)?, text(value)?))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moving_our_data_does_not_move_where_other_programs_keep_theirs() {
        let data = |more: (&str, PathBuf)| {
            Environment::with_variables([("HOME", "/home/ada".into()), more])
                .places()
                .map(|places| places.data)
        };
        assert_eq!(data((BACKSTORY_HOME, "/elsewhere".into())), Some("/home/ada/.local/share".into()));
        assert_eq!(data(("XDG_DATA_HOME", "/data".into())), Some("/data".into()));
        assert_eq!(data(("XDG_DATA_HOME", "not/absolute".into())), Some("/home/ada/.local/share".into()));
    }
}
