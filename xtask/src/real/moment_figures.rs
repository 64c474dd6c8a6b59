//! Figures of injections: session start, prompts and tools against gold, and handoffs against where the work really stood.

use super::figures::RunFigures;
use super::gold::{Gold, GoldMoment, GoldSession};
use super::matching::{MatchText, is_work};
use super::memory_figures::PreparedRun;
use super::project_run::{ProjectRun, RunInjection, RunMemory, SessionRun};
use super::title_defects::is_unreadable;
use crate::say;
use backstory_memory::estimate;
use std::collections::BTreeSet;

/// Measures every moment of a project.
pub(crate) fn measure(prepared: &PreparedRun<'_>, gold: &Gold, figures: &mut RunFigures) {
    measure_lines(prepared, figures);
    let moments: Vec<&GoldMoment> =
        gold.moments.iter().filter(|it| it.project == prepared.run.project).collect();
    measure_prompts(prepared, &moments, figures);
    measure_tools(prepared, &moments, figures);
    for session in gold.sessions_in(&prepared.run.project) {
        if let Some(run) = prepared.run.sessions.iter().find(|it| it.session.starts_with(&session.session)) {
            measure_handoff(prepared, session, run, figures);
        }
    }
}

fn measure_lines(prepared: &PreparedRun<'_>, figures: &mut RunFigures) {
    let run = prepared.run;
    let lines: Vec<String> = run.injections.iter().flat_map(RunInjection::lines).collect();
    let unreadable = lines.iter().filter(|line| is_unreadable(line)).count();
    figures.share(&run.project, "injected lines unreadable", (unreadable, lines.len()));
    let starts: Vec<&RunInjection> = run.injections.iter().filter(|it| it.event == "SessionStart").collect();
    let lines: usize = starts.iter().map(|it| it.lines().len()).sum();
    let tokens: usize = starts.iter().map(|it| estimate(&it.text).0 as usize).sum();
    figures.count(&run.project, "session-start blocks", starts.len());
    figures.average(&run.project, "  lines a block", (lines, starts.len()));
    figures.average(&run.project, "  tokens a block", (tokens, starts.len()));
}

/// Prints what each moment costs in tokens: how many injections, on average, and the tenth that costs most.
pub(crate) fn report_bill(runs: &[ProjectRun]) {
    let moments: [(&str, &[&str]); 4] = [
        ("session start", &["SessionStart"]),
        ("prompt", &["UserPromptSubmit"]),
        ("tool", &TOOL_EVENTS),
        ("compaction", &["PreCompact"]),
    ];
    for (moment, events) in moments {
        let all = runs.iter().flat_map(|run| &run.injections);
        let at = all.filter(|it| events.contains(&it.event.as_str()));
        let mut costs: Vec<u32> = at.map(|it| estimate(&it.text).0).collect();
        costs.sort_unstable();
        let sum: u32 = costs.iter().sum();
        let mean = sum.checked_div(u32::try_from(costs.len()).unwrap_or(0)).unwrap_or(0);
        let p90 = costs.get(costs.len() * 9 / 10).copied().unwrap_or(0);
        say(&format!("tokens at {moment}: {} injections, mean {mean}, p90 {p90}, in all {sum}", costs.len()));
    }
}

fn measure_prompts(prepared: &PreparedRun<'_>, moments: &[&GoldMoment], figures: &mut RunFigures) {
    let project = &prepared.run.project;
    for moment in moments.iter().filter(|it| !it.is_tool) {
        let injections: Vec<_> = injections_at(prepared, moment, &["UserPromptSubmit"]).collect();
        let lines: Vec<String> = injections.iter().flat_map(|it| it.lines()).collect();
        let serving =
            |notes: &BTreeSet<String>| lines.iter().filter(|line| serves(prepared, line, notes)).count();
        let (helpful, related) = (serving(&moment.helpful), serving(&moment.related));
        let is_injected = usize::from(!injections.is_empty());
        figures.share(project, "prompts with an injection", (is_injected, 1));
        figures.share(project, "  of them helped", (usize::from(helpful > 0), is_injected));
        figures.share(
            project,
            "  of them helped or on topic",
            (usize::from(helpful + related > 0), is_injected),
        );
        figures.average(project, "  lines each", (lines.len(), is_injected));
        let has_helpful = usize::from(!moment.helpful.is_empty());
        figures.share(project, "gold-helpful prompts served", (usize::from(helpful > 0), has_helpful));
        let is_silent = usize::from(moment.helpful.is_empty() && moment.related.is_empty());
        figures.share(project, "silence where gold is silent", (is_silent * (1 - is_injected), is_silent));
    }
}

const TOOL_EVENTS: [&str; 3] = ["PreToolUse", "PostToolUse", "PostToolUseFailure"];

fn measure_tools(prepared: &PreparedRun<'_>, moments: &[&GoldMoment], figures: &mut RunFigures) {
    let project = &prepared.run.project;
    let tools: Vec<&&GoldMoment> = moments.iter().filter(|it| it.is_tool).collect();
    for moment in &tools {
        let mut lines = injections_at(prepared, moment, &TOOL_EVENTS).flat_map(RunInjection::lines);
        let is_served = lines.any(|line| serves(prepared, &line, &moment.helpful));
        figures.share(project, "tool moments of gold served", (usize::from(is_served), 1));
        // What the prompt of the turn was given is not given again (law 5): the agent has it.
        let mut lines = injections_at(prepared, moment, &["UserPromptSubmit"]).flat_map(RunInjection::lines);
        let is_served = is_served || lines.any(|line| serves(prepared, &line, &moment.helpful));
        figures.share(project, "  or at the prompt before it", (usize::from(is_served), 1));
    }
    let is_wanted = |injection: &RunInjection| {
        let here = tools.iter().filter(|it| is_at(injection, it));
        here.into_iter().any(|it| injection.lines().iter().any(|line| serves(prepared, line, &it.helpful)))
    };
    let injected = prepared.run.injections.iter().filter(|it| TOOL_EVENTS.contains(&it.event.as_str()));
    let alarms = injected.filter(|it| !is_wanted(it)).count();
    figures.average(project, "tool injections beside gold, a session", (alarms, prepared.run.sessions.len()));
}

