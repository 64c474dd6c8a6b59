//! Bars of the reliability table: how large a test runs, and the figures it tells `cargo xtask torture`.
//!
//! Nothing is judged here. What must hold is asserted by the test itself, whatever its size; how long something took is only told,
//! and judged by who runs the whole table on a machine that is quiet enough for it.

use std::fmt::Display;
use std::time::{Duration, Instant};

/// Whether the sizes of the reliability table are wanted.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "chosen by who runs the tests")]
pub fn is_torture() -> bool {
    std::env::var_os("BACKSTORY_TORTURE").is_some()
}

/// Returns the `cargo test` size, or the size of the reliability table.
#[must_use]
pub fn size(usual: usize, torture: usize) -> usize {
    if is_torture() { torture } else { usual }
}

/// Tells what a bar was measured to be.
#[expect(clippy::print_stdout, reason = "the test harness hands it on")]
pub fn bar(id: &str, figure: impl Display) {
    println!("bar {id}: {figure}");
}

/// How long the same thing took, each time.
#[derive(Clone, Debug, Default)]
pub struct Times(Vec<Duration>);

impl Times {
    /// Does something once more, and notes how long it took.
    pub fn of<T>(&mut self, doing: impl FnOnce() -> T) -> T {
        let begun = Instant::now();
        let done = doing();
        self.add(begun.elapsed());
        done
    }

    /// Notes a time that was taken elsewhere.
    pub fn add(&mut self, time: Duration) {
        self.0.push(time);
    }

    /// Tells what a bar is about: `p50` and `p95` of the times, or the longest of them for any other word.
    #[expect(clippy::print_stdout, reason = "the test harness hands it on")]
    pub fn tell(&self, id: &str, what: &str) {
        let hundredths = match what.rsplit(' ').next() {
            Some("p50") => 50,
            Some("p95") => 95,
            _ => 100,
        };
        println!("took {id}: {what} {:.1} ms", self.percentile(hundredths).as_secs_f64() * 1000.0);
    }

    /// Returns the time that so many hundredths of all do not exceed.
    fn percentile(&self, hundredths: usize) -> Duration {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let at = (sorted.len() * hundredths).div_ceil(100).saturating_sub(1);
        sorted.get(at).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_one_of_the_times() {
        let mut times = Times::default();
        assert_eq!(times.percentile(95), Duration::ZERO);
        (1..=200).rev().for_each(|ms| times.add(Duration::from_millis(ms)));
        let found = [50, 95, 100].map(|hundredths| times.percentile(hundredths).as_millis());
        assert_eq!(found, [100, 190, 200]);
    }
}
