//! The changed call that worked right after one that failed.

use super::tool_call::{CallError, ToolCall, TrapSort};
use crate::failures::{CommandRun, FailureClass, error_line, is_known_tool};
use crate::testruns::TestOutcome;
use crate::transcript::TranscriptEntry;
use backstory_memory::{Activity, Nesting, SimpleCommand, first_chars, simple_commands};

/// What worked later than this after a failure has nothing to do with it.
const MOST_CALLS: usize = 8;
const MOST_SHOWN_CHARS: usize = 160;
/// Two lines that share fewer of their words, in tenths, do different things.
const ALIKE_TENTHS: usize = 6;
/// Two that share so many differ in little but a flag.
const NEARLY_SAME_TENTHS: usize = 7;

/// The call that worked instead.
pub(super) struct WayOut<'a> {
    pub(super) entry: &'a TranscriptEntry,
    request: &'a str,
    ran: Option<&'a CommandRun<'a>>,
    /// Whether it is the very call that failed.
    is_retry: bool,
}

/// Finds what worked after a call failed. An edit in between is a fix, and the failure one of the code.
pub(super) fn find<'a>(calls: &[ToolCall<'a>], failed_at: usize) -> Option<WayOut<'a>> {
    let failed = calls.get(failed_at)?;
    for call in calls.iter().skip(failed_at + 1).take(MOST_CALLS) {
        let is_success = call.error.is_none() && (call.ran.is_none_or(is_surely_fine) || ran_tests(call));
        // A part of the line that works by itself works in the line, too, when it is run again.
        let is_same_request = call.request == failed.request
            || call.ran.is_some() && is_first_of(call.request, failed.request)
            || is_same_file(call, failed);
        let is_retry = is_same_request && is_same_tool(call, failed);
        if is_success && (is_retry || stands_for(call, failed)) {
            return Some(WayOut { entry: call.entry, request: call.request, ran: call.ran, is_retry });
        }
        if failed.ran.is_some() && matches!(call.entry.activity(), Activity::Edited { .. }) {
            return None;
        }
    }
    None
}

/// Whether a command succeeded, and no pipe may hide that it did not.
fn is_surely_fine(ran: &CommandRun<'_>) -> bool {
    let hides_error = || error_line(ran.output).is_some_and(|error| error.names_error());
    ran.succeeded() && !(ran.line().status_is_masked && hides_error())
}

/// Whether one line is how another, longer one begins.
fn is_first_of(line: &str, longer: &str) -> bool {
    longer.trim().strip_prefix(line.trim()).is_some_and(|rest| rest.trim_start().starts_with("&&"))
}

/// Whether it ran tests, and all of them passed.
fn ran_tests(call: &ToolCall<'_>) -> bool {
    let run = call.ran.and_then(CommandRun::test_run);
    run.is_some_and(|run| run.outcome == TestOutcome::Green && run.passed.is_some_and(|count| count > 0))
}

/// Whether a file was edited that could not be before: hosts name it by its whole path where it failed.
fn is_same_file(call: &ToolCall<'_>, failed: &ToolCall<'_>) -> bool {
    matches!(call.entry.activity(), Activity::Edited { .. })
        && failed.request.strip_suffix(call.request).is_some_and(|folder| folder.ends_with('/'))
}

fn is_same_tool(call: &ToolCall<'_>, failed: &ToolCall<'_>) -> bool {
    // Hosts have several tools that edit a file.
    call.entry.tool == failed.entry.tool || matches!(call.entry.activity(), Activity::Edited { .. })
}

