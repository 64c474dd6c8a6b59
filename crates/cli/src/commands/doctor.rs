//! `doctor`: looks whether the store is sound, and mends what can be mended; whether hosts are connected, and whether that works.

pub(crate) mod heard;
mod hosts;
mod told;
mod trial;

use crate::app::App;
use crate::args;
use crate::failure::{Exit, Failure};
use crate::ui::{Tone, memories};
use crate::vectors;
use backstory_embed::MiniLm;
use backstory_hosts::Host;
use backstory_recall::requeue_missing_vectors;
use backstory_store::{CheckDepth, CheckReport, Store};
use clap::Args;
use serde::Serialize;
use told::HostShape;

/// Arguments of `doctor`.
#[derive(Args, Debug)]
pub(crate) struct DoctorArgs {
    /// Also compare every memory with its checksum, and every index with its rows
    #[arg(long)]
    pub(crate) full: bool,
    /// Look at this host only (default: all that are here or connected)
    #[arg(long, value_name = "HOST", value_parser = args::hosts())]
    pub(crate) host: Option<Host>,
    /// Answer in JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Serialize)]
struct Findings {
    version: u32,
    ok: bool,
    config: Vec<String>,
    repaired: Option<RepairShape>,
    file: Vec<String>,
    word_index: Option<String>,
    schema: Vec<String>,
    damaged: Vec<i64>,
    looked_at: u64,
    vectors_waiting: u64,
    hosts: Vec<HostShape>,
}

#[derive(Serialize)]
struct RepairShape {
    quarantine: Option<String>,
    restored_from: Option<String>,
    salvaged: u64,
    mended: u64,
}

/// Checks the store, and the hosts.
pub(crate) fn run(args: &DoctorArgs, app: &App) -> Result<Exit, Failure> {
    let repaired = Store::repair(&app.home, app.now)?;
    let mut store = app.store()?;
    let depth = if args.full { CheckDepth::Full } else { CheckDepth::Quick };
    let mut report = store.check(depth)?;
    let mut reindexed = repaired.as_ref().and_then(|repair| repair.reindexed);
    if report.file.is_empty() && report.words.is_some() {
        // The word index is derived: it is made anew, never repaired.
        reindexed = Some(store.rebuild_word_index(|_| {})?);
        report.words = store.check(depth)?.words;
    }
    if args.full && app.config.recall.vectors {
        vectors::note_failure(&app.home, app.now, requeue_missing_vectors(&mut store, &MiniLm::load()));
    }
    let waiting = store.count_stale_vectors()?;
    let hosts = hosts::examine(args.host, &store, app)?;
    let is_well = app.faults.is_empty() && report.is_sound() && !hosts.iter().any(HostShape::is_broken);
    let exit = if is_well { Exit::Done } else { Exit::No };
    let repaired = repaired.map(|repair| RepairShape {
        quarantine: repair.quarantine.map(|path| path.display().to_string()),
        restored_from: repair.restored_from.map(|path| path.display().to_string()),
        salvaged: repair.salvaged,
        mended: repair.mended,
    });
    if args.json {
        app.ui.json(&findings(report, repaired, waiting, hosts, app))?;
        return Ok(exit);
    }
    for fault in &app.faults {
        app.ui.line(&format!("bad: {}", fault.line()))?;
        fault.hints().iter().for_each(|hint| app.ui.say(&format!("hint: {hint}")));
    }
    if let Some(repair) = &repaired {
        if let Some(quarantine) = &repair.quarantine {
            let source = repair.restored_from.as_deref().unwrap_or("nothing: there was no sound copy");
            app.ui.line(&format!("the database was damaged; it is kept in {quarantine}"))?;
            app.ui
                .line(&format!("restored from {source}; {} salvaged beside it", memories(repair.salvaged)))?;
        }
        if repair.mended > 0 {
            app.ui.line(&format!("{} damaged, taken from a copy", memories(repair.mended)))?;
        }
    }
    if let Some(count) = reindexed {
        app.ui
            .line(&format!("the word index was damaged and has been made anew from {}", memories(count)))?;
    }
    say(&report, args, app)?;
    if waiting > 0 && app.config.recall.vectors {
        app.ui.line(&format!("{} without a vector yet; {}", memories(waiting), vectors::MAKES_VECTORS))?;
    }
    for host in &hosts {
        host.say(app)?;
    }
    Ok(exit)
}

fn say(report: &CheckReport, args: &DoctorArgs, app: &App) -> Result<(), Failure> {
    for line in report.file.iter().chain(&report.schema).chain(&report.words) {
        app.ui.line(&format!("bad: {line}"))?;
    }
    for id in &report.damaged {
        app.ui.line(&format!("bad: memory #{id} is not what was written"))?;
    }
    if !report.is_sound() {
        app.ui.say("hint: `backstory show ID` still shows a damaged memory; `backstory revise ID` makes it sound again");
        return Ok(());
    }
    let depth = if args.full {
        format!("; the checksums of {} agree", memories(report.checked))
    } else {
        String::new()
    };
    app.ui.line(&app.ui.tone(Tone::Good, &format!("the store is sound{depth}")))
}

fn findings(
    report: CheckReport,
    repaired: Option<RepairShape>,
    vectors_waiting: u64,
    hosts: Vec<HostShape>,
    app: &App,
) -> Findings {
    Findings {
        version: 1,
        ok: app.faults.is_empty() && report.is_sound() && !hosts.iter().any(HostShape::is_broken),
        config: app.faults.iter().map(Failure::line).collect(),
        repaired,
        file: report.file,
        word_index: report.words,
        schema: report.schema,
        damaged: report.damaged.iter().map(|id| id.0).collect(),
        looked_at: report.checked,
        vectors_waiting,
        hosts,
    }
}
