//! Tools of hosts: what a use of each means here.
//!
//! A tool is known by its name, and no name means two things with two hosts: one table serves all, also hosts and versions nobody
//! has looked at yet. Not here: how a host reports the end of a command (its own file).

use super::{Dialect, patches};
use crate::commands;
use crate::lenient::LenientJson;
use crate::parsed_event::{OUR_TOOL, one_line};
use crate::user_decisions::{answered, feedback_in, plan_decided, plan_in, refusal_in, refused};
use backstory_memory::{Activity, Hunk, PlanStep, Provenance, TaskState, hash_sample, strip_fences};

/// What a tool does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ToolKind {
    Command,
    /// Writes a whole file.
    Write,
    /// Changes places of a file.
    Edit,
    Patch,
    Look,
    /// Writes down the whole list of what is to be done.
    TaskList,
    /// Makes one task, or changes its state.
    Task,
    /// Shows the user a plan to approve.
    Plan,
    /// Asks the user.
    Question,
    Fetch,
}

/// Returns what a tool does, where that has a meaning here.
pub(super) fn tool_kind(name: &str) -> Option<ToolKind> {
    Some(match name {
        "Bash" | "PowerShell" | "BashOutput" | "bash" | "powershell" | "run_shell_command" | "Shell" => {
            ToolKind::Command
        }
        "Write" | "write_file" | "create" => ToolKind::Write,
        "Edit" | "MultiEdit" | "NotebookEdit" | "edit" | "replace" | "str_replace" => ToolKind::Edit,
        "apply_patch" => ToolKind::Patch,
        "Read"
        | "NotebookRead"
        | "Glob"
        | "Grep"
        | "LS"
        | "ToolSearch"
        | "read_file"
        | "read_many_files"
        | "list_directory"
        | "glob"
        | "grep_search"
        | "search_file_content"
        | "view"
        | "grep"
        | "rg"
        | "view_image"
        | "tool_search" => ToolKind::Look,
        "TodoWrite" | "TaskList" | "write_todos" | "update_plan" => ToolKind::TaskList,
        "TaskCreate" | "TaskUpdate" => ToolKind::Task,
        "ExitPlanMode" | "exit_plan_mode" => ToolKind::Plan,
        "AskUserQuestion" | "request_user_input" | "ask_user" => ToolKind::Question,
        "WebFetch" | "WebSearch" | "web_fetch" | "google_web_search" | "web_search" => ToolKind::Fetch,
        _ => return None,
    })
}

/// One use of a tool, as a host reports it.
pub(crate) struct HookToolUse<'a, 'b> {
    pub(super) dialect: &'a Dialect,
    pub(crate) name: &'a str,
    pub(crate) input: &'a LenientJson<'b>,
    pub(crate) response: &'a LenientJson<'b>,
    /// What it said when it failed.
    pub(crate) error: Option<String>,
    /// Whether the user stopped it.
    pub(crate) is_interrupted: bool,
    /// The MCP server it belongs to.
    pub(super) server: &'a str,
    pub(super) cwd: Option<String>,
}

