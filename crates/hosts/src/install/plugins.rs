//! Whether a host has our plugin switched on (`plugins/`): then it is wired by that, and a second time would be once too often.
//!
//! Not here: a plugin that a project or an administrator switched on. OpenCode's plugin is a file that `install` writes.

use super::desired_content::SERVER;
use super::disk::FileOnDisk;
use super::editable_json::{EditableJson, JsonStep};
use crate::Host;
use serde_json::Value;
use std::path::Path;

/// Returns the name under which a host that keeps its files in `directory` has our plugin switched on.
pub(super) fn switched_on(host: Host, directory: &Path) -> Option<String> {
    match host {
        Host::ClaudeCode | Host::Copilot => {
            named(&json(&directory.join("settings.json"), "enabledPlugins")?, Value::as_bool)
        }
        Host::Codex => {
            let config: toml::Table = text(&directory.join("config.toml"))?.parse().ok()?;
            let plugins = serde_json::to_value(config.get("plugins")?).ok()?;
            named(&plugins, |plugin| plugin.get("enabled")?.as_bool())
        }
        Host::Gemini => {
            let extensions = directory.join("extensions");
            let overrides = json(&extensions.join("extension-enablement.json"), SERVER);
            let rules = overrides.as_ref().and_then(|it| it.get("overrides")?.as_array());
            // A rule with this mark switches it off in the folders it names.
            let is_off = |rule: &Value| rule.as_str().is_some_and(|rule| rule.starts_with('!'));
            let is_off = rules.is_some_and(|rules| !rules.is_empty() && rules.iter().all(is_off));
            let is_there = extensions.join(SERVER).join("gemini-extension.json").is_file();
            (is_there && !is_off).then(|| SERVER.to_owned())
        }
        _ => None,
    }
}

/// Returns the name of our plugin in a list where each has a name like `plugin@market`. One that does not say so is on.
fn named(plugins: &Value, is_on: impl Fn(&Value) -> Option<bool>) -> Option<String> {
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
