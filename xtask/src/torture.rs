//! `cargo xtask torture [ID…] [--list]`: runs every bar of the reliability table at full size, and prints the figures its tests report.
//!
//! `bars` is the table, `trials` builds and runs its tests over `process`, `verdict` judges their output. Nothing is measured here: a bar
//! whose tests report no figure has failed. Only here are times judged, and "too slow on this machine" is distinct from "failed". All bars
//! share one deadline; what still runs then is killed and has failed.

mod bars;
mod process;
mod trials;
mod verdict;

use crate::places::target;
use crate::{TaskResult, say};
use bars::{BARS, Bar};
use std::sync::{Mutex, mpsc};
use std::time::{Duration, Instant};
use trials::TortureBinaries;
use verdict::{BarResult, BarVerdict};

/// Bars without a time limit that run in parallel.
const LANES: usize = 2;

/// The deadline: all bars take seven minutes on two idle cores, and three times as long on busy ones.
const MOST: Duration = Duration::from_secs(45 * 60);

/// Runs the named bars, or all of them.
pub(crate) fn run(arguments: &[String]) -> TaskResult {
    let (flags, ids): (Vec<&String>, Vec<&String>) =
        arguments.iter().partition(|argument| argument.starts_with("--"));
    let unknown = ids.iter().find(|id| !BARS.iter().any(|bar| bar.id == id.as_str()));
    if unknown.is_some() || flags.iter().any(|flag| *flag != "--list") {
        return Err("usage: cargo xtask torture [ID…] [--list]".into());
    }
    let chosen = || BARS.iter().filter(|bar| ids.is_empty() || ids.iter().any(|id| *id == bar.id));
    if !flags.is_empty() {
        chosen().for_each(|bar| say(&format!("{}  {}", bar.id, bar.promise)));
        return Ok(());
    }
    run_all(&chosen().collect::<Vec<_>>(), &TortureBinaries::build()?)
}

fn run_all(chosen: &[&Bar], binaries: &TortureBinaries) -> TaskResult {
    let started = Instant::now();
    let deadline = started + MOST;
    let (alone, beside): (Vec<&Bar>, Vec<&Bar>) = chosen.iter().partition(|bar| !bar.within.is_empty());
    let mut verdicts: Vec<BarVerdict> =
        alone.into_iter().map(|bar| run_bar(bar, binaries, deadline)).collect();
    verdicts.extend(in_lanes(&beside, binaries, deadline));
    let count = |result| verdicts.iter().filter(|verdict| verdict.result == result).count();
    let failed = count(BarResult::Failed);
    say(&format!(
        "\n{} passed, {failed} failed, {} over their time; {} skipped: {} bars in {:.0} s",
        count(BarResult::Passed),
        count(BarResult::Slow),
        count(BarResult::Skipped),
        verdicts.len(),
        started.elapsed().as_secs_f64(),
    ));
    if failed == 0 {
        return Ok(());
    }
    Err(format!("{failed} bars failed: see {}", target().join("torture").display()).into())
}

fn in_lanes(bars: &[&Bar], binaries: &TortureBinaries, deadline: Instant) -> Vec<BarVerdict> {
    let (done, verdicts) = mpsc::channel();
    let waiting = Mutex::new(bars.iter());
    // Each lane takes the next waiting bar; the lock is released while it runs.
    let next = || waiting.lock().ok()?.next().copied();
    std::thread::scope(|scope| {
        for _ in 0..LANES {
            let done = done.clone();
            scope.spawn(move || {
                while let Some(bar) = next() {
                    drop(done.send(run_bar(bar, binaries, deadline)));
                }
            });
        }
    });
    drop(done);
    verdicts.into_iter().collect()
}

/// Runs the tests of a bar, and prints the result at once.
fn run_bar(bar: &Bar, binaries: &TortureBinaries, deadline: Instant) -> BarVerdict {
    let started = Instant::now();
    let verdict = BarVerdict::judge(bar, &binaries.run(bar, deadline));
    say(&line(bar, &verdict, started.elapsed()));
    verdict
}

fn line(bar: &Bar, verdict: &BarVerdict, took: Duration) -> String {
    format!("{}  {:<8} {}  {:.1} s", bar.id, verdict.result.word(), verdict.figures, took.as_secs_f64())
}
