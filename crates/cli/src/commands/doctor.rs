//! `doctor`: prints whether the store is sound, what was repaired, and whether hosts are connected and working.

use crate::args;
use crate::exit::Exit;
use crate::ui::{Tone, Ui, memories};
use backstory_app::doctor::{DoctorReport, DoctorRequest, DoctorShape, HostReportShape, Level};
use backstory_app::words::{NOWHERE, counted};
use backstory_app::{App, AppError, vectors};
use backstory_hosts::Host;
use backstory_inject::time_ago;
use backstory_store::{CheckDepth, CheckReport};
use clap::Args;

/// Arguments of `doctor`.
#[derive(Args, Debug)]
pub(crate) struct DoctorArgs {
    /// Also verify the checksum of every memory and every index against its rows
    #[arg(long)]
    pub(crate) full: bool,
    /// Check this host only (default: all that are here or connected)
    #[arg(long, value_name = "HOST", value_parser = args::hosts())]
    pub(crate) host: Option<Host>,
    /// Output as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Checks the store, and the hosts.
pub(crate) fn run(args: &DoctorArgs, app: &App, ui: &Ui) -> Result<Exit, AppError> {
    let depth = if args.full { CheckDepth::Full } else { CheckDepth::Quick };
    let report = app.doctor(DoctorRequest { depth, host: args.host })?;
    let exit = if report.is_well() { Exit::Done } else { Exit::No };
    if args.json {
        ui.json(&DoctorShape::from(report))?;
    } else {
        print(&report, depth, app, ui)?;
    }
    Ok(exit)
}

fn print(report: &DoctorReport, depth: CheckDepth, app: &App, ui: &Ui) -> Result<(), AppError> {
    for fault in &report.faults {
        ui.sentence(&format!("bad: {}", fault.line()))?;
        fault.hints().iter().for_each(|hint| ui.say(&format!("hint: {hint}")));
    }
    if let Some(repair) = &report.repaired {
        if let Some(quarantine) = &repair.quarantine {
            let source = repair.restored_from.as_ref().map(|path| path.display().to_string());
            let source = source.unwrap_or_else(|| "nothing: there was no backup yet".to_owned());
            let (mirrored, salvaged) = (memories(repair.mirrored), memories(repair.salvaged));
            ui.sentence(&format!("the database was damaged; it is kept in {}", quarantine.display()))?;
            ui.sentence(&format!(
                "restored from {source}; {mirrored} added from the mirror, {salvaged} from the damaged file"
            ))?;
        }
        if repair.mended > 0 {
            ui.sentence(&format!("{} damaged, taken from a copy", memories(repair.mended)))?;
        }
    }
    if let Some(count) = report.reindexed {
        ui.sentence(&format!("the word index was damaged and has been rebuilt from {}", memories(count)))?;
    }
    print_check(&report.store, depth, ui)?;
    if report.vectors_waiting > 0 && app.config.recall.vectors {
        let waiting = memories(report.vectors_waiting);
        ui.sentence(&format!("{waiting} without a vector yet; {}", vectors::MAKES_VECTORS))?;
    }
    report.notes.iter().try_for_each(|note| ui.sentence(&format!("note: {note}")))?;
    if let Some(lost) = report.lost {
        let (since, last) = (time_ago(lost.since, app.now), time_ago(lost.last, app.now));
        let events = counted(lost.events, "event");
        ui.sentence(&format!("note: {events} were lost, the first {since}, the last {last}: {NOWHERE}"))?;
        ui.say("hint: free some space on the disk, and check who may write in the data directory");
    }
    report.hosts.iter().try_for_each(|host| print_host(host, ui))
}

fn print_check(report: &CheckReport, depth: CheckDepth, ui: &Ui) -> Result<(), AppError> {
    for line in report.file.iter().chain(&report.schema).chain(&report.words) {
        ui.sentence(&format!("bad: {line}"))?;
    }
    for id in &report.damaged {
        ui.sentence(&format!("bad: memory #{id} is not what was written"))?;
    }
    if !report.is_sound() {
        ui.say("hint: `backstory show ID` still shows a damaged memory; `backstory revise ID` makes it sound again");
        return Ok(());
    }
    let depth = match depth {
        CheckDepth::Full => format!("; the checksums of {} agree", memories(report.checked)),
        CheckDepth::Quick => String::new(),
    };
    ui.sentence(&ui.tone(Tone::Good, &format!("the store is sound{depth}")))
}

fn print_host(host: &HostReportShape, ui: &Ui) -> Result<(), AppError> {
    let is_good = matches!(host.state, "working" | "ready");
    let tone = if is_good { Tone::Good } else { Tone::Strong };
    ui.sentence(&format!("{}: {}", host.title, ui.tone(tone, host.state)))?;
    let slowest = host.hooks.iter().map(|hook| hook.ms).fold(0.0, f64::max);
    if !host.hooks.is_empty() {
        let well = host.hooks.iter().filter(|hook| hook.ok).count();
        let tried = host.hooks.len();
        ui.sentence(&format!("  hooks  {well} of {tried} ran and answered, the slowest in {slowest:.0} ms"))?;
    }
    if host.mcp_ok == Some(true) {
        ui.sentence("  tools  answered")?;
    }
    if let Some(last) = &host.last_hook {
        let usual = host.usual_ms.map(|ms| format!("; they take {ms:.1} ms")).unwrap_or_default();
        ui.sentence(&format!("  last   {} {}: {}{usual}", last.event, last.ago, last.outcome))?;
    }
    for finding in &host.findings {
        let mark = match finding.level {
            Level::Broken => "bad",
            Level::Note => "note",
        };
        ui.sentence(&format!("  {mark}: {}", finding.what))?;
        if let Some(todo) = &finding.todo {
            ui.sentence(&format!("    to do: {todo}"))?;
        }
    }
    Ok(())
}
