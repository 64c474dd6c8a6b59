//! Results of tools: each version writes exit code and output of a command in its own way.

use crate::lenient::LenientJson;
use backstory_memory::ExitStatus;

/// What a command printed, and how it ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CommandOutput {
    pub(super) text: String,
    /// `None` while the command still runs.
    pub(super) status: Option<ExitStatus>,
}

/// Parses the result of a command.
pub(super) fn output_of(answer: &str) -> CommandOutput {
    if answer.starts_with('{') {
        let inner = LenientJson::read(answer);
        if let Some(text) = inner.get("output").text() {
            let status = status(inner.get("metadata").get("exit_code"));
            return CommandOutput { text: text.to_owned(), status: Some(status) };
        }
    }
    if answer.starts_with("aborted by user") {
        return CommandOutput { text: answer.to_owned(), status: Some(ExitStatus::Interrupted) };
    }
    let Some((header, text)) = split_header(answer) else {
        return CommandOutput { text: answer.to_owned(), status: Some(ExitStatus::Unknown) };
    };
    let code = |begins: &str| header.lines().find_map(|line| line.strip_prefix(begins)).map(str::trim);
    let is_running = code("Process running with session ID").is_some();
    let code = code("Process exited with code ").or_else(|| code("Exit code: "));
    let status = code.map_or(ExitStatus::Unknown, |code| status(&LenientJson::Number(code)));
    CommandOutput { text: text.to_owned(), status: (!is_running).then_some(status) }
}

/// Returns how a command ended, by its exit code.
pub(super) fn status(code: &LenientJson<'_>) -> ExitStatus {
    match code {
        LenientJson::Number("0") => ExitStatus::Success,
        // It was killed from outside.
        LenientJson::Number("-1") => ExitStatus::Interrupted,
        LenientJson::Number(_) => ExitStatus::Failure,
        _ => ExitStatus::Unknown,
    }
}

/// Splits the host's own lines from the output of the command.
fn split_header(answer: &str) -> Option<(&str, &str)> {
    let is_header = ["Chunk ID: ", "Exit code: ", "Wall time: ", "Process exited with code "]
        .iter()
        .any(|begins| answer.starts_with(begins));
    let (header, text) = answer.split_once("\nOutput:").filter(|_| is_header)?;
    Some((header, text.strip_prefix('\n').unwrap_or(text)))
}

/// Returns the answer of an MCP server, without the host's own lines.
pub(super) fn served<'a>(answer: LenientJson<'a>) -> LenientJson<'a> {
    match answer {
        LenientJson::List(mut blocks) => {
            let is_header = |block: &LenientJson<'_>| block.str("text").starts_with("Wall time: ");
            if blocks.first().is_some_and(is_header) {
                blocks.remove(0);
            }
            LenientJson::List(blocks)
        }
        other => {
            let inner = other
                .text()
                .filter(|text| text.starts_with(['{', '[']))
                .map(|text| LenientJson::read(text).into_owned());
            inner.unwrap_or(other)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exit_line_is_split_from_the_output() {
        let output = |answer| {
            let output = output_of(answer);
            (output.text, output.status)
        };
        for (answer, text, status) in [
            (
                "Chunk ID: a\nWall time: 0.1 seconds\nProcess exited with code 0\nOriginal token count: 1\nOutput:\nhi\n",
                "hi\n",
                Some(ExitStatus::Success),
            ),
            (
                "Exit code: 3\nWall time: 0.1 seconds\nTotal output lines: 1\nOutput:\nno\n",
                "no\n",
                Some(ExitStatus::Failure),
            ),
            ("Chunk ID: a\nWall time: 1 seconds\nProcess running with session ID 7\nOutput:\n", "", None),
            (
                r#"{"output":"hi","metadata":{"exit_code":1,"duration_seconds":0.1}}"#,
                "hi",
                Some(ExitStatus::Failure),
            ),
            ("aborted by user after 2.1s", "aborted by user after 2.1s", Some(ExitStatus::Interrupted)),
            ("plain\nOutput:\nno header", "plain\nOutput:\nno header", Some(ExitStatus::Unknown)),
            ("{not JSON", "{not JSON", Some(ExitStatus::Unknown)),
        ] {
            assert_eq!(output(answer), (text.to_owned(), status), "{answer}");
        }
    }
}
