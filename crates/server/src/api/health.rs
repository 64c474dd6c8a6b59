//! How everything is doing: the store, the hooks, the worker itself, and all of it in numbers.

use super::json;
use crate::ApiReply;
use backstory_app::json::{self as shapes, StatusShape};
use backstory_app::status::StoreStats;
use backstory_app::{App, AppError};
use backstory_store::Store;
use serde::Serialize;
use std::time::Duration;

#[derive(Serialize)]
struct WorkerStatusShape {
    #[serde(flatten)]
    status: StatusShape,
    uptime_s: u64,
    rss_bytes: Option<u64>,
    version_of_worker: &'static str,
}

#[derive(Serialize)]
struct StatsShape {
    version: u32,
    memories: u64,
    superseded: u64,
    forgotten: u64,
    by_kind: Vec<KindCountShape>,
    by_project: Vec<ProjectCountShape>,
    events: u64,
    sessions: u64,
    injections: u64,
    tokens: u64,
    tokens_injected: u64,
    injected: u64,
    used: u64,
    bytes: u64,
}

#[derive(Serialize)]
struct KindCountShape {
    kind: String,
    memories: u64,
}

#[derive(Serialize)]
struct ProjectCountShape {
    id: i64,
    name: String,
    memories: u64,
}

pub(super) fn status(
    store: &Store,
    problem: Option<String>,
    uptime: Duration,
    app: &App,
) -> Result<ApiReply, AppError> {
    json(&WorkerStatusShape {
        status: shapes::status(app.status(store, problem)?, app),
        uptime_s: uptime.as_secs(),
        rss_bytes: backstory_platform::resident_bytes(),
        version_of_worker: env!("CARGO_PKG_VERSION"),
    })
}

pub(super) fn hooks(store: &Store, app: &App) -> Result<ApiReply, AppError> {
    json(&app.hook_health(store)?)
}

pub(super) fn stats(store: &Store, app: &App) -> Result<ApiReply, AppError> {
    let StoreStats { status, totals } = app.stats(store)?;
    let counts = status.counts;
    let kind = |(kind, memories)| KindCountShape { kind, memories };
    json(&StatsShape {
        version: 1,
        memories: counts.live,
        superseded: counts.superseded,
        forgotten: counts.tombstones,
        by_kind: totals.by_kind.into_iter().map(kind).collect(),
        by_project: totals
            .by_project
            .into_iter()
            .map(|(id, name, memories)| ProjectCountShape { id: id.0, name, memories })
            .collect(),
        events: counts.events,
        sessions: counts.sessions,
        injections: counts.injections,
        tokens: totals.tokens,
        tokens_injected: totals.tokens_injected,
        injected: totals.injected,
        used: totals.used,
        bytes: status.bytes,
    })
}
