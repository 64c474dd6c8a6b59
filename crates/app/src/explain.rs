//! Why a hit is one, in words and in JSON: the whole sum, the same wherever it is asked for.

use backstory_recall::{Factor, Hit, Lift, Reasons};
use serde::Serialize;

/// The sum of one hit, for other programs.
#[derive(Debug, Serialize)]
pub struct SumShape {
    pub words: f64,
    pub meaning: Option<f64>,
    pub fused: f64,
    pub lifts: Vec<TermShape>,
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
        lifts: reasons.lifts.iter().map(|(lift, added)| term(lift_name(*lift), added)).collect(),
        factors: reasons.factors.iter().map(|(factor, by)| term(factor_name(*factor), by)).collect(),
        relevance: reasons.relevance(),
        older_than: reasons.older_than.map(|id| id.0),
    }
}

/// Returns a sum in words, as the record of an injection keeps it.
pub fn words(reasons: &Reasons) -> Vec<String> {
    let arms = [("words", Some(reasons.words).filter(|words| *words > 0.0)), ("meaning", reasons.meaning)];
    let arms = arms.into_iter().filter_map(|(name, value)| Some(format!("{name} {:.2}", value?)));
    let lifts = reasons.lifts.iter().map(|(lift, added)| format!("+{added:.2} {}", lift_name(*lift)));
    let factors = reasons.factors.iter().map(|(factor, by)| format!("×{by:.2} {}", factor_name(*factor)));
    arms.chain(lifts).chain(factors).collect()
}

/// Returns a sum for people, a line each.
pub fn lines(hit: &Hit) -> Vec<String> {
    let reasons = &hit.reasons;
    let meaning = reasons.meaning.map_or_else(|| "none".to_owned(), |cosine| format!("{cosine:.2}"));
    let mut lines = vec![format!(
        "  {:.3}  words {:.2} (BM25), meaning {meaning} (cosine)",
        reasons.fused, reasons.words
    )];
    let lifts = reasons.lifts.iter();
    lines.extend(lifts.map(|(lift, added)| format!("+ {added:.3}  {}", lift_name(*lift))));
    let factors = reasons.factors.iter();
    lines.extend(factors.map(|(factor, by)| format!("× {by:.3}  {}", factor_name(*factor))));
    lines.push(format!("= {:.3}", hit.score));
    lines.extend(reasons.older_than.map(|newer| format!("  older than #{newer}, which speaks of the same")));
    lines
}

fn lift_name(lift: Lift) -> String {
    match lift {
        Lift::Named => "its file or symbol is named".to_owned(),
        Lift::Neighbours => "what stands beside it in its session".to_owned(),
        Lift::LinkedTo(id) => format!("linked to #{id}"),
    }
}

fn factor_name(factor: Factor) -> String {
    match factor {
        Factor::OutsideTime => "outside the time that was asked for".to_owned(),
        Factor::Superseded => "superseded".to_owned(),
        Factor::Signal(signal) => signal.as_str().to_owned(),
    }
}
