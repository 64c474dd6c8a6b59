//! When something can be injected into a session, and what that moment is about.

use crate::{Moment, StartReason};

/// A point of a session at which its host takes context from us.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InjectionPoint {
    /// A session begins, or comes back.
    SessionStart {
        /// Why. `Reopen` and `Restart` say what the agent has lost of what was injected before.
        reason: StartReason,
    },
    /// The user asks for something, in words of their own.
    Prompt {
        /// What they wrote.
        text: String,
    },
    /// A command is about to run.
    Command {
        /// The command as it was typed.
        command: String,
    },
    /// A file is about to be written or changed.
    Edit {
        /// The file, as the host names it.
        file: String,
    },
    /// The host is about to compact its context.
    Compaction,
}

impl InjectionPoint {
    /// Returns which moment of a session this is.
    #[must_use]
    pub const fn moment(&self) -> Moment {
        match self {
            InjectionPoint::SessionStart { .. } => Moment::SessionStart,
            InjectionPoint::Prompt { .. } => Moment::Prompt,
            InjectionPoint::Command { .. } | InjectionPoint::Edit { .. } => Moment::Tool,
            InjectionPoint::Compaction => Moment::Compaction,
        }
    }
}
