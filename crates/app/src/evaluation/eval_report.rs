//! The result of a run: the engine beside plain BM25, and injection.
#![expect(missing_docs, reason = "the fields are the JSON keys; docs/eval.md explains them")]

use super::arm::EvalArm;
use super::bench::ArmAnswer;
use super::data_set::{DataSet, EvalQuery};
use super::figures::{AnswerMark, RetrievalFigures, percentile};
use super::reliability::{ReliabilityBin, reliability};
use serde::Serialize;
use std::collections::BTreeMap;

/// The result of a run.
#[derive(Debug, Serialize)]
pub struct EvalReport {
    pub version: u32,
    pub name: String,
    pub documents: usize,
    pub queries: usize,
    #[serde(flatten)]
    pub engine: ArmReport,
    pub baseline: ArmReport,
    pub injection: InjectionReport,
    pub reliability: Vec<ReliabilityBin>,
    pub bytes_per_document: u64,
    pub unknown_gold: usize,
    pub seconds: f64,
}

/// The figures of one arm.
#[derive(Debug, Serialize)]
pub struct ArmReport {
    pub arm: &'static str,
    pub overall: RetrievalFigures,
    pub categories: BTreeMap<String, RetrievalFigures>,
    pub abstention: AbstentionReport,
    pub latency_ms: LatencyReport,
}

/// Queries without an answer in the set.
#[derive(Debug, Serialize)]
pub struct AbstentionReport {
    pub queries: usize,
    /// How many of them were answered with a hit.
    pub answered: usize,
}

/// What the weights of injection would inject.
#[derive(Debug, Serialize)]
pub struct InjectionReport {
    /// Queries without an answer for which nothing would be injected.
    pub silent: usize,
    /// Share of the answerable queries for which a gold document would be injected.
    pub recall: f64,
    /// Mean number of documents per query.
    pub documents: f64,
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
pub struct LatencyReport {
    pub p50: f64,
    pub p99: f64,
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
            reliability: reliability(set, engine),
            bytes_per_document: bytes / set.documents.len().max(1) as u64,
            unknown_gold: set.unknown_gold().len(),
            seconds,
        }
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

    /// Returns the figures of all queries, and those of each category.
    pub fn rows(&self) -> impl Iterator<Item = (&str, &RetrievalFigures)> {
        let categories = self.categories.iter().map(|(name, figures)| (name.as_str(), figures));
        std::iter::once(("overall", &self.overall)).chain(categories)
    }
}

/// Marks an answer against the gold of its query.
pub(crate) fn mark(query: &EvalQuery, answer: &ArmAnswer<'_>) -> AnswerMark {
    let hits: Vec<&str> = answer.hits.iter().map(|(document, _)| *document).collect();
    AnswerMark::new(&hits, &query.gold)
}
