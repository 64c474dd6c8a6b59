//! The model that `[writer]` names.

use crate::app::App;
use crate::config::{Provider, WriterConfig};
use crate::env_vars::BACKSTORY_INSIDE;
use crate::error::AppError;
use crate::self_capture_guard;
use backstory_hosts::{AGENT_VARIABLES, Host};
use backstory_provider::{
    AgentCli, AgentProgram, Anthropic, Model, OpenAiCompatible, OwnCommand, ProgramRunner,
};
use std::path::PathBuf;
use std::time::Duration;

/// Makes what is configured to answer.
pub(super) fn configured_model(app: &App, deadline: Duration) -> Result<Box<dyn Model>, AppError> {
    let writer = &app.config.writer;
    let or = |value: &str, default: &str| if value.is_empty() { default } else { value }.to_owned();
    if let Some(agent) = writer.provider.agent() {
        let model = writer.model.clone();
        let user_folder = user_folder(app, agent);
        return Ok(Box::new(AgentCli { agent, model, runner: runner(app, deadline)?, user_folder }));
    }
    match writer.provider {
        Provider::Anthropic => {
            let key = key_in(app, &or(&writer.api_key_env, "ANTHROPIC_API_KEY"))?;
            let (url, model) = (or(&writer.url, Anthropic::BASE_URL), or(&writer.model, Anthropic::MODEL));
            Ok(Box::new(Anthropic::new(&url, key, &model, deadline)))
        }
        Provider::OpenaiCompatible => {
            let WriterConfig { url, model, api_key_env, .. } = writer;
            let key = match api_key_env.as_str() {
                "" => None,
                name => Some(key_in(app, name)?),
            };
            let url = needed("url", url)?;
            Ok(Box::new(OpenAiCompatible::new(url, key, needed("model", model)?, deadline)))
        }
        Provider::Command => {
            let command = writer.command.clone();
            needed("command", command.first().map_or("", String::as_str))?;
            Ok(Box::new(OwnCommand { command, runner: runner(app, deadline)? }))
        }
        _ => Err(missing("provider")),
    }
}

/// The user's folder of a program; empty where nobody knows the user's home.
fn user_folder(app: &App, agent: AgentProgram) -> PathBuf {
    let host = match agent {
        AgentProgram::ClaudeCode => Host::ClaudeCode,
        AgentProgram::Codex => Host::Codex,
        AgentProgram::GeminiCli => Host::Gemini,
        AgentProgram::OpenCode => Host::OpenCode,
        AgentProgram::CopilotCli => Host::Copilot,
    };
    app.environment.places().map(|places| places.directory(host)).unwrap_or_default()
}

/// How a program is run: guarded by this program, in a folder of ours, and not as if a host had started it.
fn runner(app: &App, deadline: Duration) -> Result<ProgramRunner, AppError> {
    let program = std::env::current_exe();
    let program = program.map_err(|error| AppError::user("cannot find this program").because(&error))?;
    let directory = self_capture_guard::jail(&app.home);
    let directory =
        directory.map_err(|error| AppError::user("cannot make a folder to ask from").because(&error))?;
    Ok(ProgramRunner {
        watchdog: vec![program.into(), "guard".into(), "--".into()],
        directory,
        mark: BACKSTORY_INSIDE,
        hidden: &AGENT_VARIABLES,
        deadline,
    })
}

fn key_in<'a>(app: &'a App, name: &str) -> Result<&'a str, AppError> {
    app.environment.text(name).ok_or_else(|| {
        AppError::usage(format!("the variable `{name}`, which should hold a key, is not set"))
            .hint("name the variable that does with `writer.api_key_env`")
    })
}

fn needed<'a>(name: &str, value: &'a str) -> Result<&'a str, AppError> {
    if value.is_empty() { Err(missing(name)) } else { Ok(value) }
}

fn missing(name: &str) -> AppError {
    AppError::usage(format!("`writer.{name}` is not set"))
        .hint(format!("set `{name}` in the section `[writer]` of your configuration file"))
}
