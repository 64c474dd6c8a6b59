//! Where hosts keep their files, and whether they are here at all.
//!
//! The environment is read by whoever calls: what a host lets its user move is a field here.

use crate::Host;
use std::path::{Path, PathBuf};

/// Where things are on this machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostPaths {
    /// The user's home.
    pub home: PathBuf,
    /// Where programs keep their configuration: `XDG_CONFIG_HOME`, or `.config` in the home.
    pub config: PathBuf,
    /// Where programs keep their data: `XDG_DATA_HOME`, or `.local/share` in the home.
    pub data: PathBuf,
    /// `CLAUDE_CONFIG_DIR`.
    pub claude_code: Option<PathBuf>,
    /// `CODEX_HOME`.
    pub codex: Option<PathBuf>,
    /// `GEMINI_CLI_HOME`: what Gemini CLI takes for the user's home.
    pub gemini: Option<PathBuf>,
    /// `COPILOT_HOME`.
    pub copilot: Option<PathBuf>,
    /// `OPENCODE_CONFIG_DIR`.
    pub opencode: Option<PathBuf>,
    /// The directories programs are looked for in.
    pub programs: Vec<PathBuf>,
}

impl HostPaths {
    /// Returns the directory a host keeps its configuration in.
    #[must_use]
    pub fn directory(&self, host: Host) -> PathBuf {
        let own =
            |named: &Option<PathBuf>, usual: &str| named.clone().unwrap_or_else(|| self.home.join(usual));
        match host {
            Host::ClaudeCode => own(&self.claude_code, ".claude"),
            Host::OpenCode => self.opencode.clone().unwrap_or_else(|| self.config.join("opencode")),
            Host::Codex => own(&self.codex, ".codex"),
            Host::Gemini => self.gemini.as_ref().unwrap_or(&self.home).join(".gemini"),
            Host::Copilot => own(&self.copilot, ".copilot"),
            Host::Cursor => self.home.join(".cursor"),
            Host::Windsurf => self.home.join(".codeium/windsurf"),
            Host::Cline => self.home.join(".cline"),
            Host::Zed => self.config.join("zed"),
            Host::Amp => self.config.join("amp"),
        }
    }

    /// Returns the same places with a host's directory somewhere else.
    #[must_use]
    pub fn with_directory(&self, host: Host, directory: &Path) -> HostPaths {
        let mut places = self.clone();
        let moved = Some(directory.to_owned());
        match host {
            Host::ClaudeCode => places.claude_code = moved,
            Host::Codex => places.codex = moved,
            Host::Copilot => places.copilot = moved,
            // These are looked for by their own name: in a folder of another name nothing is found, rather than what lies beside it.
            Host::Gemini => places.gemini = Some(above(directory, ".gemini")),
            Host::OpenCode => places.data = above(directory, "opencode"),
            Host::Cursor | Host::Windsurf | Host::Cline | Host::Zed | Host::Amp => {}
        }
        places
    }

    /// Returns what shows that a host is here: its directory, or its program.
    #[must_use]
    pub fn trace(&self, host: Host) -> Option<PathBuf> {
        let directory = Some(self.directory(host)).filter(|directory| directory.is_dir());
        directory.or_else(|| programs(host).iter().find_map(|name| self.program(name)))
    }

    /// Returns where a program is that would be run by its name.
    #[must_use]
    pub fn program(&self, name: &str) -> Option<PathBuf> {
        self.programs.iter().map(|directory| directory.join(name)).find(|path| is_program(path))
    }
}

fn above(directory: &Path, name: &str) -> PathBuf {
    let is_it = directory.file_name().is_some_and(|own| own == name);
    directory.parent().filter(|_| is_it).unwrap_or(directory).to_owned()
}

/// The names a host's program goes by.
const fn programs(host: Host) -> &'static [&'static str] {
    match host {
        Host::ClaudeCode => &["claude"],
        Host::OpenCode => &["opencode"],
        Host::Codex => &["codex"],
        Host::Gemini => &["gemini"],
        Host::Copilot => &["copilot"],
        Host::Cursor => &["cursor", "cursor-agent"],
        Host::Windsurf => &["windsurf"],
        Host::Cline => &["cline"],
        Host::Zed => &["zed", "zeditor"],
        Host::Amp => &["amp"],
    }
}

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
}
