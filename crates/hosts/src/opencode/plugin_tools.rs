//! OpenCode's tools: what a use of each means here.

use crate::commands;
use crate::dialect::{hash_words, is_our_answer};
use crate::lenient::LenientJson;
use crate::parsed_event::{OUR_TOOL, one_line};
use crate::user_decisions::{answered, refusal_in, refused};
use backstory_memory::{Activity, ExitStatus, Hunk, PlanStep, Provenance};

/// One use of a tool, as the plugin reports it.
pub(super) struct PluginToolUse<'a, 'b> {
    pub(super) name: &'a str,
    /// The host's number for it.
    pub(super) call: &'a str,
    pub(super) input: &'a LenientJson<'b>,
    pub(super) output: &'a LenientJson<'b>,
    /// What it said when it failed.
    pub(super) error: Option<&'a str>,
    /// Whether the user stopped it.
    pub(super) is_interrupted: bool,
}

/// What the host says of a tool that a rule of the user forbids.
const FORBIDDEN: &str = "specified a rule";

impl PluginToolUse<'_, '_> {
    /// Returns what happened and who its content comes from, or why it is ignored.
    pub(super) fn activity(&self) -> Result<(Activity, Provenance), &'static str> {
        // What we injected is never captured back (law 5).
        if self.name.starts_with("backstory_") && is_our_answer(&self.answer(), self.error) {
            return Err(OUR_TOOL);
        }
        if self.error.is_some_and(|error| error.contains(FORBIDDEN)) {
            return Err("not done");
        }
        if let Some(feedback) = self.error.and_then(refusal_in) {
            return Ok((refused(None, &self.refused_at(), feedback), Provenance::User));
        }
        if let Some(answer) = self.answered().into_iter().next() {
            return Ok((answer, Provenance::User));
        }
        Ok(match self.name {
            "bash" => self.ran(),
            "edit" | "multiedit" | "write" | "patch" | "apply_patch" => self.local(self.edited()),
            "read" | "grep" | "glob" | "list" | "lsp" | "skill" | "todoread" => {
                self.local(Activity::Looked {
                    at: self.at(),
                    words: hash_words(&self.output.get("output").words()),
                })
            }
            "todowrite" => self.local(self.planned()),
            "task" | "question" | "batch" | "plan_enter" | "plan_exit" => self.local(Activity::UsedTool {
                request: self.at(),
                words: hash_words(&self.output.get("output").words()),
            }),
            "webfetch" | "websearch" | "codesearch" => self.fetched(),
            // What another program offers, by MCP or as a plugin, may come from anywhere.
            _ => self.fetched(),
        })
    }

    /// Returns what else happened with it: a patch may change many files, and a dialog ask several questions.
    pub(super) fn also(&self) -> Vec<Activity> {
        let answers = self.answered().into_iter().skip(1);
        self.patched().iter().skip(1).map(edited_by_patch).chain(answers).collect()
    }

    fn answered(&self) -> Vec<Activity> {
        let is_answered = self.name == "question" && self.error.is_none();
        if is_answered { answered(self.input, self.output) } else { Vec::new() }
    }

    /// Returns what a refused tool was to do.
    fn refused_at(&self) -> String {
        self.input.said("command").map_or_else(|| self.at(), str::to_owned)
    }

    fn local(&self, activity: Activity) -> (Activity, Provenance) {
        (self.unless_failed(activity), Provenance::Tool)
    }

    fn unless_failed(&self, activity: Activity) -> Activity {
        match self.error {
            Some(error) => Activity::ToolFailed { at: self.at(), error: error.to_owned() },
            None => activity,
        }
    }

    fn ran(&self) -> (Activity, Provenance) {
        let command = self.input.str("command").to_owned();
        if commands::only_runs_backstory(&command) {
            return (Activity::Looked { at: one_line(&command), words: None }, Provenance::Tool);
        }
        let provenance = if commands::fetches(&command) { Provenance::Web } else { Provenance::Tool };
        let output = self.output.str("output");
        let output = self.error.unwrap_or(if output == NO_OUTPUT { "" } else { output }).to_owned();
        (Activity::Ran { command, output, status: self.status() }, provenance)
    }

    fn status(&self) -> ExitStatus {
        let is_aborted = self.is_interrupted || self.output.str("output").contains(ABORTED);
        match (self.error, self.output.get("metadata").get("exit")) {
            _ if is_aborted => ExitStatus::Interrupted,
            (Some(_), _) => ExitStatus::Failure,
            (None, LenientJson::Number("0")) => ExitStatus::Success,
            (None, LenientJson::Number(_)) => ExitStatus::Failure,
            (None, _) => ExitStatus::Unknown,
        }
    }

    fn edited(&self) -> Activity {
        if let Some(file) = self.patched().first() {
            return edited_by_patch(file);
        }
        let hunk = |edit: &LenientJson<'_>| Hunk {
            before: edit.str("oldString").to_owned(),
            after: edit.str("newString").to_owned(),
        };
        let (input, metadata) = (self.input, self.output.get("metadata"));
        let (is_new, hunks) = match self.name {
            "write" => {
                let written = Hunk { before: String::new(), after: input.str("content").to_owned() };
                (*metadata.get("exists") == LenientJson::Bool(false), vec![written])
            }
            "multiedit" => (false, input.get("edits").items().iter().map(hunk).collect()),
            _ => (input.str("oldString").is_empty() && input.said("newString").is_some(), vec![hunk(input)]),
        };
        Activity::Edited { file: input.str("filePath").to_owned(), is_new, hunks }
    }

    /// Returns the files of a patch.
    fn patched(&self) -> &[LenientJson<'_>] {
        match self.name {
            "patch" | "apply_patch" => self.output.get("metadata").get("files").items(),
            _ => &[],
        }
    }

    fn planned(&self) -> Activity {
        let steps: Vec<PlanStep> = self
            .input
            .get("todos")
            .items()
            .iter()
            .map(|todo| PlanStep {
                text: todo.str("content").to_owned(),
                is_done: todo.str("status") == "completed",
            })
            .filter(|step| !step.text.is_empty())
            .collect();
        if steps.is_empty() {
            return Activity::UsedTool { request: self.at(), words: None };
        }
        Activity::Planned { steps }
    }

    /// Returns what strangers answered. An MCP server's answer comes as blocks, and says itself whether it is an error.
    fn fetched(&self) -> (Activity, Provenance) {
        let answer = self.answer();
        let activity = if self.output.get("isError").is_true() {
            Activity::ToolFailed { at: self.at(), error: answer }
        } else {
            self.unless_failed(Activity::Fetched { request: self.at(), answer })
        };
        (activity, Provenance::Web)
    }

    fn answer(&self) -> String {
        let content = self.output.get("content");
        if content.is_nothing() { self.output.get("output").words() } else { content.words() }
    }

    /// Returns what the tool was to do, on one line.
    fn at(&self) -> String {
        let input = self.input;
        let said = |name| input.said(name);
        match self.name {
            "task" => one_line(&format!("{}: {}", input.str("description"), input.str("prompt"))),
            "webfetch" => one_line(input.str("url")),
            "skill" => one_line(input.str("name")),
            _ => match (said("pattern"), said("path"), said("filePath")) {
                (Some(pattern), Some(path), _) => one_line(&format!("{pattern} in {path}")),
                (Some(text), None, _) | (None, Some(text), None) | (None, _, Some(text)) => one_line(text),
                (None, None, None) => one_line(&input.words()),
            },
        }
    }
}

