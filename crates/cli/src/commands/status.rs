//! `status`: how the store is doing, and whether hooks really run.

use crate::app::App;
use crate::config::Provider;
use crate::failure::{Exit, Failure};
use crate::times;
use crate::ui::{Tone, memories, one_line};
use crate::vectors::MAKES_VECTORS;
use backstory_memory::Timestamp;
use backstory_store::{ModelWorkStatus, Receipt, Store, StoreStatus, Usefulness};
use clap::Args;
use serde::Serialize;
use std::path::PathBuf;

/// Arguments of `status`.
#[derive(Args, Debug)]
pub(crate) struct StatusArgs {
    /// SearchResults in JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// How the store is doing, for other programs.
#[derive(Serialize)]
pub(crate) struct StatusShape {
    version: u32,
    home: String,
    writable: bool,
    problem: Option<String>,
    schema: i64,
    memories: u64,
    superseded: u64,
    forgotten: u64,
    events: u64,
    sessions: u64,
    projects: u64,
    injections: u64,
    given: Vec<GivenShape>,
    bytes: u64,
    spooled: usize,
    vectors_waiting: u64,
    newest_backup: Option<String>,
    quarantined: Vec<String>,
    last_event_at: Option<String>,
    hooks: Vec<HookShape>,
    model_work: Option<ModelWorkShape>,
}

/// What optional model work has done.
#[derive(Serialize)]
pub(crate) struct ModelWorkShape {
    provider: &'static str,
    calls_last_day: u64,
    tokens_last_day: u64,
    waiting: u64,
    dead: u64,
    resting: bool,
}

/// How much of what sessions were given they used.
#[derive(Serialize)]
pub(crate) struct GivenShape {
    section: String,
    kind: String,
    given: u64,
    used: u64,
}

/// One run of a hook.
#[derive(Serialize)]
pub(crate) struct HookShape {
    host: String,
    event: String,
    at: String,
    ms: f64,
    bytes_in: u32,
    bytes_out: u32,
    outcome: String,
}

/// Shows how the store is doing.
pub(crate) fn run(args: &StatusArgs, app: &App) -> Result<Exit, Failure> {
    let (store, problem) = app.store_and_problem()?;
    let problem = problem.map(|problem| problem.to_string());
    if args.json {
        app.ui.json(&told(&store, problem, app)?)?;
    } else {
        StatusReport::of(&store, problem, app)?.lines(app).iter().try_for_each(|line| app.ui.line(line))?;
    }
    Ok(Exit::Done)
}

/// How the store is doing.
struct StatusReport {
    /// Why it can only be read.
    problem: Option<String>,
    status: StoreStatus,
    vectors_waiting: u64,
    hooks: Vec<Receipt>,
    usefulness: Vec<Usefulness>,
    /// What a model did, where one is configured or was asked.
    work: Option<ModelWorkStatus>,
}

impl StatusReport {
    fn of(store: &Store, problem: Option<String>, app: &App) -> Result<StatusReport, Failure> {
        let work = store.model_work(app.now)?;
        Ok(StatusReport {
            problem,
            status: store.status()?,
            // A store of an older schema that can only be read has no place for this.
            vectors_waiting: store.count_stale_vectors().unwrap_or(0),
            hooks: store.receipts(10)?,
            usefulness: store.usefulness()?,
            work: (app.config.distil.provider != Provider::None || work.calls > 0).then_some(work),
        })
    }

