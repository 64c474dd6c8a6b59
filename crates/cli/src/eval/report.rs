//! What a run found, as JSON and as a table: the engine, and plain BM25 beside it.

use crate::eval::arm::Arm;
use crate::eval::bench::Answer;
use crate::eval::data_set::{DataSet, Query};
use crate::eval::figures::{Figures, Mark, percentile};
use crate::ui::one_line;
use serde::Serialize;
use std::collections::BTreeMap;

/// What a run found.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    version: u32,
    name: String,
    documents: usize,
    queries: usize,
    #[serde(flatten)]
    engine: ArmReport,
    baseline: ArmReport,
    unasked: Unasked,
    bytes_per_document: u64,
    unknown_gold: usize,
    seconds: f64,
}

/// What one arm reached.
#[derive(Debug, Serialize)]
struct ArmReport {
    arm: &'static str,
    overall: Figures,
    categories: BTreeMap<String, Figures>,
    abstention: Abstention,
    latency_ms: Latency,
}

/// The questions the set holds no answer to.
#[derive(Debug, Serialize)]
struct Abstention {
    queries: usize,
    /// How many found something all the same.
    answered: usize,
}

/// What would be given when nobody asked.
#[derive(Debug, Serialize)]
struct Unasked {
    /// Of the questions without an answer: for how many nothing would be given.
    silent: usize,
    /// Of those with one: for which share a gold document would be given.
    kept: f64,
    /// How many documents would be given to a question, in the mean.
    given: f64,
}

impl Unasked {
    fn new(set: &DataSet, answers: &[Answer<'_>]) -> Unasked {
        let (answerable, without): (Vec<_>, Vec<_>) =
            set.queries.iter().zip(answers).partition(|(query, _)| query.is_answerable());
        let kept = answerable.iter().filter(|(query, answer)| mark(query, answer).rank.is_some()).count();
        let given: usize = answers.iter().map(|answer| answer.found.len()).sum();
        Unasked {
            silent: without.iter().filter(|(_, answer)| answer.found.is_empty()).count(),
            kept: kept as f64 / answerable.len().max(1) as f64,
            given: given as f64 / answers.len().max(1) as f64,
        }
    }
}

#[derive(Debug, Serialize)]
struct Latency {
    p50: f64,
    p99: f64,
}

impl Report {
    /// Sums up the answers of all arms.
    pub(crate) fn new(
        set: &DataSet,
        [engine, baseline, unasked]: [&[Answer<'_>]; 3],
        bytes: u64,
        seconds: f64,
    ) -> Report {
        Report {
            version: 1,
            name: set.name.clone(),
            documents: set.documents.len(),
            queries: set.queries.len(),
            engine: ArmReport::new(Arm::Engine, set, engine),
            baseline: ArmReport::new(Arm::Bm25, set, baseline),
            unasked: Unasked::new(set, unasked),
            bytes_per_document: bytes / set.documents.len().max(1) as u64,
            unknown_gold: set.unknown_gold().len(),
            seconds,
        }
    }

    /// Writes the report for a person. Figures are in percent.
    pub(crate) fn table(&self) -> String {
        let Report { name, documents, queries, engine, baseline, .. } = self;
        let both = [engine, baseline];
        let mut lines =
            vec![format!("{} (documents: {documents}, questions: {queries})", one_line(name)), String::new()];
        lines.extend(self.rows());
        lines.push(String::new());
        if engine.abstention.queries > 0 {
            let answered = both.map(|arm| format!("{} {}", arm.arm, arm.abstention.answered)).join(", ");
            let asked = engine.abstention.queries;
            lines.push(format!(
                "questions without an answer in the set: {asked}; something was found for: {answered}"
            ));
        }
        let Unasked { silent, kept, given } = &self.unasked;
        let asked = engine.abstention.queries;
        lines.push(format!(
            "unasked: silent for {silent} of {asked} without an answer, gold given for {:.1} % of the others, {given:.1} documents a question",
            100.0 * kept
        ));
        let times = both.map(|ArmReport { arm, latency_ms: Latency { p50, p99 }, .. }| {
            format!("{arm} p50 {p50:.2} ms, p99 {p99:.2} ms")
        });
        lines.push(format!("a question takes: {}", times.join("; ")));
        lines.push(format!(
            "a document takes: {} bytes; the whole run took {:.1} s",
            self.bytes_per_document, self.seconds
        ));
        lines.join("\n")
    }

    /// Writes two lines a category: the engine, and the baseline below it.
    fn rows(&self) -> Vec<String> {
        let widths = self.engine.rows().map(|(name, _)| one_line(name).chars().count());
        let width = widths.max().unwrap_or(0);
        let head = "any@1   any@5  any@10  share@5 share@10     MRR       n";
        let mut rows = vec![format!("{:width$}            {head}", "")];
        // Both arms were asked the same questions, so they have the same categories.
        for ((name, engine), (_, baseline)) in self.engine.rows().zip(self.baseline.rows()) {
            rows.push(format!(
                "{:width$}  {:6} {}{:8}",
                one_line(name),
                self.engine.arm,
                cells(engine),
                engine.queries
            ));
            rows.push(format!("{:width$}  {:6} {}", "", self.baseline.arm, cells(baseline)));
        }
        rows
    }
}

impl ArmReport {
    fn new(arm: Arm, set: &DataSet, answers: &[Answer<'_>]) -> ArmReport {
        let pairs = || set.queries.iter().zip(answers);
        let mut overall = Vec::new();
        let mut categories: BTreeMap<String, Vec<Mark>> = BTreeMap::new();
        for (query, answer) in pairs().filter(|(query, _)| query.is_answerable()) {
            let mark = mark(query, answer);
            overall.push(mark);
            if let Some(category) = &query.category {
                categories.entry(category.clone()).or_default().push(mark);
            }
        }
        let without: Vec<&Answer<'_>> =
            pairs().filter(|(query, _)| !query.is_answerable()).map(|(_, answer)| answer).collect();
        let took: Vec<f64> = answers.iter().map(|answer| answer.took.as_secs_f64() * 1000.0).collect();
        ArmReport {
            arm: arm.name(),
            overall: Figures::of(&overall),
            categories: categories.into_iter().map(|(name, marks)| (name, Figures::of(&marks))).collect(),
            abstention: Abstention {
                queries: without.len(),
                answered: without.iter().filter(|answer| !answer.found.is_empty()).count(),
            },
            latency_ms: Latency { p50: percentile(&took, 0.5), p99: percentile(&took, 0.99) },
        }
    }

    fn rows(&self) -> impl Iterator<Item = (&str, &Figures)> {
        let categories = self.categories.iter().map(|(name, figures)| (name.as_str(), figures));
        std::iter::once(("overall", &self.overall)).chain(categories)
    }
}

/// Marks an answer against the gold of its question.
pub(crate) fn mark(query: &Query, answer: &Answer<'_>) -> Mark {
    let found: Vec<&str> = answer.found.iter().map(|(document, _)| *document).collect();
    Mark::of(&found, &query.gold)
}

fn cells(figures: &Figures) -> String {
    let Figures { any_at_1, any_at_5, any_at_10, share_at_5, share_at_10, mrr, .. } = figures;
    let percents = [any_at_1, any_at_5, any_at_10, share_at_5, share_at_10, mrr].map(|figure| 100.0 * figure);
    let [any_at_1, any_at_5, any_at_10, share_at_5, share_at_10, mrr] = percents;
    format!("{any_at_1:8.1}{any_at_5:8.1}{any_at_10:8.1}{share_at_5:9.1}{share_at_10:9.1}{mrr:8.1}")
}