fn edited_by_patch(file: &LenientJson<'_>) -> Activity {
    let is_new = file.str("type") == "add";
    Activity::Edited { file: file.str("filePath").to_owned(), is_new, hunks: hunks_in(file.str("patch")) }
}

/// What the host prints for a command that printed nothing.
const NO_OUTPUT: &str = "(no output)";

/// What the host adds to the output of a command that the user stopped.
const ABORTED: &str = "User aborted the command";

/// Returns what a unified diff replaces by what, without the lines around it.
fn hunks_in(patch: &str) -> Vec<Hunk> {
    let mut hunks: Vec<Hunk> = Vec::new();
    for line in patch.lines() {
        if line.starts_with("@@") {
            hunks.push(Hunk::default());
            continue;
        }
        // What stands before the first place names the file.
        let Some(hunk) = hunks.last_mut() else { continue };
        let (side, text) = match (line.strip_prefix('-'), line.strip_prefix('+')) {
            (Some(text), _) => (&mut hunk.before, text),
            (_, Some(text)) => (&mut hunk.after, text),
            _ => continue,
        };
        side.push_str(text);
        side.push('\n');
    }
    hunks.retain(|hunk| *hunk != Hunk::default());
    hunks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_hunk_of_a_diff_is_read() {
        let patch = "Index: a\n===\n--- a\n+++ a\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n@@ -9 +9,2 @@\n+--- x\n nine\n";
        let hunk = |before: &str, after: &str| Hunk { before: before.into(), after: after.into() };
        assert_eq!(hunks_in(patch), [hunk("two\n", "2\n"), hunk("", "--- x\n")]);
        assert_eq!(hunks_in("nothing of the sort"), []);
    }
}
