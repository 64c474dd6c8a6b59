//! Everything that can be configured, as the rest of the program sees it. Where the values come from: `settings`.
#![expect(missing_docs, reason = "the fields are settings; default_config.toml explains each")]

use backstory_memory::{Kind, Moment, UnknownKind};
use backstory_provider::AgentProgram;
use backstory_recall::RankingWeights;
use backstory_store::RetentionPolicy;
use backstory_sync::TeamProvenance;
use serde::Deserialize;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

/// Everything that can be configured.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Config {
    pub capture: CaptureConfig,
    pub redact: RedactConfig,
    pub retention: RetentionConfig,
    pub writer: WriterConfig,
    pub inject: InjectConfig,
    pub recall: RecallConfig,
    pub search: SearchConfig,
    pub team: TeamConfig,
    pub mcp: McpConfig,
    pub worker: WorkerConfig,
}

/// What is captured.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct CaptureConfig {
    pub enabled: bool,
    pub exclude: Vec<PathBuf>,
    pub max_event_bytes: u32,
}

/// What is redacted beyond the built-in rules.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct RedactConfig {
    pub literals: Vec<String>,
    pub environment: bool,
}

/// What is kept, and for how long.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct RetentionConfig {
    pub events_days: u32,
    pub receipts: u32,
    pub backups: u32,
    pub backup_hours: u32,
}

impl RetentionConfig {
    /// Returns the same for the store.
    #[must_use]
    pub fn policy(&self) -> RetentionPolicy {
        let RetentionConfig { events_days, receipts, backups, backup_hours } = *self;
        RetentionPolicy { events_days, receipts, backups, backup_hours }
    }
}

/// The background writer: the model that writes the notes of a session.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct WriterConfig {
    pub provider: Provider,
    pub model: String,
    pub command: Vec<String>,
    pub url: String,
    pub api_key_env: String,
    pub tokens: u32,
    pub tokens_per_day: u32,
    pub tokens_per_session: u32,
    pub price: Vec<f64>,
    pub deadline_seconds: u32,
    pub ask_agent: bool,
}

impl WriterConfig {
    /// Returns what tokens cost in dollars, if their price is set.
    pub fn dollars(&self, tokens_in: u64, tokens_out: u64) -> Option<f64> {
        let [price_in, price_out] = self.price[..] else { return None };
        Some((tokens_in as f64 * price_in + tokens_out as f64 * price_out) / 1e6)
    }
}

/// Who may write the notes of a session.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Provider {
    None,
    ClaudeCode,
    Codex,
    GeminiCli,
    #[serde(rename = "opencode")]
    OpenCode,
    CopilotCli,
    Anthropic,
    OpenaiCompatible,
    Command,
}

impl Provider {
    /// Returns the provider's name, as it is typed and stored. A host's program has the name of the host.
    pub const fn as_str(self) -> &'static str {
        match self {
            Provider::None => "none",
            Provider::ClaudeCode => "claude-code",
            Provider::Codex => "codex",
            Provider::GeminiCli => "gemini-cli",
            Provider::OpenCode => "opencode",
            Provider::CopilotCli => "copilot-cli",
            Provider::Anthropic => "anthropic",
            Provider::OpenaiCompatible => "openai-compatible",
            Provider::Command => "command",
        }
    }

    /// Returns the host's program that is asked, if it is one.
    pub const fn agent(self) -> Option<AgentProgram> {
        match self {
            Provider::ClaudeCode => Some(AgentProgram::ClaudeCode),
            Provider::Codex => Some(AgentProgram::Codex),
            Provider::GeminiCli => Some(AgentProgram::GeminiCli),
            Provider::OpenCode => Some(AgentProgram::OpenCode),
            Provider::CopilotCli => Some(AgentProgram::CopilotCli),
            Provider::None | Provider::Anthropic | Provider::OpenaiCompatible | Provider::Command => None,
        }
    }

    /// Whether a program is started to ask it.
    pub const fn is_program(self) -> bool {
        self.agent().is_some() || matches!(self, Provider::Command)
    }
}

