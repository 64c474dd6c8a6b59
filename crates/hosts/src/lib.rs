//! Hosts: the only crate that knows a host's JSON, paths and hook names.
//!
//! A host is data: one `HostSpec` in its own file says what its events mean, how it takes replies, where its configuration and its
//! transcripts are. Not here: redaction and storage (`capture`, `store`), reading standard input (`cli`).

mod agent_variables;
mod claude_code;
mod codex;
mod commands;
mod copilot;
mod cursor;
mod dialect;
mod gemini;
mod host_reply;
mod host_spec;
mod install;
mod lenient;
mod mcp_only;
mod opencode;
mod parsed_event;
mod reply;
mod samples;
mod transcripts;
mod user_decisions;

pub use agent_variables::AGENT_VARIABLES;
pub use dialect::tool_use::OUR_TOOLS;
pub use host_reply::HostReply;
pub use install::{
    ConnectedFile, ConnectionState, FileChange, HookCommand, HostConnection, HostPaths, InstallError,
    InstallPlan, InstallRecords,
};
pub use opencode::plugin as opencode_plugin;
pub use parsed_event::{AgentEvent, EventOutcome, ParsedEvent, UnknownHost};
pub use samples::SamplePayload;
pub use transcripts::{
    DatabaseOpener, HostTranscript, HostTranscriptEntry, RunningCall, TableReader, TranscriptItem,
    TranscriptReader, UnreportedEvents,
};

use backstory_memory::Moment;
use backstory_platform::WindowsShell;
use host_spec::HostSpec;

/// Declares the hosts: the name of each, and where its spec stands.
macro_rules! hosts {
    ($($(#[$about:meta])* $name:ident => $spec:path,)*) => {
        /// A program we plug into.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Host { $($(#[$about])* $name,)* }

        impl Host {
            /// Every host.
            pub const ALL: [Host; [$(Host::$name),*].len()] = [$(Host::$name),*];

            pub(crate) const fn spec(self) -> &'static HostSpec {
                match self { $(Host::$name => &$spec,)* }
            }
        }
    };
}

hosts! {
    /// Anthropic's Claude Code.
    ClaudeCode => claude_code::SPEC,
    /// OpenCode, which speaks through a plugin of ours.
    OpenCode => opencode::SPEC,
    /// OpenAI's Codex CLI.
    Codex => codex::SPEC,
    /// Google's Gemini CLI.
    Gemini => gemini::SPEC,
    /// GitHub's Copilot CLI.
    Copilot => copilot::SPEC,
    /// Cursor, the editor and its command line.
    Cursor => cursor::SPEC,
    /// Windsurf, by MCP.
    Windsurf => mcp_only::WINDSURF,
    /// Cline, by MCP.
    Cline => mcp_only::CLINE,
    /// Zed's agent, by MCP.
    Zed => mcp_only::ZED,
    /// Amp, by MCP.
    Amp => mcp_only::AMP,
    /// VS Code's agent mode, by MCP.
    VsCode => mcp_only::VS_CODE,
    /// Continue, by MCP.
    Continue => mcp_only::CONTINUE,
    /// Roo Code, by MCP.
    Roo => mcp_only::ROO,
    /// Kilo Code, by MCP.
    Kilo => mcp_only::KILO,
    /// Kiro, by MCP.
    Kiro => mcp_only::KIRO,
    /// Qwen Code, by MCP.
    QwenCode => mcp_only::QWEN,
    /// Factory's Droid, by MCP.
    Droid => mcp_only::DROID,
    /// Warp, by MCP.
    Warp => mcp_only::WARP,
    /// Goose, by MCP.
    Goose => mcp_only::GOOSE,
}

impl Host {
    /// Returns the host's name, as it is stored and typed.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.spec().name
    }

    /// Returns what people call the host.
    #[must_use]
    pub const fn title(self) -> &'static str {
        self.spec().title
    }

    /// Returns the shells that the host runs hooks with on Windows; the first that is there counts.
    #[must_use]
    pub const fn windows_shells(self) -> &'static [WindowsShell] {
        self.spec().windows_shells
    }

    /// Returns the variable in which the host names the project to its hooks, where it sets one.
    #[must_use]
    pub const fn project_variable(self) -> Option<&'static str> {
        self.spec().project_variable
    }

    /// Returns the file in the host's directory that holds the user's instructions for every project.
    #[must_use]
    pub const fn instructions_file(self) -> Option<&'static str> {
        self.spec().instructions_file
    }

    /// Returns what the user has to do after an install, beside restarting the host.
    #[must_use]
    pub const fn after_install(self) -> Option<&'static str> {
        self.spec().after_install
    }

    /// Parses one payload of the host. Whatever it is, something comes of it: no event is lost because it cannot be read.
    ///
    /// `event` is the name on the command line, for hosts whose payloads do not name their event.
    #[must_use]
    pub fn parse(self, event: Option<&str>, payload: &[u8]) -> ParsedEvent {
        self.spec().events.parse(event, payload)
    }

    /// Fills in what a payload left out from the end of the host's own transcript. Returns whether it was all there; if not, the host
    /// may still be writing and the caller may read again.
    pub fn complete_from_transcript(self, parsed: &mut ParsedEvent, end_of_transcript: &str) -> bool {
        match &mut parsed.outcome {
            EventOutcome::Captured(event) => self.spec().events.complete(event, end_of_transcript),
            EventOutcome::Ignored(_) => false,
        }
    }

    /// Writes the reply at a moment, as it is to stand on standard output; nothing where there is nothing to say.
    #[must_use]
    pub fn reply(self, moment: Moment, reply: HostReply<'_>) -> Option<String> {
        self.spec().events.reply(moment, reply)
    }

    /// Writes a question to the agent at the end of a turn, where the host lets it be asked.
    #[must_use]
    pub fn ask(self, question: &str) -> Option<String> {
        self.spec().events.ask(question)
    }

    /// Says what is wrong with what a hook wrote to standard output at an event, by the host's own rules.
    pub fn check_reply(self, event: &str, stdout: &[u8]) -> Result<(), String> {
        self.spec().events.check_reply(event, stdout)
    }

    /// Returns the events worth a hook: those that are captured, and those that take a reply.
    #[must_use]
    pub fn events(self) -> Vec<&'static str> {
        self.spec().events.hooked_events()
    }

    /// Whether the host has an event of this name, as far as anybody here knows.
    #[must_use]
    pub fn has_event(self, event: &str) -> bool {
        self.spec().events.has_event(event)
    }
}

impl std::str::FromStr for Host {
    type Err = UnknownHost;

    fn from_str(text: &str) -> Result<Self, UnknownHost> {
        Host::ALL.into_iter().find(|host| host.as_str() == text).ok_or_else(|| UnknownHost(text.to_owned()))
    }
}
