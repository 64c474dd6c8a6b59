//! `status`: how the store is doing, and whether hooks really run.

use crate::exit::Exit;
use crate::ui::{Tone, Ui, memories, one_line};
use backstory_app::config::Provider;
use backstory_app::doctor::receipts::outcome_words;
use backstory_app::status::StatusReport;
use backstory_app::vectors::MAKES_VECTORS;
use backstory_app::words::{NOWHERE, counted};
use backstory_app::{App, AppError, json};
use backstory_memory::Timestamp;
use backstory_store::{ModelWorkStatus, Receipt, Usefulness};
use clap::Args;
use std::path::PathBuf;

/// Arguments of `status`.
#[derive(Args, Debug)]
pub(crate) struct StatusArgs {
    /// Output as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Shows how the store is doing.
pub(crate) fn run(args: &StatusArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    let (store, problem) = app.store_and_problem()?;
    let report = app.status(&store, problem.map(|problem| problem.to_string()))?;
    if args.json {
        ui.json(&json::status(report, app))?;
    } else {
        lines(&report, app, ui).iter().try_for_each(|line| ui.line(line))?;
    }
    Ok(Exit::Done)
}

fn lines(report: &StatusReport, app: &App, ui: &Ui) -> Vec<String> {
    let status = &report.status;
    let counts = &status.counts;
    let last = status.last_event_at.map_or("never".to_owned(), |at| ago(at, app.now));
    let home = ui.tone(Tone::Path, &app.home.root().display().to_string());
    let mut lines = vec![format!("home      {home}")];
    lines.extend(report.problem.iter().map(|problem| format!("          read-only: {problem}")));
    lines.extend([
        format!(
            "memories  {} in force, {} superseded, {} forgotten; projects: {}",
            counts.live, counts.superseded, counts.tombstones, counts.projects
        ),
        format!("events    {}, the last {last}; sessions: {}", counts.events, counts.sessions),
        format!("size      {:.1} MiB, schema {}", status.bytes as f64 / 1_048_576.0, status.schema),
    ]);
    lines.extend(injected_lines(&report.usefulness).iter().map(|line| format!("injected  {line}")));
    if status.spooled > 0 {
        let next = "in the spool; the next command that can write takes them in";
        lines.push(format!("waiting   {} {next}", status.spooled));
    }
    if let Some(lost) = report.lost {
        let (since, last) = (ago(lost.since, app.now), ago(lost.last, app.now));
        lines.push(format!(
            "lost      {}, the first {since}, the last {last}: {NOWHERE}",
            counted(lost.events, "event")
        ));
    }
    if report.vectors_waiting > 0 && app.config.recall.vectors {
        lines.push(format!("vectors   {} without; {MAKES_VECTORS}", memories(report.vectors_waiting)));
    }
    lines.push(match &status.newest_backup {
        Some(path) => format!("backup    {}", path.display()),
        None => "backup    none yet".to_owned(),
    });
    let moved = |path: &PathBuf| format!("damaged   {} was moved aside", path.display());
    lines.extend(status.quarantined.iter().map(moved));
    lines.extend(report.questions.iter().map(|question| format!("question  {question}")));
    let provider = app.config.distil.provider;
    lines.extend(report.model_work.iter().map(|work| format!("model     {}", model_line(provider, work))));
    lines.extend(report.hooks.iter().map(|receipt| hook_line(receipt, app.now)));
    lines
}

fn hook_line(receipt: &Receipt, now: Timestamp) -> String {
    let (ms, at) = (f64::from(receipt.duration_us) / 1000.0, ago(receipt.at, now));
    format!(
        "hook      {} {} {at}: {} in {ms:.1} ms",
        one_line(&receipt.host),
        one_line(&receipt.event),
        one_line(&outcome_words(receipt))
    )
}

/// Says what the model did, and how much of it: `anthropic; in 24 hours: calls 3, tokens 2100; jobs: waiting 1, given up 0`.
fn model_line(provider: Provider, work: &ModelWorkStatus) -> String {
    let rests = if work.is_circuit_open { "; resting, the last calls all failed" } else { "" };
    format!(
        "{}; in 24 hours: calls {}, tokens {}; jobs: waiting {}, given up {}{rests}",
        provider.as_str(),
        work.calls_last_day,
        work.tokens_last_day,
        work.waiting,
        work.dead
    )
}

/// Says how much of what was injected was used: in all, then section by section.
fn injected_lines(all: &[Usefulness]) -> Vec<String> {
    let sum = |of: &mut dyn Iterator<Item = &Usefulness>| {
        of.fold((0, 0), |(injected, used), one| (injected + one.injected, used + one.used))
    };
    let line = |(injected, used): (u64, u64)| {
        format!("{injected}, used {used} ({} %)", used * 100 / injected.max(1))
    };
    let total = sum(&mut all.iter());
    if total.0 == 0 {
        return Vec::new();
    }
    let mut sections: Vec<&str> = Vec::new();
    for one in all {
        if !sections.contains(&one.section.as_str()) {
            sections.push(&one.section);
        }
    }
    let of_section = |section: &&str| sum(&mut all.iter().filter(|one| one.section == **section));
    let lines =
        sections.iter().map(|section| format!("  {}: {}", one_line(section), line(of_section(section))));
    std::iter::once(line(total)).chain(lines).collect()
}

fn ago(at: Timestamp, now: Timestamp) -> String {
    backstory_inject::time_ago(at, now)
}
