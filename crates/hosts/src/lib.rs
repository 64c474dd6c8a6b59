//! Hosts: the only crate that knows a host's JSON, paths and hook names.
//!
//! A host is data: what its events mean and which of them it takes an answer at (its own file), read by one reader (`wire`) and
//! answered by one writer (`answers`).
//! Not here: redaction and keeping (`capture`, `store`), reading standard input (`cli`).

mod claude_code;
mod codex;
mod commands;
mod copilot;
mod cursor;
mod dialect;
mod gemini;
mod injection_point;
mod install;
mod lenient;
mod opencode;
mod parsed_event;
mod reply;
mod samples;
mod transcripts;

pub use injection_point::{HostReply, InjectionPoint};
pub use install::{
    ConnectedFile, ConnectionState, FileChange, HookCommand, HostConnection, HostPaths, InstallError,
    InstallPlan, InstallRecords,
};
pub use opencode::plugin as opencode_plugin;
pub use parsed_event::{AgentEvent, EventOutcome, ParsedEvent, UnknownHost};
pub use samples::SamplePayload;
pub use transcripts::{
    DatabaseOpener, HostTranscript, TableReader, TranscriptEntry, TranscriptItem, TranscriptReader,
};

use backstory_memory::Moment;
use dialect::{Dialect, HookEvent};

/// A program we plug into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Host {
    /// Anthropic's Claude Code.
    ClaudeCode,
    /// OpenCode, which speaks through a plugin of ours.
    OpenCode,
    /// OpenAI's Codex CLI.
    Codex,
    /// Google's Gemini CLI.
    Gemini,
    /// GitHub's Copilot CLI.
    Copilot,
    /// Cursor, the editor and its command line.
    Cursor,
    /// Windsurf: no hook of its takes an answer, so it asks by MCP.
    Windsurf,
    /// Cline, by MCP.
    Cline,
    /// Zed's agent, by MCP.
    Zed,
    /// Amp, by MCP.
    Amp,
}

impl Host {
    /// Every host.
    pub const ALL: [Host; 10] = [
        Host::ClaudeCode,
        Host::OpenCode,
        Host::Codex,
        Host::Gemini,
        Host::Copilot,
        Host::Cursor,
        Host::Windsurf,
        Host::Cline,
        Host::Zed,
        Host::Amp,
    ];

    /// Returns the host's name, as it is stored and typed.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Host::ClaudeCode => "claude-code",
            Host::OpenCode => "opencode",
            Host::Codex => "codex",
            Host::Gemini => "gemini-cli",
            Host::Copilot => "copilot-cli",
            Host::Cursor => "cursor",
            Host::Windsurf => "windsurf",
            Host::Cline => "cline",
            Host::Zed => "zed",
            Host::Amp => "amp",
        }
    }

    /// Returns what people call the host.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Host::ClaudeCode => "Claude Code",
            Host::OpenCode => "OpenCode",
            Host::Codex => "Codex",
            Host::Gemini => "Gemini CLI",
            Host::Copilot => "Copilot CLI",
            Host::Cursor => "Cursor",
            Host::Windsurf => "Windsurf",
            Host::Cline => "Cline",
            Host::Zed => "Zed",
            Host::Amp => "Amp",
        }
    }

    /// Returns the variable in which the host names the project to its hooks, where it sets one.
    #[must_use]
    pub const fn project_variable(self) -> Option<&'static str> {
        match self {
            Host::ClaudeCode | Host::Gemini | Host::Cursor => Some("CLAUDE_PROJECT_DIR"),
            _ => None,
        }
    }

    /// Understands one payload of the host. Whatever it is, something is heard: nothing a host says is lost.
    ///
    /// `event` is what the command line said it is, for hosts whose payloads do not say.
    #[must_use]
    pub fn parse(self, event: Option<&str>, payload: &[u8]) -> ParsedEvent {
        match self.dialect() {
            Some(dialect) => dialect::parse(dialect, event, payload),
            None if self == Host::OpenCode => opencode::parse(event, payload),
            None => ParsedEvent {
                name: event.unwrap_or("unreadable").to_owned(),
                ..ParsedEvent::unreadable(payload)
            },
        }
    }

    /// Writes what the host is told at a moment, as it is to stand on standard output; nothing where there is nothing to say.
    #[must_use]
    pub fn reply(self, moment: Moment, reply: HostReply<'_>) -> Option<String> {
        match self {
            Host::OpenCode => opencode::reply(reply),
            _ => self.dialect()?.replies.write(moment, reply),
        }
    }

    /// Says what is wrong with what a hook wrote to standard output at an event, by the host's own rules.
    pub fn check_reply(self, event: &str, stdout: &[u8]) -> Result<(), String> {
        match self.dialect() {
            Some(dialect) => dialect.replies.check(event, stdout),
            None if self == Host::OpenCode => opencode::check(stdout),
            None if stdout.is_empty() => Ok(()),
            None => Err(format!("{} reads no answer", self.title())),
        }
    }

    /// Returns the events worth a hook: those that are kept, and those that take an answer.
    #[must_use]
    pub fn events(self) -> Vec<&'static str> {
        if self == Host::OpenCode {
            return opencode::EVENTS.to_vec();
        }
        let events = self.dialect().map_or(&[][..], |dialect| dialect.events);
        let is_worth_it = |(_, event): &&(&str, HookEvent)| !matches!(event, HookEvent::Ignored(_));
        events.iter().filter(is_worth_it).map(|(name, _)| *name).collect()
    }

    /// Whether the host has an event of this name, as far as anybody here knows.
    #[must_use]
    pub fn knows(self, event: &str) -> bool {
        let is_told = self == Host::OpenCode && opencode::EVENTS.contains(&event);
        is_told || self.dialect().is_some_and(|dialect| dialect.events.iter().any(|(name, _)| *name == event))
    }

    const fn dialect(self) -> Option<&'static Dialect> {
        match self {
            Host::ClaudeCode => Some(&claude_code::DIALECT),
            Host::Codex => Some(&codex::DIALECT),
            Host::Gemini => Some(&gemini::DIALECT),
            Host::Copilot => Some(&copilot::DIALECT),
            Host::Cursor => Some(&cursor::DIALECT),
            Host::OpenCode | Host::Windsurf | Host::Cline | Host::Zed | Host::Amp => None,
        }
    }
}

impl std::str::FromStr for Host {
    type Err = UnknownHost;

    fn from_str(text: &str) -> Result<Self, UnknownHost> {
        Host::ALL.into_iter().find(|host| host.as_str() == text).ok_or_else(|| UnknownHost(text.to_owned()))
    }
}
