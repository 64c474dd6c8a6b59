//! A request for an injection, and the block that was built for it.

use crate::{Block, InjectError, Recipient, SkipReason, SkippedSection};
use backstory_memory::{Injection, InjectionPoint, Moment, Shingles, Timestamp, Tokens};
use backstory_store::Receipt;
use std::time::Instant;

/// An injection point and its budget; a budget of 0 only records the session start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InjectionRequest {
    /// When in the session, and what about.
    pub point: InjectionPoint,
    /// The most tokens it may cost.
    pub budget: u32,
}

/// A block, and what it took to build it.
#[derive(Clone, Debug)]
pub struct BuiltInjection {
    /// When in the session.
    pub moment: Moment,
    /// The text and what is in it.
    pub block: Block,
    /// The budget it was built for.
    pub budget: Tokens,
    /// How long building took, in microseconds.
    pub build_us: u32,
}

impl BuiltInjection {
    /// Returns an empty block.
    #[must_use]
    pub fn empty(moment: Moment, budget: u32) -> BuiltInjection {
        BuiltInjection { moment, block: Block::default(), budget: Tokens(budget), build_us: 0 }
    }

    /// Returns the record of it (law 9).
    #[must_use]
    pub fn to_record(&self, recipient: &Recipient<'_>, at: Timestamp) -> Injection {
        let block = &self.block;
        Injection {
            project: recipient.project,
            session: recipient.session,
            moment: self.moment,
            at,
            tokens: block.tokens,
            budget: self.budget,
            bytes: u32::try_from(block.bytes).unwrap_or(u32::MAX),
            build_us: self.build_us,
            sections: block.sections.iter().map(|section| (*section).to_owned()).collect(),
            sections_skipped: block.sections_skipped.iter().map(ToString::to_string).collect(),
            text: block.text.clone(),
            shingles: Shingles::from_text(&block.text),
            memories: block.injected(),
        }
    }

    /// Fails if a section could not be gathered: an empty block for that reason is an error, not silence.
    pub(crate) fn check_sections(&self) -> Result<(), InjectError> {
        let failed = |skipped: &&SkippedSection| matches!(skipped.why, SkipReason::Failed(_));
        match self.block.sections_skipped.iter().find(failed) {
            Some(skipped) => Err(InjectError::SectionFailed(skipped.clone())),
            None => Ok(()),
        }
    }

    /// Adds to the receipt of a hook what was injected, and how long the hook took until then.
    pub(crate) fn complete_receipt(&self, receipt: &Receipt, duration_us: u32) -> Receipt {
        let (count, tokens) = (self.block.items.len(), self.block.tokens.0);
        let memories = if count == 1 { "memory" } else { "memories" };
        Receipt {
            duration_us,
            bytes_out: u32::try_from(self.block.bytes).unwrap_or(u32::MAX),
            outcome: format!("{}, gave {count} {memories} in {tokens} tokens", receipt.outcome),
            ..receipt.clone()
        }
    }
}

/// Returns the microseconds since an instant.
#[must_use]
pub fn elapsed_us(started: Instant) -> u32 {
    u32::try_from(started.elapsed().as_micros()).unwrap_or(u32::MAX)
}
