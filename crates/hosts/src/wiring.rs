//! Wiring hosts: our hooks, our MCP server and our rules in files that belong to the user (law 10).
//!
//! `hosts` says what stands where, `wanted` puts it into a text and takes it out, `plan` does so on disk, `installs` remembers
//! what was there before. Not here: asking the user, and words on the screen (`cli`). Nothing of this runs in a hook.

mod block;
mod disk;
mod hooks;
mod hosts;
mod installs;
mod json;
mod layout;
mod places;
mod plan;
mod plugins;
mod refusal;
mod source;
mod toml_table;
mod wanted;
mod wired;

pub use installs::Installs;
pub use places::Places;
pub use plan::{Change, Plan};
pub use refusal::WiringError;
pub use wired::{HookLine, Wired, WiredFile, WiredState};

use crate::Host;
use hosts::{Program, wires};
use std::path::Path;

impl Host {
    /// Plans to wire the host to a program of ours. Nothing is touched yet.
    ///
    /// # Errors
    ///
    /// When one of the host's files cannot be understood or changed: then the host stays as it is.
    pub fn plan_install(
        self,
        places: &Places,
        program: &Path,
        installs: &Installs,
    ) -> Result<Plan, WiringError> {
        let program = Program::at(program)?;
        program.check()?;
        Plan::install(self, &wires(self, places, &program), installs)
    }

    /// Plans to take ours out of the host's files. Nothing is touched yet.
    ///
    /// # Errors
    ///
    /// When one of the host's files cannot be understood or changed: then the host stays as it is.
    pub fn plan_uninstall(self, places: &Places, installs: &Installs) -> Result<Plan, WiringError> {
        Plan::uninstall(self, &wires(self, places, &Program::at(Path::new(""))?), installs)
    }

    /// Looks how the host is wired, compared with how `program` would wire it.
    ///
    /// # Errors
    ///
    /// When the program's path cannot be written into a configuration.
    pub fn wired(self, places: &Places, program: &Path) -> Result<Wired, WiringError> {
        let mut wired = Wired::look(self, &wires(self, places, &Program::at(program)?));
        wired.plugin = self.plugin(places);
        Ok(wired)
    }

    /// Returns the plugin of ours that is switched on in the host and wires it by itself.
    #[must_use]
    pub fn plugin(self, places: &Places) -> Option<String> {
        plugins::switched_on(self, &places.directory(self))
    }
}
