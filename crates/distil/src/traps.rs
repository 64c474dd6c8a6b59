//! Traps of the machine and the tools: a call that fails here, and the one that worked right after it.
//!
//! What a missing program, a permission or a flag of a project's own tool is about is worth knowing at once. Any other trap is kept
//! when it is met a second time, in this session or another: one mistake is none. Not here: failures of the code at hand
//! (`failure_tracker`), and how the way out is found (`way_out`).

mod tool_call;
mod way_out;

use crate::FailureClass;
use crate::failures::MOST_COMMAND_CHARS;
use crate::finding::{Comparing, Finding, distilled, evidence, subject};
use crate::sentences::sentences;
use crate::session_findings::is_fresh;
use crate::titles::{title_of, title_of_command, weight};
use crate::transcript::{Turn, entries};
use backstory_memory::{
    Category, Details, EventId, EvidenceKind, FailureDetails, FixDetails, FixSteps, Kind, Provenance,
    TITLE_CHARS, first_chars,
};
use backstory_store::{OnRepeat, Session, Store, StoreError};
use std::collections::HashSet;
use tool_call::{CallError, ToolCall, TrapSort};
use way_out::WayOut;

/// Finds the traps of a session; `failures` are what its failures became, which say the same better.
pub(super) fn traps(
    store: &Store,
    session: &Session,
    turns: &[Turn<'_>],
    failures: &[Finding],
) -> Result<Vec<Finding>, StoreError> {
    let calls = tool_call::calls(turns);
    let is_new = |call: &ToolCall<'_>| turns.get(call.turn).is_some_and(|turn| is_fresh(turn, session));
    let is_failure = |event: EventId| {
        failures.iter().any(|it| it.content.kind == Kind::Failure && it.events.contains(&event))
    };
    let mut seen: HashSet<String> = HashSet::new();
    let mut found = Vec::new();
    for (at, call) in calls.iter().enumerate() {
        let Some(error) = call.error.as_ref() else { continue };
        let is_second = !seen.insert(error.key.clone());
        if !is_new(call) || is_failure(call.entry.id) || !error.is_of_the_surroundings() {
            continue;
        }
        // An agent knows its own tools; what it is not allowed to do it does not know.
        let is_own_tool = call.ran.is_none() && error.class != FailureClass::Permission;
        let Some(way) = way_out::find(&calls, at).filter(|_| !is_own_tool) else { continue };
        let finding = finding(call, error, &way);
        let is_known = || store.memories().with_subject(session.project, finding.subject);
        if is_second
            || way.teaches_at_once(call, error)
            || is_known()?.is_some()
            || was_met_before(store, session, error)?
        {
            found.push(finding);
        }
    }
    found.dedup_by(|one, other| one.subject == other.subject);
    Ok(found)
}

/// A call that failed, for a writer that decides itself what is worth knowing.
pub(crate) struct FailedCall<'a> {
    pub(crate) event: EventId,
    pub(crate) tool: String,
    pub(crate) request: &'a str,
    pub(crate) error: String,
    /// The same for the same trap on another day.
    pub(crate) key: String,
    /// Whether it is about the machine, the tools or how they are called, and not about the code at hand.
    pub(crate) is_of_the_surroundings: bool,
    /// What worked in its place, if that was another call.
    pub(crate) worked_instead: Option<&'a str>,
}

/// Returns the calls of a turn that failed.
pub(crate) fn failed_calls<'a>(turn: &'a Turn<'a>) -> Vec<FailedCall<'a>> {
    let calls = tool_call::calls(std::slice::from_ref(turn));
    let failed = calls.iter().enumerate().filter_map(|(at, call)| {
        let error = call.error.as_ref()?;
        Some(FailedCall {
            event: call.entry.id,
            tool: call.name().to_owned(),
            request: call.request,
            error: error.line.clone(),
            key: error.key.clone(),
            is_of_the_surroundings: error.is_of_the_surroundings(),
            worked_instead: way_out::find(&calls, at).and_then(|way| way.other_call()),
        })
    });
    failed.collect()
}

/// Whether another session of the project met the same trap, as far as its events are kept.
fn was_met_before(store: &Store, session: &Session, error: &CallError) -> Result<bool, StoreError> {
    let Some(needle) = error.plainest_part() else { return Ok(false) };
    let earlier = store.events().failures_holding(session.project, session.id, needle)?;
    Ok(entries(&earlier)
        .iter()
        .any(|entry| tool_call::error_of(entry).is_some_and(|met| met.key == error.key)))
}

