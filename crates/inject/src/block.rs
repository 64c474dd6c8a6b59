//! What comes out: the text, and beside it the record of every memory in it.

use backstory_memory::{Injected, MemoryId, Tokens};
use std::fmt;

/// The text for a host, and what is in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// The text with its fence; empty if nothing is worth injecting.
    pub text: String,
    /// What it costs.
    pub tokens: Tokens,
    /// Its size in bytes of UTF-8.
    pub bytes: usize,
    /// The memories in it, in order.
    pub items: Vec<PlacedMemory>,
    /// The sections in it, in order.
    pub sections: Vec<&'static str>,
    /// What each of them costs with its heading, as it was priced: a little more than in the whole text.
    pub section_tokens: Vec<Tokens>,
    /// The sections that had items and are not in it.
    pub sections_skipped: Vec<SkippedSection>,
}

impl Block {
    /// Whether there is nothing to inject.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Returns the memories as an injection's record keeps them.
    #[must_use]
    pub fn injected(&self) -> Vec<Injected> {
        let record = |it: &PlacedMemory| Injected {
            memory: it.memory,
            section: it.section.to_owned(),
            rank: it.rank,
            score: it.score,
            tokens: it.tokens,
            reasons: it.reasons.clone(),
        };
        self.items.iter().map(record).collect()
    }
}

/// One memory in a block (law 9).
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedMemory {
    /// Which memory.
    pub memory: MemoryId,
    /// The section it is in.
    pub section: &'static str,
    /// Its place in the block, from 1.
    pub rank: u32,
    /// What its lines cost.
    pub tokens: Tokens,
    /// Its score, passed through.
    pub score: f64,
    /// Why it is there, passed through.
    pub reasons: Vec<String>,
}

/// A section that is not in the block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedSection {
    /// The section.
    pub section: &'static str,
    /// Why not.
    pub why: SkipReason,
}

/// Why a section is not in the block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SkipReason {
    /// It could not be built.
    Failed(String),
    /// Nothing of it fitted.
    DidNotFit,
}

impl fmt::Display for SkippedSection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.why {
            SkipReason::Failed(reason) => write!(f, "{}: failed: {reason}", self.section),
            SkipReason::DidNotFit => write!(f, "{}: did not fit", self.section),
        }
    }
}
