//! What is made of the words of a bar's tests: passed, failed, too slow, skipped. Pure.

use super::bars::Bar;
use super::trials::Trial;

/// How a bar stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BarResult {
    /// All held, within its time.
    Passed,
    /// A promise was broken, or nothing was measured.
    Failed,
    /// All held, but not within its time: this machine may be too slow or too busy.
    Slow,
    /// Something it needs is not here.
    Skipped,
}

impl BarResult {
    /// Returns how it is printed.
    pub(crate) fn word(self) -> &'static str {
        match self {
            BarResult::Passed => "ok",
            BarResult::Failed => "FAILED",
            BarResult::Slow => "missed",
            BarResult::Skipped => "skipped",
        }
    }
}

/// How a bar stands, and what its tests told.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    pub(crate) standing: BarResult,
    pub(crate) told: String,
}

impl Verdict {
    /// Judges what was printed.
    pub(crate) fn of(bar: &Bar, trials: &[Trial]) -> Verdict {
        let verdict = |standing, told: String| Verdict { standing, told };
        if let Some(why) = trials.iter().find_map(|trial| trial.failure.clone()) {
            return verdict(BarResult::Failed, why);
        }
        let lines = || trials.iter().flat_map(|trial| trial.output.lines());
        let of_this = |word: &str| {
            let start = format!("{word} {}: ", bar.id);
            lines().filter_map(move |line| line.trim_start().strip_prefix(&start).map(str::to_owned))
        };
        let mut told: Vec<String> = of_this("bar").collect();
        if let Some(why) = lines().find_map(|line| line.trim_start().strip_prefix("SKIPPED: ")) {
            return verdict(
                BarResult::Skipped,
                format!("{} [{why}]", told.join("; ")).trim_start().to_owned(),
            );
        }
        if told.is_empty() {
            return verdict(BarResult::Failed, "its tests told no figure".to_owned());
        }
        let times: Vec<(String, f64)> = of_this("took").filter_map(|line| time(&line)).collect();
        let mut standing = BarResult::Passed;
        for (what, limit) in bar.within {
            let Some((_, took)) = times.iter().find(|(name, _)| name == what) else {
                return verdict(BarResult::Failed, format!("its tests told no time for `{what}`"));
            };
            if took > limit {
                standing = BarResult::Slow;
            }
            let mark = if took > limit { "> " } else { "of " };
            told.push(format!("{what} {took} ms {mark}{limit}"));
        }
        verdict(standing, told.join("; "))
    }
}

/// Reads `p95 84.2 ms`.
fn time(line: &str) -> Option<(String, f64)> {
    let (what, took) = line.strip_suffix(" ms")?.rsplit_once(' ')?;
    Some((what.to_owned(), took.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::torture::bars::Shown;

    const BAR: Bar = Bar {
        id: "R99",
        says: "all of it",
        shown: &[Shown::Tests("backstory-store", &["a::b"])],
        within: &[("hooks p95", 250.0)],
    };

    fn judged(output: &str) -> (BarResult, String) {
        let Verdict { standing, told } =
            Verdict::of(&BAR, &[Trial { failure: None, output: output.to_owned() }]);
        (standing, told)
    }

    #[test]
    fn a_figure_within_its_time_passes() {
        let told = "bar R99: 7 of 7\nbar R98: not this one\ntook R99: hooks p95 84.2 ms\n";
        assert_eq!(judged(told), (BarResult::Passed, "7 of 7; hooks p95 84.2 ms of 250".to_owned()));
    }

    #[test]
    fn too_slow_is_told_apart_from_broken() {
        let told = "bar R99: 7 of 7\ntook R99: hooks p95 250.1 ms\n";
        assert_eq!(judged(told), (BarResult::Slow, "7 of 7; hooks p95 250.1 ms > 250".to_owned()));
        let broken = Trial { failure: Some("3 lost".to_owned()), output: told.to_owned() };
        assert_eq!(Verdict::of(&BAR, &[broken]).standing, BarResult::Failed);
    }

    #[test]
    fn who_tells_nothing_has_failed() {
        assert_eq!(judged("test result: ok. 1 passed").0, BarResult::Failed);
        assert_eq!(judged("bar R99: 7 of 7").0, BarResult::Failed, "the time is missing");
        assert_eq!(judged("took R99: hooks p95 1.0 ms").0, BarResult::Failed, "the figure is missing");
    }

    #[test]
    fn what_was_skipped_is_not_passed() {
        let (standing, told) = judged("bar R99: 7 of 7\nSKIPPED: no corpus\n");
        assert_eq!((standing, told.as_str()), (BarResult::Skipped, "7 of 7 [no corpus]"));
    }
}