impl HookToolUse<'_, '_> {
    /// Returns what happened, mostly one thing, and who its content comes from; or why it is ignored.
    pub(super) fn activities(&self) -> Result<(Vec<Activity>, Provenance), &'static str> {
        if self.is_ours() {
            return Err(OUR_TOOL);
        }
        if self.dialect.reported_elsewhere.contains(&self.name) {
            return Err("it is reported separately");
        }
        let kind = tool_kind(self.name);
        if let Some(refused) = self.refused(kind) {
            return Ok((vec![refused], Provenance::User));
        }
        let (activity, provenance) = match kind {
            Some(ToolKind::Command) => self.ran(),
            Some(ToolKind::Write) => self.local(self.written()),
            Some(ToolKind::Edit) => self.local(self.edited()),
            Some(ToolKind::Patch) => return Ok((self.patched(), Provenance::Tool)),
            Some(ToolKind::Look) => self.local(Activity::Looked { at: self.at(), words: self.words_read() }),
            Some(ToolKind::TaskList) => self.local(self.planned()),
            Some(ToolKind::Task) => self.local(self.task_changed()),
            Some(ToolKind::Plan) => self.plan_decided(),
            Some(ToolKind::Question) => return Ok(self.answered()),
            Some(ToolKind::Fetch) => self.fetched(),
            None if (self.dialect.is_mcp)(self.name) || !self.server.is_empty() => self.fetched(),
            None => self.used(),
        };
        Ok((vec![activity], provenance))
    }

    /// Whether it is one of our tools, and answered as we do: what we injected is never captured back (law 5). A server that only calls
    /// itself ours is a stranger.
    fn is_ours(&self) -> bool {
        let tool = self.name.rsplit(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
        let is_named_so = self.dialect.our_tools.iter().any(|prefix| self.name.starts_with(prefix))
            || self.server == "backstory"
            || self.server.starts_with("plugin:backstory:");
        // Not every host says whose tool it is.
        let may_be_ours =
            is_named_so || self.server.is_empty() && self.name.trim_start_matches("MCP:") == tool;
        may_be_ours && OUR_TOOLS.contains(&tool) && is_our_answer(&self.answer(), self.error.as_deref())
    }

    /// Returns hashes of what was read: a file's words are a repository's, whoever repeats them. A list of names is nobody's words.
    fn words_read(&self) -> Option<String> {
        if LISTING.contains(&self.name) {
            return None;
        }
        let file = self.response.get("file").said("content");
        file.map_or_else(|| hash_words(&self.response.words()), hash_words)
    }

    /// A tool nobody knows here: what it answers may come from anywhere.
    fn used(&self) -> (Activity, Provenance) {
        let is_local = matches!(self.name, "Task" | "Agent" | "task" | "BashOutput");
        let activity = Activity::UsedTool { request: self.at(), words: hash_words(&self.response.words()) };
        (self.unless_failed(activity), if is_local { Provenance::Tool } else { Provenance::Web })
    }

    /// Returns what the user refused. A command they stopped had begun: it ran.
    fn refused(&self, kind: Option<ToolKind>) -> Option<Activity> {
        if self.is_interrupted && kind == Some(ToolKind::Command) {
            return None;
        }
        let error = self.error.as_deref()?;
        // Copilot CLI says so beside its words.
        let is_refused = self.response.str("resultType") == "rejected";
        let feedback = refusal_in(error).or_else(|| is_refused.then(|| feedback_in(error)))?;
        let plan = (kind == Some(ToolKind::Plan)).then(|| plan_in(self.input));
        let at = match kind {
            Some(ToolKind::Command) => self.input.said("command").map_or_else(|| self.at(), str::to_owned),
            Some(ToolKind::Question) => questions_in(self.input),
            _ => self.at(),
        };
        Some(refused(plan, &at, feedback))
    }

    /// The plan is the agent's text. Only what the user said to it is theirs.
    fn plan_decided(&self) -> (Activity, Provenance) {
        let decided = plan_decided(self.input, self.response).filter(|_| self.error.is_none());
        match decided {
            Some(activity) => {
                let is_said =
                    matches!(&activity, Activity::PlanDecided { feedback, .. } if !feedback.is_empty());
                (activity, if is_said { Provenance::User } else { Provenance::Assistant })
            }
            None => self.local(Activity::UsedTool { request: self.at(), words: None }),
        }
    }

    fn answered(&self) -> (Vec<Activity>, Provenance) {
        let answers = if self.error.is_none() { answered(self.input, self.response) } else { Vec::new() };
        if answers.is_empty() {
            let (activity, provenance) =
                self.local(Activity::UsedTool { request: questions_in(self.input), words: None });
            return (vec![activity], provenance);
        }
        (answers, Provenance::User)
    }

    /// Returns the new state of a task. Only a new one says what it is about.
    fn task_changed(&self) -> Activity {
        let (input, response) = (self.input, self.response);
        let status = input.said("status").or(response.get("statusChange").said("to"));
        let state = match (self.name, status) {
            ("TaskCreate", _) => Some(TaskState::Open),
            (_, Some(status)) => task_state(status),
            (_, None) => None,
        };
        let has_failed = *response.get("success") == LenientJson::Bool(false);
        match (state.filter(|_| !has_failed), self.task_id()) {
            (Some(state), Some(id)) => {
                Activity::TaskChanged { id, text: input.str("subject").to_owned(), state }
            }
            _ => Activity::UsedTool { request: self.at(), words: None },
        }
    }

    /// Returns the host's name for a task: a new one gets it in the response.
    fn task_id(&self) -> Option<String> {
        let named =
            [self.input.get("taskId"), self.response.get("task").get("id"), self.response.get("taskId")];
        let named = named.into_iter().map(LenientJson::words).find(|id| !id.is_empty());
        let created = || {
            let text = self.response.words();
            let (id, _) = text.split_once("Task #")?.1.split_once(' ')?;
            Some(id.to_owned())
        };
        named.or_else(created).filter(|id| !id.is_empty() && id.len() <= LONGEST_TASK_ID)
    }

    fn local(&self, activity: Activity) -> (Activity, Provenance) {
        (self.unless_failed(activity), Provenance::Tool)
    }

    fn unless_failed(&self, activity: Activity) -> Activity {
        match &self.error {
            Some(error) => Activity::ToolFailed { at: self.at(), error: error.clone() },
            None => activity,
        }
    }

    fn ran(&self) -> (Activity, Provenance) {
        let command = match (self.input.said("command"), self.response.said("command")) {
            (Some(command), _) | (None, Some(command)) => command.to_owned(),
            // A later look at what runs in the background, which need not say what that is.
            (None, None) if self.name == "BashOutput" => {
                return self.used();
            }
            (None, None) => self.input.words(),
        };
        if commands::only_runs_backstory(&command) {
            return (Activity::Looked { at: one_line(&command), words: None }, Provenance::Tool);
        }
        let provenance = if commands::fetches(&command) { Provenance::Web } else { Provenance::Tool };
        let (output, status) = (self.dialect.ran)(self);
        (Activity::Ran { command, output, status }, provenance)
    }

    fn written(&self) -> Activity {
        let (input, response, shown) = (self.input, self.response, self.response.get("returnDisplay"));
        let before = response.said("originalFile").unwrap_or(shown.str("originalContent"));
        let after = input.said("content").unwrap_or(input.str("file_text"));
        let is_new = match self.name {
            "Write" => {
                let had_no_file =
                    matches!(response, LenientJson::Fields(_)) && response.get("originalFile").is_nothing();
                response.str("type") == "create" || had_no_file && response.str("type").is_empty()
            }
            "create" => true,
            _ => shown.get("isNewFile").is_true(),
        };
        Activity::Edited { file: self.file(), is_new, hunks: vec![hunk(before, after)] }
    }

    fn edited(&self) -> Activity {
        let (input, response) = (self.input, self.response);
        let replaced = |edit: &LenientJson<'_>| {
            let before = edit.said("old_string").unwrap_or(edit.str("old_str"));
            hunk(before, edit.said("new_string").unwrap_or(edit.str("new_str")))
        };
        let edits = input.get("edits").items();
        let hunks = match self.name {
            "NotebookEdit" if input.str("edit_mode") == "delete" => {
                vec![hunk(response.str("old_source"), "")]
            }
            "NotebookEdit" => vec![hunk(response.str("old_source"), input.str("new_source"))],
            "MultiEdit" => {
                edits.iter().filter(|edit| matches!(edit, LenientJson::Fields(_))).map(replaced).collect()
            }
            _ => vec![replaced(input)],
        };
        let had_no_file =
            matches!(response, LenientJson::Fields(_)) && response.get("originalFile").is_nothing();
        let is_new = match self.name {
            "Edit" | "MultiEdit" => had_no_file && input.str("old_string").is_empty() && edits.is_empty(),
            _ => self.response.get("returnDisplay").get("isNewFile").is_true(),
        };
        Activity::Edited { file: self.file(), is_new, hunks }
    }

    fn patched(&self) -> Vec<Activity> {
        let patch = ["command", "input", "patch"].into_iter().find_map(|field| self.input.said(field));
        let patch = patch.or_else(|| self.input.text()).unwrap_or_default();
        if self.error.is_some() {
            let file = patches::first_file(patch, self.cwd.as_deref()).unwrap_or_default();
            let error = self.error.clone().unwrap_or_default();
            return vec![Activity::ToolFailed { at: one_line(&file), error }];
        }
        let edits = patches::edits_in(patch, self.cwd.as_deref());
        if edits.is_empty() {
            vec![Activity::UsedTool { request: one_line(patch), words: None }]
        } else {
            edits
        }
    }

    fn planned(&self) -> Activity {
        let (input, response) = (self.input, self.response);
        let step =
            |text: &str, status: &str| PlanStep { text: text.to_owned(), is_done: status == "completed" };
        let listed = |list: &LenientJson<'_>, text: &str| -> Vec<PlanStep> {
            list.items().iter().map(|item| step(item.str(text), item.str("status"))).collect()
        };
        let steps = match self.name {
            "TodoWrite" => listed(input.get("todos"), "content"),
            "write_todos" => listed(input.get("todos"), "description"),
            "update_plan" => listed(input.get("plan"), "step"),
            _ => listed(response.get("tasks"), "subject"),
        };
        let steps: Vec<PlanStep> = steps.into_iter().filter(|step| !step.text.is_empty()).collect();
        if steps.is_empty() {
            return Activity::UsedTool { request: self.at(), words: None };
        }
        Activity::Planned { steps }
    }

    fn fetched(&self) -> (Activity, Provenance) {
        let activity = Activity::Fetched { request: self.at(), answer: self.answer() };
        (self.unless_failed(activity), Provenance::Web)
    }

    fn answer(&self) -> String {
        let parts = ["result", "results", "content", "llmContent", "textResultForLlm"];
        let mut answers = parts.into_iter().map(|part| self.response.get(part).words());
        let answer = answers.find(|answer| !answer.is_empty()).unwrap_or_else(|| self.response.words());
        without_fence(&answer).to_owned()
    }

    fn file(&self) -> String {
        self.named_file().unwrap_or_default().to_owned()
    }

    fn named_file(&self) -> Option<&str> {
        ["file_path", "notebook_path"]
            .into_iter()
            .find_map(|name| self.input.said(name))
            .or_else(|| self.input.said("path").filter(|_| self.input.said("pattern").is_none()))
    }

    /// Returns what the tool was to do, on one line.
    fn at(&self) -> String {
        let input = self.input;
        if let Some(file) = self.named_file() {
            return one_line(file);
        }
        let place = ["path", "dir_path", "glob"].into_iter().find_map(|name| input.said(name));
        match (input.said("pattern"), place) {
            (Some(pattern), Some(place)) => return one_line(&format!("{pattern} in {place}")),
            (Some(pattern), None) => return one_line(pattern),
            (None, Some(place)) if tool_kind(self.name) == Some(ToolKind::Look) => return one_line(place),
            _ => {}
        }
        match self.name {
            "ToolSearch" | "WebSearch" | "google_web_search" => one_line(input.str("query")),
            "WebFetch" => one_line(&format!("{} {}", input.str("url"), input.str("prompt"))),
            "web_fetch" if input.said("prompt").is_some() => one_line(input.str("prompt")),
            "Agent" | "Task" | "task" => {
                one_line(&format!("{}: {}", input.str("description"), input.str("prompt")))
            }
            _ => one_line(&input.words()),
        }
    }
}