/// What is injected, and how many tokens each moment may use.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct InjectConfig {
    pub enabled: bool,
    pub exclude: Vec<PathBuf>,
    pub session_start: u32,
    pub prompt: u32,
    pub tool: u32,
    pub compaction: u32,
    pub work_in_full: u32,
}

/// How memories are found.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct RecallConfig {
    pub vectors: bool,
    pub recency: f64,
    pub strictness: f64,
}

impl RecallConfig {
    /// Turns a profile as it is set here.
    #[must_use]
    pub fn turned(&self, profile: RankingWeights) -> RankingWeights {
        profile.turned(self.recency, self.strictness)
    }
}

/// How `search` answers.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct SearchConfig {
    pub limit: u32,
}

/// What is shared with teams, and when.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct TeamConfig {
    pub kinds: Vec<KindName>,
    pub provenance: TeamProvenance,
    pub at_session_end: bool,
    pub worker_minutes: u32,
    patience_seconds: u32,
}

impl TeamConfig {
    /// Returns for how long a hub that says nothing is waited for.
    pub fn patience(&self) -> Duration {
        Duration::from_secs(u64::from(self.patience_seconds.max(1)))
    }
}

/// The kinds one name in a file stands for: an old name may mean two of today's, and `default` means those a team usually shares.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(try_from = "String")]
pub struct KindName(pub Vec<Kind>);

impl TryFrom<String> for KindName {
    type Error = UnknownKind;

    fn try_from(name: String) -> Result<KindName, UnknownKind> {
        if name == "default" {
            return Ok(KindName(Kind::with(|kind| kind.is_shared)));
        }
        Kind::parse_alias(&name).map(KindName)
    }
}

/// What agents may do through MCP.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct McpConfig {
    pub write: McpWrite,
}

/// What agents may write through MCP.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "kebab-case")]
pub enum McpWrite {
    /// Nothing.
    None,
    /// New memories.
    Remember,
    /// New memories, and they may forget.
    All,
}

/// The worker.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct WorkerConfig {
    pub port: u16,
    pub idle_minutes: u32,
}

impl CaptureConfig {
    /// Whether a project has the name of an excluded folder. Imports may know a project by its name only.
    pub fn leaves_out_name(&self, name: &str) -> bool {
        self.exclude.iter().any(|folder| Path::new(folder).file_name().is_some_and(|own| own == name))
    }

    /// Whether nothing that happens in a folder may be kept.
    ///
    /// `~` and relative paths in the setting mean folders below the user's home.
    pub fn leaves_out(&self, place: &Path, user_home: Option<&Path>) -> bool {
        lies_in(place, &self.exclude, user_home)
    }
}

impl InjectConfig {
    /// Returns how many tokens a moment may use in a folder. 0 means that nothing is injected.
    pub fn budget(&self, moment: Moment, place: &Path, user_home: Option<&Path>) -> u32 {
        if !self.enabled || lies_in(place, &self.exclude, user_home) {
            return 0;
        }
        match moment {
            Moment::SessionStart => self.session_start,
            Moment::Prompt => self.prompt,
            Moment::Tool => self.tool,
            Moment::Compaction => self.compaction,
        }
    }
}

/// Whether a place is one of these folders, or lies below one.
fn lies_in(place: &Path, folders: &[PathBuf], user_home: Option<&Path>) -> bool {
    // Most people exclude nothing: a hook then saves resolving the path.
    if folders.is_empty() {
        return false;
    }
    let place = real(place);
    folders.iter().any(|folder| {
        let below_home = folder.strip_prefix("~").unwrap_or(folder);
        let whole = user_home.map_or_else(|| below_home.to_owned(), |home| home.join(below_home));
        place.starts_with(real(&whole))
    })
}

/// Resolves a path: follows links in the part that exists, and removes `..` from the rest by the text alone.
fn real(path: &Path) -> PathBuf {
    let found = path.ancestors().find_map(|there| Some((there, there.canonicalize().ok()?)));
    let Some((there, mut place)) = found else { return path.to_owned() };
    for part in path.strip_prefix(there).unwrap_or(Path::new("")).components() {
        match part {
            Component::ParentDir => drop(place.pop()),
            part => place.push(part),
        }
    }
    place
}
