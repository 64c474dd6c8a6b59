//! The points of a session at which something can be injected, and what each is about.

use crate::{Moment, StartReason};

/// A point of a session at which its host accepts context from us.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InjectionPoint {
    /// A session begins, or comes back.
    SessionStart {
        /// Why. `Reopen` and `Restart` say how much of the injected text the agent has lost.
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
        /// What is about to be written there, as far as that is known.
        text: String,
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
