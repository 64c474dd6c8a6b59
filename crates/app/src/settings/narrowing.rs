//! What a project's file may change. It comes with a repository, so a stranger may have written it: it may narrow what is done, never
//! widen it.

use std::fmt;
use std::path::Path;
use toml::Value;

/// What a project's file may do to a value.
#[derive(Clone, Copy)]
pub enum Narrowing {
    /// Turn it off.
    Off,
    /// Make it smaller.
    Lower,
    /// Add to it.
    Add,
}

impl fmt::Display for Narrowing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Narrowing::Off => "turned off",
            Narrowing::Lower => "lowered",
            Narrowing::Add => "added to",
        })
    }
}

/// What a project's file may touch at all.
pub const NARROWINGS: [(&str, Narrowing); 13] = [
    ("capture.enabled", Narrowing::Off),
    ("capture.exclude", Narrowing::Add),
    ("capture.max_event_bytes", Narrowing::Lower),
    ("redact.literals", Narrowing::Add),
    ("inject.enabled", Narrowing::Off),
    ("inject.exclude", Narrowing::Add),
    ("inject.session_start", Narrowing::Lower),
    ("inject.prompt", Narrowing::Lower),
    ("inject.tool", Narrowing::Lower),
    ("inject.compaction", Narrowing::Lower),
    ("search.limit", Narrowing::Lower),
    ("writer.provider", Narrowing::Off),
    ("writer.ask_agent", Narrowing::Off),
];

/// Returns the value after a project's file has changed it; none if the file would widen it.
pub(crate) fn narrowed(key: &str, before: &Value, value: &Value, file: &Path) -> Option<Value> {
    let (_, rule) = NARROWINGS.iter().find(|(name, _)| *name == key)?;
    if key.ends_with(".exclude") {
        return narrow(*rule, before, &below(file, value));
    }
    narrow(*rule, before, value)
}

fn narrow(rule: Narrowing, before: &Value, value: &Value) -> Option<Value> {
    match (rule, before, value) {
        (Narrowing::Off, Value::Boolean(_), Value::Boolean(false)) => Some(Value::Boolean(false)),
        // Repeating what holds already is allowed; turning it on is not.
        (Narrowing::Off, Value::Boolean(before), Value::Boolean(true)) => {
            before.then_some(Value::Boolean(true))
        }
        (Narrowing::Off, Value::String(_), Value::String(off)) if off == "none" => Some(value.clone()),
        (Narrowing::Lower, Value::Integer(before), Value::Integer(value)) => {
            (value <= before).then_some(Value::Integer(*value))
        }
        (Narrowing::Add, Value::Array(before), Value::Array(more)) => {
            Some(Value::Array(before.iter().chain(more).cloned().collect()))
        }
        _ => None,
    }
}

/// Resolves the folders in a project's file against the folder of that file.
fn below(file: &Path, folders: &Value) -> Value {
    let dir = file.parent().unwrap_or(Path::new(""));
    let whole = |folder: &Value| match folder.as_str() {
        Some(folder) if !folder.starts_with('~') => {
            Value::from(dir.join(folder).to_string_lossy().into_owned())
        }
        _ => folder.clone(),
    };
    match folders {
        Value::Array(folders) => Value::Array(folders.iter().map(whole).collect()),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;

    #[test]
    fn a_project_may_narrow_and_never_widen() {
        let allowed = |rule, before: Value, value: Value| narrow(rule, &before, &value);
        assert_eq!(allowed(Narrowing::Off, true.into(), false.into()), Some(false.into()));
        assert_eq!(allowed(Narrowing::Off, false.into(), true.into()), None);
        assert_eq!(allowed(Narrowing::Off, "codex".into(), "none".into()), Some("none".into()));
        assert_eq!(allowed(Narrowing::Off, "none".into(), "codex".into()), None);
        assert_eq!(allowed(Narrowing::Off, "codex".into(), "anthropic".into()), None);
        assert_eq!(allowed(Narrowing::Lower, 10.into(), 11.into()), None);
        assert_eq!(allowed(Narrowing::Lower, 10.into(), 9.into()), Some(9.into()));
        let list = |items: &[&str]| Value::Array(items.iter().map(|item| Value::from(*item)).collect());
        assert_eq!(allowed(Narrowing::Add, list(&["a"]), list(&["b"])), Some(list(&["a", "b"])));
    }

    #[test]
    fn every_narrowing_names_a_setting() {
        let settings = Settings::defaults();
        assert!(NARROWINGS.iter().all(|(key, _)| settings.all().contains_key(*key)));
    }
}
