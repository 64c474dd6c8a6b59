//! The model's tool calls, put as Codex's hooks get them: every kind of shell is `Bash` there.

use crate::lenient::LenientJson;
use crate::transcripts::event_fields::field;

/// Returns the tool of a call and its input; `None` for a call whose work is reported by other rows.
pub(super) fn tool_call(call: &mut LenientJson<'_>) -> Option<(String, LenientJson<'static>)> {
    if call.str("type") == "local_shell_call" {
        return command(call.get("action").get("command"));
    }
    let input = call.take("input");
    let input = match call.get("arguments").text() {
        Some(arguments) => LenientJson::read(arguments).into_owned(),
        None if input.text().is_some() => LenientJson::Fields(vec![("input".into(), input.into_owned())]),
        None => input.into_owned(),
    };
    let (name, space) = (call.str("name"), call.str("namespace"));
    match name {
        // A script of the model, or a poll of a running command.
        "exec" if call.str("type") == "custom_tool_call" => None,
        "write_stdin" => None,
        "shell" | "shell_command" | "container.exec" | "exec_command" | "local_shell" => {
            command(input.get("command")).or_else(|| command(input.get("cmd")))
        }
        _ if space.starts_with("mcp__") => Some((format!("{space}__{name}"), input)),
        _ if name.contains("__") && !name.starts_with("mcp__") => Some((format!("mcp__{name}"), input)),
        _ => Some((name.to_owned(), input)),
    }
}

/// Parses a command, which may be a text or a list of words. Some versions apply patches by a command.
pub(super) fn command(command: &LenientJson<'_>) -> Option<(String, LenientJson<'static>)> {
    let words: Vec<&str> = command.items().iter().filter_map(LenientJson::text).collect();
    let text = match (command.text(), words.as_slice()) {
        (Some(text), _) => text.to_owned(),
        (None, []) => return None,
        (None, [_, "-lc" | "-c", script]) => (*script).to_owned(),
        (None, words) => words.join(" "),
    };
    Some(match patch_in(&text) {
        Some(patch) => {
            ("apply_patch".to_owned(), LenientJson::Fields(vec![field("input", patch.to_owned())]))
        }
        None => ("Bash".to_owned(), LenientJson::Fields(vec![field("command", text)])),
    })
}

fn patch_in(command: &str) -> Option<&str> {
    let end = "*** End Patch";
    let at = command.find("*** Begin Patch").filter(|_| command.trim_start().starts_with("apply_patch"))?;
    let patch = command.get(at..)?;
    patch.get(..patch.find(end)? + end.len())
}

/// Whether a patch was applied, judged by its result.
pub(super) fn is_applied(answer: &str) -> bool {
    answer.contains("Success. Updated the following files")
}

/// Whether a script of the model made a tool call: it has no call row of its own.
pub(super) fn is_of_script(id: &str) -> bool {
    id.starts_with("exec-")
}

/// Returns a call that a script of the model made: the tool, its input and its result.
pub(super) fn of_script(
    item: &LenientJson<'_>,
) -> Option<(String, LenientJson<'static>, LenientJson<'static>)> {
    if item.str("status") != "completed" {
        return None;
    }
    match item.str("type") {
        "FileChange" => {
            let input = LenientJson::Fields(vec![field("input", patch_of(item.get("changes")))]);
            Some(("apply_patch".to_owned(), input, LenientJson::Nothing))
        }
        _ => {
            let tool = format!("mcp__{}__{}", item.str("server"), item.str("tool"));
            let response = item.get("result").clone().into_owned();
            Some((tool, item.get("arguments").clone().into_owned(), response))
        }
    }
}

/// Writes changes of files as a patch.
fn patch_of(changes: &LenientJson<'_>) -> String {
    let LenientJson::Fields(files) = changes else { return String::new() };
    let mut patch = String::new();
    for (file, change) in files {
        match change.str("type") {
            "add" => {
                patch += &format!("*** Add File: {file}\n");
                change.str("content").lines().for_each(|line| patch += &format!("+{line}\n"));
            }
            "delete" => patch += &format!("*** Delete File: {file}\n"),
            _ => {
                patch += &format!("*** Update File: {file}\n");
                if let Some(moved) = change.said("move_path") {
                    patch += &format!("*** Move to: {moved}\n");
                }
                patch += change.str("unified_diff");
                patch += "\n";
            }
        }
    }
    patch
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shell_tool_is_a_command() {
        let tool_call =
            |call: &str| tool_call(&mut LenientJson::read(call)).map(|(tool, input)| (tool, input.words()));
        let ran = |command: &str| Some(("Bash".to_owned(), format!("command {command}")));
        for (call, expected) in [
            (r#"{"name":"exec_command","arguments":"{\"cmd\":\"ls\"}"}"#, ran("ls")),
            (r#"{"name":"shell","arguments":"{\"command\":[\"bash\",\"-lc\",\"ls -l\"]}"}"#, ran("ls -l")),
            (r#"{"name":"shell","arguments":"{\"command\":[\"git\",\"status\"]}"}"#, ran("git status")),
            (r#"{"name":"shell_command","arguments":"{\"command\":\"ls\"}"}"#, ran("ls")),
            (r#"{"type":"local_shell_call","action":{"command":["ls"]}}"#, ran("ls")),
            (r#"{"type":"custom_tool_call","name":"exec","input":"x"}"#, None),
            (r#"{"name":"shell","arguments":"{\"command\":[]}"}"#, None),
        ] {
            assert_eq!(tool_call(call), expected, "{call}");
        }
    }

    #[test]
    fn a_patch_applied_by_a_shell_is_an_edit() {
        let script = "apply_patch <<'EOF'\n*** Begin Patch\n*** Delete File: a\n*** End Patch\nEOF";
        let (tool, input) = command(&LenientJson::Text(script.into())).unwrap();
        assert_eq!(
            (tool.as_str(), input.str("input")),
            ("apply_patch", "*** Begin Patch\n*** Delete File: a\n*** End Patch")
        );
        assert_eq!(command(&LenientJson::Text("grep '*** Begin Patch' x".into())).unwrap().0, "Bash");
    }
}
