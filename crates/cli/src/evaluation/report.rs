//! The result of a run, as JSON and as a table: the engine beside plain BM25, and injection.

use crate::evaluation::arm::EvalArm;
use crate::evaluation::bench::ArmAnswer;
use crate::evaluation::data_set::{DataSet, EvalQuery};
use crate::evaluation::figures::{AnswerMark, RetrievalFigures, percentile};
use crate::ui::one_line;
use serde::Serialize;
use std::collections::BTreeMap;

/// The result of a run.
#[derive(Debug, Serialize)]
pub(crate) struct EvalReport {
    version: u32,
    name: String,
    documents: usize,
    queries: usize,
    #[serde(flatten)]
    engine: ArmReport,
    baseline: ArmReport,
    injection: InjectionReport,
    bytes_per_document: u64,
    unknown_gold: usize,
    seconds: f64,
}

/// The figures of one arm.
#[derive(Debug, Serialize)]
struct ArmReport {
    arm: &'static str,
    overall: RetrievalFigures,
    categories: BTreeMap<String, RetrievalFigures>,
    abstention: AbstentionReport,
    latency_ms: LatencyReport,
}

/// Queries without an answer in the set.
#[derive(Debug, Serialize)]
struct AbstentionReport {
    queries: usize,
    /// Those with hits all the same.
    answered: usize,
}

/// What the weights of injection would inject.
#[derive(Debug, Serialize)]
struct InjectionReport {
    /// Queries without an answer for which nothing would be injected.
    silent: usize,
    /// Share of the answerable queries for which a gold document would be injected.
    recall: f64,
    /// Mean number of documents per query.
    documents: f64,
}

impl InjectionReport {
    fn new(set: &DataSet, answers: &[ArmAnswer<'_>]) -> InjectionReport {
        let (answerable, without): (Vec<_>, Vec<_>) =
            set.queries.iter().zip(answers).partition(|(query, _)| query.is_answerable());
        let recalled = answerable.iter().filter(|(query, answer)| mark(query, answer).rank.is_some()).count();
        let documents: usize = answers.iter().map(|answer| answer.hits.len()).sum();
        InjectionReport {
            silent: without.iter().filter(|(_, answer)| answer.hits.is_empty()).count(),
            recall: recalled as f64 / answerable.len().max(1) as f64,
            documents: documents as f64 / answers.len().max(1) as f64,
        }
    }
}

#[derive(Debug, Serialize)]
struct LatencyReport {
    p50: f64,
    p99: f64,
}

impl EvalReport {
    /// Summarises the answers of all arms.
    pub(crate) fn new(
        set: &DataSet,
        [engine, baseline, inject]: [&[ArmAnswer<'_>]; 3],
        bytes: u64,
        seconds: f64,
    ) -> EvalReport {
        EvalReport {
            version: 1,
            name: set.name.clone(),
            documents: set.documents.len(),
            queries: set.queries.len(),
            engine: ArmReport::new(EvalArm::Engine, set, engine),
            baseline: ArmReport::new(EvalArm::Bm25, set, baseline),
            injection: InjectionReport::new(set, inject),
            bytes_per_document: bytes / set.documents.len().max(1) as u64,
            unknown_gold: set.unknown_gold().len(),
            seconds,
        }
    }

    /// Writes the report for a person. Figures are in percent.
    pub(crate) fn table(&self) -> String {
        let EvalReport { name, documents, queries, engine, baseline, .. } = self;
        let both = [engine, baseline];
        let mut lines =
            vec![format!("{} (documents: {documents}, queries: {queries})", one_line(name)), String::new()];
        lines.extend(self.rows());
        lines.push(String::new());
        if engine.abstention.queries > 0 {
            let answered = both.map(|arm| format!("{} {}", arm.arm, arm.abstention.answered)).join(", ");
            lines.push(format!(
                "queries without an answer in the set: {}; with hits all the same: {answered}",
                engine.abstention.queries
            ));
        }
        let InjectionReport { silent, recall, documents } = &self.injection;
        lines.push(format!(
            "injection: silent for {silent} of {} without an answer, gold injected for {:.1} % of the others, {documents:.1} documents per query",
            engine.abstention.queries,
            100.0 * recall
        ));
        let times = both.map(|ArmReport { arm, latency_ms: LatencyReport { p50, p99 }, .. }| {
            format!("{arm} p50 {p50:.2} ms, p99 {p99:.2} ms")
        });
        lines.push(format!("time per query: {}", times.join("; ")));
        lines.push(format!(
            "disk: {} bytes per document; {:.1} s in all",
            self.bytes_per_document, self.seconds
        ));
        lines.join("\n")
    }

    /// Writes two lines per category: the engine, and the baseline below it.
    fn rows(&self) -> Vec<String> {
        let widths = self.engine.rows().map(|(name, _)| one_line(name).chars().count());
        let width = widths.max().unwrap_or(0);
        let head = "any@1   any@5  any@10  share@5 share@10     MRR       n";
        let mut rows = vec![format!("{:width$}            {head}", "")];
        // Both arms ran the same queries, so they have the same categories.
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
    fn new(arm: EvalArm, set: &DataSet, answers: &[ArmAnswer<'_>]) -> ArmReport {
        let pairs = || set.queries.iter().zip(answers);
        let mut overall = Vec::new();
        let mut categories: BTreeMap<String, Vec<AnswerMark>> = BTreeMap::new();
        for (query, answer) in pairs().filter(|(query, _)| query.is_answerable()) {
            let mark = mark(query, answer);
            overall.push(mark);
            if let Some(category) = &query.category {
                categories.entry(category.clone()).or_default().push(mark);
            }
        }
        let without: Vec<&ArmAnswer<'_>> =
            pairs().filter(|(query, _)| !query.is_answerable()).map(|(_, answer)| answer).collect();
        let took: Vec<f64> = answers.iter().map(|answer| answer.took.as_secs_f64() * 1000.0).collect();
        ArmReport {
            arm: arm.name(),
            overall: RetrievalFigures::mean(&overall),
            categories: categories
                .into_iter()
                .map(|(name, marks)| (name, RetrievalFigures::mean(&marks)))
                .collect(),
            abstention: AbstentionReport {
                queries: without.len(),
                answered: without.iter().filter(|answer| !answer.hits.is_empty()).count(),
            },
            latency_ms: LatencyReport { p50: percentile(&took, 0.5), p99: percentile(&took, 0.99) },
        }
    }

    fn rows(&self) -> impl Iterator<Item = (&str, &RetrievalFigures)> {
        let categories = self.categories.iter().map(|(name, figures)| (name.as_str(), figures));
        std::iter::once(("overall", &self.overall)).chain(categories)
    }
}

/// Marks an answer against the gold of its query.
pub(crate) fn mark(query: &EvalQuery, answer: &ArmAnswer<'_>) -> AnswerMark {
    let hits: Vec<&str> = answer.hits.iter().map(|(document, _)| *document).collect();
    AnswerMark::new(&hits, &query.gold)
}

fn cells(figures: &RetrievalFigures) -> String {
    let RetrievalFigures { any_at_1, any_at_5, any_at_10, share_at_5, share_at_10, mrr, .. } = figures;
    let percents = [any_at_1, any_at_5, any_at_10, share_at_5, share_at_10, mrr].map(|figure| 100.0 * figure);
    let [any_at_1, any_at_5, any_at_10, share_at_5, share_at_10, mrr] = percents;
    format!("{any_at_1:8.1}{any_at_5:8.1}{any_at_10:8.1}{share_at_5:9.1}{share_at_10:9.1}{mrr:8.1}")
}
