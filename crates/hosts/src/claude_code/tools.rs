//! Claude Code's tools: what a use of each means here.
//!
//! Names and fields are those of 2.1.325, and of older ones where tools have been renamed since.

use crate::commands;
use crate::lenient::Json;
use backstory_memory::{Ended, Happening, Hunk, PlanStep, Trust};

/// One use of a tool, as the host tells it.
pub(super) struct ToolUse<'a, 'b> {
    pub(super) name: &'a str,
    pub(super) input: &'a Json<'b>,
    pub(super) response: &'a Json<'b>,
    /// What it said when it failed.
    pub(super) error: Option<&'a str>,
    /// Whether the user stopped it.
    pub(super) is_interrupted: bool,
    /// The MCP server it belongs to.
    pub(super) server: &'a str,
}

impl ToolUse<'_, '_> {
    /// Returns whether the tool is one of ours: what we say is not heard again (law 5).
    pub(super) fn is_ours(&self) -> bool {
        let of_ours = ["mcp__backstory__", "mcp__plugin_backstory_"];
        of_ours.iter().any(|prefix| self.name.starts_with(prefix))
            || self.server == "backstory"
            || self.server.starts_with("plugin:backstory:")
    }

    /// Returns what happened, and who its content comes from.
    pub(super) fn meaning(&self) -> (Happening, Trust) {
        match self.name {
            "Bash" | "PowerShell" | "BashOutput" => self.ran(),
            "Write" | "Edit" | "MultiEdit" | "NotebookEdit" => self.local(self.edited()),
            "Read" | "NotebookRead" | "Glob" | "Grep" | "LS" | "ToolSearch" => {
                self.local(Happening::Looked { at: self.at() })
            }
            "TodoWrite" | "TaskCreate" | "TaskUpdate" | "TaskList" | "ExitPlanMode" => {
                self.local(self.planned())
            }
            "WebFetch" | "WebSearch" => self.fetched(),
            name if name.starts_with("mcp__") => self.fetched(),
            _ => self.local(Happening::UsedTool { asked: self.at() }),
        }
    }

    fn local(&self, happening: Happening) -> (Happening, Trust) {
        (self.unless_failed(happening), Trust::Tool)
    }

    fn unless_failed(&self, happening: Happening) -> Happening {
        match self.error {
            Some(error) => Happening::ToolFailed { at: self.at(), error: error.to_owned() },
            None => happening,
        }
    }

    fn ran(&self) -> (Happening, Trust) {
        let command = match (self.input.said("command"), self.response.said("command")) {
            (Some(command), _) | (None, Some(command)) => command.to_owned(),
            // A later look at what runs in the background, which need not say what that is.
            (None, None) if self.name == "BashOutput" => {
                return self.local(Happening::UsedTool { asked: self.at() });
            }
            (None, None) => self.input.words(),
        };
        if commands::runs_ourselves(&command) {
            return (Happening::Looked { at: one_line(&command) }, Trust::Tool);
        }
        let trust = if commands::fetches(&command) { Trust::External } else { Trust::Tool };
        (Happening::Ran { command, output: self.output(), ended: self.ended() }, trust)
    }

    /// Returns what a command printed. Of one that failed it stands in the error, behind a line with its exit code.
    fn output(&self) -> String {
        if let Some(error) = self.error {
            let (first, rest) = error.split_once('\n').unwrap_or((error, ""));
            return if first.starts_with("Exit code ") { rest } else { error }.to_owned();
        }
        let streams = [self.response.str("stdout"), self.response.str("stderr")];
        match (streams, self.response) {
            (_, Json::Text(text)) => text.clone().into_owned(),
            ([out, ""], _) => out.to_owned(),
            (["", err], _) => err.to_owned(),
            ([out, err], _) => format!("{out}\n{err}"),
        }
    }

    fn ended(&self) -> Ended {
        let response = self.response;
        let runs_on = !response.get("backgroundTaskId").is_nothing() || response.str("status") == "running";
        let exit_code = response.get("exitCode");
        if self.is_interrupted || response.get("interrupted").is_true() {
            Ended::Interrupted
        } else if self.error.is_some() || !matches!(exit_code, Json::Nothing | Json::Number("0")) {
            Ended::Badly
        } else if runs_on || response.is_nothing() {
            Ended::Unknown
        } else {
            Ended::Well
        }
    }

