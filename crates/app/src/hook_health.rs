//! How the hooks are doing: which hosts run them, whether they fail, and how long they take.
#![expect(missing_docs, reason = "the fields are the JSON keys; docs/http.md explains them")]

use crate::app::App;
use crate::doctor::receipts;
use crate::error::AppError;
use crate::json::{HookRunShape, hook_run};
use crate::times;
use backstory_store::{Receipt, Store};
use serde::Serialize;
use std::collections::BTreeMap;

/// How many hook runs are looked at, and how many are listed one by one.
const LOOKED_AT: u32 = 5000;
const LISTED: usize = 50;
/// The upper ends of the bars, in milliseconds. One more bar counts all slower runs.
const BARS: [u32; 10] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

/// How the hooks are doing.
#[derive(Debug, Serialize)]
pub struct HookHealthShape {
    pub version: u32,
    pub hosts: Vec<HostRunsShape>,
    pub receipts: Vec<HookRunShape>,
    pub latency: Vec<LatencyShape>,
}

/// The hook runs of one host.
#[derive(Debug, Serialize)]
pub struct HostRunsShape {
    pub host: String,
    pub last_at: String,
    pub runs: usize,
    pub failing: bool,
}

/// How long the hooks of one event take.
#[derive(Debug, Serialize)]
pub struct LatencyShape {
    pub event: String,
    pub p50_ms: f64,
    pub p95_ms: f64,
    pub runs: usize,
    pub histogram: Vec<BarShape>,
}

/// How many runs took at most `up_to_ms`, and longer than those of the bar before.
#[derive(Debug, Serialize)]
pub struct BarShape {
    pub up_to_ms: Option<u32>,
    pub runs: usize,
}

impl App {
    /// Reports how the hooks are doing.
    pub fn hook_health(&self, store: &Store) -> Result<HookHealthShape, AppError> {
        let runs = store.injections().receipts(LOOKED_AT)?;
        let mut hosts: BTreeMap<&str, Vec<&Receipt>> = BTreeMap::new();
        let mut events: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
        for receipt in &runs {
            hosts.entry(&receipt.host).or_default().push(receipt);
            events.entry(&receipt.event).or_default().push(receipt.duration_us);
        }
        Ok(HookHealthShape {
            version: 1,
            hosts: hosts.into_iter().filter_map(|(host, runs)| host_runs(host, &runs)).collect(),
            receipts: runs.iter().take(LISTED).map(hook_run).collect(),
            latency: events.into_iter().map(|(event, runs)| latency(event, runs)).collect(),
        })
    }
}

fn host_runs(host: &str, runs: &[&Receipt]) -> Option<HostRunsShape> {
    let newest: Vec<Receipt> = runs.iter().take(receipts::NEWEST as usize).copied().cloned().collect();
    Some(HostRunsShape {
        host: host.to_owned(),
        last_at: times::iso(runs.first()?.at),
        runs: runs.len(),
        failing: host.parse().is_ok_and(|host| receipts::is_failing(host, &newest)),
    })
}

fn latency(event: &str, mut us: Vec<u32>) -> LatencyShape {
    us.sort_unstable();
    let at = |share: f64| {
        let place = ((us.len() as f64 * share).ceil() as usize).saturating_sub(1);
        f64::from(us.get(place).copied().unwrap_or_default()) / 1000.0
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
