//! The state of the store in JSON.

use crate::app::App;
use crate::doctor::receipts::outcome_words;
use crate::status::StatusReport;
use crate::times;
use backstory_store::{LostEvents, ModelUse, Receipt, Usefulness, WriterStatus};
use serde::Serialize;
use std::path::PathBuf;

/// How the store is doing.
#[derive(Debug, Serialize)]
pub struct StatusShape {
    pub version: u32,
    pub home: String,
    pub writable: bool,
    pub problem: Option<String>,
    pub schema: i64,
    pub memories: u64,
    pub confirmed: u64,
    pub proposed: u64,
    pub superseded: u64,
    pub forgotten: u64,
    pub events: u64,
    pub sessions: u64,
    pub projects: u64,
    pub injections: u64,
    pub injected: Vec<UsefulnessShape>,
    pub bytes: u64,
    pub spooled: usize,
    pub lost_events: Option<LostEventsShape>,
    pub vectors_waiting: u64,
    pub newest_backup: Option<String>,
    pub quarantined: Vec<String>,
    pub last_event_at: Option<String>,
    pub questions: Vec<String>,
    pub hooks: Vec<HookRunShape>,
    pub writer: Option<WriterShape>,
}

/// What the background writer does.
#[derive(Debug, Serialize)]
pub struct WriterShape {
    pub provider: &'static str,
    pub last_day: ModelUseShape,
    pub stored: ModelUseShape,
    pub waiting: u64,
    pub dead: u64,
    pub rests_until: Option<String>,
}

/// What models did in a while.
#[derive(Debug, Serialize)]
pub struct ModelUseShape {
    pub calls: u64,
    pub tokens_in: u64,
    pub tokens_out: u64,
    pub dollars: Option<f64>,
    pub kept: u64,
    pub rejected: u64,
}

/// How much of what was injected in a section, of a kind, was used.
#[derive(Debug, Serialize)]
pub struct UsefulnessShape {
    pub section: String,
    pub kind: String,
    pub injected: u64,
    pub used: u64,
    pub touched: u64,
}

/// One run of a hook.
#[derive(Debug, Serialize)]
pub struct HookRunShape {
    pub host: String,
    pub event: String,
    pub at: String,
    pub ms: f64,
    pub bytes_in: u32,
    pub bytes_out: u32,
    pub outcome: String,
}

/// Events that could be kept nowhere.
#[derive(Debug, Serialize)]
pub struct LostEventsShape {
    pub events: u64,
    pub since: String,
    pub last: String,
}

/// Returns how the store is doing.
pub fn status(report: StatusReport, app: &App) -> StatusShape {
    let StatusReport { problem, status, lost, vectors_waiting, hooks, usefulness, questions, writer, .. } =
        report;
    let counts = status.counts;
    let text = |path: &PathBuf| path.display().to_string();
    StatusShape {
        version: 1,
        home: text(&app.home.root().to_owned()),
        writable: problem.is_none(),
        problem,
        schema: status.schema,
        memories: counts.live,
        confirmed: counts.confirmed,
        proposed: counts.proposed,
        superseded: counts.superseded,
        forgotten: counts.tombstones,
        events: counts.events,
        sessions: counts.sessions,
        projects: counts.projects,
        injections: counts.injections,
        injected: usefulness.iter().map(usefulness_of_section).collect(),
        bytes: status.bytes,
        spooled: status.spooled,
        lost_events: lost.map(lost_events),
        vectors_waiting,
        newest_backup: status.newest_backup.as_ref().map(text),
        quarantined: status.quarantined.iter().map(text).collect(),
        last_event_at: status.last_event_at.map(times::iso),
        questions,
        hooks: hooks.iter().map(hook_run).collect(),
        writer: writer.map(|writer| writer_shape(&writer, app)),
    }
}

fn writer_shape(writer: &WriterStatus, app: &App) -> WriterShape {
    let model_use = |of: &ModelUse| ModelUseShape {
        calls: of.calls,
        tokens_in: of.tokens_in,
        tokens_out: of.tokens_out,
        dollars: app.config.writer.dollars(of.tokens_in, of.tokens_out),
        kept: of.kept,
        rejected: of.rejected,
    };
    WriterShape {
        provider: app.config.writer.provider.as_str(),
        last_day: model_use(&writer.last_day),
        stored: model_use(&writer.stored),
        waiting: writer.waiting,
        dead: writer.dead,
        rests_until: writer.rests_until.map(times::iso),
    }
}

/// Returns how many events were lost, and when.
pub fn lost_events(lost: LostEvents) -> LostEventsShape {
    LostEventsShape { events: lost.events, since: times::iso(lost.since), last: times::iso(lost.last) }
}

fn usefulness_of_section(of: &Usefulness) -> UsefulnessShape {
    UsefulnessShape {
        section: of.section.clone(),
        kind: of.kind.clone(),
        injected: of.injected,
        used: of.used,
        touched: of.touched,
    }
}

/// Returns one run of a hook.
pub fn hook_run(receipt: &Receipt) -> HookRunShape {
    HookRunShape {
        host: receipt.host.clone(),
        event: receipt.event.to_string(),
        at: times::iso(receipt.at),
        ms: f64::from(receipt.duration_us) / 1000.0,
        bytes_in: receipt.bytes_in,
        bytes_out: receipt.bytes_out,
        outcome: outcome_words(receipt),
    }
}
