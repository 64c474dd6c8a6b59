//! What was done in a turn, a line each, with how much it matters: plans and rejections before commits, failures, edits, commands sent
//! elsewhere, test runs, tools, subagents and reading.
//!
//! Not here: which of them the digest has room for (`digest`).

use super::failed_calls::WaysOut;
use super::session_record::{RecordLine, Voice};
use super::shorten::{head, headings, one_line, plain_message};
use crate::CommandRun;
use crate::failure_tracker::printed_error_line;
use crate::testruns::TestRun;
use crate::transcript::{TranscriptEntry, Turn};
use backstory_memory::{Activity, Hunk, Nesting, simple_commands};
use std::collections::HashMap;
use std::path::Path;

const RUNNING: u32 = 100;
const PLAN: u32 = 100;
const REJECTION: u32 = 100;
const STOPPED: u32 = 96;
const COMPACTED: u32 = 95;
pub(super) const COMMIT: u32 = 90;
const FAILURE: u32 = 80;
const EDITS: u32 = 70;
const REMOTE: u32 = 60;
const TESTS: u32 = 50;
const TOOLS: u32 = 40;
const SUBAGENT: u32 = 30;
const EARLIER_MESSAGE: u32 = 25;
const WEB: u32 = 20;
const READING: u32 = 10;

const LABEL: &str = " -";
const MOST_FILES: usize = 7;
const MOST_ERRORS: usize = 3;
const COMMAND_CHARS: usize = 110;

/// Programs whose effect is not in the folder: what they did cannot be looked up there.
const REMOTE_PROGRAMS: [&str; 13] = [
    "ssh",
    "scp",
    "rsync",
    "kubectl",
    "docker",
    "systemctl",
    "psql",
    "curl",
    "gh",
    "terraform",
    "helm",
    "aws",
    "gcloud",
];
const REMOTE_TASKS: [&str; 6] =
    ["git push", "git rebase", "git reset", "git revert", "git merge", "git worktree"];

/// Returns what was done in a turn.
pub(super) fn work_lines(turn: &Turn<'_>) -> Vec<RecordLine> {
    let mut lines: Vec<RecordLine> = turn.entries.iter().filter_map(decided).collect();
    lines.extend(turn.commands().filter_map(|(entry, ran)| commit(entry, ran)));
    let ways_out = WaysOut::find(turn);
    lines.extend(command_lines(turn, &ways_out));
    lines.extend(ways_out.failed_tools(turn));
    lines.extend(edits(turn));
    lines.extend(turn.entries.iter().filter_map(reported));
    lines.extend(listed(turn));
    lines
}

/// What had no result yet when the record ends.
pub(super) fn still_running(calls: &[(&TranscriptEntry, String)]) -> Vec<RecordLine> {
    let line = |(entry, call): &(&TranscriptEntry, String)| {
        tool_line(RUNNING, format!("STILL RUNNING when the record ends: {call}")).at(entry)
    };
    calls.iter().map(line).collect()
}

/// Words the agent closed a part of a turn with.
pub(super) fn earlier_message(message: &str) -> RecordLine {
    let text = plain_message(message);
    RecordLine::new(LABEL, Voice::Agent, format!("earlier message: {}", one_line(&text, 180)))
        .with(Voice::Agent, &text)
        .of_rank(EARLIER_MESSAGE)
}

fn tool_line(rank: u32, text: String) -> RecordLine {
    RecordLine::new(LABEL, Voice::Tool, text).of_rank(rank)
}

/// What the user decided: plans, rejections, and that they stopped the agent.
fn decided(entry: &TranscriptEntry) -> Option<RecordLine> {
    let line = match entry.activity() {
        Activity::PlanDecided { plan, is_approved: true, feedback } => {
            let text = format!("plan APPROVED by user: {}{}", headings(plan, 420), said(feedback));
            let line = RecordLine::new(LABEL, Voice::Accepted, text).of_rank(PLAN);
            line.with(Voice::Accepted, plan).with(Voice::User, feedback)
        }
        Activity::PlanDecided { plan, feedback, .. } => {
            let text = format!("plan REJECTED by user{}: {}", said(feedback), headings(plan, 420));
            RecordLine::new(LABEL, Voice::Agent, text).of_rank(PLAN).with(Voice::User, feedback)
        }
        Activity::Rejected { at, feedback } => {
            let text = format!("user REJECTED {}{}", one_line(at, 120), said(feedback));
            tool_line(REJECTION, text).with(Voice::User, feedback)
        }
        Activity::Interrupted => tool_line(STOPPED, "INTERRUPTED by user".to_owned()),
        Activity::TurnBroken { error } => tool_line(STOPPED, format!("BROKE OFF: {}", one_line(error, 160))),
        _ => return None,
    };
    Some(line.at(entry))
}

