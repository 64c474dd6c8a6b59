//! The recorded sessions on disk: unpacking, records, and what a record of the user is.

use crate::TaskResult;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A project with its transcripts, in order.
pub(crate) struct RecordedProject {
    pub(crate) name: String,
    pub(crate) transcripts: Vec<PathBuf>,
    pub(crate) bytes: u64,
}

/// What a record of the user means to the hooks.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum UserRecord {
    Prompt(String),
    ToolResults,
    Interrupt,
    Compaction,
    /// Commands of the host itself, its notices, nothing at all.
    Other,
}

/// Unpacks the sessions and lists their projects, the largest first.
pub(crate) fn unpack(data: &Path, into: &Path) -> TaskResult<Vec<RecordedProject>> {
    let archive = data.join("sessions.tar.xz");
    let status = Command::new("tar").arg("-xJf").arg(&archive).arg("-C").arg(into).status()?;
    if !status.success() {
        return Err(format!("unpacking {} failed", archive.display()).into());
    }
    let mut projects = Vec::new();
    for folder in fs::read_dir(into.join("sessions"))? {
        let folder = folder?;
        let mut transcripts: Vec<PathBuf> =
            fs::read_dir(folder.path())?.flatten().map(|entry| entry.path()).collect();
        transcripts.sort();
        let bytes = transcripts.iter().filter_map(|path| Some(fs::metadata(path).ok()?.len())).sum();
        projects.push(RecordedProject {
            name: folder.file_name().to_string_lossy().into_owned(),
            transcripts,
            bytes,
        });
    }
    projects.sort_by_key(|project| std::cmp::Reverse(project.bytes));
    Ok(projects)
}

/// Reads a transcript as if it had been recorded in `folder`.
pub(crate) fn records(transcript: &Path, folder: &str) -> TaskResult<Vec<Value>> {
    let text = String::from_utf8_lossy(&fs::read(transcript)?).into_owned();
    let recorded = parse(&text).iter().find_map(|record| Some(record.get("cwd")?.as_str()?.to_owned()));
    Ok(match recorded {
        Some(recorded) => parse(&text.replace(&recorded, folder)),
        None => parse(&text),
    })
}

/// Parses all values of every line; some lines hold several, and a torn one ends its line.
fn parse(text: &str) -> Vec<Value> {
    let values = |line| serde_json::Deserializer::from_str(line).into_iter().map_while(Result::ok);
    text.lines().flat_map(values).collect()
}

/// Returns a field that is a text, or an empty one.
pub(crate) fn field<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Returns the blocks of a message; a plain text has none.
pub(crate) fn blocks(record: &Value) -> &[Value] {
    record.pointer("/message/content").and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Returns the text of a result or message: itself, or its blocks of text.
pub(crate) fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts: Vec<&str> = blocks.iter().filter_map(|block| block.get("text")?.as_str()).collect();
            texts.join("\n")
        }
        _ => String::new(),
    }
}

/// Commands that the host answers itself: no prompt reaches the agent.
#[rustfmt::skip]
const OWN_COMMANDS: [&str; 32] = [
    "/clear", "/model", "/exit", "/effort", "/mcp", "/login", "/ide", "/plan", "/release-notes", "/compact", "/cost",
    "/config", "/resume", "/help", "/status", "/permissions", "/hooks", "/context", "/usage", "/plugin", "/agents",
    "/init", "/doctor", "/rename", "/terminal-setup", "/vim", "/fast", "/tasks", "/memory", "/stats", "/copy",
    "/export",
];
const HOST_TEXTS: [&str; 4] = ["<local-command", "<bash-", "<task-notification>", "<teammate-message"];
const HOST_BLOCKS: [&str; 4] = ["ide_opened_file", "ide_selection", "system-reminder", "ide_diagnostics"];

/// Says what a record of the user is.
pub(crate) fn classify(record: &Value) -> UserRecord {
    let content = record.pointer("/message/content").unwrap_or(&Value::Null);
    let text = text_of(content);
    let has_flag = |name| record.get(name).and_then(Value::as_bool) == Some(true);
    if blocks(record).iter().any(|block| field(block, "type") == "tool_result") {
        return UserRecord::ToolResults;
    }
    if has_flag("isCompactSummary")
        || text.starts_with("This session is being continued from a previous conversation")
    {
        return UserRecord::Compaction;
    }
    if text.starts_with("[Request interrupted") {
        return UserRecord::Interrupt;
    }
    if has_flag("isMeta") || HOST_TEXTS.iter().any(|start| text.starts_with(start)) {
        return UserRecord::Other;
    }
    let prompt = if text.starts_with("<command-name>") || text.starts_with("<command-message>") {
        slash_command(&text)
    } else {
        Some(without_host_blocks(text))
    };
    prompt.filter(|prompt| !prompt.is_empty()).map_or(UserRecord::Other, UserRecord::Prompt)
}

/// Returns a slash command as it was typed, unless the host answers it itself.
fn slash_command(text: &str) -> Option<String> {
    let name = between(text, "command-name").unwrap_or_default().trim();
    let name = if name.starts_with('/') { name.to_owned() } else { format!("/{name}") };
    if OWN_COMMANDS.contains(&name.as_str()) {
        return None;
    }
    let arguments = between(text, "command-args").unwrap_or_default().trim();
    Some(format!("{name} {arguments}").trim().to_owned())
}

fn between<'a>(text: &'a str, tag: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!("<{tag}>"))?;
    Some(rest.split_once(&format!("</{tag}>"))?.0)
}

fn without_host_blocks(mut text: String) -> String {
    for tag in HOST_BLOCKS {
        while let Some(inner) = between(&text, tag) {
            text = text.replacen(&format!("<{tag}>{inner}</{tag}>"), "", 1);
        }
    }
    text.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn classified(content: &Value) -> UserRecord {
        classify(&json!({"type": "user", "message": {"content": content}}))
    }

    #[test]
    fn only_what_a_person_typed_is_a_prompt() {
        let prompt = |text: &str| UserRecord::Prompt(text.to_owned());
        assert_eq!(classified(&json!("<ide_selection>x</ide_selection> mend it")), prompt("mend it"));
        assert_eq!(classified(&json!([{"type": "text", "text": "mend it"}])), prompt("mend it"));
        let command = "<command-name>/review</command-name><command-args>42 </command-args>";
        assert_eq!(classified(&json!(command)), prompt("/review 42"));
        assert_eq!(classified(&json!("<command-name>/clear</command-name>")), UserRecord::Other);
        assert_eq!(classified(&json!("[Request interrupted by user]")), UserRecord::Interrupt);
        assert_eq!(classified(&json!([{"type": "tool_result", "content": "ok"}])), UserRecord::ToolResults);
        assert_eq!(classified(&json!("<task-notification>done</task-notification>")), UserRecord::Other);
    }

    #[test]
    fn a_line_may_hold_several_records_and_a_torn_one() {
        assert_eq!(parse("{\"a\":1}{\"a\":2}\n{\"a\":3}{\"a\"").len(), 3);
    }
}