    /// Says it.
    fn lines(&self, app: &App) -> Vec<String> {
        let status = &self.status;
        let counts = &status.counts;
        let last = status.last_event_at.map_or("never".to_owned(), |at| ago(at, app.now));
        let home = app.ui.tone(Tone::Path, &app.home.root().display().to_string());
        let mut lines = vec![format!("home      {home}")];
        lines.extend(self.problem.iter().map(|problem| format!("          can only be read: {problem}")));
        lines.extend([
            format!(
                "memories  {} in force, {} superseded, {} forgotten; projects: {}",
                counts.live, counts.superseded, counts.tombstones, counts.projects
            ),
            format!("events    {}, the last {last}; sessions: {}", counts.events, counts.sessions),
            format!("size      {:.1} MiB, schema {}", status.bytes as f64 / 1_048_576.0, status.schema),
        ]);
        lines.extend(given_lines(&self.usefulness).iter().map(|line| format!("given     {line}")));
        if status.spooled > 0 {
            let next = "in the spool; the next command that can write takes them in";
            lines.push(format!("waiting   {} {next}", status.spooled));
        }
        if self.vectors_waiting > 0 && app.config.recall.vectors {
            lines.push(format!("vectors   {} without; {MAKES_VECTORS}", memories(self.vectors_waiting)));
        }
        lines.push(match &status.newest_backup {
            Some(path) => format!("backup    {}", path.display()),
            None => "backup    none yet".to_owned(),
        });
        let moved = |path: &PathBuf| format!("damaged   {} was moved aside", path.display());
        lines.extend(status.quarantined.iter().map(moved));
        let provider = app.config.distil.provider;
        lines.extend(self.work.iter().map(|work| format!("model     {}", model_line(provider, work))));
        lines.extend(self.hooks.iter().map(|receipt| hook_line(receipt, app.now)));
        lines
    }
}

fn hook_line(receipt: &Receipt, now: Timestamp) -> String {
    let (ms, at) = (f64::from(receipt.duration_us) / 1000.0, ago(receipt.at, now));
    format!(
        "hook      {} {} {at}: {} in {ms:.1} ms",
        one_line(&receipt.host),
        one_line(&receipt.event),
        one_line(&receipt.outcome)
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

/// Tells how the store is doing. Every door tells it through here.
pub(crate) fn told(store: &Store, problem: Option<String>, app: &App) -> Result<StatusShape, Failure> {
    let StatusReport { problem, status, vectors_waiting, hooks, usefulness, work } =
        StatusReport::of(store, problem, app)?;
    let counts = status.counts;
    let text = |path: &PathBuf| path.display().to_string();
    Ok(StatusShape {
        version: 1,
        home: text(&app.home.root().to_owned()),
        writable: problem.is_none(),
        problem,
        schema: status.schema,
        memories: counts.live,
        superseded: counts.superseded,
        forgotten: counts.tombstones,
        events: counts.events,
        sessions: counts.sessions,
        projects: counts.projects,
        injections: counts.injections,
        given: usefulness.iter().map(given).collect(),
        bytes: status.bytes,
        spooled: status.spooled,
        vectors_waiting,
        newest_backup: status.newest_backup.as_ref().map(text),
        quarantined: status.quarantined.iter().map(text).collect(),
        last_event_at: status.last_event_at.map(times::iso),
        hooks: hooks.iter().map(hook).collect(),
        model_work: work.map(|work| ModelWorkShape {
            provider: app.config.distil.provider.as_str(),
            calls_last_day: work.calls_last_day,
            tokens_last_day: work.tokens_last_day,
            waiting: work.waiting,
            dead: work.dead,
            resting: work.is_circuit_open,
        }),
    })
}

fn given(of: &Usefulness) -> GivenShape {
    GivenShape { section: of.section.clone(), kind: of.kind.clone(), given: of.injected, used: of.used }
}

/// Says how much of what was given was used: all in all, then section by section.
fn given_lines(all: &[Usefulness]) -> Vec<String> {
    let sum = |of: &mut dyn Iterator<Item = &Usefulness>| {
        of.fold((0, 0), |(given, used), one| (given + one.injected, used + one.used))
    };
    let told = |(given, used): (u64, u64)| format!("{given}, used {used} ({} %)", used * 100 / given.max(1));
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
        sections.iter().map(|section| format!("  {}: {}", one_line(section), told(of_section(section))));
    std::iter::once(told(total)).chain(lines).collect()
}

/// Tells of one run of a hook.
pub(crate) fn hook(receipt: &Receipt) -> HookShape {
    HookShape {
        host: receipt.host.clone(),
        event: receipt.event.clone(),
        at: times::iso(receipt.at),
        ms: f64::from(receipt.duration_us) / 1000.0,
        bytes_in: receipt.bytes_in,
        bytes_out: receipt.bytes_out,
        outcome: receipt.outcome.clone(),
    }
}

fn ago(at: Timestamp, now: Timestamp) -> String {
    backstory_inject::time_ago(at, now)
}
