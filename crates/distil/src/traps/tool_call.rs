//! The calls of a session, of commands and of other tools, and the error of each that failed.

use crate::failures::{CommandRun, FailureClass, error_line, is_interrupted};
use crate::transcript::{TranscriptEntry, Turn};
use backstory_memory::{Activity, ExitStatus, first_chars};

/// More of an error is no better to read.
const MOST_LINE_CHARS: usize = 200;
/// A longer message leaves no room for its program in a title.
const LONGEST_MESSAGE: usize = 80;
/// How tools other than commands say that what they were given is not there: a mistake of the moment.
const TARGET_MISSING: [&str; 2] = ["not found in file", "does not exist"];
/// A shorter text stands in too many records.
const LEAST_PART_CHARS: usize = 8;

/// One call of a tool.
pub(super) struct ToolCall<'a> {
    pub(super) turn: usize,
    pub(super) entry: &'a TranscriptEntry,
    /// The command, the file, or what else was asked of the tool.
    pub(super) request: &'a str,
    /// The command that ran, if it was one.
    pub(super) ran: Option<&'a CommandRun<'a>>,
    /// How it failed, if it did.
    pub(super) error: Option<CallError>,
}

/// How a call failed.
pub(super) struct CallError {
    /// What it said, in one line.
    pub(super) line: String,
    /// What it says without the names that the call itself gave.
    pub(super) said: String,
    /// The same for the same trap on another day: who says it, and what.
    pub(super) key: String,
    pub(super) class: FailureClass,
    pub(super) sort: TrapSort,
    is_command: bool,
}

/// What a line of error alone does not tell of a trap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TrapSort {
    /// It is what its line says.
    Said,
    /// A shell refused the whole line, because no file fits a pattern in it.
    UnmatchedPattern,
    /// A test run that ran no test, and ended well.
    NoTests,
    /// A hook of the host refused the call; its program.
    Hook(String),
}

/// How zsh says that no file fits a pattern.
const UNMATCHED: &str = "no matches found:";
/// How test runners say that there was nothing to run.
const NO_TESTS: [&str; 5] =
    ["no tests found", "no tests ran", "no test files found", "no tests to run", "ran 0 tests"];