/// Whether a call that worked does what the failed one was to do.
fn stands_for(call: &ToolCall<'_>, failed: &ToolCall<'_>) -> bool {
    match (call.ran, failed.ran) {
        (Some(worked), Some(ran)) => {
            let sort = failed.error.as_ref().map(|error| &error.sort);
            let is_same_program = || {
                let program = |ran: &CommandRun<'_>| ran.line().main().map(|task| task.name.clone());
                program(worked) == program(ran)
            };
            match sort {
                Some(TrapSort::NoTests) => return ran_tests(call),
                Some(TrapSort::UnmatchedPattern) => return is_same_program(),
                _ => {}
            }
            // What only looks fails because nothing is there to see. Any part of a line may be what failed.
            let does_the_same =
                ran.tasks().iter().filter(|task| !task.is_bystander).any(|task| worked.runs(&task.name));
            let missing = failed.error.as_ref().filter(|it| it.class == FailureClass::MissingCommand);
            match missing {
                // The same line without the program works, or it is looked for elsewhere.
                Some(error) => {
                    finds_elsewhere(worked.command, error)
                        && is_alike((worked.command, ran.command), ALIKE_TENTHS)
                }
                None => does_the_same && is_alike((worked.command, ran.command), ALIKE_TENTHS),
            }
        }
        // A file that could not be edited is not edited by editing another.
        (None, None) => {
            let names_file =
                matches!(call.entry.activity(), Activity::Edited { .. } | Activity::Looked { .. });
            call.entry.tool == failed.entry.tool && !names_file
        }
        _ => false,
    }
}

/// Whether a line calls a missing program by another name or path, or changes where programs are looked for.
fn finds_elsewhere(worked: &str, error: &CallError) -> bool {
    let is_it =
        |command: &SimpleCommand| command.words.first().map(String::as_str) == error.missing_program();
    worked.contains("PATH=") || !simple_commands(worked, Nesting::Words).iter().any(is_it)
}

/// Whether two lines share so many tenths of their words.
fn is_alike((one, other): (&str, &str), tenths: usize) -> bool {
    let words = |text: &str| -> Vec<String> {
        let parts = text.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ';' | '&' | '|'));
        parts.filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let (one, other) = (words(one), words(other));
    let shared = one.iter().filter(|word| other.contains(word)).count();
    shared * 2 * 10 >= (one.len() + other.len()) * tenths
}

impl<'a> WayOut<'a> {
    /// The command that worked instead.
    pub(super) fn command(&self) -> Option<&'a str> {
        self.ran.map(|_| first_chars(self.request.trim(), MOST_SHOWN_CHARS))
    }

    /// The name of the command that worked instead.
    pub(super) fn task(&self) -> Option<&str> {
        self.ran?.line().main().map(|task| task.name.as_str())
    }

    /// The program that worked instead, as it was called; nothing where only the search path changed.
    pub(super) fn program(&self) -> Option<String> {
        let task = self.ran?.line().main()?.name.split(' ').next()?.to_owned();
        let called = simple_commands(self.request, Nesting::Words)
            .into_iter()
            .filter_map(|command| command.words.into_iter().find(|word| !word.contains('=')));
        { called }.find(|word| word.rsplit('/').next() == Some(task.as_str()))
    }

    /// What worked instead, unless the same call did when it was made again. Another page is none instead of one that cannot be had.
    pub(super) fn other_call(&self) -> Option<&'a str> {
        let is_fetched = matches!(self.entry.activity(), Activity::Fetched { .. });
        (!self.is_retry && !is_fetched).then(|| self.request.trim())
    }

    /// Says what worked.
    pub(super) fn words(&self) -> String {
        match self.entry.activity() {
            Activity::Edited { file, .. } if self.is_retry => {
                return format!("What worked: other contents of {file}");
            }
            _ if self.is_retry => return "What worked: to run it again".to_owned(),
            _ => {}
        }
        format!("What worked: `{}`", first_chars(self.request.trim(), MOST_SHOWN_CHARS))
    }

    /// Whether it is worth knowing before it happens a second time: the machine lacks something, or a tool that is not known
    /// everywhere wants to be called otherwise.
    pub(super) fn teaches_at_once(&self, failed: &ToolCall<'_>, error: &CallError) -> bool {
        if error.sort != TrapSort::Said {
            return true;
        }
        let Some(ran) = failed.ran.filter(|_| !self.is_retry) else { return false };
        let is_own_tool = ran.task().is_some_and(|task| !is_known_tool(task));
        match error.class {
            FailureClass::MissingCommand | FailureClass::Permission => true,
            FailureClass::Usage | FailureClass::Other => {
                is_own_tool && is_alike((self.request, ran.command), NEARLY_SAME_TENTHS)
            }
            _ => false,
        }
    }
}
