//! Figures of a ranking: rank of the first right hit, share of the right ones found.

/// Sums over queries; `means` divides.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RankFigures {
    sums: [f64; 6],
    pub(crate) queries: usize,
}

impl RankFigures {
    /// The name of each figure.
    pub(crate) const NAMES: [&'static str; 6] = ["any@1", "any@5", "any@10", "share@5", "share@10", "MRR"];

    /// Adds a query: which of its hits are right, best first, and how many right ones there are.
    pub(crate) fn add(&mut self, marks: &[bool], gold: usize) {
        let rank = marks.iter().position(|is_gold| *is_gold).map(|at| at + 1);
        let any = |depth: usize| f64::from(rank.is_some_and(|rank| rank <= depth));
        let share = |depth: usize| {
            marks.iter().take(depth).filter(|is_gold| **is_gold).count() as f64 / gold.max(1) as f64
        };
        let mrr = rank.map_or(0.0, |rank| 1.0 / rank as f64);
        let all = [any(1), any(5), any(10), share(5), share(10), mrr];
        self.sums.iter_mut().zip(all).for_each(|(sum, figure)| *sum += figure);
        self.queries += 1;
    }

    /// Returns the means in percent.
    pub(crate) fn means(&self) -> [f64; 6] {
        self.sums.map(|sum| 100.0 * sum / self.queries.max(1) as f64)
    }
}
