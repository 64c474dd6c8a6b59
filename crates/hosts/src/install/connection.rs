//! What of ours stands in a host's files, as the host reads it.

use super::config_files::{ConfigFile, ProgramPath};
use super::desired_content::{DesiredContent, SERVER, our_entry};
use super::disk::FileOnDisk;
use super::editable_json::EditableJson;
use super::hooks;
use super::install_error::InstallError;
use super::marked_block;
use crate::{Host, opencode};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// How a host is connected.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostConnection {
    /// The files that should hold something of ours.
    pub files: Vec<ConnectedFile>,
    /// The hooks the host runs, as its files say.
    pub hooks: Vec<HookCommand>,
    /// The program and arguments of our MCP server, as its files say.
    pub server: Option<Vec<String>>,
    /// Our plugin, if it connects the host a second time beside its settings.
    pub plugin: Option<String>,
}

/// One file that should hold something of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectedFile {
    /// The file.
    pub path: PathBuf,
    /// What of ours belongs there.
    pub what: String,
    /// Whether it does.
    pub state: ConnectionState,
}

/// Whether a file holds what it should.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConnectionState {
    /// Nothing of ours is there.
    Absent,
    /// It is as `install` would write it.
    Current,
    /// Something of ours is there, but not as `install` would write it: another program, another version, a part.
    Different,
    /// The file cannot be understood, and why.
    Unreadable(String),
}

/// One hook as the host runs it: a line for a shell, with the payload on standard input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookCommand {
    /// The host's name of the event.
    pub event: String,
    /// The line.
    pub line: String,
}

impl HostConnection {
    /// Whether anything of ours is there.
    #[must_use]
    pub fn is_connected(&self) -> bool {
        self.files
            .iter()
            .any(|file| matches!(file.state, ConnectionState::Current | ConnectionState::Different))
    }

    pub(super) fn read(host: Host, files: &[ConfigFile]) -> HostConnection {
        let mut connection = HostConnection::default();
        for file in files {
            let state = match FileOnDisk::read(&file.path) {
                Ok(found) => connection.read_file(host, file, &found),
                Err(error) => Err(error),
            };
            let state = state.unwrap_or_else(|error| ConnectionState::Unreadable(error.to_string()));
            connection.files.push(ConnectedFile {
                path: file.path.clone(),
                what: file.what.to_owned(),
                state,
            });
        }
        connection
    }

    fn read_file(
        &mut self,
        host: Host,
        file: &ConfigFile,
        found: &FileOnDisk,
    ) -> Result<ConnectionState, InstallError> {
        let refused = |why| InstallError::refused(&file.path)(why);
        let Some(text) = found.text().map_err(refused)? else { return Ok(ConnectionState::Absent) };
        let body = text.strip_prefix('\u{feff}').unwrap_or(text);
        let is_there = match &file.desired {
            DesiredContent::Json(wanted) => {
                let json = EditableJson::parse(body).map_err(refused)?;
                let hooks = self.find_hooks(&json, host).map_err(refused)?;
                let list = wanted.server.as_ref().map(|(list, _)| *list);
                hooks | self.find_server(&json, list).map_err(refused)?
            }
            DesiredContent::Toml(table) => {
                let table = table.found(body).map_err(refused)?;
                let text = |value: &toml::Value| value.as_str().map(str::to_owned);
                let list = |key: &str| match table.as_ref().and_then(|table| table.get(key)) {
                    Some(toml::Value::Array(words)) => words.iter().filter_map(text).collect(),
                    Some(word) => text(word).into_iter().collect(),
                    None => Vec::new(),
                };
                let words: Vec<String> = [list("command"), list("args")].concat();
                let is_there = table.is_some();
                self.server = self.server.take().or(is_there.then_some(words));
                is_there
            }
            DesiredContent::Yaml(server) => {
                let words = server.words(body).map_err(refused)?;
                let is_there = words.is_some();
                self.server = self.server.take().or(words);
                is_there
            }
            DesiredContent::Block(_) => marked_block::found(body).map_err(refused)?.is_some(),
            DesiredContent::Skill => true,
            DesiredContent::Whole(..) => {
                if let Ok(json) = EditableJson::parse(body) {
                    self.find_hooks(&json, host).map_err(refused)?;
                }
                self.hooks.extend(hooks_of_plugin(body));
                body.contains(SERVER)
            }
        };
        let is_current = file.desired.put(Some(text)).is_ok_and(|wanted| wanted == text);
        Ok(match (is_there, is_current) {
            (false, _) => ConnectionState::Absent,
            (true, true) => ConnectionState::Current,
            (true, false) => ConnectionState::Different,
        })
    }

    fn find_hooks(
        &mut self,
        json: &EditableJson,
        host: Host,
    ) -> Result<bool, super::install_error::EditRefusal> {
        let found = hooks::found(json, host)?;
        let is_there = !found.is_empty();
        self.hooks.extend(found.into_iter().map(|one| HookCommand { event: one.event, line: one.line }));
        Ok(is_there)
    }

    fn find_server(
        &mut self,
        json: &EditableJson,
        list: Option<&str>,
    ) -> Result<bool, super::install_error::EditRefusal> {
        let Some(list) = list else { return Ok(false) };
        let Some(entry) = our_entry(json, list)? else { return Ok(false) };
        let words = |key: &str| -> Vec<String> {
            match entry.get(key) {
                Some(Value::Array(words)) => {
                    words.iter().filter_map(Value::as_str).map(str::to_owned).collect()
                }
                Some(Value::String(word)) => vec![word.clone()],
                _ => Vec::new(),
            }
        };
        self.server = Some([words("command"), words("args")].concat());
        Ok(true)
    }
}

/// Returns what OpenCode's plugin runs, as lines for a shell.
fn hooks_of_plugin(text: &str) -> Vec<HookCommand> {
    let Some(path) = opencode::program_of(text) else { return Vec::new() };
    let Ok(program) = ProgramPath::at(Path::new(&path)) else { return Vec::new() };
    let hook = program.hook(Host::OpenCode);
    let line = |event: &str| HookCommand { event: event.to_owned(), line: format!("{hook} --event {event}") };
    opencode::EVENTS.into_iter().map(line).collect()
}