/// Returns what a tool said when it failed, where that stands in its response.
pub(super) fn error_in(response: &LenientJson<'_>) -> Option<String> {
    let error = response.get("error");
    let failed =
        matches!(response.str("resultType"), "failure" | "rejected" | "denied" | "timeout" | "error");
    let words = match error.get("message") {
        LenientJson::Nothing if response.get("isError").is_true() => response.get("content").words(),
        LenientJson::Nothing if failed => response.get("textResultForLlm").words(),
        LenientJson::Nothing => return None,
        message => message.words(),
    };
    Some(words)
}

/// Takes out the tags Gemini CLI puts around what it does not trust.
pub(crate) fn without_fence(text: &str) -> &str {
    let inside = text.strip_prefix("<untrusted_context>\n").unwrap_or(text);
    inside.strip_suffix("\n</untrusted_context>").unwrap_or(inside)
}

fn hunk(before: &str, after: &str) -> Hunk {
    Hunk { before: before.to_owned(), after: after.to_owned() }
}

/// Returns how far a task is, from the host's word for it.
fn task_state(status: &str) -> Option<TaskState> {
    Some(match status {
        "pending" => TaskState::Open,
        "in_progress" => TaskState::Started,
        "completed" => TaskState::Done,
        "deleted" | "cancelled" => TaskState::Dropped,
        _ => return None,
    })
}

