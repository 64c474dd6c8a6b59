//! What is to stand in one file of a host, and how it is put in and taken out. Pure: text in, text out.

use super::editable_json::{EditableJson, JsonStep};
use super::hooks::{self, HOOKS, HookEntry, is_our_program};
use super::install_error::EditRefusal;
use super::marked_block;
use super::skill_file;
use super::toml_table::TomlTable;
use super::yaml_server::YamlServer;
use crate::{Host, opencode};
use serde_json::Value;

/// The name we go by in a host's list of MCP servers.
pub(crate) const SERVER: &str = "backstory";

/// What is to stand in a file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum DesiredContent {
    /// Hooks and entries in a JSON file that others write to as well.
    Json(DesiredJson),
    /// A table in a TOML file that others write to as well.
    Toml(TomlTable),
    /// An entry in a YAML file that others write to as well.
    Yaml(YamlServer),
    /// A marked block in a text that people write.
    Block(String),
    /// A file of our own, which a host reads.
    Whole(Host, String),
    /// A skill, which is ours until its owner changes it.
    Skill,
}

/// What is to stand in a JSON file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DesiredJson {
    pub(crate) host: Host,
    pub(crate) hooks: Vec<HookEntry>,
    /// Where the list of MCP servers stands, and our entry in it.
    pub(crate) server: Option<(&'static str, Value)>,
    /// What the host wants to find in such a file at all.
    pub(crate) frame: Vec<(&'static str, Value)>,
}

/// The mark some editors put before a text.
const BOM: char = '\u{feff}';

impl DesiredContent {
    /// Returns the text with ours in it. A text that has it already comes back as it is.
    pub(super) fn put(&self, text: Option<&str>) -> Result<String, EditRefusal> {
        let (mark, body) = split_mark(text.unwrap_or_default());
        let changed = match self {
            DesiredContent::Json(wanted) => wanted.put(body)?,
            DesiredContent::Toml(table) => table.put(body)?,
            DesiredContent::Yaml(server) => server.put(body)?,
            DesiredContent::Block(words) => marked_block::put(body, words)?,
            DesiredContent::Whole(host, _) if text.is_some_and(|text| !is_of_ours(*host, text)) => {
                return Err(EditRefusal::Foreign);
            }
            DesiredContent::Whole(_, whole) => return Ok(whole.clone()),
            DesiredContent::Skill => {
                let theirs = text.filter(|text| !skill_file::is_ours(text));
                return Ok(theirs.map_or_else(skill_file::whole, str::to_owned));
            }
        };
        Ok(format!("{mark}{changed}"))
    }

    /// Returns the text without ours; `None` where nothing but ours was ever in it.
    ///
    /// `before` is what stood there before us, where that is known: what was empty then may be empty again.
    pub(super) fn take(&self, text: &str, before: Option<&str>) -> Result<Option<String>, EditRefusal> {
        let (mark, body) = split_mark(text);
        let before = before.map(|before| split_mark(before).1);
        let changed = match self {
            DesiredContent::Json(wanted) => wanted.take(body, before)?,
            DesiredContent::Toml(table) => table.take(body)?,
            DesiredContent::Yaml(server) => server.take(body)?,
            DesiredContent::Block(_) => marked_block::take(body)?,
            DesiredContent::Whole(host, _) if is_of_ours(*host, text) => return Ok(None),
            DesiredContent::Whole(..) => body.to_owned(),
            DesiredContent::Skill if skill_file::is_ours(text) => return Ok(None),
            DesiredContent::Skill => body.to_owned(),
        };
        Ok(Some(format!("{mark}{changed}")))
    }

    /// Whether a text says nothing: only we would have written it.
    pub(super) fn is_bare(&self, text: &str) -> bool {
        let body = split_mark(text).1;
        match self {
            DesiredContent::Json(wanted) => wanted.is_bare(body),
            // What is left of a skill is its owner's, even an empty file.
            DesiredContent::Skill => false,
            _ => body.trim().is_empty(),
        }
    }
}

impl DesiredJson {
    fn put(&self, text: &str) -> Result<String, EditRefusal> {
        let mut json = EditableJson::parse(text)?;
        let untouched = json.clone();
        for (key, value) in &self.frame {
            if json.value(&[JsonStep::Key(key)])?.is_none() {
                json.set(&[key], value)?;
            }
        }
        hooks::put(&mut json, self.host, &self.hooks)?;
        if let Some((list, entry)) = &self.server {
            put_entry(&mut json, list, entry)?;
        }
        if json == untouched { Ok(text.to_owned()) } else { self.checked(&untouched, &json) }
    }

    fn take(&self, text: &str, before: Option<&str>) -> Result<String, EditRefusal> {
        let mut json = EditableJson::parse(text)?;
        let untouched = json.clone();
        let before = before.and_then(|before| EditableJson::parse(before).ok());
        let full = self.lists(&json)?;
        hooks::take(&mut json, self.host)?;
        if let Some((list, _)) = &self.server
            && our_entry(&json, list)?.is_some()
        {
            json.remove(&[JsonStep::Key(list), JsonStep::Key(SERVER)])?;
        }
        // What we emptied goes too, unless it stood there empty before.
        for path in full {
            let path: Vec<JsonStep<'_>> = path.iter().map(|key| JsonStep::Key(key)).collect();
            let stood = before.as_ref().map(|before| before.value(&path)).transpose()?.flatten().is_some();
            if !stood && json.is_bare(&path)? {
                json.remove(&path)?;
            }
        }
        Ok(if json == untouched { text.to_owned() } else { json.into_text() })
    }

    fn is_bare(&self, text: &str) -> bool {
        let value = EditableJson::parse(text).and_then(|json| json.value(&[]));
        let Ok(Some(Value::Object(object))) = value else { return false };
        object.iter().all(|(key, value)| self.frame.iter().any(|(name, frame)| name == key && frame == value))
    }

    /// The lists ours stand in that hold something, innermost first.
    fn lists(&self, json: &EditableJson) -> Result<Vec<Vec<String>>, EditRefusal> {
        let mut lists: Vec<Vec<String>> = Vec::new();
        if !self.hooks.is_empty() {
            let events = json.keys(&[JsonStep::Key(HOOKS)])?.into_iter();
            lists.extend(events.map(|event| vec![HOOKS.to_owned(), event]));
            lists.push(vec![HOOKS.to_owned()]);
        }
        lists.extend(self.server.iter().map(|(list, _)| vec![(*list).to_owned()]));
        let mut full = Vec::new();
        for list in lists {
            let path: Vec<JsonStep<'_>> = list.iter().map(|key| JsonStep::Key(key)).collect();
            if !json.is_empty(&path)? {
                full.push(list);
            }
        }
        Ok(full)
    }

    /// Reads a change back before anybody else has to: it must hold ours, and leave what is not ours as it was.
    fn checked(&self, untouched: &EditableJson, changed: &EditableJson) -> Result<String, EditRefusal> {
        let before = untouched.clone().into_text();
        let rest = |json: &EditableJson| {
            let mut rest = EditableJson::parse(&self.take(&json.clone().into_text(), Some(&before))?)?;
            for (key, _) in &self.frame {
                rest.remove(&[JsonStep::Key(key)])?;
            }
            rest.value(&[])
        };
        let text = changed.clone().into_text();
        let mut again = EditableJson::parse(&text)?;
        hooks::put(&mut again, self.host, &self.hooks)?;
        if let Some((list, entry)) = &self.server {
            put_entry(&mut again, list, entry)?;
        }
        if again != *changed || rest(untouched)? != rest(changed)? {
            return Err(EditRefusal::Doubtful);
        }
        Ok(text)
    }
}

/// Puts our entry into a list of MCP servers. What its owner added to it stays.
fn put_entry(json: &mut EditableJson, list: &str, entry: &Value) -> Result<(), EditRefusal> {
    let place = [JsonStep::Key(list), JsonStep::Key(SERVER)];
    match json.value(&place)? {
        None => json.set(&[list, SERVER], entry),
        Some(Value::Object(_)) if our_entry(json, list)?.is_none() => {
            Err(EditRefusal::Taken(format!("{list}.{SERVER}")))
        }
        Some(Value::Object(there)) => {
            for (key, value) in entry.as_object().into_iter().flatten() {
                if there.get(key) != Some(value) {
                    json.set(&[list, SERVER, key], value)?;
                }
            }
            Ok(())
        }
        Some(_) => Err(EditRefusal::shape(&format!("`{list}.{SERVER}`"), "an object")),
    }
}

/// Returns our entry in a list of MCP servers. One that runs another program has our name and is somebody else's.
pub(super) fn our_entry(json: &EditableJson, list: &str) -> Result<Option<Value>, EditRefusal> {
    let entry = json.value(&[JsonStep::Key(list), JsonStep::Key(SERVER)])?;
    let program = |entry: &Value| {
        let command = entry.get("command")?;
        command.get(0).unwrap_or(command).as_str().map(is_our_program)
    };
    Ok(entry.filter(|entry| program(entry) == Some(true)))
}

/// Whether a file is one of those we write whole, of whatever version: our plugin, or hooks that are all ours.
fn is_of_ours(host: Host, text: &str) -> bool {
    let body = split_mark(text).1;
    let is_all_ours = |mut json: EditableJson| {
        let ours = hooks::found(&json, host)?.len();
        hooks::take(&mut json, host)?;
        let events = json.value(&[JsonStep::Key(HOOKS)])?;
        let rest = events.as_ref().and_then(Value::as_object).into_iter().flat_map(|events| events.values());
        Ok(ours > 0 && rest.filter_map(Value::as_array).all(Vec::is_empty))
    };
    let is_plugin = || opencode::program_of(body).is_some_and(|program| is_our_program(&program));
    body.trim().is_empty() || is_plugin() || EditableJson::parse(body).and_then(is_all_ours).unwrap_or(false)
}

fn split_mark(text: &str) -> (&str, &str) {
    text.split_at(if text.starts_with(BOM) { BOM.len_utf8() } else { 0 })
}
