//! Connects hosts: puts our hooks, our MCP server and our rules into files that belong to the user (law 10).
//!
//! A host's spec says which files; `desired_content` puts ours into a text and takes it out, `plan` does so on disk, `install_records`
//! keeps what was there before. Not here: asking the user, and words on the screen (`cli`). Nothing of this runs in a hook.

mod config_files;
mod connection;
mod desired_content;
mod disk;
mod editable_json;
mod hooks;
mod host_paths;
mod install_error;
mod install_records;
mod json_layout;
mod json_source;
mod marked_block;
mod plan;
pub(crate) mod plugins;
mod skill_file;
mod toml_table;
mod yaml_server;

pub use connection::{ConnectedFile, ConnectionState, HookCommand, HostConnection};
pub use host_paths::HostPaths;
pub use install_error::InstallError;
pub use install_records::InstallRecords;
pub use plan::{FileChange, InstallPlan};

pub(crate) use config_files::{
    ConfigFile, HOOK_TIMEOUT_SECONDS, HOOKS_AND_MCP_FILE, HOOKS_FILE, InstallTarget, MCP_FILE, NEVER_FAILS,
    PLUGIN_FILE, SKILL_FILE, config_file, first_existing, hook_group, rules_file, server_file, tool_matcher,
};
pub(crate) use desired_content::{DesiredContent, DesiredJson, SERVER};
pub(crate) use hooks::HookEntry;
pub(crate) use json_layout::{JsonLayout, JsonStyle};
pub(crate) use toml_table::TomlTable;
pub(crate) use yaml_server::YamlServer;

use crate::Host;
use config_files::ProgramPath;
use std::path::Path;

impl Host {
    /// Plans to connect the host to a program of ours. Nothing is touched yet.
    ///
    /// # Errors
    ///
    /// When one of the host's files cannot be understood or changed: then the host stays as it is.
    pub fn plan_install(
        self,
        paths: &HostPaths,
        program: &Path,
        records: &InstallRecords,
    ) -> Result<InstallPlan, InstallError> {
        let program = ProgramPath::at(program)?;
        program.check()?;
        InstallPlan::install(self, &self.config_files(paths, &program), records)
    }

    /// Plans to take ours out of the host's files. Nothing is touched yet.
    ///
    /// # Errors
    ///
    /// When one of the host's files cannot be understood or changed: then the host stays as it is.
    pub fn plan_uninstall(
        self,
        paths: &HostPaths,
        records: &InstallRecords,
    ) -> Result<InstallPlan, InstallError> {
        let files = self.config_files(paths, &ProgramPath::at(Path::new(""))?);
        InstallPlan::uninstall(self, &files, records)
    }

    /// Reads how the host is connected, compared with how `program` would connect it.
    ///
    /// # Errors
    ///
    /// When the program's path cannot be written into a configuration.
    pub fn connection(self, paths: &HostPaths, program: &Path) -> Result<HostConnection, InstallError> {
        let files = self.config_files(paths, &ProgramPath::at(program)?);
        let mut connection = HostConnection::read(self, &files);
        connection.plugin = self.plugin(paths);
        Ok(connection)
    }

    /// Returns the plugin of ours that is switched on in the host and connects it by itself.
    #[must_use]
    pub fn plugin(self, paths: &HostPaths) -> Option<String> {
        (self.spec().enabled_plugin)(&paths.directory(self))
    }

    fn config_files(self, paths: &HostPaths, program: &ProgramPath<'_>) -> Vec<ConfigFile> {
        let directory = paths.directory(self);
        (self.spec().config_files)(&InstallTarget { host: self, directory, paths, program })
    }
}
