//! Judges the output of a bar's tests: passed, failed, too slow, skipped. Pure.

use super::bars::Bar;
use super::trials::Trial;

/// How a test reports a corpus that is not shipped. It runs our own cases all the same, so the bar is still proven.
const EXTRA_CORPUS: &str = "extra corpus";

/// The result of a bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BarResult {
    /// All assertions held, within the time limits.
    Passed,
    /// A promise was broken, or nothing was measured.
    Failed,
    /// All assertions held, but over a time limit: this machine may be too slow or too busy.
    Slow,
    /// Something it needs is missing on this machine.
    Skipped,
}

impl BarResult {
    /// Returns its word in the report.
    pub(crate) fn word(self) -> &'static str {
        match self {
            BarResult::Passed => "ok",
            BarResult::Failed => "FAILED",
            BarResult::Slow => "missed",
            BarResult::Skipped => "skipped",
        }
    }
}

/// The result of a bar, and the figures its tests reported.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct BarVerdict {
    pub(crate) id: &'static str,
    pub(crate) result: BarResult,
    pub(crate) figures: String,
}

impl BarVerdict {
    /// Judges the output of all trials of a bar.
    pub(crate) fn judge(bar: &Bar, trials: &[Trial]) -> BarVerdict {
        let verdict = |result, figures: String| BarVerdict { id: bar.id, result, figures };
        let lines = || trials.iter().flat_map(|trial| trial.output.lines());
        let reported = |word: &str| {
            let start = format!("{word} {}: ", bar.id);
            lines().filter_map(move |line| line.trim_start().strip_prefix(&start).map(str::to_owned))
        };
        let mut figures: Vec<String> = reported("bar").collect();
        if let Some(why) = trials.iter().find_map(|trial| trial.failure.clone()) {
            figures.push(why);
            return verdict(BarResult::Failed, figures.join("; "));
        }
        let skipped = || lines().filter_map(|line| line.trim_start().strip_prefix("SKIPPED: "));
        let extra = skipped().filter(|why| why.starts_with(EXTRA_CORPUS)).count();
        if extra > 0 {
            figures.push(format!("{extra} extra corpora skipped"));
        }
        if let Some(why) = skipped().find(|why| !why.starts_with(EXTRA_CORPUS)) {
            return verdict(
                BarResult::Skipped,
                format!("{} [{why}]", figures.join("; ")).trim_start().to_owned(),
            );
        }
        if figures.len() == usize::from(extra > 0) {
            return verdict(BarResult::Failed, "its tests reported no figure".to_owned());
        }
        let times: Vec<(String, f64)> = reported("took").filter_map(|line| parse_time(&line)).collect();
        let mut result = BarResult::Passed;
        for (what, limit) in bar.within {
            let Some((_, took)) = times.iter().find(|(name, _)| name == what) else {
                return verdict(BarResult::Failed, format!("its tests reported no time for `{what}`"));
            };
            if took > limit {
                result = BarResult::Slow;
            }
            let mark = if took > limit { "> " } else { "of " };
            figures.push(format!("{what} {took} ms {mark}{limit}"));
        }
        verdict(result, figures.join("; "))
    }
}

/// Parses `p95 84.2 ms`.
fn parse_time(line: &str) -> Option<(String, f64)> {
    let (what, took) = line.strip_suffix(" ms")?.rsplit_once(' ')?;
    Some((what.to_owned(), took.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::torture::bars::BarProof;

    const BAR: Bar = Bar {
        id: "R99",
        promise: "all of it",
        proofs: &[BarProof::Tests("backstory-store", &["a::b"])],
        within: &[("hooks p95", 250.0)],
    };

    fn judged(output: &str) -> (BarResult, String) {
        let BarVerdict { result, figures, .. } =
            BarVerdict::judge(&BAR, &[Trial { failure: None, output: output.to_owned() }]);
        (result, figures)
    }

    #[test]
    fn a_figure_within_its_time_passes() {
        let output = "bar R99: 7 of 7\nbar R98: not this one\ntook R99: hooks p95 84.2 ms\n";
        assert_eq!(judged(output), (BarResult::Passed, "7 of 7; hooks p95 84.2 ms of 250".to_owned()));
    }

    #[test]
    fn too_slow_differs_from_failed() {
        let output = "bar R99: 7 of 7\ntook R99: hooks p95 250.1 ms\n";
        assert_eq!(judged(output), (BarResult::Slow, "7 of 7; hooks p95 250.1 ms > 250".to_owned()));
        let broken = Trial { failure: Some("3 lost".to_owned()), output: output.to_owned() };
        assert_eq!(BarVerdict::judge(&BAR, &[broken]).result, BarResult::Failed);
    }

    #[test]
    fn without_a_figure_a_bar_fails() {
        assert_eq!(judged("test result: ok. 1 passed").0, BarResult::Failed);
        assert_eq!(judged("bar R99: 7 of 7").0, BarResult::Failed, "the time is missing");
        assert_eq!(judged("took R99: hooks p95 1.0 ms").0, BarResult::Failed, "the figure is missing");
    }

    #[test]
    fn a_skipped_bar_is_not_passed() {
        let (result, figures) = judged("bar R99: 7 of 7\nSKIPPED: no corpus\n");
        assert_eq!((result, figures.as_str()), (BarResult::Skipped, "7 of 7 [no corpus]"));
    }

    #[test]
    fn a_missing_extra_corpus_is_counted_and_the_bar_still_proven() {
        let extra = "SKIPPED: extra corpus `x` is not beside this checkout\n";
        let output = format!("bar R99: 7 of 7\ntook R99: hooks p95 84.2 ms\n{extra}");
        let expected = "7 of 7; 1 extra corpora skipped; hooks p95 84.2 ms of 250";
        assert_eq!(judged(&output), (BarResult::Passed, expected.to_owned()));
        assert_eq!(judged(extra).0, BarResult::Failed, "nothing was measured");
    }
}