fn is_at(injection: &RunInjection, moment: &GoldMoment) -> bool {
    injection.turn == moment.turn && injection.session.starts_with(&moment.session)
}

fn injections_at<'a>(
    prepared: &'a PreparedRun<'_>,
    moment: &'a GoldMoment,
    events: &'a [&str],
) -> impl Iterator<Item = &'a RunInjection> {
    prepared.run.injections.iter().filter(move |it| is_at(it, moment) && events.contains(&it.event.as_str()))
}

/// Whether a line says what one of these notes says: itself, or the memory it shows.
fn serves(prepared: &PreparedRun<'_>, line: &str, notes: &BTreeSet<String>) -> bool {
    if notes.is_empty() {
        return false;
    }
    let own = prepared.matcher.prepare(line, "");
    let shown = prepared.memories.iter().filter(|(memory, _)| shows(line, memory)).map(|(_, text)| text);
    let texts: Vec<&MatchText> = std::iter::once(&own).chain(shown).collect();
    let notes = notes.iter().filter_map(|id| prepared.notes.get(id.as_str()));
    let is_same = |note: &MatchText| texts.iter().any(|text| prepared.matcher.compare(note, text).serves());
    notes.into_iter().any(|(_, note)| is_same(note))
}

/// Whether a line shows a memory: by its number, or else by its title.
fn shows(line: &str, memory: &RunMemory) -> bool {
    let number =
        line.split('#').nth(1).map(|rest| rest.chars().take_while(char::is_ascii_digit).collect::<String>());
    match number.and_then(|digits| digits.parse::<i64>().ok()) {
        Some(number) => memory.id == Some(number),
        None => !memory.title.is_empty() && line.contains(memory.title.trim_end_matches('…')),
    }
}

/// Lists in a handoff's details that do not say what is left to do.
const NOT_STEPS: [&str; 5] = ["dirty_files", "files", "done", "commits", "uncommitted"];

fn measure_handoff(
    prepared: &PreparedRun<'_>,
    gold: &GoldSession,
    run: &SessionRun,
    figures: &mut RunFigures,
) {
    let project = &prepared.run.project;
    figures.share(project, "sessions with a handoff", (usize::from(run.handoff.is_some()), 1));
    let prepare = |text: &str| prepared.matcher.prepare(text, "");
    let steps: Vec<String> = run.handoff.as_ref().map(open_steps).unwrap_or_default();
    let whole = run.handoff.as_ref().map(|it| prepared.matcher.prepare(&it.title, &it.body));
    let is_state =
        whole.as_ref().is_some_and(|it| prepared.matcher.is_near(it, &prepare(&gold.handoff.state)));
    figures.share(project, "  about the same as the gold state", (usize::from(is_state), 1));
    let named: Vec<MatchText> = steps.iter().map(|step| prepare(step)).chain(whole).collect();
    let count_in = |wanted: &[String]| {
        wanted.iter().filter(|it| prepared.matcher.is_among(&prepare(it), &named)).count()
    };
    let next = &gold.handoff.next;
    figures.share(project, "  gold next steps named", (count_in(next), next.len()));
    figures.share(
        project,
        "  gold open points named",
        (count_in(&gold.handoff.open), gold.handoff.open.len()),
    );
    let last_prompt: Vec<String> = run.prompts.last().cloned().into_iter().collect();
    figures.share(project, "  last prompt named", (count_in(&last_prompt), last_prompt.len()));
    let open: Vec<MatchText> = next.iter().chain(&gold.handoff.open).map(|it| prepare(it)).collect();
    let done = done_work(prepared, gold);
    let is_done = |step: &&String| {
        let step = prepare(step);
        !prepared.matcher.is_among(&step, &open) && prepared.matcher.is_among(&step, &done)
    };
    figures.share(
        project,
        "  steps named open, done in gold",
        (steps.iter().filter(is_done).count(), steps.len()),
    );
}

/// Returns what a handoff says is left to do.
fn open_steps(handoff: &RunMemory) -> Vec<String> {
    let lists = handoff.details.as_object().into_iter().flatten();
    let lists = lists.filter(|(name, list)| list.is_array() && !NOT_STEPS.contains(&name.as_str()));
    lists.flat_map(|(name, _)| handoff.detail_list(name)).map(str::to_owned).collect()
}

/// Returns what was done in a session: its work in gold, and the work that memories tell of it.
fn done_work(prepared: &PreparedRun<'_>, gold: &GoldSession) -> Vec<MatchText> {
    let notes =
        gold.notes.iter().filter(|it| it.class == "work").map(|it| format!("{}. {}", it.title, it.text));
    let is_here = |memory: &&RunMemory| is_work(&memory.kind) && memory.is_from(&gold.session);
    let memories =
        prepared.run.memories.iter().filter(is_here).map(|it| format!("{}\n{}", it.title, it.body));
    notes.chain(memories).map(|text| prepared.matcher.prepare(&text, "")).collect()
}