/// Returns the calls of the recent turns, in order. What the host cancelled beside a call that failed is no call.
pub(super) fn calls<'a>(turns: &'a [Turn<'a>]) -> Vec<ToolCall<'a>> {
    let recent = turns.len().saturating_sub(crate::session_findings::RECENT_TURNS);
    let mut calls = Vec::new();
    for (turn, of) in turns.iter().enumerate().skip(recent) {
        let mut commands = of.commands();
        for entry in of.entries {
            let ran = matches!(entry.activity(), Activity::Ran { .. })
                .then(|| commands.next().map(|(_, ran)| ran))
                .flatten();
            let Some(request) = request(entry) else { continue };
            let error = match ran {
                Some(ran) => command_error(ran),
                None => tool_error(entry),
            };
            let has_ended =
                ran.is_none_or(|ran| matches!(ran.status, ExitStatus::Success | ExitStatus::Failure));
            let is_silent = error.is_none() && ran.is_some_and(CommandRun::failed);
            if has_ended && !is_silent && !is_cancelled(entry) {
                calls.push(ToolCall { turn, entry, request, ran, error });
            }
        }
    }
    calls
}

/// Returns the error of a call on its own.
pub(super) fn error_of(entry: &TranscriptEntry) -> Option<CallError> {
    match entry.activity() {
        Activity::Ran { command, output, status } => {
            command_error(&CommandRun::new(command, output, *status))
        }
        _ => tool_error(entry),
    }
}

fn request(entry: &TranscriptEntry) -> Option<&str> {
    match entry.activity() {
        Activity::Ran { command: text, .. }
        | Activity::Edited { file: text, .. }
        | Activity::Looked { at: text, .. }
        | Activity::Fetched { request: text, .. }
        | Activity::UsedTool { request: text, .. }
        | Activity::ToolFailed { at: text, .. } => Some(text),
        _ => None,
    }
}

fn is_cancelled(entry: &TranscriptEntry) -> bool {
    match entry.activity() {
        Activity::Ran { output: said, .. } | Activity::ToolFailed { error: said, .. } => is_interrupted(said),
        _ => false,
    }
}

fn command_error(ran: &CommandRun<'_>) -> Option<CallError> {
    if let Some(error) = runs_no_tests(ran) {
        return Some(error);
    }
    if let Some(error) = refusal_of_hook(ran.output, "").filter(|_| !ran.succeeded()) {
        return Some(error);
    }
    let is_code = ran.test_run().is_some();
    let error = error_line(ran.output).filter(|error| ran.failed() && !is_code && error.names_error())?;
    let task = ran.line().main().map(|task| task.name.as_str()).unwrap_or_default();
    let program = task.split(' ').next().unwrap_or(task);
    let line = shown(ran.output, &error.line);
    if error.line.contains(UNMATCHED) {
        let (said, key) = ("no matches found".to_owned(), UNMATCHED.to_owned());
        let sort = TrapSort::UnmatchedPattern;
        return Some(CallError { line, said, key, class: FailureClass::Usage, sort, is_command: true });
    }
    // Whoever gives a name gets it back; of a missing program the name is the matter.
    let (who, said) = match error.class {
        FailureClass::MissingCommand => ("", error.line.clone()),
        _ => (program, said_beside(&line, ran.command)?),
    };
    let key = format!("{who}: {said}");
    Some(CallError { key, said, line, class: error.class, sort: TrapSort::Said, is_command: true })
}

/// A test run that ended well, as if its tests had passed, and ran none.
fn runs_no_tests(ran: &CommandRun<'_>) -> Option<CallError> {
    let task = ran.tasks().iter().find(|task| task.runs_tests()).filter(|_| ran.succeeded())?;
    let says = |line: &&str| NO_TESTS.iter().any(|words| line.to_lowercase().contains(words));
    let line = ran.output.lines().map(str::trim).find(says)?;
    let line = first_chars(line, MOST_LINE_CHARS).to_owned();
    let (key, said) = (format!("{}: runs no tests", task.name), line.clone());
    Some(CallError { line, said, key, class: FailureClass::Usage, sort: TrapSort::NoTests, is_command: true })
}

/// `PreToolUse:Write hook error: [python3 guard.py]: Not in this folder`: what a hook refuses it refuses again, whatever it says that day.
fn refusal_of_hook(text: &str, tool: &str) -> Option<CallError> {
    let (command, message) = text.split_once(" hook error: [")?.1.split_once("]: ")?;
    let programs = command.split_whitespace().filter(|word| word.contains(['/', '.']));
    let program = { programs }.next_back().unwrap_or(command).rsplit('/').next()?.to_owned();
    let line = message.lines().map(str::trim).find(|line| line.chars().any(char::is_alphabetic))?;
    let line = line.trim_start_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '`' | '"'));
    let line = first_chars(line, MOST_LINE_CHARS).to_owned();
    let (key, said) = (format!("{tool}: hook {program}"), line.clone());
    let (class, sort) = (FailureClass::Permission, TrapSort::Hook(program));
    Some(CallError { line, said, key, class, sort, is_command: tool.is_empty() })
}

fn tool_error(entry: &TranscriptEntry) -> Option<CallError> {
    let Activity::ToolFailed { at, error } = entry.activity() else { return None };
    let tool = entry.tool.as_deref().unwrap_or_default();
    if let Some(refused) = refusal_of_hook(error, tool) {
        return Some(refused);
    }
    let text = error.replace("<tool_use_error>", "").replace("</tool_use_error>", "");
    // A heading says that there is an error, and not which.
    let says = |line: &&str| line.chars().any(char::is_alphabetic) && !line.starts_with('#');
    let line = text.lines().map(str::trim).find(says)?;
    let class = error_line(line).map_or(FailureClass::Other, |error| error.class);
    let said = said_beside(line, at)?;
    let line = first_chars(line, MOST_LINE_CHARS).to_owned();
    let key = format!("{tool}: {said}");
    Some(CallError { key, said, line, class, sort: TrapSort::Said, is_command: false })
}

