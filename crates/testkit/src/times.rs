//! Durations of repeated runs, and their percentiles. Nothing is judged here.

use std::time::{Duration, Instant};

/// Durations of repeated runs.
#[derive(Clone, Debug, Default)]
pub struct Times(Vec<Duration>);

impl Times {
    /// Runs something once, and adds its duration.
    pub fn measure<T>(&mut self, run: impl FnOnce() -> T) -> T {
        let started = Instant::now();
        let result = run();
        self.add(started.elapsed());
        result
    }

    /// Adds a duration measured elsewhere.
    pub fn add(&mut self, time: Duration) {
        self.0.push(time);
    }

    /// Returns a percentile by nearest rank, in milliseconds.
    ///
    /// # Panics
    ///
    /// When nothing was timed: 0 would look like the fastest run.
    #[must_use]
    pub fn ms(&self, percent: usize) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let at = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
        sorted.get(at).expect("nothing was timed").as_secs_f64() * 1e3
    }

    /// Reports a time of a bar: a name that ends in `p50` or `p95` gets that percentile, any other the maximum.
    ///
    /// # Panics
    ///
    /// When nothing was timed.
    #[expect(clippy::print_stdout, reason = "the test harness forwards it")]
    pub fn report(&self, id: &str, what: &str) {
        let percent = match what.rsplit(' ').next() {
            Some("p50") => 50,
            Some("p95") => 95,
            _ => 100,
        };
        println!("took {id}: {what} {:.1} ms", self.ms(percent));
    }
}

impl FromIterator<Duration> for Times {
    fn from_iter<I: IntoIterator<Item = Duration>>(times: I) -> Times {
        Times(times.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_one_of_the_times() {
        let times: Times = (1..=200).rev().map(Duration::from_millis).collect();
        assert_eq!([50, 95, 100].map(|percent| times.ms(percent)), [100.0, 190.0, 200.0]);
    }

    #[test]
    #[should_panic(expected = "nothing was timed")]
    fn reporting_without_a_time_panics() {
        Times::default().report("R99", "p95");
    }
}
