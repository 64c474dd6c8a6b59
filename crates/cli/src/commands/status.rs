//! `status`: how the store is doing, and whether hooks really run.

use crate::exit::Exit;
use crate::ui::{Tone, Ui, memories, one_line};
use backstory_app::config::WriterConfig;
use backstory_app::doctor::receipts::outcome_words;
use backstory_app::status::StatusReport;
use backstory_app::vectors::MAKES_VECTORS;
use backstory_app::words::{NOWHERE, counted};
use backstory_app::{App, AppError, json};
use backstory_hosts::Host;
use backstory_memory::{Kind, Timestamp};
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
        print(&report, app, ui)?;
    }
    Ok(Exit::Done)
}

/// Prints one screen: first whether all is well, then what there is.
fn print(report: &StatusReport, app: &App, ui: &Ui) -> Result<(), AppError> {
    let (tone, verdict) = verdict(report, app, ui);
    let mark = if tone == Tone::Good { ui.check_mark() } else { ui.tone(tone, "!") };
    ui.wrapped(&format!("{mark} "), &ui.tone(tone, &verdict), 2)?;
    ui.line("")?;
    print_store(report, app, ui)?;
    print_injected(&report.usefulness, ui)?;
    print_hooks(&report.hooks, app, ui)?;
    if let Some(writer) = &report.writer {
        for line in writer_lines(&app.config.writer, writer, app.now) {
            ui.labelled("writer", &line)?;
        }
    }
    report.questions.iter().try_for_each(|question| ui.labelled("question", question))
}

/// Returns the one sentence that matters, the worst first.
fn verdict(report: &StatusReport, app: &App, ui: &Ui) -> (Tone, String) {
    let status = &report.status;
    if let Some(problem) = &report.problem {
        return (Tone::Bad, format!("The store is read-only: {problem}"));
    }
    if let Some(lost) = report.lost {
        let events = counted(lost.events, "event");
        return (
            Tone::Bad,
            format!("{events} were lost, the last {}: {NOWHERE}", ui.ago(lost.last, app.now)),
        );
    }
    if !app.config.capture.enabled {
        return (Tone::Warning, "Capture is off in your configuration: hooks keep nothing".to_owned());
    }
    let Some(last) = status.last_event_at else {
        return not_yet(report);
    };
    if !report.failing.is_empty() {
        let (names, _) = names_of(&report.failing);
        return (Tone::Bad, format!("The newest hooks of {names} failed: `backstory doctor` says why"));
    }
    let when = ui.ago(last, app.now);
    if app.now.0 - last.0 > QUIET_MS && !report.connected.is_empty() {
        let next = "if you worked since, `backstory doctor` tries the hooks";
        return (Tone::Warning, format!("The last event came {when}: {next}"));
    }
    if !report.questions.is_empty() {
        return (Tone::Warning, "All is well, but a question waits for you".to_owned());
    }
    (Tone::Good, format!("All is well: the last event came {when}"))
}

/// After so long without an event, connected hosts are not said to be well: a holiday is shorter.
const QUIET_MS: i64 = 14 * Timestamp::DAY_MS;

/// Returns the names of hosts, and the verb that goes with them.
fn names_of(hosts: &[Host]) -> (String, &'static str) {
    let names: Vec<&str> = hosts.iter().map(|host| host.title()).collect();
    (names.join(", "), if names.len() == 1 { "is" } else { "are" })
}

/// Says why nothing was captured yet, and what to do about it.
fn not_yet(report: &StatusReport) -> (Tone, String) {
    if report.connected.is_empty() {
        let next = "`backstory setup` connects your agents";
        return (Tone::Warning, format!("No agent is connected, so nothing was captured yet: {next}"));
    }
    let (names, verb) = names_of(&report.connected);
    let next = "begin a new session there; `backstory doctor` tries the hooks";
    (Tone::Warning, format!("{names} {verb} connected, and nothing was captured yet: {next}"))
}

