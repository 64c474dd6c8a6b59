//! Turning the background writer on: who could write, and the line in the user's file that lets them.

use crate::app::App;
use crate::config::Provider;
use crate::connection::hosts_here;
use crate::error::AppError;
use backstory_hosts::HostPaths;
use backstory_platform::open_users_file;
use std::fs::OpenOptions;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// The providers that are a host's program, the one to propose first at the head.
const AGENTS: [Provider; 5] =
    [Provider::ClaudeCode, Provider::Codex, Provider::GeminiCli, Provider::OpenCode, Provider::CopilotCli];

impl App {
    /// Returns the host's program that could write notes with the subscription the user has already; none if no such program is here, or if
    /// the user's file has a section for the writer: then the user has decided.
    pub fn possible_writer(&self, places: &HostPaths) -> Option<Provider> {
        let text = self.environment.config_file().and_then(|file| std::fs::read_to_string(file).ok());
        if self.config.writer.provider != Provider::None || text.is_some_and(|text| has_section(&text)) {
            return None;
        }
        let hosts = hosts_here(places);
        AGENTS.into_iter().find(|provider| {
            let is_here = hosts.iter().any(|host| host.as_str() == provider.as_str());
            let program = provider.agent().map(backstory_provider::AgentProgram::program).unwrap_or_default();
            is_here && places.programs.iter().any(|folder| has_program(folder, program))
        })
    }

    /// Appends the choice of a writer to the user's file, so that nothing they wrote changes. Returns the path of the file.
    pub fn choose_writer(&self, provider: Provider) -> Result<PathBuf, AppError> {
        let path = self.environment.config_file().ok_or_else(|| {
            AppError::config("cannot tell where your configuration file is").hint("set `BACKSTORY_CONFIG`")
        })?;
        let refused = |error: &std::io::Error| {
            AppError::user(format!("cannot write `{}`", path.display()))
                .because(error)
                .hint(by_hand(provider))
        };
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|error| refused(&error))?;
        }
        let mut options = OpenOptions::new();
        let mut file = open_users_file(options.read(true).append(true).create(true), &path)
            .map_err(|error| refused(&error))?;
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(|error| refused(&error))?;
        if has_section(&text) {
            return Err(AppError::user(format!("`{}` has a section `[writer]` already", path.display()))
                .hint(by_hand(provider)));
        }
        let gap = if text.is_empty() { "" } else { "\n" };
        let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        let section = format!("{end}{gap}[writer]\nprovider = \"{}\"\n", provider.as_str());
        file.write_all(section.as_bytes()).map_err(|error| refused(&error))?;
        Ok(path)
    }
}

fn has_section(text: &str) -> bool {
    text.parse::<toml::Table>().is_ok_and(|table| table.contains_key("writer"))
}

fn has_program(folder: &Path, program: &str) -> bool {
    // npm installs programs on Windows as `.cmd` files, which `startable_program` finds.
    [program.to_owned(), format!("{program}.exe"), format!("{program}.cmd")]
        .iter()
        .any(|name| folder.join(name).is_file())
}

fn by_hand(provider: Provider) -> String {
    format!("set `provider = \"{}\"` in its section `[writer]` yourself", provider.as_str())
}
