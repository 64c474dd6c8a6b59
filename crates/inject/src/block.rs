//! What comes out: the text, and beside it what every line of it can answer for.

use backstory_memory::{Injected, MemoryId, Tokens};
use std::fmt;

/// A block as it is given to a host, and what is in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// The text, fence and all; empty when there is nothing worth saying.
    pub text: String,
    /// What it costs.
    pub tokens: Tokens,
    /// Its size in bytes of UTF-8.
    pub bytes: usize,
    /// The memories in it, in order.
    pub items: Vec<Placed>,
    /// The layers in it, in order.
    pub layers: Vec<&'static str>,
    /// The layers that had something to say and are not in it.
    pub layers_skipped: Vec<Skipped>,
}

impl Block {
    /// Whether there is nothing to give.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Returns the memories as an injection's record keeps them.
    #[must_use]
    pub fn injected(&self) -> Vec<Injected> {
        let record = |it: &Placed| Injected {
            memory: it.memory,
            layer: it.layer.to_owned(),
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
pub struct Placed {
    /// Which memory.
    pub memory: MemoryId,
    /// The layer it is in.
    pub layer: &'static str,
    /// Its place in the block, from 1.
    pub rank: u32,
    /// What its lines cost.
    pub tokens: Tokens,
    /// Its score, as it came in.
    pub score: f64,
    /// Why it is there, as it came in.
    pub reasons: Vec<String>,
}

/// A layer that is not in the block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// The layer.
    pub layer: &'static str,
    /// Why not.
    pub why: Why,
}

/// Why a layer is not in the block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// It could not be built.
    Failed(String),
    /// Nothing of it fitted.
    DidNotFit,
}

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.why {
            Why::Failed(reason) => write!(f, "{}: failed: {reason}", self.layer),
            Why::DidNotFit => write!(f, "{}: did not fit", self.layer),
        }
    }
}