/// Returns the questions of a dialog, on one line.
fn questions_in(input: &LenientJson<'_>) -> String {
    let questions = input.get("questions").items().iter().chain([input]).filter_map(|it| it.said("question"));
    one_line(&questions.collect::<Vec<&str>>().join(" "))
}

/// A longer text is no name of a task.
const LONGEST_TASK_ID: usize = 64;

/// Whether a tool answered with a block of ours, or with one of the short sentences we say beside them.
pub(crate) fn is_our_answer(answer: &str, error: Option<&str>) -> bool {
    let answer = answer.trim();
    match error {
        Some(error) => error.len() <= LONGEST_REMARK,
        None => {
            answer.is_empty()
                || answer.starts_with(OUR_FENCE) && strip_fences(answer).trim().is_empty()
                || answer.len() <= LONGEST_REMARK
                    && OUR_ANSWERS.iter().any(|opening| answer.starts_with(opening))
        }
    }
}

/// Hashes what a tool answered and nobody keeps.
pub(crate) fn hash_words(text: &str) -> Option<String> {
    Some(hash_sample(text, MOST_READ_HASHES)).filter(|hashes| !hashes.is_empty())
}

/// Tools that answer with names.
const LISTING: [&str; 7] =
    ["Glob", "LS", "ToolSearch", "glob", "list_directory", "tool_search", "view_image"];

/// So many hashes are kept of a file that was read.
const MOST_READ_HASHES: usize = 500;

/// What blocks of ours begin with.
const OUR_FENCE: &str = "<backstory-";

/// The tools our MCP server offers: what they answer is our own words, and is not captured back (law 5).
pub const OUR_TOOLS: [&str; 8] =
    ["search", "about", "timeline", "get", "remember", "revise", "handoff", "forget"];
/// How our tools begin an answer in plain words.
const OUR_ANSWERS: [&str; 4] = ["remembered as #", "revised #", "handed off as #", "forgot "];

/// An error of ours is not longer.
const LONGEST_REMARK: usize = 300;
