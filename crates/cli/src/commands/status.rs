//! `status`: how the store is doing, and whether hooks really run.

use crate::exit::Exit;
use crate::ui::{Tone, Ui, memories, one_line};
use backstory_app::config::WriterConfig;
use backstory_app::doctor::receipts::outcome_words;
use backstory_app::status::StatusReport;
use backstory_app::vectors::MAKES_VECTORS;
use backstory_app::words::{NOWHERE, counted};
use backstory_app::{App, AppError, json};
use backstory_memory::Timestamp;
use backstory_store::{ModelUse, Receipt, Usefulness, WriterStatus};
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
    if let Some(writer) = &report.writer {
        lines.extend(
            writer_lines(&app.config.writer, writer, app.now).iter().map(|line| format!("writer    {line}")),
        );
    }
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

/// Says who writes notes, what that cost, and what became of it.
fn writer_lines(config: &WriterConfig, writer: &WriterStatus, now: Timestamp) -> Vec<String> {
    let model_use = |of: &ModelUse| {
        let dollars = config.dollars(of.tokens_in, of.tokens_out).map(|dollars| format!(", ${dollars:.2}"));
        format!(
            "{}, {} tokens in, {} out{}; notes kept {}, rejected {}",
            counted(of.calls, "call"),
            of.tokens_in,
            of.tokens_out,
            dollars.unwrap_or_default(),
            of.kept,
            of.rejected
        )
    };
    let waiting = format!("sessions waiting {}, given up {}", writer.waiting, writer.dead);
    let mut lines = vec![
        format!("{}; {waiting}", config.provider.as_str()),
        format!("  in 24 hours: {}", model_use(&writer.last_day)),
    ];
    if writer.stored.calls > writer.last_day.calls {
        lines.push(format!("  in 90 days: {}", model_use(&writer.stored)));
    }
    if let Some(until) = writer.rests_until {
        let minutes = (until.0 - now.0) / 60_000 + 1;
        lines.push(format!("  rests for {minutes} min: the last calls all failed; the log says why"));
    }
    lines
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