fn said(feedback: &str) -> String {
    let feedback = one_line(feedback, 400);
    if feedback.is_empty() { feedback } else { format!(" and said: \"{feedback}\"") }
}

fn commit(entry: &TranscriptEntry, ran: &CommandRun<'_>) -> Option<RecordLine> {
    let made = ran.commit()?;
    let branch = made.branch.as_ref().map(|branch| format!(" [{branch}]")).unwrap_or_default();
    let body = one_line(&made.body, 420);
    let reason = if body.is_empty() { body } else { format!(" — {body}") };
    let text = format!("commit{branch} {}{reason}", one_line(&made.subject, 140));
    let whole = format!("{} {}", made.subject, made.body);
    Some(RecordLine::new(LABEL, Voice::Commit, text).with(Voice::Commit, &whole).of_rank(COMMIT).at(entry))
}

/// The runs of one command in a turn.
struct CommandGroup<'a> {
    runs: Vec<(&'a TranscriptEntry, &'a CommandRun<'a>)>,
}

/// Failures with how they ended, what was sent elsewhere, and test runs; each command once.
fn command_lines(turn: &Turn<'_>, ways_out: &WaysOut<'_>) -> Vec<RecordLine> {
    let mut groups: Vec<CommandGroup<'_>> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for (entry, ran) in turn.commands().filter(|(_, ran)| ran.commit().is_none()) {
        let Some(task) = ran.task() else { continue };
        let place = *places.entry(task).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.runs.push((entry, ran)),
            None => groups.push(CommandGroup { runs: vec![(entry, ran)] }),
        }
    }
    groups.iter().filter_map(|group| group.line(ways_out)).collect()
}

impl CommandGroup<'_> {
    fn line(&self, ways_out: &WaysOut<'_>) -> Option<RecordLine> {
        let (_, last) = self.runs.last()?;
        let failed: Vec<_> = self.runs.iter().filter(|(_, ran)| ran.failed()).collect();
        let times = |count: usize| if count > 1 { format!("×{count}") } else { String::new() };
        if let Some((entry, first)) = failed.first() {
            let mut errors: Vec<String> = Vec::new();
            for line in failed.iter().filter_map(|(_, ran)| printed_error_line(ran)) {
                let line = one_line(&line, 200);
                if !errors.contains(&line) && errors.len() < MOST_ERRORS {
                    errors.push(line);
                }
            }
            // A command that fails without a word says nothing either, unless it ran tests.
            if errors.is_empty() && first.test_run().is_none() {
                return None;
            }
            let command = shown_command(first.command);
            let instead = failed.iter().find_map(|(entry, _)| ways_out.instead_of(entry.id));
            let end = match instead.map(|worked| shown_command(&worked)).filter(|worked| *worked != command) {
                Some(worked) => format!("then ok: `{worked}`{}", counts(last.test_run())),
                None if last.failed() => "not passed in this turn".to_owned(),
                None => format!("then ok{}", counts(last.test_run())),
            };
            let text = format!("FAILED{} `{command}`: {} → {end}", times(failed.len()), errors.join(" / "));
            return Some(tool_line(FAILURE, text).with(Voice::Tool, first.command).at(entry));
        }
        let (entry, _) = self.runs.last()?;
        let command = shown_command(last.command);
        let line = match last.test_run() {
            Some(run) => {
                tool_line(TESTS, format!("ok {}`{command}`{}", times(self.runs.len()), counts(Some(run))))
            }
            None if is_remote(last) => {
                tool_line(REMOTE, format!("ran{} `{command}`", times(self.runs.len())))
            }
            None => return None,
        };
        Some(line.with(Voice::Tool, last.command).at(entry))
    }
}

fn is_remote(ran: &CommandRun<'_>) -> bool {
    ran.tasks().iter().any(|task| {
        let program = task.name.split(' ').next().unwrap_or_default();
        REMOTE_PROGRAMS.contains(&program) || REMOTE_TASKS.contains(&task.name.as_str())
    })
}

fn counts(run: Option<&TestRun>) -> String {
    let Some(run) = run else { return String::new() };
    let parts = [(run.passed, "passed"), (run.failed.filter(|failed| *failed > 0), "failed")];
    let counts: Vec<String> =
        parts.into_iter().filter_map(|(count, word)| Some(format!("{} {word}", count?))).collect();
    if counts.is_empty() { String::new() } else { format!(" ({})", counts.join(", ")) }
}

/// A command as it is shown: on one line, without the folder it changes to first.
fn shown_command(command: &str) -> String {
    let command = command.trim();
    let rest = match simple_commands(command, Nesting::Words).first() {
        Some(first) if first.words.first().is_some_and(|word| word == "cd") => {
            command.split_once("&&").map_or(command, |(_, rest)| rest)
        }
        _ => command,
    };
    one_line(rest, COMMAND_CHARS)
}

