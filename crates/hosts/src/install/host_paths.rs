//! Where hosts keep their files, and whether they are here at all.
//!
//! Not here: reading the environment. The caller passes the variables by which users move a host's directory.

use crate::Host;
use crate::host_spec::{BaseDir, DirVariable};
use crate::transcripts::TranscriptRoot;
use backstory_platform::{config_of_author, is_executable, program_files};
use std::path::{Path, PathBuf};

/// Where things are on this machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostPaths {
    /// The user's home.
    pub home: PathBuf,
    /// Where programs keep their configuration: `XDG_CONFIG_HOME`, or `.config` in the home.
    pub config: PathBuf,
    /// Where desktop programs keep their settings: the same on Linux, elsewhere a directory of the system's.
    pub applications: PathBuf,
    /// Where programs keep their configuration that follow XDG on Windows, too.
    pub xdg_config: PathBuf,
    /// Where programs keep their data: `XDG_DATA_HOME`, or `.local/share` in the home.
    pub data: PathBuf,
    /// Where programs keep their data that follow XDG on Windows, too.
    pub xdg_data: PathBuf,
    /// The directories programs are looked for in.
    pub programs: Vec<PathBuf>,
    /// The values of variables by which users move a host's directory.
    pub moved: Vec<(&'static str, PathBuf)>,
}

impl HostPaths {
    /// Returns the same paths with the directories moved as the environment says: `value` returns what a variable names.
    #[must_use]
    pub fn with_variables(mut self, value: impl Fn(&str) -> Option<PathBuf>) -> HostPaths {
        let variables = Host::ALL.into_iter().filter_map(|host| host.spec().config_dir.variable);
        self.moved = variables.filter_map(|it| Some((it.name(), value(it.name())?))).collect();
        self
    }

    /// Returns the directory a host keeps its configuration in.
    #[must_use]
    pub fn directory(&self, host: Host) -> PathBuf {
        let spec = &host.spec().config_dir;
        let base = match spec.base {
            BaseDir::Home => &self.home,
            BaseDir::Config => &self.config,
            BaseDir::Applications => &self.applications,
            BaseDir::XdgConfig => &self.xdg_config,
            BaseDir::ConfigOfAuthor(author) => &config_of_author(&self.config, author, spec.path),
        };
        let whole = match spec.base {
            BaseDir::ConfigOfAuthor(_) => base.clone(),
            _ => base.join(spec.path),
        };
        match (self.moved_directory(host), spec.variable) {
            (Some(moved), Some(DirVariable::Directory(_))) => moved.to_owned(),
            (Some(moved), _) => moved.join(spec.path),
            (None, _) => whole,
        }
    }

    /// Returns the same paths with a host's directory somewhere else.
    #[must_use]
    pub fn with_directory(&self, host: Host, directory: &Path) -> HostPaths {
        let mut paths = self.clone();
        let spec = &host.spec().config_dir;
        match (host.spec().transcripts.as_ref().map(|source| source.root), spec.variable) {
            (Some(TranscriptRoot::Data(name)), _) => paths.xdg_data = above(directory, name),
            (Some(TranscriptRoot::ConfigDir), Some(variable)) => {
                let value = match variable {
                    DirVariable::Directory(_) => directory.to_owned(),
                    DirVariable::Base(_) => above(directory, spec.path),
                };
                paths.moved.retain(|(name, _)| *name != variable.name());
                paths.moved.push((variable.name(), value));
            }
            _ => {}
        }
        paths
    }

    /// Returns what shows that a host is here: its directory, or its program.
    #[must_use]
    pub fn detect(&self, host: Host) -> Option<PathBuf> {
        let directory = Some(self.directory(host)).filter(|directory| directory.is_dir());
        directory.or_else(|| host.spec().programs.iter().find_map(|name| self.program(name)))
    }

    /// Returns where a program is that would be run by its name.
    #[must_use]
    pub fn program(&self, name: &str) -> Option<PathBuf> {
        let files = program_files(name);
        let paths = self.programs.iter().flat_map(|directory| files.iter().map(|file| directory.join(file)));
        paths.into_iter().find(|path| is_executable(path))
    }

    /// Returns what the user's variable for a host names, where it is set.
    pub(crate) fn moved_directory(&self, host: Host) -> Option<&Path> {
        let variable = host.spec().config_dir.variable?.name();
        self.moved.iter().find(|(name, _)| *name == variable).map(|(_, path)| path.as_path())
    }
}

/// Some hosts find their directory by its own name: in one of another name nothing is found, rather than what lies beside it.
fn above(directory: &Path, name: &str) -> PathBuf {
    let is_it = directory.file_name().is_some_and(|own| own == name);
    directory.parent().filter(|_| is_it).unwrap_or(directory).to_owned()
}
