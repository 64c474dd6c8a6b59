//! Our hooks among those of others, in a host's JSON.
//!
//! Hosts list their hooks by event: either handlers, or groups of handlers behind one matcher. We know ours again by the
//! command it runs, wherever somebody may have moved it, and whatever version of ours wrote it.

use super::editable_json::{EditableJson, JsonStep};
use super::install_error::EditRefusal;
use crate::Host;
use serde_json::Value;

/// The key hosts keep their hooks under.
pub(super) const HOOKS: &str = "hooks";

/// One hook a host is to run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct HookEntry {
    /// The host's name of the event.
    pub(crate) event: &'static str,
    /// What stands in the event's list: a handler, or a group of one.
    pub(crate) item: Value,
}

/// One of ours, as it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct InstalledHook {
    pub(super) event: String,
    pub(super) item: usize,
    /// Where in its group; `None` where the item itself is the handler.
    pub(super) handler: Option<usize>,
    /// Whether everything in the item is ours.
    pub(super) is_whole: bool,
    /// What the host runs.
    pub(super) line: String,
}

/// Makes the hooks of a host what they should be, in place where ours are there already.
pub(super) fn put(json: &mut EditableJson, host: Host, hooks: &[HookEntry]) -> Result<(), EditRefusal> {
    check_shape(json)?;
    let there = found(json, host)?;
    for hook in hooks {
        let whole = |found: &&InstalledHook| found.event == hook.event && found.is_whole;
        let first = there.iter().find(whole).map(|found| found.item);
        let path = |item| [JsonStep::Key(HOOKS), JsonStep::Key(hook.event), JsonStep::At(item)];
        match first {
            None => json.push(&[HOOKS, hook.event], &hook.item)?,
            Some(item) if json.value(&path(item))?.as_ref() != Some(&hook.item) => {
                json.replace(&path(item), &hook.item)?;
            }
            Some(_) => {}
        }
    }
    // What an older version of ours hooked too, or somebody listed twice.
    let mut seen: Vec<String> = Vec::new();
    let mut extra = Vec::new();
    for one in found(json, host)? {
        let is_wanted = hooks.iter().any(|hook| hook.event == one.event);
        if !is_wanted || !one.is_whole || seen.contains(&one.event) {
            extra.push(one);
        } else {
            seen.push(one.event);
        }
    }
    remove(json, &extra)
}

/// Takes our hooks out.
pub(super) fn take(json: &mut EditableJson, host: Host) -> Result<(), EditRefusal> {
    let ours = found(json, host)?;
    remove(json, &ours)
}

/// Finds our hooks.
pub(super) fn found(json: &EditableJson, host: Host) -> Result<Vec<InstalledHook>, EditRefusal> {
    let mut ours = Vec::new();
    let Some(Value::Object(events)) = json.value(&[JsonStep::Key(HOOKS)])? else { return Ok(ours) };
    for (event, items) in &events {
        for (item, value) in items.as_array().into_iter().flatten().enumerate() {
            let group = value.get(HOOKS).and_then(Value::as_array);
            let one = |handler, is_whole, line| InstalledHook {
                event: event.clone(),
                item,
                handler,
                is_whole,
                line,
            };
            match group {
                None => ours.extend(line_of(value, host).map(|line| one(None, true, line))),
                Some(group) => {
                    let lines: Vec<Option<String>> = group.iter().map(|it| line_of(it, host)).collect();
                    let is_whole = lines.iter().all(Option::is_some);
                    let lines = lines.into_iter().enumerate();
                    ours.extend(lines.filter_map(|(at, line)| Some(one(Some(at), is_whole, line?))));
                }
            }
        }
    }
    Ok(ours)
}

/// Returns the command line of a handler that is ours.
fn line_of(handler: &Value, host: Host) -> Option<String> {
    let line = ["command", "bash", "powershell"].iter().find_map(|key| handler.get(key)?.as_str())?;
    let arguments = handler.get("args").and_then(Value::as_array).into_iter().flatten();
    let line =
        arguments.filter_map(Value::as_str).fold(line.to_owned(), |line, word| format!("{line} {word}"));
    runs_us(&line, host).then_some(line)
}

/// Whether a command line is our hook for a host.
fn runs_us(line: &str, host: Host) -> bool {
    let Some((program, arguments)) = line.split_once(" hook --host ") else { return false };
    let program = program.trim_matches(['\'', '"', ' ']);
    is_our_program(program) && arguments.split_whitespace().next() == Some(host.as_str())
}

/// Whether a program is ours, by its name: nothing else is the same in every version and at every place.
pub(super) fn is_our_program(path: &str) -> bool {
    path.rsplit(['/', '\\']).next().is_some_and(|name| name.starts_with("backstory"))
}

fn remove(json: &mut EditableJson, ours: &[InstalledHook]) -> Result<(), EditRefusal> {
    // Last first, so that places stay what they are. A group that is all ours goes as a whole, once.
    let mut gone: Vec<(&str, usize)> = Vec::new();
    for one in ours.iter().rev() {
        let item = [JsonStep::Key(HOOKS), JsonStep::Key(&one.event), JsonStep::At(one.item)];
        match one.handler {
            Some(at) if !one.is_whole => {
                json.remove(&[&item[..], &[JsonStep::Key(HOOKS), JsonStep::At(at)]].concat())?;
            }
            _ if gone.contains(&(&one.event, one.item)) => {}
            _ => {
                json.remove(&item)?;
                gone.push((&one.event, one.item));
            }
        }
    }
    Ok(())
}

/// Hooks that are not written as the host wants them are not ours to mend.
fn check_shape(json: &EditableJson) -> Result<(), EditRefusal> {
    match json.value(&[JsonStep::Key(HOOKS)])? {
        None => Ok(()),
        Some(Value::Object(events)) => match events.iter().find(|(_, items)| !items.is_array()) {
            None => Ok(()),
            Some((event, _)) => Err(EditRefusal::shape(&format!("`{HOOKS}.{event}`"), "a list")),
        },
        Some(_) => Err(EditRefusal::shape(&format!("`{HOOKS}`"), "an object")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_command_is_recognised_however_it_is_written() {
        for line in [
            "backstory hook --host codex",
            "/usr/bin/backstory hook --host codex",
            "'/a b/backstory' hook --host codex --event x",
            r#""C:\x\backstory.exe" hook --host codex"#,
            "env X=1 ./backstory-0.1 hook --host codex",
        ] {
            assert!(runs_us(line, Host::Codex), "{line}");
        }
        for line in
            ["mem hook --host codex", "backstory hook --host gemini-cli", "backstory mcp", "echo backstory"]
        {
            assert!(!runs_us(line, Host::Codex), "{line}");
        }
    }
}
