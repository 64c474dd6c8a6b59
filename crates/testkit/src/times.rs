//! How long the same thing took, each time, and which of the times is told. Nothing is judged here.

use std::time::{Duration, Instant};

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

    /// Returns the time that so many hundredths of all do not exceed, in milliseconds.
    ///
    /// # Panics
    ///
    /// When nothing was timed: it would read as the quickest of all.
    #[must_use]
    pub fn ms(&self, hundredths: usize) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let at = (sorted.len() * hundredths).div_ceil(100).saturating_sub(1);
        sorted.get(at).expect("nothing was timed").as_secs_f64() * 1e3
    }

    /// Tells what a bar is about: `p50` and `p95` of the times, or the longest of them for any other word.
    ///
    /// # Panics
    ///
    /// When nothing was timed.
    #[expect(clippy::print_stdout, reason = "the test harness hands it on")]
    pub fn tell(&self, id: &str, what: &str) {
        let hundredths = match what.rsplit(' ').next() {
            Some("p50") => 50,
            Some("p95") => 95,
            _ => 100,
        };
        println!("took {id}: {what} {:.1} ms", self.ms(hundredths));
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
        assert_eq!([50, 95, 100].map(|hundredths| times.ms(hundredths)), [100.0, 190.0, 200.0]);
    }

    #[test]
    #[should_panic(expected = "nothing was timed")]
    fn without_a_time_nothing_is_told() {
        Times::default().tell("R99", "p95");
    }
}
