//! Wiring hosts: our hooks, our MCP server and our rules in files that belong to the user (law 10).
//!
//! `hosts` says what stands where, `wanted` puts it into a text and takes it out, `plan` does so on disk, `installs` remembers
//! what was there before. Not here: asking the user, and words on the screen (`cli`). Nothing of this runs in a hook.

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
mod plugins;
mod recipes;
mod toml_table;

pub use connection::{ConnectedFile, ConnectionState, HookCommand, HostConnection};
pub use host_paths::HostPaths;
pub use install_error::InstallError;
pub use install_records::InstallRecords;
pub use plan::{FileChange, InstallPlan};

use crate::Host;
use recipes::{ProgramPath, wires};
use std::path::Path;

impl Host {
    /// Plans to wire the host to a program of ours. Nothing is touched yet.
    ///
    /// # Errors
    ///
    /// When one of the host's files cannot be understood or changed: then the host stays as it is.
    pub fn plan_install(
        self,
        places: &HostPaths,
        program: &Path,
        installs: &InstallRecords,
    ) -> Result<InstallPlan, InstallError> {
        let program = ProgramPath::at(program)?;
        program.check()?;
        InstallPlan::install(self, &wires(self, places, &program), installs)
    }

    /// Plans to take ours out of the host's files. Nothing is touched yet.
    ///
    /// # Errors
    ///
    /// When one of the host's files cannot be understood or changed: then the host stays as it is.
    pub fn plan_uninstall(
        self,
        places: &HostPaths,
        installs: &InstallRecords,
    ) -> Result<InstallPlan, InstallError> {
        InstallPlan::uninstall(self, &wires(self, places, &ProgramPath::at(Path::new(""))?), installs)
    }

    /// Looks how the host is wired, compared with how `program` would wire it.
    ///
    /// # Errors
    ///
    /// When the program's path cannot be written into a configuration.
    pub fn connection(self, places: &HostPaths, program: &Path) -> Result<HostConnection, InstallError> {
        let mut wired = HostConnection::look(self, &wires(self, places, &ProgramPath::at(program)?));
        wired.plugin = self.plugin(places);
        Ok(wired)
    }

    /// Returns the plugin of ours that is switched on in the host and wires it by itself.
    #[must_use]
    pub fn plugin(self, places: &HostPaths) -> Option<String> {
        plugins::switched_on(self, &places.directory(self))
    }
}
