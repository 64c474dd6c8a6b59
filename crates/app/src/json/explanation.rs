//! The explanation of a memory in JSON.

use super::memory::{HeadShape, head};
use crate::explain::{self, SumShape};
use crate::times;
use crate::why::WhyResponse;
use backstory_store::{MemoryInjection, Store, StoreError};
use serde::Serialize;

/// Why a memory is there, and how it was used.
#[derive(Debug, Serialize)]
pub struct WhyShape {
    pub version: u32,
    #[serde(flatten)]
    pub head: HeadShape,
    pub evidence: usize,
    pub times_seen: u32,
    pub times_used: u32,
    pub times_shown: u32,
    pub times_shown_since_used: u32,
    pub injected: Vec<InjectedMemoryShape>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<QuestionShape>,
}

/// One time a memory was injected.
#[derive(Debug, Serialize)]
pub struct InjectedMemoryShape {
    pub injection: i64,
    pub at: String,
    pub moment: String,
    pub section: String,
    pub rank: u32,
    pub score: f64,
    pub tokens: u32,
    pub reasons: Vec<String>,
    pub used_at: Option<String>,
    pub used_how: Option<String>,
}

/// How a memory answers a query. The rank is counted from 1; none if the memory would not be shown.
#[derive(Debug, Serialize)]
pub struct QuestionShape {
    pub rank: Option<usize>,
    pub score: f64,
    pub strategy: &'static str,
    pub explain: SumShape,
}

/// Returns the explanation of a memory.
pub fn why(store: &Store, response: WhyResponse) -> Result<WhyShape, StoreError> {
    let WhyResponse { memory, evidence, shown, injected, explained } = response;
    let question = explained.map(|explained| QuestionShape {
        rank: explained.rank.map(|rank| rank + 1),
        score: explained.hit.score,
        strategy: explained.strategy.as_str(),
        explain: explain::shape(&explained.hit.reasons),
    });
    Ok(WhyShape {
        version: 1,
        head: head(store, &memory)?,
        evidence,
        times_seen: memory.times_seen,
        times_used: memory.times_used,
        times_shown: shown.total,
        times_shown_since_used: shown.since_used,
        injected: injected.into_iter().map(injected_memory).collect(),
        question,
    })
}

/// Returns one time a memory was injected.
pub fn injected_memory(injected: MemoryInjection) -> InjectedMemoryShape {
    let (used_at, used_how) = injected.used.unzip();
    InjectedMemoryShape {
        injection: injected.injection.0,
        at: times::iso(injected.at),
        moment: injected.moment,
        section: injected.section,
        rank: injected.rank,
        score: injected.score,
        tokens: injected.tokens,
        reasons: injected.reasons,
        used_at: used_at.map(times::iso),
        used_how,
    }
}