/// A file that was edited, and how many lines of it.
struct EditedFile<'a> {
    file: &'a str,
    added: usize,
    removed: usize,
    is_new: bool,
}

/// The edited files, those with most changes first.
fn edits(turn: &Turn<'_>) -> Option<RecordLine> {
    let mut files: Vec<EditedFile<'_>> = Vec::new();
    for entry in turn.entries {
        let Activity::Edited { file, is_new, hunks } = entry.activity() else { continue };
        let (added, removed) = changed_lines(hunks);
        match files.iter_mut().find(|known| known.file == file) {
            Some(known) => {
                known.added += added;
                known.removed += removed;
                known.is_new |= *is_new;
            }
            None => files.push(EditedFile { file, added, removed, is_new: *is_new }),
        }
    }
    files.sort_by_key(|edited| std::cmp::Reverse(edited.added + edited.removed));
    let shown = files.iter().take(MOST_FILES).map(|edited| {
        let state = if edited.is_new { "new " } else { "" };
        format!("{state}{} +{}/-{}", one_line(edited.file, 120), edited.added, edited.removed)
    });
    let mut shown: Vec<String> = shown.collect();
    if files.len() > MOST_FILES {
        shown.push(format!("+{} files", files.len() - MOST_FILES));
    }
    let event = turn.entries.iter().find(|entry| matches!(entry.activity(), Activity::Edited { .. }))?;
    let all: Vec<&str> = files.iter().map(|edited| edited.file).collect();
    Some(
        tool_line(EDITS, format!("edited {}", shown.join("; "))).with(Voice::Tool, &all.join("\n")).at(event),
    )
}

/// How many lines some hunks add and remove: lines that stay are in both.
fn changed_lines(hunks: &[Hunk]) -> (usize, usize) {
    let mut counts: HashMap<&str, isize> = HashMap::new();
    for hunk in hunks {
        hunk.after.lines().for_each(|line| *counts.entry(line).or_default() += 1);
        hunk.before.lines().for_each(|line| *counts.entry(line).or_default() -= 1);
    }
    let sum = |sign: isize| counts.values().map(|count| (count * sign).max(0).unsigned_abs()).sum();
    (sum(1), sum(-1))
}

/// What a tool, a subagent or the host's own summary reported.
fn reported(entry: &TranscriptEntry) -> Option<RecordLine> {
    let line = match entry.activity() {
        Activity::SubagentEnded { message } if !message.trim().is_empty() => {
            let text = plain_message(message);
            RecordLine::new(LABEL, Voice::Agent, format!("subagent: {}", one_line(&text, 420)))
                .of_rank(SUBAGENT)
                .with(Voice::Agent, &text)
        }
        Activity::Compacted { summary } if !summary.trim().is_empty() => {
            let text = format!("COMPACTED HERE: {}", headings(summary, 200));
            RecordLine::new(LABEL, Voice::Agent, text).of_rank(COMPACTED).with(Voice::Agent, summary)
        }
        _ => return None,
    };
    Some(line.at(entry))
}

/// What was only looked at or used, a line for each sort.
fn listed(turn: &Turn<'_>) -> Vec<RecordLine> {
    let requests = |of: fn(&Activity) -> Option<&String>| -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        for text in turn.entries.iter().filter_map(|entry| of(entry.activity())) {
            let text = one_line(text, 80);
            if !found.contains(&text) {
                found.push(text);
            }
        }
        found
    };
    let web = requests(|activity| match activity {
        Activity::Fetched { request, .. } => Some(request),
        _ => None,
    });
    let tools = requests(|activity| match activity {
        Activity::UsedTool { request, .. } => Some(request),
        _ => None,
    });
    let mut lines = Vec::new();
    if !tools.is_empty() {
        lines.push(tool_line(TOOLS, format!("tools {}", head(&tools.join(", "), 260))));
    }
    if !web.is_empty() {
        lines.push(tool_line(WEB, format!("looked at {}", head(&web.join(", "), 260))));
    }
    let read = turn.looked_at().len();
    if read > 0 {
        lines.push(tool_line(READING, format!("read {read} files")));
    }
    lines
}

/// The files that were edited and not committed since.
pub(super) fn edited_since_commit(turns: &[Turn<'_>]) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    for turn in turns {
        let commits: Vec<_> =
            turn.commands().filter(|(_, ran)| ran.commit().is_some()).map(|(entry, _)| entry.id).collect();
        for entry in turn.entries {
            match entry.activity() {
                _ if commits.contains(&entry.id) => files.clear(),
                Activity::Edited { file, .. } if !Path::new(file).has_root() && !files.contains(file) => {
                    files.push(file.clone());
                }
                _ => {}
            }
        }
    }
    files
}
