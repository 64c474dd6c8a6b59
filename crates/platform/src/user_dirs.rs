//! The user's directories, by the variables of the environment: the XDG base directories.

use std::path::{Path, PathBuf};

/// The user's directories, as far as the environment says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserDirs {
    /// The home directory.
    pub home: Option<PathBuf>,
    /// Where programs keep their configuration.
    pub config: Option<PathBuf>,
    /// Where desktop programs keep their settings.
    pub applications: Option<PathBuf>,
    /// Where programs keep their configuration that follow XDG on every system.
    pub xdg_config: Option<PathBuf>,
    /// Where programs keep their data.
    pub data: Option<PathBuf>,
    /// Where programs keep their data that follow XDG on every system.
    pub xdg_data: Option<PathBuf>,
    /// For what lives as long as the user is logged in.
    pub runtime: Option<PathBuf>,
}

impl UserDirs {
    /// Finds the directories. `variable` returns a variable of the environment that is set and not empty.
    ///
    /// Linux and macOS: the XDG base directories, as the hosts do. Desktop programs of macOS keep to its own directory.
    #[cfg(unix)]
    #[must_use]
    pub fn from_variables(variable: impl Fn(&str) -> Option<PathBuf>) -> UserDirs {
        // The XDG specification says to ignore a relative path.
        let absolute = |name: &str| variable(name).filter(|path| path.is_absolute());
        let home = variable("HOME");
        let in_home = |path: &str| home.as_ref().map(|home| home.join(path));
        let config = absolute("XDG_CONFIG_HOME").or_else(|| in_home(".config"));
        let data = absolute("XDG_DATA_HOME").or_else(|| in_home(".local/share"));
        let own = if cfg!(target_os = "macos") { in_home("Library/Application Support") } else { None };
        UserDirs {
            applications: own.or_else(|| config.clone()),
            xdg_config: config.clone(),
            config,
            xdg_data: data.clone(),
            data,
            runtime: absolute("XDG_RUNTIME_DIR"),
            home,
        }
    }

    /// Finds the directories. `variable` returns a variable of the environment that is set and not empty.
    ///
    /// Windows: the Known Folders, which the system puts into the environment at logon. `HOME` is not asked: shells that are not of the
    /// system set it as they like, and the hosts do not follow it.
    #[cfg(windows)]
    #[must_use]
    pub fn from_variables(variable: impl Fn(&str) -> Option<PathBuf>) -> UserDirs {
        let absolute = |name: &str| variable(name).filter(|path| path.is_absolute());
        let home = absolute("USERPROFILE");
        let in_home = |path: &str| home.as_ref().map(|home| home.join("AppData").join(path));
        let config = absolute("APPDATA").or_else(|| in_home("Roaming"));
        UserDirs {
            applications: config.clone(),
            xdg_config: absolute("XDG_CONFIG_HOME").or_else(|| Some(home.as_ref()?.join(".config"))),
            config,
            xdg_data: absolute("XDG_DATA_HOME").or_else(|| Some(home.as_ref()?.join(".local/share"))),
            data: absolute("LOCALAPPDATA").or_else(|| in_home("Local")),
            runtime: None,
            home,
        }
    }
}

/// Returns where a program keeps its configuration that follows what is usual on each system: below its author on Windows.
#[must_use]
pub fn config_of_author(config: &Path, author: &str, program: &str) -> PathBuf {
    if cfg!(windows) { config.join(author).join(program).join("config") } else { config.join(program) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_relative_directory_of_xdg_counts_as_none() {
        let dirs = UserDirs::from_variables(|name| match name {
            "HOME" => Some("/home/ada".into()),
            "XDG_CONFIG_HOME" => Some("relative".into()),
            "XDG_DATA_HOME" => Some("/data".into()),
            _ => None,
        });
        assert_eq!(dirs.config.as_deref(), Some("/home/ada/.config".as_ref()));
        assert_eq!(dirs.data.as_deref(), Some("/data".as_ref()));
        assert_eq!((dirs.runtime, dirs.xdg_data), (None, Some("/data".into())));
        let desktop = if cfg!(target_os = "macos") { "Library/Application Support" } else { ".config" };
        assert_eq!(dirs.applications, Some(Path::new("/home/ada").join(desktop)));
        let goose = config_of_author(Path::new("/home/ada/.config"), "Block", "goose");
        assert_eq!(goose, Path::new("/home/ada/.config/goose"));
        assert_eq!(UserDirs::from_variables(|_| None), UserDirs::default());
    }

    #[cfg(windows)]
    #[test]
    fn the_profile_is_home_and_holds_the_folders_that_are_not_named() {
        let dirs = UserDirs::from_variables(|name| match name {
            "USERPROFILE" => Some(r"C:\Users\ada".into()),
            "HOME" => Some("/c/Users/other".into()),
            "APPDATA" => Some(r"D:\Roaming".into()),
            _ => None,
        });
        assert_eq!(dirs.home.as_deref(), Some(r"C:\Users\ada".as_ref()));
        assert_eq!(dirs.config.as_deref(), Some(r"D:\Roaming".as_ref()));
        assert_eq!(dirs.applications, dirs.config);
        assert_eq!(dirs.xdg_config.as_deref(), Some(r"C:\Users\ada\.config".as_ref()));
        assert_eq!(
            config_of_author(Path::new(r"D:\Roaming"), "Block", "goose"),
            Path::new(r"D:\Roaming\Block\goose\config")
        );
        assert_eq!(dirs.data.as_deref(), Some(r"C:\Users\ada\AppData\Local".as_ref()));
        assert_eq!(UserDirs::from_variables(|_| None), UserDirs::default());
    }
}