/// Returns the line of an output that a shape was made of, as it stands there.
fn shown(output: &str, shape: &str) -> String {
    let alike = |line: &&str| (backstory_memory::jaccard(line, shape) * 1000.0) as u64;
    let line = output.lines().map(str::trim).max_by_key(alike).unwrap_or(shape);
    first_chars(line, MOST_LINE_CHARS).to_owned()
}

/// Returns what an error says without the names that the request itself gave, and without what varies.
fn said_beside(line: &str, request: &str) -> Option<String> {
    let is_new = |word: &&str| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let is_name = bare.contains(['/', '.', '*', '_', '-', '?']);
        !is_name || !request.contains(bare)
    };
    let rest = line.split_whitespace().filter(is_new).collect::<Vec<_>>().join(" ");
    error_line(&rest).map(|error| error.line)
}

impl CallError {
    /// Whether it is about the machine, the tools or how they are called, and not about the code at hand or a name that is not there.
    pub(super) fn is_of_the_surroundings(&self) -> bool {
        match self.class {
            FailureClass::MissingFile => false,
            // What was to be edited or searched is not there.
            _ if !self.is_command && TARGET_MISSING.iter().any(|words| self.line.contains(words)) => false,
            FailureClass::Usage | FailureClass::Other => true,
            class => class.is_of_the_machine() && (self.is_command || class == FailureClass::Permission),
        }
    }

    /// What it says, for a title: without the shell that says it, and without the names that the call gave where enough is left.
    pub(super) fn message(&self) -> &str {
        let is_enough = self.said.split(' ').filter(|word| word.chars().any(char::is_alphabetic)).count() > 2;
        let is_bare = self.class == FailureClass::Usage && is_enough;
        let mut said = if is_bare { self.said.as_str() } else { self.line.as_str() };
        while let Some((speaker, rest)) = said.split_once(": ") {
            let name = speaker.trim_start_matches('(').split([')', ' ', ':', '…']).next().unwrap_or(speaker);
            let name = name.rsplit('/').next().unwrap_or(name);
            let is_marked = ["error", "fatal"].contains(&speaker.to_lowercase().as_str());
            if !is_marked && !["eval", "zsh", "bash", "sh", "dash", "fish", "line"].contains(&name) {
                break;
            }
            said = rest;
        }
        // Each program on the way puts its word before the cause.
        while let Some((_, cause)) = said.split_once(": ").filter(|(speaker, _)| {
            // A whole sentence before it is what it says.
            said.chars().count() > LONGEST_MESSAGE && !speaker.contains(". ")
        }) {
            said = cause;
        }
        said
    }

    /// The longest part of what it says that a record holds as it is.
    pub(super) fn plainest_part(&self) -> Option<&str> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, ' ' | '_' | '-' | '.' | ',');
        let parts = self.said.split(|c: char| !is_plain(c)).map(str::trim);
        parts.max_by_key(|part| part.len()).filter(|part| part.len() >= LEAST_PART_CHARS)
    }

    /// The program that is not there: `zsh: command not found: gtimeout`, `bash: rg: command not found`.
    pub(super) fn missing_program(&self) -> Option<&str> {
        let (before, after) = self.line.split_once("not found")?;
        let after = after.trim_start_matches(':').trim();
        let before = before.trim_end().trim_end_matches("command").trim_end().trim_end_matches(':');
        let name = if after.is_empty() { before.rsplit([' ', ':']).next()? } else { after };
        (!name.is_empty() && !name.contains(' ')).then_some(name)
    }
}

impl ToolCall<'_> {
    /// What people call it: the command by its name, or the tool.
    pub(super) fn name(&self) -> &str {
        match self.ran {
            Some(ran) => ran.line().main().map_or("", |task| task.name.as_str()),
            None => {
                // An MCP tool is known by its own name, without that of its server.
                let tool = self.entry.tool.as_deref().unwrap_or("tool");
                tool.rsplit("__").next().unwrap_or(tool)
            }
        }
    }
}
