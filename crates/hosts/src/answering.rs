//! When a host can be told something, and what it is told. How each host wants to hear it stands with the host.

use backstory_memory::Moment;

/// What is about to happen, where the host lets us say something about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opening {
    /// A session begins, or comes back.
    Session {
        /// How: startup, resume, clear, compact, fork; reopen, where it comes back without what it was told as it began;
        /// restart, where it comes back without anything it was told.
        how: String,
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

impl Opening {
    /// Returns which moment of a session this is.
    #[must_use]
    pub const fn moment(&self) -> Moment {
        match self {
            Opening::Session { .. } => Moment::SessionStart,
            Opening::Prompt { .. } => Moment::Prompt,
            Opening::Command { .. } | Opening::Edit { .. } => Moment::Tool,
            Opening::Compaction => Moment::Compaction,
        }
    }
}

/// What a host is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reply<'a> {
    /// What the agent is to know.
    pub context: Option<&'a str>,
    /// What only the user is to read.
    pub to_user: Option<&'a str>,
}
