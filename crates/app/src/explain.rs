//! Why a hit has its score, in words and in JSON: the whole sum, the same everywhere.
#![expect(missing_docs, reason = "the fields are the JSON keys; docs/json.md explains them")]

use backstory_recall::{Hit, Reasons};
use serde::Serialize;

/// The sum of one hit, for other programs.
#[derive(Debug, Serialize)]
pub struct SumShape {
    pub words: f64,
    pub meaning: Option<f64>,
    pub fused: f64,
    pub boosts: Vec<TermShape>,
    pub factors: Vec<TermShape>,
    pub relevance: f64,
    pub older_than: Option<i64>,
}

/// One line of a sum.
#[derive(Debug, Serialize)]
pub struct TermShape {
    pub name: String,
    pub value: f64,
}

/// Returns a sum for other programs.
pub fn shape(reasons: &Reasons) -> SumShape {
    let term = |name, value: &f64| TermShape { name, value: *value };
    SumShape {
        words: reasons.words,
        meaning: reasons.meaning,
        fused: reasons.fused,
        boosts: reasons.boosts.iter().map(|(boost, added)| term(boost.to_string(), added)).collect(),
        factors: reasons.factors.iter().map(|(factor, by)| term(factor.to_string(), by)).collect(),
        relevance: reasons.relevance(),
        older_than: reasons.older_than.map(|id| id.0),
    }
}

/// Returns a sum for people, a line each.
pub fn lines(hit: &Hit) -> Vec<String> {
    let reasons = &hit.reasons;
    let meaning = reasons.meaning.map_or_else(|| "none".to_owned(), |cosine| format!("{cosine:.2}"));
    let mut lines = vec![format!(
        "  {:.3}  words {:.2} (BM25), meaning {meaning} (cosine)",
        reasons.fused, reasons.words
    )];
    let boosts = reasons.boosts.iter();
    lines.extend(boosts.map(|(boost, added)| format!("+ {added:.3}  {boost}")));
    let factors = reasons.factors.iter();
    lines.extend(factors.map(|(factor, by)| format!("× {by:.3}  {factor}")));
    lines.push(format!("= {:.3}", hit.score));
    lines.extend(reasons.older_than.map(|newer| format!("  older than #{newer}, which speaks of the same")));
    lines
}