fn finding(call: &ToolCall<'_>, error: &CallError, way: &WayOut<'_>) -> Finding {
    let request = first_chars(call.request.trim(), MOST_COMMAND_CHARS);
    let worked = way.words();
    let tool = if call.ran.is_some() { String::new() } else { format!("{} ", call.name()) };
    let fails = if error.sort == TrapSort::NoTests { "runs no test" } else { "fails here" };
    let why = if error.sort == TrapSort::UnmatchedPattern { UNMATCHED_PATTERN } else { "" };
    let body = format!("{why}{tool}`{request}` {fails}:\n{}\n{worked}", error.line);
    let mut content = distilled(Kind::Fact, &title(call, error, way), &body, Provenance::Tool);
    content.category = Some(Category("trap".to_owned()));
    content.facts = vec![worked];
    if let (Some(_), Some(command)) = (call.ran, way.command()) {
        let steps = FixSteps { files: Vec::new(), commands: vec![command.to_owned()] };
        content.details = Some(Details::Failure(FailureDetails {
            command: request.to_owned(),
            error_line: error.line.clone(),
            fix: Some(FixDetails { steps, ..FixDetails::default() }),
            ..FailureDetails::default()
        }));
    }
    Finding {
        subject: subject("trap", &[error.key.as_bytes()]),
        content,
        events: evidence([call.entry, way.entry]),
        at: call.entry.at,
        again: OnRepeat::Reinforce,
        comparing: Comparing::Not,
        evidence: EvidenceKind::Structure,
        relates_to: Vec::new(),
    }
}

/// What zsh does, which other shells do not.
const UNMATCHED_PATTERN: &str = "zsh runs nothing of a line with `*`, `?` or `[…]` that fits no file, whatever becomes of its messages: quote it, or list the folder.\n";

/// Names the thing and what it says; of a missing program also what is there instead.
fn title(call: &ToolCall<'_>, error: &CallError, way: &WayOut<'_>) -> String {
    match &error.sort {
        TrapSort::UnmatchedPattern => {
            return "zsh refuses the whole line when a pattern in it fits no file".to_owned();
        }
        TrapSort::Hook(program) => {
            // "Warning: …" says nothing.
            let says = |(label, said): (&'_ str, &'_ str)| weight(said) > weight(label);
            let said = error.line.split_once(": ").filter(|it| says(*it)).map_or(&*error.line, |it| it.1);
            let whole = format!("{program} refuses {}: {said}", call.name());
            let short = format!("{program}, a hook, refuses some calls of {}", call.name());
            return title_of_command(if whole.chars().count() <= TITLE_CHARS { &whole } else { &short });
        }
        TrapSort::NoTests => {
            let instead = way.task().filter(|task| *task != call.name());
            let instead = instead.map(|task| format!("; {task} runs them")).unwrap_or_default();
            return title_of_command(&format!("{}: {}{instead}", call.name(), error.line));
        }
        TrapSort::Said => {}
    }
    match (error.class, error.missing_program(), way.program()) {
        (FailureClass::MissingCommand, Some(missing), Some(used)) if used != missing => {
            title_of(&format!("{missing} is not found here, {used} is"))
        }
        (FailureClass::MissingCommand, Some(missing), _) => {
            title_of(&format!("{missing} is not on the PATH here"))
        }
        _ => {
            let line = short_paths(error.message());
            let whole = format!("{}: {line}", call.name());
            let said = sentences(&line).into_iter().next().unwrap_or(&line);
            let short = format!("{}: {said}", call.name());
            title_of_command(if whole.chars().count() <= TITLE_CHARS { &whole } else { &short })
        }
    }
}

/// Names a file by its folder and its name, which is what tells.
fn short_paths(text: &str) -> String {
    let short = |word: &str| {
        let mut parts = word.rsplitn(3, '/');
        let (name, folder) = (parts.next(), parts.next());
        match (name, folder, parts.next()) {
            (Some(name), Some(folder), Some(before)) if !folder.is_empty() && !before.ends_with(':') => {
                let quote = if before.starts_with('\'') { "'" } else { "" };
                format!("{quote}{folder}/{name}")
            }
            _ => word.to_owned(),
        }
    };
    text.split(' ').map(short).collect::<Vec<_>>().join(" ")
}
