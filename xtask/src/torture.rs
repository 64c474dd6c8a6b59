//! `cargo xtask torture [ID…] [--list]`: every bar of the reliability table, at full size, each with the figure its tests measured.
//!
//! The table is `bars`, how its tests are built and run is `trials` over `running`, what is made of their words is `verdict`. Nothing is measured
//! here: a bar whose tests tell no figure has failed. Time is judged here and only here, and a machine that was too slow is told
//! apart from a promise that was broken. All of it has one deadline: what has not ended by then has failed, and is ended.

mod bars;
mod running;
mod trials;
mod verdict;

use crate::places::target;
use crate::{TaskResult, say};
use bars::{BARS, Bar};
use std::sync::{Mutex, mpsc};
use std::time::{Duration, Instant};
use trials::Binaries;
use verdict::{BarResult, Verdict};

/// So many bars without a time of their own run beside each other.
const LANES: usize = 2;

/// All bars together take seven minutes on two idle cores, and three times as long on busy ones.
const MOST: Duration = Duration::from_secs(45 * 60);

/// Runs the bars that are named, or all of them.
pub(crate) fn run(arguments: &[String]) -> TaskResult {
    let (flags, ids): (Vec<&String>, Vec<&String>) =
        arguments.iter().partition(|argument| argument.starts_with("--"));
    let unknown = ids.iter().find(|id| !BARS.iter().any(|bar| bar.id == id.as_str()));
    if unknown.is_some() || flags.iter().any(|flag| *flag != "--list") {
        return Err("usage: cargo xtask torture [ID…] [--list]".into());
    }
    let chosen = || BARS.iter().filter(|bar| ids.is_empty() || ids.iter().any(|id| *id == bar.id));
    if !flags.is_empty() {
        chosen().for_each(|bar| say(&format!("{}  {}", bar.id, bar.says)));
        return Ok(());
    }
    show(&chosen().collect::<Vec<_>>(), &Binaries::build()?)
}

fn show(chosen: &[&Bar], binaries: &Binaries) -> TaskResult {
    let begun = Instant::now();
    let deadline = begun + MOST;
    let (alone, beside): (Vec<&Bar>, Vec<&Bar>) = chosen.iter().partition(|bar| !bar.within.is_empty());
    let mut verdicts: Vec<Verdict> = alone.into_iter().map(|bar| shown(bar, binaries, deadline)).collect();
    verdicts.extend(in_lanes(&beside, binaries, deadline));
    let count = |standing| verdicts.iter().filter(|verdict| verdict.standing == standing).count();
    let failed = count(BarResult::Failed);
    say(&format!(
        "\n{} passed, {failed} failed, {} over their time; {} skipped: {} bars in {:.0} s",
        count(BarResult::Passed),
        count(BarResult::Slow),
        count(BarResult::Skipped),
        verdicts.len(),
        begun.elapsed().as_secs_f64(),
    ));
    if failed == 0 {
        return Ok(());
    }
    Err(format!("{failed} bars failed: see {}", target().join("torture").display()).into())
}

fn in_lanes(bars: &[&Bar], binaries: &Binaries, deadline: Instant) -> Vec<Verdict> {
    let (done, verdicts) = mpsc::channel();
    let waiting = Mutex::new(bars.iter());
    // Each lane takes the next bar that waits, and lets go of the list while it runs.
    let next = || waiting.lock().ok()?.next().copied();
    std::thread::scope(|scope| {
        for _ in 0..LANES {
            let done = done.clone();
            scope.spawn(move || {
                while let Some(bar) = next() {
                    drop(done.send(shown(bar, binaries, deadline)));
                }
            });
        }
    });
    drop(done);
    verdicts.into_iter().collect()
}

/// Runs the tests of a bar, and says at once how it stands.
fn shown(bar: &Bar, binaries: &Binaries, deadline: Instant) -> Verdict {
    let begun = Instant::now();
    let verdict = Verdict::of(bar, &binaries.run(bar, deadline));
    say(&line(bar, &verdict, begun.elapsed()));
    verdict
}

fn line(bar: &Bar, verdict: &Verdict, took: Duration) -> String {
    format!("{}  {:<8} {}  {:.1} s", bar.id, verdict.standing.word(), verdict.told, took.as_secs_f64())
}
