//! What a host is, as data: one [`HostSpec`] each, a `static` in the host's own file.
//!
//! A host with hooks brings a dialect, an install recipe and a transcript reader. One that only takes MCP servers is a row in
//! `mcp_only`. Not here: the list of hosts (`lib.rs`), how any of it is carried out (`dialect`, `install`, `transcripts`).

use crate::dialect::{self, Dialect, HookEvent};
use crate::install::{ConfigFile, InstallTarget};
use crate::transcripts::TranscriptSource;
use crate::{AgentEvent, HostReply, ParsedEvent};
use backstory_memory::Moment;
use backstory_platform::WindowsShell;
use std::path::Path;

/// Everything that differs between hosts.
pub(crate) struct HostSpec {
    /// The name, as it is stored and typed.
    pub(crate) name: &'static str,
    /// What people call it.
    pub(crate) title: &'static str,
    /// The variable in which it names the project to its hooks.
    pub(crate) project_variable: Option<&'static str>,
    pub(crate) events: EventSource,
    pub(crate) config_dir: ConfigDir,
    /// The names its program goes by.
    pub(crate) programs: &'static [&'static str],
    /// The file in its directory that holds the user's instructions for every project.
    pub(crate) instructions_file: Option<&'static str>,
    /// Lists the files it is connected in.
    pub(crate) config_files: fn(&InstallTarget<'_>) -> Vec<ConfigFile>,
    /// What the user has to do after an install, beside restarting the host.
    pub(crate) after_install: Option<&'static str>,
    /// Returns the name of our plugin, where the files in its directory say that it is switched on.
    pub(crate) enabled_plugin: fn(&Path) -> Option<String>,
    pub(crate) transcripts: Option<TranscriptSource>,
    /// The shells that it runs hooks with on Windows; the first that is there counts.
    pub(crate) windows_shells: &'static [WindowsShell],
    /// Recorded payloads, one a line, with which `doctor` runs hooks without the host.
    pub(crate) samples: &'static str,
}

/// How a host reports what happens in it.
pub(crate) enum EventSource {
    /// By hooks that get JSON.
    Hooks(&'static Dialect),
    /// By a plugin of ours.
    Plugin(&'static PluginProtocol),
    /// It does not: its agent asks us by MCP.
    McpOnly,
}

/// The protocol between us and a plugin of ours.
pub(crate) struct PluginProtocol {
    pub(crate) events: &'static [&'static str],
    pub(crate) parse: fn(Option<&str>, &[u8]) -> ParsedEvent,
    pub(crate) reply: fn(HostReply<'_>) -> Option<String>,
    /// Checks a reply, and returns what is wrong with it.
    pub(crate) check_reply: fn(&[u8]) -> Result<(), String>,
}

impl EventSource {
    pub(crate) fn parse(&self, event: Option<&str>, payload: &[u8]) -> ParsedEvent {
        match self {
            EventSource::Hooks(dialect) => dialect::parse(dialect, event, payload),
            EventSource::Plugin(plugin) => (plugin.parse)(event, payload),
            EventSource::McpOnly => ParsedEvent {
                name: event.unwrap_or("unreadable").to_owned(),
                ..ParsedEvent::unreadable(payload)
            },
        }
    }

    pub(crate) fn complete(&self, event: &mut AgentEvent, end_of_transcript: &str) -> bool {
        match self {
            EventSource::Hooks(dialect) => {
                dialect.transcript_gap.is_some_and(|gap| (gap.fill)(event, end_of_transcript))
            }
            EventSource::Plugin(_) | EventSource::McpOnly => false,
        }
    }

    pub(crate) fn reply(&self, moment: Moment, reply: HostReply<'_>) -> Option<String> {
        match self {
            EventSource::Hooks(dialect) => dialect.replies.write(moment, reply),
            EventSource::Plugin(plugin) => (plugin.reply)(reply),
            EventSource::McpOnly => None,
        }
    }

    pub(crate) fn ask(&self, question: &str) -> Option<String> {
        match self {
            EventSource::Hooks(dialect) => dialect.replies.ask(question),
            EventSource::Plugin(_) | EventSource::McpOnly => None,
        }
    }

    pub(crate) fn check_reply(&self, event: &str, stdout: &[u8]) -> Result<(), String> {
        match self {
            EventSource::Hooks(dialect) => dialect.replies.check(event, stdout),
            EventSource::Plugin(plugin) => (plugin.check_reply)(stdout),
            EventSource::McpOnly if stdout.is_empty() => Ok(()),
            EventSource::McpOnly => Err("it reads no reply".to_owned()),
        }
    }

    /// Returns the events worth a hook: those that are captured, and those that take a reply.
    pub(crate) fn hooked_events(&self) -> Vec<&'static str> {
        match self {
            EventSource::Hooks(dialect) => {
                let is_worth_it = |(_, event): &&(&str, HookEvent)| !matches!(event, HookEvent::Ignored(_));
                dialect.events.iter().filter(is_worth_it).map(|(name, _)| *name).collect()
            }
            EventSource::Plugin(plugin) => plugin.events.to_vec(),
            EventSource::McpOnly => Vec::new(),
        }
    }

    pub(crate) fn has_event(&self, event: &str) -> bool {
        match self {
            EventSource::Hooks(dialect) => dialect.events.iter().any(|(name, _)| *name == event),
            EventSource::Plugin(plugin) => plugin.events.contains(&event),
            EventSource::McpOnly => false,
        }
    }
}

/// Where a host keeps its configuration.
pub(crate) struct ConfigDir {
    pub(crate) base: BaseDir,
    /// Its path below the base.
    pub(crate) path: &'static str,
    /// How the user may move it.
    pub(crate) variable: Option<DirVariable>,
}

/// A directory of the user that hosts put theirs into.
#[derive(Clone, Copy)]
pub(crate) enum BaseDir {
    Home,
    Config,
    /// Where desktop programs keep their settings.
    Applications,
    /// Where programs keep their configuration that follow XDG on Windows, too.
    XdgConfig,
    /// Below the name of its author where that is usual.
    ConfigOfAuthor(&'static str),
}

/// The variable by which a user moves a host's directory.
#[derive(Clone, Copy)]
pub(crate) enum DirVariable {
    /// It names the directory itself.
    Directory(&'static str),
    /// It names what stands in for the base.
    Base(&'static str),
}

impl ConfigDir {
    pub(crate) const fn in_home(path: &'static str) -> ConfigDir {
        ConfigDir { base: BaseDir::Home, path, variable: None }
    }

    pub(crate) const fn in_config(path: &'static str) -> ConfigDir {
        ConfigDir { base: BaseDir::Config, path, variable: None }
    }

    pub(crate) const fn in_applications(path: &'static str) -> ConfigDir {
        ConfigDir { base: BaseDir::Applications, path, variable: None }
    }

    pub(crate) const fn in_xdg_config(path: &'static str) -> ConfigDir {
        ConfigDir { base: BaseDir::XdgConfig, path, variable: None }
    }

    pub(crate) const fn in_config_of(author: &'static str, path: &'static str) -> ConfigDir {
        ConfigDir { base: BaseDir::ConfigOfAuthor(author), path, variable: None }
    }

    pub(crate) const fn moved_by(self, variable: DirVariable) -> ConfigDir {
        ConfigDir { variable: Some(variable), ..self }
    }
}

impl DirVariable {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            DirVariable::Directory(name) | DirVariable::Base(name) => name,
        }
    }
}

/// Returns `None`: for hosts without a plugin of ours.
pub(crate) fn no_plugin(_: &Path) -> Option<String> {
    None
}
