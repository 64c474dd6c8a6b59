//! The programs of hosts in headless mode, for people who have a subscription and no key.
//!
//! Each is an agent, and we want only its model: no tools, no servers, no hooks, no transcript, an empty folder, as far as the
//! program's flags allow. What they cannot forbid is caught by the guards against capturing our own calls. It runs behind the watchdog, so that it
//! never outlives us. The prompt goes to its standard input: arguments stand in the list of processes.

use crate::agent_answers::{AnswerReader, read_claude, read_codex, read_copilot, read_gemini, read_opencode};
use crate::{Model, ModelAnswer, ModelError, ModelRequest, ProgramRunner};
use serde_json::json;
use std::path::PathBuf;
use std::process::Command;

/// A host's program that can be asked without a screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentProgram {
    /// `claude -p`
    ClaudeCode,
    /// `codex exec`
    Codex,
    /// `gemini -p`
    GeminiCli,
    /// `opencode run`
    OpenCode,
    /// `copilot`, which takes a prompt from standard input
    CopilotCli,
}

impl AgentProgram {
    /// The name of the program.
    #[must_use]
    pub const fn program(self) -> &'static str {
        match self {
            AgentProgram::ClaudeCode => "claude",
            AgentProgram::Codex => "codex",
            AgentProgram::GeminiCli => "gemini",
            AgentProgram::OpenCode => "opencode",
            AgentProgram::CopilotCli => "copilot",
        }
    }

    /// The model that is asked when nobody says otherwise; without one, the program's own default.
    const fn default_model(self) -> Option<&'static str> {
        match self {
            AgentProgram::ClaudeCode => Some("haiku"),
            // Its own default first asks another model which one to ask.
            AgentProgram::GeminiCli => Some("flash"),
            _ => None,
        }
    }
}

/// A model that is asked through a host's program.
#[derive(Clone, Debug)]
pub struct AgentCli {
    /// The program.
    pub agent: AgentProgram,
    /// The model that is asked; empty: the program's default, or a small one where its name is known.
    pub model: String,
    /// How it is run.
    pub runner: ProgramRunner,
    /// The user's own folder of the program, where its login lies.
    pub user_folder: PathBuf,
}

/// No tool, no server and no hook, for Gemini CLI, which reads it from the folder it runs in.
const GEMINI_SETTINGS: &str = r#"{
  "hooksConfig": {"enabled": false},
  "tools": {"core": ["none"]},
  "mcp": {"allowed": ["none"]},
  "context": {"fileName": ".none"}
}
"#;

/// The files in Copilot's folder that say who is logged in, and which model they chose.
const COPILOT_LOGIN: [&str; 2] = ["config.json", "settings.json"];

/// The agent without tools that we define for OpenCode.
const OPENCODE_AGENT: &str = "backstory-notes";

impl Model for AgentCli {
    fn answer(&self, request: &ModelRequest) -> Result<ModelAnswer, ModelError> {
        let mut command = self.runner.command(self.agent.program())?;
        let (input, read): (String, AnswerReader) = match self.agent {
            AgentProgram::ClaudeCode => {
                self.prepare_claude(&mut command, request);
                (request.prompt(), read_claude)
            }
            AgentProgram::Codex => {
                self.prepare_codex(&mut command, request)?;
                (request.prompt(), read_codex)
            }
            AgentProgram::GeminiCli => {
                self.prepare_gemini(&mut command, request)?;
                (request.prompt(), read_gemini)
            }
            AgentProgram::OpenCode => {
                self.prepare_opencode(&mut command, request);
                (request.prompt(), read_opencode)
            }
            AgentProgram::CopilotCli => {
                self.prepare_copilot(&mut command, request)?;
                (request.prompt_with_instructions(), read_copilot)
            }
        };
        read(&self.runner.run(&mut command, &input)?)
    }
}

impl AgentCli {
    fn add_model(&self, command: &mut Command, flag: &str) {
        let named = Some(self.model.as_str()).filter(|model| !model.is_empty());
        if let Some(model) = named.or(self.agent.default_model()) {
            command.args([flag, model]);
        }
    }

