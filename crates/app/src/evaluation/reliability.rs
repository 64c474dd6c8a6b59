//! Whether the engine's scores are probabilities: how often the first hit is right where its score is about so high.
#![expect(missing_docs, reason = "the fields are the JSON keys; docs/eval.md explains them")]

use super::bench::ArmAnswer;
use super::data_set::DataSet;
use serde::Serialize;

/// Upper ends of the bins.
const ENDS: [f64; 8] = [0.05, 0.1, 0.2, 0.3, 0.45, 0.6, 0.8, 1.0];

/// The first hits of about one score.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct ReliabilityBin {
    /// The upper end of the scores.
    pub to: f64,
    pub queries: usize,
    /// The mean score.
    pub said: f64,
    /// The share of first hits that are right.
    pub right: f64,
}

/// Bins the first hits of all queries, those without an answer included; empty bins are left out.
pub(crate) fn reliability(set: &DataSet, answers: &[ArmAnswer<'_>]) -> Vec<ReliabilityBin> {
    let mut bins = ENDS.map(|to| ReliabilityBin { to, ..ReliabilityBin::default() });
    for (query, answer) in set.queries.iter().zip(answers) {
        let Some((document, score)) = answer.hits.first() else { continue };
        let at = ENDS.iter().position(|end| score < end).unwrap_or(ENDS.len() - 1);
        if let Some(bin) = bins.get_mut(at) {
            bin.queries += 1;
            bin.said += score.min(1.0);
            bin.right += f64::from(query.gold.iter().any(|gold| gold == document));
        }
    }
    let filled = bins.into_iter().filter(|bin| bin.queries > 0);
    filled
        .map(|bin| {
            let count = bin.queries as f64;
            ReliabilityBin { said: bin.said / count, right: bin.right / count, ..bin }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::data_set::EvalQuery;
    use std::time::Duration;

    #[test]
    fn first_hits_are_binned_by_their_score() {
        let query = |gold: &[&str]| EvalQuery {
            gold: gold.iter().map(|id| (*id).to_owned()).collect(),
            ..EvalQuery::default()
        };
        let queries = vec![query(&["a"]), query(&[]), query(&["a"]), query(&["a"])];
        let set = DataSet { queries, ..DataSet::default() };
        let answer = |hits: &[(&'static str, f64)]| ArmAnswer { hits: hits.to_vec(), took: Duration::ZERO };
        let answers =
            [answer(&[("a", 0.9), ("b", 0.2)]), answer(&[("b", 0.9)]), answer(&[("b", 0.04)]), answer(&[])];
        let bins = reliability(&set, &answers);
        let found: Vec<_> = bins.iter().map(|bin| (bin.to, bin.queries, bin.right)).collect();
        assert_eq!(found, [(0.05, 1, 0.0), (1.0, 2, 0.5)]);
        assert!((bins[1].said - 0.9).abs() < 1e-12);
    }
}
