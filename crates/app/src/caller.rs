//! Who calls through this process: the user, or an agent that runs our commands (law 6).
//!
//! Under an agent nobody is the user: a command without a terminal, or below a host, writes as the assistant and may not do what is the
//! user's alone. An agent that forges a terminal and clears its environment is not recognised; docs/security.md says so.

use crate::app::App;
use crate::env_vars::Environment;
use crate::error::{AppError, ErrorCode};
use backstory_hosts::AGENT_VARIABLES;
use backstory_memory::Provenance;
use backstory_platform::has_terminal;

/// Who calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caller {
    /// A person at a terminal or in the viewer.
    User,
    /// An agent, or a script that nobody watches.
    Agent,
}

impl Caller {
    /// Finds out who runs this process.
    #[must_use]
    pub fn of_process(environment: &Environment) -> Caller {
        let is_below_host = AGENT_VARIABLES.iter().any(|name| environment.get(name).is_some());
        if has_terminal() && !is_below_host { Caller::User } else { Caller::Agent }
    }

    /// Returns the provenance of what they say.
    #[must_use]
    pub fn provenance(self) -> Provenance {
        match self {
            Caller::User => Provenance::User,
            Caller::Agent => Provenance::Assistant,
        }
    }
}

impl App {
    /// Refuses to an agent what only the user may do. `action` is a verb: "confirm a memory".
    pub fn refuse_agent(&self, action: &str) -> Result<(), AppError> {
        match self.caller {
            Caller::User => Ok(()),
            Caller::Agent => Err(AppError::new(
                ErrorCode::UserOnly,
                format!("only you can {action}, not an agent or a script"),
            )
            .hint("run it yourself in a terminal")),
        }
    }
}
