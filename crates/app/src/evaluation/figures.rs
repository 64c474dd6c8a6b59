//! Retrieval figures: rank, recall at k, mean reciprocal rank. Pure.
//!
//! Queries without gold are never counted here: they have nothing to retrieve.

use serde::Serialize;

/// The mark of one answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct AnswerMark {
    /// Rank of the first gold document, from 1.
    pub(crate) rank: Option<usize>,
    share_at_5: f64,
    share_at_10: f64,
}

impl AnswerMark {
    /// Compares hits, best first, with the gold.
    pub(crate) fn new(hits: &[&str], gold: &[String]) -> AnswerMark {
        let is_gold = |document: &&str| gold.iter().any(|gold| gold == document);
        let share = |depth| {
            let among: Vec<&str> = hits.iter().take(depth).copied().collect();
            let held = gold.iter().filter(|gold| among.contains(&gold.as_str())).count();
            held as f64 / gold.len().max(1) as f64
        };
        let rank = hits.iter().position(is_gold).map(|place| place + 1);
        AnswerMark { rank, share_at_5: share(5), share_at_10: share(10) }
    }
}

/// Means over many queries, as fractions of 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct RetrievalFigures {
    /// Queries counted.
    pub queries: usize,
    /// A gold document is first.
    #[serde(rename = "any@1")]
    pub any_at_1: f64,
    /// One is among the first five.
    #[serde(rename = "any@5")]
    pub any_at_5: f64,
    /// One is among the first ten.
    #[serde(rename = "any@10")]
    pub any_at_10: f64,
    /// The share of the gold among the first five.
    #[serde(rename = "share@5")]
    pub share_at_5: f64,
    /// The share of the gold among the first ten.
    #[serde(rename = "share@10")]
    pub share_at_10: f64,
    /// One over the rank of the first gold document; 0 beyond the tenth.
    pub mrr: f64,
}

impl RetrievalFigures {
    /// Averages marks; 0 for none.
    pub(crate) fn mean(marks: &[AnswerMark]) -> RetrievalFigures {
        let mean = |value: &dyn Fn(&AnswerMark) -> f64| {
            marks.iter().map(value).sum::<f64>() / marks.len().max(1) as f64
        };
        let any = |depth: usize| mean(&|mark| f64::from(mark.rank.is_some_and(|rank| rank <= depth)));
        RetrievalFigures {
            queries: marks.len(),
            any_at_1: any(1),
            any_at_5: any(5),
            any_at_10: any(10),
            share_at_5: mean(&|mark| mark.share_at_5),
            share_at_10: mean(&|mark| mark.share_at_10),
            mrr: mean(&|mark| mark.rank.map_or(0.0, |rank| 1.0 / rank as f64)),
        }
    }
}

/// Returns a percentile by nearest rank; 0 for no values.
pub(crate) fn percentile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = (share * sorted.len() as f64).ceil().max(1.0) as usize;
    sorted.get(rank - 1).or(sorted.last()).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(hits: &[&str], gold: &[&str]) -> AnswerMark {
        AnswerMark::new(hits, &gold.iter().map(|&id| id.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn an_answer_is_marked_by_the_rank_of_its_gold() {
        let hits = ["a", "b", "c", "d", "e", "f"];
        assert_eq!(mark(&hits, &["c", "f"]), AnswerMark { rank: Some(3), share_at_5: 0.5, share_at_10: 1.0 });
        assert_eq!(mark(&hits, &["z"]), AnswerMark { rank: None, share_at_5: 0.0, share_at_10: 0.0 });
        assert_eq!(mark(&[], &["z"]).rank, None);
    }

    #[test]
    fn figures_are_means_over_the_queries() {
        let figures = RetrievalFigures::mean(&[
            mark(&["a", "b"], &["a"]),
            mark(&["x", "b"], &["b", "c"]),
            mark(&["x"], &["d"]),
        ]);
        assert_eq!((figures.queries, figures.any_at_1, figures.any_at_5), (3, 1.0 / 3.0, 2.0 / 3.0));
        assert_eq!((figures.share_at_5, figures.mrr), (0.5, 0.5));
        assert_eq!(RetrievalFigures::mean(&[]), RetrievalFigures::default());
    }

    #[test]
    fn a_percentile_is_the_nearest_rank() {
        let values: Vec<f64> = (1..=200).rev().map(f64::from).collect();
        assert_eq!((percentile(&values, 0.5), percentile(&values, 0.99)), (100.0, 198.0));
        assert_eq!((percentile(&[7.0], 0.99), percentile(&[], 0.5)), (7.0, 0.0));
    }
}
