//! `cargo xtask torture [ID…] [--suite attack] [--list]`: runs every bar of the reliability table at full size, and prints the figures its
//! tests report; for the attack suite also a table of what was tried and what held.
//!
//! `bars` is the table, `trials` builds and runs its tests over `process`, `verdict` judges their output. Nothing is measured here: a bar
//! whose tests report no figure has failed. Only here are times judged, and "too slow on this machine" is distinct from "failed". All bars
//! share one deadline; what still runs then is killed and has failed.

mod attacks;
mod bars;
mod process;
mod trials;
mod verdict;

use crate::places::target;
use crate::{TaskResult, say};
use bars::Bar;
use std::sync::{Mutex, mpsc};
use std::time::{Duration, Instant};
use trials::TortureBinaries;
use verdict::{BarResult, BarVerdict};

/// Bars without a time limit that run in parallel.
const LANES: usize = 2;

/// The deadline: all bars take seven minutes on two idle cores, and three times as long on busy ones.
const MOST: Duration = Duration::from_secs(45 * 60);

/// What was asked for.
struct TortureArguments {
    ids: Vec<&'static str>,
    is_attack: bool,
    is_list: bool,
}

impl TortureArguments {
    fn parse(arguments: &[String]) -> Option<TortureArguments> {
        let mut parsed = TortureArguments { ids: Vec::new(), is_attack: false, is_list: false };
        let mut arguments = arguments.iter().map(String::as_str);
        while let Some(argument) = arguments.next() {
            match argument {
                "--list" => parsed.is_list = true,
                "--suite" if arguments.next() == Some("attack") => parsed.is_attack = true,
                id => parsed.ids.push(bars::all().find(|bar| bar.id == id)?.id),
            }
        }
        Some(parsed)
    }
}

/// Runs the named bars, or all of them.
pub(crate) fn run(arguments: &[String]) -> TaskResult {
    let Some(TortureArguments { ids, is_attack, is_list }) = TortureArguments::parse(arguments) else {
        return Err("usage: cargo xtask torture [ID…] [--suite attack] [--list]".into());
    };
    let is_chosen = |bar: &Bar| {
        (ids.is_empty() && !is_attack) || ids.contains(&bar.id) || (is_attack && bar.id.starts_with('A'))
    };
    let chosen: Vec<&Bar> = bars::all().filter(|bar| is_chosen(bar)).collect();
    if is_list {
        chosen.iter().for_each(|bar| say(&format!("{}  {}", bar.id, bar.promise)));
        return Ok(());
    }
    run_all(&chosen, &TortureBinaries::build()?)
}

fn run_all(chosen: &[&Bar], binaries: &TortureBinaries) -> TaskResult {
    let started = Instant::now();
    let deadline = started + MOST;
    let (alone, beside): (Vec<&Bar>, Vec<&Bar>) = chosen.iter().partition(|bar| !bar.within.is_empty());
    let mut verdicts: Vec<BarVerdict> =
        alone.into_iter().map(|bar| run_bar(bar, binaries, deadline)).collect();
    verdicts.extend(in_lanes(&beside, binaries, deadline));
    attacks::table(&verdicts).iter().for_each(|row| say(row));
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
