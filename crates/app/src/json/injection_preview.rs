//! An injection in JSON, as it was built.

use backstory_inject::{BuiltInjection, PlacedMemory};
use backstory_memory::Moment;
use serde::Serialize;

/// What would be injected, and its bill.
#[derive(Debug, Serialize)]
pub struct ContextShape<'a> {
    pub version: u32,
    pub moment: &'static str,
    pub context: &'a str,
    pub tokens: u32,
    pub budget: u32,
    pub bytes: usize,
    pub build_ms: f64,
    pub sections: &'a [&'static str],
    /// What each section costs, in the order of `sections`.
    pub section_tokens: Vec<u32>,
    pub sections_skipped: Vec<String>,
    pub memories: Vec<PlacedMemoryShape<'a>>,
}

/// One memory of an injection, and what it costs.
#[derive(Debug, Serialize)]
pub struct PlacedMemoryShape<'a> {
    pub id: i64,
    pub section: &'static str,
    pub rank: u32,
    pub tokens: u32,
    pub score: f64,
    pub reasons: &'a [String],
}

/// Returns what would be injected.
pub fn context(built: &BuiltInjection) -> ContextShape<'_> {
    let block = &built.block;
    ContextShape {
        version: 1,
        moment: Moment::as_str(built.moment),
        context: &block.text,
        tokens: block.tokens.0,
        budget: built.budget.0,
        bytes: block.bytes,
        build_ms: f64::from(built.build_us) / 1000.0,
        sections: &block.sections,
        section_tokens: block.section_tokens.iter().map(|tokens| tokens.0).collect(),
        sections_skipped: block.sections_skipped.iter().map(ToString::to_string).collect(),
        memories: block.items.iter().map(placed_memory).collect(),
    }
}

fn placed_memory(item: &PlacedMemory) -> PlacedMemoryShape<'_> {
    PlacedMemoryShape {
        id: item.memory.0,
        section: item.section,
        rank: item.rank,
        tokens: item.tokens.0,
        score: item.score,
        reasons: &item.reasons,
    }
}