    fn prepare_claude(&self, command: &mut Command, request: &ModelRequest) {
        command.args(["-p", "--output-format", "json", "--no-session-persistence"]);
        command.args(["--session-id", &request.session]);
        self.add_model(command, "--model");
        // On Windows it may be a `.cmd` file, which takes no argument of several lines.
        let instructions = request.instructions.replace('\n', " ");
        command.args(["--system-prompt", &instructions, "--disable-slash-commands"]);
        command.args(["--tools", "", "--strict-mcp-config", "--mcp-config", r#"{"mcpServers":{}}"#]);
        command.args(["--settings", r#"{"disableAllHooks":true}"#]);
    }

    fn prepare_codex(&self, command: &mut Command, request: &ModelRequest) -> Result<(), ModelError> {
        let instructions = self.runner.write("instructions.md", &request.instructions)?;
        command.args(["exec", "--json", "--ephemeral", "--skip-git-repo-check", "--ignore-rules"]);
        command.args(["--sandbox", "read-only"]);
        for feature in ["hooks", "shell_tool", "plugins", "apps", "multi_agent", "goals"] {
            command.args(["--disable", feature]);
        }
        // A path is quoted like any TOML string.
        let quoted = json!(instructions.to_string_lossy());
        command.arg("-c").arg(format!("model_instructions_file={quoted}"));
        command.args(["-c", "mcp_servers={}", "-c", "web_search=\"disabled\""]);
        command.args(["-c", "project_doc_max_bytes=0"]);
        self.add_model(command, "--model");
        command.arg("-");
        Ok(())
    }

    fn prepare_gemini(&self, command: &mut Command, request: &ModelRequest) -> Result<(), ModelError> {
        self.runner.write(".gemini/settings.json", GEMINI_SETTINGS)?;
        let instructions = self.runner.write("instructions.md", &request.instructions)?;
        command.env("GEMINI_SYSTEM_MD", instructions);
        command.args(["--output-format", "json", "--skip-trust", "--session-id", &request.session]);
        command.args(["--extensions", "none", "--allowed-mcp-server-names", "none"]);
        self.add_model(command, "--model");
        // What stands here is appended to standard input.
        command.args(["--prompt", "Answer with the JSON object alone."]);
        Ok(())
    }

    fn prepare_opencode(&self, command: &mut Command, request: &ModelRequest) {
        let agent = json!({"mode": "primary", "prompt": request.instructions, "tools": {"*": false},
            "permission": {"*": "deny"}});
        let config = json!({"share": "disabled", "autoupdate": false, "agent": {OPENCODE_AGENT: agent},
            "mcp": {"backstory": {"enabled": false}}});
        command.env("OPENCODE_CONFIG_CONTENT", config.to_string());
        command.args(["run", "--pure", "--format", "json", "--title", "Backstory notes"]);
        command.args(["--agent", OPENCODE_AGENT]);
        self.add_model(command, "--model");
    }

    /// Gives Copilot a folder of its own: in the user's, `copilot --continue` would go on with our call instead of their last session,
    /// while it runs or after it was killed.
    fn prepare_copilot(&self, command: &mut Command, request: &ModelRequest) -> Result<(), ModelError> {
        let folder = self.runner.emptied_folder("copilot")?;
        for name in COPILOT_LOGIN {
            let own = self.user_folder.join(name);
            // Linked, because a login must not lie in two places. One that keeps it elsewhere has no such file.
            if own.is_file() {
                std::fs::hard_link(own, folder.join(name))
                    .map_err(|_| ModelError::Unreachable("its login cannot be linked into our folder"))?;
            }
        }
        command.env("COPILOT_HOME", folder);
        command.args(["--silent", "--output-format", "json", "--no-color", "--no-ask-user"]);
        command.args(["--no-custom-instructions", "--no-auto-update", "--no-remote-export"]);
        command.args([
            "--available-tools=none",
            "--disable-builtin-mcps",
            "--disable-mcp-server",
            "backstory",
        ]);
        command.args(["--session-id", &request.session]);
        self.add_model(command, "--model");
        Ok(())
    }
}
