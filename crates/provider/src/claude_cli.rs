//! Claude Code's own command, for people who have a subscription and no key.
//!
//! It is an agent and we want none: no tools, no servers, no hooks, no transcript, a folder with nothing in it. It is started behind
//! a guard, so that it never outlives us.

use crate::anthropic::WireUsage;
use crate::{Answer, Model, ModelError, Request, child};
use serde::Deserialize;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

/// Claude Code's own command.
#[derive(Clone, Debug)]
pub struct ClaudeCli {
    /// What is put before the command so that it is started by `stand_guard`.
    pub guard: Vec<OsString>,
    /// The model that is asked.
    pub model: String,
    /// The folder it runs in.
    pub directory: PathBuf,
    /// The variable that tells whatever it starts that it is inside a call of ours.
    pub mark: &'static str,
    /// How long it may take.
    pub deadline: Duration,
}

impl ClaudeCli {
    /// The model that is asked when nobody says otherwise.
    pub const MODEL: &'static str = "haiku";

    fn command(&self, request: &Request) -> Result<Command, ModelError> {
        let (program, before) =
            self.guard.split_first().ok_or(ModelError::Unreachable("there is nobody to guard it"))?;
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
struct WireResult {
    #[serde(default)]
    is_error: bool,
    #[serde(default)]
    result: String,
    usage: Option<WireUsage>,
}

impl Model for ClaudeCli {
    fn answer(&self, request: &Request) -> Result<Answer, ModelError> {
        let printed = child::run(&mut self.command(request)?, &request.text, self.deadline)?;
        let answer: WireResult = serde_json::from_slice(&printed).map_err(|_| ModelError::Unreadable)?;
        if answer.is_error {
            return Err(ModelError::ProgramFailed);
        }
        Ok(Answer { text: answer.result, tokens: answer.usage.map(|usage| usage.total()) })
    }
}
