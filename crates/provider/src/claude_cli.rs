//! Claude Code's own command, for people who have a subscription and no key.
//!
//! The program is an agent, and we want only its model: no tools, no servers, no hooks, no transcript, an empty folder. It runs
//! behind the watchdog, so that it never outlives us.

use crate::anthropic::AnthropicUsage;
use crate::{Model, ModelAnswer, ModelError, ModelRequest, child};
use serde::Deserialize;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

/// Claude Code's own command.
#[derive(Clone, Debug)]
pub struct ClaudeCli {
    /// Prefix of the command that makes `run_watchdog` start it.
    pub watchdog: Vec<OsString>,
    /// The model that is asked.
    pub model: String,
    /// The folder it runs in.
    pub directory: PathBuf,
    /// The environment variable that marks its children as started by us.
    pub mark: &'static str,
    /// How long it may take.
    pub deadline: Duration,
}

impl ClaudeCli {
    /// The default model.
    pub const MODEL: &'static str = "haiku";

    fn command(&self, request: &ModelRequest) -> Result<Command, ModelError> {
        let (program, before) =
            self.watchdog.split_first().ok_or(ModelError::Unreachable("no watchdog is set"))?;
        let mut command = Command::new(program);
        command.args(before).args(["claude", "-p", "--output-format", "json", "--no-session-persistence"]);
        command.args(["--session-id", &request.session, "--model", &self.model]);
        command.args(["--system-prompt", &request.instructions, "--disable-slash-commands"]);
        command.args(["--tools", "", "--strict-mcp-config", "--mcp-config", r#"{"mcpServers":{}}"#]);
        command.args(["--settings", r#"{"disableAllHooks":true}"#]);
        command.current_dir(&self.directory).env(self.mark, "1").env("CLAUDE_PROJECT_DIR", &self.directory);
        Ok(command)
    }
}

#[derive(Deserialize)]
struct ClaudeCliResult {
    #[serde(default)]
    is_error: bool,
    #[serde(default)]
    result: String,
    usage: Option<AnthropicUsage>,
}

impl Model for ClaudeCli {
    fn answer(&self, request: &ModelRequest) -> Result<ModelAnswer, ModelError> {
        let printed = child::run(&mut self.command(request)?, &request.text, self.deadline)?;
        let answer: ClaudeCliResult = serde_json::from_slice(&printed).map_err(|_| ModelError::Unreadable)?;
        if answer.is_error {
            return Err(ModelError::ProgramFailed);
        }
        Ok(ModelAnswer { text: answer.result, tokens: answer.usage.map(|usage| usage.total()) })
    }
}