    fn edited(&self) -> Happening {
        let (input, response) = (self.input, self.response);
        let hunk =
            |before: &str, after: &str| vec![Hunk { before: before.to_owned(), after: after.to_owned() }];
        let hunks = match self.name {
            "Write" => hunk(response.str("originalFile"), input.str("content")),
            "NotebookEdit" if input.str("edit_mode") == "delete" => hunk(response.str("old_source"), ""),
            "NotebookEdit" => hunk(response.str("old_source"), input.str("new_source")),
            "MultiEdit" => {
                let edits = input.get("edits").items().iter().filter(|edit| matches!(edit, Json::Fields(_)));
                edits.flat_map(|edit| hunk(edit.str("old_string"), edit.str("new_string"))).collect()
            }
            _ => hunk(input.str("old_string"), input.str("new_string")),
        };
        let has_response = matches!(response, Json::Fields(_));
        let had_no_file = has_response && response.get("originalFile").is_nothing();
        let is_new = match self.name {
            "Write" => response.str("type") == "create" || had_no_file && response.str("type").is_empty(),
            "NotebookEdit" => false,
            _ => had_no_file && input.str("old_string").is_empty() && input.get("edits").items().is_empty(),
        };
        Happening::Edited { file: self.file().unwrap_or_default().to_owned(), is_new, hunks }
    }

    fn planned(&self) -> Happening {
        let (input, response) = (self.input, self.response);
        let step =
            |text: &str, status: &str| PlanStep { text: text.to_owned(), is_done: status == "completed" };
        let listed = |list: &Json<'_>, text: &str| -> Vec<PlanStep> {
            list.items().iter().map(|item| step(item.str(text), item.str("status"))).collect()
        };
        let steps = match self.name {
            "TodoWrite" => listed(input.get("todos"), "content"),
            "TaskList" => listed(response.get("tasks"), "subject"),
            "ExitPlanMode" => steps_in(input.said("plan").unwrap_or(response.str("plan"))),
            _ => vec![step(input.str("subject"), input.str("status"))],
        };
        let steps: Vec<PlanStep> = steps.into_iter().filter(|step| !step.text.is_empty()).collect();
        if steps.is_empty() {
            return Happening::UsedTool { asked: self.at() };
        }
        Happening::Planned { steps }
    }

    fn fetched(&self) -> (Happening, Trust) {
        let answer = match self.name {
            "WebFetch" => self.response.said("result").map(str::to_owned),
            "WebSearch" => Some(self.response.get("results").words()).filter(|words| !words.is_empty()),
            _ => None,
        };
        let answer = answer.unwrap_or_else(|| self.response.words());
        (self.unless_failed(Happening::Fetched { asked: self.at(), answer }), Trust::External)
    }

    fn file(&self) -> Option<&str> {
        ["file_path", "notebook_path"].into_iter().find_map(|name| self.input.said(name))
    }

    /// Returns what the tool was to do, on one line.
    fn at(&self) -> String {
        let input = self.input;
        if let Some(file) = self.file() {
            return one_line(file);
        }
        match (self.name, input.said("pattern"), input.said("path").or(input.said("glob"))) {
            (_, Some(pattern), Some(path)) => return one_line(&format!("{pattern} in {path}")),
            (_, Some(text), None) | ("LS", None, Some(text)) => return one_line(text),
            _ => {}
        }
        match self.name {
            "ToolSearch" | "WebSearch" => one_line(input.str("query")),
            "WebFetch" => one_line(&format!("{} {}", input.str("url"), input.str("prompt"))),
            "Agent" | "Task" => one_line(&format!("{}: {}", input.str("description"), input.str("prompt"))),
            _ => one_line(&input.words()),
        }
    }
}

/// Returns the items of a plan's lists; a plan without any is one step.
fn steps_in(plan: &str) -> Vec<PlanStep> {
    let item = |line: &str| {
        let line = line.trim_start();
        let bulleted = ["- ", "* ", "+ "].iter().find_map(|bullet| line.strip_prefix(bullet));
        let numbered = || {
            let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
            rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") ")).filter(|_| rest.len() < line.len())
        };
        let text = bulleted.or_else(numbered)?.trim();
        let is_done = text.starts_with("[x]") || text.starts_with("[X]");
        let text = text.strip_prefix("[ ]").or_else(|| text.get(3..).filter(|_| is_done)).unwrap_or(text);
        Some(PlanStep { text: text.trim().to_owned(), is_done })
    };
    let steps: Vec<PlanStep> = plan.lines().filter_map(item).collect();
    if steps.is_empty() { vec![PlanStep { text: plan.trim().to_owned(), is_done: false }] } else { steps }
}

fn one_line(text: &str) -> String {
    let beginning = text.get(..text.floor_char_boundary(LONGEST_LINE)).unwrap_or_default();
    beginning.split_whitespace().collect::<Vec<&str>>().join(" ")
}

/// A longer line is nobody's line: its beginning says what it was about.
const LONGEST_LINE: usize = 1000;
