//! What was measured, as tables.

use super::model::{RelevanceModel, ranked};
use super::rank_figures::RankFigures;
use super::ranked_query::FittedSet;
use crate::say;
use backstory_recall::Features;

/// The thresholds of the curve of silence.
const THRESHOLDS: [f64; 8] = [0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6];
/// Upper ends of the bins of probability.
const BINS: [f64; 8] = [0.05, 0.1, 0.2, 0.3, 0.45, 0.6, 0.8, 1.01];

/// Each set with the weights that never saw it, beside BM25.
pub(crate) fn table(sets: &[FittedSet], held_out: &[RelevanceModel]) {
    say(&format!(
        "\n{:22} {:9} {}",
        "set (n)",
        "",
        RankFigures::NAMES.map(|name| format!("{name:>8}")).join("")
    ));
    for (set, model) in sets.iter().zip(held_out) {
        let mut unseen = RankFigures::default();
        for query in set.queries.iter().filter(|query| query.gold > 0) {
            let marks: Vec<bool> = ranked(model, query).iter().take(10).map(|it| it.0).collect();
            unseen.add(&marks, query.gold);
        }
        for (name, figures) in [("held out", unseen), ("engine", set.engine), ("bm25", set.bm25)] {
            let cells = figures.means().map(|figure| format!("{figure:8.1}")).join("");
            say(&format!("{:22} {name:9} {cells}", format!("{} ({})", set.name, figures.queries)));
        }
    }
}

/// What is injected unasked, with the weights the engine has now and the floors of injection.
pub(crate) fn injection(sets: &[FittedSet]) {
    say("\ninjected at a prompt: silent of those without an answer, right of those with one, documents each");
    for FittedSet { name, injected, .. } in sets {
        let each = injected.documents as f64 / (injected.unanswered + injected.answered).max(1) as f64;
        say(&format!(
            "{name:22} silent {:>3} of {:<4} right {:>3} of {:<4} {each:.1}",
            injected.silent, injected.unanswered, injected.right, injected.answered
        ));
    }
}

/// How often what is said to be so probable is right.
pub(crate) fn reliability(sets: &[FittedSet], held_out: &[RelevanceModel]) {
    say("\nreliability of the first hit (weights without the set): said, right, n by bin");
    for (set, model) in sets.iter().zip(held_out) {
        let mut bins = [(0.0, 0.0, 0.0); BINS.len()];
        for query in &set.queries {
            if let Some((is_gold, probability)) = ranked(model, query).first().copied() {
                let at = BINS.iter().position(|end| probability < *end).unwrap_or(BINS.len() - 1);
                if let Some(bin) = bins.get_mut(at) {
                    *bin = (bin.0 + probability, bin.1 + f64::from(is_gold), bin.2 + 1.0);
                }
            }
        }
        let cell = |bin: &(f64, f64, f64)| {
            if bin.2 < 1.0 {
                "      -      ".to_owned()
            } else {
                format!("{:.2} {:.2} {:<4}", bin.0 / bin.2, bin.1 / bin.2, bin.2)
            }
        };
        say(&format!("{:22} {}", set.name, bins.iter().map(cell).collect::<Vec<_>>().join("| ")));
    }
}

/// How often nothing is given where nothing answers, and the right thing where something does, by threshold.
pub(crate) fn silence(sets: &[FittedSet], held_out: &[RelevanceModel]) {
    say(&format!("\nsilence right / answer given, in percent, by threshold {THRESHOLDS:?}"));
    for (set, model) in sets.iter().zip(held_out) {
        let cells = THRESHOLDS.map(|threshold| {
            let (mut silent, mut empty, mut right, mut answered) = (0.0, 0.0, 0.0, 0.0);
            for query in &set.queries {
                let found = ranked(model, query);
                let shown = || found.iter().take(10).filter(|it| it.1 >= threshold);
                if query.gold == 0 {
                    empty += 1.0;
                    silent += f64::from(shown().next().is_none());
                } else {
                    answered += 1.0;
                    right += f64::from(shown().any(|it| it.0));
                }
            }
            let percent = |part: f64, whole: f64| {
                if whole > 0.0 { format!("{:.0}", 100.0 * part / whole) } else { "-".to_owned() }
            };
            format!("{:>3}/{:<3}", percent(silent, empty), percent(right, answered))
        });
        say(&format!("{:22} {}", set.name, cells.join("  ")));
    }
}

/// The weights fitted on every set.
pub(crate) fn weights(model: &RelevanceModel) {
    say("\nweights fitted on every set");
    for (name, (fit, evidence)) in Features::NAMES.iter().zip(model.fit.iter().zip(model.evidence)) {
        say(&format!("{fit:8.3} {evidence:8.3} {name}"));
    }
    say(&format!("{:17.3} bias", model.bias));
}
