//! Hosts: the only crate that knows a host's JSON, paths and hook names.
//!
//! A host is data plus an adapter. Today it hears and answers Claude Code; installs and the other hosts join it here.
//! Not here: redaction and keeping (`capture`, `store`), reading standard input (`cli`).

mod answering;
mod claude_code;
mod commands;
mod hearing;
mod lenient;

pub use answering::{Opening, Reply};
pub use hearing::{Heard, Meaning, Told, UnknownHost};

use backstory_memory::Moment;

/// A program we plug into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Host {
    /// Anthropic's Claude Code.
    ClaudeCode,
}

impl Host {
    /// Every host.
    pub const ALL: [Host; 1] = [Host::ClaudeCode];

    /// Returns the host's name, as it is stored and typed.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Host::ClaudeCode => "claude-code",
        }
    }

    /// Returns the directory below the user's home that shows the host is here.
    #[must_use]
    pub const fn trace(self) -> &'static str {
        match self {
            Host::ClaudeCode => ".claude",
        }
    }

    /// Understands one payload of the host. Whatever it is, something is heard: nothing a host says is lost.
    #[must_use]
    pub fn hear(self, payload: &[u8]) -> Heard {
        match self {
            Host::ClaudeCode => claude_code::hear(payload),
        }
    }

    /// Writes what the host is told at a moment, as it is to stand on standard output; nothing where there is nothing to say.
    #[must_use]
    pub fn reply(self, moment: Moment, reply: Reply<'_>) -> Option<String> {
        match self {
            Host::ClaudeCode => claude_code::reply(moment, reply),
        }
    }
}

impl std::str::FromStr for Host {
    type Err = UnknownHost;

    fn from_str(text: &str) -> Result<Self, UnknownHost> {
        Host::ALL.into_iter().find(|host| host.as_str() == text).ok_or_else(|| UnknownHost(text.to_owned()))
    }
}
