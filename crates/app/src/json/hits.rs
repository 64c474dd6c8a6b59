//! Hits in JSON: what was found, how, and the sum behind each score.

use super::memory::{HeadShape, head};
use crate::explain::{self, SumShape};
use crate::search::Fit;
use crate::times;
use backstory_recall::{Hit, SearchResults};
use backstory_store::{Store, StoreError};
use serde::Serialize;

/// One hit of `search --json`.
#[derive(Debug, Serialize)]
pub struct HitShape {
    #[serde(flatten)]
    pub head: HeadShape,
    pub score: f64,
}

/// What `search --json` found.
#[derive(Debug, Serialize)]
pub struct SearchShape {
    pub version: u32,
    pub strategy: &'static str,
    /// Whether any hit fits the query. If not, they are only the nearest, and likely about something else.
    pub fits: bool,
    pub read_as: Vec<ReadAsShape>,
    pub when: Option<TimeRangeShape>,
    pub hits: Vec<ExplainedHitShape>,
}

/// A hit, with its sum and a part of its text if the request asks for them.
#[derive(Debug, Serialize)]
pub struct ExplainedHitShape {
    #[serde(flatten)]
    pub hit: HitShape,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explain: Option<SumShape>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snippet: Option<String>,
}

/// A word no memory has, and the known word it was read as.
#[derive(Debug, Serialize)]
pub struct ReadAsShape {
    pub word: String,
    pub known: String,
}

/// The time the question names: what lies outside counts less.
#[derive(Debug, Serialize)]
pub struct TimeRangeShape {
    pub said: String,
    pub since: Option<String>,
    pub until: Option<String>,
}

/// Whether hits come with the sum behind their score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HitDetail {
    /// The score alone.
    Score,
    /// The score and how it came about.
    Explained,
}

/// Returns what was found.
pub fn search(
    store: &Store,
    results: &SearchResults,
    fit: Fit,
    detail: HitDetail,
) -> Result<SearchShape, StoreError> {
    let mut hits = Vec::new();
    for one in &results.hits {
        let explain = (detail == HitDetail::Explained).then(|| explain::shape(&one.reasons));
        hits.push(ExplainedHitShape { hit: hit(store, one)?, explain, snippet: None });
    }
    let read_as = results.read_as.iter();
    let read_as = read_as.map(|read| ReadAsShape { word: read.word.clone(), known: read.corrected.clone() });
    let when = results.when.as_ref().map(|when| TimeRangeShape {
        said: when.said.clone(),
        since: when.since.map(times::iso),
        until: when.until.map(times::iso),
    });
    Ok(SearchShape {
        version: 1,
        strategy: results.strategy.as_str(),
        fits: fit == Fit::Fits,
        read_as: read_as.collect(),
        when,
        hits,
    })
}

/// Returns a hit.
pub fn hit(store: &Store, hit: &Hit) -> Result<HitShape, StoreError> {
    Ok(HitShape { head: head(store, &hit.memory)?, score: rounded_score(hit.score) })
}

/// Rounds a score to four digits. More would only show the noise of floating-point sums.
pub fn rounded_score(score: f64) -> f64 {
    (score * 10_000.0).round() / 10_000.0
}