fn print_store(report: &StatusReport, app: &App, ui: &Ui) -> Result<(), AppError> {
    let status = &report.status;
    let counts = &status.counts;
    let replaced = (counts.superseded > 0).then(|| format!(", {} superseded", counts.superseded));
    let forgotten = (counts.tombstones > 0).then(|| format!(", {} forgotten", counts.tombstones));
    let (replaced, forgotten) = (replaced.unwrap_or_default(), forgotten.unwrap_or_default());
    let projects = counted(counts.projects, "project");
    ui.labelled("memories", &format!("{} in force{replaced}{forgotten}, in {projects}", counts.confirmed))?;
    if counts.proposed > 0 {
        let waiting = format!("{} for your word: `backstory review`", memories(counts.proposed));
        ui.labelled("proposed", &waiting)?;
    }
    let events = format!("{}, {}", counted(counts.sessions, "session"), counted(counts.events, "event"));
    ui.labelled("captured", &events)?;
    if status.spooled > 0 {
        let next = "in the spool; the next command that can write takes them in";
        ui.labelled("waiting", &format!("{} {next}", status.spooled))?;
    }
    if let Some(lost) = report.lost {
        let (since, last) = (ui.ago(lost.since, app.now), ui.ago(lost.last, app.now));
        let events = counted(lost.events, "event");
        ui.labelled("lost", &format!("{events}, the first {since}, the last {last}: {NOWHERE}"))?;
    }
    if report.vectors_waiting > 0 && app.config.recall.vectors {
        ui.labelled("vectors", &format!("{} without; {MAKES_VECTORS}", memories(report.vectors_waiting)))?;
    }
    let size = format!("{:.1} MiB, schema {}", status.bytes as f64 / 1_048_576.0, status.schema);
    let home = ui.tone(Tone::Path, &app.home.root().display().to_string());
    ui.labelled("store", &format!("{home} · {size}"))?;
    let backup = status.newest_backup.as_ref().and_then(|path| path.file_name());
    let backup = backup.map_or_else(|| "none yet".to_owned(), |name| name.to_string_lossy().into_owned());
    ui.labelled("backup", &backup)?;
    let moved = |path: &PathBuf| ui.labelled("damaged", &format!("{} was moved aside", path.display()));
    status.quarantined.iter().try_for_each(moved)
}

/// Prints the last run of each host's hooks: ten lines of one host say no more than one.
fn print_hooks(receipts: &[Receipt], app: &App, ui: &Ui) -> Result<(), AppError> {
    let mut seen: Vec<&str> = Vec::new();
    for receipt in receipts {
        if seen.contains(&receipt.host.as_str()) {
            continue;
        }
        seen.push(&receipt.host);
        let (ms, when) = (f64::from(receipt.duration_us) / 1000.0, ui.ago(receipt.at, app.now));
        let (host, event) = (one_line(&receipt.host), one_line(&receipt.event));
        let outcome = one_line(&outcome_words(receipt));
        ui.labelled("hook", &format!("{host} {event} {when}, {ms:.0} ms: {outcome}"))?;
    }
    Ok(())
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
fn print_injected(all: &[Usefulness], ui: &Ui) -> Result<(), AppError> {
    let sum = |of: &mut dyn Iterator<Item = &Usefulness>| {
        of.fold((0, 0), |(injected, used), one| (injected + one.injected, used + one.used))
    };
    let (injected, _) = sum(&mut all.iter());
    if injected == 0 {
        return Ok(());
    }
    // A rule that is followed leaves no trace: rules are not judged by use.
    let is_judged = |one: &&Usefulness| one.kind != Kind::Rule.as_str();
    let judged = sum(&mut all.iter().filter(is_judged));
    let share = match judged {
        (0, _) => String::new(),
        (judged, used) if judged == injected => format!(", used {used} ({} %)", used * 100 / judged),
        (judged, used) => format!(", used {used} of {judged} beside rules ({} %)", used * 100 / judged),
    };
    let touched: u64 = all.iter().map(|one| one.touched).sum();
    let touched = if touched > 0 { format!(", {touched} touched") } else { String::new() };
    let mut sections: Vec<&str> = Vec::new();
    for one in all {
        if !sections.contains(&one.section.as_str()) {
            sections.push(&one.section);
        }
    }
    let parts = sections.iter().map(|section| {
        let own = || all.iter().filter(|one| one.section == *section);
        let (injected, used) = sum(&mut own());
        match own().any(|one| is_judged(&one)) {
            true => format!("{} {used}/{injected}", one_line(section)),
            false => format!("{} {injected}", one_line(section)),
        }
    });
    let parts = parts.collect::<Vec<_>>().join(" · ");
    ui.labelled("injected", &format!("{injected}{share}{touched}"))?;
    ui.labelled("", &ui.tone(Tone::Faint, &parts))
}
