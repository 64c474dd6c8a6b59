//! Whether a host has our plugin switched on (`plugins/`): then the plugin connects it, and connecting its settings too would run every
//! hook twice.
//!
//! Not here: a plugin that a project or an administrator switched on. OpenCode's plugin is a file that `install` writes.

use super::desired_content::SERVER;
use super::disk::FileOnDisk;
use super::editable_json::{EditableJson, JsonStep};
use serde_json::Value;
use std::path::Path;

/// Looks in the settings of Claude Code or Copilot CLI.
pub(crate) fn enabled_in_settings(directory: &Path) -> Option<String> {
    enabled_in(&json(&directory.join("settings.json"), "enabledPlugins")?, Value::as_bool)
}

/// Looks in the configuration of Codex.
pub(crate) fn enabled_in_config_toml(directory: &Path) -> Option<String> {
    let config: toml::Table = text(&directory.join("config.toml"))?.parse().ok()?;
    let plugins = serde_json::to_value(config.get("plugins")?).ok()?;
    enabled_in(&plugins, |plugin| plugin.get("enabled")?.as_bool())
}

/// Looks among the extensions of Gemini CLI.
pub(crate) fn enabled_extension(directory: &Path) -> Option<String> {
    let extensions = directory.join("extensions");
    let overrides = json(&extensions.join("extension-enablement.json"), SERVER);
    let rules = overrides.as_ref().and_then(|it| it.get("overrides")?.as_array());
    // A rule with this mark switches it off in the folders it names.
    let is_off = |rule: &Value| rule.as_str().is_some_and(|rule| rule.starts_with('!'));
    let is_off = rules.is_some_and(|rules| !rules.is_empty() && rules.iter().all(is_off));
    let is_there = extensions.join(SERVER).join("gemini-extension.json").is_file();
    (is_there && !is_off).then(|| SERVER.to_owned())
}

/// Returns the name of our plugin in a list where each has a name like `plugin@market`. One that does not say so is on.
fn enabled_in(plugins: &Value, is_on: impl Fn(&Value) -> Option<bool>) -> Option<String> {
    let is_ours = |name: &str| name.split('@').next() == Some(SERVER);
    let mut ours = plugins.as_object()?.iter().filter(|(name, _)| is_ours(name));
    ours.find(|(_, value)| is_on(value) != Some(false)).map(|(name, _)| name.clone())
}

fn json(path: &Path, key: &str) -> Option<Value> {
    EditableJson::parse(&text(path)?).ok()?.value(&[JsonStep::Key(key)]).ok()?
}

fn text(path: &Path) -> Option<String> {
    let found = FileOnDisk::read(path).ok()?;
    let text = found.text().ok()??;
    Some(text.strip_prefix('\u{feff}').unwrap_or(text).to_owned())
}
