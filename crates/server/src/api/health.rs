//! How everything is doing: the store, the hooks, the worker itself, and all of it in numbers.

use super::{json, ms};
use crate::ApiReply;
use backstory_app::doctor::receipts;
use backstory_app::json::{self as shapes, HookRunShape, StatusShape};
use backstory_app::{App, AppError, times};
use backstory_store::{Receipt, Store};
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Duration;

/// How many hook runs are looked at, and how many are listed one by one.
const LOOKED_AT: u32 = 5000;
const LISTED: usize = 50;
/// Up to so many milliseconds a run of a hook counts for one bar; the last bar has no end.
const BARS: [u32; 10] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

#[derive(Serialize)]
struct WorkerStatusShape {
    #[serde(flatten)]
    status: StatusShape,
    uptime_s: u64,
    rss_bytes: Option<u64>,
    version_of_worker: &'static str,
}

#[derive(Serialize)]
struct HooksShape {
    version: u32,
    hosts: Vec<HostRunsShape>,
    receipts: Vec<HookRunShape>,
    latency: Vec<LatencyShape>,
}

#[derive(Serialize)]
struct HostRunsShape {
    host: String,
    last_at: String,
    runs: usize,
    failing: bool,
}

#[derive(Serialize)]
struct LatencyShape {
    event: String,
    p50_ms: f64,
    p95_ms: f64,
    runs: usize,
    histogram: Vec<BarShape>,
}

#[derive(Serialize)]
struct BarShape {
    up_to_ms: Option<u32>,
    runs: usize,
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

pub(super) fn hooks(store: &Store) -> Result<ApiReply, AppError> {
    let runs = store.injections().receipts(LOOKED_AT)?;
    let mut hosts: BTreeMap<&str, Vec<&Receipt>> = BTreeMap::new();
    let mut events: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for receipt in &runs {
        hosts.entry(&receipt.host).or_default().push(receipt);
        events.entry(&receipt.event).or_default().push(receipt.duration_us);
    }
    let hosts = hosts.into_iter().filter_map(|(host, runs)| {
        let newest: Vec<Receipt> = runs.iter().take(receipts::NEWEST as usize).copied().cloned().collect();
        Some(HostRunsShape {
            host: host.to_owned(),
            last_at: times::iso(runs.first()?.at),
            runs: runs.len(),
            failing: host.parse().is_ok_and(|host| receipts::is_failing(host, &newest)),
        })
    });
    json(&HooksShape {
        version: 1,
        hosts: hosts.collect(),
        receipts: runs.iter().take(LISTED).map(shapes::hook_run).collect(),
        latency: events.into_iter().map(|(event, runs)| latency(event, runs)).collect(),
    })
}

fn latency(event: &str, mut us: Vec<u32>) -> LatencyShape {
    us.sort_unstable();
    let at = |share: f64| {
        let place = ((us.len() as f64 * share).ceil() as usize).saturating_sub(1);
        ms(us.get(place).copied().unwrap_or_default())
    };
    let below = |bar: u32| us.partition_point(|us| *us <= bar * 1000);
    let mut histogram = Vec::new();
    let mut counted = 0;
    for bar in BARS {
        histogram.push(BarShape { up_to_ms: Some(bar), runs: below(bar) - counted });
        counted = below(bar);
    }
    histogram.push(BarShape { up_to_ms: None, runs: us.len() - counted });
    LatencyShape { event: event.to_owned(), p50_ms: at(0.5), p95_ms: at(0.95), runs: us.len(), histogram }
}

pub(super) fn stats(store: &Store) -> Result<ApiReply, AppError> {
    let (status, totals) = (store.upkeep().status()?, store.browse().totals()?);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_run_stands_in_one_bar() {
        let bars = latency("Stop", vec![900, 1000, 1001, 7_000, 3_000_000]);
        let runs: Vec<usize> = bars.histogram.iter().map(|bar| bar.runs).collect();
        assert_eq!(runs, [2, 1, 0, 1, 0, 0, 0, 0, 0, 0, 1]);
        assert_eq!((bars.p50_ms, bars.p95_ms, bars.runs), (1.001, 3000.0, 5));
    }
}
